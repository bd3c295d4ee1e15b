//! Can any bytes make an import panic, and does it hold its promises on what it returns?

use crate::common::promises::check;
use crate::common::{fixture, mutate};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use raddle_trace::{ImportConfig, read};
use std::io::Write;

const FIXTURES: [&str; 13] = [
    "bare-array-2020.json",
    "integer-microseconds.json",
    "nineteen-digits.json",
    "relative-late-device.json",
    "shapes.json",
    "odd-names.json",
    "bare-quote.json",
    "amd.json",
    "malformed.json",
    "sorted-keys.json",
    "truncated.json.gz",
    "two-members.json",
    "launches.csv",
];

fn import(bytes: &[u8]) {
    if let Ok(profile) = read("x", bytes, &ImportConfig::default()) {
        check(&profile);
    }
}

/// Kernel names whose quotes and brackets break the JSON that holds them.
const QUOTES: [&str; 8] = ["\"", "a\"", "\"\"", "\"}", "\"{", "\"}{", "\"]", "\","];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_never_panic(
        which in 0..FIXTURES.len(),
        edits in prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 0..6),
        cut in 0usize..6000,
    ) {
        let mut bytes = std::fs::read(fixture(FIXTURES[which])).unwrap();
        mutate(&mut bytes, &edits, cut);
        import(&bytes);
    }

    #[test]
    fn random_text_never_panics(text in "[\\[\\]{}\":,a-c0-2 \\\\#]{0,200}") {
        import(text.as_bytes());
        import(format!("{{\"traceEvents\":[{text}").as_bytes());
    }
}

proptest! {
    #[test]
    fn names_with_bare_quotes_cost_their_own_events_alone(
        broken in prop::collection::btree_map(0usize..30, 0..QUOTES.len(), 0..8),
    ) {
        let event = |i: usize| {
            let quote = broken.get(&i).map_or("", |&which| QUOTES[which]);
            let cat = if i.is_multiple_of(3) { "cpu_op" } else { "kernel" };
            format!(
                "  {{\n    \"ph\": \"X\", \"cat\": \"{cat}\", \"name\": \"{quote}k{i}\", \"pid\": 0, \"tid\": 7,\n    \
                 \"ts\": {i}, \"dur\": 1,\n    \"args\": {{\n      \"grid\": [1, 1, 1], \"block\": [32, 1, 1]\n    }}\n  }}"
            )
        };
        let events: Vec<_> = (0..30).map(event).collect();
        let text = format!("{{\"traceEvents\": [\n{}\n  ]\n}}", events.join(",\n"));
        let profile = read("x", text.as_bytes(), &ImportConfig::default()).unwrap();
        let whole = (0..30_usize).filter(|i| !i.is_multiple_of(3) && !broken.contains_key(i));
        let wanted: Vec<_> = whole.map(|i| format!("k{i}")).collect();
        prop_assert_eq!(profile.kernels, wanted);
    }
}

#[test]
fn every_cut_of_a_trace_keeps_its_whole_events() {
    let bytes = std::fs::read(fixture("plain.json.gz")).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let ends: Vec<usize> = text.match_indices("}}").map(|(at, _)| at + 2).collect();
    for cut in ends[0]..bytes.len() {
        let profile = read("x", &bytes[..cut], &ImportConfig::default()).unwrap();
        assert_eq!(profile.ops.len(), ends.iter().filter(|&&end| end <= cut).count());
        let whole = cut == text.trim_end().len();
        assert_eq!(profile.report.met("truncated"), u64::from(!whole), "cut at {cut}");
    }
}

#[test]
fn an_event_beyond_all_bounds_is_lost_and_the_next_one_read() {
    let text = std::fs::read_to_string(fixture("plain.json.gz")).unwrap();
    let (head, tail) = text.split_once("{\"ph\"").unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(head.as_bytes()).unwrap();
    packed.write_all(b"{\"cat\":\"kernel\",\"name\":\"").unwrap();
    for _ in 0..70 {
        packed.write_all(&vec![b'x'; 1 << 20]).unwrap();
    }
    packed.write_all(format!("\"}},{{\"ph\"{tail}").as_bytes()).unwrap();
    let bytes = packed.finish().unwrap();
    let profile = read("x", bytes.as_slice(), &ImportConfig::default()).unwrap();
    assert_eq!(profile.ops.len(), 3);
    assert_eq!(profile.report.met("lost-events"), 1);
}

#[test]
fn deep_nesting_and_endless_openings_end_soon() {
    for text in ["[".repeat(1 << 20), "{\"ph\"".repeat(1 << 17), "{\"a\":".repeat(1 << 18)] {
        import(text.as_bytes());
        import(format!("{{\"traceEvents\":[{text}").as_bytes());
    }
}
