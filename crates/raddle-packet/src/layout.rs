//! Where do the fields of an AQL packet lie, and how is the difference of two launches written?
//!
//! The layout is that of seed 002, Tables 1, 2, 4 and 5, aligned as in C. Offsets equal those of
//! the public HSA headers, whose 16-bit field `header` is here a byte of type and a byte of scopes.
//! Bytes are little-endian; a half-word has 16 bits.

use core::ops::Range;

use crate::error::PacketError;
use crate::error::Reason;
use crate::packet_types::{AQL_BYTES, AQL_ENTRIES, AqlPacket, PacketTypes};

/// Byte offset in a packet of the memory scopes (`synch_scopes`). The constants below it are the
/// offsets of other fields.
pub(crate) const SCOPES_AT: usize = 1;
pub(crate) const NUM_KERNELS_AT: usize = 1;
pub(crate) const DIFF_VALUES_AT: usize = 2;
pub(crate) const REF_NUM_AT: usize = 10;
pub(crate) const DEP_SIGNALS: Range<usize> = 8..48;
pub(crate) const COMPLETION_SIGNAL_AT: usize = 56;

/// Number of the field of the memory scopes (`synch_scopes`). The constants below it are the
/// numbers of the other fields that the code reads by number.
pub(crate) const SCOPES: usize = 0;
pub(crate) const PRIVATE_SIZE: usize = 8;
pub(crate) const KERNEL_OBJECT: usize = 10;
pub(crate) const COMPLETION_SIGNAL: usize = 12;

/// Field of a launch in an AQL packet. Sets of fields are stored as bits: bit `i` stands for field
/// `i` of [`AqlFormat::fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct AqlField {
    pub(crate) name: &'static str,
    pub(crate) offset: usize,
    pub(crate) bytes: usize,
}

impl AqlField {
    /// Returns the name of the field, as seed 002 (a patent) spells it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the byte offset of the field in a dispatch or reference packet.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the width of the field in bytes: 1, 2, 4 or 8.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl AqlField {
    /// Returns the number of half-words (16 bits) that the value of the field takes in a condensed
    /// packet.
    #[must_use]
    pub const fn half_words(&self) -> usize {
        self.bytes.div_ceil(2)
    }

    /// Returns the width of the field in bits.
    #[must_use]
    pub const fn bits(&self) -> u8 {
        8 * self.bytes as u8
    }

    /// Returns the byte range of the field in a dispatch or reference packet.
    #[inline]
    pub(crate) const fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.bytes
    }
}

const fn field(name: &'static str, offset: usize, bytes: usize) -> AqlField {
    AqlField { name, offset, bytes }
}

/// Fields of a launch, 13 of them. In a bit set of fields, bit 0 is synch_scopes and bit 12 is
/// completion_signal.
pub(crate) static FIELDS: [AqlField; 13] = [
    field("synch_scopes", SCOPES_AT, 1),
    field("setup", 2, 2),
    field("workgroup_size_x", 4, 2),
    field("workgroup_size_y", 6, 2),
    field("workgroup_size_z", 8, 2),
    field("grid_size_x", 12, 4),
    field("grid_size_y", 16, 4),
    field("grid_size_z", 20, 4),
    field("private_segment_size", 24, 4),
    field("group_segment_size", 28, 4),
    field("kernel_object", 32, 8),
    field("kernarg_address", 40, 8),
    field("completion_signal", COMPLETION_SIGNAL_AT, 8),
];

/// Fields of a launch as in [`FIELDS`], but with 16 instead of 32 bits for private_segment_size.
static NARROW_FIELDS: [AqlField; 13] = {
    let mut fields = FIELDS;
    fields[PRIVATE_SIZE].bytes = 2;
    fields
};

/// Bits of all fields of a launch: bit `i` is field `i`.
pub(crate) const ALL_FIELDS: u16 = (1 << FIELDS.len()) - 1;

/// Returns the bits of the fields that are `bytes` bytes wide: bit `i` is field `i`.
const fn fields_of(bytes: usize) -> u16 {
    let (mut vector, mut number) = (0, 0);
    while number < FIELDS.len() {
        vector |= ((FIELDS[number].bytes == bytes) as u16) << number;
        number += 1;
    }
    vector
}

