//! Does the checker of logs find each mistake of a controller that is written into a log?
//!
//! The mistakes are those of `crates/raddle-preempt/tests/it/mutants.rs`. A log is written in short:
//! a line `submit 3` is the answer by which launch 3 is submitted. Every launch has one workgroup.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use std::fmt::Write as _;

use raddle_dispatch::log::LogHeader;
use raddle_dispatch::log::check::{LogRule, check};
use raddle_dispatch::{Recipe, Registry};
use raddle_policy::Idempotence;

/// A log that keeps every rule: process 0 loses the turn while one of three launches runs, is
/// reset, and comes back.
const RIGHT: [&str; 48] = [
    "join 0",
    "join 1",
    "ready 0 0",
    "issue 1 0",
    "issue 2 0",
    "issue 3 0",
    "turn 0",
    "submit 0",
    "submit 1",
    "submit 2",
    "start 0",
    "ready 4 1",
    "turn 1",
    "preempt 0 reset",
    "raise 0",
    "raised 0",
    "takeoff 1 flag",
    "takeoff 2 flag",
    "reset 0",
    "takeoff 0 kill",
    "off 0 kill",
    "over 0",
    "off 1 flag",
    "off 2 flag",
    "drained 0",
    "submit 4",
    "start 4",
    "end 4",
    "turn 0",
    "lower 0",
    "submit 0",
    "submit 1",
    "submit 2",
    "start 0",
    "end 0",
    "ready 1 0",
    "submit 3",
    "start 1",
    "end 1",
    "ready 2 0",
    "start 2",
    "end 2",
    "ready 3 0",
    "start 3",
    "end 3",
    "turn 1",
    "turn 0",
    "turn 1",
];

/// Returns the decision log, with header and last line, of a script; `scope` is the recipe's line
/// about the scope of a reset.
fn written(script: &[&str], scope: &str) -> String {
    let recipe = format!(
        "raddle = 1\nwindow = 3\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"reset\"\n{scope}"
    );
    let recipe = Recipe::parse("test", &recipe).unwrap();
    let header = LogHeader::new(recipe, "any", raddle_testkit::SMALL_CU, 2);
    let mut text = serde_json::to_string(&header).unwrap() + "\n";
    let (mut events, mut answers) = (0, 0);
    for (t, line) in script.iter().enumerate() {
        let said = spelled(line);
        let counted = if said.starts_with("\"event\"") { &mut events } else { &mut answers };
        *counted += 1;
        writeln!(text, "{{\"t\":{t},\"step\":{t},{said}}}").unwrap();
    }
    writeln!(text, "{{\"raddle-log-end\":1,\"events\":{events},\"answers\":{answers}}}").unwrap();
    text
}

