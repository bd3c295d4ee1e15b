//! Is each quirk of the PyTorch profiler's traces read as it should be?

use crate::common::{fixture, import, lines, names, quirks};
use raddle_policy::{Barrier, Level};
use raddle_trace::{
    BarrierRule, Field, ImportConfig, OpKind, Origin, ProfileFormat, Ranks, TraceError, open, read,
};

#[test]
fn a_bare_array_of_2020_with_its_old_categories() {
    let p = import("bare-array-2020.json");
    assert_eq!(
        lines(&p),
        [
            "add @7 4x2x1=8 64t 20r 512B assumed; 0j 25000 12000 after -",
            "Memset (Device) @7 0x0x0=0 0t 0r 0B no; 0a 45000 1000 after 0",
        ]
    );
    assert_eq!((p.format, p.resolution_ns, p.span_ns), (ProfileFormat::Kineto, 1000, 46_000));
    assert_eq!((p.report.events, p.report.kernels, p.report.sets), (7, 1, 1));
    assert_eq!(quirks(&p), [("no-device", 1), ("no-launch-call", 1)]);
}

#[test]
fn streams_and_numbers_may_be_strings() {
    let p = import("string-tids.json");
    assert_eq!(
        lines(&p),
        [
            "a @13 1x1x1=1 32t 20r 0B no; 0a 0 5000 after -",
            "b @7 1x2x3=6 32t 20r 0B no; 0a 10000 5000 after -",
        ]
    );
}

#[test]
fn integer_microseconds_overlap_by_rounding_and_lose_short_kernels() {
    let p = import("integer-microseconds.json");
    assert_eq!(
        lines(&p),
        [
            "a @7 2x1x1=2 64t 32r 0B no; 0j 20000 5000 after -",
            "b @7 2x1x1=2 64t 32r 0B no; 2000j 24000 500 after 0",
            "c @7 2x1x1=2 64t 32r 0B no; 4000j 24000 7000 after 1",
        ]
    );
    assert_eq!(p.resolution_ns, 1000);
    assert_eq!(quirks(&p), [("zero-duration", 1)]);
}

#[test]
fn nineteen_digits_are_exact() {
    let p = import("nineteen-digits.json");
    assert_eq!(
        lines(&p),
        [
            "a @7 2x1x1=2 64t 32r 0B no; 0j 89046 2951 after -",
            "b @7 2x1x1=2 64t 32r 0B no; 0a 91997 1000 after 0",
        ]
    );
    assert_eq!(p.resolution_ns, 1);
}

#[test]
fn device_properties_may_come_last_and_metadata_is_passed_over() {
    let p = import("relative-late-device.json");
    assert_eq!(lines(&p), ["a @7 2x1x1=2 64t 32r 1024B assumed; 0j 10250 1250 after -"]);
    let device = p.device.expect("it is in the file");
    assert_eq!((device.name.as_str(), device.sms), ("Test GPU", Some(40)));
    assert_eq!((device.compute_major, device.compute_minor), (Some(7), Some(5)));
    assert_eq!((device.registers_per_sm, device.threads_per_sm), (Some(65536), Some(1024)));
    assert_eq!((device.shared_bytes_per_sm, device.wave_size), (Some(65536), Some(32)));
}

#[test]
fn kernels_of_a_graph_share_the_arrival_of_its_launch() {
    let p = import("graph.json");
    let arrivals: Vec<_> = p.ops.iter().map(|op| op.arrival_ns).collect();
    assert_eq!(arrivals, [0, 0, 0, 0]);
    assert_eq!(quirks(&p), [("no-launch-call", 1), ("graph-launch", 3)]);
    assert_eq!(p.ops[2].kind, OpKind::Copy);
    assert_eq!(p.ops[3].after, Some(2));
}

