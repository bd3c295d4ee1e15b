//! Are the JSON results of rocprofv3 read as they should be, quirk by quirk?

use crate::common::{fixture, import, lines, names, quirks};
use raddle_policy::Barrier;
use raddle_trace::{
    BarrierRule, Field, ImportConfig, OpKind, Origin, Profile, ProfileFormat, TraceError, open,
    read,
};

fn device(number: u32) -> Result<Profile, TraceError> {
    let options = ImportConfig { device: Some(number), ..Default::default() };
    open(&fixture("rocprof-result.json"), &options)
}

/// Imports a result with the text `from`, which must be in it, replaced by `to`.
fn changed(name: &str, from: &str, to: &str) -> Profile {
    let text = std::fs::read_to_string(fixture(name)).expect(name);
    assert!(text.contains(from), "{from}");
    read("x", text.replace(from, to).as_bytes(), &ImportConfig::default()).expect(to)
}

#[test]
fn a_whole_result() {
    let p = import("rocprof-result.json");
    assert_eq!(
        lines(&p),
        [
            // 1000 bytes of LDS are what the launch asked for, 512 what the kernel was built with.
            "fill @5 4x1x1=4 256t 8r 0B no; 0j 9000 10300 after -",
            "gemm(float*) @6 2x1x1=2 128t 48r 0B no; 11000j 11000 6000 after -",
            "gemm(float*) @5 3x2x3=18 128t 48r 1000B assumed; 1000j 19000 10000 after 0",
            "fill @6 1x1x1=1 256t 8r 512B assumed; 38000j 39000 10000 after 1",
            "MEMORY_COPY_HOST_TO_DEVICE @6 0x0x0=0 0t 0r 0B no; 40000j 49000 5000 after 3",
            "fill @6 1x1x1=1 64t 8r 0B no; 44000j 59000 1000 after 4",
            "kernel 3 @6 1x1x1=1 64t 0r 0B no; 44000j 60000 1000 after 5",
        ]
    );
    assert_eq!((p.format, p.resolution_ns, p.span_ns), (ProfileFormat::RocprofJson, 1000, 61_000));
    assert_eq!((p.report.events, p.report.kernels, p.report.copies), (16, 6, 1));
    assert_eq!(
        quirks(&p),
        [
            ("other-device", 2),
            ("unsorted", 2),
            ("clock-skew", 1),
            ("repeated-correlation", 1),
            ("graph-launch", 2),
            ("no-registers", 1),
            ("shared-queue", 2),
            ("clock-jitter", 1),
            ("unknown-kernel", 1),
        ]
    );
    assert_eq!(p.ops[0].footprint.sgprs_per_wave, 16);
    let origins = |i: usize| {
        let provenance = p.ops[i].provenance;
        [Field::Arrival, Field::Shape, Field::Registers, Field::SharedMemory]
            .map(|field| provenance.of(field))
    };
    assert_eq!(origins(0), [Origin::Joined, Origin::Measured, Origin::Joined, Origin::Measured]);
    assert_eq!(origins(6)[2], Origin::Assumed);
    assert_eq!(p.ops[4].kind, OpKind::Copy);
}

#[test]
fn kernels_of_one_name_in_two_code_objects_are_two() {
    let are_one = |code: u32| {
        let text = std::fs::read_to_string(fixture("rocprof-result.json")).expect("it is there");
        let text = text
            .replace(
                "1,\"kernel_name\":\"fill.kd\"",
                &format!("{code},\"kernel_name\":\"_Z3gemm.kd\""),
            )
            .replace(
                "\"formatted_kernel_name\":\"\"",
                "\"formatted_kernel_name\":\"gemm(float*)\"",
            );
        let p = read("x", text.as_bytes(), &ImportConfig::default()).expect("a result");
        let [first, second] = [0, 1].map(|at| p.ops[at].kernel);
        let names = [first, second].map(|kernel| p.kernels[kernel as usize].as_str());
        assert_eq!(names, ["gemm(float*)"; 2]);
        first == second
    };
    assert!(are_one(1));
    assert!(!are_one(2));
}

