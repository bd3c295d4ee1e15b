//! Do assigned workgroups that had not started go back to undistributed when a launch is saved?

use std::sync::{Arc, Mutex};

use raddle_dispatch::Composed;
use raddle_dispatch::slots::HighestLevel;
use raddle_policy::{
    Allocate, Answer, CuId, Fact, LaunchId, Piece, Preemption, ReadyView, Round, Tick, WaveSpan,
};
use raddle_preempt::policy::ByRule;

use crate::composed::{SHAPE, ended, joined, launch, ready, restored, step, taken_off};

/// Observations of the policy about launch 1: the next workgroup, the end of its run and the number of
/// assigned workgroups, or the name of a fact.
type Seen = Arc<Mutex<Vec<String>>>;

/// A policy that assigns five workgroups of launch 1 and starts the second and fourth; after that,
/// undistributed workgroups start whole on unit 1. Other launches start whole on unit 0.
struct Scripted {
    step: u32,
    seen: Seen,
}

impl Allocate for Scripted {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let Some(entry) = ready.launches().iter().find(|entry| entry.launch().id == LaunchId(1))
        else {
            let other = ready.launches().iter().find(|entry| entry.undistributed() > 0);
            return other.map_or(Answer::WAIT, |entry| round.start_one(entry, CuId(0)));
        };
        let (next, end) = (entry.next(), entry.launch().workgroups);
        self.seen
            .lock()
            .expect("no panic before")
            .push(format!("{next}..{end}, {} assigned", entry.assigned()));
        self.step += 1;
        let launch = entry.launch().id;
        match self.step {
            1..=5 => Answer::Assign { launch, workgroup: next, cu: CuId(0) },
            6 | 7 => {
                round.pieces.push(Piece::one(u64::from(self.step) * 2 - 11, CuId(0)));
                Answer::Start { launch, waves: WaveSpan::Range { first: 0, count: 1 } }
            }
            8 => Answer::WAIT,
            _ if entry.undistributed() > 0 => {
                let count = entry.undistributed() as u32;
                round.pieces.push(Piece { first: next, stride: 1, count, cu: CuId(1) });
                Answer::Start { launch, waves: WaveSpan::All }
            }
            _ => Answer::WAIT,
        }
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        let mut seen = self.seen.lock().expect("no panic before");
        match fact {
            Fact::TakenOff { .. } => seen.push("taken off".into()),
            Fact::Returning { .. } => seen.push("returning".into()),
            Fact::Restored { .. } => seen.push("restored".into()),
            _ => {}
        }
    }
}

#[test]
fn runs_of_returned_workgroups_come_first_and_the_saved_ones_stay_where_they_were() {
    let seen = Seen::default();
    let mut d = Composed::builder(SHAPE, 2)
        .turn("highest-level", HighestLevel)
        .preempt("switch", ByRule::fixed(Preemption::Switch))
        .allocate("scripted", Scripted { step: 0, seen: seen.clone() })
        .build()
        .expect("it builds");
    let mut two = launch(1, 1, 6);
    two.demand.waves = 2;
    step(&mut d, 0, &[joined(0), joined(1), ready(two)]);
    assert_eq!(
        step(&mut d, 5, &[ready(launch(2, 0, 1))]),
        ["switch k1", "submit k2", "start 1 of k2"]
    );
    step(&mut d, 6, &[taken_off(1, Preemption::Switch)]);
    assert_eq!(step(&mut d, 10, &[ended(2, &[Piece::one(0, CuId(0))])]), ["restore k1"]);
    let started = step(&mut d, 11, &[restored(1)]);
    assert_eq!(started, ["start 1 of k1", "start 1 of k1", "start 2 of k1"]);
    let waves = d.cus().free(CuId(0)).waves;
    assert_eq!(waves, 8 - 2, "a wave of each of the two that had begun");
    let seen = seen.lock().expect("no panic before");
    let expected = [
        "0..6, 0 assigned",
        "1..6, 1 assigned",
        "2..6, 2 assigned",
        "3..6, 3 assigned",
        "4..6, 4 assigned",
        "5..6, 5 assigned",
        "5..6, 5 assigned",
        "5..6, 5 assigned",
        "taken off",
        "returning",
        "restored",
        // Workgroups 0, 2 and 4 are undistributed again; 1 and 3 have waves left to start.
        "0..1, 2 assigned",
        "2..3, 2 assigned",
        "4..6, 2 assigned",
        "6..6, 2 assigned",
    ];
    assert_eq!(seen[..], expected);
}
