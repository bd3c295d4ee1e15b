//! Can a recipe name a policy from outside, and does the log of its run replay?

use raddle_dispatch::log::{LogHeader, check, replay, replay_with};
use raddle_dispatch::{Dispatcher, Recipe, Registry};
use raddle_policy::{
    Actions, Allocate, Answer, Configured, CuId, Cus, Event, Needs, NoConfig, Preempt, Preemption,
    ProcessId, ProcessState, ReadyView, Round, SettingError, Tick, Turn, VictimView,
};
use raddle_testkit::{SMALL_CU, Sink, launch};
use serde::{Deserialize, Serialize};

/// An allocate policy that takes the highest compute unit with room, and none below `from`.
#[derive(Clone, Debug)]
struct Pack {
    from: u16,
    asked: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct PackConfig {
    #[serde(default)]
    from: u16,
}

impl Allocate for Pack {
    fn allocate(&mut self, ready: &ReadyView<'_>, _now: Tick, round: &mut Round) -> Answer {
        self.asked += 1;
        for entry in ready.launches().iter().filter(|entry| entry.undistributed() > 0) {
            let fits = |cu: &CuId| ready.cus().room(*cu, &entry.launch().demand) > 0;
            let best = ready.cus().ids().filter(|cu| cu.0 >= self.from).filter(fits).last();
            if let Some(cu) = best {
                return round.start_one(entry, cu);
            }
        }
        Answer::WAIT
    }
}

impl Configured for Pack {
    const NAME: &'static str = "pack";
    const EXAMPLES: &'static [&'static str] = &["from = 1"];
    type Config = PackConfig;

    fn make(config: &PackConfig, device: &Cus) -> Result<Self, SettingError> {
        let cus = device.len();
        if usize::from(config.from) >= cus {
            return Err(SettingError::new("from", format!("there are only {cus} compute units")));
        }
        Ok(Self { from: config.from, asked: 0 })
    }
}

struct Newest;

impl Turn for Newest {
    fn turn(&mut self, all: &[ProcessState], _: Tick, may: &mut Vec<ProcessId>) -> Option<Tick> {
        may.extend(all.last().map(|process| process.id));
        None
    }
}

impl Configured for Newest {
    const NAME: &'static str = "newest";
    type Config = NoConfig;

    fn make(_: &NoConfig, _: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }
}

struct Drains;

impl Preempt for Drains {
    fn preempt(&mut self, _: &VictimView<'_>, _: Tick) -> Option<Preemption> {
        Some(Preemption::Drain)
    }
}

impl Configured for Drains {
    const NAME: &'static str = "drains";
    type Config = NoConfig;

    fn make(_: &NoConfig, _: &Cus) -> Result<Self, SettingError> {
        Ok(Self)
    }

    fn needs(_: &NoConfig) -> Needs {
        Needs::NONE
    }
}

fn registry() -> Registry {
    Registry::bundled().allocate::<Pack>().turn::<Newest>().preempt::<Drains>()
}

const MINE: &str = "raddle = 1\n[turn]\npolicy = 'newest'\n[allocate]\npolicy = 'pack'\nfrom = 1\n\
                    [preempt]\npolicy = 'drains'\n";

/// Returns the log of a run of two processes, of which the second takes the turn from the first.
fn log(recipe: Recipe) -> String {
    let header = LogHeader::new(recipe, "any", SMALL_CU, 3);
    let sink = Sink::default();
    let builder = header.recipe().builder(SMALL_CU, 3).expect("it can be made");
    let builder = builder.log(header.writer(Box::new(sink.clone())));
    let mut dispatcher = builder.build().expect("it builds");
    let mut actions = Actions::default();
    for process in [0, 1] {
        let joined = Event::ProcessJoined { process: ProcessId(process), share: 1 };
        let at = Tick(u64::from(process) * 10);
        let launch = launch(process.into()).process(process).workgroups(20).build();
        dispatcher.event(&joined, at).expect("it is new");
        dispatcher.event(&Event::LaunchReady { launch }, at).expect("it is new");
        dispatcher.decide(at, &mut actions).expect("lawful");
    }
    dispatcher.finish().expect("memory takes everything");
    let asked = dispatcher.policy::<Pack>();
    assert!(asked.is_none_or(|policy| policy.asked > 8), "{asked:?}");
    sink.text()
}

