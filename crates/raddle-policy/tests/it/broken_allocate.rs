//! Does the test kit catch each broken law of `Allocate`, under its number, and no sound policy?

use std::cell::Cell;
use std::rc::Rc;

use raddle_policy::{
    Allocate, Answer, CuId, Fact, Launch, LaunchId, Piece, Place, Preemption, ReadyLaunch,
    ReadyView, Refusal, Resource, Round, Tick, WaveSpan,
};
use raddle_testkit::{
    Scenario, check_allocate_except, examine_allocate, examine_bulk, scenario_with, wide_scenario,
};

use crate::laws;

pub(crate) const NONE: [u8; 0] = [];

pub(crate) fn caught<P: Allocate + Clone>(make: impl Fn() -> P) -> Vec<u8> {
    laws(scenario_with(true), |s| examine_allocate(&[], &make, s))
}

fn caught_in_bulk<P: Allocate>(make: impl Fn() -> P) -> Vec<u8> {
    laws(scenario_with(true), |s| examine_bulk(&make, s))
}

/// Returns the first launch of the view with a workgroup that fits on a compute unit, and the lowest unit on which it
/// fits; `None` if nothing fits.
pub(crate) fn first_fit<'a>(ready: &ReadyView<'a>) -> Option<(&'a ReadyLaunch, CuId)> {
    ready.launches().iter().find_map(|entry| {
        let fits = |&cu: &CuId| ready.cus().room(cu, &entry.launch().demand) > 0;
        let cu = ready.cus().ids().find(fits).filter(|_| entry.undistributed() > 0)?;
        Some((entry, cu))
    })
}

pub(crate) fn refuse_all(ready: &ReadyView<'_>, round: &mut Round) -> Answer {
    for entry in ready.launches() {
        round.refuse(ready.cus().refusal(CuId(0), entry.launch()));
    }
    Answer::WAIT
}

const fn start(launch: LaunchId) -> Answer {
    let waves = WaveSpan::All;
    Answer::Start { launch, waves }
}

