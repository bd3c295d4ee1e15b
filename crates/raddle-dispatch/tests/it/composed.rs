//! Does the composed dispatcher ask its policies in order, and refuse events that contradict each
//! other?

use raddle_dispatch::slots::{HighestLevel, Ordinary, OrdinaryConfig};
use raddle_dispatch::{Action, Actions, Composed, DispatchError, Dispatcher, Event};
use raddle_policy::{
    Allocate, Answer, CuId, Demand, Launch, LaunchId, Piece, Preemption, ProcessId, ReadyView,
    Round, Tick, WaveSpan,
};
use raddle_preempt::policy::ByRule;
use raddle_testkit::altered;

pub(crate) use raddle_testkit::SMALL_CU as SHAPE;

pub(crate) fn launch(id: u32, process: u16, workgroups: u64) -> Launch {
    let launch = raddle_testkit::launch(id).process(process).level(process as u8);
    launch.workgroups(workgroups).build()
}

/// Returns the text of the error with which a dispatcher refuses what it is given.
pub(crate) fn refusal<T: std::fmt::Debug>(given: Result<T, DispatchError>) -> String {
    given.expect_err("it is refused").to_string()
}

/// Passes the events to the dispatcher, lets it decide, and returns a text for each action.
pub(crate) fn step(dispatcher: &mut Composed, now: u64, events: &[Event<'_>]) -> Vec<String> {
    for event in events {
        dispatcher.event(event, Tick(now)).expect("it makes sense");
    }
    let mut actions = Actions::default();
    dispatcher.decide(Tick(now), &mut actions).expect("lawful policies");
    let spell = |action: &Action| match action {
        Action::Submit { launch, .. } => format!("submit {launch}"),
        Action::Start { launch, pieces, .. } => {
            let n: u64 = actions.pieces(pieces).iter().map(|p| u64::from(p.count)).sum();
            format!("start {n} of {launch}")
        }
        Action::TakeOff { launch, how } => format!("{} {launch}", how.name()),
        Action::Restore { launch } => format!("restore {launch}"),
        Action::StartCopy { copy } => format!("start copy {copy}"),
        Action::Refuse { refusal } => format!("refuse {refusal}"),
        Action::WakeAt(at) => format!("wake {at}"),
        Action::Raise { process, .. } => format!("raise {process}"),
        Action::Lower { process } => format!("lower {process}"),
        Action::Reset { process } => format!("reset {process}"),
        other => format!("{other:?}"),
    };
    // The report that a preemption is complete asks nothing of the device, so it is left out.
    let orders = actions.list.iter().filter(|action| !matches!(action, Action::Drained { .. }));
    orders.map(spell).collect()
}

pub(crate) fn joined(process: u16) -> Event<'static> {
    Event::ProcessJoined { process: ProcessId(process), share: 1 }
}

pub(crate) fn left(process: u16) -> Event<'static> {
    Event::ProcessLeft { process: ProcessId(process) }
}

/// The piece of the first eight workgroups of a launch, which fill compute unit 0.
pub(crate) const EIGHT: [Piece; 1] = [Piece { first: 0, stride: 1, count: 8, cu: CuId(0) }];

/// Returns the event that whole workgroups of a launch ended.
pub(crate) fn ended(launch: u32, pieces: &[Piece]) -> Event<'_> {
    Event::WavesEnded { launch: LaunchId(launch), waves: WaveSpan::All, pieces }
}

pub(crate) fn taken_off(launch: u32, how: Preemption) -> Event<'static> {
    Event::TakenOff { launch: LaunchId(launch), how, done: 0 }
}

pub(crate) fn raised(process: u16) -> Event<'static> {
    Event::Raised { process: ProcessId(process) }
}

pub(crate) fn reset_over(process: u16) -> Event<'static> {
    Event::ResetOver { process: ProcessId(process) }
}

pub(crate) fn restored(launch: u32) -> Event<'static> {
    Event::Restored { launch: LaunchId(launch) }
}

pub(crate) fn ready(launch: Launch) -> Event<'static> {
    Event::LaunchReady { launch }
}

#[test]
fn a_revoked_process_drains_and_comes_back() {
    let mut d = Composed::builder(SHAPE, 1)
        .turn("highest-level", HighestLevel)
        .preempt("drain", ByRule::fixed(Preemption::Drain))
        .build()
        .expect("it builds");
    assert_eq!(step(&mut d, 0, &[joined(0), joined(1)]), [""; 0]);
    assert_eq!(step(&mut d, 1, &[ready(launch(7, 1, 20))]), ["submit k7", "start 8 of k7"]);
    assert_eq!(step(&mut d, 2, &[ready(launch(8, 0, 3))]), ["drain k7", "submit k8"]);
    let off = [ended(7, &EIGHT), taken_off(7, Preemption::Drain)];
    assert_eq!(step(&mut d, 9, &off), ["start 3 of k8"]);
    assert_eq!(
        step(&mut d, 12, &[ended(8, &[0, 1, 2].map(|group| Piece::one(group, CuId(0))))]),
        ["restore k7"]
    );
    assert_eq!(step(&mut d, 12, &[restored(7)]), ["start 8 of k7"]);
}

