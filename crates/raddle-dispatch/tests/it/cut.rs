//! How does a workgroup that was cut into waves start, leave the device and end?

use raddle_dispatch::log::{Detail, LogHeader};
use raddle_dispatch::slots::HighestLevel;
use raddle_dispatch::{Composed, Dispatcher, Event, Recipe};
use raddle_policy::{
    Actions, Allocate, Answer, Barrier, CuId, Demand, Idempotence, Launch, LaunchId, Piece, Place,
    Preemption, ReadyLaunch, ReadyView, Round, Tick, WaveSpan,
};
use raddle_preempt::policy::ByRule;
use raddle_testkit::{Sink, altered};

use crate::composed::{
    SHAPE, joined, launch, left, raised, ready, refusal, reset_over, restored, step, taken_off,
};

/// A policy that cuts every workgroup into waves, each on the lowest compute unit with room; with
/// `addresses` it gives one for each wave.
#[derive(Clone, Copy)]
struct Cuts {
    addresses: bool,
}

fn lowest(ready: &ReadyView<'_>, entry: &ReadyLaunch) -> Option<CuId> {
    let one = Demand { waves: 1, ..entry.launch().demand };
    ready.cus().ids().find(|&cu| ready.cus().room(cu, &one) > 0)
}

impl Allocate for Cuts {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
            let Some(cu) = lowest(ready, entry) else { continue };
            if self.addresses {
                round.places.push(Place { simd: 1, vgpr: 2, sgpr: 0, lds: 4 });
            }
            return round.cut_one(entry, cu);
        }
        Answer::WAIT
    }
}

/// Returns a launch of workgroups of three waves, each of which takes half of the LDS of a compute
/// unit.
fn three(id: u32, process: u16, workgroups: u64) -> Launch {
    altered(launch(id, process, workgroups), |it| (it.demand.waves, it.demand.lds) = (3, 8))
}

const fn span(first: u16) -> WaveSpan {
    WaveSpan::Cut { first, count: 1 }
}

fn ended(launch: u32, first: u16, pieces: &[Piece]) -> Event<'_> {
    Event::WavesEnded { launch: LaunchId(launch), waves: span(first), pieces }
}

fn cuts(cus: u16, how: Preemption) -> Composed {
    Composed::builder(SHAPE, cus)
        .turn("highest-level", HighestLevel)
        .preempt("always", ByRule::fixed(how))
        .allocate("cuts", Cuts { addresses: false })
        .build()
        .expect("it builds")
}

const FIRST: [Piece; 1] = [Piece::one(0, CuId(0))];
const SECOND: [Piece; 1] = [Piece::one(1, CuId(0))];

#[test]
fn a_workgroup_has_ended_when_its_last_part_has() {
    let mut d = cuts(1, Preemption::Wait);
    // Two parts of the workgroup fill the LDS of the unit.
    let begun = step(&mut d, 0, &[joined(0), ready(three(1, 0, 1))]);
    assert_eq!(begun, ["submit k1", "start 1 of k1", "start 1 of k1"]);
    // Parts end out of order, as waves do.
    assert_eq!(step(&mut d, 5, &[ended(1, 1, &FIRST)]), ["start 1 of k1"]);
    assert_eq!(step(&mut d, 6, &[ended(1, 0, &FIRST)]), [""; 0]);
    assert!(refusal(d.event(&left(0), Tick(6))).contains("left before its launches ended"));
    for wrong in [ended(1, 0, &FIRST), ended(1, 2, &SECOND)] {
        assert!(refusal(d.event(&wrong, Tick(6))).contains("event contradicts the book"));
    }
    assert_eq!(step(&mut d, 7, &[ended(1, 2, &FIRST), left(0)]), [""; 0]);
}

#[test]
fn parts_of_one_workgroup_lie_on_different_units() {
    let mut d = cuts(2, Preemption::Wait);
    let begun = step(&mut d, 0, &[joined(0), ready(three(1, 0, 2))]);
    assert_eq!(begun.len(), 5, "{begun:?}: two units hold two pieces each");
    for cu in [CuId(0), CuId(1)] {
        let free = d.cus().free(cu);
        assert_eq!((free.lds, free.workgroups, free.waves), (0, 6, 6), "{cu}");
    }
    // Waves 0 and 1 of workgroup 0 are on unit 0; its wave 2 and the first of workgroup 1 on unit
    // 1.
    let elsewhere = [Piece::one(0, CuId(1))];
    assert!(d.event(&ended(1, 0, &elsewhere), Tick(4)).is_err());
    assert_eq!(step(&mut d, 5, &[ended(1, 2, &elsewhere)]), ["start 1 of k1"]);
    let both = [Piece::one(0, CuId(0)), Piece::one(1, CuId(1))];
    assert_eq!(step(&mut d, 6, &[ended(1, 0, &both)]), ["start 1 of k1"]);
    let rest = [ended(1, 1, &both), ended(1, 2, &SECOND)];
    assert_eq!(step(&mut d, 7, &rest), [""; 0]);
    assert_eq!(d.cus(), &raddle_policy::Cus::new(SHAPE, 2));
    step(&mut d, 8, &[left(0)]);
}

