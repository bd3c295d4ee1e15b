//! Do ops wait by the rule of `link`, read word by word, and are unknown issue times filled in?

use super::waits::{Awaited, DraftWait, Waiter};
use super::*;
use crate::work::DraftWorks;
use proptest::prelude::*;

fn op(stream: u32, start: i64, duration: u64, arrival: Option<i64>) -> Op {
    let mut op = Op::at(OpKind::Kernel, start, duration);
    op.stream = stream;
    if let Some(arrival) = arrival {
        op.set_arrival(arrival, Origin::Measured);
    }
    op
}

fn profile(ops: Vec<Op>, resolution_ns: u64) -> Profile {
    waiting(ops, resolution_ns, Vec::new())
}

fn waiting(ops: Vec<Op>, resolution_ns: u64, waits: Vec<DraftWait>) -> Profile {
    let streams = (0..4).map(|n| StreamLabel { label: n.to_string(), context: None }).collect();
    let report = ImportReport::default();
    let kernels = vec!["k".to_owned()];
    assemble(
        "t".into(),
        ProfileFormat::Kineto,
        Draft {
            ops,
            kernels,
            streams,
            device: None,
            between_ns: None,
            memory_bytes: None,
            resolution_ns,
            waits,
            works: DraftWorks::default(),
            report,
        },
    )
}

fn afters(profile: &Profile) -> Vec<Option<u32>> {
    profile.ops.iter().map(|op| op.after).collect()
}

#[test]
fn a_stream_runs_in_order_and_streams_do_not_wait_for_each_other() {
    let p = profile(vec![op(0, 0, 10, None), op(1, 2, 10, None), op(0, 10, 5, None)], 1);
    assert_eq!(afters(&p), [None, None, Some(0)]);
    assert_eq!(p.span_ns, 15);
}

#[test]
fn an_overlap_within_the_clocks_step_is_no_overlap() {
    let ops = vec![op(0, 0, 1900, None), op(0, 900, 5000, None)];
    let coarse = profile(ops.clone(), 1000);
    assert_eq!(afters(&coarse), [None, Some(0)]);
    assert_eq!(coarse.report.count(Quirk::OverlapInStream), 0);
    let fine = profile(ops, 1);
    assert_eq!(afters(&fine), [None, None]);
    assert_eq!(fine.report.count(Quirk::OverlapInStream), 1);
}

#[test]
fn an_op_that_begins_before_the_end_of_the_one_in_front_follows_it() {
    // By half of the shorter one, and by one more.
    for (overlap, after, own) in [(20, Some(0), 20), (21, None, 40)] {
        let p = profile(vec![op(0, 0, 100, None), op(0, 100 - overlap, 40, None)], 1);
        assert_eq!(afters(&p), [None, after], "{overlap}");
        assert_eq!(p.report.count(Quirk::Handover), u64::from(after.is_some()));
        assert_eq!(p.report.count(Quirk::OverlapInStream), u64::from(after.is_none()));
        assert_eq!((p.own_ns(0), p.own_ns(1), p.own_ns(2)), (100, own, 0));
    }
    // Of two that still run only the one in front is followed.
    let p = profile(vec![op(0, 0, 500, None), op(0, 10, 90, None), op(0, 95, 40, None)], 1);
    assert_eq!(afters(&p), [None, None, Some(1)]);
    assert_eq!(p.report.count(Quirk::OverlapInStream), 2);
}

#[test]
fn an_op_that_outlasts_the_next_is_skipped() {
    let p = profile(vec![op(0, 0, 5, None), op(0, 5, 95, None), op(0, 20, 5, None)], 1);
    assert_eq!(afters(&p), [None, Some(0), Some(0)]);
}

#[test]
fn a_missing_arrival_is_that_of_the_op_before_never_the_start() {
    let ops = vec![op(0, 100, 1, None), op(0, 200, 1, Some(150)), op(0, 300, 1, None)];
    let p = profile(ops, 1);
    let arrivals: Vec<_> = p.ops.iter().map(|op| op.arrival_ns).collect();
    assert_eq!(arrivals, [0, 50, 50]);
    assert_eq!(p.report.count(Quirk::NoLaunchCall), 2);
    assert_eq!(p.ops[2].provenance.of(Field::Arrival), Origin::Assumed);
}

