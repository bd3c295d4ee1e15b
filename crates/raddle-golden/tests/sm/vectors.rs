//! Are the studies of the digest reproduced that lie in its vectors?
//!
//! The log of the worked run is in `worked`; what can never fit is refused on arrival here (C12), so
//! the studies of impossible blocks have nothing to reproduce.
//!
//! The vectors lie in `fixtures/vectors` of raddle-testkit.

use raddle_golden::sm::run::{WarpStep, run};
use raddle_policy::Tick;
use raddle_sm::BlockWarpConfig;
use serde_json::Value;

use crate::naive::{Kernel, Story};
use crate::ours::{self, kernel, reversed};
use crate::worked::{self, TOTAL};

fn vectors() -> Value {
    raddle_testkit::vectors("vectors003.json")
}

fn play(sms: u16, total: [u64; 3], options: BlockWarpConfig, kernels: &[Kernel]) -> Story {
    ours::play(sms, total, options, kernels).unwrap()
}

/// Returns the settings with which the digest of patent 003 (our summary with checks) ran
/// its worked example.
fn literal() -> BlockWarpConfig {
    BlockWarpConfig { backfill: false, ..BlockWarpConfig::default() }
}

#[test]
fn every_table_of_the_worked_run_with_its_blocks() {
    let vectors = vectors();
    let expected = vectors["tables"].as_array().unwrap();
    let mut found: Vec<(u64, Value)> = Vec::new();
    let jobs = ours::jobs(&worked::kernels());
    let mut decided = false;
    let each = ours::resources(TOTAL);
    run(2, each, literal(), &jobs, &mut |Tick(now), step, controllers| match step {
        WarpStep::Decided(_) => decided = true,
        WarpStep::Served(_) => {
            if found.last().is_some_and(|(at, _)| *at == now) && !decided {
                found.pop();
            }
            found.push((now, tables(controllers)));
            decided = false;
        }
        _ => {}
    })
    .unwrap();
    assert_eq!(found.len(), expected.len());
    for ((at, tables), row) in found.iter().zip(expected) {
        assert_eq!(row["t"], *at);
        for table in ["kernel_table", "sm_table", "block_tables"] {
            assert_eq!(tables[table], row[table], "{table} at {at}, after {}", row["after"]);
        }
    }
}

/// Writes the controllers' tables as the known results (test vectors) of patent 003 spell
/// them.
fn tables(controllers: &raddle_sm::Controllers) -> Value {
    let name = |kernel: raddle_policy::LaunchId| ["A", "B", "C"][kernel.index()];
    let kernels = controllers.kernels().into_iter().map(|it| {
        let row =
            serde_json::json!({"prio": reversed(it.rank()), "undistributed": it.undistributed()});
        (name(it.kernel()).to_owned(), row)
    });
    let sms = controllers.sms().into_iter().map(|it| {
        let (left, top) = (it.remaining(), it.top().map_or(-1, |top| reversed(top) as i64));
        let row = serde_json::json!({
            "regs": left.registers, "warps": left.warps, "smem": left.shared, "top": top,
        });
        (format!("SM{}", it.sm().0), row)
    });
    let blocks = controllers.sms().into_iter().map(|it| {
        let rows = controllers.blocks(it.sm()).into_iter().map(|it| {
            let row = serde_json::json!({
                "prio": reversed(it.rank()), "waiting": it.waiting(), "running": it.running(),
                "finished": it.finished(),
            });
            (format!("{}{}", name(it.kernel()), it.block()), row)
        });
        (format!("SM{}", it.sm().0), Value::Object(rows.collect()))
    });
    serde_json::json!({
        "kernel_table": Value::Object(kernels.collect()),
        "sm_table": Value::Object(sms.collect()),
        "block_tables": Value::Object(blocks.collect()),
    })
}

#[test]
fn c1_what_the_strict_test_costs() {
    let vectors = vectors();
    let rows = vectors["strict_vs_ge_finish_time"].as_object().unwrap();
    assert_eq!(rows.len(), 5);
    for (name, row) in rows {
        let amounts: Vec<u64> =
            name.split(['=', ' ']).filter_map(|word| word.parse().ok()).collect();
        let &[warps, shared, total] = &amounts[..] else { panic!("{name}") };
        for (strict, end) in [(true, &row["strict >"]), (false, &row[">="])] {
            let options = BlockWarpConfig { strict, ..literal() };
            let work = kernel((0, 1), (20, warps, 10), (4, shared));
            let story = play(2, [64, 8, total], options, &[work]);
            assert_eq!(story.ends[0], end.as_u64(), "{name}, strict {strict}");
        }
    }
}

#[test]
fn c8_and_c9_what_order_costs() {
    let vectors = vectors();
    // C9: one SM, important kernels that fill it, 5 ticks apart, 10 long; a low one comes at 1.
    let mut kernels: Vec<Kernel> =
        (0..100).map(|i| kernel((5 * i, 9), (1, 8, 10), (4, 0))).collect();
    kernels.push(kernel((1, 1), (1, 8, 10), (4, 0)));
    let story = play(1, TOTAL, literal(), &kernels);
    let starvation = &vectors["starvation"];
    let first = story.log.iter().find(|line| line.contains("start k100.")).unwrap();
    let first: u64 = first.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(Some(first), starvation["Lo first warp starts"].as_u64());
    assert_eq!(story.ends[99], starvation["last H done"].as_u64());
    // C8: A holds what H needs until 40, Lo would fit beside it.
    let kernels = [
        kernel((0, 5), (1, 4, 40), (4, 12)),
        kernel((1, 5), (1, 2, 10), (4, 8)),
        kernel((1, 1), (1, 2, 10), (4, 0)),
    ];
    for (fall_through, name) in [
        (false, "literal (only the highest kernel is considered)"),
        (true, "fall through to lower kernels"),
    ] {
        let story = play(1, TOTAL, BlockWarpConfig { fall_through, ..literal() }, &kernels);
        let row = &vectors["head_of_line"][name];
        let expected = ["A", "H", "Lo"].map(|name| row[name].as_u64());
        assert_eq!(story.ends, expected, "{name}");
    }
}
