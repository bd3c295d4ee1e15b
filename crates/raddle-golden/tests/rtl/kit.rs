//! How is a tool run on circuits, and on which of them is it tried?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use raddle_bitmap::circuit::Setup;
use raddle_bitmap::{Grouped, Kind, Layout, Sampled, Shared};
use raddle_golden::rtl::{RtlCircuit, RtlSearch, RtlSpec};

/// Returns whether a tool for circuits is installed; under `RADDLE_REQUIRE_RTL=1` a missing one
/// fails the test.
pub(crate) fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("-V").output().is_ok();
    let required = std::env::var("RADDLE_REQUIRE_RTL").is_ok_and(|it| it == "1");
    assert!(found || !required, "{tool} is required and not installed");
    if !found {
        eprintln!("skipped: {tool} is not installed (apt-get install verilator yosys iverilog)");
    }
    found
}

/// Returns how many lines of test vectors a Verilog test bench reads, by the variable
/// `RADDLE_RTL_LINES`; `None` where the variable is not set.
pub(crate) fn lines() -> Option<u64> {
    let given = std::env::var("RADDLE_RTL_LINES").ok()?;
    Some(given.parse().unwrap())
}

/// Makes an empty folder for the files of a test, and returns its path.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rtl").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a tool in a folder; returns whether it succeeded, and its output.
pub(crate) fn run(folder: &Path, tool: &str, args: &[String]) -> (bool, String) {
    let ran = Command::new(tool).args(args).current_dir(folder).output().unwrap();
    let text = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (ran.status.success(), text.concat())
}

/// Writes a circuit with its test bench and this many lines of inputs; returns the names of the two
/// source files.
pub(crate) fn put(folder: &Path, circuit: &RtlCircuit, lines: u64) -> [String; 2] {
    let names = [format!("{}.v", circuit.name), format!("{}_bench.v", circuit.name)];
    fs::write(folder.join(&names[0]), &circuit.module).unwrap();
    fs::write(folder.join(&names[1]), &circuit.bench).unwrap();
    let mut vectors = Vec::new();
    circuit.vectors(lines, 1, &mut vectors).unwrap();
    fs::write(folder.join(format!("{}.hex", circuit.name)), vectors).unwrap();
    names
}

/// Returns a shared finder (one search circuit for several maps in turn) for periods of kinds with
/// these numbers of blocks.
pub(crate) fn shared(width: u32, periods: &[&[u32]], layout: &Layout) -> RtlSearch {
    let mut ids = 0..;
    let kinds = periods.iter().map(|period| {
        let kinds = period.iter().map(|&blocks| Kind { id: ids.next().unwrap(), blocks });
        kinds.collect::<Vec<Kind>>()
    });
    let kinds: Vec<Vec<Kind>> = kinds.collect();
    RtlSearch::Shared(Shared::new(width, width, &kinds, layout).unwrap())
}

/// Returns one search of each kind, for maps of `blocks` blocks, a multiple of 16.
pub(crate) fn searches(blocks: u32) -> Vec<RtlSearch> {
    let (half, part) = (blocks / 2, blocks * 3 / 8);
    vec![
        RtlSearch::Full(blocks),
        RtlSearch::Grouped(Grouped::of_size(blocks, 4).unwrap()),
        RtlSearch::Sampled(Sampled::steps(blocks).unwrap()),
        RtlSearch::Sampled(Sampled::new(blocks, &[2, 6, blocks / 2]).unwrap()),
        shared(blocks, &[&[blocks], &[half, part]], &Layout::Halves),
        shared(blocks, &[&[part, half], &[part, part, 1]], &Layout::Packed),
    ]
}

/// Returns the circuits of a search in each of its forms (digit of a free block, direction,
/// construction).
pub(crate) fn forms(search: &RtlSearch) -> Vec<RtlCircuit> {
    let mut all = Vec::new();
    for setup in Setup::ALL {
        for doublings in [false, true] {
            for read_out in [false, true] {
                let search = search.clone();
                let spec = RtlSpec { search, setup, doublings, read_out };
                all.push(RtlCircuit::new(&spec).unwrap());
            }
        }
    }
    all
}
