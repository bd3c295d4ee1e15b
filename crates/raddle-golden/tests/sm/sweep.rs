//! Which route does a block take on every small remainder of an SM? A table that changes when a
//! comparison is off by one.
//!
//! The block has 3 warps of 2 registers and 2 shared, and priority 1.

use std::fmt::Write as _;

use raddle_policy::LaunchId;
use raddle_sm::{BlockWarpConfig, Choose, Controllers, Kernel, Resources, Route};

use crate::ours::{resources, reversed};

fn filler(id: u32, priority: u64, left: [u64; 3], total: Resources) -> Kernel {
    Kernel {
        id: LaunchId(id),
        rank: reversed(priority),
        blocks: 1,
        warps: total.warps - left[1],
        registers: 1,
        shared: total.shared - left[2],
        barrier: false,
    }
}

/// Returns the letter of the route that a block takes to one SM with these amounts left, beside a
/// block of the priority `top`.
fn route(left: [u64; 3], top: u64, options: BlockWarpConfig, barrier: bool) -> char {
    // The filler has as many registers as warps, one each.
    let held = 4;
    let total = resources([left[0] + held, left[1] + held, left[2] + 1]);
    let mut gpu = Controllers::new(1, total, options).unwrap();
    gpu.arrive(&filler(0, top, left, total)).unwrap();
    let sm = gpu.decide().unwrap().sm();
    while gpu.serve(sm).unwrap().is_some() {}
    assert_eq!(gpu.sms()[0].remaining(), resources(left));
    let (id, rank) = (LaunchId(1), reversed(1));
    let block = Kernel { id, rank, blocks: 9, warps: 3, registers: 2, shared: 2, barrier };
    if gpu.arrive(&block).unwrap().is_some() {
        return 'x';
    }
    gpu.decide().map_or('.', |it| match it.route() {
        Route::Whole => char::from_digit(it.count() as u32, 10).unwrap(),
        Route::First => 'f',
        Route::Second => 's',
    })
}

#[test]
fn routes() {
    let mut table = String::from(
        "registers left 0..13 by shared left 1, 2, 3, 4; N1, first, second, none, x refused\n",
    );
    for (name, strict, barrier) in
        [("at least", false, false), ("strict", true, false), ("barrier", false, true)]
    {
        for top in [0, 1] {
            for warps in [0, 1, 2, 3, 5, 6] {
                let row = |shared: u64| -> String {
                    let options = BlockWarpConfig { strict, ..BlockWarpConfig::default() };
                    let cell = |registers| route([registers, warps, shared], top, options, barrier);
                    (0..14).map(cell).collect()
                };
                let row = [1, 2, 3, 4].map(row).join(" ");
                writeln!(table, "{name:<8} top {top} warps {warps}: {row}").unwrap();
            }
        }
    }
    insta::assert_snapshot!("routes", table);
}

/// Returns the SM to which a block of 3 warps goes, of three SMs with these warps left beside
/// blocks of these priorities.
fn chosen(left: [u64; 3], tops: [u64; 3], choose: Choose) -> String {
    let each = Resources { registers: 100, warps: 8, shared: 4 };
    let options = BlockWarpConfig { choose, ..BlockWarpConfig::default() };
    let mut gpu = Controllers::new(3, each, options).unwrap();
    for (sm, (left, top)) in (0..).zip(left.into_iter().zip(tops)) {
        let warps = 8 - left;
        // Filled first, so that the next filler goes to the next SM; the rest ends again.
        for (id, priority, warps) in [(2 * sm, top, warps), (2 * sm + 1, top, left)] {
            let (id, registers, shared) = (LaunchId(id), 1, 0);
            let it = Kernel {
                id,
                rank: reversed(priority),
                blocks: 1,
                warps,
                registers,
                shared,
                barrier: false,
            };
            if warps > 0 {
                gpu.arrive(&it).unwrap();
            }
        }
    }
    let mut fillers = Vec::new();
    while let Some(decision) = gpu.decide() {
        while let Some(it) = gpu.serve(decision.sm()).unwrap() {
            fillers.push(it);
        }
    }
    for it in fillers.iter().filter(|it| it.kernel().0 % 2 == 1) {
        for _ in 0..it.count() {
            gpu.ended(it.handle()).unwrap();
        }
    }
    let row = |it: raddle_sm::SmRow| {
        format!(
            "{}{}",
            it.remaining().warps,
            it.top().map_or("-".to_owned(), |top| reversed(top).to_string())
        )
    };
    let state: Vec<String> = gpu.sms().into_iter().map(row).collect();
    let id = LaunchId(99);
    let block = Kernel {
        id,
        rank: reversed(4),
        blocks: 2,
        warps: 3,
        registers: 1,
        shared: 0,
        barrier: false,
    };
    gpu.arrive(&block).unwrap();
    let went =
        gpu.decide().map_or("-".to_owned(), |it| format!("{} {}", it.route().name(), it.sm()));
    format!("{} {went}", state.join(" "))
}

#[test]
fn choices() {
    let mut table =
        String::from("warps left and top of three SMs, where a block of 3 warps goes\n");
    for left in [[0, 0, 0], [1, 2, 2], [2, 1, 0], [3, 6, 6], [6, 3, 8], [8, 8, 8], [0, 8, 3]] {
        for tops in [[3, 2, 2], [4, 4, 3], [4, 4, 4]] {
            let row = [Choose::Lowest, Choose::MostFree].map(|choose| chosen(left, tops, choose));
            writeln!(table, "{:<24} | {}", row[0], row[1]).unwrap();
        }
    }
    insta::assert_snapshot!("choices", table);
}
