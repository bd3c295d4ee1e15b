//! Do the rules for communication kernels do what they say, and nothing else?

use crate::common::{lines, names};
use proptest::prelude::*;
use raddle_trace::{CommRule, Communication, Field, ImportConfig, Origin, Profile, read};

const HEADER: &str = "name,stream,kind,grid_x,grid_y,grid_z,block_x,block_y,block_z,\
    vgprs_per_thread,lds_bytes,arrival_ns,start_ns,duration_ns\n";

/// Builds a profile from rows of (name, stream, grid, arrival, start, duration), times in
/// nanoseconds.
fn profile(rows: &[(&str, u32, u32, u64, u64, u64)]) -> Profile {
    let mut text = HEADER.to_owned();
    for (name, stream, grid, arrival, start, duration) in rows {
        let (kind, shape) = match *name {
            "copy" => ("copy", ",,,,,".to_owned()),
            _ => ("kernel", format!("{grid},1,1,32,1,1")),
        };
        text += &format!("{name},{stream},{kind},{shape},16,0,{arrival},{start},{duration}\n");
    }
    read("p.csv", text.as_bytes(), &ImportConfig::default()).expect("a launch table")
}

fn example() -> Profile {
    profile(&[
        ("gemm", 7, 8, 0, 0, 100),
        ("ncclDevKernel_AllReduce", 9, 4, 10, 50, 900),
        ("gemm", 7, 8, 20, 110, 100),
        ("ncclDevKernel_AllReduce", 7, 4, 30, 220, 80),
        ("ncclDevKernel_AllReduce", 7, 2, 40, 310, 70),
        ("copy", 7, 0, 50, 400, 10),
        ("softmax", 7, 8, 60, 420, 50),
        ("ncclDevKernel_AllReduce", 9, 4, 70, 960, 40),
    ])
}

#[test]
fn kept_they_stay_and_are_counted() {
    let (before, mut after) = (example(), example());
    let found = CommRule::Keep.apply(&mut after);
    assert_eq!(lines(&after), lines(&before));
    assert_eq!(
        found,
        Communication { launches: 4, recorded_ns: 1090, replayed_ns: 1090, kernel_ns: 1340 }
    );
}

#[test]
fn fixed_they_last_as_the_shortest_of_their_kernel_and_grid() {
    let mut p = example();
    let found = CommRule::Fixed.apply(&mut p);
    assert_eq!((found.recorded_ns, found.replayed_ns), (1090, 40 + 40 + 70 + 40));
    let durations: Vec<u64> = p.ops.iter().map(|op| op.duration_ns).collect();
    assert_eq!(durations, [100, 40, 100, 40, 70, 10, 50, 40]);
    let origin = |at: usize| p.ops[at].provenance.of(Field::Duration);
    assert_eq!(
        (origin(1), origin(4), origin(7)),
        (Origin::Joined, Origin::Measured, Origin::Measured)
    );
    // Arrivals, starts and what waits for what are as before; the last end is another.
    let links = |p: &Profile| -> Vec<_> {
        p.ops.iter().map(|op| (op.arrival_ns, op.start_ns, op.after)).collect()
    };
    assert_eq!(links(&p), links(&example()));
    assert_eq!((example().span_ns, p.span_ns), (1000, 1000));
    let mut late = profile(&[
        ("gemm", 1, 1, 0, 0, 10),
        ("rccl_x", 1, 1, 0, 20, 5),
        ("rccl_x", 1, 1, 0, 30, 500),
    ]);
    CommRule::Fixed.apply(&mut late);
    assert_eq!(late.span_ns, 35);
    // Twice is once.
    let once = lines(&p);
    CommRule::Fixed.apply(&mut p);
    assert_eq!(lines(&p), once);
}

#[test]
fn a_duration_that_nobody_measured_fixes_nothing() {
    let mut p = profile(&[
        ("gemm", 1, 1, 0, 0, 10),
        ("nccl", 1, 1, 0, 20, 0),
        ("nccl", 1, 1, 0, 30, 9),
        ("nccl", 1, 2, 0, 40, 0),
    ]);
    assert_eq!(p.ops[1].duration_ns, 1, "half a step, at least 1");
    CommRule::Fixed.apply(&mut p);
    let durations: Vec<u64> = p.ops.iter().map(|op| op.duration_ns).collect();
    assert_eq!(durations, [10, 9, 9, 1]);
}

