//! Does the crate answer what plain loops answer, keep the laws of the seed, and refuse the rest?
//!
//! `naive` is the oracle; `suite` holds what every implementation is asked, stamped out for each of
//! them; `laws_*` are the numbered laws of seed 000, E4 to E7; `vectors` are its worked examples.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "all of this is test code")]

mod bank;
mod conversions;
mod corpus;
mod cost;
mod exhaustive;
mod laws_full;
mod laws_grouped;
mod laws_sampled;
mod laws_search;
mod laws_shared;
mod misreadings;
mod naive;
mod netlist;
mod refused;
mod ring;
mod script;
mod suite;
mod sweeps;
mod vectors;

use naive::Naive;
use proptest::prelude::ProptestConfig;
use raddle_bitmap::{FreeMap, Polarity};

/// Returns the setting for this many random cases of a property in an ordinary run, and for as many
/// as `PROPTEST_CASES` gives in a long one.
fn cases(ordinary: u32) -> ProptestConfig {
    let config = ProptestConfig::default();
    let long = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if long { config.cases } else { ordinary }, ..config }
}

/// Makes a map from digits, 1 = free.
fn map(digits: &str) -> FreeMap {
    FreeMap::from_digits(digits, Polarity::FreeIsOne).expect("digits")
}

/// Returns every map of this many blocks.
fn every_map(blocks: u32) -> impl Iterator<Item = FreeMap> {
    (0..1_u64 << blocks)
        .map(move |code| FreeMap::from_words(&[code], blocks, Polarity::FreeIsOne).expect("a map"))
}

/// Returns the blocks of a map as the oracle (a map of plain booleans) has them.
fn naive(map: &FreeMap) -> Naive {
    Naive((0..map.blocks()).map(|block| map.is_free(block)).collect())
}

fn digits(map: &FreeMap) -> String {
    map.digits(Polarity::FreeIsOne).to_string()
}
