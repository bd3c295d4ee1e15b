//! Wrong answers that were written into right logs: each is found, in its line.

use raddle_dispatch::log::{Detail, spelled_out};
use raddle_golden::twin;
use raddle_policy::CuShape;
use serde_json::{Value, json};

use crate::kit::{agrees, check, log, shape};

const PAIR: (CuShape, u16) = (shape(2, 64), 3);

/// Returns the lines of a log without a fault, each in full.
fn lines(recipe: &str, seed: u64, detail: Detail) -> Vec<String> {
    let short = log(recipe, PAIR, seed, detail);
    agrees(&short, recipe);
    spelled_out(short.as_bytes()).map(|line| line.expect("it follows")).collect()
}

/// Changes the first line of a log on which `change` makes another one, and checks that a
/// difference of this policy is found in that line.
fn planted(lines: &[String], policy: &str, change: impl Fn(&mut Value) -> bool) {
    let changed = lines.iter().enumerate().skip(1).find_map(|(at, line)| {
        let mut value: Value = serde_json::from_str(line).ok()?;
        let before = value.clone();
        (change(&mut value) && value != before).then(|| (at, spelled(&value)))
    });
    let (at, line) = changed.expect("there is such an answer");
    let mut other = lines.to_vec();
    other[at].clone_from(&line);
    let report = check(&other.join("\n"));
    let first = report.first().unwrap_or_else(|| panic!("`{policy}`: {line} is not found"));
    assert_eq!((first.line, &*first.policy), (at + 1, policy), "{first}");
}

/// Writes a line as a log does: tick and step first.
fn spelled(value: &Value) -> String {
    let mut rest = value.clone();
    let keys = rest.as_object_mut().expect("a line");
    let (t, step) = (keys.remove("t").expect("a time"), keys.remove("step").expect("a step"));
    // Behind time and step, a line begins with its kind.
    let kind = ["event", "answer"].into_iter().find(|key| keys.contains_key(*key)).expect("one");
    let what = keys.remove(kind).expect("it is there");
    let more = Value::Object(keys.clone()).to_string();
    let more = more.strip_prefix('{').expect("an object");
    let comma = if more == "}" { "" } else { "," };
    format!("{{\"t\":{t},\"step\":{step},\"{kind}\":{what}{comma}{more}")
}

fn is(line: &Value, answer: &str) -> bool {
    line["answer"] == answer
}

/// Moves the start of workgroups in a line, on one compute unit, to the next unit; returns whether
/// the line was such a start.
fn to_another_unit(line: &mut Value) -> bool {
    let found = is(line, "start") && line["pieces"][0][4] == 1 && line["pieces"][1].is_null();
    if found {
        let cu = line["pieces"][0][3].as_u64().expect("a unit");
        line["pieces"][0][3] = json!((cu + 1) % 3);
    }
    found
}

const BUSY: &str = "[launch-path]\npolicy = \"ordinary\"\npacket-ns = 30\n[allocate]\n";

#[test]
fn another_unit_is_found_under_every_allocate_policy() {
    for policy in ["matching", "block-warp", "greedy", "round-robin", "leftover", "spatial"] {
        let lines = lines(&format!("{BUSY}policy = \"{policy}\""), 3, Detail::Answers);
        planted(&lines, policy, to_another_unit);
    }
}

#[test]
fn a_reason_for_waiting_that_lacks_nothing_is_found() {
    for (key, value) in [("available", json!(9_999)), ("cu", json!(77)), ("launch", json!(9_999))] {
        let lines = lines(&format!("{BUSY}policy = \"block-warp\""), 3, Detail::Answers);
        planted(&lines, "block-warp", |line| {
            let reasons = line["refusals"].as_array_mut().filter(|reasons| !reasons.is_empty());
            reasons.is_some_and(|reasons| {
                reasons[0][key] = value.clone();
                true
            })
        });
    }
}

#[test]
fn another_address_is_found_in_a_log_in_full_and_by_its_hash() {
    let recipe = format!("{BUSY}policy = \"matching\"");
    planted(&lines(&recipe, 4, Detail::Full), "matching", |line| {
        let places = line["places"].as_array_mut().filter(|places| !places.is_empty());
        places.is_some_and(|places| {
            places[0][1] = json!(places[0][1].as_u64().map(|start| start + 1));
            true
        })
    });
    planted(&lines(&recipe, 4, Detail::Answers), "matching", |line| {
        let found = line["addresses"].is_string();
        if found {
            line["addresses"] = json!("00000000");
        }
        found
    });
}

