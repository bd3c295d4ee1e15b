//! Do real traces give the figures that were counted in them independently?

mod common;

use std::path::PathBuf;

use raddle_trace::{ImportOptions, Profile, Quirk, TraceError, open};

#[allow(clippy::print_stdout, reason = "a skipped test says so where its output is shown")]
/// The sample of this name, or `None` where samples are absent and need not be there.
fn sample(name: &str) -> Option<Result<Profile, TraceError>> {
    let folder = std::env::var_os("RADDLE_SAMPLES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/traces")),
        PathBuf::from,
    );
    let path = folder.join(name);
    if path.exists() {
        return Some(open(&path, &ImportOptions::default()));
    }
    let required = std::env::var("RADDLE_REQUIRE_SAMPLES").is_ok_and(|v| v == "1");
    assert!(!required, "the sample {name} is required but absent");
    println!("skipped: the sample {name} is absent");
    None
}

/// Kernels, copies, fills, workgroups, streams, clock step.
fn figures(p: &Profile) -> (u64, u64, u64, u64, usize, u64) {
    let workgroups = p.ops.iter().map(|op| op.workgroups).sum();
    let r = p.report;
    (r.kernels, r.copies, r.sets, workgroups, p.streams.len(), p.resolution_ns)
}

fn nvidia(name: &str) -> Option<Profile> {
    sample(&format!("kineto_nvidia/{name}")).map(|result| result.expect(name))
}

#[test]
fn a_v100_training_run_with_graphs() {
    let Some(p) = nvidia("hta_trace_diff_test_v100.json.gz") else {
        return;
    };
    assert_eq!(figures(&p), (9_876, 4_856, 900, 27_915_924, 4, 1000));
    assert_eq!(p.report.events, 105_167);
    assert_eq!(p.report.count(Quirk::GraphLaunch), 4_464 + 582);
    assert_eq!(p.report.count(Quirk::NoLaunchCall), 546 + 68);
    assert_eq!(p.report.count(Quirk::Malformed), 0);
    let device = p.device.expect("it is in the file");
    assert_eq!((device.name.as_str(), device.sms), ("Tesla V100-SXM2-16GB", Some(80)));
}

#[test]
fn a_b200_inference_run_with_overlapping_launches() {
    let Some(p) = nvidia("tracelens_b200_eager.json.gz") else {
        return;
    };
    assert_eq!(figures(&p), (768, 161, 0, 953_020, 1, 1));
    assert_eq!(p.report.count(Quirk::OverlapInStream), 74);
    assert_eq!(p.report.count(Quirk::NoLaunchCall), 0);
    assert_eq!(p.report.count(Quirk::GpuAnnotation), 3);
}

#[test]
fn a_bare_array_of_2020() {
    let Some(p) = nvidia("kineto_tb2020_bare_array_v100.json.gz") else {
        return;
    };
    assert_eq!(figures(&p), (9_538, 12, 377, 33_653_780, 1, 1000));
    assert_eq!(p.report.count(Quirk::NoLaunchCall), 736 + 29);
    assert!(p.device.is_none());
}

#[test]
fn smaller_nvidia_traces() {
    if let Some(p) = nvidia("hta_alexnet_cuda_sync.json.gz") {
        assert_eq!(figures(&p), (79, 16, 3, 971_288, 2, 1000));
    }
    if let Some(p) = nvidia("hta_timeline_sampled_rank0.json.gz") {
        assert_eq!(figures(&p), (1_154, 40, 10, 9_382_584, 5, 1000));
        assert!(p.device.is_none());
    }
    if let Some(p) = nvidia("hta_cuda_event_sync_multi_stream.json.gz") {
        assert_eq!(figures(&p), (3, 0, 3, 1_920, 3, 1000));
    }
    if let Some(p) = nvidia("kineto_2026_occupancy_dict_unittest_h100.json") {
        assert_eq!(figures(&p), (1, 0, 0, 1, 1, 1));
        assert_eq!(p.report.count(Quirk::NoRegisters), 1);
    }
}

#[test]
fn amd_traces_are_refused() {
    let samples = [
        ("hta_mi250_minitoy_rocm6.2", 14, 14),
        ("tracelens_mi210_gpu_only", 562, 0),
        ("tracelens_mi300x_resnet_act_checkpoint", 2_995, 757),
        ("tracelens_mi_sglang_qwen3-8b_decode", 555, 544),
    ];
    for (name, all, bare) in samples {
        let Some(result) = sample(&format!("kineto_amd/{name}.json.gz")) else {
            continue;
        };
        let Err(TraceError::AmdKineto { kernels, shapeless, .. }) = result else {
            panic!("{name} was not refused as AMD's")
        };
        assert_eq!((kernels, shapeless), (all, bare), "{name}");
    }
}
