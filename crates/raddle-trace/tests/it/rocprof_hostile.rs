//! Can any bytes make an import of rocprof's files panic, and is what is whole in them kept?

use crate::common::promises::check;
use crate::common::{fixture, mutate};
use proptest::prelude::*;
use raddle_trace::{ImportConfig, Profile, TraceError, read};

const FIXTURES: [&str; 5] = [
    "rocprof-result.json",
    "rocprof-mi350x.json",
    "rocprof-v1.csv",
    "rocprof-v3.csv",
    "rocprof-rounded.csv",
];

fn import(bytes: &[u8]) -> Result<Profile, TraceError> {
    let result = read("x", bytes, &ImportConfig::default());
    if let Ok(profile) = &result {
        check(profile);
    }
    result
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_never_panic(
        which in 0..FIXTURES.len(),
        edits in prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 0..6),
        cut in 0usize..9000,
    ) {
        let mut bytes = std::fs::read(fixture(FIXTURES[which])).unwrap();
        mutate(&mut bytes, &edits, cut);
        let _result = import(&bytes);
    }

    #[test]
    fn random_sections_never_panic(text in "[\\[\\]{}\":,a-c0-2 \\\\]{0,200}") {
        for section in ["agents", "kernel_symbols", "buffer_records", "strings"] {
            let _result = import(format!("{{\"rocprofiler-sdk-tool\":[{{\"{section}\":{text}").as_bytes());
        }
        let records = "{\"rocprofiler-sdk-tool\":[{\"buffer_records\":{\"kernel_dispatch\":[";
        let _result = import(format!("{records}{text}").as_bytes());
    }
}

#[test]
fn every_cut_of_a_result_keeps_its_whole_dispatches() {
    let bytes = std::fs::read(fixture("rocprof-result.json")).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    // Dispatches end with their stream's number; only they hold a grid.
    let ends: Vec<usize> = text
        .match_indices("\"grid_size\"")
        .map(|(at, _)| at + text[at..].find("\"stream_id\"").unwrap())
        .map(|at| at + text[at..].find("}}").unwrap() + 2)
        .collect();
    let whole = text.trim_end().len();
    for cut in 0..bytes.len() {
        let dispatches = ends.iter().filter(|&&end| end <= cut).count();
        match import(&bytes[..cut]) {
            // The last of them ran on the other device.
            Ok(p) => {
                let kernels = p.report.kernels as usize;
                assert_eq!(kernels, dispatches.min(6), "cut at {cut}");
                assert_eq!(p.report.met("truncated"), u64::from(cut < whole), "{cut}");
            }
            Err(error) => {
                assert_eq!(dispatches, 0, "cut at {cut}: {error}");
                assert!(error.to_string().contains("record") || cut < 26, "cut at {cut}: {error}");
            }
        }
    }
}

#[test]
fn every_cut_of_a_table_keeps_its_whole_rows() {
    let bytes = std::fs::read(fixture("rocprof-v1.csv")).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    // A row is whole once its last cell has begun, even if that may be cut short.
    let ends: Vec<usize> = text
        .match_indices('\n')
        .skip(1)
        .map(|(at, _)| text[..at].rfind(',').unwrap() + 1)
        .collect();
    for cut in 0..bytes.len() {
        let rows = ends.iter().filter(|&&end| end <= cut).count();
        match import(&bytes[..cut]) {
            Ok(p) => assert_eq!(p.ops.len(), rows, "cut at {cut}"),
            Err(_) => assert_eq!(rows, 0, "cut at {cut}"),
        }
    }
}

#[test]
fn every_flipped_byte_is_survived() {
    for name in FIXTURES {
        let bytes = std::fs::read(fixture(name)).unwrap();
        // A prime step, so that all bits have their turn.
        for at in (0..bytes.len()).step_by(3) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            let _result = import(&flipped);
        }
    }
}

#[test]
fn deep_nesting_and_endless_openings_end_soon() {
    for text in ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 18), "{\"a\":[".repeat(1 << 17)] {
        for head in ["", "{\"rocprofiler-sdk-tool\":", "{\"rocprofiler-sdk-tool\":[{\"agents\":["] {
            assert!(import(format!("{head}{text}").as_bytes()).is_err());
        }
    }
    // A quote that never closes takes the rows behind it, within bounds.
    let table = std::fs::read_to_string(fixture("rocprof-v1.csv")).unwrap();
    for line in ["x\n", "\n"] {
        let open = format!("{table}9,\"{}", line.repeat(17 << 20));
        let error = import(open.as_bytes()).unwrap_err();
        assert!(matches!(error, TraceError::TooLarge { what: "bytes in one row", .. }), "{error}");
    }
}
