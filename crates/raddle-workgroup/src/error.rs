//! Which settings and calls does the crate refuse, and why?

use alloc::format;

use raddle_policy::{ErrorKind, LaunchId, ProcessId, Resource, SettingError};

/// The reason why a configuration, or a call to a part of the crate, is refused. A call that
/// returns it has changed nothing.
///
/// Indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct Error(pub(crate) Reason);

impl Error {
    /// Returns the error that a search for free granules does not suit a resource, such as a group
    /// size that does not divide it.
    pub(crate) fn search(resource: Resource, cause: impl Into<SearchFault>) -> Self {
        Self(Reason::SearchRule { resource, cause: cause.into() })
    }

    /// Returns the kind of the error, so that a program can decide how to go on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::ZeroShare { .. }
            | Reason::NoChannels
            | Reason::NoRetry
            | Reason::NoLevels
            | Reason::NoWindows
            | Reason::ZeroWindow { .. }
            | Reason::LevelOutside { .. }
            | Reason::ChannelOutside { .. }
            | Reason::NoWaves
            | Reason::NoUnits
            | Reason::ZeroLimit
            | Reason::UnitOutside { .. }
            | Reason::WaveCount { .. }
            | Reason::NoWeight
            | Reason::NoShare
            | Reason::History { .. }
            | Reason::NoCycles
            | Reason::SearchRule { .. }
            | Reason::NoClock => ErrorKind::OutOfRange,
            Reason::SearchKeys { .. }
            | Reason::NoGroups
            | Reason::TwoUnits { .. }
            | Reason::ChannelOrder { .. }
            | Reason::OtherTarget
            | Reason::RowLength { .. }
            | Reason::RowCount { .. } => ErrorKind::Inconsistent,
            Reason::Score { .. } | Reason::Issues { .. } => ErrorKind::Overflow,
            Reason::TooManyChannels { .. } => ErrorKind::NoRoom,
            Reason::Stale { .. }
            | Reason::Held { .. }
            | Reason::NotHeld { .. }
            | Reason::CycleBefore { .. }
            | Reason::TakeBeyond { .. }
            | Reason::GiveBeyond { .. }
            | Reason::NotMeasured { .. } => ErrorKind::State,
            #[cfg(not(feature = "circuit"))]
            Reason::NoCircuit => ErrorKind::Unsupported,
        }
    }
}

impl From<Error> for SettingError {
    /// Returns the error of a setting that this error stands for: of the share of one process where
    /// that is 0, else of the settings as a whole.
    fn from(error: Error) -> Self {
        match error.0 {
            Reason::ZeroShare { process } => Self::new(
                format!("shares[{}]", process.0),
                "a share of 0 leaves its process no compute unit: give 1 or more",
            ),
            other => Self::new("", other),
        }
    }
}

/// Reason why a search for free granules does not suit a resource: the rule of the search itself,
/// or its circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SearchFault {
    #[error(transparent)]
    Map(#[from] raddle_bitmap::Error),
    #[error("sample {at} is not above the one before: give them strictly ascending")]
    SampleOrder { at: usize },
}

/// Reason of an error, with the values that its message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    // Policies.
    #[error("{process} has a share of 0, so it could never run: give 1 or more")]
    ZeroShare { process: ProcessId },
    #[error("{} cannot be searched so: {cause}", resource.name())]
    SearchRule {
        resource: Resource,
        #[source]
        cause: SearchFault,
    },
    #[error("both `{}` and `{}` are given for {}: give one of them", keys[0], keys[1], resource.name())]
    SearchKeys { resource: Resource, keys: [&'static str; 2] },
    #[error("neither the number of groups nor their size is given: give `groups` or `size`")]
    NoGroups,
    #[error("both `{}` and `{}` are given: give one of them", keys[0], keys[1])]
    TwoUnits { keys: [&'static str; 2] },
    #[error("the clock of the dispatcher is not known: give `clock-mhz` of 1 or more")]
    NoClock,
    #[cfg(not(feature = "circuit"))]
    #[error(
        "the circuit model, which says how many clocks a search takes, is not built in: build raddle-workgroup with its feature `circuit`"
    )]
    NoCircuit,
    #[error("no channels leave streams nowhere to wait: give 1 or more, or leave it out")]
    NoChannels,
    #[error(
        "a time of 0 between two rounds of `split`: rounds would follow each other without end, give 1 or more"
    )]
    NoRetry,

    // The allocator.
    #[error("the plan for workgroup {workgroup} of {launch} is out of date: probe again")]
    Stale { launch: LaunchId, workgroup: u64 },
    #[error("workgroup {workgroup} of {launch} lies on the device already: release it first")]
    Held { launch: LaunchId, workgroup: u64 },
    #[error("workgroup {workgroup} of {launch} does not lie on the device: release each once")]
    NotHeld { launch: LaunchId, workgroup: u64 },

    // Order.
    #[error("an order of no levels: give at least 1")]
    NoLevels,
    #[error("no window: give one for each level")]
    NoWindows,
    #[error("window {at} has 0 ticks, its level would never be best: give 1 or more")]
    ZeroWindow { at: usize },
    #[error("level {level} is not there, {levels} are: fold it to the last")]
    LevelOutside { level: usize, levels: usize },
    #[error("channel {channel} is not there, {channels} are: fold it, or make more")]
    ChannelOutside { channel: usize, channels: usize },
    #[error("no memory for marks of {channels} channels at {levels} levels: fold them")]
    TooManyChannels { levels: usize, channels: usize },
    #[error("tied channel {at} of the list is not above the one before it: sort them")]
    ChannelOrder { at: usize },

    // Split and balance.
    #[error("a workgroup without waves: give at least 1")]
    NoWaves,
    #[error("a balance over no SIMDs: give at least 1")]
    NoUnits,
    #[error("a SIMD that takes 0 waves: give a limit of 1 or more")]
    ZeroLimit,
    #[error("SIMD {unit} is not there, {units} are: begin at a lower one")]
    UnitOutside { unit: u32, units: u32 },
    #[error("{count} waves are not in the split table: give 1 to {most}")]
    WaveCount { count: u64, most: u64 },
    #[error("the target is not of this pointer as it stands: ask the pointer for another")]
    OtherTarget,

    // Place.
    #[error("no weight is above 0: give at least one")]
    NoWeight,
    #[error("row {row} has {amounts} amounts, {weights} are wanted: one a weight")]
    RowLength { row: usize, amounts: usize, weights: usize },
    #[error("the score of row {row} is beyond 64 bits: give smaller weights")]
    Score { row: usize },
    #[error("both shares of a mix are 0: give at least one")]
    NoShare,
    #[error("{free} rows of free amounts and {power} of instruction counts: one each a candidate")]
    RowCount { free: usize, power: usize },
    #[error("2 to the power of {power} ticks are more than are counted: give 63 or less")]
    History { power: u8 },
    #[error("a window of 0 cycles sees nothing: give 1 or more")]
    NoCycles,
    #[error("cycle {cycle} comes after cycle {latest}: give cycles in order")]
    CycleBefore { cycle: u64, latest: u64 },
    #[error("more instructions of kind {kind} in a cycle than 64 bits count")]
    Issues { kind: usize },
    #[error("{wanted} wanted, {free} free: wait for more, or take less")]
    TakeBeyond { wanted: u64, free: u64 },
    #[error("{given} given back, {taken} taken: give back each once")]
    GiveBeyond { given: u64, taken: u64 },
    #[error("the power of kind {kind} could not be measured: measure again")]
    NotMeasured { kind: usize },
}
