//! Is each known quirk of the PyTorch profiler's traces survived, and told of?
//!
//! The numbers are those of our list of quirks; each has small traces of our own making.

use crate::common::{lines, names, quirks};
use flate2::Compression;
use flate2::write::GzEncoder;
use raddle_trace::{
    Field, Format, ImportOptions, Op, OpKind, Origin, Profile, Quirk, StreamLabel, TraceError, read,
};
use raddle_types::{Barrier, Dim3, Resource};
use std::io::Write;

const V100: &str = r#"{"id":0,"name":"Tesla V100-SXM2-16GB","computeMajor":7,"computeMinor":0,"maxThreadsPerMultiprocessor":2048,"regsPerMultiprocessor":65536,"warpSize":32,"sharedMemPerMultiprocessor":98304,"numSms":80}"#;
const MI300X: &str = r#"{"id":0,"name":"AMD Instinct MI300X","computeMajor":9,"computeMinor":4,"maxThreadsPerMultiprocessor":2048,"regsPerBlock":131072,"warpSize":64,"numSms":304,"maxSharedMemoryPerMultiProcessor":65536}"#;

fn given(bytes: &[u8]) -> Result<Profile, TraceError> {
    read("trace.json", bytes, &ImportOptions::default())
}

fn trace(text: &str) -> Profile {
    given(text.as_bytes()).expect(text)
}

fn refused(text: &str) -> String {
    given(text.as_bytes()).expect_err(text).to_string()
}

/// A trace of a device and events, written as the profiler writes them.
fn with(device: &str, events: &[String]) -> Profile {
    trace(&text_of(device, events))
}

