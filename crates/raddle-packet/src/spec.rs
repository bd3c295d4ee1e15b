//! What is a format made of, before anybody has checked it?
//!
//! Everything that another packet could have otherwise: type numbers, the order of half-words and
//! bits, the list of fields, the places of the numbers.

use core::fmt;

use crate::error::FormatFault;

/// A field of a launch: bit `i` of a difference is field `i` of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, as the seed spells it.
    pub name: &'static str,
    /// Where it begins, in bytes from the beginning of the packet.
    pub offset: u16,
    /// Its bytes: 1, 2, 4 or 8.
    pub bytes: u8,
    /// Bytes behind it that must be 0 in a packet.
    pub spare: u8,
}

impl Field {
    /// Half-words of its value in a difference.
    #[must_use]
    pub const fn half_words(&self) -> u16 {
        (self.bytes as u16).div_ceil(2)
    }

    /// Its bits.
    #[must_use]
    pub const fn bits(&self) -> u8 {
        self.bytes.saturating_mul(8)
    }
}

/// The order of the half-words of a value of 32 or 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HalfWords {
    /// The least significant one first: the value as it lies in little-endian memory (B3).
    #[default]
    LowFirst,
    /// The most significant one first.
    HighFirst,
}

/// Where the number of the entry lies in the header of a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeaderBits {
    /// In the lowest bits, the vector above it (B4).
    #[default]
    LowFirst,
    /// In the highest bits, the vector below it.
    HighFirst,
}

/// Type numbers: the first byte of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types {
    /// An ordinary dispatch packet.
    pub dispatch: u8,
    /// A reference packet; where it is that of `dispatch`, every dispatch packet stores (B11).
    pub reference: u8,
    /// A condensed packet.
    pub condensed: u8,
    /// A barrier that waits for all of its signals, where the format has one.
    pub barrier_and: Option<u8>,
    /// A barrier that waits for one of its signals, where the format has one.
    pub barrier_or: Option<u8>,
}

/// What a format is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec<'f> {
    /// Type numbers.
    pub types: Types,
    /// The order of half-words.
    pub half_words: HalfWords,
    /// The order in the header of a difference.
    pub header_bits: HeaderBits,
    /// Half-words of that header: 1 or 2.
    pub header_half_words: u8,
    /// Bits of the number of an entry in it.
    pub ref_bits: u8,
    /// Entries of the table.
    pub entries: u16,
    /// The fields, in the order of their bits.
    pub fields: &'f [Field],
    /// Which field holds acquire and release scope; its bits 3 and 4 are the release scope.
    pub scopes: u8,
    /// Which field names the code.
    pub kernel: u8,
    /// Which field is the completion signal.
    pub signal: u8,
    /// Where a reference packet has the number of its entry, 16 bits.
    pub ref_num_at: u16,
    /// Where a condensed packet has the number of its kernels, 8 bits.
    pub num_kernels_at: u16,
    /// Where the half-words of a condensed packet begin; they go to its end.
    pub diff_values_at: u16,
}

/// "dispatch 2, reference 7, condensed 6, barrier-and 3, no barrier-or".
impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dispatch, reference, condensed, barrier_and, barrier_or } = self;
        if dispatch == reference {
            write!(f, "dispatch and reference {dispatch}, condensed {condensed}, ")?;
        } else {
            write!(f, "dispatch {dispatch}, reference {reference}, condensed {condensed}, ")?;
        }
        match (barrier_and, barrier_or) {
            (None, None) => f.write_str("no barriers"),
            (Some(and), Some(or)) => write!(f, "barrier-and {and}, barrier-or {or}"),
            (Some(and), None) => write!(f, "barrier-and {and}, no barrier-or"),
            (None, Some(or)) => write!(f, "no barrier-and, barrier-or {or}"),
        }
    }
}

impl Types {
    /// No two kinds of packet are told apart by one number, but those that may be.
    pub(crate) const fn check(&self) -> Result<(), FormatFault> {
        let Self { dispatch, reference, condensed, barrier_and, barrier_or } = *self;
        if condensed == dispatch || condensed == reference {
            return Err(FormatFault::Types(condensed));
        }
        if let Some(and) = barrier_and
            && (and == dispatch || and == reference || and == condensed)
        {
            return Err(FormatFault::Types(and));
        }
        if let Some(or) = barrier_or {
            let and = matches!(barrier_and, Some(and) if and == or);
            if and || or == dispatch || or == reference || or == condensed {
                return Err(FormatFault::Types(or));
            }
        }
        Ok(())
    }
}
