//! Do real traces give the figures that were counted in them independently?

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::sample;
use raddle_trace::{Field, GraphCaptures, ImportConfig, Op, OpKind, Origin, Profile, open};

/// Returns the numbers of (kernels, copies, fills, workgroups, streams) of a profile, and its
/// clock's step in nanoseconds.
fn figures(p: &Profile) -> (u64, u64, u64, u64, usize, u64) {
    let workgroups = p.ops.iter().map(|op| op.workgroups).sum();
    let r = p.report;
    (r.kernels, r.copies, r.sets, workgroups, p.streams.len(), p.resolution_ns)
}

/// Returns the number of kernels with an occupancy that the profiler claims, and the sum of their
/// percentages.
fn claims(p: &Profile) -> (usize, u64) {
    let claiming = p.ops.iter().filter(|op| op.claimed_percent.is_some());
    assert!(claiming.clone().all(|op| op.kind == OpKind::Kernel));
    (claiming.clone().count(), claiming.filter_map(|op| op.claimed_percent).map(u64::from).sum())
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
    assert_eq!(claims(&p), (9_876, 337_240));
    assert_eq!(p.report.events, 105_167);
    assert_eq!(p.report.met("graph-launch"), 4_464 + 582);
    assert_eq!(p.report.met("no-launch-call"), 546 + 68);
    assert_eq!(p.report.met("malformed"), 0);
    let device = p.device.expect("it is in the file");
    assert_eq!((device.name.as_str(), device.sms), ("Tesla V100-SXM2-16GB", Some(80)));
}

#[test]
fn a_b200_inference_run_with_overlapping_launches() {
    let Some(p) = nvidia("tracelens_b200_eager.json.gz") else {
        return;
    };
    assert_eq!(figures(&p), (768, 161, 0, 953_020, 1, 1));
    assert_eq!(claims(&p), (768, 26_739));
    assert_eq!((p.report.met("handover"), p.report.met("overlap-in-stream")), (74, 0));
    assert_eq!(p.report.met("no-launch-call"), 0);
    assert_eq!(p.report.met("gpu-annotation"), 3);
}

#[test]
fn a_bare_array_of_2020() {
    let Some(p) = nvidia("kineto_tb2020_bare_array_v100.json.gz") else {
        return;
    };
    assert_eq!(figures(&p), (9_538, 12, 377, 33_653_780, 1, 1000));
    assert_eq!(claims(&p), (0, 0));
    assert_eq!(p.report.met("no-launch-call"), 736 + 29);
    assert!(p.device.is_none());
}

#[test]
fn smaller_nvidia_traces() {
    if let Some(p) = nvidia("hta_alexnet_cuda_sync.json.gz") {
        assert_eq!(figures(&p), (79, 16, 3, 971_288, 2, 1000));
        assert_eq!(claims(&p), (79, 5_309));
    }
    if let Some(p) = nvidia("hta_timeline_sampled_rank0.json.gz") {
        assert_eq!(figures(&p), (1_154, 40, 10, 9_382_584, 5, 1000));
        assert_eq!(claims(&p), (1_154, 28_823));
        assert!(p.device.is_none());
    }
    if let Some(p) = nvidia("hta_cuda_event_sync_multi_stream.json.gz") {
        assert_eq!(figures(&p), (3, 0, 3, 1_920, 3, 1000));
        assert_eq!(claims(&p), (3, 75));
    }
    if let Some(p) = nvidia("kineto_2026_occupancy_dict_unittest_h100.json") {
        assert_eq!(figures(&p), (1, 0, 0, 1, 1, 1));
        assert_eq!(claims(&p), (1, 0));
        assert_eq!(p.report.met("no-registers"), 1);
    }
}

/// Returns the number of kernels whose shape, and the number whose shared memory, has this origin.
fn origins(p: &Profile, origin: Origin) -> (usize, usize) {
    let kernels = || p.ops.iter().filter(|op| op.kind == OpKind::Kernel);
    let of = |field| kernels().filter(|op| op.provenance.of(field) == origin).count();
    (of(Field::Shape), of(Field::SharedMemory))
}

/// Returns two sums over the kernels of a profile: work-items of a workgroup, bytes of shared
/// memory of a workgroup.
fn asked(p: &Profile) -> (u64, u64) {
    let sum = |of: fn(&Op) -> u32| p.ops.iter().map(|op| u64::from(of(op))).sum();
    (sum(|op| op.footprint.threads), sum(|op| op.footprint.lds_bytes))
}

fn amd(name: &str) -> Option<Profile> {
    sample(&format!("kineto_amd/{name}.json.gz")).map(|result| result.expect(name))
}

