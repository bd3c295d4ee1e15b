//! What is malformed?
//!
//! Indices count from 0.

use core::fmt;

use raddle_policy::{LaunchId, ProcessId, Refusal, Resource};

/// What is malformed: a configuration, a request to an allocator, a kernel of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A process is given a share of 0.
    ZeroShare {
        /// Which.
        process: ProcessId,
    },
    /// Something of the plan has been taken since it was made; nothing has changed.
    Stale {
        /// For which launch.
        launch: LaunchId,
        /// For which workgroup.
        workgroup: u64,
    },
    /// The workgroup lies on the device already; nothing has changed.
    Held {
        /// Of which launch.
        launch: LaunchId,
        /// Which.
        workgroup: u64,
    },
    /// The workgroup does not lie on the device; nothing has changed.
    NotHeld {
        /// Of which launch.
        launch: LaunchId,
        /// Which.
        workgroup: u64,
    },
    /// A kernel without threads has no wave, so nothing to place.
    NoThreads,
    /// A kernel that not even an empty device takes.
    NeverFits(Refusal),
    /// A kernel that asks for more of something than can be counted.
    TooLarge {
        /// What: `threads`, `vgpr`, `sgpr` or `lds`.
        what: &'static str,
        /// How much of it, as it was given.
        given: u32,
    },
    /// A resource that cannot be searched in the way asked for.
    Search {
        /// Which.
        resource: Resource,
        /// Why not.
        cause: raddle_bitmap::Error,
    },
    /// Streams that are to be folded into no channels.
    NoChannels,
    /// Workgroups that may be cut, and no time between two rounds.
    NoRetry,
    /// An order of no levels.
    NoLevels,
    /// An order by windows without a window.
    NoWindows,
    /// A window of 0 ticks.
    ZeroWindow {
        /// Which.
        at: usize,
    },
    /// Another number of windows than of levels.
    WindowCount {
        /// Windows given.
        windows: usize,
        /// Levels that there are.
        levels: usize,
    },
    /// A level that there is not.
    LevelOutside {
        /// Which.
        level: usize,
        /// Levels that there are.
        levels: usize,
    },
    /// A channel that there is not.
    ChannelOutside {
        /// Which.
        channel: usize,
        /// Channels that there are.
        channels: usize,
    },
    /// More marks than memory holds.
    TooManyChannels {
        /// Levels asked for.
        levels: usize,
        /// Channels asked for.
        channels: usize,
    },
    /// Tied channels that do not ascend.
    ChannelOrder {
        /// Index of the first that is not above the one before it.
        at: usize,
    },
    /// A workgroup without waves.
    NoWaves,
    /// A balance over no SIMDs.
    NoUnits,
    /// A balance that no SIMD may carry a wave of.
    ZeroLimit,
    /// A pointer at a SIMD that there is not.
    UnitOutside {
        /// Which.
        unit: u32,
        /// SIMDs that there are.
        units: u32,
    },
    /// A number of waves that is not in the split table.
    WaveCount {
        /// How many.
        count: u64,
        /// How many there can be.
        most: u64,
    },
    /// The pointer has moved since the target was made, or the target is another's; nothing has
    /// changed.
    OtherTarget,
    /// Weights of which none is above 0.
    NoWeight,
    /// A row that is not as long as the weights, or as a window has kinds.
    RowLength {
        /// Which row; 0 where there is but one.
        row: usize,
        /// Amounts in it.
        amounts: usize,
        /// Weights, or kinds.
        weights: usize,
    },
    /// A score beyond u64.
    Score {
        /// Of which row; 0 where there is but one.
        row: usize,
    },
    /// A mix of which both shares are 0.
    NoShare,
    /// Not as many free amounts as instruction counts.
    RowCount {
        /// Rows of free amounts.
        free: usize,
        /// Rows of instruction counts.
        power: usize,
    },
    /// A sliding window of no cycles.
    NoCycles,
    /// A sliding window that was to be a power of two.
    NotPowerOfTwo {
        /// Its cycles.
        cycles: u64,
    },
    /// A cycle before the latest that the window has seen; nothing has changed.
    CycleBefore {
        /// Which.
        cycle: u64,
        /// The latest.
        latest: u64,
    },
    /// More instructions of a kind in one cycle than can be counted; nothing has changed.
    Issues {
        /// Which kind.
        kind: usize,
    },
    /// More taken than is free; nothing has changed.
    TakeBeyond {
        /// How much was wanted.
        wanted: u64,
        /// How much is free.
        free: u64,
    },
    /// More given back than was taken; nothing has changed.
    GiveBeyond {
        /// How much was given back.
        given: u64,
        /// How much is taken.
        taken: u64,
    },
    /// A kind whose power could not be measured.
    NotMeasured {
        /// Which.
        kind: usize,
    },
    /// A workgroup that has not one wave group a SIMD.
    GroupCount {
        /// Of which channel.
        channel: usize,
        /// Wave groups that it has.
        groups: usize,
        /// On which compute unit.
        cu: usize,
        /// SIMDs that it has.
        simds: usize,
    },
    /// A workgroup that wants a resource which a compute unit does not have.
    NoResource {
        /// Of which channel.
        channel: usize,
        /// On which compute unit.
        cu: usize,
        /// On which SIMD; `None` for one of the whole compute unit.
        simd: Option<usize>,
    },
    /// Waves to be balanced on a compute unit without a pointer.
    NoPointer {
        /// Which.
        cu: usize,
    },
    /// A workgroup that wants more of something than can be counted.
    Wanted {
        /// Of which channel.
        channel: usize,
    },
    /// Not one record a compute unit.
    RecordCount {
        /// Records given.
        records: usize,
        /// Compute units that there are.
        cus: usize,
    },
    /// A compute unit that there is not.
    CuOutside {
        /// Which.
        cu: usize,
        /// How many there are.
        cus: usize,
    },
    /// A decision older than the last change; nothing has changed.
    OldDecision,
    /// A map or a search refuses what is asked of it.
    Map(raddle_bitmap::Error),
}