/// Mask over the bytes of a dispatch packet: bytes that belong to a field of a launch are 0xff, all
/// others 0.
pub(crate) static FIELD_BYTES: AqlPacket = {
    let (mut mask, mut number) = ([0; AQL_BYTES], 0);
    while number < FIELDS.len() {
        let (mut at, end) = (FIELDS[number].offset, FIELDS[number].offset + FIELDS[number].bytes);
        while at < end {
            mask[at] = 0xff;
            at += 1;
        }
        number += 1;
    }
    mask
};

/// Returns the numbers of the fields whose bits are set in `vector`, ascending.
#[inline]
pub(crate) fn fields_in(vector: u16) -> impl Iterator<Item = usize> {
    let mut left = vector;
    core::iter::from_fn(move || {
        let number = (left != 0).then_some(left.trailing_zeros() as usize);
        left &= left.wrapping_sub(1);
        number
    })
}

/// Returns the integer of at most 8 bytes in little-endian order.
#[inline]
pub(crate) fn integer(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// Order of two parts of a packet that seed 002 (a patent) leaves open: of the half-words of a
/// value, or of the entry number and the bits of the differing fields in a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PartOrder {
    /// For the half-words of a value: the least significant one first. For a header: the entry
    /// number in the lowest three bits, the bits of the differing fields above it.
    #[default]
    LowFirst,
    /// For the half-words of a value: the most significant one first. For a header: the entry
    /// number in the highest three bits, the bits of the differing fields below it.
    HighFirst,
}

/// Settings of the AQL packet format for the points that seed 002 (a patent) leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AqlConfig {
    /// Type numbers of the kinds of packets.
    pub(crate) types: PacketTypes,
    /// Order of the half-words (16 bits) of a value of 32 or 64 bits.
    pub(crate) half_words: PartOrder,
    /// Position of the entry number in the 16-bit header of a difference, which also has the bits
    /// of the differing fields.
    pub(crate) header_bits: PartOrder,
    /// True if private_segment_size has 16 bits instead of 32, as one reading of seed 002 (a
    /// patent) has it.
    pub(crate) narrow_private: bool,
    /// Number of launches that the agent's table can store, 1 to 8.
    pub(crate) entries: u16,
}

impl AqlConfig {
    /// Sets the type numbers of the kinds of packets.
    #[must_use]
    pub const fn with_types(mut self, types: PacketTypes) -> Self {
        self.types = types;
        self
    }

    /// Sets the order of the half-words (16 bits) of a value of 32 or 64 bits.
    #[must_use]
    pub const fn with_half_words(mut self, half_words: PartOrder) -> Self {
        self.half_words = half_words;
        self
    }

    /// Sets the position of the entry number in the 16-bit header of a difference, which also has
    /// the bits of the differing fields.
    #[must_use]
    pub const fn with_header_bits(mut self, header_bits: PartOrder) -> Self {
        self.header_bits = header_bits;
        self
    }

    /// Sets whether private_segment_size has 16 bits instead of 32, as one reading of seed 002 (a
    /// patent) has it.
    #[must_use]
    pub const fn with_narrow_private(mut self, narrow_private: bool) -> Self {
        self.narrow_private = narrow_private;
        self
    }

    /// Sets the number of launches that the agent's table can store, 1 to 8.
    #[must_use]
    pub const fn with_entries(mut self, entries: u16) -> Self {
        self.entries = entries;
        self
    }
}

impl Default for AqlConfig {
    fn default() -> Self {
        Self {
            types: PacketTypes {
                dispatch: 2,
                reference: 7,
                condensed: 6,
                barrier_and: Some(3),
                barrier_or: Some(5),
            },
            half_words: PartOrder::LowFirst,
            header_bits: PartOrder::LowFirst,
            narrow_private: false,
            entries: AQL_ENTRIES as u16,
        }
    }
}

/// Layout of AQL packets, made of settings that have been checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AqlFormat(AqlConfig);