fn device(p: &Profile) -> (&str, &str, Option<u32>, Option<u32>, Option<u32>) {
    let device = p.device.as_ref().expect("it is in the file");
    (&device.name, &device.arch, device.sms, device.wave_size, device.shared_bytes_per_sm)
}

#[test]
fn an_mi300x_training_run_in_which_a_quarter_of_the_kernels_has_no_launch() {
    let Some(p) = amd("tracelens_mi300x_resnet_act_checkpoint") else {
        return;
    };
    assert_eq!(figures(&p), (2_995, 550, 108, 2_804_052, 2, 1));
    assert_eq!((p.report.events, asked(&p)), (56_451, (742_050, 3 * 2_048)));
    assert_eq!(p.report.met("uneven-grid"), 12);
    assert_eq!(p.report.met("shape-of-others"), 757);
    assert_eq!(p.report.met("grid-unit-assumed"), 0);
    assert_eq!(p.report.met("no-launch-call"), 757 + 184 + 27);
    assert_eq!(p.report.met("no-registers"), 2_995);
    assert_eq!(p.report.met("dynamic-lds-only"), 2_995);
    assert_eq!(p.report.met("queue-lanes"), 2_995 + 550 + 108);
    assert_eq!(p.report.met("gpu-annotation"), 21);
    assert_eq!(p.report.met("device-not-listed"), 0);
    assert_eq!(origins(&p, Origin::Joined), (2_238, 2_238));
    assert_eq!(origins(&p, Origin::Assumed), (757, 757));
    assert_eq!(device(&p), ("AMD Instinct MI300X", "gfx942", Some(304), Some(64), Some(65_536)));
    let context: Vec<_> = p.streams.iter().map(|s| (s.label.as_str(), s.context)).collect();
    assert_eq!(context, [("0", None), ("4", None)]);
}

#[test]
fn an_mi210_run_with_all_its_launches() {
    let Some(p) = amd("tracelens_mi210_gpu_only") else {
        return;
    };
    assert_eq!(figures(&p), (562, 0, 0, 213_496, 1, 1));
    assert_eq!((p.report.events, asked(&p)), (2_443, (141_952, 2_048)));
    assert_eq!(origins(&p, Origin::Joined), (562, 562));
    assert_eq!(p.report.met("uneven-grid"), 0);
    assert_eq!(p.report.met("no-launch-call"), 0);
    assert_eq!(device(&p), ("AMD Instinct MI210", "gfx90a", Some(104), Some(64), Some(65_536)));
}

#[test]
fn an_mi250_run_whose_kernels_leave_the_grid_to_their_launch_calls() {
    let Some(p) = amd("hta_mi250_minitoy_rocm6.2") else {
        return;
    };
    assert_eq!(figures(&p), (14, 2, 0, 50, 1, 1));
    assert_eq!((p.report.events, asked(&p)), (220, (3_328, 512)));
    assert_eq!(origins(&p, Origin::Joined), (14, 14));
    assert_eq!(p.report.met("no-shape"), 0);
    assert_eq!(device(&p), ("AMD Radeon Graphics", "gfx90a", Some(104), Some(64), Some(65_536)));
}

#[test]
fn an_mi300x_decode_step_that_a_graph_launched_is_opaque() {
    let Some(p) = amd("tracelens_mi_sglang_qwen3-8b_decode") else {
        return;
    };
    assert_eq!(figures(&p), (555, 3, 0, 76, 2, 1));
    assert_eq!((p.report.events, asked(&p)), (2_058, (3_200, 2_048 + 8_192)));
    assert_eq!(p.report.met("no-shape"), 544);
    let unknown = p.unknown_time();
    assert_eq!((unknown.kernel_ns, unknown.opaque_ns), (9_765_437, 9_656_404));
    assert_eq!((unknown.opaque, unknown.left_out, unknown.is_much()), (544, 0, true));
    assert_eq!(p.report.met("queue-lanes"), 555 + 3);
    assert_eq!(p.report.met("device-not-listed"), 1);
    assert_eq!(device(&p), ("AMD Instinct MI300X", "gfx942", Some(304), Some(64), Some(65_536)));
}

/// Returns the number of calls in which the host waited, and the percentage of their time for which
/// the awaited ops are known.
fn waits(p: &Profile) -> (usize, Option<u32>) {
    (p.host_waits.len(), p.known_waits().map(|share| (share * 100.0).floor() as u32))
}

