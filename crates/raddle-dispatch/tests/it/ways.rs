//! How does each submitted launch leave or stay under each policy of the preempt slot?

use std::fmt::Write as _;

use raddle_dispatch::{Composed, Dispatcher, Event, Recipe};
use raddle_policy::{Idempotence, Launch, Level, Preemption, StreamId};

use crate::composed::{
    EIGHT, SHAPE, ended, joined, launch, raised, ready, reset_over, step, taken_off,
};
use crate::recipes::json;

/// Stages of the first launch at the loss of the turn: (name, number of workgroups, true if the
/// first eight have ended).
const STAGES: [(&str, u64, bool); 4] = [
    ("half placed", 16, false),
    ("all placed", 8, false),
    ("one round done", 24, true),
    ("the last round", 16, true),
];

/// Verdicts whether launches may be run again: of the running launch, of the one behind it and of
/// one beside it; `y` yes, `n` no, `?` unknown.
const VERDICTS: [&str; 7] = ["yyy", "nyy", "yny", "yyn", "?yy", "y?y", "yy?"];

fn verdict(letter: char) -> Idempotence {
    match letter {
        'y' => Idempotence::Idempotent,
        'n' => Idempotence::Not,
        _ => Idempotence::Unknown,
    }
}

fn dispatcher(preempt: &str) -> Composed {
    let text =
        format!("raddle = 1\nwindow = 3\n[turn]\npolicy = \"highest-level\"\n[preempt]\n{preempt}");
    let recipe = Recipe::parse("sweep", &text).expect("a recipe");
    recipe.builder(SHAPE, 1).expect("it builds").build().expect("it builds")
}

/// Plays a loss of the turn: process 1 has launch 0 running, launch 1 behind it and 2 beside it
/// submitted, and 3 in the buffer; then process 0 becomes ready. Returns the actions of that
/// decision, and of three more as the device reports that they are carried out.
fn play(preempt: &str, (workgroups, round): (u64, bool), verdicts: &str) -> String {
    let mut d = dispatcher(preempt);
    let mut verdicts = verdicts.chars();
    let mut low = |id: u32, stream: u32, workgroups: u64| {
        let launch = launch(id, 1, workgroups).with_stream(StreamId(stream));
        launch.with_idempotent(verdicts.next().map_or(Idempotence::Unknown, verdict))
    };
    let [first, behind, beside, last] =
        [low(0, 0, workgroups), low(1, 0, 8), low(2, 1, 8), low(3, 1, 8)];
    let issued = |launch: Launch| Event::LaunchIssued { launch };
    let events = [ready(first), issued(behind), ready(beside), issued(last)];
    step(&mut d, 0, &[joined(0), joined(1)]);
    step(&mut d, 1, &events);
    if round {
        step(&mut d, 10_001, &[ended(0, &EIGHT)]);
    }
    let mut said = Vec::new();
    let mut next = step(&mut d, 15_001, &[ready(launch(9, 0, 8))]);
    // Each time, the events report that the ordered actions have happened.
    for _ in 0..3 {
        let answers: Vec<Event<'_>> = next.iter().filter_map(|line| answer(line)).collect();
        said.extend(next);
        said.push("|".into());
        next = step(&mut d, 15_001, &answers);
    }
    said.extend(next);
    said.join(" ")
}

/// Returns the event that reports that the action `line` was carried out; `None` where no report is
/// due, as for a drained launch 0, whose workgroups end first.
fn answer(line: &str) -> Option<Event<'static>> {
    match line {
        "raise p1" => return Some(raised(1)),
        "reset p1" => return Some(reset_over(1)),
        _ => {}
    }
    let (word, id) = line.split_once(" k")?;
    let id = id.parse().ok()?;
    let how = match word {
        "flag" => Preemption::Flag,
        "reset" => Preemption::Reset,
        "switch" => Preemption::Switch,
        "drain" if id != 0 => Preemption::Drain,
        _ => return None,
    };
    Some(taken_off(id, how))
}

fn sweep(preempt: &str, verdicts: &[&str]) -> String {
    let mut table = String::new();
    for (stage, workgroups, round) in STAGES {
        for verdicts in verdicts {
            let said = play(preempt, (workgroups, round), verdicts);
            let line = format!("{stage:14} {verdicts}  {said}");
            writeln!(table, "{}", line.trim_end_matches([' ', '|'])).expect("a string");
        }
    }
    table
}