#[test]
fn a_launch_after_the_start_is_cut_to_the_start() {
    let p = profile(vec![op(0, 100, 1, Some(50)), op(0, 200, 1, Some(250))], 1);
    assert_eq!(p.ops[1].arrival_ns, p.ops[1].start_ns);
    assert_eq!(p.report.count(Quirk::ClockSkew), 1);
}

#[test]
fn ties_keep_the_order_of_the_file_and_the_table_the_order_of_use() {
    let p = profile(vec![op(3, 7, 1, None), op(1, 5, 1, None), op(2, 5, 1, None)], 1);
    let labels: Vec<_> = p.streams.iter().map(|s| s.label.as_str()).collect();
    assert_eq!(labels, ["1", "2", "3"]);
    assert_eq!(p.report.count(Quirk::Unsorted), 1);
}

#[test]
fn times_at_the_ends_of_the_clock_do_not_overflow() {
    let p = profile(vec![op(0, i64::MIN, 1, None), op(0, i64::MAX, u64::MAX, None)], 1000);
    assert_eq!(p.span_ns, u64::MAX);
}

proptest! {
    #[test]
    fn linking_agrees_with_the_rule_read_literally(
        ops in prop::collection::vec((0u32..3, 0i64..60, 0u64..20), 0..60),
        resolution in prop_oneof![Just(1u64), Just(8)],
    ) {
        let p = profile(ops.into_iter().map(|(s, t, d)| op(s, t, d, None)).collect(), resolution);
        let mut overlaps = 0;
        for (j, op) in p.ops.iter().enumerate() {
            let earlier = || p.ops[..j].iter().enumerate().filter(|(_, e)| e.stream == op.stream);
            let ended = |e: &Op| e.end_ns() <= op.start_ns + resolution;
            let ended_before = earlier().rfind(|(_, e)| ended(e));
            let overlap = |e: &Op| e.end_ns() - op.start_ns;
            let handed = earlier().next_back().filter(|(_, e)| {
                !ended(e) && overlap(e) <= e.duration_ns / 2 && overlap(e) <= op.duration_ns / 2
            });
            let naive = handed.or(ended_before).map(|(i, _)| i as u32);
            prop_assert_eq!(op.after, naive);
            overlaps += earlier().filter(|(_, e)| !ended(e)).count() as u64;
            overlaps -= u64::from(handed.is_some());
        }
        prop_assert_eq!(p.report.count(Quirk::OverlapInStream), overlaps);
    }
}

/// Builds a kernel's op that the host issued at `arrival`, with its start and its duration; times
/// are nanoseconds.
fn issued(stream: u32, arrival: i64, start: i64, lasts: u64) -> Op {
    let mut op = Op::at(OpKind::Kernel, start, lasts);
    op.stream = stream;
    op.set_arrival(arrival, Origin::Joined);
    op
}