#[test]
fn another_order_of_launches_is_found() {
    // Of two starts in one step the second comes first.
    for policy in ["matching", "greedy", "round-robin"] {
        let lines = lines(&format!("{BUSY}policy = \"{policy}\""), 5, Detail::Answers);
        let value = |at: usize| serde_json::from_str::<Value>(&lines[at]).unwrap_or_default();
        let swapped = (1..lines.len() - 1).find(|&at| {
            let (one, other) = (value(at), value(at + 1));
            is(&one, "start") && is(&other, "start") && one["launch"] != other["launch"]
        });
        let at = swapped.expect("two launches start in one step");
        let mut other = lines.clone();
        other.swap(at, at + 1);
        let report = check(&other.join("\n"));
        let first = report.first().expect("it is found");
        assert!((at + 1..=at + 2).contains(&first.line), "{policy}: {first}");
    }
}

#[test]
fn a_start_that_comes_later_is_found() {
    // The first start and the rest of its step are left out; one line of the next step ends the
    // log.
    for policy in ["matching", "leftover", "block-warp"] {
        let lines = lines(&format!("{BUSY}policy = \"{policy}\""), 6, Detail::Answers);
        let at = lines.iter().position(|line| line.contains("\"answer\":\"start\"")).expect("one");
        let step =
            |line: &String| serde_json::from_str::<Value>(line).unwrap_or_default()["step"].clone();
        let mut other = lines[..at].to_vec();
        other.extend(lines[at..].iter().find(|line| step(line) != step(&lines[at])).cloned());
        let report = check(&other.join("\n"));
        let first = report.first().expect("it is found");
        assert_eq!((first.policy.as_str(), first.found.as_str()), (policy, "nothing in this step"));
    }
}

#[test]
fn another_process_or_another_length_is_found_under_every_turn_policy() {
    for (policy, settings) in [
        ("everyone", ""),
        ("highest-level", ""),
        ("round-robin", "slice-us = 1"),
        ("unmap-all", "slice-us = 1\ncapacity = 1"),
        ("vruntime", "slice-us = 1"),
        ("weighted-slices", "rule = \"min-one\"\nt0-us = 1\ncapacity = 2"),
    ] {
        let recipe = format!(
            "{BUSY}policy = \"leftover\"\n[turn]\npolicy = \"{policy}\"\n{settings}\n[preempt]\npolicy = \"drain\"\n"
        );
        let lines = lines(&recipe, 7, Detail::Answers);
        planted(&lines, policy, |line| {
            let found = is(line, "turn") && !line["may-issue"][0].is_null();
            if found {
                line["may-issue"] = json!([3]);
            }
            found
        });
        if !settings.is_empty() {
            planted(&lines, policy, |line| {
                let until = line["until"].as_u64().filter(|_| is(line, "turn"));
                until.is_some_and(|until| {
                    line["until"] = json!(until + 1);
                    true
                })
            });
        }
    }
}

#[test]
fn another_weight_or_slice_of_a_load_is_found() {
    let recipe = format!(
        "{BUSY}policy = \"leftover\"\n[turn]\npolicy = \"weighted-slices\"\nrule = \"inverse\"\nt0-us = 1\n"
    );
    let lines = lines(&recipe, 8, Detail::Answers);
    for (at, other) in [(1, json!("7/3")), (2, json!(1234))] {
        planted(&lines, "weighted-slices", |line| {
            let found = line["load"]["loaded"][0].is_array();
            if found {
                line["load"]["loaded"][0][at] = other.clone();
            }
            found
        });
    }
}

#[test]
fn another_way_to_leave_is_found_under_every_preempt_policy() {
    let cheapest = "bound-us = 1\ncosts = { reset-ns = 70, bytes-per-us = 1000, vgpr-bytes = 8, sgpr-bytes = 4, lds-bytes = 2 }";
    for policy in ["never", "wait", "flag", "drain", "reset", "switch", "cheapest"] {
        let settings = if policy == "cheapest" { cheapest } else { "" };
        let recipe = format!(
            "window = 4\n{BUSY}policy = \"leftover\"\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"{policy}\"\n{settings}"
        );
        let lines = lines(&recipe, 9, Detail::Answers);
        planted(&lines, policy, |line| {
            let found = is(line, "preempt");
            if found {
                line["how"] = json!(if line["how"] == "wait" { "switch" } else { "wait" });
            }
            found
        });
    }
}

#[test]
fn another_cost_of_a_launch_is_found() {
    let lines = lines(&format!("{BUSY}policy = \"greedy\""), 10, Detail::Answers);
    planted(&lines, "ordinary", |line| {
        let found = is(line, "submit");
        if found {
            line["cost"] = json!(31);
        }
        found
    });
}