/// A policy made of some memory and one function, which gives its answers.
#[derive(Clone)]
pub(crate) struct Toy<M>(pub(crate) M, pub(crate) fn(&mut M, &ReadyView<'_>, &mut Round) -> Answer);

impl<M> Allocate for Toy<M> {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        (self.1)(&mut self.0, ready, round)
    }
}

/// A function that answers for a launch and the lowest compute unit on which its next workgroup fits.
type Start = fn(&ReadyLaunch, CuId, &mut Round) -> Answer;

fn started(start: &mut Start, ready: &ReadyView<'_>, round: &mut Round) -> Answer {
    first_fit(ready).map_or(Answer::WAIT, |(entry, cu)| start(entry, cu, round))
}

pub(crate) fn sound<M>(_: &mut M, ready: &ReadyView<'_>, round: &mut Round) -> Answer {
    match first_fit(ready) {
        Some((entry, cu)) => round.start_one(entry, cu),
        None => refuse_all(ready, round),
    }
}

/// A sound policy that starts many workgroups in one answer, on the lowest compute unit; each field that is true makes
/// the policy break a law of `Allocate`.
#[derive(Clone, Default)]
pub(crate) struct Bulk {
    other_cu: bool,
    two_at_once: bool,
    reversed: bool,
}

impl Allocate for Bulk {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        if self.two_at_once {
            return self.allocate_round(ready, now, round);
        }
        sound(&mut (), ready, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let Some((entry, mut cu)) = first_fit(ready) else {
            return refuse_all(ready, round);
        };
        if self.other_cu {
            let fits = |&cu: &CuId| ready.cus().room(cu, &entry.launch().demand) > 0;
            cu = ready.cus().ids().filter(fits).last().expect("one fits");
        }
        let room = u64::from(ready.cus().room(cu, &entry.launch().demand));
        let count = u32::try_from(room.min(entry.undistributed())).expect("room is a u32");
        if self.reversed {
            let all = entry.next()..entry.next() + u64::from(count);
            round.pieces.extend(all.rev().map(|workgroup| Piece::one(workgroup, cu)));
        } else {
            let (first, stride) = (entry.next(), 1);
            round.pieces.push(Piece { first, stride, count, cu });
        }
        start(entry.launch().id)
    }
}

/// A policy that starts two workgroups in one answer, each in a part of its own; with `again` both parts name the first
/// workgroup, which breaks a law.
#[derive(Clone, Default)]
struct InParts {
    again: bool,
}

impl Allocate for InParts {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        sound(&mut (), ready, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let Some((entry, cu)) = first_fit(ready) else {
            return refuse_all(ready, round);
        };
        let answer = round.start_one(entry, cu);
        if entry.undistributed() > 1 && ready.cus().room(cu, &entry.launch().demand) > 1 {
            round.part(entry.launch().id, WaveSpan::All);
            let next = if self.again { entry.next() } else { entry.next() + 1 };
            round.pieces.push(Piece::one(next, cu));
        }
        answer
    }
}

/// A lawful policy that assigns every workgroup to a compute unit first, then starts it wave by
/// wave.
#[derive(Clone, Default)]
struct WaveByWave {
    bound: Vec<(Launch, u64, CuId, u16)>,
}

impl Allocate for WaveByWave {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        for &(launch, workgroup, cu, first) in &self.bound {
            let fits = if first == 0 {
                ready.cus().room(cu, &launch.demand) > 0
            } else {
                // With one workgroup of one launch on a unit, all of its waves fit if its first
                // wave did.
                true
            };
            if fits && ready.launches().iter().any(|entry| entry.launch().id == launch.id) {
                round.pieces.push(Piece::one(workgroup, cu));
                let waves = WaveSpan::Range { first, count: 1 };
                return Answer::Start { launch: launch.id, waves };
            }
        }
        let slots = ready.cus().shape().workgroups;
        let empty = |&cu: &CuId| {
            ready.cus().free(cu).workgroups == u64::from(slots)
                && self.bound.iter().all(|bound| bound.2 != cu)
        };
        let entry = ready.launches().iter().find(|entry| entry.undistributed() > 0);
        match (entry, ready.cus().ids().find(empty)) {
            (Some(entry), Some(cu)) => {
                Answer::Assign { launch: entry.launch().id, workgroup: entry.next(), cu }
            }
            _ => Answer::WAIT,
        }
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        match *fact {
            Fact::Assigned { launch, workgroup, cu } => {
                self.bound.push((*launch, workgroup, cu, 0));
            }
            Fact::Started { launch, pieces, .. } => {
                for bound in &mut self.bound {
                    bound.3 += u16::from((bound.0.id, bound.1) == (launch.id, pieces[0].first));
                }
                self.bound.retain(|bound| bound.3 < bound.0.demand.waves);
            }
            _ => {}
        }
    }
}

/// Starts the next workgroup on an empty compute unit, with register addresses `step` times as far
/// apart as they should be: 1 is sound, 0 makes waves overlap, 9 makes them leave the unit.
fn addressed(step: u16, ready: &ReadyView<'_>, round: &mut Round) -> Answer {
    let shape = *ready.cus().shape();
    let empty = |&cu: &CuId| ready.cus().free(cu).workgroups == u64::from(shape.workgroups);
    let (Some(entry), Some(cu)) = (ready.launches().first(), ready.cus().ids().find(empty)) else {
        return Answer::WAIT;
    };
    let demand = entry.launch().demand;
    let simds = u16::from(shape.simds);
    round.places.extend((0..demand.waves).map(|wave| Place {
        simd: u8::try_from(wave % simds).expect("at most 8"),
        vgpr: wave / simds * demand.vgpr * step,
        sgpr: wave.wrapping_mul(demand.sgpr),
        lds: 0,
    }));
    round.start_one(entry, cu)
}

