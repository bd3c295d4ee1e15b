//! How often did processes lose the turn, and by how much did their work outlast it?
//!
//! An overrun is the time from the end of a turn until the last wave of its process is gone, or the
//! turn comes back. It is charged to the process in full.

use raddle_policy::Ticks;

/// What a dispatcher counts of turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnTally {
    /// Turns lost by processes that had submitted work.
    pub revoked: u64,
    /// Of those, how many outlasted their turn; counted when the overrun is over.
    pub overruns: u64,
    /// By how much, altogether.
    pub overrun: Ticks,
    /// By how much at most.
    pub longest_overrun: Ticks,
}

impl TurnTally {
    /// A process left that long after its turn.
    pub(crate) fn left(&mut self, after: Ticks) {
        if after > Ticks::ZERO {
            self.overruns += 1;
            self.overrun += after;
            self.longest_overrun = self.longest_overrun.max(after);
        }
    }
}