#[test]
fn the_device_is_that_of_the_agent() {
    let device = import("rocprof-result.json").device.expect("it is in the file");
    assert_eq!((&*device.name, &*device.arch), ("AMD Instinct MI300X", "gfx942"));
    assert_eq!((device.sms, device.simds_per_sm), (Some(304), Some(4)));
    assert_eq!((device.waves_per_simd, device.wave_size), (Some(8), Some(64)));
    assert_eq!((device.threads_per_sm, device.shared_bytes_per_sm), (Some(2048), Some(65_536)));
    assert_eq!((device.registers_per_sm, device.workgroups_per_sm), (None, None));
}

/// Checks that one file holds all GPUs of a process, so that the device must be chosen (quirk 17 of
/// our list).
#[test]
fn a_device_is_chosen_by_its_handle_or_its_number() {
    let all = import("rocprof-result.json");
    for number in [0, 11] {
        assert_eq!(lines(&device(number).unwrap()), lines(&all));
    }
    for number in [1, 12] {
        let p = device(number).unwrap();
        assert_eq!(names(&p), ["gemm(float*)", "MEMORY_COPY_DEVICE_TO_DEVICE"]);
        assert_eq!(p.report.met("other-device"), 7);
    }
    let error = device(2).unwrap_err();
    assert!(
        matches!(error, TraceError::NoSuchDevice { wanted: 2, ref seen, .. }
        if seen == "device 0 (handle 11), device 1 (handle 12)"),
        "{error}"
    );
}

/// Checks a copy from one GPU to another, for which the tool has no word; its two agents tell.
#[test]
fn a_copy_between_two_devices_is_one_to_a_peer() {
    let ends = |dst: u32| {
        format!("\"dst_agent_id\":{{\"handle\":{dst}}},\"src_agent_id\":{{\"handle\":12}}")
    };
    let p = changed("rocprof-result.json", &ends(12), &ends(11));
    assert!(p.kernels.contains(&"MEMORY_COPY_PEER_TO_PEER".to_owned()), "{:?}", p.kernels);
}

/// Checks a result in which no agent describes the device (quirk 11 of our list).
#[test]
fn a_result_without_agents_must_have_its_device_named() {
    let p = changed("rocprof-result.json", "\"agents\"", "\"no agents\"");
    assert!(p.device.is_none());
    assert_eq!((p.report.met("no-device"), p.report.kernels), (1, 6));
    // Without agents nobody knows which way a copy goes.
    assert!(p.kernels.contains(&"MEMORY_COPY".to_owned()), "{:?}", p.kernels);
}

#[test]
fn nothing_of_the_machine_leaves_a_result() {
    let all = format!("{:?}", import("rocprof-result.json"));
    for secret in ["a-host", "0123", "a-command", "secret", "4242", "Some CPU"] {
        assert!(!all.contains(secret), "{secret}");
    }
}

#[test]
fn registers_counted_by_half_are_doubled() {
    let p = import("rocprof-mi350x.json");
    let registers = |p: &Profile| -> Vec<u32> {
        p.ops.iter().map(|op| op.footprint.vgprs_per_thread).collect()
    };
    assert_eq!(registers(&p), [256, 24]);
    assert_eq!(p.report.met("halved-registers"), 2);
    // Of a tool that knows the instruction set, the sum is a multiple of 8.
    let p = changed("rocprof-mi350x.json", "\"accum_vgpr_count\": 0", "\"accum_vgpr_count\": 4");
    assert_eq!(registers(&p), [132, 16]);
    assert_eq!(p.report.met("halved-registers"), 0);
    // Before gfx90a there are granules of 4.
    let p = changed("rocprof-mi350x.json", "\"gfx950\"", "\"gfx906\"");
    assert_eq!(registers(&p), [128, 12]);
}

