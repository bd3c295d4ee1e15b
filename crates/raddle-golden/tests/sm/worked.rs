//! Does the worked run of the digest come out, each row of it?
//!
//! Two SMs of 64 registers, 8 warps, 16 shared. A: priority 1, 3 blocks of 4 warps, t = 0. B: 2, 2
//! of 6, t = 2. C: 3, 1 of 2, t = 4. The worked run is strict and without backfill; the defaults
//! give the same.

use raddle_golden::sm::run::{WarpStep, run};
use raddle_policy::Tick;
use raddle_sm::{BlockWarpConfig, Choose};

use crate::naive::Kernel;
use crate::ours::{self, kernel};

pub(crate) fn kernels() -> Vec<Kernel> {
    let mut a = kernel((0, 1), (3, 4, 0), (4, 2));
    a.ticks = vec![10, 11, 12, 13, 14, 15, 16, 17, 10, 11, 12, 13];
    vec![a, kernel((2, 2), (2, 6, 20), (4, 2)), kernel((4, 3), (1, 2, 5), (4, 2))]
}

pub(crate) const TOTAL: [u64; 3] = [64, 8, 16];

pub(crate) fn readings() -> [BlockWarpConfig; 2] {
    let plain = BlockWarpConfig::default();
    assert_eq!(plain.choose, Choose::Lowest);
    [plain, BlockWarpConfig { strict: true, backfill: false, ..plain }]
}

/// Tables after each tick of the example run of patent 003: undistributed blocks of the
/// unfinished kernels, then registers/warps/shared/top priority of each SM.
const ROWS: [(u64, &str); 22] = [
    (0, "k0:1 32/0/12/1 64/8/16/-"),
    (0, "k0:0 32/0/12/1 48/4/14/1"),
    (2, "k0:0 k1:1 32/0/12/1 32/0/12/2"),
    (2, "k0:0 k1:0 32/0/12/2 32/0/12/2"),
    (4, "k0:0 k1:0 k2:0 32/0/12/3 32/0/12/2"),
    (10, "k0:0 k1:0 k2:0 32/0/10/3 32/0/12/2"),
    (11, "k0:0 k1:0 k2:0 32/0/10/3 32/0/12/2"),
    (12, "k0:0 k1:0 k2:0 32/0/8/3 36/1/12/2"),
    (13, "k0:0 k1:0 k2:0 32/0/10/3 40/2/14/2"),
    (14, "k0:0 k1:0 k2:0 32/0/10/3 40/2/14/2"),
    (15, "k0:0 k1:0 k2:0 32/0/10/3 40/2/14/2"),
    (16, "k0:0 k1:0 36/1/12/2 40/2/14/2"),
    (17, "k1:0 40/2/14/2 40/2/14/2"),
    (22, "k1:0 40/2/14/2 56/6/14/2"),
    (30, "k1:0 40/2/14/2 60/7/14/2"),
    (31, "k1:0 40/2/14/2 64/8/16/-"),
    (32, "k1:0 44/3/14/2 64/8/16/-"),
    (33, "k1:0 48/4/14/2 64/8/16/-"),
    (34, "k1:0 52/5/14/2 64/8/16/-"),
    (35, "k1:0 60/7/14/2 64/8/16/-"),
    (36, "64/8/16/- 64/8/16/-"),
    (36, "done"),
];

#[test]
fn check_7_every_row_of_the_worked_run() {
    for options in readings() {
        let mut rows: Vec<(u64, String)> = Vec::new();
        let jobs = ours::jobs(&kernels());
        let each = ours::resources(TOTAL);
        // After each decision, and at the end of each tick in which warps ended.
        let mut decided = false;
        let outcome =
            run(2, each, options, &jobs, &mut |Tick(now), step, controllers| match step {
                WarpStep::Decided(_) => decided = true,
                WarpStep::Served(_) => {
                    let again = rows.last().is_some_and(|(at, _)| *at == now) && !decided;
                    if again {
                        rows.pop();
                    }
                    rows.push((now, ours::tables(controllers)));
                    decided = false;
                }
                _ => {}
            });
        rows.push((36, "done".to_owned()));
        assert_eq!(rows.len(), ROWS.len());
        for (row, (at, tables)) in rows.iter().zip(ROWS) {
            assert_eq!(*row, (at, tables.to_owned()));
        }
        let ends: Vec<_> = outcome.unwrap().ends;
        assert_eq!(ends, [17, 36, 16].map(|at| Some(Tick(at))));
    }
}

const LOG: &str = "\
0 whole k0 0+2 sm0 | 0 start k0.0.w0 sm0 | 0 start k0.0.w1 sm0 | 0 start k0.0.w2 sm0 \
| 0 start k0.0.w3 sm0 | 0 start k0.1.w0 sm0 | 0 start k0.1.w1 sm0 | 0 start k0.1.w2 sm0 \
| 0 start k0.1.w3 sm0 | 0 whole k0 2+1 sm1 | 0 start k0.2.w0 sm1 | 0 start k0.2.w1 sm1 \
| 0 start k0.2.w2 sm1 | 0 start k0.2.w3 sm1 | 2 first k1 0+1 sm1 | 2 start k1.0.w0 sm1 \
| 2 start k1.0.w1 sm1 | 2 start k1.0.w2 sm1 | 2 start k1.0.w3 sm1 | 2 second k1 1+1 sm0 \
| 4 second k2 0+1 sm0 | 10 end k0.0.w0 sm0 | 10 end k0.2.w0 sm1 | 10 start k2.0.w0 sm0 \
| 10 start k1.0.w4 sm1 | 11 end k0.0.w1 sm0 | 11 end k0.2.w1 sm1 | 11 start k2.0.w1 sm0 \
| 11 start k1.0.w5 sm1 | 12 end k0.0.w2 sm0 | 12 end k0.2.w2 sm1 | 12 start k1.1.w0 sm0 \
| 13 end k0.0.w3 sm0 | 13 end k0.2.w3 sm1 | 13 start k1.1.w1 sm0 | 14 end k0.1.w0 sm0 \
| 14 start k1.1.w2 sm0 | 15 end k0.1.w1 sm0 | 15 end k2.0.w0 sm0 | 15 start k1.1.w3 sm0 \
| 15 start k1.1.w4 sm0 | 16 end k0.1.w2 sm0 | 16 end k2.0.w1 sm0 | 16 start k1.1.w5 sm0 \
| 17 end k0.1.w3 sm0 | 22 end k1.0.w0 sm1 | 22 end k1.0.w1 sm1 | 22 end k1.0.w2 sm1 \
| 22 end k1.0.w3 sm1 | 30 end k1.0.w4 sm1 | 31 end k1.0.w5 sm1 | 32 end k1.1.w0 sm0 \
| 33 end k1.1.w1 sm0 | 34 end k1.1.w2 sm0 | 35 end k1.1.w3 sm0 | 35 end k1.1.w4 sm0 \
| 36 end k1.1.w5 sm0";

/// Checks the log of the example run of patent 003, in which checks 8 and 9 lie: at tick
/// 10 the slot goes to C0 before B1, and A runs 10..13, 14..17.
#[test]
fn the_log_of_the_worked_run() {
    for options in readings() {
        let story = ours::play(2, TOTAL, options, &kernels()).unwrap();
        assert_eq!(story.log.join(" | "), LOG);
    }
}
