//! Recipes of every policy and setting over shapes of 63, 64, 65 and 128 granules.

use raddle_dispatch::Abilities;
use raddle_dispatch::log::Detail;
use raddle_policy::{CuShape, Preemption};

use crate::kit::{agrees, check, log, log_by, shape};

/// Settings of the policy `matching` other than the full search with the first fit.
const MATCHING: &[&str] = &[
    "search = { grouped = { size = { lds = 4 } } }",
    "search = { grouped = { groups = { lds = 6 } } }\nfit = \"worst\"",
    "search = { sampled = {} }",
    "search = { sampled = { amounts = [1, 2, 5, 8, 11, 16, 24] } }",
    "search = { sampled = { excluding = \"primes\" } }",
    "search = { sampled = { excluding = [3, 4] } }",
    "search = { sampled = { excluding = [] } }\nplace = \"round-robin\"",
    "search = { shared = { width = 128 } }\nfit = \"worst\"",
    "fit = \"best\"\norder = { windows = { windows-ns = [500, 300, 100] } }",
    "fit = \"worst\"\norder = { windows = { windows-us = [4, 2] } }\nchannels = 2",
    "fit = \"best\"\nbalance = \"fixed\"",
    "fit = \"best\"\nplace = \"most-waves\"",
    "fit = \"best\"\nplace = { most-free = { waves = 1, vgpr = 3, sgpr = 1, lds = 2 } }",
    "fit = \"best\"\nplace = { most-free = { waves = 1, vgpr = 3, amounts = \"longest-run\" } }",
    "fit = \"best\"\nplace = { least-power = { weights = [1, 1, 4, 4, 8, 1], history-ticks = 700 } }",
    "fit = \"best\"\nplace = { least-power = { weights = [1, 2, 4, 4, 8, 1], history-log2 = 9, ahead = true } }",
    "fit = \"best\"\nplace = { mix = { free = { waves = 1, lds = 1 }, power = { weights = [1, 1, 4, 4, 8, 1], history-ticks = 1024 }, shares = [2, 1] } }",
    "fit = \"best\"\npick = { seeded = { seed = 7 } }",
    "fit = \"best\"\nchannels = 1",
    "fit = \"best\"\nsplit = { threshold = 2, retry-ns = 90 }",
    "fit = \"best\"\nsplit = { threshold = 0 }",
    "fit = \"best\"\nsplit = { threshold = 20, retry-ns = 10 }\norder = { windows = { windows-ns = [900, 100] } }",
    "fit = \"best\"\ndecision = { timing = \"one-clock\", clock-mhz = 1700 }",
    "fit = \"best\"\ndecision = { timing = \"three-clocks\", clock-mhz = 30 }\nplace = \"round-robin\"",
    "search = { shared = { width = 128 } }\ndecision = { timing = \"one-clock\", clock-mhz = 90 }",
    "search = { shared = { width = 130 } }\ndecision = { timing = \"three-clocks\", clock-mhz = 700 }\nplace = { least-power = { weights = [1, 1, 4, 4, 8, 1], history-ticks = 700 } }",
    "search = { shared = { width = 200 } }\ndecision = { timing = \"one-clock\", clock-mhz = 9 }\nsplit = { threshold = 2, retry-ns = 90 }",
];

const OTHERS: &[&str] = &[
    "policy = \"block-warp\"",
    "policy = \"block-warp\"\nstrict = true",
    "policy = \"block-warp\"\nchoose = \"most-free\"",
    "policy = \"block-warp\"\nfall-through = true",
    "policy = \"block-warp\"\nbackfill = false",
    "policy = \"block-warp\"\nwhole-blocks-for-barriers = false",
    "policy = \"greedy\"",
    "policy = \"greedy\"\naddresses = true",
    "policy = \"round-robin\"",
    "policy = \"round-robin\"\naddresses = true",
    "policy = \"leftover\"",
    "policy = \"leftover\"\norder = \"level\"",
    "policy = \"spatial\"",
    "policy = \"spatial\"\nshares = [3, 1]\nof = 6",
    "policy = \"spatial\"\nlend = true\nlimits = [3, 0, 2]",
];

