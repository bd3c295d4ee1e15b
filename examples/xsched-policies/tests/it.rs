//! Do the ten policies keep the laws of a turn, and whom do they choose?

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use raddle::{App, Console};
use raddle_policy::{Configured, Cus, Hint, Level, NoConfig, Preemption, Ticks, Turn, preempt_fn};
use raddle_sim::Script;
use raddle_testkit::{SMALL_CU, check_turn, turn_scenario};
use xsched_policies::*;

#[path = "../examples/mix.rs"]
#[expect(dead_code, reason = "the tests call what its `main` calls")]
mod mix;

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

/// Returns whether the second of two processes starts work before the first has started all of its
/// own. The first has work at the tick 0, the second gives the hint `hint` at 5 and has work at 10.
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

/// Output that keeps in memory what is written to it.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("it is UTF-8")
    }
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Lines of the command that the README shows.
const COMMAND: [&str; 6] = [
    "cargo run --release -p xsched-policies --example mix -- replay",
    "crates/raddle/data/demo/decode.csv crates/raddle/data/demo/train.csv --requests decode=40/s --goal 'decode p99 40ms'",
    "--hint decode=priority:10 --hint decode=deadline:20ms --hint decode=laxity:5ms --hint decode=utilisation:60 --hint decode=custom:1",
    "--hint train=priority:200 --hint train=utilisation:40",
    "--recipe today $(for recipe in examples/xsched-policies/recipes/*.toml; do echo --recipe $recipe; done)",
    "--no-files -v",
];

/// Returns the words of the command behind `--`, as a shell gives them in the root of the checkout.
fn words() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = COMMAND.join(" ");
    let words = text.split_once(" -- ").expect("behind the program").1;
    let (before, rest) = words.split_once("$(").expect("recipes are listed");
    let after = rest.split_once(')').expect("the list ends").1;
    let mut recipes: Vec<String> = std::fs::read_dir(root.join("examples/xsched-policies/recipes"))
        .expect("the recipes are there")
        .map(|file| file.expect("a file").path().display().to_string())
        .collect();
    recipes.sort();
    let mut all: Vec<String> = Vec::new();
    // Quotes hold words together.
    for (at, part) in before.split('\'').enumerate() {
        match at % 2 {
            1 => all.push(part.to_owned()),
            _ => all.extend(part.split_whitespace().map(|word| match word.ends_with(".csv") {
                true => root.join(word).display().to_string(),
                false => word.to_owned(),
            })),
        }
    }
    all.extend(recipes.into_iter().flat_map(|recipe| ["--recipe".to_owned(), recipe]));
    all.extend(after.split_whitespace().map(str::to_owned));
    all
}

/// Checks that the README shows what its command prints today. It takes minutes where nothing is
/// optimised, so it runs only where `RADDLE_PAGES` is `all` or `xsched`.
#[test]
fn the_readme_shows_what_its_command_prints() {
    if !matches!(std::env::var("RADDLE_PAGES").as_deref(), Ok("all" | "xsched")) {
        return;
    }
    let (out, err) = (Kept::default(), Kept::default());
    let mut console = Console {
        stdin: Box::new(std::io::empty()),
        stdout: Box::new(out.clone()),
        stderr: Box::new(err.clone()),
        stdin_is_terminal: false,
        stdout_colour: false,
        stderr_colour: false,
        progress: false,
        columns: None,
    };
    let args = std::iter::once("mix".to_owned()).chain(words()).map(Into::into);
    let code = App::new(mix::registry()).run(args, &mut console);
    assert_eq!(code, 0, "{}", err.text());
    let text = out.text();
    let part = |begins: &str| -> Vec<&str> {
        let lines = text.lines().skip_while(|line| !line.starts_with(begins));
        lines.take_while(|line| !line.is_empty() && !line.starts_with("warning")).collect()
    };
    let (answer, table) = (part("->").join("\n"), part("policy  ").join("\n"));
    let command = COMMAND.join(" \\\n    ");
    let wanted = format!("```console\n$ {command}\n{answer}\n..\n{table}\n..\n```\n");
    raddle_testkit::page_holds("examples/xsched-policies/README.md", "mix", &wanted);
}
