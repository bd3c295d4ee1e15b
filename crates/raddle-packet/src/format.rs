//! Where does which field of a packet lie, and how are differences written?
//!
//! A description ([`Spec`](crate::Spec)) that has been checked, with what follows from it worked out.
//! Bytes are little-endian. Half-words have 16 bits.

use crate::aql::{AQL_BYTES, FIELDS, not_aql};
use crate::error::{Error, FormatFault};
use crate::spec::{Field, HalfWords, HeaderBits, Spec, Types};

/// Fields that a format can have at most: a header of 32 bits has room for so many beside a number.
pub const MAX_FIELDS: usize = 29;
/// Words of 64 bits that a packet can have at most.
const MAX_WORDS: usize = 64;

/// A layout that has been checked.
///
/// It is a value of 1,384 bytes for AQL packets on a 64-bit machine and 1,024 on a 32-bit one; agent
/// and encoder keep a copy each (their sizes are in the README of the crate).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format<const BYTES: usize> {
    pub(crate) types: Types,
    half_words: HalfWords,
    header_bits: HeaderBits,
    header_half_words: u8,
    ref_bits: u8,
    pub(crate) entries: u16,
    count: u8,
    scopes: u8,
    kernel: u8,
    signal: u8,
    pub(crate) ref_num_at: usize,
    pub(crate) num_kernels_at: usize,
    pub(crate) diff_values_at: usize,
    capacity: u16,
    fields: [Field; MAX_FIELDS],
    /// Of each field, in its word.
    masks: [u64; MAX_FIELDS],
    /// The fields in each word, as a vector.
    words: [u32; MAX_WORDS],
    /// Fields of one byte.
    narrow: u32,
    /// Every field.
    whole: u32,
    /// Bytes of fields are 0xff, all others 0.
    ours: [u8; BYTES],
    /// Bytes that must be 0 are 0xff, all others 0.
    spare: [u8; BYTES],
    has_spare: bool,
    plain: bool,
    aql: bool,
    /// The word of the kernel's name, and its mask there.
    kernel_word: usize,
    kernel_mask: u64,
}

/// No field.
const NONE: Field = Field { name: "", offset: 0, bytes: 2, spare: 0 };

impl<const BYTES: usize> Format<BYTES> {
    /// The format of this description.
    ///
    /// # Errors
    /// When it contradicts itself; see [`FormatFault`].
    pub fn new(spec: &Spec<'_>) -> Result<Self, Error> {
        if BYTES == 0 || !BYTES.is_multiple_of(8) || BYTES / 8 > MAX_WORDS {
            return Err(FormatFault::Size(BYTES).into());
        }
        let count = spec.fields.len();
        if count == 0 || count > MAX_FIELDS {
            return Err(FormatFault::Fields(count).into());
        }
        spec.types.check()?;
        let header = u32::from(spec.header_half_words) * 16;
        let too_small = u32::from(spec.ref_bits) + count as u32 > header;
        if !matches!(header, 16 | 32) || too_small || spec.ref_bits > 16 {
            return Err(FormatFault::Header.into());
        }
        let named = 1_u32.checked_shl(spec.ref_bits.into()).unwrap_or(u32::MAX);
        if spec.entries == 0 || u32::from(spec.entries) > named {
            return Err(FormatFault::Entries(spec.entries).into());
        }
        if [spec.scopes, spec.kernel, spec.signal].iter().any(|&role| usize::from(role) >= count) {
            return Err(FormatFault::Role.into());
        }
        let mut format = Self {
            types: spec.types,
            half_words: spec.half_words,
            header_bits: spec.header_bits,
            header_half_words: spec.header_half_words,
            ref_bits: spec.ref_bits,
            entries: spec.entries,
            count: count as u8,
            scopes: spec.scopes,
            kernel: spec.kernel,
            signal: spec.signal,
            ref_num_at: spec.ref_num_at.into(),
            num_kernels_at: spec.num_kernels_at.into(),
            diff_values_at: spec.diff_values_at.into(),
            capacity: 0,
            fields: [NONE; MAX_FIELDS],
            masks: [0; MAX_FIELDS],
            words: [0; MAX_WORDS],
            narrow: 0,
            whole: u32::MAX >> (32 - count),
            ours: [0; BYTES],
            spare: [0; BYTES],
            has_spare: false,
            plain: spec.header_half_words == 1
                && spec.ref_bits == 3
                && matches!(spec.half_words, HalfWords::LowFirst)
                && matches!(spec.header_bits, HeaderBits::LowFirst),
            aql: BYTES == AQL_BYTES && not_aql(spec.fields).is_none(),
            kernel_word: 0,
            kernel_mask: 0,
        };
        format.place(spec.fields)?;
        Ok(format)
    }