impl Error {
    fn of_an_order(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLevels => f.write_str("an order of no levels: give at least 1"),
            Self::NoWindows => f.write_str("no window: give one for each level"),
            Self::ZeroWindow { at } => {
                write!(f, "window {at} has 0 ticks, its level would never be best: give 1 or more")
            }
            Self::WindowCount { windows, levels } => {
                write!(f, "{windows} windows for {levels} levels: give one for each level")
            }
            Self::LevelOutside { level, levels } => {
                write!(f, "level {level} is not there, {levels} are: fold it to the last")
            }
            Self::ChannelOutside { channel, channels } => {
                write!(f, "channel {channel} is not there, {channels} are: fold it, or make more")
            }
            Self::TooManyChannels { levels, channels } => {
                write!(
                    f,
                    "no memory for marks of {channels} channels at {levels} levels: fold them"
                )
            }
            Self::ChannelOrder { at } => {
                write!(f, "tied channel {at} of the list is not above the one before it: sort them")
            }
            Self::NoWaves => f.write_str("a workgroup without waves: give at least 1"),
            _ => self.of_a_balance(f),
        }
    }

    fn of_a_balance(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoUnits => f.write_str("a balance over no SIMDs: give at least 1"),
            Self::ZeroLimit => f.write_str("a SIMD that takes 0 waves: give a limit of 1 or more"),
            Self::UnitOutside { unit, units } => {
                write!(f, "SIMD {unit} is not there, {units} are: begin at a lower one")
            }
            Self::WaveCount { count, most } => {
                write!(f, "{count} waves are not in the split table: give 1 to {most}")
            }
            Self::OtherTarget => f.write_str(
                "the target is not of this pointer as it stands: ask the pointer for another",
            ),
            _ => self.of_a_score(f),
        }
    }

    fn of_a_score(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWeight => f.write_str("no weight is above 0: give at least one"),
            Self::RowLength { row, amounts, weights } => {
                write!(f, "row {row} has {amounts} amounts, {weights} are wanted: one a weight")
            }
            Self::Score { row } => {
                write!(f, "the score of row {row} is beyond 64 bits: give smaller weights")
            }
            Self::NoShare => f.write_str("both shares of a mix are 0: give at least one"),
            Self::RowCount { free, power } => write!(
                f,
                "{free} rows of free amounts and {power} of instruction counts: one each a candidate"
            ),
            Self::NotMeasured { kind } => {
                write!(f, "the power of kind {kind} could not be measured: measure again")
            }
            _ => self.of_a_count(f),
        }
    }

    fn of_a_count(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCycles => f.write_str("a window of 0 cycles sees nothing: give 1 or more"),
            Self::NotPowerOfTwo { cycles } => {
                write!(f, "a window of {cycles} cycles is no power of two: round it")
            }
            Self::CycleBefore { cycle, latest } => {
                write!(f, "cycle {cycle} comes after cycle {latest}: give cycles in order")
            }
            Self::Issues { kind } => {
                write!(f, "more instructions of kind {kind} in a cycle than 64 bits count")
            }
            Self::TakeBeyond { wanted, free } => {
                write!(f, "{wanted} wanted, {free} free: wait for more, or take less")
            }
            Self::GiveBeyond { given, taken } => {
                write!(f, "{given} given back, {taken} taken: give back each once")
            }
            _ => self.of_a_match(f),
        }
    }

    fn of_a_match(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GroupCount { channel, groups, cu, simds } => write!(
                f,
                "the head of channel {channel} has {groups} wave groups, compute unit {cu} has {simds} SIMDs: give one each"
            ),
            Self::NoResource { channel, cu, simd } => {
                write!(f, "the head of channel {channel} wants a resource that ")?;
                if let Some(simd) = simd {
                    write!(f, "SIMD {simd} of ")?;
                }
                write!(f, "compute unit {cu} does not have: name only what there is")
            }
            Self::NoPointer { cu } => write!(
                f,
                "compute unit {cu} has no pointer, so waves cannot be balanced there: give it one"
            ),
            Self::Wanted { channel } => write!(
                f,
                "the waves of the head of channel {channel} want more than 64 bits count: give less"
            ),
            Self::RecordCount { records, cus } => {
                write!(f, "{records} records of {cus} compute units: give one each")
            }
            Self::CuOutside { cu, cus } => {
                write!(f, "compute unit {cu} is not there, {cus} are: name one of them")
            }
            Self::OldDecision => {
                f.write_str("something has changed since the decision was made: decide again")
            }
            Self::Map(error) => fmt::Display::fmt(error, f),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroShare { process } => {
                write!(f, "{process} has a share of 0, so it could never run: give 1 or more")
            }
            Self::Stale { launch, workgroup } => write!(
                f,
                "the plan for workgroup {workgroup} of {launch} is out of date: probe again"
            ),
            Self::Held { launch, workgroup } => write!(
                f,
                "workgroup {workgroup} of {launch} lies on the device already: release it first"
            ),
            Self::NotHeld { launch, workgroup } => write!(
                f,
                "workgroup {workgroup} of {launch} does not lie on the device: release each once"
            ),
            Self::Search { resource, cause } => {
                write!(f, "{} cannot be searched so: {cause}", resource.name())
            }
            Self::NoRetry => f.write_str(
                "`retry-us = 0` of `split`: rounds would follow each other without end: give 1 or more",
            ),
            Self::NoChannels => f.write_str(
                "no channels leave streams nowhere to wait: give 1 or more, or leave it out",
            ),
            Self::NoThreads => f.write_str("a kernel without threads: give at least 1"),
            Self::NeverFits(refusal) => write!(f, "no workgroup can ever be placed: {refusal}"),
            Self::TooLarge { what, given } => {
                write!(f, "{what} = {given} is more than any compute unit could count: give less")
            }
            _ => self.of_an_order(f),
        }
    }
}

impl core::error::Error for Error {}
