//! Which settings and calls does the crate refuse, and why?

use alloc::format;

use raddle_policy::{ErrorKind, LaunchId, ProcessId, Resource, SettingError};

/// The reason why a configuration, or a call to a part of the crate, is refused. A call that
/// returns it has changed nothing.
///
/// Indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) Reason);

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.0 {
            Reason::SearchRule { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

impl Error {
    /// Returns the error that a resource cannot be searched for free granules by the rule in the
    /// settings: for example, because a group size does not divide the number of granules.
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
    /// Converts the error to that of a setting: of one process's share where that share is 0, else
    /// of the settings as a whole.
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

/// Reason why a resource cannot be searched for free granules by the rule in the settings: an error
/// of the granule maps or search circuits, or lengths that do not ascend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchFault {
    Map(raddle_bitmap::Error),
    SampleOrder { at: usize },
}

raddle_policy::texts! { SearchFault:
    Map(error) => "{error}";
    SampleOrder { at } => "sample {at} is not above the one before: give them strictly ascending";
}

impl core::error::Error for SearchFault {}

impl From<raddle_bitmap::Error> for SearchFault {
    fn from(error: raddle_bitmap::Error) -> Self {
        Self::Map(error)
    }
}

/// Reason of an error, with the values that its message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    // Policies.
    ZeroShare {
        process: ProcessId,
    },
    SearchRule {
        resource: Resource,
        cause: SearchFault,
    },
    SearchKeys {
        resource: Resource,
        keys: [&'static str; 2],
    },
    NoGroups,
    TwoUnits {
        keys: [&'static str; 2],
    },
    NoClock,
    #[cfg(not(feature = "circuit"))]
    NoCircuit,
    NoChannels,
    NoRetry,

    // The allocator.
    Stale {
        launch: LaunchId,
        workgroup: u64,
    },
    Held {
        launch: LaunchId,
        workgroup: u64,
    },
    NotHeld {
        launch: LaunchId,
        workgroup: u64,
    },

    // Order.
    NoLevels,
    NoWindows,
    ZeroWindow {
        at: usize,
    },
    LevelOutside {
        level: usize,
        levels: usize,
    },
    ChannelOutside {
        channel: usize,
        channels: usize,
    },
    TooManyChannels {
        levels: usize,
        channels: usize,
    },
    ChannelOrder {
        at: usize,
    },

    // Split and balance.
    NoWaves,
    NoUnits,
    ZeroLimit,
    UnitOutside {
        unit: u32,
        units: u32,
    },
    WaveCount {
        count: u64,
        most: u64,
    },
    OtherTarget,

    // Place.
    NoWeight,
    RowLength {
        row: usize,
        amounts: usize,
        weights: usize,
    },
    Score {
        row: usize,
    },
    NoShare,
    RowCount {
        free: usize,
        power: usize,
    },
    History {
        power: u8,
    },
    NoCycles,
    CycleBefore {
        cycle: u64,
        latest: u64,
    },
    Issues {
        kind: usize,
    },
    TakeBeyond {
        wanted: u64,
        free: u64,
    },
    GiveBeyond {
        given: u64,
        taken: u64,
    },
    NotMeasured {
        kind: usize,
    },
}

raddle_policy::texts! { Reason:
    ZeroShare { process } => "{process} has a share of 0, so it could never run: give 1 or more";
    SearchRule { resource, cause } => "{} cannot be searched so: {cause}", resource.name();
    SearchKeys { resource, keys } =>
        "both `{}` and `{}` are given for {}: give one of them", keys[0], keys[1], resource.name();
    NoGroups => "neither the number of groups nor their size is given: give `groups` or `size`";
    TwoUnits { keys } => "both `{}` and `{}` are given: give one of them", keys[0], keys[1];
    NoClock => "the clock of the dispatcher is not known: give `clock-mhz` of 1 or more";
    #[cfg(not(feature = "circuit"))]
    NoCircuit =>
        "the circuit model, which says how many clocks a search takes, is not built in: build raddle-workgroup with its feature `circuit`";
    NoChannels => "no channels leave streams nowhere to wait: give 1 or more, or leave it out";
    NoRetry =>
        "a time of 0 between two rounds of `split`: rounds would follow each other without end, give 1 or more";
    Stale { launch, workgroup } =>
        "the plan for workgroup {workgroup} of {launch} is out of date: probe again";
    Held { launch, workgroup } =>
        "workgroup {workgroup} of {launch} lies on the device already: release it first";
    NotHeld { launch, workgroup } =>
        "workgroup {workgroup} of {launch} does not lie on the device: release each once";
    NoLevels => "an order of no levels: give at least 1";
    NoWindows => "no window: give one for each level";
    ZeroWindow { at } => "window {at} has 0 ticks, its level would never be best: give 1 or more";
    LevelOutside { level, levels } =>
        "level {level} is not there, {levels} are: fold it to the last";
    ChannelOutside { channel, channels } =>
        "channel {channel} is not there, {channels} are: fold it, or make more";
    TooManyChannels { levels, channels } =>
        "no memory for marks of {channels} channels at {levels} levels: fold them";
    ChannelOrder { at } =>
        "tied channel {at} of the list is not above the one before it: sort them";
    NoWaves => "a workgroup without waves: give at least 1";
    NoUnits => "a balance over no SIMDs: give at least 1";
    ZeroLimit => "a SIMD that takes 0 waves: give a limit of 1 or more";
    UnitOutside { unit, units } => "SIMD {unit} is not there, {units} are: begin at a lower one";
    WaveCount { count, most } => "{count} waves are not in the split table: give 1 to {most}";
    OtherTarget => "the target is not of this pointer as it stands: ask the pointer for another";
    NoWeight => "no weight is above 0: give at least one";
    RowLength { row, amounts, weights } =>
        "row {row} has {amounts} amounts, {weights} are wanted: one a weight";
    Score { row } => "the score of row {row} is beyond 64 bits: give smaller weights";
    NoShare => "both shares of a mix are 0: give at least one";
    RowCount { free, power } =>
        "{free} rows of free amounts and {power} of instruction counts: one each a candidate";
    History { power } =>
        "2 to the power of {power} ticks are more than are counted: give 63 or less";
    NoCycles => "a window of 0 cycles sees nothing: give 1 or more";
    CycleBefore { cycle, latest } =>
        "cycle {cycle} comes after cycle {latest}: give cycles in order";
    Issues { kind } => "more instructions of kind {kind} in a cycle than 64 bits count";
    TakeBeyond { wanted, free } => "{wanted} wanted, {free} free: wait for more, or take less";
    GiveBeyond { given, taken } => "{given} given back, {taken} taken: give back each once";
    NotMeasured { kind } => "the power of kind {kind} could not be measured: measure again";
}
