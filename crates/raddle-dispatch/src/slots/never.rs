//! The preempt policy `never`: submitted work of a process that lost the turn stays and runs; only
//! new submissions stop.

use raddle_policy::{Preempt, Preemption, Tick, VictimView};

/// A preempt policy that never takes work off the device. Work of a process that lost its turn runs
/// to its end, however long that takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Never;

impl Preempt for Never {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        None
    }

    fn minds_refills(&self) -> bool {
        false
    }
}