impl AqlFormat {
    /// Checks the settings and returns the packet format that they describe.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) when two kinds of packet have one type
    /// number (but reference and dispatch may), [`OutOfRange`](crate::ErrorKind::OutOfRange) when
    /// `entries` is not 1 to 8.
    pub fn new(options: &AqlConfig) -> Result<Self, PacketError> {
        let PacketTypes { dispatch, reference, condensed, barrier_and, barrier_or } = options.types;
        let others = [Some(dispatch), Some(reference), Some(condensed), barrier_and];
        for (kind, before) in [(Some(condensed), 2), (barrier_and, 3), (barrier_or, 4)] {
            if let Some(kind) = kind
                && others[..before].contains(&Some(kind))
            {
                return Err(PacketError(Reason::SharedType(kind)));
            }
        }
        if !(1..=AQL_ENTRIES as u16).contains(&options.entries) {
            return Err(PacketError(Reason::Entries(options.entries)));
        }
        Ok(Self(*options))
    }

    /// Returns the fields of a launch, in the order of their bits.
    #[must_use]
    #[doc(hidden)]
    pub const fn fields(&self) -> &'static [AqlField; 13] {
        if self.0.narrow_private { &NARROW_FIELDS } else { &FIELDS }
    }

    /// Returns the number of the field with the name `name`; `None` where there is none.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<usize> {
        FIELDS.iter().position(|field| field.name == name)
    }

    /// Returns the type numbers of the kinds of packets.
    #[must_use]
    pub const fn types(&self) -> PacketTypes {
        self.0.types
    }

    /// Returns the number of launches that the agent's table can store, 1 to 8.
    #[must_use]
    pub const fn entries(&self) -> u16 {
        self.0.entries
    }

    /// Returns an error where the agent's reference table has no entry `ref_num`.
    pub(crate) const fn check_entry(&self, ref_num: u16) -> Result<(), PacketError> {
        if ref_num < self.0.entries {
            return Ok(());
        }
        Err(PacketError(Reason::RefNum { ref_num, entries: self.0.entries }))
    }

    /// Returns the size of a launch in a condensed packet, in half-words (16 bits), the header
    /// included. The launch differs from a stored launch, its entry in the agent's reference table,
    /// in the fields of `vector` (bit `i` is field `i`).
    #[must_use]
    #[inline]
    #[doc(hidden)]
    pub const fn cost(&self, vector: u16) -> u16 {
        const DOUBLE: u16 = fields_of(4);
        const QUADRUPLE: u16 = fields_of(8);
        let vector = vector & ALL_FIELDS;
        let narrow = (self.0.narrow_private as u16) << PRIVATE_SIZE;
        let more = (vector & DOUBLE & !narrow).count_ones() + 3 * (vector & QUADRUPLE).count_ones();
        (1 + vector.count_ones() + more) as u16
    }

    /// Returns the 16-bit header of a launch in a condensed packet. `ref_num` is the number of the
    /// launch's entry in the agent's reference table, and `vector` has a bit for each field that
    /// differs from that entry.
    #[must_use]
    #[inline]
    #[doc(hidden)]
    pub const fn pack(&self, ref_num: u16, vector: u16) -> u16 {
        match self.0.header_bits {
            PartOrder::LowFirst => vector << 3 | ref_num,
            PartOrder::HighFirst => ref_num << 13 | vector,
        }
    }

    /// Decodes the header of a launch in a condensed packet to (number of the entry of the agent's
    /// reference table, bits of the fields that differ from this entry).
    #[must_use]
    #[inline]
    #[doc(hidden)]
    pub const fn unpack(&self, header: u16) -> (u16, u16) {
        match self.0.header_bits {
            PartOrder::LowFirst => (header & 7, header >> 3),
            PartOrder::HighFirst => (header >> 13, header & ALL_FIELDS),
        }
    }

    /// Copies the value of a field between a launch and a condensed packet, with the half-words in
    /// the order of the packet format. `to` and `from` are both as long as the field.
    #[inline]
    pub(crate) fn copy_value(&self, to: &mut [u8], from: &[u8]) {
        to.copy_from_slice(from);
        if matches!(self.0.half_words, PartOrder::HighFirst) {
            to.as_chunks_mut::<2>().0.reverse();
        }
    }
}
