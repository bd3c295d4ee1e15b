//! Why is a packet, a value, a packet format or a setting refused as malformed?

use raddle_policy::ErrorKind;

use crate::packet_types::{HALF_WORDS, PacketTypes};

/// Error about a malformed packet, value, format or setting. Half-words in its text are counted
/// from the first one behind a condensed packet's header; kernels and fields are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketError(pub(crate) Reason);

impl core::fmt::Display for PacketError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for PacketError {}

impl PacketError {
    /// Returns the kind of the error, so that a program can decide how to go on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::Type { .. }
            | Reason::OtherType { .. }
            | Reason::NotBarrier { .. }
            | Reason::NoBarrier { .. }
            | Reason::NoKernels
            | Reason::NoHeader { .. }
            | Reason::PastEnd { .. }
            | Reason::RefNum { .. }
            | Reason::HighByte { .. }
            | Reason::Wide { .. }
            | Reason::NoField { .. }
            | Reason::Entries(..)
            | Reason::Slots(..)
            | Reason::EmptySlot => ErrorKind::OutOfRange,
            Reason::EmptyEntry { .. } | Reason::SharedType(..) => ErrorKind::Inconsistent,
            #[cfg(feature = "alloc")]
            Reason::Setting { .. } => ErrorKind::OutOfRange,
            Reason::Full { .. } => ErrorKind::NoRoom,
            Reason::NotReserved { .. } => ErrorKind::State,
        }
    }
}

/// Reason of a [`PacketError`], with the values that the error message shows. `kernel` is the
/// number of a kernel in its condensed packet, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A packet of a type that the packet format does not have.
    Type { found: u8, types: PacketTypes },
    /// A packet of the type `found`, where a packet of the type `wanted` was to be read.
    OtherType { found: u8, wanted: u8 },
    /// A packet of another type where a barrier packet (holds back the packets after it until
    /// signals are given) is wanted.
    NotBarrier { found: u8, types: PacketTypes },
    /// A barrier packet (holds back the packets after it until signals are given) for which the
    /// packet format has no packet type. With `any` it waits for one of its signals, else for all
    /// of them.
    NoBarrier { any: bool, types: PacketTypes },
    /// A condensed packet (several launches, as differences from stored ones) that holds no launch.
    NoKernels,
    /// A condensed packet that announces more kernels than its half-words can hold; `kernel` is the
    /// number of the first kernel without room.
    NoHeader { kernel: u16 },
    /// A value of a condensed packet that would reach beyond the packet's last half-word.
    PastEnd { kernel: u16, field: &'static str },
    /// A condensed packet that names an entry of the agent's table in which no launch has been
    /// stored.
    EmptyEntry { kernel: u16, ref_num: u16 },
    /// An entry number that the agent's table does not have; `entries` is the number of its
    /// entries.
    RefNum { ref_num: u16, entries: u16 },
    /// A half-word (16 bits) of a condensed packet that stands for a field of one byte, but has a
    /// high byte other than 0.
    HighByte { kernel: u16, field: &'static str },
    /// A value of a launch that has more bits than the packet field for which it is meant.
    Wide { field: &'static str, value: u64, bits: u8 },
    /// A kernel for which a condensed packet has no room. With it the packet would take `wanted`
    /// half-words (16 bits).
    Full { wanted: u16 },
    /// A field number that no field of a launch has.
    NoField { number: usize },
    /// A packet format in which two kinds of packet have this type number.
    SharedType(u8),
    /// A packet format whose agents have a reference table with fewer than 1 or more than 8
    /// entries.
    Entries(u16),
    /// A ring with a number of slots that is not a power of two.
    Slots(usize),
    /// A packet for a slot of the ring that was not reserved, or that has a packet already.
    NotReserved { index: u64 },
    /// A packet to be sent whose type is the one that marks a slot of the ring as empty.
    EmptySlot,
    #[cfg(feature = "alloc")]
    /// A setting `key` of the launch path that is 0 or above `most`.
    Setting { key: &'static str, found: u16, most: u16 },
}

raddle_policy::texts! { Reason:
    Type { found, types } =>
        "packet type {found} is none of this format, which has {types}: check what the packet is, or the type numbers of the format";
    OtherType { found, wanted } =>
        "packet type {found} where {wanted} is wanted: check what the packet is";
    NotBarrier { found, types } =>
        "packet type {found} where a barrier is wanted, and this format has {types}: check what the packet is";
    NoBarrier { any, types } =>
        "no type for a barrier-{} in this format, which has {types}: give it one", if *any { "or" } else { "and" };
    NoKernels => "num_kernels is 0: a condensed packet launches at least 1 kernel";
    NoHeader { kernel } =>
        "kernel {kernel}: no room for a diff header behind diff_values[{}]: num_kernels is too large", HALF_WORDS - 1;
    PastEnd { kernel, field } =>
        "kernel {kernel}: field {field} runs past diff_values[{}]: split the packet", HALF_WORDS - 1;
    EmptyEntry { kernel, ref_num } =>
        "kernel {kernel}: empty reference entry {ref_num}: send a reference packet for it first";
    RefNum { ref_num, entries } =>
        "ref_num {ref_num} is not in a table of {entries}: use 0 to {}", entries.saturating_sub(1);
    HighByte { kernel, field } => "kernel {kernel}: the high byte of {field} must be 0";
    Wide { field, value, bits } =>
        "{field} has {bits} bits, {value:#x} needs more: give a smaller one";
    Full { wanted } => "diff needs {wanted} half-words, only {HALF_WORDS}: begin another packet";
    NoField { number } => "there is no field {number} among 13: count from 0";
    SharedType(number) =>
        "packet type {number} stands for two kinds: only dispatch and reference may share one";
    Entries(count) => "{count} entries: give 1 to 8";
    Slots(count) => "a ring of {count} slots: give a power of two";
    NotReserved { index } =>
        "packet {index} is not to be published: reserve it first, and publish it once";
    EmptySlot => "packet type 1 marks an empty slot: publish another packet";
    #[cfg(feature = "alloc")]
    Setting { key, found, most } =>
        "{key} = {found} is outside 1 to {most}: give a number in there";
}

#[cfg(feature = "alloc")]
impl From<PacketError> for raddle_policy::SettingError {
    fn from(error: PacketError) -> Self {
        match error.0 {
            Reason::Setting { key, found, most } => {
                Self::new(key, alloc::format!("it cannot be {found}: give 1 to {most}"))
            }
            other => Self::new("", other),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let types = crate::AqlConfig::default().types;
        let no_barriers = PacketTypes { barrier_and: None, barrier_or: None, ..types };
        let errors = [
            Reason::Type { found: 9, types },
            Reason::Type { found: 3, types: no_barriers },
            Reason::Type {
                found: 3,
                types: PacketTypes { reference: 2, barrier_and: None, ..types },
            },
            Reason::OtherType { found: 9, wanted: 2 },
            Reason::NotBarrier { found: 2, types: PacketTypes { barrier_or: None, ..types } },
            Reason::NoBarrier { any: true, types: PacketTypes { barrier_or: None, ..types } },
            Reason::NoKernels,
            Reason::EmptyEntry { kernel: 2, ref_num: 4 },
            Reason::RefNum { ref_num: 8, entries: 8 },
            Reason::Wide { field: "setup", value: 65536, bits: 16 },
            Reason::NoField { number: 13 },
            Reason::SharedType(2),
            Reason::Entries(9),
            Reason::Setting { key: "ahead", found: 32, most: 31 },
        ];
        let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
        insta::assert_snapshot!(text.join("\n"));
    }
}
