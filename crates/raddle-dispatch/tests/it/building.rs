//! Is only a sound dispatcher built, and does it answer equally however it is built?

use raddle_dispatch::{Composed, Dispatcher, Recipe};
use raddle_policy::{
    Actions, Allocate, Answer, CuShape, Demand, ErrorKind, Event, LaunchPath, Preempt, ProcessId,
    ReadyView, Round, Tick, Turn,
};
use raddle_testkit::{SMALL_CU, demand, launch};
use raddle_workgroup::{Matching, MatchingConfig};

use crate::composed::refusal;

#[test]
fn what_cannot_be_built_is_refused() {
    let simds = CuShape { simds: 200, ..SMALL_CU };
    let built = Composed::builder(simds, 4).build();
    assert_eq!(built.as_ref().map_err(|error| error.kind()).err(), Some(ErrorKind::OutOfRange));
    assert!(refusal(built).contains("200 SIMDs"));
    assert!(refusal(Composed::builder(SMALL_CU, 0).build()).contains("without compute units"));
    assert!(refusal(Composed::builder(SMALL_CU, 1).window(0).build()).contains("a window of 0"));
    struct Overlaps;
    impl LaunchPath for Overlaps {
        fn submit(&mut self, _: &raddle_policy::Launch) -> raddle_policy::Submission {
            raddle_policy::Submission::default()
        }
        fn overlaps(&self) -> bool {
            true
        }
    }
    let path = || Composed::builder(SMALL_CU, 1).launch_path("overlaps", Overlaps);
    let told = path().build().map(drop).unwrap_err().to_string();
    assert!(told.contains("`overlaps`") && told.contains("Builder::window"), "{told}");
    assert!(path().window(2).build().is_ok());
}

/// Checks that a recipe and a builder give a policy that cuts equal questions: a workgroup of nine
/// waves fits only in parts, so no other policy could start it.
#[test]
fn a_policy_that_cuts_is_asked_alike_from_a_recipe_and_from_a_builder() {
    let text = "raddle = 1\n[allocate]\npolicy = 'matching'\nsplit = { threshold = 1 }";
    let recipe = Recipe::parse("cuts", text).unwrap();
    let config: &MatchingConfig = recipe.allocate().settings().unwrap();
    let matching = Matching::new(config.clone(), SMALL_CU, 1).unwrap();
    let dispatchers = [
        recipe.builder(SMALL_CU, 1).unwrap().build().unwrap(),
        Composed::builder(SMALL_CU, 1).allocate("matching", matching).build().unwrap(),
    ];
    let [one, other] = dispatchers.map(|mut dispatcher| {
        let large = launch(0).demand(Demand { waves: 9, ..demand(1, 1) }).build();
        decide(&mut dispatcher, large)
    });
    assert_eq!(one, other);
    assert!(!format!("{one:?}").contains("Refuse"), "{one:?}");
}

fn decide(dispatcher: &mut dyn Dispatcher, launch: raddle_policy::Launch) -> Actions {
    let mut actions = Actions::default();
    let joined = Event::ProcessJoined { process: ProcessId(0), share: 1 };
    dispatcher.event(&joined, Tick(0)).expect("it is new");
    dispatcher.event(&Event::LaunchReady { launch }, Tick(0)).expect("it is new");
    dispatcher.decide(Tick(0), &mut actions).expect("lawful policies");
    actions
}

#[test]
fn time_and_shares_that_cannot_be_are_refused_and_change_nothing() {
    let mut dispatcher = Composed::builder(SMALL_CU, 1).build().unwrap();
    let join = |share| Event::ProcessJoined { process: ProcessId(0), share };
    let refused = dispatcher.event(&join(0), Tick(7));
    assert!(refusal(refused).contains("process p0 joined with a share of 0"));
    // The event at tick 7 was refused, so an event at tick 5 does not run backwards.
    dispatcher.event(&join(1), Tick(5)).unwrap();
    let backwards = dispatcher.event(&Event::Woke, Tick(4));
    assert!(refusal(backwards).contains("after tick 5, tick 4 was told"));
    assert!(dispatcher.decide(Tick(4), &mut Actions::default()).is_err());
    assert!(dispatcher.decide(Tick(5), &mut Actions::default()).is_ok());
}

#[derive(Clone, Debug)]
struct AsksAtOnce;

impl Allocate for AsksAtOnce {
    fn allocate(&mut self, _: &ReadyView<'_>, now: Tick, _: &mut Round) -> Answer {
        Answer::Wait { retry_at: Some(now) }
    }
}

#[test]
fn a_retry_that_is_over_breaks_a_law() {
    let builder = Composed::builder(SMALL_CU, 1).allocate("at-once", AsksAtOnce);
    let mut dispatcher = builder.build().unwrap();
    let joined = Event::ProcessJoined { process: ProcessId(0), share: 1 };
    dispatcher.event(&joined, Tick(0)).unwrap();
    dispatcher.event(&Event::LaunchReady { launch: launch(0).build() }, Tick(0)).unwrap();
    let told = dispatcher.decide(Tick(0), &mut Actions::default()).unwrap_err().to_string();
    assert!(told.contains("`at-once`") && told.contains("law 9"), "{told}");
}

/// Checks that policies work in boxes and by reference, and that dispatchers can be sent to other
/// threads.
#[test]
fn policies_are_boxed_and_borrowed_and_dispatchers_sent() {
    fn turn(_: impl Turn) {}
    fn allocate(_: impl Allocate) {}
    fn preempt(_: impl Preempt) {}
    fn path(_: impl LaunchPath) {}
    fn dispatcher(_: impl Dispatcher) {}
    let boxed: Box<dyn Turn + Send> = Box::new(raddle_dispatch::slots::Everyone);
    turn(&mut raddle_dispatch::slots::HighestLevel);
    allocate(Box::new(AsksAtOnce) as Box<dyn Allocate>);
    allocate(&mut AsksAtOnce);
    preempt(Box::new(raddle_dispatch::slots::Never) as Box<dyn Preempt>);
    preempt(&mut raddle_dispatch::slots::Never);
    path(Box::new(raddle_dispatch::slots::Ordinary::default()) as Box<dyn LaunchPath>);
    path(&mut raddle_dispatch::slots::Ordinary::default());
    let mut built = Composed::builder(SMALL_CU, 2).turn("chosen", boxed).build().unwrap();
    dispatcher(&mut built);
    fn sent(_: impl Send) {}
    sent(built);
}
