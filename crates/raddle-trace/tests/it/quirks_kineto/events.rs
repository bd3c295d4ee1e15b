//! Are events read whose threads, times, order or launches are odd?

use raddle_trace::{Field, Origin, Profile};

use super::{V100, call, count, event, kernel, kernel_with, with};
use crate::common::{names, quirks};

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
    assert_eq!(count(&p, "malformed"), 0);
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
    assert_eq!(count(&p, "zero-duration"), 2);
}

#[test]
fn quirk_06_overlaps_in_a_stream_are_no_error() {
    // By rounding: 1 us where the clock's step is 1 us.
    let rounded = with(V100, &[kernel("a", "10", "6"), kernel("b", "15", "5")]);
    assert_eq!((rounded.ops[1].after, count(&rounded, "overlap-in-stream")), (Some(0), 0));
    // By launching dependent kernels early: b begins before a ends, and waits for that.
    let early = with(V100, &[kernel("a", "10.000", "6.000"), kernel("b", "15.000", "5.000")]);
    assert_eq!((early.ops[1].after, count(&early, "handover")), (Some(0), 1));
    assert_eq!((early.own_ns(1), count(&early, "overlap-in-stream")), (4000, 0));
    // By running side by side.
    let beside = with(V100, &[kernel("a", "10.000", "6.000"), kernel("b", "11.000", "6.000")]);
    assert_eq!((beside.ops[1].after, count(&beside, "overlap-in-stream")), (None, 1));
}

#[test]
fn quirk_07_events_out_of_order_are_sorted_and_equal_ones_keep_their_order() {
    let events = [("c", "30"), ("a", "10"), ("b", "10"), ("d", "40")];
    let p = with(V100, &events.map(|(name, ts)| kernel(name, ts, "1")));
    assert_eq!(names(&p), ["a", "b", "c", "d"]);
    assert_eq!(count(&p, "unsorted"), 1);
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
    let claims = |p: &Profile| p.ops.iter().map(|op| op.claimed_percent).collect::<Vec<_>>();
    assert_eq!(claims(&p), [Some(1), None, Some(2), Some(3)]);
    assert_eq!(claims(&p.window(1, 2)), [None, Some(2)]);
}

#[test]
fn quirk_08_a_missing_launch_takes_the_arrival_of_the_op_before() {
    let launched = kernel_with("a", "3000010", "5", r#""correlation":3"#);
    let p = with(V100, &[call("cudaLaunchKernel", "10", 3), launched, kernel("b", "3000020", "5")]);
    // 3 s from launch to start is a cold start, not a fault.
    assert_eq!((p.ops[0].arrival_ns, p.ops[0].start_ns), (0, 3_000_000_000));
    assert_eq!(p.ops[1].arrival_ns, 0);
    assert_eq!(quirks(&p), [("no-launch-call", 1)]);
}

#[test]
fn quirk_08_a_launch_behind_its_kernel_is_cut_to_the_start() {
    let launched = kernel_with("a", "10", "5", r#""correlation":3"#);
    let p = with(V100, &[launched, call("cuLaunchKernelEx", "12", 3)]);
    assert_eq!((p.ops[0].arrival_ns, count(&p, "clock-skew")), (0, 1));
}

#[test]
fn quirk_09_kernels_of_one_graph_share_a_correlation() {
    let part = |name: &str, ts: &str| {
        kernel_with(name, ts, "5", r#""correlation":8,"graph id":4,"graph node id":2"#)
    };
    let p = with(V100, &[call("cudaGraphLaunch", "5", 8), part("a", "10"), part("b", "20")]);
    assert_eq!(p.ops.iter().map(|op| op.arrival_ns).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(quirks(&p), [("graph-launch", 2)]);
}
