//! Do files that were once misread give their right values by the default command?
//!
//! The files are beside the real profiles, with the right value of each (`cases/README.md`).

use std::path::PathBuf;

use serde_json::Value;

use crate::common::{Place, Ran, kernel, trace};

/// Returns the text of a file in the folder of cases; `None` where it is absent and need not be
/// there.
fn case(name: &str) -> Option<String> {
    let path: PathBuf = raddle_testkit::beside("cases")?.join(name);
    Some(path.display().to_string())
}

fn replayed(args: &[&str]) -> Ran {
    Place::new().raddle(&[&["replay", "--no-files"], args].concat())
}

fn inspected(args: &[&str]) -> Value {
    let ran = Place::new().raddle(&[&["inspect", "--partial", "--format", "json"], args].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).expect("the command prints JSON")
}

#[test]
fn registers_that_nobody_filled_are_unknown() {
    let Some(file) = case("jax_bad_registers.xplane.pb") else { return };
    let ran = replayed(&[&file]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("registers of 4 launches cannot be, so unknown"), "{}", ran.out);
    let found = inspected(&[&file]);
    let profile = &found["profiles"][0];
    assert_eq!(profile["kernels"], 4);
    assert_eq!(profile["streams"][0]["kernel-ns"], 80_000);
}

#[test]
fn launches_without_kernels_are_told_with_the_diagnostic_of_the_file() {
    let Some(file) = case("nsys_calls_without_kernels.sqlite") else { return };
    let ran = replayed(&[&file]);
    assert_eq!(ran.code, 1);
    let told = "40 launches were made, the device side was not recorded: ";
    assert!(ran.err.contains(told) && ran.err.contains("not supported"), "{}", ran.err);
    assert!(!ran.err.contains("switched on"), "{}", ran.err);
}

#[test]
fn kernels_of_rocprof_v1_are_read() {
    let Some(file) = case("rocprof_v1_results.json") else { return };
    let found = inspected(&[&file]);
    let profile = &found["profiles"][0];
    assert_eq!(profile["kernels"], 5, "{profile}");
    assert_eq!(profile["format"], "rocprof-json");
    assert_eq!(profile["streams"][0]["kernel-ns"], 50_000);
    let ran = replayed(&[&file, "--device", "mi100"]);
    assert!(ran.code == 1 && ran.err.contains("give the results.csv"), "{}", ran.err);
    assert_eq!(replayed(&[&file, "--device", "mi100", "--partial"]).code, 0);
}