#[test]
fn streams_wait_where_real_traces_say_so() {
    let wanted = [
        ("hta_alexnet_cuda_sync.json.gz", (6, 2)),
        ("hta_cuda_event_sync_multi_stream.json.gz", (1, 0)),
        ("hta_trace_diff_test_v100.json.gz", (0, 149)),
        ("hta_trace_diff_control_a100.json.gz", (0, 149)),
        ("kineto_tb2020_bare_array_v100.json.gz", (0, 0)),
    ];
    let counted = |p: Profile| {
        let inferred = p.stream_waits.iter().filter(|wait| wait.inferred).count();
        for wait in &p.stream_waits {
            let (op, source) = (p.ops[wait.op as usize], p.ops[wait.source as usize]);
            assert!(wait.source < wait.op && source.stream != op.stream);
            assert!(source.end_ns() <= op.start_ns + p.resolution_ns);
        }
        (p.stream_waits.len() - inferred, inferred)
    };
    let found = wanted.map(|(name, wanted)| (name, nvidia(name).map_or(wanted, counted)));
    assert_eq!(found, wanted);
}

#[test]
fn hosts_wait_where_real_traces_say_so() {
    let wanted = [
        ("hta_alexnet_cuda_sync.json.gz", (19, Some(100))),
        ("hta_trace_diff_test_v100.json.gz", (60 + 60 + 1, Some(100))),
        ("hta_trace_diff_control_a100.json.gz", (60 + 60 + 1, Some(100))),
        ("kineto_tb2020_bare_array_v100.json.gz", (12, Some(100))),
        ("tracelens_b200_eager.json.gz", (1, Some(100))),
    ];
    let found = wanted.map(|(name, wanted)| (name, nvidia(name).map_or(wanted, |p| waits(&p))));
    assert_eq!(found, wanted);
}

/// Checks shapes by figures that Python's `json` module counted in the two files: the launch calls
/// between the one that begins the capture and the one that ends it, in order, for the kernels of
/// the graph launch, in order; those of `hipExtModuleLaunchKernel` count work-items.
#[test]
fn the_graph_of_a_vllm_decode_step_has_every_shape_of_its_capture() {
    let Some(alone) = amd("tracelens_mi_vllm_decode_hipgraph") else {
        return;
    };
    assert_eq!(figures(&alone), (425, 9, 0, 515, 1, 1));
    let unknown = alone.unknown_time();
    assert_eq!((unknown.opaque, unknown.opaque_ns), (421, 10_388_482));
    assert_eq!(unknown.kernel_ns, 10_674_517);
    let path = |part: &str| {
        raddle_testkit::sample(&format!("kineto_amd/tracelens_mi_vllm_decode_{part}.json.gz"))
    };
    let (Some(graph), Some(capture)) = (path("hipgraph"), path("capture")) else {
        return;
    };
    let captures = GraphCaptures::open(&capture).map(Arc::new).ok();
    let p = open(&graph, &ImportConfig { captures, ..ImportConfig::default() }).unwrap();
    assert_eq!(figures(&p), (425, 9, 0, 172_351, 1, 1));
    assert_eq!(asked(&p), (109_696, 1_512_960));
    assert_eq!(p.unknown_time().opaque, 0);
    assert_eq!((p.report.shape_in_order_ns, p.report.shape_by_name_ns), (10_388_482, 0));
    assert_eq!(p.report.met("shape-in-order"), 421);
    assert_eq!(p.report.met("no-shape") + p.report.met("shape-by-name"), 0);
    let graph = alone.ops.iter().filter(|op| op.is_opaque());
    let names: BTreeSet<&String> = graph.map(|op| &alone.kernels[op.kernel as usize]).collect();
    assert_eq!(names.len(), 20);
    let times = |p: &Profile| p.ops.iter().map(|op| (op.start_ns, op.end_ns())).collect::<Vec<_>>();
    assert_eq!(times(&p), times(&alone), "nothing but shapes has changed");
}

#[test]
fn a_file_without_launches_gives_no_shapes() {
    let fixture = crate::common::fixture("no-kernels.json");
    let error = GraphCaptures::open(&fixture).unwrap_err().to_string();
    assert!(error.contains("holds no GPU kernels"), "{error}");
}

#[test]
fn a_capture_of_vllm_tells_what_its_allocator_reserved() {
    let Some(p) = sample("kineto_amd/tracelens_mi_vllm_decode_capture.json.gz") else { return };
    // The most of 1,184 totals; events of HIP are of type 6.
    assert_eq!(p.unwrap().memory_bytes, Some(193_621_655_552));
    let Some(p) = sample("kineto_amd/tracelens_mi_vllm_decode_hipgraph.json.gz") else { return };
    assert_eq!(p.unwrap().memory_bytes, None);
}