#[test]
fn each_policy_of_the_slot() {
    for policy in ["never", "wait", "flag", "drain", "reset", "switch"] {
        let table = sweep(&format!("policy = \"{policy}\""), &VERDICTS);
        insta::assert_snapshot!(format!("slot-{policy}"), table);
    }
}

/// Checks that a reset closes the units that it resets: a launch that is submitted meanwhile starts
/// on other units only. Four workgroups that may be killed are on the first of two units.
#[test]
fn a_reset_closes_the_units_that_it_resets() {
    let play = |scope: &str, allocate: &str| {
        let text = format!(
            "raddle = 1\nwindow = 3\n[turn]\npolicy = \"highest-level\"\n[allocate]\n\
             policy = \"{allocate}\"\n[preempt]\npolicy = \"reset\"\nscope = \"{scope}\""
        );
        let recipe = Recipe::parse("closes", &text).expect("a recipe");
        let mut d = recipe.builder(SHAPE, 2).expect("it builds").build().expect("it builds");
        let low = launch(0, 1, 4).with_idempotent(Idempotence::Idempotent);
        let begin = step(&mut d, 0, &[joined(0), joined(1), ready(low)]);
        let raise = step(&mut d, 1, &[ready(launch(8, 0, 1))]);
        let reset = step(&mut d, 2, &[raised(1)]);
        assert_eq!(reset, ["reset k0", "reset p1"], "{begin:?} {raise:?}");
        let during = step(&mut d, 2, &[ready(launch(9, 0, 16))]).join(" ");
        let over = step(&mut d, 3, &[taken_off(0, Preemption::Reset), reset_over(1)]).join(" ");
        format!("{during} | {over}")
    };
    assert_eq!(play("process", "greedy"), "submit k9 start 8 of k9 | start 7 of k9");
    assert_eq!(play("queue", "greedy"), "submit k9 start 8 of k9 | start 7 of k9");
    assert_eq!(play("launch", "greedy"), "submit k9 start 11 of k9 | start 4 of k9");
    // A policy with its own account of free resources is asked nothing meanwhile, so nothing
    // starts.
    assert_eq!(play("process", "matching"), "submit k9 | start 15 of k9");
}

/// Checks that the urgent process submits nothing before the verdict and during the reset of the
/// device: its launches would forbid the reset (figure 1 of seed 001).
#[test]
fn nobody_submits_while_the_device_is_to_be_reset_or_is_reset() {
    for scope in ["device", "partition"] {
        let text = format!(
            "raddle = 1\nwindow = 3\n[turn]\npolicy = \"highest-level\"\n[preempt]\n\
             policy = \"reset\"\nscope = \"{scope}\""
        );
        let recipe = Recipe::parse(scope, &text).expect("a recipe");
        let mut d = recipe.builder(SHAPE, 2).expect("it builds").build().expect("it builds");
        let low = launch(0, 1, 4).with_idempotent(Idempotence::Idempotent);
        step(&mut d, 0, &[joined(0), joined(1), ready(low)]);
        assert_eq!(step(&mut d, 1, &[ready(launch(8, 0, 1))]), ["raise p1"]);
        let reset = step(&mut d, 2, &[ready(launch(9, 0, 1)), raised(1)]);
        assert_eq!(reset, ["reset k0", "reset p1"]);
        assert_eq!(step(&mut d, 3, &[taken_off(0, Preemption::Reset)]), [""; 0]);
        let over = step(&mut d, 4, &[reset_over(1)]);
        assert_eq!(over, ["submit k8", "submit k9", "start 1 of k8", "start 1 of k9"]);
        assert!(d.preemptions().refused().is_empty(), "{scope}: {:?}", d.preemptions());
    }
    // If the reset is refused, the launch that waits is submitted in that decision.
    let text = "raddle = 1\nwindow = 3\n[turn]\npolicy = \"highest-level\"\n[preempt]\n\
                policy = \"reset\"\nscope = \"device\"";
    let recipe = Recipe::parse("device", text).expect("a recipe");
    let mut d = recipe.builder(SHAPE, 2).expect("it builds").build().expect("it builds");
    step(&mut d, 0, &[joined(0), joined(1), ready(launch(0, 1, 4))]);
    assert_eq!(step(&mut d, 1, &[ready(launch(8, 0, 1))]), ["raise p1"]);
    assert_eq!(step(&mut d, 2, &[raised(1)]), ["submit k8", "start 1 of k8"]);
}

