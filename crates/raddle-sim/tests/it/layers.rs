//! How does a run go on whose policy breaks a law, is one for each process, or is traced?

use std::cell::RefCell;

use raddle_dispatch::slots::HighestLevel;
use raddle_dispatch::{Registry, log};
use raddle_policy::{
    Allocate, Answer, Asked, Configured, CuId, Cus, Fact, Fallback, LaunchId, PerProcess, Piece,
    Preemption, ProcessId, ProcessState, ReadyView, Round, SettingError, Tick, Traced, Turn,
    WaveSpan, preempt_fn,
};
use raddle_sim::{Script, Transcript};
use raddle_testkit::Sink;
use raddle_workgroup::{BaselineConfig, Greedy, Leftover};
use serde::{Deserialize, Serialize};

/// The number of ways in which [`Liar`] can break a law of `Allocate`.
const LIES: u8 = 9;

/// A policy that gives `after` answers as `leftover` does, and then one that breaks a law.
#[derive(Clone, Debug)]
struct Liar {
    honest: Leftover,
    config: LiarConfig,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct LiarConfig {
    lie: u8,
    after: u32,
}

impl Configured for Liar {
    const NAME: &'static str = "liar";
    type Config = LiarConfig;
    fn make(config: &LiarConfig, _: &Cus) -> Result<Self, SettingError> {
        Ok(Self { honest: Leftover::default(), config: *config })
    }
}

impl Allocate for Liar {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.honest.allocate(ready, now, round)
    }
    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let Some(left) = self.config.after.checked_sub(1) else {
            return self.lie(ready, now, round);
        };
        self.config.after = left;
        self.honest.allocate_round(ready, now, round)
    }
    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.honest.observe(fact, now);
    }
}

impl Liar {
    fn lie(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        let Some(&entry) = ready.launches().first() else { return Answer::WAIT };
        let (launch, next, cu) = (entry.launch().id, entry.next(), CuId(0));
        let mut piece = |first, count| round.pieces.push(Piece { first, stride: 1, count, cu });
        let waves = match self.config.lie {
            0 => {
                piece(next, 1000);
                WaveSpan::All
            }
            1 => {
                piece(next + 1, 1);
                WaveSpan::All
            }
            2 => {
                piece(next, 1);
                piece(next, 1);
                WaveSpan::All
            }
            3 => {
                piece(next, 1);
                return Answer::Start { launch: LaunchId(77), waves: WaveSpan::All };
            }
            4 => {
                piece(next, 1);
                WaveSpan::Range { first: 1, count: 1 }
            }
            5 => {
                piece(next + 2, 1);
                WaveSpan::Range { first: 0, count: 1 }
            }
            6 => {
                piece(next, 1);
                WaveSpan::Cut { first: 1, count: 1 }
            }
            7 => return Answer::Assign { launch, workgroup: next + 1, cu },
            _ => return Answer::Wait { retry_at: Some(now) },
        };
        Answer::Start { launch, waves }
    }
}

/// Returns a script of two processes that compete for the same units.
fn script() -> Script {
    let script = Script::on("2x2").launch(0).level(5).workgroups(9).waves(3);
    script.at(30).launch(1).workgroups(5).waves(2).lasts(40).at(120).launch(0).workgroups(3)
}

fn play(allocate: impl Allocate + Send + 'static) -> Result<Transcript, String> {
    let mut dispatcher = script().builder().allocate("any", allocate).build().expect("it builds");
    script().run(&mut dispatcher).map_err(|error| error.to_string())
}

#[test]
fn whatever_law_it_breaks_and_when_the_run_goes_on_as_if_the_other_had_answered() {
    let expected = play(Leftover::default()).expect("lawful");
    for (lie, after) in (0..LIES).flat_map(|lie| [0, 1, 2, 5].map(|after| (lie, after))) {
        let liar = || Liar { honest: Leftover::default(), config: LiarConfig { lie, after } };
        let alone = play(liar()).expect_err("a law is broken");
        assert!(alone.contains("law "), "{alone}");
        let both = play(Fallback::new(liar(), Leftover::default()));
        assert_eq!(both.as_ref(), Ok(&expected), "lie {lie} after {after}");
        // A fallback that breaks a law too ends the run.
        let other = Liar { honest: Leftover::default(), config: LiarConfig { lie, after: 0 } };
        assert!(play(Fallback::new(liar(), other)).is_err());
    }
}

