//! Does Yosys find the gates that are counted, and are these the gates of the cost formulas?

use std::collections::BTreeMap;

use raddle_bitmap::circuit::{Cost, Counting, Timing, Variant};
use raddle_bitmap::{Grouped, Layout, Sampled};
use raddle_golden::rtl::{RtlCircuit, RtlGates, RtlSearch, RtlSpec};

use super::kit::{folder, forms, has, lines, put, run, searches, shared};

/// Script for Yosys that counts the gates as they are written, without optimising them.
const SCRIPT: &str = "proc; opt -full; simplemap; opt; opt_clean; stat; ltp -noff";

/// Returns the numbers of gates that Yosys finds in each module, by name.
fn counted(name: &str, circuits: &[RtlCircuit]) -> BTreeMap<String, RtlGates> {
    let folder = folder(name);
    let mut script = String::new();
    for circuit in circuits {
        put(&folder, circuit, 0);
        script += &format!("read_verilog {}.v; ", circuit.name);
    }
    let (fine, said) = run(&folder, "yosys", &["-p".to_owned(), script + SCRIPT]);
    assert!(fine, "{said}");
    let mut all: BTreeMap<String, RtlGates> = BTreeMap::new();
    let mut at = String::new();
    for line in said.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match &*words {
            ["===", module, "==="] => at = (*module).to_owned(),
            ["Longest", "topological", "path", "in", module, length] => {
                let digits = length.trim_start_matches("(length=").trim_end_matches("):");
                all.entry((*module).to_owned()).or_default().depth = digits.parse().unwrap();
            }
            [cell, many] if cell.starts_with("$_") => {
                let (gates, many) = (all.entry(at.clone()).or_default(), many.parse().unwrap());
                match *cell {
                    "$_AND_" => gates.and_gates = many,
                    "$_OR_" => gates.or_gates = many,
                    "$_NOT_" => gates.inverters = many,
                    other => panic!("{at}: {other}"),
                }
            }
            _ => {}
        }
    }
    all
}

fn check(name: &str, circuits: &[RtlCircuit]) {
    let counted = counted(name, circuits);
    for circuit in circuits {
        let found = counted.get(&circuit.name).copied().unwrap_or_default();
        let gates = |it: RtlGates| (it.and_gates, it.or_gates);
        assert_eq!(gates(found), gates(circuit.gates), "{}", circuit.name);
        // Two of them behind each other go.
        assert!(found.inverters <= circuit.gates.inverters, "{}", circuit.name);
        // An inverter is a cell of the longest path, too.
        if circuit.gates.inverters == 0 && !circuit.name.contains("shared") {
            assert_eq!(found.depth, circuit.gates.depth, "{}", circuit.name);
        } else {
            assert!(found.depth <= 2 * circuit.gates.depth + 2, "{}", circuit.name);
        }
    }
}

#[test]
fn yosys_counts_every_form_as_it_is_written() {
    if !has("yosys") {
        return;
    }
    let long = lines().is_some();
    let forms_of_16 = searches(16).iter().flat_map(forms).collect::<Vec<_>>().into_iter();
    // Of the four forms of a set-up the first has neither doublings nor a read-out, the last both.
    let forms_of_16 = forms_of_16.enumerate().filter(|(at, _)| long || [0, 3].contains(&(at % 4)));
    let mut circuits: Vec<RtlCircuit> = forms_of_16.map(|(_, circuit)| circuit).collect();
    for blocks in [2, 5] {
        circuits.extend(forms(&RtlSearch::Full(blocks)));
    }
    // A read-out of 65 blocks takes Yosys seconds, each.
    let large = [(65, true), (128, true), (128, false)];
    for (blocks, doublings) in large.into_iter().take(if long { 3 } else { 1 }) {
        let spec = RtlSpec { doublings, ..RtlSpec::new(RtlSearch::Full(blocks)) };
        circuits.push(RtlCircuit::new(&spec).unwrap());
    }
    circuits.sort_by(|a, b| a.name.cmp(&b.name));
    circuits.dedup_by(|a, b| a.name == b.name);
    check("yosys_forms", &circuits);
}

fn cost(search: &RtlSearch, doublings: bool) -> Cost {
    let variant = match search {
        RtlSearch::Full(blocks) => Variant::Full { blocks: *blocks },
        RtlSearch::Grouped(search) => Variant::Grouped(search),
        RtlSearch::Sampled(search) => Variant::Sampled(search),
        RtlSearch::Shared(search) => Variant::Shared(search),
    };
    let of = if doublings { Cost::by_doublings } else { Cost::of };
    of(variant, Timing::OneClock, Counting::Folded).unwrap()
}

#[test]
fn circuits_have_the_gates_of_the_formulas() {
    let odd = [1, 2, 3, 7, 65, 100].map(RtlSearch::Full);
    let groups = [(2, 1), (15, 5), (128, 32)];
    let groups = groups.map(|(blocks, groups)| Grouped::new(blocks, groups).unwrap());
    let groups = groups.map(RtlSearch::Grouped);
    let all = searches(16).into_iter().chain(searches(128)).chain(odd).chain(groups);
    for search in all {
        for doublings in [false, true] {
            let spec = RtlSpec { doublings, ..RtlSpec::new(search.clone()) };
            let RtlGates { and_gates, or_gates, depth, .. } = RtlCircuit::new(&spec).unwrap().gates;
            let cost = cost(&search, doublings);
            let wanted = (cost.and_gates, cost.or_gates, cost.depth);
            assert_eq!((and_gates, or_gates, depth), wanted, "{search:?} {doublings}");
        }
    }
}

#[test]
fn the_page_shows_the_gates_that_are_counted() {
    let halves = Layout::Halves;
    let groups = |size| RtlSearch::Grouped(Grouped::of_size(128, size).unwrap());
    let rows = [
        ("full, as a chain", RtlSearch::Full(128), false),
        ("full, by doublings", RtlSearch::Full(128), true),
        ("groups of 4, as a chain", groups(4), false),
        ("groups of 4, by doublings", groups(4), true),
        ("groups of 8, by doublings", groups(8), true),
        ("14 samples, by jumps", RtlSearch::Sampled(Sampled::steps(128).unwrap()), false),
        ("shared: 128, 64 + 48, as a chain", shared(128, &[&[128], &[64, 48]], &halves), false),
    ];
    let mut table =
        "| circuit | search | of full | with the read-out | of full |\n|---|---|---|---|---|\n"
            .to_owned();
    let mut full = [0; 2];
    for (name, search, doublings) in rows {
        table += &format!("| {name} |");
        for read_out in [false, true] {
            let spec = RtlSpec { doublings, read_out, ..RtlSpec::new(search.clone()) };
            let gates = RtlCircuit::new(&spec).unwrap().gates;
            let RtlGates { and_gates, or_gates, depth, .. } = gates;
            let full = &mut full[usize::from(read_out)];
            if *full == 0 {
                *full = gates.gates();
            }
            let share = 100.0 * gates.gates() as f64 / *full as f64;
            table += &format!(
                " {} / {} / {depth} | {share:.1} % |",
                of_thousand(and_gates),
                of_thousand(or_gates)
            );
        }
        table.push('\n');
    }
    raddle_testkit::page_holds("docs/policies/search.md", "counted", &table);
}

fn of_thousand(gates: u64) -> String {
    if gates < 1000 { gates.to_string() } else { format!("{},{:03}", gates / 1000, gates % 1000) }
}
