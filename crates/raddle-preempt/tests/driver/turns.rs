//! Does an arbiter turn the answers of turn and preempt policies into the right wishes?

use raddle_policy::{
    Level, Preempt, Preemption, ProcessId, ProcessState, Tick, Turn, VictimLaunch, VictimView,
};
use raddle_preempt::{Arbiter, Decided, PreemptError, Standing, Wish};

const A: ProcessId = ProcessId(0);
const B: ProcessId = ProcessId(1);
const C: ProcessId = ProcessId(2);

/// A turn policy that always names these processes, until this tick.
struct Says(Vec<ProcessId>, Option<Tick>);

impl Turn for Says {
    fn turn(&mut self, _: &[ProcessState], _: Tick, may: &mut Vec<ProcessId>) -> Option<Tick> {
        may.extend(&self.0);
        self.1
    }
}

struct Leaves(Option<Preemption>);

impl Preempt for Leaves {
    fn preempt(&mut self, _: &VictimView<'_>, _: Tick) -> Option<Preemption> {
        self.0
    }
}

fn state(id: ProcessId) -> ProcessState {
    ProcessState::new(id, Level(0), Tick::ZERO)
}

/// Asks the arbiter for a decision where the turn policy names `named`, work leaves by `way`, and
/// the processes in `busy` have a submitted launch. Returns the wishes.
fn ask(
    arbiter: &mut Arbiter,
    named: &[ProcessId],
    way: Option<Preemption>,
    busy: &[ProcessId],
) -> Result<Vec<Wish>, PreemptError> {
    let mut decided = Decided::default();
    let launch = VictimLaunch::new(raddle_policy::Launch::default(), Tick(0)).with_unstarted(1);
    let victims = |id: ProcessId, launches: &mut Vec<VictimLaunch>| {
        if busy.contains(&id) {
            launches.push(launch);
        }
        None
    };
    let (mut turn, mut preempt) = (Says(named.to_vec(), Some(Tick(9))), Leaves(way));
    let policies: (&mut dyn Turn, &mut dyn Preempt) = (&mut turn, &mut preempt);
    let states = [A, B].map(state);
    arbiter.decide(policies, &states, victims, Tick(5), &mut decided)?;
    Ok(decided.wishes().to_vec())
}

fn arbiter() -> Arbiter {
    let mut arbiter = Arbiter::default();
    [A, B].into_iter().for_each(|process| arbiter.joined(process));
    arbiter
}

#[test]
fn who_gets_the_turn_goes_on_and_who_loses_it_leaves() {
    let mut it = arbiter();
    assert!(!it.is_due(Tick(0)));
    it.ask_again();
    assert!(it.is_due(Tick(0)));
    assert_eq!(ask(&mut it, &[A], None, &[]), Ok(vec![Wish::Resume { process: A }]));
    assert!(!it.is_due(Tick(8)) && it.is_due(Tick(9)), "until the tick that the policy named");
    assert_eq!((it.standing(A), it.standing(B)), (Some(Standing::HasTurn), Some(Standing::Paused)));
    assert_eq!(ask(&mut it, &[A], None, &[]), Ok(vec![]), "nothing has changed");
    let way = Preemption::Reset;
    let both = vec![Wish::Preempt { process: A, way }, Wish::Resume { process: B }];
    assert_eq!(ask(&mut it, &[B], Some(way), &[A]), Ok(both));
    assert_eq!(it.standing(A), Some(Standing::Leaving(way)));
    it.drained(A);
    it.drained(B);
    assert_eq!((it.standing(A), it.standing(B)), (Some(Standing::Away), Some(Standing::HasTurn)));
    // Process A gets the turn back before any report about its preemption has come.
    assert_eq!(ask(&mut it, &[A, B], Some(way), &[]), Ok(vec![Wish::Resume { process: A }]));
}

#[test]
fn who_loses_the_turn_again_while_he_leaves_is_not_asked_about_twice() {
    let mut it = arbiter();
    let way = Preemption::Flag;
    ask(&mut it, &[A], None, &[]).unwrap();
    ask(&mut it, &[B], Some(way), &[A]).unwrap();
    ask(&mut it, &[A], None, &[A, B]).unwrap();
    assert_eq!(it.standing(A), Some(Standing::Returning(way)));
    // The resume of process A is cancelled; neither the policy nor its work is asked about it again.
    let again = vec![Wish::Preempt { process: A, way }, Wish::Resume { process: B }];
    assert_eq!(ask(&mut it, &[B], Some(Preemption::Reset), &[]), Ok(again));
    assert_eq!(it.standing(A), Some(Standing::Leaving(way)));
    // Process A has the turn as soon as its preemption is complete.
    ask(&mut it, &[A], None, &[]).unwrap();
    it.drained(A);
    assert_eq!(it.standing(A), Some(Standing::HasTurn));
    assert_eq!(ask(&mut it, &[B], Some(Preemption::Reset), &[A]).unwrap().len(), 2);
    assert_eq!(it.standing(A), Some(Standing::Leaving(Preemption::Reset)));
}

#[test]
fn who_has_nothing_submitted_is_paused_and_nobody_is_asked() {
    let mut it = arbiter();
    ask(&mut it, &[A, B], None, &[]).unwrap();
    let pause = Ok(vec![Wish::Pause { process: A }]);
    assert_eq!(ask(&mut it, &[B], Some(Preemption::Flag), &[]), pause);
    // A process is also paused where the policy lets its work stay.
    ask(&mut it, &[A, B], None, &[]).unwrap();
    assert_eq!(ask(&mut it, &[B], None, &[A]), pause);
    // If a process has left with the turn, the turn policy has to be asked again.
    it.ask_again();
    ask(&mut it, &[B], None, &[]).unwrap();
    it.left(B);
    assert!(it.is_due(Tick(6)) && it.standing(B).is_none());
}

#[test]
fn a_turn_policy_that_breaks_a_law_is_named() {
    for (named, law) in [(vec![C], "law 1"), (vec![A, B, A], "law 1"), (vec![], "law 2")] {
        let error = ask(&mut arbiter(), &named, None, &[]).unwrap_err();
        assert!(error.to_string().contains(law), "{error}");
    }
    let mut decided = Decided::default();
    let (mut turn, mut preempt) = (Says(vec![A], Some(Tick(5))), Leaves(None));
    let asked = arbiter().decide(
        (&mut turn, &mut preempt),
        &[state(A)],
        |_, _| None,
        Tick(5),
        &mut decided,
    );
    assert!(asked.unwrap_err().to_string().contains("law 3"));
}