#[test]
fn the_device_with_most_kernels_is_kept_or_the_one_asked_for() {
    let p = import("two-devices.json");
    assert_eq!(names(&p), ["here", "here"]);
    assert_eq!(p.report.met("other-device"), 2);
    assert_eq!(p.kernels, ["here"]);
    let options = ImportConfig { device: Some(0), ..Default::default() };
    let other = open(&fixture("two-devices.json"), &options).unwrap();
    assert_eq!(names(&other), ["there", "Memcpy DtoD (Device -> Device)"]);
    let options = ImportConfig { device: Some(3), ..Default::default() };
    let error = open(&fixture("two-devices.json"), &options).unwrap_err();
    assert!(matches!(error, TraceError::NoSuchDevice { wanted: 3, ref seen, .. }
        if seen == "device 0, device 1"));
}

#[test]
fn a_device_without_properties_takes_the_first_and_says_so() {
    let p = import("device-not-listed.json");
    assert_eq!(quirks(&p), [("device-not-listed", 1), ("no-launch-call", 1)]);
    assert!(p.device.is_some());
}

#[test]
fn shapes_that_are_empty_missing_or_too_large() {
    let p = import("shapes.json");
    assert_eq!(
        lines(&p),
        [
            "zero-grid @7 0x1x1=0 64t 32r 0B no; 0a 0 1000 after -",
            "zero-block @7 2x1x1=0 0t 32r 0B no; 0a 10000 1000 after 0",
            "no-grid @7 opaque 0t 0r 0B assumed; 0a 20000 1000 after 1",
            "words @7 opaque 0t 0r 0B assumed; 0a 30000 1000 after 2",
            "huge @7 opaque 0t 0r 0B assumed; 0a 40000 1000 after 3",
            "wide @7 opaque 0t 0r 0B assumed; 0a 50000 1000 after 4",
            "beyond-u32 @7 opaque 0t 0r 0B assumed; 0a 60000 1000 after 5",
            "seven @7 2x1x1=2 49t 32r 0B no; 0a 70000 1000 after 6",
            "no-registers @7 2x1x1=2 64t 0r 0B no; 0a 80000 1000 after 7",
            "zero-registers @7 2x1x1=2 64t 0r 0B no; 0a 90000 1000 after 8",
            "no-shared @7 2x1x1=2 64t 32r 0B assumed; 0a 100000 1000 after 9",
        ]
    );
    assert_eq!(
        quirks(&p),
        [
            ("no-shape", 5),
            ("empty-shape", 2),
            ("impossible-threads", 1),
            ("impossible-grid", 2),
            ("no-launch-call", 11),
            ("no-registers", 2),
            ("no-shared-memory", 1),
        ]
    );
    let assumed = |field: &Field| p.ops[10].provenance.of(*field) == Origin::Assumed;
    let wanted = [Field::Arrival, Field::SharedMemory, Field::Barrier, Field::Activity];
    assert_eq!(Field::ALL.into_iter().filter(assumed).collect::<Vec<_>>(), wanted);
}

#[test]
fn annotations_on_the_gpus_lane_are_no_work() {
    let p = import("annotation.json");
    assert_eq!(names(&p), ["a", "b"]);
    assert_eq!(p.ops[1].after, Some(0));
    assert_eq!(quirks(&p), [("no-launch-call", 2), ("gpu-annotation", 1)]);
}

#[test]
fn names_may_hold_quotes_commas_braces_and_escapes() {
    let p = import("odd-names.json");
    let wanted =
        ["say \"hi\", {x} [y] \\ back/slash\té", "f<{lambda()#1}>(int, \"cat\":\"cpu_op\")", "\""];
    assert_eq!(names(&p), wanted);
}

