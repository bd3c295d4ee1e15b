//! Does the test kit let a policy pass that cuts workgroups lawfully, and catch each that does not?

use proptest::prelude::*;
use raddle_policy::{
    Allocate, Answer, Barrier, CuId, Demand, Piece, Place, ReadyLaunch, ReadyView, Round, Tick,
    WaveSpan,
};
use raddle_testkit::{
    Scenario, World, check_allocate, check_bulk, examine_allocate, examine_bulk, launch, render,
    scenario, scenario_with,
};

use crate::laws;

/// The law-breaking habit of a test policy that cuts workgroups into waves; `None` keeps the laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    /// The policy cuts also workgroups whose waves may meet at a barrier.
    Related,
    /// The policy starts the workgroup as a whole after it has started its first wave alone.
    ThenWhole,
    /// The policy starts the first wave as a cut, and the others by `WaveSpan::Range`.
    ThenRange,
    /// The policy assigns the workgroup to a compute unit after it has started its first wave.
    ThenAssigned,
    /// The policy starts the first wave of a workgroup again and again.
    FirstAgain,
    /// The policy starts a workgroup with its second wave and leaves out the first.
    Late,
    /// The policy cuts the workgroup behind the next one.
    Skips,
    /// The policy cuts two workgroups in one answer.
    TwoAtOnce,
    /// The policy answers with a cut of no waves.
    Empty,
    /// The policy starts one more wave than the workgroup has left.
    TooMany,
    /// The policy looks only for room for the wave, and not for the workgroup's share of slots and
    /// LDS.
    NoShare,
    /// The policy places a wave on another compute unit when it is asked in bulk than when asked
    /// one by one.
    Elsewhere,
}

/// A policy that cuts every workgroup without barriers into single waves, each on the lowest
/// compute unit with room, unless its flaw says otherwise.
#[derive(Clone, Copy)]
struct Cuts(Flaw);

impl Cuts {
    fn part(self, ready: &ReadyView<'_>, entry: &ReadyLaunch) -> Option<CuId> {
        let one = Demand { waves: 1, ..entry.launch().demand };
        let fits = |&cu: &CuId| match self.0 {
            Flaw::NoShare => ready.cus().wave_room(cu, &one) > 0,
            _ => ready.cus().room(cu, &one) > 0,
        };
        ready.cus().ids().find(fits)
    }

    fn cut(self, entry: &ReadyLaunch, cu: CuId, round: &mut Round) -> Answer {
        let launch = entry.launch().id;
        let whole = entry.launch().demand.waves;
        let (started, first) = (entry.cut() > 0, entry.cut());
        let answer = round.cut_one(entry, cu);
        let cut = |first, count| Answer::Start { launch, waves: WaveSpan::Cut { first, count } };
        match self.0 {
            Flaw::ThenWhole if started => Answer::Start { launch, waves: WaveSpan::All },
            Flaw::ThenRange if started => {
                Answer::Start { launch, waves: WaveSpan::Range { first, count: 1 } }
            }
            Flaw::ThenAssigned if started => Answer::Assign { launch, workgroup: entry.next(), cu },
            Flaw::FirstAgain => cut(0, 1),
            Flaw::Late => cut(first + 1, 1),
            Flaw::Skips => {
                round.pieces[0].first += 1;
                answer
            }
            Flaw::TwoAtOnce => {
                round.pieces.push(Piece::one(entry.next() + 1, cu));
                answer
            }
            Flaw::Empty => cut(first, 0),
            Flaw::TooMany => cut(first, whole - first + 1),
            _ => answer,
        }
    }
}

impl Allocate for Cuts {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
            let demand = entry.launch().demand;
            if entry.launch().barrier == Barrier::No || self.0 == Flaw::Related {
                if let Some(cu) = self.part(ready, entry) {
                    return self.cut(entry, cu, round);
                }
            } else if let Some(cu) = ready.cus().ids().find(|&cu| ready.cus().room(cu, &demand) > 0)
            {
                return round.start_one(entry, cu);
            }
        }
        Answer::WAIT
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let answer = self.allocate(ready, now, round);
        if let (Flaw::Elsewhere, Answer::Start { waves: WaveSpan::Cut { .. }, launch }) =
            (self.0, answer)
        {
            let of = |entry: &&ReadyLaunch| entry.launch().id == launch;
            let entry = ready.launches().iter().find(of).expect("it starts");
            let one = Demand { waves: 1, ..entry.launch().demand };
            let fits = |&cu: &CuId| ready.cus().room(cu, &one) > 0;
            round.pieces[0].cu = ready.cus().ids().filter(fits).last().expect("one fits");
        }
        answer
    }
}

