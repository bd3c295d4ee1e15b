//! Do simulators find the answers of `raddle-bitmap`, and the faults that are planted?

use raddle_bitmap::{Grouped, Sampled};
use raddle_golden::rtl::{RtlCircuit, RtlSearch, RtlSpec, choice, headers};

use super::kit::{folder, forms, has, lines, put, run, searches};

/// Runs the test benches of circuits with the simulator Icarus; returns (whether it succeeded, its
/// output).
fn icarus(name: &str, circuits: &[RtlCircuit], lines: u64) -> (bool, String) {
    let folder = folder(name);
    let mut args: Vec<String> = ["-g2012", "-o", "bench"].map(str::to_owned).into();
    for circuit in circuits {
        args.extend(put(&folder, circuit, lines));
    }
    let built = run(&folder, "iverilog", &args);
    if !built.0 {
        return built;
    }
    run(&folder, "vvp", &["bench".to_owned()])
}

#[test]
fn every_form_answers_as_raddle_bitmap_does() {
    if !has("iverilog") {
        return;
    }
    for (at, search) in searches(16).iter().enumerate() {
        let circuits = forms(search);
        let (fine, said) = icarus(&format!("icarus_{at}"), &circuits, 300);
        assert!(fine, "{said}");
        assert_eq!(said.matches("300 lines equal").count(), circuits.len(), "{said}");
    }
}

#[test]
fn sizes_that_are_no_power_of_two_answer_too() {
    if !has("iverilog") {
        return;
    }
    let mut circuits = Vec::new();
    for blocks in [1, 2, 3, 7, 33] {
        circuits.extend(forms(&RtlSearch::Full(blocks)));
    }
    for (blocks, groups) in [(2, 1), (6, 2), (15, 5), (49, 7)] {
        circuits.extend(forms(&RtlSearch::Grouped(Grouped::new(blocks, groups).unwrap())));
    }
    let (fine, said) = icarus("icarus_odd", &circuits, 100);
    assert!(fine, "{said}");
    assert_eq!(said.matches("100 lines equal").count(), circuits.len(), "{said}");
}

