//! What does one launch say, whatever packet brought it?

use core::fmt;

use crate::error::Error;
use crate::format::Format;

/// The fields of a launch, each where its packet has it; every other byte is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(align(16))]
pub struct Launch<const BYTES: usize> {
    pub(crate) image: [u8; BYTES],
}

impl<const BYTES: usize> Default for Launch<BYTES> {
    fn default() -> Self {
        Self { image: [0; BYTES] }
    }
}

impl<const BYTES: usize> fmt::Debug for Launch<BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Launch(")?;
        self.image.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}

impl<const BYTES: usize> Launch<BYTES> {
    /// The fields of a packet, without what is reserved.
    ///
    /// # Errors
    /// When a byte that widens a field is not 0.
    #[inline]
    pub(crate) fn of(packet: &[u8; BYTES], format: &Format<BYTES>) -> Result<Self, Error> {
        let mut launch = Self::default();
        launch.read(packet, format)?;
        Ok(launch)
    }

    /// The same, in place.
    #[inline]
    pub(crate) fn read(
        &mut self,
        packet: &[u8; BYTES],
        format: &Format<BYTES>,
    ) -> Result<(), Error> {
        for ((to, from), ours) in self.image.iter_mut().zip(packet).zip(format.ours()) {
            *to = from & ours;
        }
        if format.has_spare() {
            let mut spare = 0;
            for (from, beside) in packet.iter().zip(format.spare()) {
                spare |= from & beside;
            }
            if spare != 0 {
                return Err(self.widened(packet, format));
            }
        }
        Ok(())
    }

    /// Which field a packet has more of than fits.
    #[cold]
    fn widened(&self, packet: &[u8; BYTES], format: &Format<BYTES>) -> Error {
        for (number, field) in format.fields().iter().enumerate() {
            let behind = usize::from(field.offset) + usize::from(field.bytes);
            let spare = packet.iter().skip(behind).take(field.spare.into());
            let high = spare.rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            if high != 0 {
                let value = high << field.bits() | self.get(format, number);
                return Error::Wide { field: field.name, value, bits: field.bits() };
            }
        }
        Error::NoKernels
    }

    /// A word of 64 bits of the packet; 0 where there is none.
    #[inline]
    pub(crate) fn word(&self, number: usize) -> u64 {
        let word = self.image.as_chunks::<8>().0.get(number);
        word.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// The value of field `number` of the format; 0 where there is no such field.
    #[must_use]
    pub fn get(&self, format: &Format<BYTES>, number: usize) -> u64 {
        let field = format.at(number);
        let at = usize::from(field.offset);
        let bytes = self.image.get(at..at + usize::from(field.bytes)).unwrap_or(&[]);
        let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
        if number < format.fields().len() { value } else { 0 }
    }

    /// Gives field `number` of the format a value.
    ///
    /// # Errors
    /// When there is no such field, or it is too narrow.
    pub fn set(&mut self, format: &Format<BYTES>, number: usize, value: u64) -> Result<(), Error> {
        let fields = format.fields();
        let field = fields.get(number).ok_or(Error::NoField {
            field: u16::try_from(number).unwrap_or(u16::MAX),
            fields: fields.len() as u16,
        })?;
        if field.bits() < 64 && value >> field.bits() != 0 {
            return Err(Error::Wide { field: field.name, value, bits: field.bits() });
        }
        let at = usize::from(field.offset);
        if let Some(to) = self.image.get_mut(at..at + usize::from(field.bytes)) {
            to.copy_from_slice(&value.to_le_bytes()[..usize::from(field.bytes)]);
        }
        Ok(())
    }

    /// An ordinary packet of this launch.
    #[must_use]
    #[inline]
    pub fn dispatch(&self, format: &Format<BYTES>) -> [u8; BYTES] {
        let mut packet = self.image;
        packet[0] = format.types.dispatch;
        packet
    }

    /// A reference packet of this launch for entry `ref_num`.
    ///
    /// # Errors
    /// When the table has no such entry.
    pub fn reference(&self, format: &Format<BYTES>, ref_num: u16) -> Result<[u8; BYTES], Error> {
        if ref_num >= format.entries {
            return Err(Error::RefNum { ref_num, entries: format.entries });
        }
        let mut packet = self.image;
        packet[0] = format.types.reference;
        let at = format.ref_num_at;
        packet[at..at + 2].copy_from_slice(&ref_num.to_le_bytes());
        Ok(packet)
    }

    /// Whether it asks for a cleanup of its own (B13): its completion signal is not 0, or its
    /// release scope is not.
    #[must_use]
    pub fn asks_cleanup(&self, format: &Format<BYTES>) -> bool {
        self.get(format, format.signal()) != 0
            || self.get(format, format.scopes()) & RELEASE_SCOPE != 0
    }

    /// The fields in which it differs from another, as a vector.
    #[must_use]
    #[inline]
    pub fn differs(&self, other: &Self, format: &Format<BYTES>) -> u32 {
        let mut vector = 0;
        let ours = self.image.as_chunks::<8>().0.iter();
        for (word, (a, b)) in ours.zip(other.image.as_chunks::<8>().0).enumerate() {
            let differs = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
            if differs != 0 {
                vector |= format.named(word, differs);
            }
        }
        vector
    }
}

/// Bits 3 and 4 of the scopes (HSA).
const RELEASE_SCOPE: u64 = 0b11000;
