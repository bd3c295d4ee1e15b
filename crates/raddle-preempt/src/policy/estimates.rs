//! How long will the launches of a process that has lost the turn still take, and how many bytes of
//! registers and LDS do they occupy?
//!
//! Ticks are nanoseconds.

use raddle_policy::{Fact, Preemption, Tick, Ticks, VictimLaunch, VictimView};

use super::DeviceCosts;
use super::history::LaunchHistory;
use super::price::VictimEstimate;

/// Estimates for the preemption of launches, from the costs of a device and the times of the
/// launches observed on it.
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

    /// Returns the method that takes a victim's work off the device with the least waste of device
    /// time within `bound` ([`VictimEstimate::cheapest`]), among those for which `allowed` returns
    /// true.
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
        for launch in view.launches() {
            let remaining = match launch.launch().is_copy() {
                true => launch.launch().estimate,
                false => history.remaining(launch, now),
            };
            if history.has_started(launch) {
                victim.running = longer(victim.running, remaining);
                victim.workgroup = longer(victim.workgroup, history.resident(launch, now));
                victim.done += history.elapsed(launch, now);
            } else {
                // The waiting launches are taken to run one after the other: launches of several
                // streams may overlap, at best.
                victim.waiting =
                    victim.waiting.zip(remaining).map(|(sum, remaining)| sum + remaining);
            }
            let demand = &launch.launch().demand;
            let groups = launch.resident_waves().div_ceil(u64::from(demand.waves).max(1));
            let bytes = groups.saturating_mul(self.device.context_bytes(demand));
            // Every kernel has vector registers: a demand without them means that the profile does
            // not know them.
            let known = (groups == 0 || demand.vgpr > 0).then_some(bytes);
            victim.bytes = victim.bytes.zip(known).map(|(sum, bytes)| sum.saturating_add(bytes));
        }
        victim
    }

    /// Returns the number of launches that leave one after the other by the preemption flag: the
    /// largest number of launches in one stream that have not started. Copies do not count, as they
    /// do not test the flag and are taken out of the runtime.
    fn exits(&self, view: &VictimView<'_>) -> u64 {
        let exits = |it: &&VictimLaunch| !it.launch().is_copy() && !self.history.has_started(it);
        let waiting = || view.launches().iter().filter(exits);
        let of = |stream| waiting().filter(|it| it.launch().stream == stream).count() as u64;
        waiting().map(|it| of(it.launch().stream)).max().unwrap_or(0)
    }
}

fn longer(one: Option<Ticks>, other: Option<Ticks>) -> Option<Ticks> {
    one.zip(other).map(|(one, other)| one.max(other))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use raddle_policy::{CuId, Launch, Piece, WaveSpan};
    use raddle_testkit::{demand, launch, process};

    use super::*;

    fn estimate(estimates: &Estimates, launches: &[VictimLaunch], now: u64) -> VictimEstimate {
        let process = process(0);
        let view = VictimView::new(&process, launches, &[]);
        estimates.victim(&view, Tick(now))
    }

    fn start(estimates: &mut Estimates, launch: &Launch, now: u64) -> VictimLaunch {
        let pieces = &[Piece { first: 0, stride: 1, count: 2, cu: CuId(0) }][..];
        let fact = Fact::Started { launch, waves: WaveSpan::All, pieces, places: &[] };
        estimates.observe(&fact, Tick(now));
        let resident_waves = 2 * u64::from(launch.demand.waves);
        let victim = VictimLaunch::new(*launch, Tick::ZERO).with_unstarted(0);
        victim.with_resident_waves(resident_waves)
    }

    fn costs() -> DeviceCosts {
        DeviceCosts { exit_ns: Some(5), vgpr_bytes: 16, ..DeviceCosts::default() }
    }

    #[test]
    fn what_runs_is_added_up_and_streams_exit_side_by_side() {
        let mut estimates = Estimates::new(costs());
        let first = launch(0).workgroups(2).demand(demand(1, 3)).build();
        let second = launch(1).workgroups(2).demand(demand(2, 1)).build();
        let mut victims =
            vec![start(&mut estimates, &first, 100), start(&mut estimates, &second, 104)];
        for (id, stream) in [(2, 0), (3, 1), (4, 0), (5, 1), (6, 1)] {
            victims.push(launch(id).stream(stream).victim());
        }
        // Copies are taken out of the runtime: no exit is paid for them.
        victims.extend((7..12).map(|id| launch(id).workgroups(0).victim()));
        let whole = estimate(&estimates, &victims, 110);
        assert_eq!((whole.done, whole.exits), (Ticks(10 + 6), 3));
        // Two workgroups of one wave of three granules, two of two waves of one granule.
        assert_eq!(whole.bytes, Some(16 * (2 * 3 + 2 * 2)));
        // Nobody knows how long kernels of a new kind last.
        assert_eq!(whole.waiting, None);
    }

    #[test]
    fn the_longest_of_what_runs_and_all_that_waits_is_waited_for() {
        let mut estimates = Estimates::new(costs());
        for (id, lasts) in [(0, 30), (1, 50)] {
            let kind = launch(id).workgroups(2).demand(demand(1, 1 + id as u16)).build();
            start(&mut estimates, &kind, 0);
            let pieces = &[Piece { first: 0, stride: 1, count: 2, cu: CuId(0) }][..];
            let ended = Fact::Ended { launch: &kind, waves: WaveSpan::All, pieces };
            estimates.observe(&ended, Tick(lasts));
            estimates.observe(&Fact::LaunchEnded { launch: kind.id }, Tick(lasts));
        }
        let of = |id, kind: u16| launch(id).workgroups(2).demand(demand(1, 1 + kind));
        let longer = start(&mut estimates, &of(2, 1).build(), 100);
        let shorter = start(&mut estimates, &of(3, 0).build(), 100);
        let waiting = [of(4, 0).victim(), of(5, 1).victim()];
        let victims = [longer, shorter, waiting[0], waiting[1]];
        let whole = estimate(&estimates, &victims, 110);
        assert_eq!(whole.running, Some(Ticks(40)));
        assert_eq!(whole.workgroup, Some(Ticks(40)));
        assert_eq!(whole.waiting, Some(Ticks(30 + 50)));
    }

    #[test]
    fn registers_that_nobody_knows_have_no_size() {
        let mut estimates = Estimates::new(costs());
        let unknown = start(&mut estimates, &launch(0).demand(demand(1, 0)).build(), 0);
        assert_eq!(estimate(&estimates, &[unknown], 5).bytes, None);
        let idle = unknown.with_resident_waves(0);
        assert_eq!(estimate(&estimates, &[idle], 5).bytes, Some(0));
        // Without a time of an exit none is counted.
        let free = Estimates::new(DeviceCosts { exit_ns: None, ..costs() });
        assert_eq!(estimate(&free, &[launch(1).victim()], 5).exits, 0);
    }
}