#[test]
fn a_drain_holds_the_parts_that_have_not_started() {
    let mut d = cuts(1, Preemption::Drain);
    let begun = step(&mut d, 0, &[joined(0), joined(1), ready(three(7, 1, 2))]);
    assert_eq!(begun, ["submit k7", "start 1 of k7", "start 1 of k7"]);
    assert_eq!(step(&mut d, 1, &[ready(three(8, 0, 1))]), ["drain k7", "submit k8"]);
    // There is room for a part of either launch: the third wave of the draining launch does not
    // take it.
    assert_eq!(step(&mut d, 2, &[ended(7, 0, &FIRST)]), ["start 1 of k8"]);
    let off = taken_off(7, Preemption::Drain);
    assert_eq!(step(&mut d, 3, &[ended(7, 1, &FIRST), off]), ["start 1 of k8"]);
    assert_eq!(step(&mut d, 4, &[ended(8, 0, &FIRST)]), ["start 1 of k8"]);
    let last = [ended(8, 1, &FIRST), ended(8, 2, &FIRST)];
    assert_eq!(step(&mut d, 5, &last), ["restore k7"]);
    // Launch 7 goes on with the third wave, and then with its next workgroup.
    let back = [restored(7)];
    assert_eq!(step(&mut d, 5, &back), ["start 1 of k7", "start 1 of k7"]);
    assert_eq!(step(&mut d, 6, &[ended(7, 2, &FIRST)]), ["start 1 of k7"]);
    assert_eq!(step(&mut d, 7, &[ended(7, 0, &SECOND)]), ["start 1 of k7"]);
    step(&mut d, 8, &[ended(7, 1, &SECOND), ended(7, 2, &SECOND)]);
    step(&mut d, 9, &[left(1)]);
}

#[test]
fn a_kill_starts_again_with_the_first_wave() {
    let mut d = cuts(1, Preemption::Reset);
    let low = three(7, 1, 1).with_idempotent(Idempotence::Idempotent);
    step(&mut d, 0, &[joined(0), joined(1), ready(low)]);
    // One part of launch 7 has ended, and two are on the device.
    assert_eq!(step(&mut d, 1, &[ended(7, 0, &FIRST)]), ["start 1 of k7"]);
    assert_eq!(step(&mut d, 2, &[ready(three(8, 0, 1))]), ["raise p1", "submit k8"]);
    assert_eq!(step(&mut d, 2, &[raised(1)]), ["reset k7", "reset p1"]);
    let off = [taken_off(7, Preemption::Reset), reset_over(1)];
    assert_eq!(step(&mut d, 3, &off), ["start 1 of k8", "start 1 of k8"]);
    assert_eq!(step(&mut d, 4, &[ended(8, 0, &FIRST)]), ["start 1 of k8"]);
    let last = [ended(8, 1, &FIRST), ended(8, 2, &FIRST)];
    assert_eq!(step(&mut d, 5, &last), ["lower p1", "submit k7", "start 1 of k7", "start 1 of k7"]);
    // A wave that had ended before the kill does not count any more.
    assert_eq!(step(&mut d, 6, &[ended(7, 0, &FIRST)]), ["start 1 of k7"]);
    step(&mut d, 7, &[ended(7, 1, &FIRST)]);
    assert!(refusal(d.event(&left(1), Tick(7))).contains("left before its launches ended"));
    step(&mut d, 8, &[ended(7, 2, &FIRST), left(1)]);
}

#[test]
fn what_was_saved_comes_back_part_by_part() {
    let mut d = cuts(1, Preemption::Switch);
    step(&mut d, 0, &[joined(0), joined(1), ready(three(7, 1, 1))]);
    let before = d.cus().clone();
    assert_eq!(step(&mut d, 2, &[ready(three(8, 0, 1))]), ["switch k7", "submit k8"]);
    let off = taken_off(7, Preemption::Switch);
    assert_eq!(step(&mut d, 3, &[off]), ["start 1 of k8", "start 1 of k8"]);
    assert_eq!(step(&mut d, 4, &[ended(8, 0, &FIRST)]), ["start 1 of k8"]);
    let last = [ended(8, 1, &FIRST), ended(8, 2, &FIRST)];
    assert_eq!(step(&mut d, 5, &last), ["restore k7"]);
    assert_eq!(d.cus(), &before, "its room is taken again at once");
    let back = [restored(7), ended(7, 1, &FIRST)];
    assert_eq!(step(&mut d, 6, &back), ["start 1 of k7"], "the third wave");
    step(&mut d, 7, &[ended(7, 0, &FIRST), ended(7, 2, &FIRST)]);
    step(&mut d, 8, &[left(1)]);
}

