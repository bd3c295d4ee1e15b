//! Which recipe does a case have, of any policy of each slot with any of its settings?
//!
//! A key is left out, or has one of the values that a recipe may have. Slices are longer than it
//! takes to launch a window of launches or to let work go: with shorter ones nothing gets on.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use raddle_dispatch::Registry;
use raddle_policy::CuShape;

use crate::kit::SHAPE;

/// A compute unit with more than 64 granules of registers a SIMD, as the patent's own machine has.
pub(super) const LARGE: CuShape = CuShape {
    simds: 4,
    waves_per_simd: 10,
    vgpr_per_simd: 128,
    sgpr: 200,
    lds: 256,
    workgroups: 32,
    barriers: 16,
};

/// The compute units that are drawn: a small one, one with few scalar registers, a large one, and
/// one of a single SIMD.
const SHAPES: [CuShape; 4] = [
    SHAPE,
    CuShape { sgpr: 12, barriers: 2, ..SHAPE },
    LARGE,
    CuShape { simds: 1, waves_per_simd: 8, vgpr_per_simd: 8, lds: 16, workgroups: 3, ..SHAPE },
];

/// A device, and a recipe that a dispatcher for it can have.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) shape: CuShape,
    pub(super) cus: u16,
    pub(super) recipe: String,
}

/// Draws one of these lines of a recipe, or no line.
fn line(texts: &'static [&'static str]) -> BoxedStrategy<String> {
    prop_oneof![2 => Just(String::new()), 3 => select(texts).prop_map(|it| format!("{it}\n"))]
        .boxed()
}

/// Draws the keys of a recipe's table, one a row of `lines`; each may be left out.
fn keys(lines: &[&'static [&'static str]]) -> BoxedStrategy<String> {
    let lines: Vec<_> = lines.iter().map(|texts| line(texts)).collect();
    lines.prop_map(|lines| lines.concat()).boxed()
}

/// Draws the recipe's table of one policy: its name and its settings.
fn policy(name: &'static str, settings: BoxedStrategy<String>) -> BoxedStrategy<String> {
    settings.prop_map(move |keys| format!("policy = \"{name}\"\n{keys}")).boxed()
}

fn paths() -> Vec<(&'static str, BoxedStrategy<String>)> {
    const COSTS: [&[&str]; 4] = [
        &["enqueue-ns = 7", "enqueue-ns = 60"],
        &["processing-ns = 3", "processing-ns = 90"],
        &["schedule-ns = 2", "schedule-ns = 50"],
        &["cleanup-ns = 5", "cleanup-ns = 300"],
    ];
    const OVERLAP: &[&str] = &["overlap = false", "overlap = true"];
    let [enqueue, processing, schedule, cleanup] = COSTS;
    let ordinary = keys(&[
        enqueue,
        processing,
        schedule,
        cleanup,
        &["packet-ns = 0", "packet-ns = 30"],
        OVERLAP,
    ]);
    let condensed = keys(&[
        enqueue,
        processing,
        schedule,
        cleanup,
        OVERLAP,
        &["decode-ns = 0", "decode-ns = 10"],
        &["keep = \"first\"", "keep = \"most-recent\"", "keep = \"frequency\""],
        &["near = 0", "near = 2"],
        &["entries = 1", "entries = 3"],
        &["scope = \"queue\"", "scope = \"process\"", "scope = \"agent\""],
        &["arguments = \"new\"", "arguments = \"fixed\""],
        &["signals = true", "signals = false"],
        &["ahead = 1", "ahead = 4"],
    ]);
    vec![("ordinary", ordinary), ("condensed", condensed)]
}