#[test]
fn a_most_of_kills_is_read_and_written() {
    for policy in ["policy = \"reset\"", "policy = \"cheapest\"\nbound-us = 5"] {
        let recipe =
            |rest: &str| Recipe::parse("mine", &format!("raddle = 1\n[preempt]\n{policy}\n{rest}"));
        let four = recipe("most_kills = 4").expect("a recipe");
        assert!(json(&four).contains("\"most-kills\":4"));
        assert_eq!(Recipe::parse("again", &json(&four)).expect("its own text"), four);
        assert!(!json(&recipe("").expect("a recipe")).contains("most-kills"));
        let bad = recipe("most-kills = -1").expect_err("below nothing").to_string();
        assert!(bad.contains("`preempt.most-kills`: expected a whole number"), "{bad}");
    }
}

#[test]
fn where_turns_end_by_time_a_launch_is_killed_three_times_at_most() {
    for policy in ["policy = \"reset\"", "policy = \"cheapest\"\nbound-us = 5"] {
        let of = |turn: &str, rest: &str| {
            let text = format!("raddle = 1\n[turn]\n{turn}\n[preempt]\n{policy}\n{rest}");
            json(&Recipe::parse("mine", &text).expect("a recipe"))
        };
        let slices = "policy = \"round-robin\"\nslice-us = 1";
        assert!(of(slices, "").contains("\"most-kills\":3"));
        assert!(of(slices, "most-kills = 9").contains("\"most-kills\":9"));
        assert!(!of("policy = \"highest-level\"", "").contains("most-kills"), "as in the seed");
    }
}

/// Checks which launch is killed the second time that its process loses the turn, under each limit
/// of kills.
#[test]
fn a_launch_that_was_killed_often_enough_runs_to_its_end() {
    let mut table = String::new();
    for most in ["", "most-kills = 0", "most-kills = 1", "most-kills = 2"] {
        let mut d = dispatcher(&format!("policy = \"reset\"\n{most}"));
        let yes = |id: u32| launch(id, 1, 8).with_idempotent(Idempotence::Idempotent);
        step(&mut d, 0, &[joined(0), joined(1)]);
        step(&mut d, 1, &[ready(yes(0)), Event::LaunchIssued { launch: yes(1) }]);
        let mut line = String::new();
        for round in 0..3_u32 {
            let now = u64::from(round) * 1000;
            let mut said = step(&mut d, now + 10, &[ready(launch(9 + round, 0, 8))]);
            said.extend(step(&mut d, now + 10, &[raised(1)]));
            let off: Vec<Event<'_>> = said
                .iter()
                .filter(|line| *line != "raise p1")
                .filter_map(|it| answer(it))
                .collect();
            step(&mut d, now + 20, &off);
            if !said.iter().any(|line| line == "reset k0") {
                step(&mut d, now + 30, &[ended(0, &EIGHT)]);
                write!(line, " {}; k0 runs out", said.join(" ")).expect("a string");
                break;
            }
            write!(line, " {};", said.join(" ")).expect("a string");
            step(&mut d, now + 40, &[ended(9 + round, &EIGHT)]);
        }
        writeln!(table, "{most:<14} {line}").expect("a string");
    }
    insta::assert_snapshot!("most-kills", table);
}

/// Checks that no process is revoked for one of its own level, under any method of preempting.
#[test]
fn equal_levels_never_revoke_each_other() {
    let costs = "[preempt.costs]\nreset-ns = 0\nbytes-per-us = 1000\nvgpr-bytes = 1\nsgpr-bytes = 0\nlds-bytes = 0";
    let cheapest = format!("\nbound-us = 0\n{costs}");
    for policy in ["never", "wait", "flag", "drain", "reset", "switch", "cheapest"] {
        let rest = if policy == "cheapest" { &*cheapest } else { "" };
        let mut d = dispatcher(&format!("policy = \"{policy}\"{rest}"));
        let at = |level: u8, id: u32, process: u16| {
            let launch = launch(id, process, 8).with_level(Level(level));
            launch.with_idempotent(Idempotence::Idempotent)
        };
        step(&mut d, 0, &[joined(0), joined(1), joined(2)]);
        step(&mut d, 1, &[ready(at(5, 0, 1)), Event::LaunchIssued { launch: at(5, 1, 1) }]);
        let said = step(&mut d, 5, &[ready(at(5, 2, 0))]);
        assert_eq!(said, ["submit k2"], "{policy}: beside it");
        assert_eq!(d.turns().revoked(), 0, "{policy}");
        // A more urgent launch revokes both processes.
        step(&mut d, 6, &[ready(at(4, 3, 2))]);
        assert_eq!(d.turns().revoked(), 2, "{policy}");
    }
}