const TURNS: &[&str] = &[
    "policy = \"everyone\"",
    "policy = \"highest-level\"",
    "policy = \"round-robin\"\nslice-us = 1",
    "policy = \"unmap-all\"\nslice-us = 1\ncapacity = 2",
    "policy = \"vruntime\"\nslice-us = 1",
    "policy = \"weighted-slices\"\nrule = \"claim\"\nt0-us = 1\ncapacity = 2",
    "policy = \"weighted-slices\"\nrule = \"equal\"\nt0-us = 2\nreload = \"completion\"",
    "policy = \"weighted-slices\"\nrule = \"mean\"\nt0-us = 1\nlevels = 1\nshares = \"time\"",
    "policy = \"weighted-slices\"\nrule = \"inverse\"\nt0-us = 1\ntake-over = \"at-once\"\nalive = \"wall\"",
    "policy = \"weighted-slices\"\nrule = \"min-one\"\nt0-us = 1\ntake-over = \"batch-end\"\nlongest-us = 2\ncapacity = 3",
    "policy = \"weighted-slices\"\nrule = \"min-one\"\nt0-us = 1\norder = { random = { seed = 5 } }\nlevels = 2",
];

/// Settings of preempt policies. A kill has a limit: without it, a launch that is longer than a
/// slice would be killed for ever.
const PREEMPTS: &[&str] = &[
    "policy = \"never\"",
    "policy = \"wait\"",
    "policy = \"flag\"",
    "policy = \"drain\"",
    "policy = \"reset\"\nmost-kills = 3",
    "policy = \"reset\"\nmost-kills = 1\nscope = \"launch\"",
    "policy = \"reset\"\nmost-kills = 2\nscope = \"queue\"",
    "policy = \"reset\"\nmost-kills = 2\nscope = \"partition\"",
    "policy = \"reset\"\nmost-kills = 1\nscope = \"device\"",
    "policy = \"switch\"",
    "policy = \"cheapest\"\nbound-us = 1\nmost-kills = 2\ncosts = { flag-ns = 40, exit-ns = 5, reset-ns = 70, switch-ns = 30, bytes-per-us = 1000, vgpr-bytes = 8, sgpr-bytes = 4, lds-bytes = 2 }",
    "policy = \"cheapest\"\nbound-us = 3\nabilities = { can-flag = true, can-drain = true }\ncosts = { reset-ns = 70, bytes-per-us = 1000, vgpr-bytes = 8, sgpr-bytes = 4, lds-bytes = 2 }",
];

/// Returns devices with even and uneven SIMDs, below, at and above 64 granules.
fn shapes() -> Vec<(CuShape, u16)> {
    let with_sgpr = CuShape { sgpr: 40, ..shape(2, 65) };
    vec![
        (shape(2, 63), 3),
        (shape(4, 64), 2),
        (shape(3, 65), 3),
        (shape(1, 128), 4),
        (shape(4, 128), 2),
        (with_sgpr, 3),
        (shape(2, 64), 1),
    ]
}

fn recipe(allocate: &str, turn: &str, preempt: &str, window: u64) -> String {
    let window = if window > 0 { format!("window = {window}\n") } else { String::new() };
    format!(
        "{window}[allocate]\n{allocate}\n[turn]\n{turn}\n[preempt]\n{preempt}\n\
         [launch-path]\npolicy = \"ordinary\"\npacket-ns = 30\ncleanup-ns = 10\n"
    )
}

fn everyone(allocate: &str) -> String {
    recipe(allocate, TURNS[0], PREEMPTS[0], 0)
}

#[test]
fn every_setting_of_matching_agrees_on_several_shapes() {
    let shapes = shapes();
    for (at, settings) in MATCHING.iter().enumerate() {
        let recipe = everyone(&format!("policy = \"matching\"\n{settings}"));
        for (more, detail) in [(0, Detail::Full), (3, Detail::Answers)] {
            let device = shapes[(at + more) % shapes.len()];
            agrees(&log(&recipe, device, at as u64, detail), &format!("{settings} {device:?}"));
        }
    }
}

#[test]
fn the_full_search_with_the_first_fit_agrees_on_every_shape() {
    let recipe = everyone("policy = \"matching\"");
    for (at, device) in (0..).zip(shapes()) {
        for seed in 0..2 {
            agrees(&log(&recipe, device, seed + 10 * at, Detail::Full), &format!("{device:?}"));
        }
    }
}

#[test]
fn the_other_allocate_policies_agree_on_every_shape() {
    for (at, device) in (0..).zip(shapes()) {
        for policy in OTHERS {
            let log = log(&everyone(policy), device, 20 + at, Detail::Answers);
            agrees(&log, &format!("{policy} {device:?}"));
        }
    }
}