    /// Enters the fields, and checks that nothing lies upon anything else.
    fn place(&mut self, fields: &[Field]) -> Result<(), FormatFault> {
        // The type, and in a reference packet the number of the entry.
        let mut taken = [false; BYTES];
        taken[0] = true;
        for at in self.ref_num_at..self.ref_num_at.saturating_add(2) {
            match taken.get_mut(at) {
                Some(taken) if !*taken => *taken = true,
                _ => return Err(FormatFault::Place("ref_num")),
            }
        }
        let (counted, diffs) = (self.num_kernels_at, self.diff_values_at);
        if counted == 0 || counted >= diffs || diffs >= BYTES || !diffs.is_multiple_of(2) {
            return Err(FormatFault::Place("num_kernels"));
        }
        self.capacity = ((BYTES - diffs) / 2) as u16;
        for (number, field) in fields.iter().enumerate() {
            let (at, bytes) = (usize::from(field.offset), usize::from(field.bytes));
            let aligned = matches!(bytes, 1 | 2 | 4 | 8) && at.is_multiple_of(bytes.max(1));
            let end = at.saturating_add(bytes).saturating_add(field.spare.into());
            if !aligned || end > BYTES {
                return Err(FormatFault::Place(field.name));
            }
            for (position, taken) in taken.iter_mut().enumerate().take(end).skip(at) {
                if core::mem::replace(taken, true) {
                    return Err(FormatFault::Place(field.name));
                }
                let mask = if position < at + bytes { &mut self.ours } else { &mut self.spare };
                mask[position] = 0xff;
            }
            self.has_spare |= field.spare > 0;
            self.fields[number] = *field;
            self.masks[number] = (u64::MAX >> (64 - 8 * bytes)) << (8 * (at % 8));
            self.words[at / 8] |= 1 << number;
            self.narrow |= u32::from(bytes == 1) << number;
        }
        if let Some(field) = fields.iter().find(|field| field.spare > 8 - field.bytes) {
            return Err(FormatFault::Spare(field.name));
        }
        let kernel = self.kernel();
        self.kernel_word = usize::from(self.fields[kernel].offset) / 8;
        self.kernel_mask = self.masks[kernel];
        if self.cost(self.whole) > self.capacity {
            return Err(FormatFault::Room(self.capacity));
        }
        Ok(())
    }