/// Checks that launches test the flag under a policy from outside that states no needs, and not
/// under one that says it needs no flag.
#[test]
fn a_policy_from_outside_says_what_it_needs() {
    let silent = registry().preempt_named("silent", |_, _| Ok(Box::new(Drains)));
    let tests = |registry: &Registry, policy: &str| {
        let text = format!("raddle = 1\n[preempt]\npolicy = '{policy}'\n");
        registry.recipe("mine", &text).expect("it is known").tests_flag()
    };
    assert!(!tests(&registry(), "drains") && tests(&silent, "silent"));
    let bundled = ["never", "wait", "drain", "switch", "flag", "reset"];
    let tested = bundled.map(|policy| tests(&registry(), policy));
    assert_eq!(tested, [false, false, false, false, true, true]);
}

#[test]
fn a_recipe_names_policies_from_outside_with_their_settings() {
    let recipe = registry().recipe("mine", MINE).unwrap();
    assert_eq!(recipe.policies(), ["ordinary", "newest", "pack", "drains"]);
    let told = |text: &str| {
        let read = registry().recipe("mine", text);
        let built = read.and_then(|recipe| recipe.builder(SMALL_CU, 3).map(drop));
        built.unwrap_err().to_string()
    };
    let pack = |rest: &str| told(&format!("raddle = 1\n[allocate]\npolicy = 'pack'\n{rest}"));
    insta::assert_snapshot!(
        [
            pack("form = 1"),
            pack("from = true"),
            pack("from = 3"),
            told("raddle = 1\n[allocate]\npolicy = 'pakc'"),
            told("raddle = 1\n[preempt]\npolicy = 'gently'"),
        ]
        .join("\n"), @r#"
    recipe mine, line 4, `allocate.form`: unknown key `form`; did you mean `from`? Example: `from = 1`
    recipe mine, line 4, `allocate.from`: expected a whole number from 0 to 65535, found true. Example: `from = 1`
    recipe, `allocate.from`: there are only 3 compute units. Example: `from = 1`
    recipe mine, line 3, `allocate.policy`: expected `leftover`, `round-robin`, `greedy`, `spatial`, `matching`, `block-warp` or `pack`, found `pakc`; did you mean `pack`? Example: `policy = "pack"`
    recipe mine, line 3, `preempt.policy`: expected `never`, `wait`, `flag`, `drain`, `reset`, `switch`, `cheapest` or `drains`, found `gently`. Example: `policy = "never"`
    "#);
}

#[test]
fn a_log_of_policies_from_outside_gives_every_answer_again() {
    let text = log(registry().recipe("mine", MINE).unwrap());
    let header = text.lines().next().unwrap();
    assert!(header.contains(r#""allocate":{"policy":"pack","from":1}"#), "{header}");
    let found = replay_with(&registry(), text.as_bytes()).unwrap();
    assert_eq!(found.difference(), None);
    assert!(found.events() == 4 && found.answers() > 8, "{found:?}");
    // The log ends before its launches have ended.
    let found = check::check(&registry(), text.as_bytes()).unwrap();
    assert!(found.broken().keys().map(|rule| rule.name()).eq(["lost"]));
    // With another setting, the policy gives other answers.
    let other = text.replacen(r#""from":1"#, r#""from":2"#, 1);
    assert!(replay_with(&registry(), other.as_bytes()).unwrap().difference().is_some());
}

#[test]
fn a_log_whose_policy_is_not_there_says_so_by_name() {
    let text = log(registry().recipe("mine", MINE).unwrap());
    let lacks = Registry::bundled().turn::<Newest>().preempt::<Drains>();
    let told = replay_with(&lacks, text.as_bytes()).unwrap_err().to_string();
    assert!(told.contains("`allocate.policy`") && told.contains("found `pack`"), "{told}");
    let told = replay(text.as_bytes()).unwrap_err().to_string();
    assert!(told.contains("`turn.policy`") && told.contains("found `newest`"), "{told}");
}

/// Checks that a policy from outside under the name of a bundled one replaces it in recipes.
#[test]
fn a_policy_may_take_the_place_of_a_bundled_one() {
    struct Leftover;
    impl Allocate for Leftover {
        fn allocate(&mut self, _: &ReadyView<'_>, _: Tick, _: &mut Round) -> Answer {
            Answer::WAIT
        }
    }
    impl Configured for Leftover {
        const NAME: &'static str = "leftover";
        type Config = NoConfig;
        fn make(_: &NoConfig, _: &Cus) -> Result<Self, SettingError> {
            Ok(Self)
        }
    }
    let starts = |registry: &Registry| {
        log(registry.recipe("any", "raddle = 1").unwrap()).contains("\"answer\":\"start\"")
    };
    assert!(starts(&Registry::bundled()));
    assert!(!starts(&Registry::bundled().allocate::<Leftover>()));
}
