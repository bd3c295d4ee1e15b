//! Does the test kit catch each broken law of `Turn`, `Preempt` and `LaunchPath`?

use std::cell::Cell;
use std::rc::Rc;

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use raddle_policy::{
    Launch, LaunchPath, Preempt, Preemption, ProcessId, ProcessState, Submission, Tick, Ticks,
    Turn, VictimView,
};
use raddle_testkit::{
    check_launch_path, check_preempt, check_turn, examine_launch_path, examine_preempt,
    examine_turn, submissions, turn_scenario, victims,
};

use crate::laws;

const NONE: [u8; 0] = [];

pub(crate) type Named = Vec<ProcessId>;

/// A policy made of one function, which gets the number of questions so far; clones share the
/// count.
#[derive(Clone)]
struct Toy<F>(Rc<Cell<u32>>, F);

impl<F> Toy<F> {
    fn new(f: F) -> Self {
        Self(Rc::default(), f)
    }
}

impl<F: Fn(u32, &[ProcessState], Tick, &mut Named) -> Option<Tick>> Turn for Toy<F> {
    fn turn(&mut self, all: &[ProcessState], now: Tick, named: &mut Named) -> Option<Tick> {
        self.0.set(self.0.get() + 1);
        (self.1)(self.0.get(), all, now, named)
    }
}

type TurnAnswer = fn(u32, &[ProcessState], Tick, &mut Named) -> Option<Tick>;

fn turn_laws(f: TurnAnswer) -> Vec<u8> {
    laws(turn_scenario(), |s| examine_turn(|| Toy::new(f), s))
}

pub(crate) fn everyone(all: &[ProcessState], named: &mut Named) {
    named.extend(all.iter().map(|state| state.id));
}

#[test]
fn turn() {
    let sound = turn_laws(|_, all, now, named| {
        everyone(all, named);
        Some(now + Ticks(7))
    });
    assert_eq!(sound, NONE);
    let flaws: [(u8, TurnAnswer); 5] = [
        (1, |_, all, _, named| {
            everyone(all, named);
            named.push(ProcessId(77));
            None
        }),
        (1, |_, all, _, named| {
            everyone(all, named);
            everyone(all, named);
            None
        }),
        (2, |_, _, _, _| None),
        (3, |_, all, now, named| {
            everyone(all, named);
            Some(now)
        }),
        (4, |asked, all, _, named| {
            let chosen = all.get(asked as usize % all.len().max(1));
            named.extend(chosen.map(|state| state.id));
            None
        }),
    ];
    for (law, flaw) in flaws {
        assert_eq!(turn_laws(flaw), [law]);
    }
}

#[test]
fn a_turn_that_differs_from_run_to_run_is_caught() {
    let made = Cell::new(0);
    let found = laws(turn_scenario(), |s| {
        let make = || {
            made.set(made.get() + 1);
            let span = Ticks(made.get());
            Toy::new(move |_: u32, all: &[ProcessState], now: Tick, named: &mut Named| {
                everyone(all, named);
                Some(now + span)
            })
        };
        examine_turn(make, s)
    });
    assert_eq!(found, [4]);
}

impl<F: Fn(u32, &VictimView<'_>) -> Option<Preemption>> Preempt for Toy<F> {
    fn preempt(&mut self, victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        self.0.set(self.0.get() + 1);
        (self.1)(self.0.get(), victim)
    }
}

fn preempt_laws(f: fn(u32, &VictimView<'_>) -> Option<Preemption>) -> Vec<u8> {
    laws(victims(), |s| examine_preempt(|| Toy::new(f), s))
}

/// Gives another answer for each question, which breaks the law that equal arguments get equal
/// answers.
pub(crate) fn fickle(asked: u32, _: &VictimView<'_>) -> Option<Preemption> {
    Some(if asked.is_multiple_of(2) { Preemption::Flag } else { Preemption::Wait })
}

#[test]
fn preempt() {
    let sound = preempt_laws(|_, victim| {
        assert!(!victim.launches().is_empty());
        let killable = |it: &raddle_policy::VictimLaunch| it.launch().idempotent.may_be_killed();
        if victim.launches().iter().all(killable) {
            Some(Preemption::Reset)
        } else {
            Some(Preemption::Drain)
        }
    });
    assert_eq!(sound, NONE);
    assert_eq!(preempt_laws(fickle), [1]);
}

impl<F: Fn(u32, &Launch) -> Submission> LaunchPath for Toy<F> {
    fn submit(&mut self, launch: &Launch) -> Submission {
        self.0.set(self.0.get() + 1);
        (self.1)(self.0.get(), launch)
    }
}

fn path_laws(f: fn(u32, &Launch) -> Submission) -> Vec<u8> {
    laws(submissions(), |s| examine_launch_path(|| Toy::new(f), s))
}

pub(crate) const fn packets(packets: u32) -> Submission {
    let (bytes, cost) = (64 * packets as u64, Ticks(0));
    Submission { packets, bytes, cost, cleanup: raddle_policy::Ticks::ZERO }
}

#[test]
fn launch_path() {
    assert_eq!(path_laws(|_, _| packets(1)), NONE);
    // The test kit asks the policy and a copy of it in turn; each launch after the first joins its
    // packet.
    assert_eq!(path_laws(|asked, _| packets(u32::from(asked <= 2))), NONE);
    assert_eq!(path_laws(|asked, _| packets(u32::from(asked > 2))), [1]);
    assert_eq!(path_laws(|_, launch| packets(u32::from(launch.stream.0 > 0))), [1]);
    assert_eq!(path_laws(|asked, _| packets(asked)), [2]);
    // Clones of a launch path that answer differently are also found after the first launch.
    assert_eq!(path_laws(|asked, _| packets(if asked <= 2 { 1 } else { asked })), [2]);
    check_launch_path(|| Toy::new(|_: u32, _: &Launch| packets(0)), &[]);
}

#[test]
fn a_launch_path_that_differs_from_run_to_run_is_caught() {
    let made = Cell::new(0);
    let found = laws(submissions(), |s| {
        let make = || {
            made.set(made.get() + 1);
            let each = made.get();
            Toy::new(move |_: u32, _: &Launch| packets(each))
        };
        examine_launch_path(make, s)
    });
    assert_eq!(found, [2]);
}

#[test]
#[should_panic(expected = "law 1 of LaunchPath is broken")]
fn the_panic_of_a_launch_path_names_the_law() {
    let launch = raddle_testkit::Scenario::example().launches[0];
    check_launch_path(|| Toy::new(|_: u32, _: &Launch| packets(0)), &[launch]);
}

#[test]
#[should_panic(expected = "law 1 of Preempt is broken")]
fn the_panic_of_a_preemption_names_the_law() {
    let mut runner = TestRunner::deterministic();
    let victims = victims().new_tree(&mut runner).expect("no filters").current();
    check_preempt(|| Toy::new(fickle), &victims);
}

#[test]
#[should_panic(expected = "law 2 of Turn is broken")]
fn the_panic_of_a_turn_names_the_law() {
    let step = raddle_testkit::TurnStep { runnable: 1, levels: vec![0], lasts: Ticks(5) };
    let scenario = raddle_testkit::TurnScenario { shares: vec![1], steps: vec![step] };
    let nobody = |_: u32, _: &[ProcessState], _: Tick, _: &mut Named| None;
    check_turn(|| Toy::new(nobody), &scenario);
}