#[test]
fn a_bare_quote_in_a_name_costs_that_event_alone() {
    let p = import("bare-quote.json");
    assert_eq!(names(&p), ["before", "behind", "last"]);
    assert_eq!(p.report.met("malformed"), 1);
    // Without line ends to stop at, and without a string that mends the nesting, the broken event
    // runs on to the end of the file.
    let text = std::fs::read_to_string(fixture("bare-quote.json")).unwrap();
    let text = text.replace(r#"a\"{"#, "a").replace('\n', " ");
    let p = read("x", text.as_bytes(), &ImportConfig::default()).unwrap();
    assert_eq!(names(&p), ["before", "behind", "last"]);
    assert_eq!(p.report.met("lost-events"), 1);
    assert_eq!(p.report.met("truncated"), 0);
}

#[test]
fn a_launch_after_the_start_or_repeated_is_counted() {
    let p = import("clock-skew.json");
    assert_eq!(
        lines(&p),
        [
            "early @7 2x1x1=2 64t 32r 0B no; 30000j 30000 5000 after -",
            "late @7 2x1x1=2 64t 32r 0B no; 0j 50000 5000 after 0",
        ]
    );
    assert_eq!(quirks(&p), [("clock-skew", 1), ("repeated-correlation", 1)]);
}

#[test]
fn malformed_events_are_left_out_and_counted() {
    let p = import("malformed.json");
    assert_eq!(names(&p), ["good", "exponent", "deep"]);
    assert_eq!(p.report.met("malformed"), 6);
}

#[test]
fn a_category_behind_its_arguments_is_found() {
    let p = import("sorted-keys.json");
    assert_eq!(names(&p), ["a"]);
}

#[test]
fn priorities_of_2026_become_ranks() {
    let p = import("priorities-2026.json");
    let ranks = Ranks::of(&p);
    let levels: Vec<_> = p.ops.iter().map(|op| ranks.level(op)).collect();
    assert_eq!(levels, [Some(Level(0)), Some(Level(1)), Some(Level(1))]);
    let without = import("graph.json");
    assert_eq!(Ranks::of(&without).level(&without.ops[0]), None);
}

#[test]
fn ops_are_sorted_by_start_and_ties_keep_their_order() {
    let p = import("unsorted.json");
    assert_eq!(names(&p), ["first", "second", "tie", "third"]);
    assert_eq!(p.report.met("unsorted"), 1);
    assert_eq!(p.ops[3].after, Some(0));
    assert_eq!(p.ops[2].after, None);
}

#[test]
fn a_truncated_file_yields_its_whole_events() {
    let p = import("truncated.json");
    assert_eq!(names(&p), ["a", "b"]);
    assert_eq!(p.report.met("truncated"), 1);
    assert_eq!(p.report.met("lost-events"), 1);
    let comma = import("truncated-after-comma.json");
    assert_eq!(names(&comma), ["a", "b"]);
    assert_eq!(comma.report.met("lost-events"), 1);
}

#[test]
fn a_truncated_gzip_file_yields_its_whole_events() {
    let p = import("truncated.json.gz");
    assert_eq!(p.name, "truncated");
    assert!((10..60).contains(&p.ops.len()), "{}", p.ops.len());
    assert_eq!(names(&p)[9], "kernel_9");
    assert_eq!(p.report.met("truncated"), 1);
    assert_eq!(p.report.met("lost-events"), 1);
}

#[test]
fn a_checksum_that_does_not_fit_is_reported() {
    let mut bytes = std::fs::read(fixture("two-members.json")).unwrap();
    let checksum = bytes.len() - 8;
    bytes[checksum] ^= 1;
    let p = read("x", bytes.as_slice(), &ImportConfig::default()).unwrap();
    assert_eq!(names(&p), ["a", "b", "c"]);
    assert_eq!(p.report.met("damaged"), 1);
    assert_eq!(import("two-members.json").report.met("damaged"), 0);
}

#[test]
fn json_that_breaks_behind_its_kernels_is_reported() {
    let text = std::fs::read_to_string(fixture("plain.json.gz")).unwrap();
    let broken = text.trim_end().replace("\n]}", "\n] oops");
    let p = read("x", broken.as_bytes(), &ImportConfig::default()).unwrap();
    assert_eq!(names(&p), ["a", "b", "c"]);
    assert_eq!(p.report.met("damaged"), 1);
}

#[test]
fn names_that_are_not_utf8_are_mended_and_counted() {
    let mut bytes = std::fs::read(fixture("plain.json.gz")).unwrap();
    let name = bytes.windows(3).position(|w| w == b"\"b\"").unwrap();
    bytes[name + 1] = 0xff;
    let p = read("x", bytes.as_slice(), &ImportConfig::default()).unwrap();
    assert_eq!(names(&p), ["a", "\u{fffd}", "c"]);
    assert_eq!(p.report.met("not-utf8"), 1);
}

#[test]
fn content_tells_gzip_not_the_name() {
    assert_eq!(names(&import("two-members.json")), ["a", "b", "c"]);
    assert_eq!(names(&import("plain.json.gz")), ["a", "b", "c"]);
}

#[test]
fn the_barrier_rule_can_be_set() {
    let barrier = |barriers| {
        let options = ImportConfig { barriers, ..Default::default() };
        let p = open(&fixture("relative-late-device.json"), &options).unwrap();
        p.ops[0].footprint.barrier
    };
    assert_eq!(barrier(BarrierRule::Assume), Barrier::Assumed);
    assert_eq!(barrier(BarrierRule::Yes), Barrier::Yes);
    assert_eq!(barrier(BarrierRule::No), Barrier::No);
}

#[test]
fn a_window_starts_at_time_0_and_forgets_the_rest() {
    let p = import("graph.json").window(1, 2);
    assert_eq!(
        lines(&p),
        [
            "g2 @7 2x1x1=2 64t 32r 0B no; 0j 25000 5000 after -",
            "Memcpy DtoD (Device -> Device) @7 0x0x0=0 0t 0r 0B no; 0j 30000 2000 after 0",
        ]
    );
    assert_eq!(p.kernels, ["g2", "Memcpy DtoD (Device -> Device)"]);
    assert!(p.window(5, 9).ops.is_empty());
}

#[test]
fn the_report_counts_what_was_read_and_met() {
    let report = import("clock-skew.json").report;
    assert_eq!((report.events, report.kernels, report.copies, report.sets), (5, 2, 0, 0));
    let met: Vec<_> = report.quirks().map(|met| (met.name, met.count)).collect();
    assert_eq!(met, [("clock-skew", 1), ("repeated-correlation", 1)]);
}

#[test]
fn calls_that_wait_say_for_which_ops() {
    let work = |name: &str, stream: u32, ts: u32, dur: u32, tie: u32| {
        format!(
            r#"{{"ph":"X","cat":"{name}","name":"k","ts":{ts},"dur":{dur},"args":{{"device":0,
            "context":1,"stream":{stream},"correlation":{tie},"grid":[1,1,1],"block":[32,1,1],
            "registers per thread":8,"shared memory":0}}}}"#
        )
    };
    let call = |name: &str, ts: u32, dur: u32, tie: u32| {
        format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"{name}","ts":{ts},"dur":{dur},
            "args":{{"correlation":{tie}}}}}"#
        )
    };
    let sync = |tie: u32, rest: &str| {
        format!(
            r#"{{"ph":"X","cat":"cuda_sync","name":"s","ts":0,"dur":0,
            "args":{{"context":1,"correlation":{tie},{rest}}}}}"#
        )
    };
    let events = [
        call("cudaLaunchKernel", 0, 1, 1),
        work("kernel", 7, 10, 10, 1),
        call("cudaLaunchKernel", 2, 1, 2),
        work("kernel", 8, 12, 20, 2),
        call("cudaEventRecord", 3, 1, 3),
        call("cudaLaunchKernel", 5, 1, 4),
        work("kernel", 8, 40, 20, 4),
        // For stream 7, of which it says so, and for the record on stream 8.
        call("cudaStreamSynchronize", 8, 14, 5),
        sync(5, r#""stream":7"#),
        call("cudaEventSynchronize", 23, 10, 6),
        sync(6, r#""stream":-1,"wait_on_stream":8,"wait_on_cuda_event_record_corr_id":3"#),
        // For an event that nobody knows, for all, and a query, which never waits.
        call("cudaEventSynchronize", 34, 1, 7),
        call("cudaDeviceSynchronize", 36, 26, 8),
        call("cudaEventQuery", 63, 1, 9),
        // A copy that returned when it was done, and one that did not wait.
        call("cudaMemcpyAsync", 70, 20, 10),
        work("gpu_memcpy", 7, 75, 10, 10),
        call("cudaMemcpyAsync", 91, 2, 11),
        work("gpu_memcpy", 7, 95, 10, 11),
    ];
    let text = format!("[{}]", events.join(","));
    let p = read("t.json", text.as_bytes(), &ImportConfig::default()).expect("a trace");
    let waits: Vec<_> = p
        .host_waits
        .iter()
        .map(|wait| (wait.begin_ns / 1000, wait.end_ns / 1000, wait.ops.clone()))
        .collect();
    assert_eq!(
        waits,
        [
            (8, 22, Some(vec![0])),
            (23, 33, Some(vec![1])),
            (34, 35, None),
            (36, 62, Some(vec![0, 2])),
            (70, 90, Some(vec![3])),
        ]
    );
    assert_eq!(p.known_waits(), Some(70.0 / 71.0));
}

#[test]
fn streams_that_were_told_to_wait_do() {
    let work = |stream: u32, ts: u32, dur: u32, tie: u32| {
        format!(
            r#"{{"ph":"X","cat":"kernel","name":"k","ts":{ts},"dur":{dur},"args":{{"device":0,
            "context":1,"stream":{stream},"correlation":{tie},"grid":[1,1,1],"block":[32,1,1],
            "registers per thread":8,"shared memory":0}}}}"#
        )
    };
    let call = |name: &str, thread: u32, ts: u32, tie: u32| {
        format!(
            r#"{{"ph":"X","cat":"cuda_runtime","name":"{name}","tid":{thread},"ts":{ts},"dur":1,
            "args":{{"correlation":{tie}}}}}"#
        )
    };
    let told = |tie: u32, ts: u32, stream: u32, from: i32, record: i32| {
        format!(
            r#"{{"ph":"X","cat":"cuda_sync","name":"Stream Wait Event","ts":{ts},"dur":1,
            "args":{{"context":1,"stream":{stream},"wait_on_stream":{from},
            "wait_on_cuda_event_record_corr_id":{record},"correlation":{tie}}}}}"#
        )
    };
    let launched = |ts, stream, start, lasts, tie| {
        [call("cudaLaunchKernel", 1, ts, tie), work(stream, start, lasts, tie)].join(",")
    };
    let events = [
        launched(0, 7, 10, 30, 1),
        launched(2, 8, 12, 10, 2),
        call("cudaEventRecord", 1, 4, 3),
        // Stream 9 waits for the record on stream 8, as an event says.
        call("cudaStreamWaitEvent", 1, 5, 4),
        told(4, 5, 9, 8, 3),
        launched(6, 9, 25, 5, 5),
        // No event says for what, nor which stream: the next launch of the same thread does.
        call("cudaStreamWaitEvent", 1, 40, 6),
        call("cudaLaunchKernel", 2, 41, 7),
        work(8, 43, 1, 7),
        launched(42, 9, 50, 5, 8),
        // An event without a record, and a call that nothing follows.
        told(9, 60, 7, -1, -1),
        launched(61, 7, 70, 5, 10),
        call("cudaStreamWaitEvent", 1, 80, 11),
    ];
    let text = format!("[{}]", events.join(","));
    let p = read("t.json", text.as_bytes(), &ImportConfig::default()).expect("a trace");
    let waits: Vec<_> =
        p.stream_waits.iter().map(|wait| (wait.op, wait.source, wait.inferred)).collect();
    // Of stream 9 the second op waits for the first of stream 7, which ended last, at 40; the
    // launch of the other thread came too late. The one of stream 7 waits for that.
    assert_eq!(waits, [(2, 1, false), (4, 0, true), (5, 4, true)]);
    assert!(p.host_waits.is_empty());
    // A part of it keeps none.
    assert!(p.window(0, 6).stream_waits.is_empty());
}
