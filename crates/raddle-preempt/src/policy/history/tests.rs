//! Does the history estimate the times of launches as a slow model does, in which each wave counts
//! its own ticks?

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use proptest::prelude::*;
use raddle_policy::{
    CuId, Demand, Fact, Launch, LaunchId, Piece, Preemption, ProcessId, Tick, Ticks, VictimLaunch,
    WaveSpan,
};

use super::LaunchHistory;

/// A launch in which each wave on the device counts the ticks that it has run; the wave that
/// started first comes first.
#[derive(Default)]
struct NaiveLaunch {
    off: bool,
    ran: u64,
    ended: u64,
    waves: Vec<u64>,
    /// Ticks that the last wave to end ran; `None` where no wave of the launch has ended.
    workgroup: Option<u64>,
}

/// Slow model of the history: the launches that have started, and by kind the ticks that the last
/// launch and its last workgroup took.
#[derive(Default)]
struct Naive {
    launches: BTreeMap<LaunchId, NaiveLaunch>,
    kinds: BTreeMap<(u16, u64), (u64, Option<u64>)>,
}

impl Naive {
    fn pass(&mut self, ticks: u64) {
        for it in self.launches.values_mut().filter(|it| !it.off) {
            it.ran += ticks;
            it.waves.iter_mut().for_each(|ran| *ran += ticks);
        }
    }

    /// Returns (ticks of the launch on the device, ticks until it ends, ticks until its last
    /// workgroup on the device ends); `None` where a time is unknown.
    fn estimates(&self, launch: &Launch) -> (u64, Option<u64>, Option<u64>) {
        let before = self.kinds.get(&kind(launch));
        let Some(it) = self.launches.get(&launch.id) else {
            return (0, before.map(|it| it.0), None);
        };
        let left = launch.workgroups * u64::from(launch.demand.waves) - it.ended;
        let by_progress = (it.ran * left).checked_div(it.ended);
        let by_kind = before.map(|it| it.0).filter(|&lasted| lasted > it.ran);
        let remaining = by_kind.map(|lasted| lasted - it.ran).or(by_progress);
        let workgroup = it.workgroup.or(before.and_then(|it| it.1));
        let youngest = it.waves.last().copied();
        let until = workgroup.zip(youngest).and_then(|(all, ran)| all.checked_sub(ran));
        (it.ran, remaining, until)
    }
}

fn kind(launch: &Launch) -> (u16, u64) {
    (launch.process.0, launch.workgroups)
}

/// Returns one of four launches by number: 0 and 1 are of one kind, 2 has more workgroups, 3
/// belongs to another process.
fn launch(id: u32) -> Launch {
    let demand = Demand { waves: 3, vgpr: 2, ..Demand::default() };
    let workgroups = if id == 2 { 6 } else { 4 };
    let process = ProcessId(u16::from(id == 3));
    Launch::new(LaunchId(id), process, workgroups, demand)
}

proptest! {
    #[test]
    fn they_are_those_of_waves_that_count_their_ticks(
        steps in prop::collection::vec((0u32..4, 0u8..8, 1u32..3, 0u64..40), 1..80),
    ) {
        let (mut history, mut naive) = (LaunchHistory::default(), Naive::default());
        let mut now = 0;
        for (id, what, count, lasts) in steps {
            let launch = launch(id);
            let (launch, tick) = (&launch, Tick(now));
            let known = naive.launches.get_mut(&launch.id);
            let is_off = known.as_ref().is_some_and(|it| it.off);
            let pieces = [Piece { first: 0, stride: 1, count, cu: CuId(0) }];
            let (waves, pieces) = (WaveSpan::All, &pieces[..]);
            let named = count as usize * 3;
            match what {
                0..=2 if !is_off => {
                    let it = naive.launches.entry(launch.id).or_default();
                    if it.ended as usize + it.waves.len() + named <= launch.workgroups as usize * 3 {
                        it.waves.extend(core::iter::repeat_n(0, named));
                        history.observe(&Fact::Started { launch, waves, pieces, places: &[] }, tick);
                    } else if it.ended + it.waves.len() as u64 == 0 {
                        naive.launches.remove(&launch.id);
                    }
                }
                3 | 4 if !is_off => {
                    if let Some(it) = known.filter(|it| it.waves.len() >= named) {
                        it.workgroup = it.waves.drain(..named).next_back();
                        it.ended += named as u64;
                        history.observe(&Fact::Ended { launch, waves, pieces }, tick);
                        if it.ended == launch.workgroups * 3 {
                            naive.kinds.insert(kind(launch), (it.ran, it.workgroup));
                            naive.launches.remove(&launch.id);
                            history.observe(&Fact::LaunchEnded { launch: launch.id }, tick);
                        }
                    }
                }
                5 if !is_off => {
                    let how = Preemption::Switch;
                    history.observe(&Fact::Leaving { launch, how }, tick);
                    if let Some(it) = known {
                        it.off = true;
                    }
                    // Saving takes its time.
                    now += lasts;
                    naive.pass(lasts);
                    history.observe(&Fact::TakenOff { launch, how }, Tick(now));
                }
                6 => {
                    history.observe(&Fact::Restored { launch }, tick);
                    if let Some(it) = known {
                        it.off = false;
                    }
                }
                7 if lasts == 0 => {
                    let how = Preemption::Reset;
                    history.observe(&Fact::TakenOff { launch, how }, tick);
                    naive.launches.remove(&launch.id);
                }
                _ => {}
            }
            now += lasts;
            naive.pass(lasts);
            for id in 0..4 {
                let launch = self::launch(id);
                let victim = VictimLaunch::new(launch, Tick::ZERO).with_unstarted(0);
                let victim = victim.with_resident_waves(1);
                let is_off = naive.launches.get(&launch.id).is_some_and(|it| it.off);
                let (elapsed, remaining, until) = naive.estimates(&launch);
                let now = Tick(now);
                prop_assert_eq!(history.has_started(&victim), naive.launches.contains_key(&launch.id));
                prop_assert_eq!(history.elapsed(&victim, now), Ticks(elapsed));
                prop_assert_eq!(history.remaining(&victim, now), remaining.map(Ticks));
                // While the launch is off, no caller requests how long it still runs.
                if !is_off {
                    prop_assert_eq!(history.resident(&victim, now), until.map(Ticks));
                }
                let none = victim.with_resident_waves(0);
                prop_assert_eq!(history.resident(&none, now), Some(Ticks::ZERO));
            }
        }
    }
}