#[test]
fn another_packet_cost_or_cleanup_is_found_under_condensed() {
    let recipe = "[allocate]\npolicy = \"leftover\"\n[launch-path]\npolicy = \"condensed\"\nenqueue-ns = 20\nschedule-ns = 5\ncleanup-ns = 7\nentries = 2";
    let lines = lines(recipe, 13, Detail::Answers);
    let changes: [(&str, Value, Value); 4] = [
        // A launch that joins a packet has none of its own, the first one in a packet has one.
        ("packets", json!(0), json!(1)),
        ("packets", json!(1), json!(2)),
        ("cost", json!(5), json!(25)),
        ("cleanup", json!(7), json!(0)),
    ];
    for (key, right, wrong) in changes {
        planted(&lines, "condensed", |line| {
            let found = is(line, "submit") && line[key] == right;
            if found {
                line[key] = wrong.clone();
            }
            found
        });
    }
}

#[test]
fn another_unit_or_address_is_found_where_every_granule_has_one() {
    for policy in ["greedy", "round-robin"] {
        let recipe = format!("{BUSY}policy = \"{policy}\"\naddresses = true");
        planted(&lines(&recipe, 3, Detail::Answers), policy, to_another_unit);
        planted(&lines(&recipe, 4, Detail::Full), policy, |line| {
            let places = line["places"].as_array_mut().filter(|places| !places.is_empty());
            places.is_some_and(|places| {
                places[0][1] = json!(places[0][1].as_u64().map(|start| start + 1));
                true
            })
        });
        planted(&lines(&recipe, 4, Detail::Answers), policy, |line| {
            let found = line["addresses"].is_string();
            if found {
                line["addresses"] = json!("00000000");
            }
            found
        });
    }
}

#[test]
fn another_moment_of_a_decision_is_found_where_one_finder_goes_in_turn() {
    let recipe = format!(
        "{BUSY}policy = \"matching\"\nsearch = {{ shared = {{ width = 70 }} }}\ndecision = {{ timing = \"one-clock\", clock-mhz = 20 }}"
    );
    let lines = lines(&recipe, 12, Detail::Answers);
    for unseen in [false, true] {
        // A wait for the end of a round, and one for an end that the finder does not see yet.
        let mut waits = 0;
        let at = lines.iter().position(|line| {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            let timed = is(&value, "wait") && value["retry-at"].is_u64();
            waits += u32::from(timed);
            timed && waits > if unseen { 20 } else { 0 }
        });
        let at = at.expect("there is a wait");
        let mut other = lines.clone();
        let mut value: Value = serde_json::from_str(&other[at]).expect("a line");
        value["retry-at"] = json!(value["retry-at"].as_u64().map(|tick| tick + 1));
        other[at] = spelled(&value);
        let report = check(&other.join("\n"));
        let first = report.first().expect("it is found");
        assert_eq!((first.line, &*first.policy), (at + 1, "matching"), "{first}");
    }
}

#[test]
fn no_log_makes_a_twin_panic() {
    // Each line of a log changed at random places, cut, left out or doubled.
    let recipe = "window = 3\n[allocate]\npolicy = \"matching\"\nsplit = { threshold = 2 }\n[turn]\npolicy = \"vruntime\"\nslice-us = 1\n[preempt]\npolicy = \"cheapest\"\nbound-us = 1\ncosts = { reset-ns = 70, bytes-per-us = 1000, vgpr-bytes = 8, sgpr-bytes = 4, lds-bytes = 2 }";
    let others = "[allocate]\npolicy = \"greedy\"\naddresses = true\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"switch\"\n[launch-path]\npolicy = \"condensed\"\nentries = 2";
    let late = "[allocate]\npolicy = \"matching\"\nsearch = { shared = { width = 70 } }\ndecision = { timing = \"one-clock\", clock-mhz = 20 }";
    let logs = [recipe, others, late].map(|recipe| lines(recipe, 11, Detail::Full));
    let mut draws = crate::kit::Draws(1);
    for at in 0..90 {
        let lines = &logs[at % logs.len()];
        let mut other = lines.clone();
        for _ in 0..3 {
            let at = draws.below(other.len() as u64) as usize;
            match draws.below(4) {
                0 => drop(other.remove(at)),
                1 => other.insert(at, other[at].clone()),
                2 => {
                    let other_number = ["0", "1", "65535", "4294967295", "18446744073709551615"];
                    let digit = other_number[draws.below(5) as usize];
                    let from = draws.below(other[at].len().max(1) as u64) as usize;
                    let found = other[at][from..].find(|it: char| it.is_ascii_digit());
                    if let Some(begin) = found.map(|found| from + found) {
                        other[at].replace_range(begin..=begin, digit);
                    }
                }
                _ => {
                    let to = draws.below(other.len() as u64) as usize;
                    other.swap(at, to);
                }
            }
        }
        let _ = twin::check(other.join("\n").as_bytes());
    }
}
