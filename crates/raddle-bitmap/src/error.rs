//! Why does a map or a search refuse an argument?

/// Implements `Display` for the reasons of errors from a table of their texts, without another
/// crate.
macro_rules! texts {
    ($reasons:ident: $(
        $(#[$condition:meta])*
        $reason:ident $({ $($field:ident),* })? => $text:literal $(, $value:expr)*;
    )*) => {
        impl core::fmt::Display for $reasons {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self {$(
                    $(#[$condition])*
                    Self::$reason $({ $($field),* })? => write!(f, $text $(, $value)*),
                )*}
            }
        }
    };
}

/// Kind of an [`Error`]. The error's text says which value is wrong and what to do; texts may
/// change, kinds stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument of the call is outside its range, which the call's documentation gives.
    OutOfRange,
    /// Arguments of the call contradict each other, or do not suit the map or search to which they
    /// are given.
    Inconsistent,
    /// Blocks of the map that are to be taken are not all free, or blocks that are to be given back
    /// are not all taken.
    State,
    /// The patent (seed 000) has no search circuit of the form (search, polarity, direction of
    /// shifts) that was asked for.
    Unsupported,
}

/// Reason why a free map or a search refuses an argument; the map is unchanged then.
///
/// Positions and lengths are in blocks, indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) Reason);

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for Error {}

impl Error {
    /// Returns the kind of the error, by which a program decides how to go on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::OutOfRange { .. }
            | Reason::NoBlocks
            | Reason::TooManyBlocks { .. }
            | Reason::NoMemory { .. }
            | Reason::NotADigit { .. }
            | Reason::GroupCount { .. }
            | Reason::GroupSize { .. }
            | Reason::NoSamples
            | Reason::SampleRange { .. }
            | Reason::BoundAboveWidth { .. }
            | Reason::EmptyPeriod { .. }
            | Reason::NoSuchMap { .. }
            | Reason::TooManyMaps { .. } => ErrorKind::OutOfRange,
            Reason::OtherMap { .. }
            | Reason::WordCount { .. }
            | Reason::StrayBits { .. }
            | Reason::UnevenGroups { .. }
            | Reason::SampleOrder { .. }
            | Reason::OtherSize { .. }
            | Reason::PeriodCount { .. }
            | Reason::KindTwice { .. }
            | Reason::SumAboveBound { .. }
            | Reason::SlotCount { .. }
            | Reason::BordersOverlap { .. }
            | Reason::BordersExceed { .. }
            | Reason::SlotTooNarrow { .. }
            | Reason::MapCount { .. } => ErrorKind::Inconsistent,
            Reason::Taken { .. } | Reason::NotTaken { .. } => ErrorKind::State,
            #[cfg(feature = "circuit")]
            Reason::NoSuchTiming => ErrorKind::Unsupported,
        }
    }

    /// Returns the number, from 0, of the period of a shared finder to which the error refers;
    /// `None` where it refers to none. A period is a group of maps that are searched together.
    #[must_use]
    #[doc(hidden)]
    pub const fn period(&self) -> Option<usize> {
        match self.0 {
            Reason::EmptyPeriod { period }
            | Reason::SumAboveBound { period, .. }
            | Reason::SlotCount { period, .. }
            | Reason::BordersOverlap { period, .. }
            | Reason::BordersExceed { period, .. }
            | Reason::SlotTooNarrow { period, .. }
            | Reason::MapCount { period, .. } => Some(period),
            _ => None,
        }
    }

    /// Returns the index, from 0, of the slot in which the error lies; `None` where it lies in none.
    /// A slot is the range of blocks that belongs to one map of a period (a group of maps that are
    /// searched together); `period` returns which period.
    #[must_use]
    #[doc(hidden)]
    pub const fn slot(&self) -> Option<usize> {
        match self.0 {
            Reason::BordersOverlap { at, .. }
            | Reason::BordersExceed { at, .. }
            | Reason::SlotTooNarrow { at, .. } => Some(at),
            _ => None,
        }
    }
}

