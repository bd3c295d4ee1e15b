//! Why is something refused?

use core::fmt;

/// Why a map or a search refuses what it is given; nothing has changed then.
///
/// Positions and lengths are in blocks, indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A block of the planned run is taken: somebody else came first.
    Taken {
        /// First block of the run.
        start: u32,
        /// Its length.
        len: u32,
    },
    /// A block of the run to be released is free already.
    NotTaken {
        /// First block of the run.
        start: u32,
        /// Its length.
        len: u32,
    },
    /// The run reaches past the end of the map.
    OutOfRange {
        /// First block of the run.
        start: u32,
        /// Its length.
        len: u32,
        /// Blocks of the map.
        blocks: u32,
    },
    /// A map, a search or a kind of resource without a block.
    NoBlocks,
    /// More blocks than this form of a map, or this view, takes.
    TooManyBlocks {
        /// How many are asked for.
        blocks: u64,
        /// How many it takes.
        most: u32,
    },
    /// A character that is neither 0 nor 1.
    NotADigit {
        /// Which byte.
        at: usize,
    },
    /// Words too few or too many for the blocks.
    WordCount {
        /// How many words there are.
        words: usize,
        /// How many blocks they are to hold, 64 each.
        blocks: u32,
    },
    /// A bit behind the last block that is not the one of an occupied block.
    StrayBits {
        /// How many blocks there are.
        blocks: u32,
    },
    /// A number of groups that is not from 1 to one less than the blocks.
    GroupCount {
        /// How many groups.
        groups: u32,
        /// How many blocks.
        blocks: u32,
    },
    /// Groups that do not divide the blocks evenly.
    UnevenGroups {
        /// How many groups.
        groups: u32,
        /// How many blocks.
        blocks: u32,
    },
    /// No amount to look for.
    NoSamples,
    /// A list of samples that is not strictly ascending.
    SampleOrder {
        /// The first sample that is not above the one before.
        at: usize,
    },
    /// A sample that is not below the number of blocks.
    SampleRange {
        /// Its index.
        at: usize,
        /// Its value.
        k: u32,
        /// How many blocks.
        blocks: u32,
    },
    /// A map of another size than the search was made for.
    OtherSize {
        /// Blocks that the search is for.
        search: u32,
        /// Blocks of the map.
        map: u32,
    },
    /// A bound on the sum of blocks that is wider than the shared hardware.
    BoundAboveWidth {
        /// The bound, A.
        bound: u32,
        /// The width, E.
        width: u32,
    },
    /// No period, or borders for another number of them.
    PeriodCount {
        /// How many periods.
        periods: usize,
        /// For how many there are borders.
        borders: usize,
    },
    /// A period without a kind of resource.
    EmptyPeriod {
        /// Which one.
        period: usize,
    },
    /// A kind of resource twice in a round.
    KindTwice {
        /// Which one.
        id: u32,
    },
    /// More blocks in a period than the bound allows.
    SumAboveBound {
        /// Which period.
        period: usize,
        /// Blocks of its kinds.
        sum: u64,
        /// The bound, A.
        bound: u32,
    },
    /// Another number of slots than kinds in a period.
    SlotCount {
        /// Which period.
        period: usize,
        /// How many slots.
        slots: usize,
        /// How many kinds.
        kinds: usize,
    },
    /// A slot that begins before the one before it ends, or ends before it begins.
    BordersOverlap {
        /// Which period.
        period: usize,
        /// Which of its slots.
        at: usize,
    },
    /// A slot that ends past the shared width.
    BordersExceed {
        /// Which period.
        period: usize,
        /// Which of its slots.
        at: usize,
        /// The width.
        width: u32,
    },
    /// A slot too narrow for the map of its kind.
    SlotTooNarrow {
        /// Which period.
        period: usize,
        /// Which of its slots.
        at: usize,
        /// Blocks of the kind.
        blocks: u32,
        /// Positions of the slot.
        slot: u32,
    },
    /// Another number of maps than a period has slots.
    MapCount {
        /// Which period.
        period: usize,
        /// How many slots it has; 0 where there is no such period.
        slots: usize,
        /// How many maps there are.
        maps: usize,
    },
    /// A map that a bank does not have.
    NoSuchMap {
        /// Its index.
        at: usize,
        /// How many maps there are.
        maps: usize,
    },
    /// More maps in a bank than an address reaches.
    TooManyMaps {
        /// How many were asked for.
        maps: usize,
    },
    /// Not one place for an answer a map, in a batch.
    AnswerCount {
        /// How many maps there are.
        maps: usize,
        /// Places for answers.
        answers: usize,
    },
    /// Resources that do not all list the same places, in a comparison.
    PlaceCount {
        /// How many the first one lists.
        places: usize,
        /// How many another one lists.
        listed: usize,
    },
    /// Not one word of answers for 64 places a demand, in a comparison.
    WordsOfAnswers {
        /// How many are needed.
        needed: usize,
        /// How many there are.
        words: usize,
    },
    /// Request sizes or fill levels of a simulation that cannot be: see `Churn`.
    Churn,
    /// Blocks that are free in a share above 1, or a share of nothing.
    Share {
        /// The numerator.
        numerator: u64,
        /// The denominator.
        denominator: u64,
    },
    /// A way of spreading steps over clocks that the seed does not have for this search.
    NoSuchTiming,
}

