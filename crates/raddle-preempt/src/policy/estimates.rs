//! What would each way off take, judging by what was seen of the victim's launches?
//!
//! Ticks are nanoseconds.

use raddle_policy::{Fact, Tick, Ticks, VictimView};

use super::DeviceCosts;
use super::history::History;
use crate::ways::{Costs, Victim};

/// What a rule that weighs is told: what was seen, and what the device takes.
#[derive(Clone, Debug)]
pub(super) struct Estimates {
    device: DeviceCosts,
    history: History,
}

impl Estimates {
    pub(super) fn new(device: DeviceCosts) -> Self {
        Self { device, history: History::default() }
    }

    pub(super) fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.history.observe(fact, now);
    }

    pub(super) fn costs(&self) -> Costs {
        Costs {
            reset: Ticks(self.device.reset_ns),
            bandwidth: self.device.bytes_per_us,
            ..Costs::default()
        }
    }

    /// The victim in the words of a rule, but for whether it may be killed.
    pub(super) fn weigh(&self, view: &VictimView<'_>, now: Tick) -> Victim {
        let history = &self.history;
        let mut victim = Victim {
            running: Some(Ticks::ZERO),
            waiting: Some(Ticks::ZERO),
            workgroup: Some(Ticks::ZERO),
            ..Victim::default()
        };
        for launch in view.launches {
            let remaining = history.remaining(launch, now);
            if history.has_started(launch) {
                victim.running = longer(victim.running, remaining);
                victim.workgroup = longer(victim.workgroup, history.resident(launch, now));
                victim.done += history.elapsed(launch, now);
            } else {
                // One after the other: launches of several streams may overlap, at best.
                victim.waiting =
                    victim.waiting.zip(remaining).map(|(sum, remaining)| sum + remaining);
                victim.launches += 1;
            }
            let demand = &launch.launch.demand;
            let groups = launch.resident_waves.div_ceil(u64::from(demand.waves).max(1));
            let bytes = groups.saturating_mul(self.device.context_bytes(demand));
            victim.bytes = victim.bytes.saturating_add(bytes);
        }
        victim
    }
}

fn longer(one: Option<Ticks>, other: Option<Ticks>) -> Option<Ticks> {
    one.zip(other).map(|(one, other)| one.max(other))
}