/// Checks the choice of `cheapest` for each bound. A kill takes 6 us, a save of eight waves 8 us.
/// How long the launch, the first of its kind, lasts is unknown until a round of it has ended, at
/// 10 us of 15; then 30 us are left to it by its progress, or 15 in its last round, and 5 to its
/// workgroups.
#[test]
fn cheapest_within_bounds() {
    let costs =
        "reset-ns = 6000\nbytes-per-us = 1000\nvgpr-bytes = 1000\nsgpr-bytes = 0\nlds-bytes = 0";
    let held = "[preempt.abilities]\ncan-flag = true\ncan-reset = true\ncan-switch = true";
    let mut table = String::new();
    for (what, abilities) in [("every way", ""), ("no drain", held)] {
        for bound in [0, 5, 6, 7, 8, 14, 15, 29, 30] {
            let text = format!(
                "policy = \"cheapest\"\nbound-us = {bound}\n[preempt.costs]\n{costs}\n{abilities}"
            );
            let sweep = sweep(&text, &["yyy", "y?y"]);
            writeln!(table, "{what}, bound {bound} us\n{sweep}").expect("a string");
        }
    }
    insta::assert_snapshot!("slot-cheapest", table);
}

#[test]
fn what_cheapest_needs_is_asked_for() {
    let recipe = |text: &str| {
        Recipe::parse("mine", &format!("raddle = 1\n[preempt]\npolicy = \"cheapest\"\n{text}"))
    };
    let missing = recipe("").expect_err("no bound").to_string();
    assert!(missing.contains("`preempt.bound-us`: it is missing"), "{missing}");
    let near = recipe("bound_us = 5\nbund-us = 5").expect_err("no such key").to_string();
    assert!(near.contains("did you mean `bound-us`?"), "{near}");
    let costs = recipe("bound-us = 5\ncosts = { reset-ns = 5 }").expect_err("no bandwidth");
    assert!(costs.to_string().contains("`preempt.costs.bytes-per-us`: it is missing"), "{costs}");
    let near = recipe("bound-us = 5\nabilities = { can-reste = true }").expect_err("no such key");
    assert!(near.to_string().contains("did you mean `can-reset`?"), "{near}");
    let mut without = recipe("bound-us = 5").expect("a recipe");
    let error = without.builder(SHAPE, 1).expect_err("no costs").to_string();
    assert!(error.contains("reset-ns") && error.contains("device table"), "{error}");
    let costs = raddle_preempt::policy::DeviceCosts {
        reset_ns: 1,
        bytes_per_us: 2,
        vgpr_bytes: 3,
        sgpr_bytes: 4,
        lds_bytes: 5,
        ..raddle_preempt::policy::DeviceCosts::default()
    };
    let runtime = raddle_dispatch::PreemptRuntime::default();
    without.fill_costs(costs, runtime);
    assert_eq!(
        without.builder(SHAPE, 1).expect("costs").build().expect("it builds").policies()[3],
        "cheapest"
    );
    assert_eq!(Recipe::parse("again", &json(&without)).expect("its own text"), without);
    // Costs that the recipe gives are kept.
    let before = without.clone();
    without.fill_costs(raddle_preempt::policy::DeviceCosts { reset_ns: 9, ..costs }, runtime);
    assert_eq!(without, before);
    for policy in ["wait", "flag", "drain", "switch"] {
        let text = format!("raddle = 1\n[preempt]\npolicy = \"{policy}\"\nmost-kills = 5");
        let error = Recipe::parse("mine", &text).expect_err("nothing to set").to_string();
        assert!(error.contains("`preempt.most-kills`: unknown key"), "{error}");
    }
    for policy in ["wait", "flag", "drain", "reset", "switch"] {
        let text = format!("raddle = 1\n[preempt]\npolicy = \"{policy}\"\nbound-us = 5");
        let error = Recipe::parse("mine", &text).expect_err("nothing to set").to_string();
        assert!(error.contains("`preempt.bound-us`: unknown key"), "{error}");
    }
}
