//! Does the test kit catch policies that mind refills and deny it?

use raddle_policy::{
    Allocate, Answer, CuId, Fact, Free, Launch, LaunchPath, Preempt, Preemption, ProcessState,
    Rank, Ranked, ReadyView, Round, Submission, Tick, Ticks, Turn, VictimView,
};
use raddle_testkit::{
    examine_launch_path, examine_preempt, examine_turn, submissions, turn_scenario, victims,
};

use crate::broken_allocate::{NONE, caught, first_fit, refuse_all};
use crate::broken_others::{Named, everyone, fickle, packets};
use crate::laws;

/// A policy that says that it does not mind refills, and counts the workgroups that end.
#[derive(Clone, Default)]
struct Forgetful(u32);

impl Forgetful {
    fn hear(&mut self, fact: &Fact<'_>) {
        self.0 += u32::from(matches!(fact, Fact::Ended { .. }));
    }
}

impl Turn for Forgetful {
    fn turn(&mut self, all: &[ProcessState], now: Tick, named: &mut Named) -> Option<Tick> {
        everyone(all, named);
        Some(now + Ticks(u64::from(self.0) + 1))
    }
    fn minds_refills(&self) -> bool {
        false
    }
    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        self.hear(fact);
    }
}

impl Preempt for Forgetful {
    fn preempt(&mut self, victim: &VictimView<'_>, _now: Tick) -> Option<Preemption> {
        fickle(self.0, victim)
    }
    fn minds_refills(&self) -> bool {
        false
    }
    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        self.hear(fact);
    }
}

impl LaunchPath for Forgetful {
    fn submit(&mut self, _launch: &Launch) -> Submission {
        packets(self.0 + 1)
    }
    fn minds_refills(&self) -> bool {
        false
    }
    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        self.hear(fact);
    }
}

#[test]
fn policies_of_three_slots_that_mind_refills_are_caught() {
    assert_eq!(laws(turn_scenario(), |s| examine_turn(Forgetful::default, s)), [7]);
    assert_eq!(laws(victims(), |s| examine_preempt(Forgetful::default, s)), [2]);
    assert_eq!(laws(submissions(), |s| examine_launch_path(Forgetful::default, s)), [3]);
}

/// A policy that says that it does not mind refills; with `counts` it places by the number of
/// workgroups that have ended.
#[derive(Clone, Default)]
struct Counting {
    counts: bool,
    ended: u64,
}

impl Allocate for Counting {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let Some((entry, first)) = first_fit(ready) else { return refuse_all(ready, round) };
        let fits = |&cu: &CuId| ready.cus().room(cu, &entry.launch().demand) > 0;
        let other = ready.cus().ids().filter(fits).last().unwrap_or(first);
        let chosen = if self.counts && self.ended % 2 == 1 { other } else { first };
        round.start_one(entry, chosen)
    }

    fn minds_refills(&self) -> bool {
        false
    }

    fn observe(&mut self, fact: &Fact<'_>, _now: Tick) {
        if let Fact::Ended { pieces, .. } = fact {
            self.ended += pieces.iter().map(|piece| u64::from(piece.count)).sum::<u64>();
        }
    }
}

#[test]
fn an_allocate_policy_that_minds_refills_is_caught() {
    assert_eq!(caught(Counting::default), NONE);
    assert_eq!(caught(|| Counting { counts: true, ended: 0 }), [11]);
}

/// An order that says whether it minds refills, by its only field.
#[derive(Clone, Copy)]
struct Fullest(bool);

impl Rank for Fullest {
    fn unit(&self, _: &Launch, room: u32, _: &Free) -> u64 {
        room.into()
    }

    fn minds_refills(&self) -> bool {
        self.0
    }
}

#[test]
fn an_order_says_for_its_policy_whether_it_minds_refills() {
    for minds in [false, true] {
        assert_eq!(Ranked::new(Fullest(minds)).minds_refills(), minds);
        assert_eq!(caught(|| Ranked::new(Fullest(minds))), NONE);
    }
}