#[test]
fn queues_are_lanes_where_streams_were_not_followed() {
    let p = import("rocprof-mi350x.json");
    let labels: Vec<_> = p.streams.iter().map(|stream| &*stream.label).collect();
    assert_eq!((labels, p.report.met("queue-as-stream")), (vec!["1", "2"], 2));
    assert_eq!(p.ops[1].after, None);
}

/// Checks that a result with counters is marked: to read them, the tool runs kernels one at a time
/// (quirk 22 of our list).
#[test]
fn quirk_22_a_result_with_counters_says_nothing_of_concurrency() {
    assert_eq!(import("rocprof-mi350x.json").report.met("serialised"), 2);
    assert_eq!(import("rocprof-result.json").report.met("serialised"), 0);
}

#[test]
fn overlaps_within_the_clock_s_error_are_none() {
    // In the fixture `gemm` starts 300 ns before `fill` of its stream ends.
    let p = import("rocprof-result.json");
    assert_eq!((p.ops[2].after, p.report.met("overlap-in-stream")), (Some(0), 0));
    let end = |ns: &str| {
        let to = format!("\"end_timestamp\":{ns}");
        changed("rocprof-result.json", "\"end_timestamp\":1020300", &to)
    };
    let p = end("1021001");
    assert_eq!((p.ops[2].after, p.report.met("handover")), (Some(0), 1));
    let p = end("1025001");
    assert_eq!((p.ops[2].after, p.report.met("overlap-in-stream")), (None, 1));
    assert_eq!(p.report.met("clock-jitter"), 0);
}