/// An allocate policy that answers by this function, which breaks a law.
struct Breaks(fn(&ReadyLaunch, &mut Round) -> Answer);

impl Allocate for Breaks {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        (self.0)(&ready.launches()[0], round)
    }
}

fn broken(launch: Launch, answer: fn(&ReadyLaunch, &mut Round) -> Answer) -> String {
    let mut d =
        Composed::builder(SHAPE, 1).allocate("breaks", Breaks(answer)).build().expect("it builds");
    for event in [joined(0), ready(launch)] {
        d.event(&event, Tick(0)).expect("it makes sense");
    }
    let error = d.decide(Tick(0), &mut Actions::default()).expect_err("a law is broken");
    error.to_string()
}

#[test]
fn a_policy_that_cuts_unlawfully_is_named() {
    const CU: CuId = CuId(0);
    let one = three(1, 0, 2);
    let small = altered(one, |it| it.demand.lds = 1);
    for barrier in [Barrier::Yes, Barrier::Assumed] {
        let related = broken(one.with_barrier(barrier), |entry, round| round.cut_one(entry, CU));
        assert!(related.contains("law 8: k1 is cut, whose waves may meet"), "{related}");
    }
    let others: [fn(&ReadyLaunch, &mut Round) -> Answer; 7] = [
        // After its first part, the workgroup starts as a whole, wave by wave, or is assigned: all
        // break law 8.
        |entry, round| match entry.cut() {
            0 => round.cut_one(entry, CU),
            _ => round.start_one(entry, CU),
        },
        |entry, round| {
            let answer = round.cut_one(entry, CU);
            let waves = WaveSpan::Range { first: entry.cut(), count: 1 };
            if entry.cut() == 0 {
                answer
            } else {
                Answer::Start { launch: entry.launch().id, waves }
            }
        },
        |entry, round| match entry.cut() {
            0 => round.cut_one(entry, CU),
            _ => Answer::Assign { launch: entry.launch().id, workgroup: entry.next(), cu: CU },
        },
        // Wrong parts are the first wave twice, the second wave first, a part of a later workgroup,
        // and two parts in one answer.
        |entry, round| round.cut_one(&entry.with_cut(0), CU),
        |entry, round| round.cut_one(&entry.with_cut(entry.cut() + 1), CU),
        |entry, round| round.cut_one(&entry.with_next(entry.next() + 1), CU),
        |entry, round| {
            round.pieces.push(Piece::one(entry.next() + 1, CU));
            round.cut_one(entry, CU)
        },
    ];
    for (number, answer) in others.into_iter().enumerate() {
        let error = broken(small, answer);
        assert!(error.contains("law 8"), "{number}: {error}");
    }
    let over = broken(one, |entry, round| round.cut_one(entry, CU));
    assert!(over.contains("law 2: k1 does not fit on cu0"), "{over}");
}

/// Returns the log's lines of starts and ends of launch `k1`, each from the word `launch` on.
fn logged(detail: Detail, addresses: bool) -> Vec<String> {
    let header = LogHeader::new(Recipe::default(), "any", SHAPE, 1).with_detail(detail);
    let sink = Sink::default();
    let log = header.writer(Box::new(sink.clone()));
    let policy = Cuts { addresses };
    let mut d =
        Composed::builder(SHAPE, 1).allocate("cuts", policy).log(log).build().expect("it builds");
    let mut launch = three(1, 0, 1);
    launch.demand.waves = 2;
    step(&mut d, 0, &[joined(0), ready(launch)]);
    step(&mut d, 5, &[ended(1, 1, &FIRST), ended(1, 0, &FIRST)]);
    d.finish().expect("written");
    let of = |line: &str| {
        line.contains("\"pieces\"").then(|| line[line.find("\"launch").unwrap_or(0)..].to_owned())
    };
    sink.text().lines().filter_map(of).collect()
}

#[test]
fn the_log_says_which_waves_are_a_part() {
    let plain = [
        r#""launch":1,"cut":[0,1],"pieces":[[0,1,1,0,1]]}"#,
        r#""launch":1,"cut":[1,1],"pieces":[[0,1,1,0,1]]}"#,
        r#""launch":1,"cut":[1,1],"pieces":[[0,1,1,0,1]]}"#,
        r#""launch":1,"cut":[0,1],"pieces":[[0,1,1,0,1]]}"#,
    ];
    assert_eq!(logged(Detail::Answers, false), plain);
    assert_eq!(logged(Detail::Full, false), plain);
    for (detail, behind) in [
        (Detail::Full, r#"]],"places":[[1,2,0,4]]}"#),
        (Detail::Answers, r#"]],"addresses":"77525c04"}"#),
    ] {
        let mut addressed = plain.map(str::to_owned);
        for start in &mut addressed[..2] {
            *start = start.replace("]]}", behind);
        }
        assert_eq!(logged(detail, true), addressed);
    }
}