#[test]
fn dropped_their_places_close_up() {
    let mut p = example();
    let found = CommRule::Drop.apply(&mut p);
    assert_eq!((found.launches, found.recorded_ns, found.replayed_ns), (4, 1090, 0));
    assert_eq!(names(&p), ["gemm", "gemm", "copy", "softmax"]);
    // The copy waited for two kernels in a row that are gone, so it waits for what they waited for.
    let after: Vec<_> = p.ops.iter().map(|op| op.after).collect();
    assert_eq!(after, [None, Some(0), Some(1), Some(2)]);
    assert_eq!((p.kernels.len(), p.streams.len(), p.streams[0].label.as_str()), (3, 1, "7"));
    assert_eq!((p.report.kernels, p.report.copies, p.report.events), (3, 1, 8));
    assert_eq!(p.span_ns, 470);
    assert_eq!(p.ops[3].start_ns, 420, "time 0 stays where it was");
}

#[test]
fn what_waited_for_the_first_waits_for_nothing() {
    let mut p = profile(&[
        ("ncclA", 1, 1, 5, 5, 10),
        ("ncclB", 1, 1, 6, 20, 10),
        ("gemm", 1, 1, 7, 40, 10),
        ("other", 2, 1, 8, 41, 1),
    ]);
    CommRule::Drop.apply(&mut p);
    assert_eq!(names(&p), ["gemm", "other"]);
    assert_eq!(p.ops[0].after, None);
    // Counted from the earliest arrival of the whole profile, 5.
    assert_eq!((p.ops[0].arrival_ns, p.ops[0].start_ns, p.span_ns), (2, 35, 45));
}

#[test]
fn a_profile_of_nothing_else_has_nothing_left() {
    let mut p = profile(&[("ncclA", 1, 1, 0, 0, 10)]);
    CommRule::Drop.apply(&mut p);
    assert_eq!((p.ops.len(), p.kernels.len(), p.streams.len(), p.report.kernels), (0, 0, 0, 0));
    assert_eq!(p.span_ns, 0);
}

#[test]
fn a_copy_is_no_kernel_whatever_it_is_called() {
    let text =
        format!("{HEADER}ncclCopy,1,copy,,,,,,,,,0,0,10\ngemm,1,kernel,1,1,1,32,1,1,16,0,0,10,5\n");
    let mut p = read("p.csv", text.as_bytes(), &ImportConfig::default()).unwrap();
    let found = CommRule::Drop.apply(&mut p);
    assert_eq!((found.launches, found.kernel_ns, p.ops.len()), (0, 5, 2));
}

proptest! {
    /// Compares the links between ops, after communication kernels are left out, with a search from
    /// the end of each link to the first op that is kept.
    #[test]
    fn links_lead_to_the_next_kept_op(
        rows in prop::collection::vec((any::<bool>(), 0u32..3, 1u64..20, 1u64..40), 1..30),
    ) {
        let mut at = 0;
        let rows: Vec<_> = rows
            .into_iter()
            .map(|(comm, stream, gap, duration)| {
                at += gap;
                (if comm { "nccl_x" } else { "gemm" }, stream, 1, at, at, duration)
            })
            .collect();
        let before = profile(&rows);
        let mut after = before.clone();
        CommRule::Drop.apply(&mut after);
        let is_kept = |at: usize| before.kernels[before.ops[at].kernel as usize] == "gemm";
        let kept: Vec<usize> = (0..before.ops.len()).filter(|&at| is_kept(at)).collect();
        prop_assert_eq!(kept.len(), after.ops.len());
        for (new, &old) in kept.iter().enumerate() {
            let mut link = before.ops[old].after;
            while let Some(at) = link && !is_kept(at as usize) {
                link = before.ops[at as usize].after;
            }
            let expected = link.map(|at| kept.iter().position(|&k| k == at as usize).unwrap() as u32);
            prop_assert_eq!(after.ops[new].after, expected);
            prop_assert_eq!(after.ops[new].start_ns, before.ops[old].start_ns);
            let label = |p: &Profile, at: usize| p.streams[p.ops[at].stream as usize].clone();
            prop_assert_eq!(label(&after, new), label(&before, old));
        }
    }
}

#[test]
fn dropped_they_take_their_claims_of_occupancy_along() {
    let event = |name: &str, start: u32, percent: u32| {
        format!(
            "{{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"{name}\",\"ts\":{start},\"dur\":5,\"args\":{{\"device\":0,\
             \"stream\":7,\"grid\":[1,1,1],\"block\":[32,1,1],\"est. achieved occupancy %\":{percent}}}}}"
        )
    };
    let events = [event("gemm", 1, 10), event("ncclKernel", 10, 20), event("gemm", 20, 30)];
    let text = format!("{{\"traceEvents\":[{}]}}", events.join(","));
    let mut profile = read("p.json", text.as_bytes(), &ImportConfig::default()).expect("a trace");
    CommRule::Drop.apply(&mut profile);
    let claims: Vec<_> = profile.ops.iter().map(|op| op.claimed_percent).collect();
    assert_eq!(claims, [Some(10), Some(30)]);
}