#[test]
fn a_turn_that_breaks_a_law_is_replaced_too() {
    struct Nobody;
    impl Turn for Nobody {
        fn turn(&mut self, _: &[ProcessState], _: Tick, _: &mut Vec<ProcessId>) -> Option<Tick> {
            None
        }
    }
    let play = |turn: Box<dyn Turn + Send>| {
        let builder = script().builder().turn("urgent", turn);
        let mut dispatcher = builder.build().expect("it builds");
        script().run(&mut dispatcher)
    };
    assert!(play(Box::new(Nobody)).is_err());
    let both = play(Box::new(Fallback::new(Nobody, HighestLevel))).expect("it goes on");
    assert_eq!(both, play(Box::new(HighestLevel)).expect("lawful"));
}

#[test]
fn the_log_says_who_broke_which_law_and_is_replayed() {
    let registry = Registry::bundled().allocate::<Fallback<Liar, Leftover>>();
    let text = "raddle = 1\n[allocate]\npolicy = 'liar'\nlie = 1\nafter = 0";
    let recipe = registry.recipe("lies", text).expect("a recipe");
    let script = script();
    let sink = Sink::default();
    let shape = raddle_testkit::SMALL_CU;
    let header = log::LogHeader::new(recipe, "any", shape, 2);
    let builder = header.recipe().builder(shape, 2).expect("it can be made");
    let mut dispatcher =
        builder.log(header.writer(Box::new(sink.clone()))).build().expect("it builds");
    script.run(&mut dispatcher).expect("it goes on");
    let line = r#""answer":"broke","slot":"allocate","law":"law 1: a start of k0 must name"#;
    assert!(sink.text().contains(line), "{}", sink.text());
    use raddle_dispatch::Dispatcher;
    assert!(dispatcher.replaced()[0].starts_with("`liar` (allocate) at tick 0: law 1"));
    let replayed = log::replay_with(&registry, sink.text().as_bytes()).expect("it can be read");
    assert_eq!(replayed.difference(), None);
    assert!(log::check::check(&registry, sink.text().as_bytes()).is_ok());
}

#[test]
fn each_process_has_its_own_policies() {
    // Workgroups of process 1 go one to each unit; workgroups of other processes fill one unit
    // first.
    let greedy = Greedy::new(BaselineConfig::default());
    let allocate = PerProcess::<Box<dyn Allocate + Send>>::new(Box::new(greedy))
        .with(ProcessId(1), Box::new(Leftover::default()));
    let by = |way| preempt_fn(move |_, _| Some(way));
    let preempt = PerProcess::new(by(Preemption::Drain)).with(ProcessId(0), by(Preemption::Switch));
    let builder = script().builder().turn("highest-level", HighestLevel);
    let mut dispatcher =
        builder.allocate("own", allocate).preempt("own", preempt).build().expect("it builds");
    let transcript = script().run(&mut dispatcher).expect("lawful policies");
    insta::assert_snapshot!(transcript);
}

thread_local!(static SEEN: RefCell<String> = const { RefCell::new(String::new()) });

#[test]
fn what_is_traced_is_seen_answer_by_answer() {
    let write = |now: Tick, asked: &Asked<'_>| {
        SEEN.with_borrow_mut(|seen| seen.push_str(&format!("{now:>4} {asked}\n")));
    };
    let path = raddle_dispatch::slots::Ordinary::default();
    let builder = script()
        .builder()
        .launch_path("ordinary", Traced::new(path, write))
        .turn("highest-level", Traced::new(HighestLevel, write))
        .allocate("leftover", Traced::new(Leftover::default(), write))
        .preempt("drain", Traced::new(preempt_fn(|_, _| Some(Preemption::Drain)), write));
    script().run(&mut builder.build().expect("it builds")).expect("lawful policies");
    insta::assert_snapshot!(SEEN.take());
}