#[test]
fn sound_policies_pass() {
    let reversed = || Bulk { reversed: true, ..Bulk::default() };
    assert_eq!(caught(|| Toy((), sound)), NONE);
    assert_eq!(caught(Bulk::default), NONE);
    assert_eq!(caught(reversed), NONE);
    assert_eq!(caught(WaveByWave::default), NONE);
    assert_eq!(caught(|| Toy((), |(), ready, round| addressed(1, ready, round))), NONE);
    assert_eq!(caught_in_bulk(|| Toy((), sound)), NONE);
    assert_eq!(caught_in_bulk(Bulk::default), NONE);
    assert_eq!(caught_in_bulk(reversed), NONE);
    assert_eq!(
        (caught_in_bulk(InParts::default), caught(InParts::default)),
        ([].into(), [].into())
    );
    assert_eq!(caught_in_bulk(|| InParts { again: true }), [1]);
    assert_eq!(caught_in_bulk(WaveByWave::default), NONE);
}

#[test]
fn law_1_the_next_workgroups_each_once() {
    let flaws: [(&str, Start); 7] = [
        ("skips", |entry, cu, round| {
            round.pieces.push(Piece::one(entry.next() + 1, cu));
            start(entry.launch().id)
        }),
        ("twice", |entry, cu, round| {
            round.start_one(entry, cu);
            round.start_one(entry, cu)
        }),
        ("unknown launch", |entry, cu, round| {
            round.start_one(entry, cu);
            start(LaunchId(999))
        }),
        ("nothing", |entry, _, _| start(entry.launch().id)),
        ("huge piece", |entry, cu, round| {
            let (first, stride, count) = (u64::MAX, u32::MAX, u32::MAX);
            round.pieces.push(Piece { first, stride, count, cu });
            start(entry.launch().id)
        }),
        ("second wave first", |entry, cu, round| {
            round.start_one(entry, cu);
            let waves = WaveSpan::Range { first: 1, count: 1 };
            Answer::Start { launch: entry.launch().id, waves }
        }),
        ("assigns another", |entry, cu, _| Answer::Assign {
            launch: entry.launch().id,
            workgroup: entry.next() + 1,
            cu,
        }),
    ];
    for (what, flaw) in flaws {
        assert_eq!(caught(|| Toy(flaw, started)), [1], "{what}");
    }
}

#[test]
fn law_2_no_over_commitment() {
    let crowd = Toy((), |(), ready, round| match ready.launches().first() {
        Some(entry) => round.start_one(entry, CuId(0)),
        None => Answer::WAIT,
    });
    assert_eq!(caught(|| crowd.clone()), [2]);
    // Enough registers are free, but the addresses of the waves of one SIMD overlap.
    assert_eq!(caught(|| Toy((), |(), ready, round| addressed(0, ready, round))), [2]);
    assert_eq!(caught(|| Toy((), |(), ready, round| addressed(9, ready, round))), [2]);
}

/// A policy that places one workgroup on each compute unit by an account of its own. With `deaf`
/// the account ignores that saved workgroups lose and get back their resources, which breaks a law.
#[derive(Clone, Default)]
struct OwnCount {
    lies: Vec<(LaunchId, u64, CuId)>,
    saved: Vec<(LaunchId, u64, CuId)>,
    deaf: bool,
}