#[test]
fn every_turn_and_preempt_policy_agrees_beside_every_allocate_policy() {
    let matching = "policy = \"matching\"\nfit = \"best\"";
    let others = [0, 3, 6, 7, 9, 10, 14].map(|at| OTHERS[at]);
    let allocates: Vec<&str> = [matching].into_iter().chain(others).collect();
    let mut seed = 100;
    for (at, turn) in TURNS.iter().enumerate() {
        for more in [0, 4, 7] {
            let preempt = PREEMPTS[(at + more) % PREEMPTS.len()];
            let window = [0, 4, 2, 8, 3, 4, 2, 3, 8, 1][(at + more) % 10];
            let allocate = allocates[seed as usize % allocates.len()];
            let device = shapes()[seed as usize % 7];
            seed += 1;
            let recipe = recipe(allocate, turn, preempt, window);
            let log = log(&recipe, device, seed, Detail::Answers);
            agrees(&log, &format!("seed {seed} {device:?}\n{recipe}"));
        }
    }
}

/// Checks that a twin takes the next gentler method where the device lacks one, and that it finds a
/// difference where the log does not say so.
#[test]
fn a_device_without_a_method_agrees() {
    let turn = "policy = \"highest-level\"";
    let lacking = [
        ("switch", Abilities::ALL.with(Preemption::Switch, false)),
        ("reset", Abilities::ALL.with(Preemption::Reset, false)),
        ("drain", Abilities::NONE),
    ];
    for (method, abilities) in lacking {
        let recipe = recipe("policy = \"leftover\"", turn, &format!("policy = \"{method}\""), 0);
        let log = log_by(&recipe, (shape(2, 64), 2), abilities, 5, Detail::Answers);
        agrees(&log, method);
        let (header, lines) = log.split_once('\n').expect("a header");
        let (header, _) = header.split_once(",\"abilities\"").expect("it says what it lacks");
        let report = check(&format!("{header}}}\n{lines}"));
        assert!(report.different() > 0, "{method}");
    }
}

/// Checks recipes that save work: saved work holds its resources again from the moment when it
/// begins to come back.
#[test]
fn block_warp_agrees_where_work_is_saved_and_comes_back() {
    for (at, turn) in TURNS.iter().enumerate() {
        for (more, allocate) in OTHERS.iter().filter(|it| it.contains("block-warp")).enumerate() {
            let seed = (10 * at + more) as u64;
            let recipe = recipe(allocate, turn, "policy = \"switch\"", 2 + seed % 3);
            let log = log(&recipe, shapes()[(at + more) % 7], 500 + seed, Detail::Answers);
            agrees(&log, &format!("seed {seed}\n{recipe}"));
        }
    }
}

/// Settings of the launch path `condensed`.
const CONDENSED: &[&str] = &[
    "",
    "keep = \"first\"\nentries = 3",
    "keep = \"most-recent\"\nentries = 2\ndecode-ns = 3",
    "keep = \"frequency\"\nentries = 1\nscope = \"process\"",
    "keep = \"frequency\"\nentries = 2\nscope = \"agent\"\narguments = \"fixed\"",
    "near = 4\nsignals = true\nentries = 3",
    "near = 0\nahead = 2",
    "near = 20\nkeep = \"first\"\narguments = \"fixed\"\nsignals = true",
    "entries = 4\nahead = 5\noverlap = true",
];

#[test]
fn every_setting_of_condensed_agrees() {
    let costs = "enqueue-ns = 20\nprocessing-ns = 30\nschedule-ns = 10\ncleanup-ns = 25";
    for (at, settings) in (0..).zip(CONDENSED) {
        for seed in 0..6 {
            // Preemptions send launches once more.
            let recipe = format!(
                "window = 6\n[allocate]\n{}\n[turn]\n{}\n[preempt]\n{}\n[launch-path]\npolicy = \"condensed\"\n{costs}\n{settings}\n",
                OTHERS[10],
                TURNS[1],
                PREEMPTS[[5, 2, 0][seed as usize % 3]]
            );
            let log = log(&recipe, shapes()[seed as usize], 700 + 10 * at + seed, Detail::Answers);
            agrees(&log, &format!("seed {seed} {settings}"));
        }
    }
}

#[test]
fn a_policy_without_a_twin_is_named_as_not_checked() {
    let log = log(&everyone("policy = \"greedy\""), (shape(2, 64), 2), 1, Detail::Answers);
    let report = check(&log.replace("\"policy\":\"greedy\"", "\"policy\":\"of-mine\""));
    let allocate = &report.slots[2];
    assert_eq!((allocate.slot, allocate.checked), ("allocate", 0));
    assert!(allocate.unchecked.as_ref().is_some_and(|why| why.contains("no twin")));
    assert!(report.slots[1].checked > 0 && report.different() == 0);
}