fn caught(flaw: Flaw) -> Vec<u8> {
    laws(scenario_with(true), |s| examine_allocate(&[], || Cuts(flaw), s))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_policy_that_cuts_keeps_the_laws(scenario in scenario()) {
        check_allocate(|| Cuts(Flaw::None), &scenario);
        check_bulk(|| Cuts(Flaw::None), &scenario);
        // Everything starts: a part fits wherever a workgroup does.
        let run = World::play(&scenario, &mut Cuts(Flaw::None)).expect("lawful");
        prop_assert_eq!(run.unstarted, []);
    }
}

#[test]
fn every_breach_of_law_8_is_caught() {
    assert_eq!(caught(Flaw::None), Vec::<u8>::new());
    for flaw in [
        Flaw::Related,
        Flaw::ThenWhole,
        Flaw::ThenRange,
        Flaw::ThenAssigned,
        Flaw::FirstAgain,
        Flaw::Late,
        Flaw::Skips,
        Flaw::TwoAtOnce,
        Flaw::Empty,
        Flaw::TooMany,
    ] {
        assert_eq!(caught(flaw), [8], "{flaw:?}");
    }
}

#[test]
fn a_part_needs_its_share_of_the_compute_unit() {
    assert_eq!(caught(Flaw::NoShare), [2]);
}

#[test]
fn in_bulk_the_parts_lie_where_they_lie_one_by_one() {
    let in_bulk = |flaw| laws(scenario_with(true), |s| examine_bulk(|| Cuts(flaw), s));
    assert_eq!(in_bulk(Flaw::None), Vec::<u8>::new());
    assert_eq!(in_bulk(Flaw::Elsewhere), [5]);
    assert_eq!(caught(Flaw::Elsewhere), Vec::<u8>::new());
}

/// A policy that cuts each workgroup into waves on compute unit 0, at LDS addresses of its own
/// choice.
#[derive(Clone, Copy)]
struct Addressed {
    /// Distance in LDS granules between the starts of neighbouring waves; below the demand they
    /// overlap.
    apart: u32,
}

impl Allocate for Addressed {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let Some(entry) = ready.launches().first() else { return Answer::WAIT };
        let lds = u32::from(entry.cut()) * self.apart;
        round.places.push(Place { lds, ..Place::default() });
        round.cut_one(entry, CuId(0))
    }
}

#[test]
fn each_part_has_an_lds_start_of_its_own() {
    let demand = Demand { waves: 2, lds: 4, ..Demand::default() };
    let launches = vec![launch(1).demand(demand).build()];
    let scenario = Scenario { launches, ..Scenario::example() };
    let examine = |apart| examine_allocate(&[], || Addressed { apart }, &scenario);
    assert_eq!(examine(4), Ok(()));
    for apart in [0, 3, 5] {
        let breach = examine(apart).expect_err("they overlap, or leave the unit");
        assert!(breach.law == 2 && breach.what.contains("LDS addresses"), "{breach}");
    }
}

/// The table that is expected of a run in which `k2`, of four waves, fits nowhere as a whole: each
/// wave takes 5 of 8 LDS granules of its unit, so the third waits until one of the first two has
/// ended, though wave slots are free.
const TABLE: &str = "\
\x20  t  launch  answer   pieces / refusals
   0  k0      start    w0@cu0
   0  k0      start    w1@cu0
   0  k0      start    w2@cu0
   0  k0      start    w3@cu0
   0  k0      start    w4@cu1
   0  k0      start    w5@cu1
   0  k2      start    w0@cu1 cut 0+1
1000  k0      (ended)  w1+1x2@cu0
1000  k2      start    w0@cu0 cut 1+1
2000  k0      (ended)  w5@cu1
2000  k2      (ended)  w0@cu1 cut 0+1
2000  k2      (ended)  w0@cu0 cut 1+1
2000  k2      start    w0@cu0 cut 2+1
2000  k2      start    w0@cu1 cut 3+1
3000  k0      (ended)  w4@cu1
4000  k0      (ended)  w0+3x2@cu0
5000  k2      (ended)  w0@cu1 cut 3+1
6000  k2      (ended)  w0@cu0 cut 2+1
";

#[test]
fn parts_are_rendered() {
    let mut scenario = Scenario::example();
    scenario.launches = vec![scenario.launches[0], scenario.launches[2]];
    (scenario.launches[0].barrier, scenario.launches[0].workgroups) = (Barrier::Yes, 6);
    (scenario.launches[1].barrier, scenario.launches[1].workgroups) = (Barrier::No, 1);
    scenario.launches[1].demand.lds = 5;
    let table = render(&mut Cuts(Flaw::None), &scenario).expect("keeps the laws");
    assert_eq!(table, TABLE);
}