    /// The fields, in the order of their bits.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields[..usize::from(self.count)]
    }

    /// The number of a field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<usize> {
        self.fields().iter().position(|field| field.name == name)
    }

    /// Whether its fields are those of AQL packets, each at its place;
    /// [`narrow_private`](crate::AqlOptions::narrow_private) or not. So far
    /// [`KernelDispatch`](crate::KernelDispatch), [`Reference`](crate::Reference) and
    /// [`Barrier`](crate::Barrier) go.
    #[must_use]
    pub const fn is_aql(&self) -> bool {
        self.aql
    }

    /// As [`is_aql`](Self::is_aql), and the first field that is another.
    pub(crate) fn check_aql(&self) -> Result<(), Error> {
        if self.aql {
            return Ok(());
        }
        // Fields of AQL packets have no room in others.
        let field = not_aql(self.fields()).unwrap_or(0);
        let name = |fields: &[Field]| fields.get(field).map_or("", |field| field.name);
        let (found, wanted) = (name(self.fields()), name(&FIELDS));
        Err(Error::NotAql { field: field as u16, found, wanted })
    }

    /// Type numbers.
    #[must_use]
    pub const fn types(&self) -> Types {
        self.types
    }

    /// Entries of the table.
    #[must_use]
    pub const fn entries(&self) -> u16 {
        self.entries
    }

    /// Half-words of a condensed packet.
    #[must_use]
    pub const fn capacity(&self) -> u16 {
        self.capacity
    }

    /// Every field, as a vector.
    #[must_use]
    pub const fn whole(&self) -> u32 {
        self.whole
    }

    /// Fields of one byte, as a vector.
    pub(crate) const fn narrow(&self) -> u32 {
        self.narrow
    }

    /// Half-words of the header of a difference.
    pub(crate) const fn header(&self) -> u16 {
        self.header_half_words as u16
    }

    /// Which field holds the scopes.
    pub(crate) const fn scopes(&self) -> usize {
        self.scopes as usize
    }

    /// Which field names the code.
    pub(crate) const fn kernel(&self) -> usize {
        self.kernel as usize
    }

    /// Which field is the completion signal.
    pub(crate) const fn signal(&self) -> usize {
        self.signal as usize
    }

    /// A field of the format.
    #[inline]
    pub(crate) fn at(&self, number: usize) -> &Field {
        // The list is as long as vectors have bits, and padded.
        self.fields.get(number).unwrap_or(&NONE)
    }

    pub(crate) const fn ours(&self) -> &[u8; BYTES] {
        &self.ours
    }

    pub(crate) const fn has_spare(&self) -> bool {
        self.has_spare
    }

    pub(crate) const fn spare(&self) -> &[u8; BYTES] {
        &self.spare
    }

    /// The fields that have a bit of `differs` in the word of that number.
    #[inline]
    pub(crate) fn named(&self, word: usize, differs: u64) -> u32 {
        let here = self.words.get(word).copied().unwrap_or(0);
        if here & here.wrapping_sub(1) == 0 {
            return here;
        }
        let (mut left, mut vector) = (here, 0);
        while left != 0 {
            let number = left.trailing_zeros();
            let mask = self.masks.get(number as usize).copied().unwrap_or(0);
            vector |= u32::from(mask & differs != 0) << number;
            left &= left - 1;
        }
        vector
    }

    /// The word of a launch that the name of its kernel lies in, and the bits of it there.
    #[inline]
    pub(crate) const fn kernel_at(&self) -> (usize, u64) {
        (self.kernel_word, self.kernel_mask)
    }

    pub(crate) const fn low_first(&self) -> bool {
        matches!(self.half_words, HalfWords::LowFirst)
    }

    /// Half-words of a difference in these fields, with its header.
    #[must_use]
    #[inline]
    pub fn cost(&self, vector: u32) -> u16 {
        let (mut left, mut cost) = (vector & self.whole, u16::from(self.header_half_words));
        while left != 0 {
            cost += self.at(left.trailing_zeros() as usize).half_words();
            left &= left - 1;
        }
        cost
    }

    /// The header of a difference, in its low 16 or 32 bits.
    #[must_use]
    #[inline]
    pub const fn pack(&self, ref_num: u16, vector: u32) -> u32 {
        match self.header_bits {
            HeaderBits::LowFirst => ref_num as u32 | vector << self.ref_bits,
            HeaderBits::HighFirst => {
                let all = self.header_half_words as u32 * 16;
                let below = all - self.ref_bits as u32;
                // A number of no bits is always 0, and a shift by all of them is none.
                let number = if below == 32 { 0 } else { (ref_num as u32) << below };
                number | vector << (below - self.count as u32)
            }
        }
    }

    /// Whether headers are one half-word with a number of three bits lowest, and values lowest
    /// first: the default, for which the ways that are taken most are written out.
    #[inline]
    pub(crate) const fn is_plain(&self) -> bool {
        self.plain
    }

    /// Number and vector of a header; the vector has what lies in its place, also above the fields.
    #[must_use]
    #[inline]
    pub const fn unpack(&self, header: u32) -> (u16, u32) {
        let all = self.header_half_words as u32 * 16;
        let bits = self.ref_bits as u32;
        let number = ((1_u64 << bits) - 1) as u32;
        match self.header_bits {
            HeaderBits::LowFirst => {
                ((header & number) as u16, if bits == 32 { 0 } else { header >> bits })
            }
            HeaderBits::HighFirst => {
                let below = all - bits;
                let free = below - self.count as u32;
                let rest = header & (((1_u64 << below) - 1) as u32);
                let ref_num = if below == 32 { 0 } else { header >> below } as u16;
                // Bits below the vector are as strange as bits above it.
                let strange = rest & ((1_u32 << free) - 1) != 0;
                (ref_num, if strange { u32::MAX } else { rest >> free })
            }
        }
    }
}
