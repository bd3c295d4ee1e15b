//! Where are the check values and the golden files?

use std::path::PathBuf;

use raddle_golden::placement::contract::{Algorithm, ContractKernel};

/// Returns the rows of a table of check values, without its heading.
pub(crate) fn table(name: &str) -> Vec<Vec<String>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/placement/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).expect("a file of this tree");
    let rows = text.lines().skip(1);
    let rows: Vec<Vec<String>> =
        rows.map(|row| row.split(',').map(String::from).collect()).collect();
    assert!(!rows.is_empty(), "{name} has rows");
    rows
}

pub(crate) fn algorithm(name: &str) -> Algorithm {
    match name {
        "round-robin" => Algorithm::RoundRobin,
        "greedy" => Algorithm::Greedy,
        _ => panic!("there is no algorithm {name}"),
    }
}

pub(crate) fn number(text: &str) -> u64 {
    text.parse().expect("a number in the table")
}

pub(crate) const fn kernel([threads, vgpr, sgpr, lds]: [u32; 4]) -> ContractKernel {
    ContractKernel { threads, vgpr, sgpr, lds }
}

/// Returns the folder of the contract's files of known placements, beside that of the real
/// profiles; `None` where it is not there.
pub(crate) fn peers() -> Option<PathBuf> {
    raddle_testkit::beside("peers")
}
