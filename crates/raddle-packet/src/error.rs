//! What is malformed: a packet, a value, a format?

use core::fmt;

use crate::spec::Types;

/// What to do where a format is not that of AQL.
const BY_NUMBER: &str = "take its fields by number, with Launch::get and Launch::set";

/// What is malformed. Half-words are counted from the first one behind a condensed packet's
/// header, kernels and fields from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Bytes of another length than a packet has.
    Length {
        /// How many there are.
        found: usize,
        /// How many a packet has.
        wanted: usize,
    },
    /// A type that the format does not have.
    Type {
        /// The first byte.
        found: u8,
        /// Those that it has.
        types: Types,
    },
    /// A packet of another type than the one wanted.
    OtherType {
        /// The first byte.
        found: u8,
        /// The type wanted.
        wanted: u8,
    },
    /// A packet of another type where a barrier is wanted.
    NotBarrier {
        /// The first byte.
        found: u8,
        /// The types of the format.
        types: Types,
    },
    /// A barrier that the format does not have.
    NoBarrier {
        /// Whether it is the one for which one signal is enough.
        any: bool,
        /// The types of the format.
        types: Types,
    },
    /// AQL fields, by name, in a format that has others.
    NotAql {
        /// The first that differs, by its number.
        field: u16,
        /// What the format has there; empty if it has no such field.
        found: &'static str,
        /// What AQL packets have there; empty if they have no such field.
        wanted: &'static str,
    },
    /// A launch with more in it than the fields of the format: it was made by another.
    OtherFormat {
        /// The first byte beside all fields that is not 0.
        at: u16,
    },
    /// A condensed packet of no kernel.
    NoKernels,
    /// More kernels than half-words.
    NoHeader {
        /// The first kernel without a header.
        kernel: u16,
        /// Half-words of the packet.
        half_words: u16,
    },
    /// A value that lies behind the last half-word.
    PastEnd {
        /// Of which kernel.
        kernel: u16,
        /// Which field.
        field: &'static str,
        /// Half-words of the packet.
        half_words: u16,
    },
    /// An entry that nothing has been stored in.
    EmptyEntry {
        /// Of which kernel.
        kernel: u16,
        /// Which.
        ref_num: u16,
    },
    /// An entry that the table does not have.
    RefNum {
        /// Which.
        ref_num: u16,
        /// How many the table has.
        entries: u16,
    },
    /// A bit of a difference that names no field.
    UnknownBit {
        /// Of which kernel.
        kernel: u16,
        /// The vector.
        vector: u32,
    },
    /// A half-word of a field of one byte with more in it.
    HighByte {
        /// Of which kernel.
        kernel: u16,
        /// Which field.
        field: &'static str,
    },
    /// A value wider than its field.
    Wide {
        /// Which field.
        field: &'static str,
        /// The value.
        value: u64,
        /// Bits of the field.
        bits: u8,
    },
    /// A kernel that the packet has no room for.
    Full {
        /// Half-words with it.
        wanted: u16,
        /// Half-words of the packet.
        half_words: u16,
    },
    /// A list with fewer places than the packet has launches.
    Short {
        /// How many places there are.
        places: usize,
        /// How many launches.
        wanted: usize,
    },
    /// A field that the format does not have.
    NoField {
        /// Its number.
        field: u16,
        /// How many there are.
        fields: u16,
    },
    /// A format that cannot be.
    Format(FormatFault),
    /// A setting outside its range.
    Setting {
        /// Its key.
        key: &'static str,
        /// What it is.
        found: u16,
        /// The most that it may be; the least is 1.
        most: u16,
    },
    /// A search that would take too long.
    TooLarge {
        /// What is too many of.
        what: &'static str,
        /// How many there are, at least.
        found: usize,
        /// How many there may be.
        most: usize,
    },
}

