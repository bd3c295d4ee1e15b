//! What is known of a victim, from what was seen of its launches and of others of their kind?
//!
//! Ticks are nanoseconds.

use raddle_policy::{Fact, Preemption, Tick, Ticks, VictimLaunch, VictimView};

use super::DeviceCosts;
use super::history::LaunchHistory;
use super::price::VictimEstimate;

/// The costs of a device, and what was seen on it.
#[derive(Clone, Debug)]
pub(super) struct Estimates {
    device: DeviceCosts,
    history: LaunchHistory,
}

impl Estimates {
    pub(super) fn new(device: DeviceCosts) -> Self {
        Self { device, history: LaunchHistory::default() }
    }

    pub(super) fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.history.observe(fact, now);
    }

    /// The cheapest method for a victim ([`VictimEstimate::cheapest`]).
    pub(super) fn cheapest(
        &self,
        view: &VictimView<'_>,
        now: Tick,
        bound: Ticks,
        allowed: impl Fn(Preemption) -> bool,
    ) -> Preemption {
        self.victim(view, now).cheapest(bound, &self.device, allowed)
    }

    fn victim(&self, view: &VictimView<'_>, now: Tick) -> VictimEstimate {
        let history = &self.history;
        let none = Some(Ticks::ZERO);
        let mut victim = VictimEstimate {
            running: none,
            waiting: none,
            workgroup: none,
            exits: if self.device.exit_ns.is_some() { self.exits(view) } else { 0 },
            done: Ticks::ZERO,
            bytes: Some(0),
        };
        for launch in view.launches {
            let remaining = match launch.launch.is_copy() {
                true => launch.launch.estimate,
                false => history.remaining(launch, now),
            };
            if history.has_started(launch) {
                victim.running = longer(victim.running, remaining);
                victim.workgroup = longer(victim.workgroup, history.resident(launch, now));
                victim.done += history.elapsed(launch, now);
            } else {
                // One after the other: launches of several streams may overlap, at best.
                victim.waiting =
                    victim.waiting.zip(remaining).map(|(sum, remaining)| sum + remaining);
            }
            let demand = &launch.launch.demand;
            let groups = launch.resident_waves.div_ceil(u64::from(demand.waves).max(1));
            let bytes = groups.saturating_mul(self.device.context_bytes(demand));
            // Every kernel has vector registers: none means that the profile does not know them.
            let known = (groups == 0 || demand.vgpr > 0).then_some(bytes);
            victim.bytes = victim.bytes.zip(known).map(|(sum, bytes)| sum.saturating_add(bytes));
        }
        victim
    }

    /// How many launches of one stream have not started, at most. Copies do not exit: they are taken
    /// out of the runtime.
    fn exits(&self, view: &VictimView<'_>) -> u64 {
        let exits = |it: &&VictimLaunch| !it.launch.is_copy() && !self.history.has_started(it);
        let waiting = || view.launches.iter().filter(exits);
        let of = |stream| waiting().filter(|it| it.launch.stream == stream).count() as u64;
        waiting().map(|it| of(it.launch.stream)).max().unwrap_or(0)
    }
}

fn longer(one: Option<Ticks>, other: Option<Ticks>) -> Option<Ticks> {
    one.zip(other).map(|(one, other)| one.max(other))
}