#[test]
fn large_circuits_answer_as_raddle_bitmap_does() {
    if !has("verilator") {
        return;
    }
    let (long, lines) = (lines().is_some(), lines().unwrap_or(10_000));
    let mut circuits = Vec::new();
    // A compiler takes a minute for all sizes and read-outs.
    let sizes = if long { &[16, 64, 65, 128][..] } else { &[16, 65] };
    for (blocks, doublings) in sizes.iter().flat_map(|&it| [(it, false), (it, true)]) {
        for read_out in if long || blocks == 16 { vec![false, true] } else { vec![false] } {
            let spec = RtlSpec { doublings, read_out, ..RtlSpec::new(RtlSearch::Full(blocks)) };
            circuits.push(RtlCircuit::new(&spec).unwrap());
        }
    }
    let others = if long { searches(128) } else { Vec::new() };
    for search in others.into_iter().skip(1).take(4) {
        let spec = RtlSpec { doublings: true, read_out: true, ..RtlSpec::new(search) };
        circuits.push(RtlCircuit::new(&spec).unwrap());
    }
    // Verilator 5.006 gets this one wrong without the option below.
    let sampled = RtlSearch::Sampled(Sampled::new(17, &[1, 4, 10, 16]).unwrap());
    circuits.push(RtlCircuit::new(&RtlSpec::new(sampled)).unwrap());
    let folder = folder("verilator");
    let mut args: Vec<String> =
        ["--binary", "-Wno-fatal", "-Wno-lint", "-Wno-MULTITOP", "-fno-const-bit-op-tree"]
            .map(str::to_owned)
            .into();
    args.extend(["-j", "2", "-o", "bench", "--prefix", "Vbench"].map(str::to_owned));
    for circuit in &circuits {
        args.extend(put(&folder, circuit, lines));
    }
    let (fine, said) = run(&folder, "verilator", &args);
    assert!(fine, "{said}");
    let (fine, said) = run(&folder, "obj_dir/bench", &[]);
    assert!(fine, "{said}");
    assert_eq!(said.matches(&format!(" {lines} lines equal")).count(), circuits.len(), "{said}");
    // A million lines a circuit are gigabytes.
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn verilator_warns_of_nothing() {
    if !has("verilator") {
        return;
    }
    let odd = [(2, 1), (15, 5)].map(|(blocks, groups)| Grouped::new(blocks, groups).unwrap());
    let sampled = RtlSearch::Sampled(Sampled::new(65, &[63, 64]).unwrap());
    let odd = odd.map(RtlSearch::Grouped).into_iter().chain([sampled]);
    let searches = searches(16).into_iter().chain(odd).chain([1, 2, 65].map(RtlSearch::Full));
    let mut batches: Vec<Vec<RtlCircuit>> = searches.map(|search| forms(&search)).collect();
    let sizes = [(2, 1), (3, 5), (64, 64)];
    let choices = sizes.map(|(channels, levels)| choice(channels, levels).unwrap());
    batches.push([headers()].into_iter().chain(choices).collect());
    let wall = ["--lint-only", "--timing", "-Wall", "-Wno-MULTITOP"].map(str::to_owned);
    for (at, circuits) in batches.iter().enumerate() {
        let folder = folder(&format!("lint_{at}"));
        let sources = circuits.iter().flat_map(|circuit| put(&folder, circuit, 1));
        let args: Vec<String> = wall.iter().cloned().chain(sources).collect();
        let (fine, said) = run(&folder, "verilator", &args);
        assert!(fine && said.is_empty(), "{said}");
    }
}

#[test]
fn the_choice_and_the_header_search_answer_as_the_golden_models_do() {
    if !has("iverilog") {
        return;
    }
    let mut circuits = vec![headers()];
    for (channels, levels) in [(2, 1), (2, 3), (3, 1), (8, 4), (5, 16)] {
        circuits.push(choice(channels, levels).unwrap());
    }
    let (fine, said) = icarus("choice", &circuits, 1_000);
    assert!(fine, "{said}");
    assert_eq!(said.matches("1000 lines equal").count(), circuits.len(), "{said}");
    for (at, (circuit, from, to)) in [
        (&circuits[0], "header[10] ? 6'd4", "header[10] ? 6'd2"),
        (&circuits[0], "next > 31", "next > 30"),
        (&circuits[0], "header[0] &&", "header[1] &&"),
        (&circuits[4], "old & ~(tied & ~chosen)", "chosen"),
        (&circuits[4], "l >= 0; l = l - 1", "l >= 1; l = l - 1"),
        (&circuits[4], "|unmarked ? unmarked", "&unmarked ? unmarked"),
    ]
    .into_iter()
    .enumerate()
    {
        let (fine, said) = icarus(&format!("choice_{at}"), &[mutated(circuit, from, to)], 1_000);
        assert!(!fine && said.contains("line "), "{from} -> {to}: {said}");
    }
}

/// Returns a circuit in whose module the text `from` is replaced by `to`, as a planted fault.
fn mutated(circuit: &RtlCircuit, from: &str, to: &str) -> RtlCircuit {
    assert!(circuit.module.contains(from), "{from}: {}", circuit.module);
    let mut circuit = circuit.clone();
    circuit.module = circuit.module.replacen(from, to, 1);
    circuit
}

#[test]
fn faults_in_a_module_are_found_with_their_line() {
    if !has("iverilog") {
        return;
    }
    let spec = RtlSpec { read_out: true, ..RtlSpec::new(RtlSearch::Full(8)) };
    let good = RtlCircuit::new(&spec).unwrap();
    for (at, (from, to)) in [
        ("sa_3 = sa_2[4:0] & bits[7:3]", "sa_3 = sa_2[4:0]"),
        ("sa_2[4:0] & bits[7:3]", "sa_2[5:1] & bits[7:3]"),
        ("sar[4] = |sa_4", "sar[4] = &sa_4"),
        ("fits = asked_4[0] | ", "fits = asked_4[0] & "),
        ("sar[6:0] & ~sar[7:1]", "sar[6:0]"),
        ("{4{pick[4]}}", "{4{pick[3]}}"),
        ("none_0_8 = ~", "none_0_8 = "),
    ]
    .into_iter()
    .enumerate()
    {
        let (fine, said) = icarus(&format!("mutant_{at}"), &[mutated(&good, from, to)], 500);
        assert!(!fine && said.contains("line "), "{from} -> {to}: {said}");
    }
}
