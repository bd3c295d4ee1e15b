//! Which fields describe one launch, in whatever kind of packet it was sent?

use core::fmt;

use crate::error::PacketError;
use crate::error::Reason;
use crate::layout::{
    AqlField, AqlFormat, COMPLETION_SIGNAL, FIELD_BYTES, FIELDS, KERNEL_OBJECT, PRIVATE_SIZE,
    REF_NUM_AT, SCOPES, fields_in, integer,
};
use crate::packet_types::{AQL_BYTES, AqlPacket};

/// Mask of the release scope in the field of the memory scopes (`synch_scopes`): bits 3 and 4
/// (HSA).
const RELEASE_SCOPE: u64 = 0b11000;

/// Fields of one launch, at the byte offsets that they have in a dispatch packet; every other byte
/// is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(align(16))]
pub struct LaunchImage {
    pub(crate) image: AqlPacket,
}

impl Default for LaunchImage {
    fn default() -> Self {
        Self { image: [0; AQL_BYTES] }
    }
}

impl fmt::Debug for LaunchImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LaunchImage(")?;
        self.image.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

impl LaunchImage {
    /// Reads the fields of a dispatch or reference packet into this launch; reserved bytes become
    /// 0.
    ///
    /// # Errors
    /// When the private segment size has more bits than its field in the format.
    #[inline]
    pub(crate) fn read(
        &mut self,
        packet: &AqlPacket,
        format: &AqlFormat,
    ) -> Result<(), PacketError> {
        for ((to, from), mask) in self.image.iter_mut().zip(packet).zip(&FIELD_BYTES) {
            *to = from & mask;
        }
        fits(&format.fields()[PRIVATE_SIZE], self.get(PRIVATE_SIZE))
    }

    /// Returns the address of the kernel's code, the kernel object.
    #[inline]
    pub(crate) fn kernel(&self) -> u64 {
        self.word(FIELD_MASKS[KERNEL_OBJECT].0)
    }

    /// Returns the value of the field with the number `number`; 0 where there is no such field.
    #[must_use]
    #[inline]
    pub fn get(&self, number: usize) -> u64 {
        FIELDS.get(number).map_or(0, |field| integer(&self.image[field.range()]))
    }

    /// Sets the field with the number `number` of the packet format to a value.
    ///
    /// # Errors
    /// When there is no such field, or the value has more bits than the field.
    pub fn set(
        &mut self,
        format: &AqlFormat,
        number: usize,
        value: u64,
    ) -> Result<(), PacketError> {
        let field = format.fields().get(number).ok_or(PacketError(Reason::NoField { number }))?;
        fits(field, value)?;
        self.image[field.range()].copy_from_slice(&value.to_le_bytes()[..field.bytes]);
        Ok(())
    }

    /// Writes the values of the fields of `vector` (bit `i` is field `i`) to `to`, one after the
    /// other. Each takes a whole number of half-words (16 bits); `to` has room for all of them.
    #[inline]
    pub(crate) fn write_diff(&self, format: &AqlFormat, vector: u16, mut to: &mut [u8]) {
        for number in fields_in(vector) {
            let field = &format.fields()[number];
            let (value, rest) = to.split_at_mut(2 * field.half_words());
            format.copy_value(&mut value[..field.bytes], &self.image[field.range()]);
            to = rest;
        }
    }

    /// Reads the values of the fields of `vector` (bit `i` is field `i`) as
    /// [`write_diff`](Self::write_diff) wrote them; `from` has all of them.
    #[inline]
    pub(crate) fn read_diff(&mut self, format: &AqlFormat, vector: u16, mut from: &[u8]) {
        for number in fields_in(vector) {
            let field = &format.fields()[number];
            let (value, rest) = from.split_at(2 * field.half_words());
            format.copy_value(&mut self.image[field.range()], &value[..field.bytes]);
            from = rest;
        }
    }

    /// Returns an ordinary dispatch packet of this launch.
    #[must_use]
    #[inline]
    pub fn dispatch(&self, format: &AqlFormat) -> AqlPacket {
        let mut packet = self.image;
        packet[0] = format.types().dispatch;
        packet
    }

    /// Returns a reference packet of this launch, by which the agent stores it in the entry
    /// `ref_num` of the agent's reference table.
    ///
    /// # Errors
    /// When the table has no such entry.
    pub fn reference(&self, format: &AqlFormat, ref_num: u16) -> Result<AqlPacket, PacketError> {
        format.check_entry(ref_num)?;
        let mut packet = self.image;
        packet[0] = format.types().reference;
        packet[REF_NUM_AT..REF_NUM_AT + 2].copy_from_slice(&ref_num.to_le_bytes());
        Ok(packet)
    }

    /// Returns whether the launch needs a cleanup of its own (work between its end and the report
    /// of its end) although it shares a packet with other launches. It does if its completion
    /// signal or its release scope is not 0 (seed 002, a patent).
    #[must_use]
    #[doc(hidden)]
    pub fn asks_cleanup(&self) -> bool {
        self.get(COMPLETION_SIGNAL) != 0 || self.get(SCOPES) & RELEASE_SCOPE != 0
    }

    /// Returns the fields in which this launch differs from `other`, as bits: bit `i` is field `i`
    /// of the packet format.
    #[must_use]
    #[inline]
    pub fn differs(&self, other: &Self) -> u16 {
        let mut vector = 0;
        for (number, &(word, mask)) in FIELD_MASKS.iter().enumerate() {
            let differs = (self.word(word) ^ other.word(word)) & mask;
            vector |= u16::from(differs != 0) << number;
        }
        vector
    }

    /// Returns the 64-bit word with the index `number` of the launch's 64 bytes.
    #[inline]
    fn word(&self, number: usize) -> u64 {
        u64::from_le_bytes(self.image.as_chunks::<8>().0[number])
    }
}

/// Place of each field of a launch: (index of the 64-bit word that holds the field, mask of the
/// field's bits in that word).
const FIELD_MASKS: [(usize, u64); FIELDS.len()] = {
    let (mut masks, mut number) = ([(0, 0); FIELDS.len()], 0);
    while number < FIELDS.len() {
        let AqlField { offset, bytes, .. } = FIELDS[number];
        masks[number] = (offset / 8, (u64::MAX >> (64 - 8 * bytes)) << (8 * (offset % 8)));
        number += 1;
    }
    masks
};

#[inline]
fn fits(field: &AqlField, value: u64) -> Result<(), PacketError> {
    let bits = field.bits();
    if bits == 64 || value >> bits == 0 {
        return Ok(());
    }
    Err(PacketError(Reason::Wide { field: field.name, value, bits }))
}

/// Returns the number of cleanups (work between the end of a launch and the report of its end) for
/// the launches of one packet. The last launch has one, and each other launch that needs its own
/// (seed 002, a patent). 0 without launches.
#[must_use]
#[doc(hidden)]
pub fn cleanups(launches: &[LaunchImage]) -> u32 {
    let Some((_, others)) = launches.split_last() else { return 0 };
    1 + others.iter().filter(|launch| launch.asks_cleanup()).count() as u32
}