fn text_of(device: &str, events: &[String]) -> String {
    let events = events.join(",\n  ");
    format!(r#"{{"schemaVersion":1,"deviceProperties":[{device}],"traceEvents":[{events}]}}"#)
}

/// An event of that category with these members behind it.
fn event(cat: &str, name: &str, ts: &str, rest: &str) -> String {
    format!(
        "{{\n    \"ph\":\"X\",\"cat\":\"{cat}\",\"name\":\"{name}\",\"pid\":0,\"tid\":7,\n    \"ts\":{ts},{rest}\n  }}"
    )
}

/// A kernel of NVIDIA's of 2 workgroups of 64 on stream 7.
fn kernel(name: &str, ts: &str, dur: &str) -> String {
    kernel_with(name, ts, dur, r#""correlation":0"#)
}

fn kernel_with(name: &str, ts: &str, dur: &str, args: &str) -> String {
    let args = format!(
        r#""dur":{dur},"args":{{"device":0,"context":1,"stream":7,"registers per thread":32,"shared memory":0,"grid":[2,1,1],"block":[64,1,1],{args}}}"#
    );
    event("kernel", name, ts, &args)
}

fn call(name: &str, ts: &str, correlation: u64) -> String {
    let args = format!(r#""dur":3,"args":{{"correlation":{correlation}}}"#);
    event("cuda_runtime", name, ts, &args)
}

/// A call of HIP that launches this grid.
fn hip(name: &str, correlation: u64, grid: &str, lds: u32) -> String {
    let args = format!(
        r#""dur":3,"args":{{"cid":65,"correlation":{correlation},"grid":{grid},"block":[256,1,1],"shared memory":{lds}}}"#
    );
    event("cuda_runtime", name, "1", &args)
}

/// A kernel of AMD's with further arguments.
fn amd(name: &str, ts: u32, correlation: u64, args: &str) -> String {
    let args = format!(
        r#""dur":5,"args":{{"device":0,"stream":0,"correlation":{correlation},"kind":"Dispatch Kernel"{args}}}"#
    );
    event("kernel", name, &ts.to_string(), &args)
}

fn count(profile: &Profile, quirk: Quirk) -> u64 {
    profile.report.count(quirk)
}

fn origins(op: &Op) -> [Origin; 3] {
    [Field::Shape, Field::SharedMemory, Field::Registers].map(|field| op.provenance.of(field))
}

#[test]
fn quirk_01_a_bare_array_of_events() {
    let p = trace(&format!("\n [{}, ]", kernel("a", "10", "5")));
    assert_eq!((names(&p), p.format), (vec!["a"], Format::Kineto));
    assert_eq!(p.device, None);
}

#[test]
fn quirk_01_metadata_before_and_behind_the_events() {
    let p = trace(&format!(
        r#"{{"schemaVersion":1,"distributedInfo":{{"rank":0,"pg":["}}",1]}},"traceEvents":[{}],"traceName":"./someone/x.json","displayTimeUnit":"ms","baseTimeNanoseconds":1735632360000000000,"deviceProperties":[{V100}]}}"#,
        kernel("a", "10.000", "5.000")
    ));
    assert_eq!((names(&p), p.span_ns), (vec!["a"], 5_000));
    assert_eq!(p.device.expect("behind the events").sms, Some(80));
}

#[test]
fn quirk_01_null_absent_and_empty_events_are_refused_clearly() {
    assert!(refused(r#"{"schemaVersion":1,"traceEvents":null}"#).contains("no GPU kernels"));
    assert!(refused(r#"{"schemaVersion":1,"traceEvents":[]}"#).contains("no events at all"));
    assert!(refused(r#"{"schemaVersion":1}"#).contains("the keys `schemaVersion`"));
    let cpu_only = text_of(V100, &[event("cpu_op", "aten::add", "1", r#""dur":1"#)]);
    assert!(refused(&cpu_only).contains("(only `cpu_op`)"));
}

#[test]
fn quirk_02_content_tells_gzip_and_how_many_members_it_has() {
    let text = text_of(V100, &[kernel("a", "10", "5"), kernel("b", "20", "5")]);
    let pack = |part: &str| {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(part.as_bytes()).unwrap();
        packed.finish().unwrap()
    };
    let (head, tail) = text.split_at(text.len() / 2);
    let members = [pack(head), pack(tail), pack("")].concat();
    for bytes in [text.clone().into_bytes(), pack(&text), members] {
        for name in ["trace.json", "trace.json.gz"] {
            let p = read(name, bytes.as_slice(), &ImportOptions::default()).unwrap();
            assert_eq!((names(&p), p.name.as_str()), (vec!["a", "b"], "trace"));
            assert_eq!(quirks(&p), [(Quirk::NoLaunchCall, 2)]);
        }
    }
}

#[test]
fn quirk_02_other_compression_is_refused_with_advice() {
    let told = |bytes: &[u8]| given(bytes).unwrap_err().to_string();
    assert!(told(b"\x28\xb5\x2f\xfd\x04\x58").contains("zstd -d"));
    assert!(told(b"\xfd7zXZ\0\0\x04").contains("xz -d"));
}

#[test]
fn quirk_03_threads_and_processes_may_be_words() {
    let odd = r#"{"ph":"X","cat":"Trace","ts":1,"dur":9,"pid":"Spans","tid":"PyTorch Profiler","name":"x","args":{"Op count":0}}"#;
    let meta =
        r#"{"name":"process_labels","ph":"M","ts":1,"pid":"","tid":0,"args":{"labels":"GPU 0"}}"#;
    let lane = kernel("a", "10", "5").replace("\"tid\":7", "\"tid\":\"stream 9\"");
    let lane = lane.replace("\"stream\":7,", "");
    let p = with(V100, &[odd.into(), meta.into(), lane, kernel("b", "20", "5")]);
    let labels: Vec<_> = p.streams.iter().map(|stream| stream.label.as_str()).collect();
    assert_eq!(labels, ["9", "7"]);
    assert_eq!(count(&p, Quirk::Malformed), 0);
}

#[test]
fn quirk_04_old_categories_and_argument_names() {
    let old = |from: &str, to: &str, event: String| event.replace(from, to);
    let p = with(
        V100,
        &[
            old("cuda_runtime", "Runtime", call("cudaLaunchKernel", "5", 3)),
            old(
                "\"kernel\"",
                "\"Kernel\"",
                kernel_with("a", "10", "5", r#""external id":9,"correlation":3"#),
            ),
            event(
                "Memcpy",
                "Memcpy HtoD",
                "20",
                r#""dur":2,"args":{"stream":7,"context":1,"device":0,"external id":4}"#,
            ),
            event(
                "Memset",
                "Memset (Device)",
                "30",
                r#""dur":2,"args":{"stream":7,"context":1,"device":0}"#,
            ),
            event("Operator", "aten::add", "1", r#""dur":9"#),
        ],
    );
    assert_eq!((p.report.kernels, p.report.copies, p.report.sets), (1, 1, 1));
    assert_eq!(p.ops[0].provenance.of(Field::Arrival), Origin::Joined);
    // A kernel whose real name is Kernel is one all the same.
    assert_eq!(names(&with(V100, &[kernel("Kernel", "1", "1")])), ["Kernel"]);
}

#[test]
fn quirk_05_nineteen_digit_timestamps_are_exact() {
    let of = |ts: [&str; 2]| {
        let p = with(V100, &[kernel("a", ts[0], "2.951"), kernel("b", ts[1], "1.000")]);
        (p.ops[1].start_ns, p.ops[0].duration_ns, p.resolution_ns)
    };
    // 3 ns behind the end of a, which a double could not tell.
    assert_eq!(of(["1712195495519689.046", "1712195495519692.000"]), (2_954, 2_951, 1));
    assert_eq!(of(["88437691101.749", "88437691104.703"]), (2_954, 2_951, 1));
}

#[test]
fn quirk_05_whole_microseconds_of_the_epoch() {
    let p =
        with(V100, &[kernel("a", "1661938466265584", "5"), kernel("b", "1661938466265589", "7")]);
    assert_eq!((p.ops[1].start_ns, p.resolution_ns), (5_000, 1_000));
    assert_eq!(p.ops[1].after, Some(0));
}

#[test]
fn quirk_06_a_duration_of_0_is_half_a_step() {
    let p = with(V100, &[kernel("a", "10", "0"), kernel("b", "20", "0")]);
    assert_eq!(p.ops[1].duration_ns, 500);
    assert_eq!(p.ops[1].provenance.of(Field::Duration), Origin::Assumed);
    assert_eq!(count(&p, Quirk::ZeroDuration), 2);
}

#[test]
fn quirk_06_overlaps_in_a_stream_are_no_error() {
    // By rounding: 1 us where the clock's step is 1 us.
    let rounded = with(V100, &[kernel("a", "10", "6"), kernel("b", "15", "5")]);
    assert_eq!((rounded.ops[1].after, count(&rounded, Quirk::OverlapInStream)), (Some(0), 0));
    // By launching dependent kernels early: b begins before a ends.
    let early = with(V100, &[kernel("a", "10.000", "6.000"), kernel("b", "15.000", "5.000")]);
    assert_eq!((early.ops[1].after, count(&early, Quirk::OverlapInStream)), (None, 1));
}

#[test]
fn quirk_07_events_out_of_order_are_sorted_and_equal_ones_keep_their_order() {
    let events = [("c", "30"), ("a", "10"), ("b", "10"), ("d", "40")];
    let p = with(V100, &events.map(|(name, ts)| kernel(name, ts, "1")));
    assert_eq!(names(&p), ["a", "b", "c", "d"]);
    assert_eq!(count(&p, Quirk::Unsorted), 1);
}

#[test]
fn quirk_07_claims_move_with_their_kernels() {
    let claiming = |name: &str, ts: &str, percent: u32| {
        kernel_with(name, ts, "1", &format!(r#""est. achieved occupancy %":{percent}"#))
    };
    let events = [
        claiming("c", "30", 3),
        kernel("x", "20", "1"),
        claiming("a", "10", 1),
        claiming("b", "20", 2),
    ];
    let p = with(V100, &events);
    assert_eq!(names(&p), ["a", "x", "b", "c"]);
    let claims = |p: &Profile| p.claims.iter().map(|c| (c.op, c.percent)).collect::<Vec<_>>();
    assert_eq!(claims(&p), [(0, Some(1)), (2, Some(2)), (3, Some(3))]);
    assert_eq!(claims(&p.window(1, 2)), [(1, Some(2))]);
    assert_eq!(p.claims.of(1), None);
}

#[test]
fn quirk_08_a_missing_launch_takes_the_arrival_of_the_op_before() {
    let launched = kernel_with("a", "3000010", "5", r#""correlation":3"#);
    let p = with(V100, &[call("cudaLaunchKernel", "10", 3), launched, kernel("b", "3000020", "5")]);
    // 3 s from launch to start is a cold start, not a fault.
    assert_eq!((p.ops[0].arrival_ns, p.ops[0].start_ns), (0, 3_000_000_000));
    assert_eq!(p.ops[1].arrival_ns, 0);
    assert_eq!(quirks(&p), [(Quirk::NoLaunchCall, 1)]);
}

#[test]
fn quirk_08_a_launch_behind_its_kernel_is_cut_to_the_start() {
    let launched = kernel_with("a", "10", "5", r#""correlation":3"#);
    let p = with(V100, &[launched, call("cuLaunchKernelEx", "12", 3)]);
    assert_eq!((p.ops[0].arrival_ns, count(&p, Quirk::ClockSkew)), (0, 1));
}

#[test]
fn quirk_09_kernels_of_one_graph_share_a_correlation() {
    let part = |name: &str, ts: &str| {
        kernel_with(name, ts, "5", r#""correlation":8,"graph id":4,"graph node id":2"#)
    };
    let p = with(V100, &[call("cudaGraphLaunch", "5", 8), part("a", "10"), part("b", "20")]);
    assert_eq!(p.ops.iter().map(|op| op.arrival_ns).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(quirks(&p), [(Quirk::GraphLaunch, 2)]);
}

#[test]
fn quirk_10_amd_grids_are_in_the_unit_of_their_launch_call() {
    let shape = r#","grid":[512,3,1],"block":[256,1,1]"#;
    let one = |launch: &str| {
        let p = with(MI300X, &[hip(launch, 5, "[512,3,1]", 0), amd("k", 10, 5, shape)]);
        assert_eq!(origins(&p.ops[0]), [Origin::Joined, Origin::Joined, Origin::Assumed]);
        p.ops[0].grid
    };
    for launch in ["hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel"] {
        assert_eq!(one(launch), Dim3::new(2, 3, 1), "{launch}");
    }
    for launch in ["hipLaunchKernel", "hipModuleLaunchKernel", "hipExtLaunchKernel"] {
        assert_eq!(one(launch), Dim3::new(512, 3, 1), "{launch}");
    }
}

#[test]
fn quirk_10_amd_grids_that_do_not_divide_are_rounded_up() {
    let shape = r#","grid":[513,1,1],"block":[256,1,1]"#;
    let launch = hip("hipExtModuleLaunchKernel", 5, "[513,1,1]", 0);
    let p = with(MI300X, &[launch, amd("k", 10, 5, shape)]);
    assert_eq!((p.ops[0].workgroups, p.ops[0].footprint.threads), (3, 256));
    assert_eq!(count(&p, Quirk::UnevenGrid), 1);
}

#[test]
fn quirk_10_amd_before_2024_the_launch_call_alone_has_the_grid() {
    let launch = hip("hipExtModuleLaunchKernel", 5, "[512,1,1]", 2048);
    let p = with(MI300X, &[launch, amd("k", 10, 5, "")]);
    assert_eq!(lines(&p), ["k @0 2x1x1=2 256t 0r 2048B assumed; 0j 9000 5000 after -"]);
    assert_eq!(
        quirks(&p),
        [(Quirk::QueueLanes, 1), (Quirk::NoRegisters, 1), (Quirk::DynamicLdsOnly, 1)]
    );
}

#[test]
fn quirk_10_amd_without_dynamic_lds_a_barrier_stays_possible() {
    let launch = hip("hipLaunchKernel", 5, "[4,1,1]", 0);
    let p = with(MI300X, &[launch, amd("k", 10, 5, "")]);
    assert_eq!(p.ops[0].footprint.barrier, Barrier::Assumed);
}

#[test]
fn quirk_10_amd_kernels_without_a_grid_take_the_commonest_shape_of_their_name() {
    let p = with(
        MI300X,
        &[
            hip("hipLaunchKernel", 1, "[9,1,1]", 64),
            hip("hipLaunchKernel", 2, "[4,1,1]", 32),
            hip("hipLaunchKernel", 3, "[4,1,1]", 32),
            hip("hipLaunchKernel", 4, "[9,1,1]", 64),
            hip("hipGraphLaunch", 5, "[1,1,1]", 1),
            amd("k", 10, 1, ""),
            amd("k", 20, 2, ""),
            amd("k", 30, 3, ""),
            amd("k", 40, 77, ""),
            amd("k", 50, 5, ""),
            amd("tie", 60, 2, ""),
            amd("tie", 70, 4, ""),
            amd("tie", 80, 77, ""),
            amd("alone", 90, 5, ""),
        ],
    );
    let shapes: Vec<_> = p.ops.iter().map(|op| (op.workgroups, op.footprint.lds_bytes)).collect();
    let (nine, four) = ((9, 64), (4, 32));
    // The third kernel of `tie` takes what came first in the file, `alone` has nothing to take.
    assert_eq!(shapes, [nine, four, four, four, four, four, nine, four]);
    assert_eq!(origins(&p.ops[3]), [Origin::Assumed; 3]);
    assert_eq!(count(&p, Quirk::ShapeOfOthers), 3);
    assert_eq!(count(&p, Quirk::NoShape), 1);
    assert_eq!(p.ops[4].provenance.of(Field::Arrival), Origin::Joined);
    assert_eq!(count(&p, Quirk::GraphLaunch), 1);
}

#[test]
fn quirk_10_amd_a_grid_without_a_launch_has_the_unit_of_others_else_of_its_name() {
    let shape = r#","grid":[512,1,1],"block":[256,1,1]"#;
    let other = r#","grid":[256,1,1],"block":[256,1,1]"#;
    let p = with(
        MI300X,
        &[
            hip("hipExtModuleLaunchKernel", 1, "[256,1,1]", 16),
            hip("hipLaunchKernel", 2, "[256,1,1]", 0),
            amd("by_others", 10, 1, other),
            amd("by_others", 20, 0, shape),
            amd("Cijk_by_others", 30, 2, other),
            amd("Cijk_by_others", 40, 0, shape),
            amd("Cijk_Alik_Bljk", 50, 0, shape),
            amd("igemm_fwd_gtcx3", 60, 0, shape),
            amd("void f<int>(int)", 70, 0, shape),
        ],
    );
    let workgroups: Vec<_> = p.ops.iter().map(|op| op.workgroups).collect();
    assert_eq!(workgroups, [1, 2, 256, 512, 2, 2, 512]);
    assert_eq!(count(&p, Quirk::GridUnitAssumed), 5);
    assert_eq!(count(&p, Quirk::NoSharedMemory), 5);
    assert_eq!(origins(&p.ops[1]), [Origin::Assumed; 3]);
}

#[test]
fn quirk_10_amd_without_any_grid_is_refused_with_advice() {
    let told =
        refused(&text_of(MI300X, &[hip("hipGraphLaunch", 1, "[1,1,1]", 0), amd("k", 10, 1, "")]));
    assert!(told.contains("of its 1 kernels none can be used: 1 have no grid"), "{told}");
    assert!(told.contains("rocprofv3"), "{told}");
}

#[test]
fn quirk_10_amd_devices_need_not_be_listed_under_their_number() {
    let at = |device: u32| {
        let kernel = amd("k", 10, 5, "").replace("\"device\":0", &format!("\"device\":{device}"));
        with(MI300X, &[hip("hipLaunchKernel", 5, "[4,1,1]", 0), kernel])
    };
    assert_eq!(
        (count(&at(0), Quirk::DeviceNotListed), count(&at(9), Quirk::DeviceNotListed)),
        (0, 1)
    );
    let device = at(9).device.expect("the only one");
    assert_eq!((device.sms, device.wave_size, device.arch.as_str()), (Some(304), Some(64), ""));
    assert_eq!((device.registers_per_sm, device.shared_bytes_per_sm), (None, Some(65_536)));
}

#[test]
fn quirk_10_amd_matrix_kernels_name_the_instruction_set() {
    let launch = hip("hipExtModuleLaunchKernel", 5, "[256,1,1]", 0);
    let kernel = amd("Cijk_Alik_Bljk_SB_AMBAS3_ISA90a_IU1_K1", 10, 5, "");
    let p = with(&MI300X.replace("AMD Instinct MI300X", ""), &[launch, kernel]);
    let device = p.device.expect("it is listed");
    assert_eq!((device.name.as_str(), device.arch.as_str()), ("", "gfx90a"));
}

#[test]
fn quirk_10_amd_lanes_are_queues_until_the_queue_is_named_beside_the_stream() {
    let lanes = |args: &str| {
        let p = with(MI300X, &[hip("hipLaunchKernel", 5, "[4,1,1]", 0), amd("k", 10, 5, args)]);
        (p.streams.clone(), count(&p, Quirk::QueueLanes))
    };
    let zero = vec![StreamLabel { label: "0".into(), context: None }];
    assert_eq!(lanes(""), (zero.clone(), 1));
    assert_eq!(lanes(r#","hsa_queue":3"#), (zero, 0));
}

#[test]
fn quirk_11_without_device_properties_the_user_must_name_it() {
    let p = trace(&format!(r#"{{"traceEvents":[{}]}}"#, kernel("a", "1", "1")));
    assert_eq!((p.device.clone(), count(&p, Quirk::NoDevice)), (None, 1));
    let empty = with("", &[kernel("a", "1", "1")]);
    assert_eq!((empty.device.clone(), count(&empty, Quirk::NoDevice)), (None, 1));
}

#[test]
fn quirk_11_of_several_devices_that_of_the_kernels_is_taken() {
    let other = V100.replace("Tesla V100-SXM2-16GB", "Quadro").replace("\"id\":0", "\"id\":1");
    let on_1 = kernel("a", "1", "1").replace("\"device\":0", "\"device\":1");
    let p = with(&format!("{V100},{other}"), &[on_1]);
    assert_eq!(p.device.expect("it is listed").name, "Quadro");
}

#[test]
fn quirk_12_words_where_numbers_belong() {
    let odd = r#""blocks per SM":"inf","warps per SM":"inf","memory bandwidth (GB/s)":"N/A","x":"<unsupported metadata type>""#;
    let p = with(V100, &[kernel_with("a", "1", "1", odd)]);
    assert_eq!((names(&p), p.ops[0].workgroups), (vec!["a"], 2));
    assert_eq!(count(&p, Quirk::Malformed), 0);
    let worded = kernel("b", "1", "1").replace("\"shared memory\":0", "\"shared memory\":\"inf\"");
    let p = with(V100, &[worded]);
    assert_eq!(
        (count(&p, Quirk::NoSharedMemory), p.ops[0].footprint.barrier),
        (1, Barrier::Assumed)
    );
}

#[test]
fn quirk_13_zero_registers_are_unknown_and_zero_occupancy_is_a_claim() {
    let zero = kernel_with("a", "1", "1", r#""queued":0,"est. achieved occupancy %":0"#);
    let p =
        with(V100, &[zero.replace("\"registers per thread\":32", "\"registers per thread\":0")]);
    assert_eq!(count(&p, Quirk::NoRegisters), 1);
    assert_eq!(p.ops[0].provenance.of(Field::Registers), Origin::Assumed);
    assert_eq!(p.claims.of(0).unwrap().percent, Some(0));
    assert!(with(V100, &[kernel("a", "1", "1")]).claims.is_empty());
}

#[test]
fn quirk_14_a_workgroup_need_not_fill_its_waves() {
    let sized = |block: &str| kernel("a", "1", "1").replace("[64,1,1]", block);
    assert_eq!(with(V100, &[sized("[7,7,1]")]).ops[0].footprint.threads, 49);
    assert_eq!(with(V100, &[sized("[800,1,1]")]).ops[0].footprint.threads, 800);
}

#[test]
fn quirk_15_names_may_be_long_and_hold_anything_escaped() {
    let long = format!("void f<{}>(int, \\\"x\\\", {{lambda()#1}})", "a::b<c>, ".repeat(300));
    let p = with(V100, &[kernel(&long, "1", "1"), kernel("unknown", "2", "1")]);
    assert_eq!(names(&p), [long.replace('\\', "").as_str(), "unknown"]);
}

/// Names that break the JSON: one bare quote, two, with braces of either kind, at the end.
const BROKEN: [&str; 8] =
    ["a\"b", "say \"hi\"", "\"", "a\"}b", "a\"{b", "a\"b\"{", "}\"}\"}", "a\", \"b\": \"c\\"];

#[test]
fn quirk_15_a_bare_quote_costs_its_own_event_alone() {
    for name in BROKEN {
        let events = [
            kernel("before", "1", "1"),
            kernel(name, "3", "1"),
            kernel("behind", "5", "1"),
            kernel("last", "7", "1"),
        ];
        let p = with(V100, &events);
        assert_eq!(names(&p), ["before", "behind", "last"], "{name}");
        assert!(count(&p, Quirk::Malformed) >= 1, "{name}: {}", p.report);
        assert_eq!(count(&p, Quirk::Damaged), 0, "{name}");
    }
}

#[test]
fn quirk_15_a_bare_quote_in_an_event_of_no_interest_costs_no_kernel() {
    for name in BROKEN {
        let odd =
            || event("user_annotation", name, "3", "\"dur\":1,\n    \"args\":{\n    \"x\":[1]}");
        let events = [
            kernel("before", "1", "1"),
            odd(),
            kernel("between", "5", "1"),
            odd(),
            kernel("behind", "7", "1"),
        ];
        assert_eq!(names(&with(V100, &events)), ["before", "between", "behind"], "{name}");
    }
}

#[test]
fn quirk_15_a_bare_quote_in_the_last_event_loses_nothing_before_it() {
    for name in BROKEN {
        let p = with(V100, &[kernel("a", "1", "1"), kernel("b", "3", "1"), kernel(name, "5", "1")]);
        assert_eq!(names(&p), ["a", "b"], "{name}");
    }
}

#[test]
fn quirk_16_a_killed_job_leaves_whole_events_and_a_comma() {
    let whole = text_of(V100, &[kernel("a", "1", "1"), kernel("b", "3", "1")]);
    let cut = whole.trim_end_matches("]}");
    let lost = |text: &str| {
        let p = trace(text);
        assert_eq!((names(&p), count(&p, Quirk::Truncated)), (vec!["a", "b"], 1), "{text}");
        count(&p, Quirk::LostEvents)
    };
    assert_eq!(lost(cut), 0);
    assert_eq!(lost(&format!("{cut},\n")), 1);
    assert_eq!(lost(&format!("{cut},\n{{\"ph\":\"X\",\"cat\":\"ker")), 1);
}

#[test]
fn quirk_17_the_work_of_other_devices_is_left_out_and_counted() {
    let on_1 = |name: &str, ts: &str| kernel(name, ts, "1").replace("\"device\":0", "\"device\":1");
    let events = [on_1("x", "1"), kernel("a", "2", "1"), on_1("y", "3"), on_1("z", "4")];
    let p = with(V100, &events);
    assert_eq!((names(&p), count(&p, Quirk::OtherDevice)), (vec!["x", "y", "z"], 1));
    assert_eq!(count(&p, Quirk::DeviceNotListed), 1);
    let options = ImportOptions { device: Some(0), ..ImportOptions::default() };
    let p = read("x", text_of(V100, &events).as_bytes(), &options).unwrap();
    assert_eq!((names(&p), count(&p, Quirk::OtherDevice)), (vec!["a"], 3));
}

#[test]
fn quirk_20_collectives_are_kernels_and_their_groups_do_not_leave_the_trace() {
    let args = r#""Collective name":"allreduce","In msg nelems":8,"dtype":"Float","Process Group Name":"tp of someone","Process Group Ranks":"[0, 1]","Group size":2"#;
    let p =
        with(V100, &[kernel_with("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "1", "5", args)]);
    assert_eq!(names(&p), ["ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"]);
    assert_eq!(p.ops[0].duration_ns, 5_000);
    assert!(!format!("{p:?}").contains("someone"));
}

#[test]
fn quirk_23_annotations_and_synchronisation_are_no_work() {
    let lane = |cat: &str| {
        event(cat, "step", "0.999", r#""dur":9.002,"args":{"stream":7,"device":0,"correlation":4}"#)
    };
    let events = [
        lane("gpu_user_annotation"),
        kernel("a", "1.000", "2.000"),
        lane("cuda_sync"),
        lane("overhead"),
        kernel("b", "5.000", "1.000"),
        event(
            "cuda_sync",
            "Stream Wait Event",
            "7",
            r#""dur":1,"args":{"wait_on_stream":-1,"stream":7}"#,
        ),
    ];
    let p = with(V100, &events);
    assert_eq!((names(&p), p.ops[1].after), (vec!["a", "b"], Some(0)));
    assert_eq!(count(&p, Quirk::GpuAnnotation), 1);
    let told = refused(&text_of(V100, &[lane("cuda_sync")]));
    assert!(told.contains("(only `cuda_sync`)"), "{told}");
}

#[test]
fn the_arguments_of_2026_are_read_or_passed_over() {
    let args = r#""priority":-5,"channel":3,"channel_type":1,"graph id":0,"graph node id":0,"occupancy":{"activeBlocksPerMultiprocessor":4,"limitingFactors":"SMEM|WARPS","blockLimitRegs":2147483647,"blockLimitSharedMem":4,"blockLimitWarps":4,"blockLimitBlocks":32,"blockLimitBarriers":2147483647,"allocatedRegistersPerBlock":2048,"allocatedSharedMemPerBlock":1024},"est. achieved occupancy %":25"#;
    let p = with(V100, &[kernel_with("a", "1", "1", args), kernel_with("b", "3", "1", args)]);
    assert_eq!((p.ops[0].priority, p.ops[0].kind), (Some(-5), OpKind::Kernel));
    let claim = p.claims.of(1).expect("one a kernel");
    let object = claim.object.expect("it is there");
    assert_eq!((claim.percent, object.workgroups), (Some(25), Some(4)));
    assert_eq!((object.limit_vgpr, object.limit_barriers), (Some(u32::MAX), Some(u32::MAX)));
    assert_eq!(
        (object.limit_lds, object.limit_waves, object.limit_workgroups),
        (Some(4), Some(4), Some(32))
    );
    assert_eq!((object.registers, object.lds_bytes), (Some(2048), Some(1024)));
    assert_eq!(object.limiters().collect::<Vec<_>>(), [Resource::Waves, Resource::Lds]);
}
