//! Why does a map or a search refuse an argument?

/// Kind of an [`Error`]. The error's text says which value is at fault and what to do; texts may
/// change, kinds stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is outside its range.
    OutOfRange,
    /// Arguments contradict each other, or do not suit the map or search that they are given to.
    Inconsistent,
    /// Blocks that are to be taken are not all free, or blocks that are to be given back are not
    /// all taken.
    State,
    /// The circuit asked for does not exist in the seed (the design document).
    Unsupported,
}

/// Reason why a free map or a search refuses an argument; nothing has changed then.
///
/// Positions and lengths are in blocks, indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct Error(pub(crate) Reason);

impl Error {
    /// Returns the kind of the error, by which a program decides how to go on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::OutOfRange { .. }
            | Reason::NoBlocks
            | Reason::TooManyBlocks { .. }
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

    /// Returns the number, from 0, of the period of a shared search (one of several maps in turn)
    /// that is at fault; `None` where it is no single one.
    #[must_use]
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

    /// Returns the number, from 0, of the slot (range for one map) of that period that is at fault;
    /// `None` where it is no single one.
    #[must_use]
    pub const fn slot(&self) -> Option<usize> {
        match self.0 {
            Reason::BordersOverlap { at, .. }
            | Reason::BordersExceed { at, .. }
            | Reason::SlotTooNarrow { at, .. } => Some(at),
            _ => None,
        }
    }
}

/// Reason of an error of a free map or a search, with the values that its message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    #[error("{len} blocks from {start} are not all free any more: search again")]
    Taken { start: u32, len: u32 },
    #[error("{len} blocks from {start} are not all taken: release what was taken, once")]
    NotTaken { start: u32, len: u32 },
    #[error("{len} blocks from {start} do not lie in a map of {blocks}: use the map of the plan")]
    OutOfRange { start: u32, len: u32, blocks: u32 },
    #[error("a plan for {len} blocks from {start} is of another map: commit it where it was made")]
    OtherMap { start: u32, len: u32 },
    #[error("there is no block: give at least 1")]
    NoBlocks,
    #[error("{blocks} blocks are too many here: give at most {most}")]
    TooManyBlocks { blocks: u64, most: u32 },
    #[error("byte {at} is neither 0 nor 1: give digits only")]
    NotADigit { at: usize },
    #[error("{blocks} blocks take {} words, not {words}: give as many", blocks.div_ceil(64))]
    WordCount { words: usize, blocks: u32 },
    #[error(
        "a bit past the last of {blocks} blocks would be free: clear the rest of the last word"
    )]
    StrayBits { blocks: u32 },
    #[error("{groups} groups of {blocks} blocks: give 1 to one less than the blocks")]
    GroupCount { groups: u32, blocks: u32 },
    #[error("{groups} groups do not divide {blocks} blocks evenly: give a divisor of {blocks}")]
    UnevenGroups { groups: u32, blocks: u32 },
    #[error(
        "groups of {size} do not divide {blocks} blocks evenly: give a divisor of {blocks} from 2 on"
    )]
    GroupSize { size: u32, blocks: u32 },
    #[error("no length is sampled: give at least one")]
    NoSamples,
    #[error("sample {at} is not above the one before: give them strictly ascending")]
    SampleOrder { at: usize },
    #[error("sample {at} is {k}, with {blocks} blocks: give values below that")]
    SampleRange { at: usize, k: u32, blocks: u32 },
    #[error("the search is for {search} blocks, the map has {map}: make one for its size")]
    OtherSize { search: u32, map: u32 },
    #[error("a bound of {bound} blocks is above the width of {width}: lower it")]
    BoundAboveWidth { bound: u32, width: u32 },
    #[error(
        "{periods} periods, borders for {borders}: give at least one period, and borders for each"
    )]
    PeriodCount { periods: usize, borders: usize },
    #[error("period {period} serves nothing: give each period a kind of resource")]
    EmptyPeriod { period: usize },
    #[error("kind {id} comes twice in a round: name each once")]
    KindTwice { id: u32 },
    #[error(
        "the kinds of period {period} have {sum} blocks, the bound is {bound}: spread them over more periods"
    )]
    SumAboveBound { period: usize, sum: u64, bound: u32 },
    #[error("period {period} has {slots} slots for {kinds} kinds: give one each (halves are two)")]
    SlotCount { period: usize, slots: usize, kinds: usize },
    #[error(
        "slot {at} of period {period} begins before the one before it ends: give rising borders"
    )]
    BordersOverlap { period: usize, at: usize },
    #[error("slot {at} of period {period} ends past the width of {width}: move its borders in")]
    BordersExceed { period: usize, at: usize, width: u32 },
    #[error("slot {at} of period {period} has {slot} positions for {blocks} blocks: widen it")]
    SlotTooNarrow { period: usize, at: usize, blocks: u32, slot: u32 },
    #[error(
        "{maps} maps for the {slots} slots of period {period}: give one each, of a period of the round"
    )]
    MapCount { period: usize, slots: usize, maps: usize },
    #[error("there is no map {at}: the bank has {maps}, counted from 0")]
    NoSuchMap { at: usize, maps: usize },
    #[error("{maps} maps are more than any memory holds: give fewer")]
    TooManyMaps { maps: usize },
    #[cfg(feature = "circuit")]
    #[error(
        "the seed has one set of gates for all steps in the grouped search only: ask for one or three clocks"
    )]
    NoSuchTiming,
}