/// Returns the text of a log line, behind its time, for a line of a script such as `submit 3`.
fn spelled(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let [what, id] = words[..2] else { panic!("{line}") };
    let more = words.get(2).copied().unwrap_or_default();
    let event = |name: &str, of: &str| format!("\"event\":\"{name}\",\"{of}\":{id}");
    let answer = |name: &str, of: &str| format!("\"answer\":\"{name}\",\"{of}\":{id}");
    let launch = |name: &str| {
        let launch = raddle_testkit::launch(id.parse().unwrap()).process(more.parse().unwrap());
        let verdict =
            if words.len() > 3 || more == "1" { Idempotence::Not } else { Idempotence::Idempotent };
        let launch = launch.build().with_idempotent(verdict);
        format!("\"event\":\"{name}\",\"launch\":{}", serde_json::to_string(&launch).unwrap())
    };
    match what {
        "join" => event("process-joined", "process") + ",\"share\":1",
        "leave" => event("process-left", "process"),
        "ready" => launch("launch-ready"),
        "issue" => launch("launch-issued"),
        "copy" => {
            event("copy-issued", "copy")
                + &format!(",\"process\":{more},\"stream\":0,\"level\":0,\"lasts\":5")
        }
        "copyready" => event("copy-ready", "copy"),
        "startcopy" => answer("start-copy", "copy"),
        "copied" => event("copy-ended", "copy"),
        "end" => event("waves-ended", "launch") + ",\"pieces\":[[0,1,1,0,1]]",
        "off" => event("taken-off", "launch") + &format!(",\"how\":\"{more}\",\"done\":0"),
        "back" => event("restored", "launch"),
        "submitted" => event("submitted", "launch"),
        "raised" => event("raised", "process"),
        "over" => event("reset-over", "process"),
        "reached" => event("reached", "process") + &format!(",\"launch\":{more}"),
        "turn" => format!("\"answer\":\"turn\",\"may-issue\":[{id}]"),
        "preempt" => answer("preempt", "process") + &format!(",\"how\":\"{more}\""),
        "submit" => answer("submit", "launch") + ",\"packets\":1,\"bytes\":64,\"cost\":0",
        "call" => {
            answer("submit", "launch") + ",\"packets\":1,\"bytes\":64,\"cost\":0,\"call\":true"
        }
        "start" => answer("start", "launch") + ",\"pieces\":[[0,1,1,0,1]]",
        "takeoff" => answer("take-off", "launch") + &format!(",\"how\":\"{more}\""),
        "restore" => answer("restore", "launch"),
        "raise" | "lower" | "reset" | "drained" => answer(what, "process"),
        _ => panic!("{line}"),
    }
}

/// Returns the rules that the log of a script breaks.
fn broken(script: &[&str], scope: &str) -> Vec<LogRule> {
    let found = check(&Registry::bundled(), written(script, scope).as_bytes()).unwrap();
    found.broken().keys().copied().collect()
}

/// Returns the right script with changes: `-line` takes out the first such line, `<line|new` puts
/// new lines before it, `>line|new` behind it, `$line` cuts the script off before it, `+new` goes
/// to the end. Where a line comes twice, `2` in front of it means the second one.
fn changed<'s>(edits: &[&'s str]) -> Vec<&'s str> {
    let mut script: Vec<&str> = RIGHT.to_vec();
    for edit in edits {
        let (how, rest) = edit.split_at(1);
        let (line, new) = rest.split_once('|').unwrap_or((rest, ""));
        let (nth, line) = line.strip_prefix('2').map_or((0, line), |line| (1, line));
        let place = || {
            let mut places = (0..script.len()).filter(|&at| script[at] == line);
            places.nth(nth).unwrap_or_else(|| panic!("{edit}"))
        };
        let new = new.split(',').filter(|line| !line.is_empty());
        match how {
            "-" => drop(script.remove(place())),
            "$" => script.truncate(place()),
            "<" => drop({
                let at = place();
                script.splice(at..at, new).count()
            }),
            ">" => drop({
                let at = place() + 1;
                script.splice(at..at, new).count()
            }),
            "+" => script.extend(rest.split(',')),
            _ => panic!("{edit}"),
        }
    }
    script
}

#[test]
fn a_right_log_keeps_every_rule() {
    assert_eq!(broken(&RIGHT, ""), []);
    // A log in which work is held, restored, and held again also keeps every rule.
    let mut held: Vec<&str> = RIGHT[..13].to_vec();
    held.extend(["preempt 0 drain", "takeoff 0 drain", "takeoff 1 drain", "takeoff 2 drain"]);
    held.extend([
        "end 0",
        "off 1 drain",
        "off 2 drain",
        "drained 0",
        "submit 4",
        "start 4",
        "end 4",
    ]);
    held.extend([
        "turn 0",
        "restore 1",
        "restore 2",
        "back 1",
        "back 2",
        "ready 1 0",
        "start 1",
        "end 1",
    ]);
    held.extend(["submit 3", "ready 2 0", "start 2", "end 2", "ready 3 0", "start 3", "end 3"]);
    assert_eq!(broken(&held, ""), []);
}