#[test]
fn waits_name_the_last_op_of_each_stream_that_was_issued() {
    // Streams 3 and 1 of the draft, in order of first use 0 and 1.
    let ops = vec![
        issued(3, 100, 110, 50),
        issued(1, 105, 120, 100),
        issued(3, 120, 160, 50),
        issued(3, 300, 310, 10),
    ];
    let wait = |begin, end, awaits| DraftWait { begin, end, waiter: Waiter::Host, awaits };
    let resolved = |waits: &[DraftWait]| -> Vec<(u64, u64, Option<Vec<u32>>)> {
        let found = waiting(ops.clone(), 1, waits.to_vec()).host_waits;
        found.into_iter().map(|wait| (wait.begin_ns, wait.end_ns, wait.ops)).collect()
    };
    // Of the stream, of the stream up to a record, of all.
    let stream = Awaited::Stream(3, 130);
    assert_eq!(resolved(&[wait(130, 215, stream)]), [(30, 115, Some(vec![2]))]);
    let record = Awaited::Stream(3, 110);
    assert_eq!(resolved(&[wait(130, 165, record)]), [(30, 65, Some(vec![0]))]);
    assert_eq!(resolved(&[wait(130, 225, Awaited::Device)]), [(30, 125, Some(vec![1, 2]))]);
    // Ops that an earlier wait for all streams has named are not named again.
    let again = [wait(130, 225, Awaited::Device), wait(310, 325, Awaited::Device)];
    let wanted = [(30, 125, Some(vec![1, 2])), (210, 225, Some(vec![3]))];
    assert_eq!(resolved(&again), wanted);
    // The stream of the last op issued, if it had run out when the call returned; else unknown.
    assert_eq!(resolved(&[wait(130, 212, Awaited::Last)]), [(30, 112, Some(vec![2]))]);
    assert_eq!(resolved(&[wait(130, 200, Awaited::Last)]), [(30, 100, None)]);
    assert_eq!(resolved(&[wait(130, 200, Awaited::Unknown)]), [(30, 100, None)]);
    // For nothing: before anything was issued, or of a stream without ops.
    assert_eq!(resolved(&[wait(90, 99, Awaited::Unknown), wait(90, 99, Awaited::Device)]), []);
    assert_eq!(resolved(&[wait(130, 200, Awaited::Stream(0, 130))]), []);
}

#[test]
fn the_share_of_known_waits_is_that_of_their_time() {
    let wait = |begin, end, awaits| DraftWait { begin, end, waiter: Waiter::Host, awaits };
    let ops = vec![issued(0, 100, 110, 50)];
    let known = |waits: &[DraftWait]| waiting(ops.clone(), 1, waits.to_vec()).known_waits();
    assert_eq!(known(&[]), None);
    let waits = [wait(120, 150, Awaited::Device), wait(160, 170, Awaited::Unknown)];
    assert_eq!(known(&waits), Some(0.75));
}

#[test]
fn streams_wait_for_what_the_file_says_or_for_what_ended_last() {
    let ops = vec![
        issued(0, 0, 10, 90),   // 0: ends at 100
        issued(1, 5, 20, 30),   // 1: ends at 50
        issued(2, 30, 100, 10), // 2: issued after both
        issued(1, 50, 105, 50), // 3: issued later
        issued(2, 60, 300, 10), // 4
    ];
    let wait = |begin, waiter, awaits| DraftWait {
        begin,
        end: begin,
        waiter: Waiter::Stream(waiter),
        awaits,
    };
    let resolved = |waits: &[DraftWait]| -> Vec<(u32, u32, bool)> {
        let found = waiting(ops.clone(), 1, waits.to_vec());
        assert!(found.host_waits.is_empty());
        found.stream_waits.into_iter().map(|it| (it.op, it.source, it.inferred)).collect()
    };
    // For the stream that was named, up to the record; of the others what ended last.
    assert_eq!(resolved(&[wait(20, 2, Awaited::Stream(1, 15))]), [(2, 1, false)]);
    assert_eq!(resolved(&[wait(20, 2, Awaited::Unknown)]), [(2, 0, true)]);
    assert_eq!(resolved(&[wait(55, 2, Awaited::Unknown)]), [(4, 3, true)]);
    // Ops that were issued after the call are nothing that it can wait for.
    assert_eq!(resolved(&[wait(40, 2, Awaited::Unknown)]), [(4, 0, true)]);
    // Said twice it counts once, by the file.
    let twice = [wait(20, 2, Awaited::Unknown), wait(21, 2, Awaited::Stream(0, 15))];
    assert_eq!(resolved(&twice), [(2, 0, false)]);
    // Not for what still ran, for the own stream, for a stream without ops, or before nothing.
    assert_eq!(resolved(&[wait(4, 1, Awaited::Stream(0, 4))]), []);
    assert_eq!(resolved(&[wait(20, 2, Awaited::Stream(2, 20))]), []);
    assert_eq!(resolved(&[wait(20, 3, Awaited::Unknown), wait(20, 2, Awaited::Stream(3, 9))]), []);
    assert_eq!(resolved(&[wait(70, 2, Awaited::Unknown)]), []);
}