#[test]
fn calls_and_kernels_may_come_before_or_after_the_dispatches() {
    let text = std::fs::read_to_string(fixture("rocprof-result.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    // Keys in the order of the alphabet: agents, buffer_records (hip_api, kernel_dispatch), ..
    let sorted = serde_json::to_string_pretty(&value).unwrap();
    let p = read("x", sorted.as_bytes(), &ImportConfig::default()).unwrap();
    assert_eq!(lines(&p), lines(&import("rocprof-result.json")));
}

#[test]
fn processes_of_one_file_keep_their_kernels_and_lanes_apart() {
    let text = std::fs::read_to_string(fixture("rocprof-result.json")).unwrap();
    let text = text.trim_end().strip_suffix("]}").unwrap();
    let (_, process) = text.split_once('[').unwrap();
    let other = process.replace("gemm(float*)", "other").replace("\"handle\":5}", "\"handle\":6}");
    let both = format!("{text},{other}]}}");
    let p = read("x", both.as_bytes(), &ImportConfig::default()).unwrap();
    assert_eq!(p.report.kernels, 12);
    let lanes: Vec<_> = p.streams.iter().map(|s| (&*s.label, s.context)).collect();
    assert_eq!(lanes, [("5", None), ("6", Some(1)), ("6", None)]);
    let others = p.ops.iter().filter(|op| p.kernels[op.kernel as usize] == "other");
    assert!(others.clone().count() == 2 && others.clone().all(|op| op.stream == 1));
}

#[test]
fn barriers_follow_the_rule() {
    let options = ImportConfig { barriers: BarrierRule::Yes, ..Default::default() };
    let p = open(&fixture("rocprof-result.json"), &options).unwrap();
    let kernels = p.ops.iter().filter(|op| op.kind == OpKind::Kernel);
    assert!(kernels.clone().all(|op| op.footprint.barrier == Barrier::Yes));
}

#[test]
fn records_that_cannot_be_are_left_out_and_counted() {
    let of = |from, to| changed("rocprof-result.json", from, to);
    // No times (the tool writes 0), times that run backwards, a time in floating point.
    for (from, to) in [
        (
            "\"start_timestamp\":1010000,\"end_timestamp\":1020300",
            "\"start_timestamp\":0,\"end_timestamp\":0",
        ),
        ("\"end_timestamp\":1020300", "\"end_timestamp\":1009999"),
        ("\"end_timestamp\":1020300", "\"end_timestamp\":1.0203e6"),
        ("\"end_timestamp\":1020300", "\"end_timestamp\":18446744073709551615"),
    ] {
        let p = of(from, to);
        assert_eq!((p.report.kernels, p.report.met("malformed")), (5, 1), "{to}");
    }
    let p = of(
        "\"grid_size\":{\"x\":1024,\"y\":1,",
        "\"grid_size\":{\"x\":4294967295,\"y\":4294967295,",
    );
    assert_eq!(p.report.met("no-shape"), 0, "2^56 workgroups can still be counted");
    let p =
        of("\"grid_size\":{\"x\":1024,\"y\":1,", "\"grid_size\":{\"x\":1099511627776000,\"y\":1,");
    assert_eq!((p.report.kernels, p.report.met("no-shape")), (6, 1));
    let p = of("\"grid_size\":{\"x\":1024,", "\"grid_size\":{\"x\":0,");
    assert_eq!((p.report.kernels, p.report.met("empty-shape")), (6, 1));
    let p = of("\"group_segment_size\":1000,", "");
    assert_eq!((p.report.kernels, p.report.met("no-shared-memory")), (6, 1));
    let p = of("\"memory_copy\":[", "\"memory_copy\":[7,null,");
    assert_eq!((p.report.copies, p.report.met("malformed")), (1, 2));
}

#[test]
fn names_that_are_not_utf8_are_mended() {
    let text = std::fs::read(fixture("rocprof-result.json")).unwrap();
    let at = text.windows(4).position(|bytes| bytes == b"gemm").unwrap();
    // The first is `_Z3gemm.kd`; the second the name for people.
    let at = at + 4 + text[at + 4..].windows(4).position(|bytes| bytes == b"gemm").unwrap();
    let mut broken = text.clone();
    broken[at] = 0xff;
    let p = read("x", broken.as_slice(), &ImportConfig::default()).unwrap();
    assert!(p.kernels.contains(&"\u{fffd}emm(float*)".to_owned()), "{:?}", p.kernels);
    assert_eq!(p.report.met("not-utf8"), 1);
}

#[test]
fn results_without_dispatches_say_how_to_record_again() {
    let of = |text: &str| read("x", text.as_bytes(), &ImportConfig::default()).unwrap_err();
    let error = of(r#"{"rocprofiler-sdk-tool":[{"metadata":{}}]}"#);
    assert_eq!(
        error.to_string(),
        "x is a result of rocprofv3 without kernel dispatches (0 calls of HIP, 0 copies): record \
         again with `rocprofv3 --kernel-trace --hip-trace --output-format json -- APPLICATION`"
    );
    let calls = |strings: &str| {
        let call = r#"{"kind":0,"operation":1,"correlation_id":{"internal":3},"start_timestamp":5,"end_timestamp":6}"#;
        let buffers =
            format!(r#""buffer_records":{{"kernel_dispatch":[],"hip_api":[{call},{call}]}}"#);
        of(&format!(r#"{{"rocprofiler-sdk-tool":[{{{strings}{buffers}}}]}}"#)).to_string()
    };
    let names = r#""strings":{"buffer_records":[{"kind":"HIP","operations":["hipMalloc","hipLaunchKernel"]}]},"#;
    let told = "x: 2 launches were made, the device side was not recorded: the usual causes";
    assert!(calls(names).starts_with(told), "{}", calls(names));
    assert!(calls("").contains("(2 calls of HIP, which the file does not name, 0 copies)"));
    let cut = of(r#"{"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[{"#);
    assert!(matches!(cut, TraceError::BreaksOff { byte: 63, .. }), "{cut}");
    let broken = of(r#"{"rocprofiler-sdk-tool":[{"agents" 7}]}"#);
    assert!(matches!(broken, TraceError::NotJson { byte: 35, .. }), "{broken}");
    let useless =
        of(r#"{"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[{},{}]}}]}"#);
    assert!(
        useless.to_string().contains("2 kernels but none can be used (2 malformed)"),
        "{useless}"
    );
}
