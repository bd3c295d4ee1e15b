//! Which level of urgency goes before which, and which of several equally good channels goes first
//! (seed 000, E2; E1, step a42)?

use raddle_policy::Tick;

use super::config::{Choice, LevelOrder};
use crate::Error;
use crate::order::{Fixed, Lowest, Order, Pick, Seeded, Windows};

/// The number of levels of urgency that there are.
const LEVELS: usize = 256;

/// The order of the urgency levels at a tick: fixed, or changing with time by windows.
#[derive(Clone, Debug)]
pub(super) enum LevelRanks {
    Fixed(Fixed),
    Windows(Windows),
}

/// The rule that chooses one of several equally good channels, with its state.
#[derive(Clone, Debug)]
pub(super) enum Picker {
    Lowest(Lowest),
    Seeded(Seeded),
}

impl Picker {
    pub(super) const fn new(choice: Choice) -> Self {
        match choice {
            Choice::Lowest => Self::Lowest(Lowest),
            Choice::Seeded { seed } => Self::Seeded(Seeded::new(seed)),
        }
    }
}

impl Pick for Picker {
    fn pick(&mut self, choices: usize) -> usize {
        match self {
            Self::Lowest(pick) => pick.pick(choices),
            Self::Seeded(pick) => pick.pick(choices),
        }
    }
}

impl LevelRanks {
    /// Returns the order of levels that the settings name.
    ///
    /// # Errors
    /// For an empty list of windows of time, or a window of 0 ticks.
    pub(super) fn new(order: &LevelOrder) -> Result<Self, Error> {
        match order {
            LevelOrder::Static => Ok(Self::Fixed(Fixed::new(LEVELS)?)),
            LevelOrder::Windows(windows) => Ok(Self::Windows(Windows::new(&windows.ticks()?)?)),
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Self::Fixed(order) => order.levels(),
            Self::Windows(order) => order.levels(),
        }
    }

    /// Returns the rank of a level at the tick `now`, 0 for the best. The caller has replaced a
    /// level beyond the number of windows by the last one, so `level` always has a rank.
    #[inline]
    pub(super) fn rank(&self, level: usize, now: Tick) -> usize {
        let rank = match self {
            Self::Fixed(_) => Ok(level),
            Self::Windows(order) => order.rank(level, now.0),
        };
        rank.unwrap_or(level)
    }
}
