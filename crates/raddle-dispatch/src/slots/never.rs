//! Preempt: submitted work stays and runs; only new submissions stop.

use raddle_policy::{Preempt, Preemption, Tick, VictimView};

/// A preempt policy that takes nothing off. It promises no latency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Never;

impl Preempt for Never {
    fn preempt(&mut self, _victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        None
    }
}
