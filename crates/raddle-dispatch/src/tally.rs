//! How often did processes lose the turn, and how late did they leave?
//!
//! A process *leaves late* if it still has waves on the device when its turn is over. Its time on
//! the device goes on to be charged, in full, until the last of them is gone.

use raddle_policy::Ticks;

/// What a dispatcher counts of turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnTally {
    /// Turns lost by processes that had submitted work.
    pub revoked: u64,
    /// Of those, how many left late and have left.
    pub late: u64,
    /// By how much, altogether.
    pub late_by: Ticks,
    /// By how much at most.
    pub latest_by: Ticks,
}

impl TurnTally {
    /// A process left that long after its turn.
    pub(crate) fn left(&mut self, after: Ticks) {
        if after > Ticks::ZERO {
            self.late += 1;
            self.late_by += after;
            self.latest_by = self.latest_by.max(after);
        }
    }
}