/// Why a format cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatFault {
    /// A packet whose bytes are no multiple of 8, or beyond 512.
    Size(usize),
    /// Two kinds of packet with one type.
    Types(u8),
    /// No fields, or more than a difference can name.
    Fields(usize),
    /// A field that is not of 1, 2, 4 or 8 bytes, not aligned, outside the packet, or upon something else.
    Place(&'static str),
    /// A field that has, with the bytes behind it that must be 0, more than 8.
    Spare(&'static str),
    /// A header of a difference that is not of 1 or 2 half-words or too small for number and vector, or a
    /// number of more than 16 bits.
    Header,
    /// Fewer entries than 1, or more than numbers for them.
    Entries(u16),
    /// A condensed packet in which all fields of one kernel have no room.
    Room(u16),
    /// A role without its field.
    Role,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found, wanted } => {
                write!(f, "a packet has {wanted} bytes, these are {found}: give whole packets")
            }
            Self::Type { found, types } => write!(
                f,
                "packet type {found} is none of this format, which has {types}: check what the packet is, or the type numbers of the format"
            ),
            Self::OtherType { found, wanted } => {
                write!(f, "packet type {found} where {wanted} is wanted: check what the packet is")
            }
            Self::NoKernels => {
                f.write_str("num_kernels is 0: a condensed packet launches at least 1 kernel")
            }
            Self::NoHeader { kernel, half_words } => write!(
                f,
                "kernel {kernel}: no room for a diff header behind diff_values[{}]: num_kernels is too large",
                half_words.saturating_sub(1)
            ),
            Self::PastEnd { kernel, field, half_words } => write!(
                f,
                "kernel {kernel}: field {field} runs past diff_values[{}]: split the packet",
                half_words.saturating_sub(1)
            ),
            Self::EmptyEntry { kernel, ref_num } => write!(
                f,
                "kernel {kernel}: empty reference entry {ref_num}: send a reference packet for it first"
            ),
            Self::RefNum { ref_num, entries } => write!(
                f,
                "ref_num {ref_num} is not in a table of {entries}: use 0 to {}",
                entries.saturating_sub(1)
            ),
            Self::UnknownBit { kernel, vector } => {
                write!(f, "kernel {kernel}: vector {vector:#x} names a field that is not there")
            }
            Self::HighByte { kernel, field } => {
                write!(f, "kernel {kernel}: the high byte of {field} must be 0")
            }
            Self::Wide { field, value, bits } => {
                write!(f, "{field} has {bits} bits, {value:#x} needs more: give a smaller one")
            }
            Self::Full { wanted, half_words } => {
                write!(f, "diff needs {wanted} half-words, only {half_words}: begin another packet")
            }
            Self::Format(fault) => fault.fmt(f),
            _ => self.asked(f),
        }
    }
}

impl Error {
    /// What a caller asked for that cannot be.
    fn asked(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBarrier { found, types } => write!(
                f,
                "packet type {found} where a barrier is wanted, and this format has {types}: check what the packet is"
            ),
            Self::NoBarrier { any, types } => write!(
                f,
                "no type for a barrier-{} in this format, which has {types}: give it one",
                if *any { "or" } else { "and" }
            ),
            Self::NotAql { field, found: "", wanted } => write!(
                f,
                "no field {field} in this format, where AQL packets have {wanted}: {BY_NUMBER}"
            ),
            Self::NotAql { field, found, wanted: "" } => write!(
                f,
                "field {field} of this format is {found}, and AQL packets have no such field: {BY_NUMBER}"
            ),
            Self::NotAql { field, found, wanted } if found == wanted => write!(
                f,
                "field {field} of this format, {found}, lies elsewhere or has another width in AQL packets: {BY_NUMBER}"
            ),
            Self::NotAql { field, found, wanted } => write!(
                f,
                "field {field} of this format is {found}, where AQL packets have {wanted}: {BY_NUMBER}"
            ),
            Self::OtherFormat { at } => write!(
                f,
                "byte {at} of the launch is in no field of this format and not 0: read it by the format that it was made by"
            ),
            Self::Short { places, wanted } => write!(
                f,
                "{wanted} launches have no room in a list of {places}: give one of as many places"
            ),
            Self::NoField { field, fields } => {
                write!(f, "there is no field {field} among {fields}: count from 0")
            }
            Self::Setting { key, found, most } => {
                write!(f, "{key} = {found} is outside 1 to {most}: give a number in there")
            }
            Self::TooLarge { what, found, most } => write!(
                f,
                "an optimal search over {found} {what} or more, at most {most}: take a shorter trace or a smaller table"
            ),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for FormatFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(bytes) => {
                write!(f, "a packet of {bytes} bytes: give a multiple of 8 from 8 to 512")
            }
            Self::Types(found) => write!(
                f,
                "packet type {found} stands for two kinds: only dispatch and reference may share one"
            ),
            Self::Fields(found) => write!(f, "{found} fields: give 1 to 29"),
            Self::Place(field) => write!(
                f,
                "field {field} must have 1, 2, 4 or 8 bytes, aligned, in the packet, by itself"
            ),
            Self::Spare(field) => {
                write!(f, "field {field} must have at most 8 bytes with the spare ones behind it")
            }
            Self::Header => f.write_str(
                "a diff header has 1 or 2 half-words, at most 16 bits for the number of the entry and a bit for each field beside it",
            ),
            Self::Entries(entries) => {
                write!(f, "{entries} entries: give at least 1, and no more than the header can name")
            }
            Self::Room(half_words) => {
                write!(f, "{half_words} half-words: give as many as all fields of a kernel take")
            }
            Self::Role => f.write_str("scopes, kernel and signal must be fields of the format"),
        }
    }
}

impl core::error::Error for Error {}
impl core::error::Error for FormatFault {}

impl From<FormatFault> for Error {
    fn from(fault: FormatFault) -> Self {
        Self::Format(fault)
    }
}