impl Allocate for OwnCount {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let empty = |cu: &CuId| self.lies.iter().all(|it| it.2 != *cu);
        let entry = ready.launches().iter().find(|entry| entry.undistributed() > 0);
        match (entry, ready.cus().ids().find(empty)) {
            (Some(entry), Some(cu)) => round.start_one(entry, cu),
            _ => Answer::WAIT,
        }
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        match *fact {
            Fact::Started { launch, pieces, .. } => {
                self.lies.push((launch.id, pieces[0].first, pieces[0].cu));
            }
            Fact::Ended { launch, pieces, .. } => {
                let ended = |group: u64| pieces.iter().any(|piece| piece.names(group));
                self.lies.retain(|it| it.0 != launch.id || !ended(it.1));
            }
            Fact::TakenOff { launch, how } if how != Preemption::Drain => {
                let gone = self.lies.extract_if(.., |it| it.0 == launch.id).collect::<Vec<_>>();
                if how == Preemption::Switch {
                    self.saved.extend(gone);
                }
            }
            Fact::Returning { launch } if !self.deaf => {
                self.lies.extend(self.saved.extract_if(.., |it| it.0 == launch.id));
            }
            _ => {}
        }
    }
}

#[test]
fn law_2_also_for_what_was_taken_off_and_comes_back() {
    let own = |deaf| move || OwnCount { deaf, ..OwnCount::default() };
    let wide = |deaf| laws(wide_scenario(), |s| examine_allocate(&[], own(deaf), s));
    assert_eq!(wide(false), NONE);
    assert_eq!(wide(true), [2]);
    // No launch is ever taken off the device in the small scenarios.
    assert_eq!(caught(own(true)), NONE);
}

#[test]
fn law_3_the_same_answer_to_the_same_question() {
    // Clones of the policy share a counter.
    let shared = |turns: &mut Rc<Cell<usize>>, ready: &ReadyView<'_>, round: &mut Round| {
        turns.set(turns.get() + 1);
        let entry = first_fit(ready).map(|(entry, _)| entry);
        let fits = |entry: &ReadyLaunch| {
            let demand = entry.launch().demand;
            ready.cus().ids().filter(|&cu| ready.cus().room(cu, &demand) > 0).collect::<Vec<_>>()
        };
        match entry.map(|entry| (entry, fits(entry))) {
            Some((entry, cus)) => round.start_one(entry, cus[turns.get() % cus.len()]),
            None => Answer::WAIT,
        }
    };
    assert_eq!(caught(|| Toy(Rc::default(), shared)), [3]);
    // Clones of the policy agree with each other; a policy that is constructed anew does not.
    let made = Cell::new(0);
    let unlike = |odd: &mut bool, ready: &ReadyView<'_>, round: &mut Round| {
        let chosen = if *odd { first_fit(ready) } else { None };
        match chosen {
            Some((entry, cu)) => round.start_one(entry, cu),
            None => Answer::WAIT,
        }
    };
    let make = || {
        made.set(made.get() + 1);
        Toy(made.get() % 2 == 1, unlike)
    };
    assert_eq!(caught(make), [3]);
}

/// Starts the first launch on a compute unit that moves on with each question, also with one that
/// is answered with `Wait`: the later answers depend on how often the policy was asked (law 4).
fn rotating(turn: &mut usize, ready: &ReadyView<'_>, round: &mut Round) -> Answer {
    *turn += 1;
    let Some((entry, _)) = first_fit(ready) else {
        return Answer::WAIT;
    };
    let demand = entry.launch().demand;
    let fits: Vec<CuId> =
        ready.cus().ids().filter(|&cu| ready.cus().room(cu, &demand) > 0).collect();
    round.start_one(entry, fits[*turn % fits.len()])
}

#[test]
fn law_4_waiting_changes_nothing() {
    assert_eq!(caught(|| Toy(0, rotating)), [4]);
    let except = |s: &Scenario| examine_allocate(&[4], || Toy(0, rotating), s);
    assert_eq!(laws(scenario_with(true), except), NONE);
    let fickle = Toy(0u32, |asked, ready, round| match first_fit(ready) {
        Some((entry, cu)) => round.start_one(entry, cu),
        None => {
            *asked += 1;
            if *asked % 2 == 0 { Answer::WAIT } else { refuse_all(ready, round) }
        }
    });
    assert_eq!(caught(|| fickle.clone()), [4]);
    let sleepy = Toy(false, |slept, ready, round| match first_fit(ready) {
        Some((entry, cu)) if *slept => round.start_one(entry, cu),
        _ => {
            *slept = true;
            Answer::WAIT
        }
    });
    assert_eq!(caught(|| sleepy.clone()), [4]);
}

