//! Is it always said how much of a profile has no shape, and are such kernels replayed?

use std::fs;

use crate::common::{Place, sample, table};
use serde_json::Value;

/// Returns a launch table of a V100 with rows of (name, stream, start, duration in ns); kernels
/// called `graph` have no shape.
fn profile(rows: &[(&str, u32, u64, u64)]) -> String {
    let mut text = table(&[]);
    for (name, stream, start, duration) in rows {
        let shape = if *name == "graph" { ",,,,,," } else { "80,1,1,128,1,1," };
        text += &format!("{name},{stream},{shape}32,0,{start},{start},{duration}\n");
    }
    text
}

/// Returns the line behind the heading of the first profile, which an empty line precedes.
fn line_2(text: &str) -> String {
    let mut lines = text.lines().skip_while(|line| !line.is_empty());
    lines.nth(2).unwrap_or_default().trim().to_owned()
}

#[test]
fn the_share_without_a_shape_stands_in_line_2_and_more_than_a_tenth_is_an_error() {
    let place = Place::new();
    place.file("little.csv", profile(&[("a", 1, 0, 9_000), ("graph", 1, 9_000, 1_000)]));
    place.file("much.csv", profile(&[("a", 1, 0, 8_999), ("graph", 1, 9_000, 1_001)]));
    for file in ["little.csv", "much.csv"] {
        let ran = place.raddle(&["inspect", file, "--partial"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let wanted =
            "of kernel time without a shape: 1 of 2 kernels are opaque, and fill the device's";
        assert!(line_2(&ran.out).contains(&format!("10.0% {wanted}")), "{}", ran.out);
        let all = place.raddle(&["inspect", file, "--partial", "-v"]).out;
        assert!(all.contains("busy with kernels for 10.0 us"), "all count: {all}");
    }
    for verb in ["inspect", "replay"] {
        let flag = if verb == "replay" { "--no-files" } else { "--barriers=assume" };
        assert_eq!(place.raddle(&[verb, "little.csv", flag]).code, 0, "{verb}");
        let ran = place.raddle(&[verb, "much.csv", flag]);
        assert_eq!(ran.code, 1, "{verb}");
        assert!(ran.err.contains("1 of 2 kernels are opaque") && ran.err.contains("--partial"));
        // `inspect` shows the content of the file nevertheless, and nothing is replayed.
        assert_eq!(ran.out.is_empty(), verb == "replay", "{}", ran.out);
        assert_eq!(place.raddle(&[verb, "much.csv", flag, "--partial"]).code, 0, "{verb}");
    }
    let ran = place.raddle(&["replay", "much.csv", "--no-files", "--partial"]);
    let at = |part: &str| ran.out.find(part).unwrap_or_else(|| panic!("{part}: {}", ran.out));
    assert!(at("of kernel time without a shape") < at("leftover"), "{}", ran.out);
}

/// Checks that `inspect` sends no file into a command that refuses it: neither one of which too many
/// kernels have no shape, nor one of which too many can never run.
#[test]
fn the_next_command_takes_the_file_that_was_inspected() {
    let place = Place::new();
    place.file("other.csv", table(&["a 1 80 128 32 0 0 0 9000"]));
    place.file("much.csv", profile(&[("a", 1, 0, 8_999), ("graph", 1, 9_000, 1_001)]));
    place
        .file("huge.csv", table(&["a 1 80 128 32 0 0 0 9000", "b 1 80 128 32 999999 0 9000 9000"]));
    place.file("fine.csv", table(&["a 1 80 128 32 0 0 0 9000"]));
    for (file, code, partial) in
        [("much.csv", 1, true), ("huge.csv", 0, true), ("fine.csv", 0, false)]
    {
        let ran = place.raddle(&["inspect", file]);
        assert_eq!(ran.code, code, "{}", ran.err);
        let (_, next) = ran.out.split_once("\nNext:  ").unwrap_or_else(|| panic!("{}", ran.out));
        let next = next.replace(" \\\n         ", " ");
        let next =
            next.lines().next().unwrap_or_default().split("    # ").next().unwrap_or_default();
        assert!(next.starts_with(&format!("raddle share {file} OTHER ")), "{next}");
        assert_eq!(next.contains(" --partial"), partial, "{next}");
        let next = next.replace("OTHER", "other.csv");
        let ran = place.pasted(&format!("{next} --no-files --recipe=mps"));
        // Code 3 says that some launches never ran.
        assert!([0, 3].contains(&ran.code), "{next}: {}", ran.err);
    }
}

#[test]
fn a_table_of_malformed_rows_is_an_error() {
    let Some(path) = sample("rocprof/rocprofv1_2022_mixbench_mi100_timestamps.csv") else {
        return;
    };
    let text = fs::read_to_string(path).unwrap();
    let (place, mut lines) = (Place::new(), text.lines());
    let mut torn = format!("{}\n{}\n", lines.next().unwrap(), lines.next().unwrap());
    for line in lines {
        torn += &format!("{}\n", line.split(',').next().unwrap());
    }
    let device = ["--device", "mi100"];
    place.file("torn.csv", torn);
    let ran = place.raddle(&[&["inspect", "torn.csv"], &device[..]].concat());
    assert_eq!(ran.code, 1);
    assert!(line_2(&ran.out).starts_with(
        "99.4% of kernel time left out: 166 kernels whose records are malformed, here taken"
    ));
    let told = "was left out (166 kernels whose records are malformed, of 167)";
    assert!(ran.err.contains(told) && ran.err.contains("as the profiler wrote it"), "{}", ran.err);
    assert_eq!(place.raddle(&[&["replay", "torn.csv"], &device[..]].concat()).code, 1);
}

/// Checks that kernels with times before 0, in a report of Nsight Systems, whose recording begins
/// at 0, are left out and reported with the reason.
#[test]
fn kernels_that_are_left_out_are_told_with_the_reason() {
    let place = Place::new();
    let report = |before: usize| {
        let row = |at: usize| {
            let start = if at < before { -900_000 + 100 * at as i64 } else { 2_000 * at as i64 };
            format!("{start},1000,80,1,1,128,1,1,32,0,0,NVIDIA H100 (0),7,k\n")
        };
        let rows: String = (0..40).map(row).collect();
        format!(
            "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Device,Strm,Name\n{rows}"
        )
    };
    place.file("few.csv", report(4));
    let ran = place.raddle(&["replay", "few.csv", "--no-files"]);
    let told = "few: 10.0% of kernel time left out: 4 kernels whose times cannot be, here taken to last as long as the others";
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(ran.code == 0 && words.contains(told), "{ran:?}");
    place.file("many.csv", report(5));
    let ran = place.raddle(&["replay", "many.csv", "--no-files"]);
    let told = "was left out (5 kernels whose times cannot be, of 40)";
    assert!(ran.code == 1 && ran.err.contains(told), "{ran:?}");
    assert!(ran.err.contains("record again, as the file has times before its begin"), "{ran:?}");
    assert!(
        !ran.err.contains("malformed") && !ran.err.contains("as the profiler wrote"),
        "{ran:?}"
    );
}

/// Returns (recorded, simulated) busy time in ns of a profile that is replayed on its own device.
fn busy(place: &Place, args: &[&str]) -> (u64, u64) {
    let ran = place
        .raddle(&[&["inspect", "--self-replay", "--partial", "--format", "json"], args].concat());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
    let document: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let busy = &document["profiles"][0]["self-replay"]["busy"];
    let ns = |key: &str| busy[key].as_u64().expect("a time");
    (ns("recorded-ns"), ns("simulated-ns"))
}

#[test]
fn opaque_kernels_last_as_recorded_alone_and_beside_each_other() {
    let place = Place::new();
    let alone = profile(&[("graph", 1, 0, 5_000), ("a", 1, 5_000, 1_000), ("graph", 1, 7_000, 50)]);
    place.file("alone.csv", alone);
    assert_eq!(busy(&place, &["alone.csv"]), (6_050, 6_050));
    // Two at once, and one of them beside a kernel with a shape.
    let beside = [("graph", 1, 0, 5_000), ("graph", 2, 10, 4_000), ("a", 3, 4_500, 1_000)];
    place.file("beside.csv", profile(&beside));
    assert_eq!(busy(&place, &["beside.csv"]), (5_500, 5_500));
}

#[test]
fn a_decode_step_of_a_graph_has_its_shapes_from_the_capture() {
    let part = |name: &str| sample(&format!("kineto_amd/tracelens_mi_vllm_decode_{name}.json.gz"));
    let (Some(graph), Some(capture)) = (part("hipgraph"), part("capture")) else {
        return;
    };
    let (graph, capture) = (graph.to_str().unwrap(), capture.to_str().unwrap());
    let place = Place::new();
    let ran = place.raddle(&["inspect", graph]);
    assert_eq!(ran.code, 1);
    assert!(line_2(&ran.out).starts_with("97.3% of kernel time without a shape: 421 of 425"));
    assert!(ran.err.contains("--shapes-from FILE"), "{}", ran.err);
    let ran = place.raddle(&["inspect", graph, "--shapes-from", capture]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let line =
        "0.0% of kernel time without a shape; shapes from --shapes-from: 97.3% in order, 0.0%";
    assert!(ran.out.contains(line), "{}", ran.out);
    for args in [&[graph][..], &[graph, "--shapes-from", capture]] {
        let (recorded, simulated) = busy(&place, args);
        let off = recorded.abs_diff(simulated) as f64 / recorded as f64;
        assert!(off < 0.05, "{args:?}: {recorded} ns recorded, {simulated} ns simulated");
    }
    let args = ["replay", graph, "--shapes-from", capture, "--no-files", "--recipe", "leftover"];
    assert_eq!(place.raddle(&args).code, 0);
    let ran = place.raddle(&["inspect", capture, "--shapes-from", capture]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("gives no kernel a shape"), "{}", ran.err);
}
