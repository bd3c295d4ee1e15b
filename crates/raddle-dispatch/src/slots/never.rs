//! Preempt: what was submitted stays and runs; only new submissions stop.

use raddle_policy::{Preempt, Preemption, Tick, VictimView};

/// Nothing is taken off. Promises no latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Never;

impl Preempt for Never {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        None
    }
}