#[test]
fn law_5_bulk_answers_equal_single_ones() {
    let other_cu = || Bulk { other_cu: true, ..Bulk::default() };
    assert_eq!(caught_in_bulk(other_cu), [5]);
    assert_eq!(caught(other_cu), NONE);
    let two_at_once = || Bulk { two_at_once: true, ..Bulk::default() };
    assert_eq!(caught_in_bulk(two_at_once), [5]);
}

#[test]
fn law_6_a_refusal_says_what_lacks() {
    const fn lacks(launch: LaunchId, wanted: u64, cu: Option<CuId>) -> Refusal {
        let (resource, available) = (Resource::Lds, 3);
        Refusal { launch, cu, resource, wanted, available }
    }
    fn with(
        refusal: &mut fn(LaunchId) -> Refusal,
        ready: &ReadyView<'_>,
        round: &mut Round,
    ) -> Answer {
        let Some((entry, cu)) = first_fit(ready) else {
            round.refusals.extend(ready.launches().iter().map(|it| refusal(it.launch().id)));
            return Answer::WAIT;
        };
        round.start_one(entry, cu)
    }
    let flaws: [fn(LaunchId) -> Refusal; 3] = [
        // The flaws of a refusal: enough is free; its launch is not in the view; its compute unit
        // does not exist.
        |id| lacks(id, 3, None),
        |_| lacks(LaunchId(99), 4, None),
        |id| lacks(id, 4, Some(CuId(8))),
    ];
    for (number, flaw) in flaws.into_iter().enumerate() {
        assert_eq!(caught(|| Toy(flaw, with)), [6], "{number}");
    }
    let twice = Toy((), |(), ready, round| {
        let answer = sound(&mut (), ready, round);
        round.refusals.extend_from_within(..);
        answer
    });
    assert_eq!(caught(|| twice.clone()), [6]);
    let never = Toy((), |(), ready, round| match first_fit(ready) {
        Some((entry, cu)) => round.start_one(entry, cu),
        None => ready.launches().first().map_or(Answer::WAIT, |entry| Answer::Never {
            refusal: lacks(entry.launch().id, 0, None),
        }),
    });
    assert_eq!(caught(|| never.clone()), [6]);
}

#[test]
fn law_7_an_empty_view_is_answered_with_wait() {
    let restless = Toy((), |(), ready, round| match ready.launches() {
        [] => start(LaunchId(0)),
        _ => sound(&mut (), ready, round),
    });
    assert_eq!(caught(|| restless.clone()), [7]);
    // The policy breaks the law only once it has seen a launch, also while it still remembers that
    // launch.
    let remembers = Toy(None, |last: &mut Option<LaunchId>, ready, round| {
        let answer = sound(&mut (), ready, round);
        *last = ready.launches().last().map(|entry| entry.launch().id).or(*last);
        match (ready.launches(), *last) {
            ([], Some(launch)) => start(launch),
            _ => answer,
        }
    });
    assert_eq!(caught(|| remembers.clone()), [7]);
}

#[test]
#[should_panic(expected = "law 4 of Allocate is broken")]
fn the_panic_names_the_law() {
    check_allocate_except(&[], || Toy(0, rotating), &Scenario::example());
}

/// Asks to be called again at tick 0, which is over, when nothing fits: this breaks law 9.
fn hurries<M>(_: &mut M, ready: &ReadyView<'_>, round: &mut Round) -> Answer {
    match sound(&mut (), ready, round) {
        Answer::Wait { .. } => Answer::Wait { retry_at: Some(Tick::ZERO) },
        start => start,
    }
}

#[test]
fn law_9_a_retry_lies_ahead() {
    assert_eq!(caught(|| Toy((), hurries)), [9]);
}