#[test]
fn a_launch_starts_when_its_packet_has_arrived() {
    let path = Ordinary::new(OrdinaryConfig::default().with_packet_ns(40));
    let mut d =
        Composed::builder(SHAPE, 1).launch_path("ordinary", path).build().expect("it builds");
    let submitted = step(&mut d, 5, &[joined(0), ready(launch(1, 0, 2))]);
    assert_eq!(submitted, ["submit k1", "wake 45"]);
    assert_eq!(step(&mut d, 45, &[Event::Woke]), ["start 2 of k1"]);
}

#[test]
fn what_never_fits_is_refused_on_arrival() {
    let mut d = Composed::builder(SHAPE, 1).build().expect("it builds");
    let mut too_large = launch(1, 0, 2);
    too_large.demand.lds = 17;
    let refused = step(&mut d, 0, &[joined(0), ready(too_large), ready(launch(2, 0, 0))]);
    assert_eq!(
        refused,
        [
            "refuse k1 lacks lds: wants 17, an empty compute unit has 16",
            "refuse k2 lacks grid: wants 1, an empty compute unit has 0"
        ]
    );
}

#[test]
fn a_decision_without_an_event_does_nothing() {
    let mut d = Composed::builder(SHAPE, 1).build().expect("it builds");
    step(&mut d, 0, &[joined(0), ready(launch(1, 0, 99))]);
    assert_eq!(step(&mut d, 50, &[]), [""; 0]);
}

#[test]
fn events_that_make_no_sense_are_refused_and_change_nothing() {
    let mut d = Composed::builder(SHAPE, 1).build().expect("it builds");
    let now = Tick(0);
    step(&mut d, 0, &[joined(0), ready(launch(1, 0, 4))]);
    let before = d.cus().clone();
    let one = [Piece::one(0, CuId(0))];
    assert!(refusal(d.event(&joined(0), now)).contains("joined twice"));
    assert!(refusal(d.event(&ready(launch(1, 0, 4)), now)).contains("became ready twice"));
    assert!(refusal(d.event(&ready(launch(2, 9, 4)), now)).contains("event for unknown process"));
    assert!(refusal(d.event(&ended(3, &one), now)).contains("event for unknown launch"));
    let elsewhere = [Piece::one(0, CuId(5))];
    assert!(refusal(d.event(&ended(1, &elsewhere), now)).contains("event contradicts the book"));
    let too_many = [Piece { first: 0, stride: 1, count: 5, cu: CuId(0) }];
    assert!(refusal(d.event(&ended(1, &too_many), now)).contains("event contradicts the book"));
    for unasked in [taken_off(1, Preemption::Drain), restored(1)] {
        assert!(refusal(d.event(&unasked, now)).contains("although nobody asked for it"));
    }
    let over = Event::ResetOver { process: ProcessId(0) };
    assert!(refusal(d.event(&over, now)).contains("although none is under way"));
    assert!(refusal(d.event(&left(0), now)).contains("left before its launches ended"));
    assert_eq!(d.cus(), &before);
    for group in 0..4 {
        let piece = [Piece::one(group, CuId(0))];
        d.event(&ended(1, &piece), now).unwrap();
    }
    // An id is used up when its launch has ended, and when it waits to be refused.
    let too_large = Demand { waves: 99, ..launch(2, 0, 1).demand };
    d.event(&ready(altered(launch(2, 0, 1), |it| it.demand = too_large)), now).unwrap();
    for id in [1, 2] {
        let again = d.event(&ready(launch(id, 0, 4)), now);
        assert!(refusal(again).contains("became ready twice"));
    }
    assert_eq!(step(&mut d, 0, &[]).len(), 1);
    d.event(&left(0), now).unwrap();
}

/// A policy that assigns workgroup 0, starts the others in one strided round, and then starts
/// workgroup 0; the value counts the questions.
struct BindsThenRounds(u32);

impl Allocate for BindsThenRounds {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        let entry = &ready.launches()[0];
        let id = entry.launch().id;
        self.0 += 1;
        match self.0 {
            1 => Answer::Assign { launch: id, workgroup: 0, cu: CuId(0) },
            2 => {
                let piece = |first, cu| Piece { first, stride: 2, count: 2, cu: CuId(cu) };
                round.pieces.extend([piece(1, 0), piece(2, 1)]);
                Answer::Start { launch: id, waves: WaveSpan::All }
            }
            3 => {
                round.pieces.push(Piece::one(0, CuId(0)));
                Answer::Start { launch: id, waves: WaveSpan::All }
            }
            _ => Answer::WAIT,
        }
    }
}

#[test]
fn a_round_may_start_while_a_workgroup_is_bound() {
    let mut d = Composed::builder(SHAPE, 2)
        .allocate("binds", BindsThenRounds(0))
        .build()
        .expect("it builds");
    let bound = "Assign { launch: LaunchId(1), workgroup: 0, cu: CuId(0) }";
    let done = step(&mut d, 0, &[joined(0), ready(launch(1, 0, 5))]);
    assert_eq!(done, ["submit k1", bound, "start 4 of k1", "start 1 of k1"]);
    let round =
        [1, 2].map(|first| Piece { first, stride: 2, count: 2, cu: CuId(first as u16 - 1) });
    step(&mut d, 5, &[ended(1, &round)]);
    step(&mut d, 6, &[ended(1, &[Piece::one(0, CuId(0))]), left(0)]);
}