fn turns() -> Vec<(&'static str, BoxedStrategy<String>)> {
    // The shortest slices are shorter than launches, saves and resets. In slices of 1 us the
    // packets of a window of 8 may not reach the device, so that nothing would ever begin.
    const SLICE: &[&str] =
        &["slice-us = 2", "slice-us = 3", "slice-us = 8", "slice-us = 11", "slice-us = 20"];
    const CAPACITY: &[&str] = &["capacity = 1", "capacity = 2"];
    // A rule must be given; a longest slice must not be below the smallest.
    let rule = select(&["claim", "equal", "mean", "inverse", "min-one"][..]);
    let slices = select(
        &[
            "t0-us = 2\n",
            "t0-us = 3\n",
            "t0-us = 8\n",
            "t0-us = 9\nlongest-us = 12\n",
            "t0-us = 17\n",
            "t0-us = 8\nlongest-us = 8\n",
        ][..],
    );
    let more = keys(&[
        CAPACITY,
        &["levels = 1", "levels = 2"],
        &["shares = \"time\"", "shares = \"weight\""],
        &["order = \"fifo\"", "order = { random = { seed = 7 } }"],
        &["reload = \"one-pass\"", "reload = \"completion\""],
        &["take-over = \"slice-end\"", "take-over = \"at-once\"", "take-over = \"batch-end\""],
        &["alive = \"runnable\"", "alive = \"wall\""],
    ]);
    let weighted = (rule, slices, more)
        .prop_map(|(rule, slices, more)| format!("rule = \"{rule}\"\n{slices}{more}"));
    vec![
        ("everyone", keys(&[])),
        ("highest-level", keys(&[])),
        ("weighted-slices", weighted.boxed()),
        ("round-robin", keys(&[SLICE])),
        ("unmap-all", keys(&[SLICE, CAPACITY])),
        ("vruntime", keys(&[SLICE])),
    ]
}

fn allocates() -> Vec<(&'static str, BoxedStrategy<String>)> {
    const ADDRESSES: &[&str] = &["addresses = true", "addresses = false"];
    let matching = keys(&[
        &[
            "search = \"full\"",
            "search = { grouped = { size = 4 } }",
            "search = { grouped = { groups = 2 } }",
            "search = { sampled = { amounts = [1, 2, 4, 8] } }",
            "search = { sampled = { excluding = \"primes\" } }",
            "search = { shared = { width = 1024 } }",
            "search = { shared = { width = 300 } }",
        ],
        &["order = \"static\"", "order = { windows = { windows-ns = [800, 400] } }"],
        &["pick = \"lowest\"", "pick = { seeded = { seed = 7 } }"],
        &["fit = \"first\"", "fit = \"best\"", "fit = \"worst\"", "fit = \"next\""],
        &["balance = \"tail\"", "balance = \"fixed\""],
        &[
            "place = \"lowest-index\"",
            "place = \"round-robin\"",
            "place = \"most-waves\"",
            "place = { most-free = { waves = 1, vgpr = 1, lds = 2 } }",
            "place = { most-free = { vgpr = 1, amounts = \"longest-run\" } }",
            "place = { least-power = { weights = [1, 1, 4, 4, 8, 1], history-ticks = 900 } }",
            "place = { mix = { free = { waves = 1 }, power = { weights = [1, 1, 4, 4, 8, 1], ahead = true }, shares = [1, 1] } }",
        ],
        &["split = { threshold = 2, retry-ns = 100 }", "split = { threshold = 0, retry-us = 1 }"],
        &[
            "decision = { timing = \"one-clock\", clock-mhz = 500 }",
            "decision = { timing = \"three-clocks\", clock-mhz = 100 }",
        ],
        &["channels = 1", "channels = 3"],
    ]);
    let block_warp = keys(&[
        &["strict = false", "strict = true"],
        &["choose = \"lowest\"", "choose = \"most-free\""],
        &["fall-through = false", "fall-through = true"],
        // Without these two settings workgroups may wait for each other for ever, as the seed has
        // it (C10, C11).
        &["backfill = true"],
        &["whole-blocks-for-barriers = true"],
    ]);
    let spatial = keys(&[
        &["shares = [3, 1]", "shares = [1, 1, 1]", "shares = [2]"],
        &["of = 8", "of = 4"],
        &["lend = true", "lend = false"],
        &["limits = [0, 2]", "limits = [1]"],
    ]);
    vec![
        ("leftover", keys(&[&["order = \"arrival\"", "order = \"level\""]])),
        ("round-robin", keys(&[ADDRESSES])),
        ("greedy", keys(&[ADDRESSES])),
        ("spatial", spatial),
        ("matching", matching),
        ("block-warp", block_warp),
    ]
}