#[test]
fn an_archive_of_macos_has_two_ranks() {
    let Some(file) = case("macos_ranks.tgz") else { return };
    let ran = replayed(&[&file, "--rank", "all", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["profiles"].as_array().map(Vec::len), Some(2));
    let told = replayed(&[&file]).err;
    assert!(told.contains("holds the traces of ranks 0, 1: choose one"), "{told}");
}

#[test]
fn an_mi100_keeps_32_waves_a_compute_unit() {
    let Some(file) = case("mi100_waves.csv") else { return };
    let found = inspected(&[&file]);
    let placing = &found["profiles"][0]["by-kernel"][0]["shapes"][0]["placing"];
    assert_eq!((&placing["resident"], &placing["at-once"]), (&32.into(), &3840.into()));
    assert_eq!(placing["rounds"], 1.25);
}

#[test]
fn a_trace_of_an_npu_is_named() {
    let Some(file) = case("ascend_trace_view.json") else { return };
    let ran = replayed(&[&file]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("Ascend") && ran.err.contains("not read here"), "{}", ran.err);
}

#[test]
fn a_radeon_is_in_the_table() {
    let Some(file) = case("rdna35_kernel_trace.csv") else { return };
    // The table names no device; its scalar registers are those of a Radeon.
    let told = replayed(&[&file]).err;
    assert!(told.contains("--device rx-7900-xtx"), "{told}");
    let ran = replayed(&[&file, "--device", "radeon-8060s"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found = inspected(&[&file, "--device", "radeon-8060s"]);
    assert_eq!(found["profiles"][0]["device"]["cus"], 40);
}

#[test]
fn a_folder_of_unrelated_traces_has_no_ranks_unless_they_say_so() {
    let place = Place::new();
    std::fs::create_dir_all(place.path().join("mixed/__MACOSX")).unwrap();
    for name in ["a", "b"] {
        place.file(&format!("mixed/{name}.json"), trace("", &[&kernel("k", 5, 3)]));
        place.file(&format!("mixed/._{name}.json"), "not a trace");
    }
    let ran = place.raddle(&["replay", "mixed", "--rank", "all"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("mixed holds 2 traces") && ran.err.contains("name one"),
        "{}",
        ran.err
    );
    for (name, rank) in [("a", 1), ("b", 0)] {
        let info = format!("\"distributedInfo\":{{\"backend\":\"nccl\",\"rank\":{rank}}},");
        place.file(&format!("mixed/{name}.json"), trace(&info, &[&kernel(name, 5, 3)]));
    }
    let ran = place.raddle(&["inspect", "mixed", "--rank", "0"]);
    assert!(ran.code == 0 && ran.out.starts_with("-> b "), "{}{}", ran.out, ran.err);
}

#[test]
fn a_launch_that_cannot_run_changes_headline_and_exit_code() {
    let place = Place::new();
    let good = "k 1 80 128 32 0 0 0 1000000";
    let bad = "j 1 80 128 32 200000 1000000 1000000 1000";
    place.file("t.csv", crate::common::table(&[good, bad]));
    let ran = place.raddle(&["replay", "t.csv", "--no-files"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let headline = ran.out.split("\n\n").next().unwrap();
    let headline = headline.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(headline.contains("lack 1 launch of t"), "{}", ran.out);
    assert!(ran.err.contains("can never run here"), "{}", ran.err);
}

#[test]
fn a_trace_with_calls_alone_says_how_many_launches_it_has() {
    let place = Place::new();
    let call = |at: u32| {
        format!(
            "{{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\
             \"ts\":{at},\"dur\":1,\"args\":{{\"correlation\":{at}}}}}"
        )
    };
    place.file("calls.json", trace("", &[&call(1), &call(2)]));
    let ran = place.raddle(&["replay", "calls.json"]);
    assert_eq!(ran.code, 1);
    let told = "2 launches were made, the device side was not recorded: ";
    assert!(ran.err.contains(told) && ran.err.contains("WSL2"), "{}", ran.err);
}

#[test]
fn a_trace_of_nvprof_is_read() {
    let place = Place::new();
    let text = "==1== NVPROF is profiling process 1, command: ./a.out\n\
        ==1== Profiling application: ./a.out\n\
        ==1== Profiling result:\n\
        \"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\",\"Stream\",\"Name\"\n\
        ms,us,,,,,,,,KB,B,MB,GB/s,,,,,,\n\
        200.100000,10.500000,,,,,,,,,,4.000000,9.0,\"Pageable\",\"Device\",\"Tesla V100-SXM2-16GB (0)\",\"1\",\"7\",\"[CUDA memcpy HtoD]\"\n\
        200.200000,20.250000,160,1,1,256,1,1,40,8.250000,0.000000,,,,,\"Tesla V100-SXM2-16GB (0)\",\"1\",\"7\",\"axpy(float*, int) [109]\"\n";
    place.file("run.csv", text);
    let ran = place.raddle(&["inspect", "run.csv", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let profile = &found["profiles"][0];
    assert_eq!(profile["format"], "nvprof-csv", "{profile}");
    assert_eq!((&profile["kernels"], &profile["copies"]), (&1.into(), &1.into()));
    assert_eq!((&profile["workgroups"], &profile["device"]["id"]), (&160.into(), &"v100".into()));
    assert!(ran.out.contains("axpy(float*, int)\"") && ran.out.contains("8448"), "{}", ran.out);
    assert_eq!(place.raddle(&["replay", "run.csv", "--no-files"]).code, 0);
}

#[test]
fn clusters_run_on_the_units_that_can_hold_them() {
    let Some(file) = case("nsys_cluster8_h100.sqlite") else { return };
    let found = inspected(&[&file]);
    let shape = &found["profiles"][0]["by-kernel"][0]["shapes"][0];
    assert_eq!(shape["cluster"], 8, "{found}");
    assert_eq!(shape["placing"]["at-once"], 120, "{shape}");
    let ran =
        replayed(&[&file, "--recipe", "leftover", "--format", "json", "--launch-latency=none"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let result: Value = serde_json::from_str(&ran.out).unwrap();
    let row = &result["answer"]["rows"][0]["processes"][0]["decisive-ns"];
    assert!(
        row.as_u64().is_some_and(|end| end.is_multiple_of(1_000_000)),
        "3 rounds of 1 ms: {row}"
    );
}
