//! Do workgroups that are cut into waves (seed 000, E3) lose and repeat no wave?

use proptest::prelude::*;
use raddle_dispatch::{Composed, Dispatcher};
use raddle_policy::{
    Allocate, Answer, CuId, Demand, Preemption, ReadyLaunch, ReadyView, Round, Tick,
};
use raddle_sim::{Outcome, Work};

use crate::kit::{
    SHAPE, WAYS, at_level, end, idempotent, kernel, latency, preempting, try_run, with_lds,
    workload,
};
use crate::laws::{check, processes};

/// A policy that starts every third workgroup as a whole and cuts the others into waves, each on
/// the lowest compute unit with room; a launch that finds no room keeps no other one waiting.
pub(crate) struct Cuts;

impl Cuts {
    fn next(ready: &ReadyView<'_>, entry: &ReadyLaunch) -> Option<(CuId, bool)> {
        let whole = entry.launch().demand;
        let cut = entry.cut() > 0 || !entry.next().is_multiple_of(3);
        let demand = if cut { Demand { waves: 1, ..whole } } else { whole };
        let cu = ready.cus().ids().find(|&cu| ready.cus().room(cu, &demand) > 0)?;
        Some((cu, cut))
    }
}

impl Allocate for Cuts {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
            match Self::next(ready, entry) {
                Some((cu, true)) => return round.cut_one(entry, cu),
                Some((cu, false)) => return round.start_one(entry, cu),
                None => {}
            }
        }
        Answer::WAIT
    }
}

/// A policy that cuts every workgroup into single waves, on the lowest compute unit with room.
struct CutsAll;

impl Allocate for CutsAll {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let next = ready.launches().iter().find_map(|entry| {
            let one = Demand { waves: 1, ..entry.launch().demand };
            let fits = |&cu: &CuId| ready.cus().room(cu, &one) > 0;
            Some((entry, ready.cus().ids().find(fits)?))
        });
        next.map_or(Answer::WAIT, |(entry, cu)| round.cut_one(entry, cu))
    }
}

fn cuts_all(how: Option<Preemption>) -> impl Dispatcher {
    preempting(1, how).allocate("cuts", CutsAll).build().expect("it builds")
}

#[test]
fn parts_run_where_the_workgroup_would_not() {
    // Two units of 8 wave slots: 5 + 5 are taken until 100, so 6 waves fit, but on two units.
    let work = workload(vec![vec![kernel(0, 2, 5, 100)], vec![kernel(10, 1, 6, 50)]]);
    let builder = || Composed::builder(SHAPE, 2);
    let run = |dispatcher| try_run(&work, 2, dispatcher).expect("the two books agree");
    let (whole, cut) = (
        run(builder().build().expect("it builds")),
        run(builder().allocate("cuts", Stuck).build().expect("it builds")),
    );
    assert_eq!((latency(&whole, 1), end(&whole, 1)), (90, 150));
    assert_eq!((latency(&cut, 1), end(&cut, 1)), (0, 60));
    for outcome in [whole, cut] {
        assert_eq!(outcome.counters.workgroups, 3, "each once");
        assert_eq!(outcome.wave_ns, [10 * 100, 6 * 50]);
    }
}

/// A policy that cuts a workgroup only where none fits as a whole.
struct Stuck;

impl Allocate for Stuck {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let fits = |entry: &ReadyLaunch| {
            let room = |&cu: &CuId| ready.cus().room(cu, &entry.launch().demand) > 0;
            ready.cus().ids().find(room).filter(|_| entry.cut() == 0)
        };
        match ready.launches().iter().find_map(|entry| Some((entry, fits(entry)?))) {
            Some((entry, cu)) => round.start_one(entry, cu),
            None => CutsAll.allocate(ready, now, round),
        }
    }
}

#[test]
fn each_part_holds_the_lds_of_a_workgroup() {
    // One workgroup of 8 waves takes 6 of 16 LDS granules, so two of its parts run at a time.
    let work = workload(vec![vec![with_lds(kernel(0, 1, 8, 100), 6)]]);
    let outcome = try_run(&work, 1, cuts_all(None)).expect("the two books agree");
    assert_eq!(end(&outcome, 0), 400);
    assert_eq!((outcome.counters.workgroups, outcome.wave_ns[0]), (1, 800));
}

/// Runs a low process of two workgroups of three waves of 1000 ticks, two waves at a time, and an
/// urgent launch at 1500 that wants all LDS: then the third wave of the first workgroup runs beside
/// the first wave of the second.
fn preempted(how: Option<Preemption>, may_be_killed: bool) -> Outcome {
    let low = with_lds(kernel(0, 2, 3, 1000), 8);
    let low = if may_be_killed { idempotent(low) } else { low };
    let high = with_lds(kernel(1500, 1, 1, 100), 16);
    let work = workload(vec![at_level(5, vec![low]), at_level(0, vec![high])]);
    try_run(&work, 1, cuts_all(how)).expect("the two books agree")
}

#[test]
fn parts_leave_and_come_back() {
    let never = preempted(None, false);
    assert_eq!((latency(&never, 1), end(&never, 0)), (1500, 3000));
    // The two parts that run end at 2000; the second workgroup goes on with its second wave.
    let drained = preempted(Some(Preemption::Drain), false);
    assert_eq!((latency(&drained, 1), end(&drained, 0)), (500, 3100));
    assert_eq!(drained.counters.taken_off, 1);
    // The reset kills one part each of the workgroups 0 and 1.
    let killed = preempted(Some(Preemption::Reset), true);
    assert_eq!((latency(&killed, 1), end(&killed, 0)), (7, 1500 + 7 + 100 + 3000));
    assert_eq!((killed.counters.killed, killed.counters.workgroups), (2, 3));
    // Two waves are two thirds of a workgroup, rounded up: 100 bytes at 1000 bytes a microsecond.
    let saved = preempted(Some(Preemption::Switch), false);
    assert_eq!(latency(&saved, 1), 100);
    assert_eq!(end(&saved, 0), 1500 + 100 + 100 + 100 + 500 + 1000);
    assert_eq!(saved.counters.workgroups, 3);
}

#[test]
fn a_workgroup_of_several_parts_is_killed_once() {
    let low = idempotent(kernel(0, 1, 6, 1000));
    let high = kernel(500, 1, 8, 100);
    let work = workload(vec![at_level(5, vec![low]), at_level(0, vec![high])]);
    let outcome =
        try_run(&work, 1, cuts_all(Some(Preemption::Reset))).expect("the two books agree");
    assert_eq!((outcome.counters.killed, outcome.counters.workgroups), (1, 2));
}

proptest! {
    #[test]
    fn every_way_off_loses_nothing_in_parts(
        processes in processes(),
        way in 0usize..6,
        cus in 1u16..4,
    ) {
        let how = WAYS[way];
        let dispatcher = preempting(cus, how).allocate("cuts", Cuts)
            .build().expect("it builds");
        let outcome = try_run(&workload(processes.clone()), cus, dispatcher);
        let outcome = outcome.expect("the two books agree");
        check(&outcome, &processes, how);
        if how != Some(Preemption::Reset) {
            let of = |record: &raddle_sim::Record| {
                let task = &processes[usize::from(record.process)][record.task as usize];
                match task.work {
                    Work::Kernel { workgroups, .. } if !record.refused => workgroups,
                    _ => 0,
                }
            };
            let all: u64 = outcome.records.iter().map(of).sum();
            prop_assert_eq!(outcome.counters.workgroups, all, "each workgroup once");
        }
    }
}