fn preempts() -> Vec<(&'static str, BoxedStrategy<String>)> {
    const KILLS: &[&str] = &["", "most-kills = 0", "most-kills = 1", "most-kills = 3"];
    let reset = select(KILLS).prop_map(|kills| format!("{kills}\n")).boxed();
    let cheapest = (select(KILLS), keys(&[&["bound-us = 1", "bound-us = 5", "bound-us = 100"]]), keys(&[&[
        "abilities = { can-flag = true, can-reset = true }",
        "abilities = { can-drain = true, can-switch = true }",
        "abilities = { can-flag = true, can-drain = true }",
    ]]))
        .prop_map(|(kills, bound, abilities)| {
            let bound = if bound.is_empty() { "bound-us = 3\n".to_owned() } else { bound };
            format!(
                "{kills}\n{bound}{abilities}costs = {{ reset-ns = 900, bytes-per-us = 1000, vgpr-bytes = 64, sgpr-bytes = 16, lds-bytes = 32 }}\n"
            )
        });
    let mut all: Vec<_> =
        ["never", "wait", "flag", "drain", "switch"].map(|name| (name, keys(&[]))).into();
    all.extend([("reset", reset), ("cheapest", cheapest.boxed())]);
    all
}

/// Draws the settings of the runtime: its scope, and the time that it takes to let work go.
fn runtime() -> BoxedStrategy<String> {
    let keys = keys(&[
        &[
            "scope = \"launch\"",
            "scope = \"queue\"",
            "scope = \"process\"",
            "scope = \"partition\"",
            "scope = \"device\"",
        ],
        &["flag-ns = 0", "flag-ns = 500"],
        &["exit-ns = 0", "exit-ns = 60"],
        &["check-ns = 0", "check-ns = 10"],
        &["reset-ns = 0", "reset-ns = 700"],
        &["switch-bytes = 0", "switch-bytes = 500"],
        &["load-ns = 0", "load-ns = 300"],
    ]);
    let switch = select(
        &["switch-ns = 0\n", "switch-ns = 400\n", "switch-ns = 2500\n", "switch-ns = 2500\n"][..],
    );
    (keys, switch).prop_map(|(keys, switch)| keys + switch).boxed()
}

fn any_of(slot: Vec<(&'static str, BoxedStrategy<String>)>) -> BoxedStrategy<String> {
    // Most rules are about work that is taken off and comes back.
    let weight = |name| match name {
        "everyone" | "never" | "wait" => 1,
        "switch" | "cheapest" | "highest-level" => 12,
        "reset" => 8,
        _ => 4,
    };
    let all = slot.into_iter().map(|(name, settings)| (weight(name), policy(name, settings)));
    Union::new_weighted(all.collect()).boxed()
}

/// Draws a device, and a recipe of any bundled policies that a dispatcher for this device can have.
pub(super) fn chosen() -> impl Strategy<Value = Chosen> {
    let window = select(&["", "window = 1\n", "window = 2\n", "window = 8\n"][..]);
    let slots =
        (any_of(paths()), any_of(turns()), any_of(allocates()), any_of(preempts()), runtime());
    let device = (select(&SHAPES[..]), 1u16..4);
    (device, window, slots).prop_filter_map("no device can have it", |((shape, cus), window, slots)| {
        let (path, turn, allocate, preempt, runtime) = slots;
        // Every process has a unit of its own: 5 of them have at most 15 parts of the device.
        let cus = if allocate.contains("spatial") { cus + 15 } else { cus };
        // Launching beside what runs needs a window.
        let window = if path.contains("overlap = true") && window.is_empty() { "window = 4\n" } else { window };
        let recipe = format!(
            "raddle = 1\n{window}[launch-path]\n{path}[turn]\n{turn}[allocate]\n{allocate}[preempt]\n{preempt}{runtime}"
        );
        let fits = Registry::bundled().recipe("any", &recipe);
        let fits = fits.unwrap_or_else(|error| panic!("{error}\n{recipe}")).builder(shape, cus);
        fits.is_ok().then_some(Chosen { shape, cus, recipe })
    })
}

/// Checks that every bundled policy of every slot is drawn.
#[test]
fn no_policy_is_left_out() {
    let names = |slot: Vec<(&'static str, BoxedStrategy<String>)>| {
        slot.into_iter().map(|(name, _)| name).collect::<BTreeSet<_>>()
    };
    let drawn = [paths(), turns(), allocates(), preempts()].map(names);
    for (slot, drawn) in ["launch-path", "turn", "allocate", "preempt"].into_iter().zip(drawn) {
        let text = format!("raddle = 1\n[{slot}]\npolicy = \"none of them\"");
        let error =
            Registry::bundled().recipe("any", &text).expect_err("no such policy").to_string();
        let known = error.split_once("expected").and_then(|(_, it)| it.split_once(", found"));
        let known: BTreeSet<&str> =
            known.map_or("", |(names, _)| names).split('`').skip(1).step_by(2).collect();
        assert_eq!(known, drawn, "{error}");
    }
}