/// Reason of an error of a free map or a search, with the values that appear in the error's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Taken {
        start: u32,
        len: u32,
    },
    NotTaken {
        start: u32,
        len: u32,
    },
    OutOfRange {
        start: u32,
        len: u32,
        blocks: u32,
    },
    OtherMap {
        start: u32,
        len: u32,
    },
    NoBlocks,
    TooManyBlocks {
        blocks: u64,
        most: u32,
    },
    NoMemory {
        blocks: u32,
    },
    NotADigit {
        at: usize,
    },
    WordCount {
        words: usize,
        blocks: u32,
    },
    StrayBits {
        blocks: u32,
    },
    GroupCount {
        groups: u32,
        blocks: u32,
    },
    UnevenGroups {
        groups: u32,
        blocks: u32,
    },
    GroupSize {
        size: u32,
        blocks: u32,
    },
    NoSamples,
    SampleOrder {
        at: usize,
    },
    SampleRange {
        at: usize,
        k: u32,
        blocks: u32,
    },
    OtherSize {
        search: u32,
        map: u32,
    },
    BoundAboveWidth {
        bound: u32,
        width: u32,
    },
    PeriodCount {
        periods: usize,
        borders: usize,
    },
    EmptyPeriod {
        period: usize,
    },
    KindTwice {
        id: u32,
    },
    SumAboveBound {
        period: usize,
        sum: u64,
        bound: u32,
    },
    SlotCount {
        period: usize,
        slots: usize,
        kinds: usize,
    },
    BordersOverlap {
        period: usize,
        at: usize,
    },
    BordersExceed {
        period: usize,
        at: usize,
        width: u32,
    },
    SlotTooNarrow {
        period: usize,
        at: usize,
        blocks: u32,
        slot: u32,
    },
    MapCount {
        period: usize,
        slots: usize,
        maps: usize,
    },
    NoSuchMap {
        at: usize,
        maps: usize,
    },
    TooManyMaps {
        maps: usize,
    },
    #[cfg(feature = "circuit")]
    NoSuchTiming,
}

texts! { Reason:
    Taken { start, len } => "{len} blocks from {start} are not all free any more: search again";
    NotTaken { start, len } =>
        "{len} blocks from {start} are not all taken: release what was taken, once";
    OutOfRange { start, len, blocks } =>
        "{len} blocks from {start} do not lie in a map of {blocks}: use the map of the plan";
    OtherMap { start, len } =>
        "a plan for {len} blocks from {start} is of another map: commit it where it was made";
    NoBlocks => "there is no block: give at least 1";
    TooManyBlocks { blocks, most } => "{blocks} blocks are too many here: give at most {most}";
    NoMemory { blocks } => "{blocks} blocks take more memory than there is: give fewer";
    NotADigit { at } => "byte {at} is neither 0 nor 1: give digits only";
    WordCount { words, blocks } =>
        "{blocks} blocks take {} words, not {words}: give as many", blocks.div_ceil(64);
    StrayBits { blocks } =>
        "a bit past the last of {blocks} blocks would be free: clear the rest of the last word";
    GroupCount { groups, blocks } =>
        "{groups} groups of {blocks} blocks: give 1 to one less than the blocks";
    UnevenGroups { groups, blocks } =>
        "{groups} groups do not divide {blocks} blocks evenly: give a divisor of {blocks}";
    GroupSize { size, blocks } =>
        "groups of {size} do not divide {blocks} blocks evenly: give a divisor of {blocks} from 2 on";
    NoSamples => "no length is sampled: give at least one";
    SampleOrder { at } => "sample {at} is not above the one before: give them strictly ascending";
    SampleRange { at, k, blocks } =>
        "sample {at} is {k}, with {blocks} blocks: give values below that";
    OtherSize { search, map } =>
        "the search is for {search} blocks, the map has {map}: make one for its size";
    BoundAboveWidth { bound, width } =>
        "a bound of {bound} blocks is above the width of {width}: lower it";
    PeriodCount { periods, borders } =>
        "{periods} periods, borders for {borders}: give at least one period, and borders for each";
    EmptyPeriod { period } => "period {period} serves nothing: give each period a kind of resource";
    KindTwice { id } => "kind {id} comes twice in a round: name each once";
    SumAboveBound { period, sum, bound } =>
        "the kinds of period {period} have {sum} blocks, the bound is {bound}: spread them over more periods";
    SlotCount { period, slots, kinds } =>
        "period {period} has {slots} slots for {kinds} kinds: give one each (halves are two)";
    BordersOverlap { period, at } =>
        "slot {at} of period {period} begins before the one before it ends: give rising borders";
    BordersExceed { period, at, width } =>
        "slot {at} of period {period} ends past the width of {width}: move its borders in";
    SlotTooNarrow { period, at, blocks, slot } =>
        "slot {at} of period {period} has {slot} positions for {blocks} blocks: widen it";
    MapCount { period, slots, maps } =>
        "{maps} maps for the {slots} slots of period {period}: give one each, of a period of the round";
    NoSuchMap { at, maps } => "there is no map {at}: the bank has {maps}, counted from 0";
    TooManyMaps { maps } => "{maps} maps are more than any memory holds: give fewer";
    #[cfg(feature = "circuit")]
    NoSuchTiming =>
        "the seed has one set of gates for all steps in the grouped search only: ask for one or three clocks";
}