/// Returns the right script with a copy as launch 2, and one behind launch 3, and with these
/// changes.
fn with_copies(edits: &[&'static str]) -> Vec<&'static str> {
    let copies = [
        "<issue 2 0|copy 2 0",
        "-issue 2 0",
        "<ready 2 0|copyready 2,startcopy 2,copied 2",
        "-ready 2 0",
        "-start 2",
        "-end 2",
        "<ready 4 1|copy 5 0",
        "<start 3|submit 5",
        ">end 3|copyready 5,startcopy 5,copied 5",
    ];
    changed(&[&copies, edits].concat())
}

#[test]
fn a_copy_is_held_against_the_rules_like_a_launch() {
    let [window, _, pause, order, once, lost, stopped, ..] = LogRule::ALL;
    assert_eq!(broken(&with_copies(&[]), ""), []);
    let rows: [(&str, LogRule, &[&str]); 9] = [
        ("it takes no place", window, &[">submit 2|submit 3"]),
        ("it overtakes a launch that leaves", order, &["<takeoff 2 flag|copyready 2,startcopy 2"]),
        ("it begins before it is ready", once, &["-copyready 5"]),
        ("it begins without being submitted", once, &["-submit 5"]),
        ("it ends before it begins", once, &["-startcopy 5"]),
        ("it runs twice", once, &[">copied 5|startcopy 5"]),
        ("it never runs", lost, &["-startcopy 5", "-copied 5"]),
        (
            "it runs, and leaves by the flag",
            stopped,
            &["<turn 1|copyready 2,startcopy 2", "-2copyready 2", "-2startcopy 2"],
        ),
        ("it runs, and the preemption is over", pause, &["-off 2 flag", "<drained 0|back 2"]),
    ];
    for (what, rule, edits) in rows {
        let found = broken(&with_copies(edits), "");
        assert!(found.contains(&rule), "{what}: {rule:?} is not in {found:?}");
    }
    // Scripts that reset a process while its copy runs, which may not be killed.
    let runs = [
        "<turn 1|copyready 2,startcopy 2",
        "-takeoff 2 flag",
        "-off 2 flag",
        "<drained 0|copied 2",
    ];
    let found = broken(&with_copies(&runs), "");
    assert!(found.contains(&stopped), "{found:?}");
    // A running copy is neither held nor saved.
    for way in ["drain", "save"] {
        let edit = format!("<preempt 0 reset|copyready 2,startcopy 2,takeoff 2 {way}");
        let edit: &'static str = edit.leak();
        assert!(broken(&with_copies(&[edit]), "").contains(&stopped), "{way}");
    }
}

#[test]
fn each_mistake_of_a_controller_is_found_by_its_rule() {
    let [window, turn, pause, order, once, lost, stopped, reset, units, flag, reached] =
        LogRule::ALL;
    let rows: [(&str, LogRule, &[&str]); 27] = [
        ("A1 c: back to the tail of the queue", order, &["<2submit 0|submit 3", "-2submit 3"]),
        (
            "A2: only what runs is checked",
            stopped,
            &[
                "<issue 2 0|issue 2 0 no",
                "-issue 2 0",
                "-takeoff 2 flag",
                "-off 2 flag",
                ">takeoff 0 kill|takeoff 2 kill,off 2 kill",
            ],
        ),
        (
            "A3: an idle runtime is reset",
            reset,
            &["+turn 1,preempt 0 reset,raise 0,raised 0,reset 0,over 0,drained 0"],
        ),
        ("A4: killed counts as executed", lost, &["-2submit 0", "-2start 0", "-end 0"]),
        ("A5: left by the flag counts as done", lost, &["-2submit 2", "-start 2", "-end 2"]),
        ("A5: left by the flag is waited for", lost, &["$off 1 flag"]),
        ("A6: each round of workgroups looks", stopped, &["<turn 1|ready 1 0,start 1"]),
        ("A7: resume without drain", pause, &["<off 1 flag|turn 0,lower 0,submit 0"]),
        ("A8: a submit call is not waited for", flag, &["<submit 2|call 2", "-submit 2"]),
        (
            "A9: a bit, seen late to be lowered",
            flag,
            &[">2submit 2|takeoff 2 flag,off 2 flag,submit 2"],
        ),
        (
            "A10: one flag for all processes",
            flag,
            &[">submit 4|takeoff 4 flag,off 4 flag,submit 4"],
        ),
        (
            "A11: a device's reset, own launches",
            stopped,
            &[
                "-submit 4",
                "-start 4",
                "-end 4",
                "<reset 0|submit 4,start 4",
                ">takeoff 0 kill|takeoff 4 kill,off 4 kill",
                "<turn 0|submit 4,start 4,end 4",
            ],
        ),
        ("A13: what was done is replayed", once, &[">end 0|submit 0"]),
        (
            "A14: captured meanwhile goes in front",
            order,
            &["<drained 0|issue 5 0", "<lower 0|submit 5"],
        ),
        ("A14: captured meanwhile is not kept", lost, &["<drained 0|issue 5 0"]),
        (
            "A15: a preempt cancels no resume",
            turn,
            &["<off 1 flag|turn 0,turn 1", ">drained 0|lower 0,submit 0"],
        ),
        (
            "A15: a resume ends a later preemption",
            turn,
            &[
                ">2submit 2|turn 1,preempt 0 flag,raise 0,raised 0,takeoff 0 flag,takeoff 1 flag,takeoff 2 flag,off 0 flag,off 1 flag,off 2 flag,drained 0,lower 0,submit 0",
            ],
        ),
        ("A15: a preempt begins a second time", pause, &["<off 1 flag|preempt 0 reset"]),
        ("A15: a sync looks at the runtime alone", reached, &["<submit 4|reached 0 2"]),
        (
            "the flag on what may not be run again",
            stopped,
            &["<takeoff 0 kill|takeoff 0 flag", "-takeoff 0 kill"],
        ),
        (
            "the flag in front of copies",
            order,
            &["-takeoff 2 flag", "-off 2 flag", ">off 1 flag|ready 2 0,start 2,end 2"],
        ),
        ("the reset before the flag is seen", reset, &["-raised 0", ">off 0 kill|raised 0"]),
        ("a window of one more", window, &[">submit 2|submit 3"]),
        (
            "numbers anew with an id given again",
            flag,
            &[
                "+leave 0,join 0,ready 6 0,turn 0,submit 6,takeoff 6 flag,off 6 flag,submit 6,start 6,end 6",
            ],
        ),
        ("leaving, with launches in the runtime", lost, &["<turn 1|leave 0"]),
        ("leaving, and a killed one is executed", lost, &["<drained 0|leave 0"]),
        (
            "beside them: somebody starts on units that are reset",
            units,
            &["<off 0 kill|submit 4,start 4,end 4", "-2submit 4", "-2start 4", "-2end 4"],
        ),
    ];
    for (what, rule, edits) in rows {
        let found = broken(&changed(edits), "");
        assert!(found.contains(&rule), "{what}: {found:?} and not {rule}");
    }
}

#[test]
fn a_rule_is_named_with_its_line() {
    let script = changed(&[">submit 2|submit 3"]);
    let found = check(&Registry::bundled(), written(&script, "").as_bytes()).unwrap();
    let window = &found.broken()[&LogRule::ALL[0]];
    // The header is line 1; the script begins in line 2.
    assert_eq!(window.line(), 12);
    // Launch 3 stays in the runtime, so the window is exceeded a second time when the others come
    // back.
    assert_eq!(window.count(), 2);
    assert_eq!(script[10], "submit 3");
    assert!(window.what().contains("k3"), "{}", window.what());
    let numbers: Vec<u32> = LogRule::ALL.iter().map(|rule| rule.number()).collect();
    assert_eq!(numbers, (1..=11).collect::<Vec<_>>());
}
