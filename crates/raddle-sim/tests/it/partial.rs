//! Do workgroups that are assigned first and start wave by wave (seed 003) lose and repeat no wave?

use std::collections::BTreeMap;

use proptest::prelude::*;
use raddle_dispatch::Composed;
use raddle_policy::{
    Allocate, Answer, CuId, Fact, Launch, LaunchId, Piece, Preemption, ReadyView, Round, Tick,
    WaveSpan,
};

use crate::kit::{SHAPE, WAYS, at_level, end, kernel, preempting, try_run, with_lds, workload};
use crate::laws::{check, processes};

/// A policy that assigns every workgroup to a compute unit at once and starts its waves one by one.
#[derive(Default)]
pub(crate) struct WaveByWave {
    /// For each assigned workgroup: (its compute unit, number of its waves that have started).
    assigned: BTreeMap<(LaunchId, u64), (CuId, u16)>,
}

impl WaveByWave {
    /// Returns the lowest assigned workgroup of which a wave fits now: (launch, workgroup, compute
    /// unit, number of waves started).
    fn next_wave(&self, ready: &ReadyView<'_>) -> Option<(Launch, u64, CuId, u16)> {
        self.assigned.iter().find_map(|(&(id, group), &(cu, started))| {
            let entry = ready.launches().iter().find(|entry| entry.launch().id == id)?;
            let launch = *entry.launch();
            let (demand, free) = (launch.demand, ready.cus().free(cu));
            let group_fits = started > 0
                || (free.workgroups > 0
                    && free.lds >= u64::from(demand.lds)
                    && free.barriers >= u64::from(demand.barriers));
            let fits =
                group_fits && started < demand.waves && ready.cus().wave_room(cu, &demand) > 0;
            fits.then_some((launch, group, cu, started))
        })
    }
}

impl Allocate for WaveByWave {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        if let Some((launch, group, cu, first)) = self.next_wave(ready) {
            round.pieces.push(Piece::one(group, cu));
            return Answer::Start { launch: launch.id, waves: WaveSpan::Range { first, count: 1 } };
        }
        match ready.launches().iter().find(|entry| entry.undistributed() > 0) {
            Some(entry) => {
                let cu = CuId((entry.next() % ready.cus().len() as u64) as u16);
                Answer::Assign { launch: entry.launch().id, workgroup: entry.next(), cu }
            }
            None => Answer::WAIT,
        }
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        match *fact {
            Fact::Assigned { launch, workgroup, cu } => {
                self.assigned.insert((launch.id, workgroup), (cu, 0));
            }
            Fact::Started { launch, waves, pieces, .. } => {
                let (_, count) = waves.bounds(launch.demand.waves);
                for group in pieces.iter().flat_map(|piece| piece.workgroups()) {
                    if let Some(entry) = self.assigned.get_mut(&(launch.id, group)) {
                        entry.1 += count;
                    }
                }
            }
            Fact::TakenOff { launch, how: Preemption::Reset } => {
                self.assigned.retain(|&(id, _), _| id != launch.id);
            }
            Fact::TakenOff { launch, how: Preemption::Switch } => {
                self.assigned.retain(|&(id, _), &mut (_, started)| id != launch.id || started > 0);
            }
            Fact::LaunchEnded { launch } => self.assigned.retain(|&(id, _), _| id != launch),
            _ => {}
        }
    }
}

#[test]
fn a_wave_lasts_as_long_as_its_workgroup_would() {
    // One unit of 8 wave slots takes 6 + 2 waves at once, and the other 4 waves of the second
    // workgroup at 100.
    let dispatcher = Composed::builder(SHAPE, 1).allocate("wave-by-wave", WaveByWave::default());
    let outcome = try_run(
        &workload(vec![vec![kernel(0, 2, 6, 100)]]),
        1,
        dispatcher.build().expect("it builds"),
    );
    let outcome = outcome.expect("the two books agree");
    assert_eq!(end(&outcome, 0), 200);
    assert_eq!(outcome.counters.workgroups, 2);
    assert_eq!(outcome.wave_ns, [12 * 100]);
}

/// Checks that a drained launch can finish a workgroup that holds LDS. On one unit two workgroups
/// of 5 waves and 7 LDS granules take 14 of 16; 8 waves run and 2 wait; the urgent launch wants 10
/// granules.
#[test]
fn a_drained_launch_finishes_what_holds_lds() {
    let low = at_level(5, vec![with_lds(kernel(0, 3, 5, 10), 7)]);
    let high = vec![with_lds(kernel(5, 1, 1, 10), 10)];
    let dispatcher = preempting(1, Some(Preemption::Drain))
        .allocate("wave-by-wave", WaveByWave::default())
        .build()
        .expect("it builds");
    let outcome = try_run(&workload(vec![low, high]), 1, dispatcher);
    let outcome = outcome.expect("the two books agree");
    assert!(outcome.stuck.is_empty(), "stuck: {:?}", outcome.stuck);
    assert_eq!(outcome.counters.taken_off, 1);
}

proptest! {
    #[test]
    fn every_way_off_loses_nothing_wave_by_wave(
        processes in processes(),
        way in 0usize..6,
        cus in 1u16..4,
    ) {
        let how = WAYS[way];
        let dispatcher = preempting(cus, how).allocate("wave-by-wave", WaveByWave::default())
            .build().expect("it builds");
        let outcome = try_run(&workload(processes.clone()), cus, dispatcher);
        check(&outcome.expect("the two books agree"), &processes, how);
    }
}
