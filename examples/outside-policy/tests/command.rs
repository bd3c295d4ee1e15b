//! Are policies from outside first-class in the whole command line?

use std::ffi::OsString;
use std::path::Path;

use outside_policy::{Considerate, LeastServed, SmallestFirst};
use raddle::{App, Console, Registry};
use raddle_policy::Ranked;
use raddle_testkit::Sink;

/// Runs a command line with the three policies of this crate, or with the bundled ones alone where
/// `outside` is false. Returns (exit code, output, errors).
fn run(outside: bool, args: &[&str]) -> (u8, String, String) {
    let bundled = Registry::bundled();
    let registry = match outside {
        true => bundled
            .allocate::<Ranked<SmallestFirst>>()
            .turn::<LeastServed>()
            .preempt::<Considerate>(),
        false => bundled,
    };
    let (out, err) = (Sink::default(), Sink::default());
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
    let args = std::iter::once("raddle").chain(args.iter().copied()).map(OsString::from);
    let code = App::new(registry).run(args, &mut console);
    (code, out.text(), err.text())
}

/// Returns the path of a file in the folder of this crate.
fn file(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name).display().to_string()
}

#[test]
fn a_recipe_of_ones_own_is_replayed_reported_compared_and_its_log_comes_out_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (infer, train) =
        (file("../../fixtures/pair/infer.csv"), file("../../fixtures/pair/train.csv"));
    let (recipe, to) = (file("mine.toml"), at("out"));
    let args = ["replay", &infer, &train, "--device", "b200", "--recipe", "leftover", "--recipe"];
    let replay = [&args[..], &[&recipe, "--out", &to, "--log", "answers"]].concat();
    let (code, out, err) = run(true, &replay);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("mine") && out.contains("leftover"), "{out}");
    let page = std::fs::read_to_string(at("out/report.html")).expect("a page");
    for policy in ["smallest-first", "least-served", "considerate"] {
        assert!(page.contains(policy), "{policy}");
    }

    let log = at("out/mine/decisions.jsonl.zst");
    let (code, lines, _) = run(true, &["log", &log]);
    let header = lines.lines().next().unwrap_or_default();
    assert!(code == 0 && header.contains(r#""policy":"least-served","slice-us":500"#), "{header}");
    assert!(lines.contains(r#""how":"drain""#), "the policy was asked");
    let (code, told, err) = run(true, &["log", &log, "--replay"]);
    assert!(code == 0 && told.contains("agree byte for byte"), "{told}{err}");
    assert_eq!(run(true, &["log", &log, "--check"]).0, 0);
    // A program without the policies reports which one is missing.
    let (code, _, err) = run(false, &["log", &log, "--replay"]);
    assert!(
        code == 1 && err.contains("`turn.policy`") && err.contains("found `least-served`"),
        "{err}"
    );

    let (code, compared, err) = run(true, &["compare", &to, &to, "--equal"]);
    assert!(code == 0 && compared.contains("mine"), "{compared}{err}");
}

#[test]
fn an_unknown_name_lists_what_there_is_with_the_nearest() {
    let folder = tempfile::tempdir().expect("a folder");
    let recipe = folder.path().join("typo.toml");
    std::fs::write(&recipe, "raddle = 1\n[turn]\npolicy = \"least-serve\"\n").expect("written");
    let infer = file("../../fixtures/pair/infer.csv");
    let args = ["replay", &infer, "--device", "b200", "--no-files", "--recipe"];
    let (code, _, err) = run(true, &[&args[..], &[&recipe.display().to_string()]].concat());
    assert_eq!(code, 1);
    for part in ["line 3, `turn.policy`", "`weighted-slices`", "did you mean `least-served`?"] {
        assert!(err.contains(part), "{part} in {err}");
    }
}