impl Error {
    /// Those of changing a map.
    fn of_a_change(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { start, len } => {
                write!(f, "{len} blocks from {start} are not all free any more: search again")
            }
            Self::NotTaken { start, len } => write!(
                f,
                "{len} blocks from {start} are not all taken: release what was taken, once"
            ),
            Self::OutOfRange { start, len, blocks } => write!(
                f,
                "{len} blocks from {start} do not lie in a map of {blocks}: use the map of the plan"
            ),
            Self::NoSuchMap { at, maps } => {
                write!(f, "there is no map {at}: the bank has {maps}, counted from 0")
            }
            Self::TooManyMaps { maps } => {
                write!(f, "{maps} maps are more than any memory holds: give fewer")
            }
            Self::AnswerCount { maps, answers } => {
                write!(f, "{answers} places for the answers of {maps} maps: give one a map")
            }
            Self::PlaceCount { places, listed } => write!(
                f,
                "one resource lists {listed} places and the first {places}: give each a byte a place"
            ),
            Self::WordsOfAnswers { needed, words } => write!(
                f,
                "{words} words for the answers, {needed} are needed: give each demand one for 64 places"
            ),
            _ => self.of_a_map(f),
        }
    }

    /// Those of making a map.
    fn of_a_map(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBlocks => f.write_str("there is no block: give at least 1"),
            Self::TooManyBlocks { blocks, most } => {
                write!(f, "{blocks} blocks are too many here: give at most {most}")
            }
            Self::NotADigit { at } => write!(f, "byte {at} is neither 0 nor 1: give digits only"),
            Self::WordCount { words, blocks } => {
                let needed = crate::words::words_for(*blocks);
                write!(f, "{blocks} blocks take {needed} words, not {words}: give as many")
            }
            Self::StrayBits { blocks } => write!(
                f,
                "a bit past the last of {blocks} blocks would be free: clear the rest of the last word"
            ),
            _ => self.of_a_search(f),
        }
    }

    /// Those of making and using a search.
    fn of_a_search(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GroupCount { groups, blocks } => {
                write!(f, "{groups} groups of {blocks} blocks: give 1 to one less than the blocks")
            }
            Self::UnevenGroups { groups, blocks } => write!(
                f,
                "{groups} groups do not divide {blocks} blocks evenly: give a divisor of {blocks}"
            ),
            Self::NoSamples => f.write_str("no length is sampled: give at least one"),
            Self::SampleOrder { at } => {
                write!(f, "sample {at} is not above the one before: give them strictly ascending")
            }
            Self::SampleRange { at, k, blocks } => {
                write!(f, "sample {at} is {k}, with {blocks} blocks: give values below that")
            }
            Self::OtherSize { search, map } => write!(
                f,
                "the search is for {search} blocks, the map has {map}: make one for its size"
            ),
            Self::NoSuchTiming => f.write_str(
                "the seed has one set of gates for all steps in the grouped search only: ask for one or three clocks",
            ),
            Self::Churn => f.write_str(
                "requests must be of 1 block to all blocks, the smallest first, and fill levels of 0 to 100 percent, the lowest first",
            ),
            Self::Share { numerator, denominator } => {
                write!(f, "{numerator}/{denominator} is no share: give 0/1 to 1/1")
            }
            _ => self.of_a_round(f),
        }
    }

    /// Those of a shared finder.
    fn of_a_round(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BoundAboveWidth { bound, width } => {
                write!(f, "a bound of {bound} blocks is above the width of {width}: lower it")
            }
            Self::PeriodCount { periods, borders } => write!(
                f,
                "{periods} periods, borders for {borders}: give at least one period, and borders for each"
            ),
            Self::EmptyPeriod { period } => {
                write!(f, "period {period} serves nothing: give each period a kind of resource")
            }
            Self::KindTwice { id } => {
                write!(f, "kind {id} comes twice in a round: name each once")
            }
            Self::SumAboveBound { period, sum, bound } => write!(
                f,
                "the kinds of period {period} have {sum} blocks, the bound is {bound}: spread them over more periods"
            ),
            Self::SlotCount { period, slots, kinds } => write!(
                f,
                "period {period} has {slots} slots for {kinds} kinds: give one each (halves are two)"
            ),
            _ => self.of_a_slot(f),
        }
    }

    /// Those of a period's slots.
    fn of_a_slot(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BordersOverlap { period, at } => write!(
                f,
                "slot {at} of period {period} begins before the one before it ends: give rising borders"
            ),
            Self::BordersExceed { period, at, width } => write!(
                f,
                "slot {at} of period {period} ends past the width of {width}: move its borders in"
            ),
            Self::SlotTooNarrow { period, at, blocks, slot } => write!(
                f,
                "slot {at} of period {period} has {slot} positions for {blocks} blocks: widen it"
            ),
            Self::MapCount { period, slots, maps } => write!(
                f,
                "{maps} maps for the {slots} slots of period {period}: give one each, of a period of the round"
            ),
            // Told above; named, so that the compiler asks where a new one is told.
            Self::Taken { .. }
            | Self::NotTaken { .. }
            | Self::OutOfRange { .. }
            | Self::NoSuchMap { .. }
            | Self::TooManyMaps { .. }
            | Self::AnswerCount { .. }
            | Self::PlaceCount { .. }
            | Self::WordsOfAnswers { .. }
            | Self::NoBlocks
            | Self::TooManyBlocks { .. }
            | Self::NotADigit { .. }
            | Self::WordCount { .. }
            | Self::StrayBits { .. }
            | Self::GroupCount { .. }
            | Self::UnevenGroups { .. }
            | Self::NoSamples
            | Self::SampleOrder { .. }
            | Self::SampleRange { .. }
            | Self::OtherSize { .. }
            | Self::NoSuchTiming
            | Self::Churn
            | Self::Share { .. }
            | Self::BoundAboveWidth { .. }
            | Self::PeriodCount { .. }
            | Self::EmptyPeriod { .. }
            | Self::KindTwice { .. }
            | Self::SumAboveBound { .. }
            | Self::SlotCount { .. } => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of_a_change(f)
    }
}

impl core::error::Error for Error {}
