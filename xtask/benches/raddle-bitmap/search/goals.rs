//! What is to be reached, against what?
//!
//! Ratios of two rows of one run: how many times as long the other takes. They are those of the
//! requirements of this crate, and of the measurements with prototypes that those rest on (`G1`
//! to `G8`; a 4 GHz Zen 5 virtual machine, whose times stand beside the ratios: on another machine
//! only the ratios can be compared). Not here: G1's share of the issue bound, which needs counters
//! that a virtual machine lacks, and G5 and G6, which are about matching.

/// Goals of one row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goals {
    /// Which requirement says so.
    pub(crate) source: &'static str,
    /// The row that is to reach them: its group and its name.
    pub(crate) row: (&'static str, &'static str),
    /// What the prototype took for an element, in nanoseconds.
    pub(crate) figure: Option<f64>,
    /// The group of the rows that it is compared with.
    pub(crate) peers: &'static str,
    /// Each of them, and at least how many times as long it is to take.
    pub(crate) least: &'static [(&'static str, f64)],
}

/// Rows of one peer that do the same in two ways: the faster one counts.
pub(crate) const TWINS: [(&str, &str); 2] =
    [("linux", "linux-ranges"), ("roaring", "roaring-runs")];

const fn goals(
    source: &'static str,
    row: (&'static str, &'static str),
    peers: &'static str,
    least: &'static [(&'static str, f64)],
) -> Goals {
    Goals { source, row, figure: None, peers, least }
}

impl Goals {
    const fn figure(self, nanoseconds: f64) -> Self {
        Self { figure: Some(nanoseconds), ..self }
    }
}

const ONE: [&str; 3] = ["longest-one-64", "longest-one-128", "longest-one-2048"];
const BATCH: [&str; 3] =
    ["longest-batch-64-churn", "longest-batch-128-churn", "longest-batch-2048-churn"];
const BYTES: [&str; 2] = ["longest-bytes-128-churn", "longest-bytes-128-rand50"];
const FIRST: [&str; 2] = ["first-128", "first-2048"];
const MISS: [&str; 2] = ["first-miss-128", "first-miss-2048"];
const POOLS: [&str; 2] = ["churn-128-1", "churn-128-4096"];

/// Batches of 128 blocks by table look-up: the seed's loop, and what one can pick instead.
const G1: &[(&str, f64)] = &[
    ("full", 85.0),
    ("linux", 45.0),
    ("go", 45.0),
    ("roaring", 85.0),
    ("bitvec", 150.0),
    ("fixedbitset", 150.0),
];
const FIRST_128: &[(&str, f64)] = &[
    ("linux", 6.0),
    ("bitvec", 12.0),
    ("fixedbitset", 8.0),
    ("roaring", 7.0),
    ("range-alloc", 5.0),
];
/// At least as fast as the fastest of them.
const CHURN: &[(&str, f64)] = &[
    ("range-alloc", 1.0),
    ("offset-allocator", 1.0),
    ("rangemap", 1.0),
    ("bitmap-allocator", 1.0),
    ("roaring", 1.0),
    ("bitvec", 1.0),
    ("fixedbitset", 1.0),
];

pub(crate) const ALL: &[Goals] = &[
    goals("one map a call", (ONE[0], "ours-safe"), ONE[0], &[("textbook", 3.5)]).figure(3.5),
    goals("one map a call", (ONE[1], "ours-safe"), ONE[1], &[("textbook", 2.8)]).figure(7.5),
    goals("one map a call", (ONE[2], "ours-safe"), ONE[2], &[("textbook", 8.0)]).figure(135.0),
    goals("G8", (ONE[1], "ours-safe"), ONE[1], &[("linux", 1.8), ("go", 1.8)]).figure(7.2),
    // The ratios are those of AVX-512.
    goals("batch, safe", (BATCH[0], "safe-avx512"), ONE[0], &[("textbook", 15.0)]).figure(0.8),
    goals("batch, safe", (BATCH[1], "safe-avx512"), ONE[1], &[("textbook", 12.0)]).figure(1.8),
    goals("batch, safe", (BATCH[2], "safe-avx512"), ONE[2], &[("textbook", 20.0)]).figure(45.0),
    goals("batch, safe", (BATCH[0], "safe-avx2"), ONE[0], &[("textbook", 0.0)]).figure(1.4),
    goals("batch, safe", (BATCH[1], "safe-avx2"), ONE[1], &[("textbook", 0.0)]).figure(3.7),
    goals("batch, safe", (BATCH[2], "safe-avx2"), ONE[2], &[("textbook", 0.0)]).figure(67.0),
    goals("G1, words", (BATCH[1], "table-avx512"), ONE[1], G1).figure(0.3),
    goals("G1, bytes", (BYTES[0], "table-avx512"), ONE[1], G1).figure(0.27),
    goals("batch, table", (BYTES[0], "table-avx2"), ONE[1], &[("linux", 0.0)]).figure(1.0),
    goals("batch, table", (BYTES[0], "table-ssse3"), ONE[1], &[("linux", 0.0)]).figure(1.9),
    // Whatever the maps hold: as long on other contents, but for the noise.
    goals("G1, contents", (BYTES[1], "table-avx512"), BYTES[0], &[("table-avx512", 0.9)]),
    goals("G2", ("memory", "table-avx512"), "memory", &[("sum", 0.7)]).figure(0.424),
    goals("first fit, safe", (FIRST[0], "ours-safe"), FIRST[0], FIRST_128).figure(3.0),
    goals("first fit, miss", (MISS[0], "ours-safe"), MISS[0], FIRST_128).figure(3.0),
    goals(
        "G3",
        (FIRST[0], "ours"),
        FIRST[0],
        &[
            ("linux", 7.0),
            ("go", 4.5),
            ("gem5", 3.0),
            ("rangemap", 3.0),
            ("bitvec", 9.0),
            ("fixedbitset", 9.0),
        ],
    )
    .figure(2.75),
    goals("G8", (FIRST[0], "ours-safe"), FIRST[0], &[("linux", 3.5), ("go", 3.5)]).figure(3.7),
    goals(
        "first fit, safe",
        (FIRST[1], "ours-safe"),
        FIRST[1],
        &[("linux", 4.5), ("offset-allocator", 1.0), ("range-alloc", 1.0)],
    )
    .figure(35.0),
    goals(
        "first fit, miss",
        (MISS[1], "ours"),
        MISS[1],
        &[("linux", 4.5), ("offset-allocator", 1.0), ("range-alloc", 1.0)],
    )
    .figure(35.0),
    goals("G4", (FIRST[1], "ours"), FIRST[1], &[("linux", 15.0), ("go", 8.5), ("rangemap", 3.0)])
        .figure(11.0),
    goals(
        "G4",
        (BATCH[2], "table-avx512"),
        ONE[2],
        &[("linux", 20.0), ("go", 7.0), ("rangemap", 2.5)],
    )
    .figure(8.4),
    goals("churn", (POOLS[0], "ours"), POOLS[0], CHURN),
    goals("churn", (POOLS[1], "ours"), POOLS[1], CHURN).figure(4.6),
    goals(
        "G7",
        (POOLS[1], "ours"),
        POOLS[1],
        &[
            ("linux", 2.2),
            ("go", 1.8),
            ("range-alloc", 3.8),
            ("gem5", 3.8),
            ("offset-allocator", 6.5),
        ],
    )
    .figure(4.6),
];
