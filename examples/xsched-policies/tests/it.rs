//! Do the ten policies keep the laws of a turn, and whom do they choose?

use proptest::prelude::*;
use raddle_policy::{Configured, Cus, Hint, Level, NoConfig, Preemption, Ticks, Turn, preempt_fn};
use raddle_sim::Script;
use raddle_testkit::{SMALL_CU, check_turn, turn_scenario};
use xsched_policies::*;

const SLICE: SliceConfig = SliceConfig { slice_us: 1 };

fn made<P: Configured>(config: &P::Config) -> P {
    P::make(config, &Cus::new(SMALL_CU, 1)).unwrap_or_else(|error| panic!("{error}"))
}

proptest! {
    #[test]
    fn all_keep_the_laws(scenario in turn_scenario()) {
        check_turn(|| FirstComeFirstServed, &scenario);
        check_turn(|| HighestPriority, &scenario);
        check_turn(|| SystemPriority, &scenario);
        check_turn(|| made::<StreamPartition>(&SLICE), &scenario);
        check_turn(|| made::<ProcessPartition>(&SLICE), &scenario);
        check_turn(|| made::<CompletelyFair>(&SLICE), &scenario);
        check_turn(|| made::<FeedbackQueues>(&SLICE), &scenario);
        check_turn(|| made::<KEarliestDeadlines>(&KEarliestDeadlinesConfig { k: 2 }), &scenario);
        check_turn(|| made::<Laxity>(&NoConfig {}), &scenario);
        check_turn(|| made::<ActiveWindowFirst>(&NoConfig {}), &scenario);
    }
}

/// Two processes with much to do from 0 and 10 on; the second says this of itself at 5.
fn second_passes(turn: impl Turn + Send + 'static, hint: Hint) -> bool {
    let script = Script::on("1x1").launch(0).level(5).workgroups(40);
    let script = script.at(5).hint(1, hint).at(10).launch(1).level(9).workgroups(4);
    let drain = preempt_fn(|_, _| Some(Preemption::Drain));
    let builder = script.builder().turn("any", turn).preempt("drain", drain);
    let mut dispatcher = builder.build().expect("it builds");
    let text = script.run(&mut dispatcher).expect("lawful").to_string();
    text.find("k1  start") < text.rfind("k0  start")
}

#[test]
fn each_reads_its_hint_and_no_other() {
    let (priority, none) = (Hint::Priority(Level(1)), Hint::Custom(7));
    assert!(second_passes(HighestPriority, priority) && !second_passes(HighestPriority, none));
    assert!(second_passes(SystemPriority, priority) && !second_passes(SystemPriority, none));
    let kedf = || made::<KEarliestDeadlines>(&KEarliestDeadlinesConfig { k: 1 });
    assert!(second_passes(kedf(), Hint::Deadline(Ticks(50))) && !second_passes(kedf(), none));
    assert!(second_passes(Laxity, Hint::Laxity(Ticks(100))) && !second_passes(Laxity, none));
    assert!(second_passes(ActiveWindowFirst, Hint::Custom(1)));
    assert!(!second_passes(FirstComeFirstServed, priority));
}

#[test]
fn of_one_process_the_urgent_stream_submits_first() {
    let launches = |script: Script| {
        let script = script.launch(0).stream(0).level(5).launch(0).stream(0).level(5);
        script.launch(0).stream(1).level(1).launch(0).stream(1).level(1)
    };
    let script = launches(Script::on("1x1"));
    let play = |turn: Box<dyn Turn + Send>| {
        let mut dispatcher = script.builder().turn("any", turn).build().expect("it builds");
        script.run(&mut dispatcher).expect("lawful").to_string()
    };
    let (all, urgent) = (play(Box::new(SystemPriority)), play(Box::new(HighestPriority)));
    insta::assert_snapshot!(format!("hhpf\n{all}\nhpf\n{urgent}"));
}
