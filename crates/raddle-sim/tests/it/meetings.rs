//! Do communication kernels end together, of the ranks that take part?

use raddle_policy::{Preemption, Ticks};
use raddle_sim::{
    Contention, Meeting, NeighbourClass, Outcome, PlanConfig, ProcessPlan, Repetition, Task,
    Workload, meet, plan,
};
use raddle_trace::{CommRule, ImportConfig, Profile, read};

use crate::kit::{at_level, end, idempotent, in_order, kernel, preempting, run_default, try_run};

/// Returns a rank of a job, whose first task ends together with the first tasks of the other ranks.
fn rank(tasks: Vec<Task>) -> ProcessPlan {
    let meetings = vec![Meeting { task: 0, number: 7 }];
    ProcessPlan { meetings, ..ProcessPlan::new("rank", in_order(tasks)) }
}

fn ends(processes: Vec<ProcessPlan>, repeat: bool) -> Vec<u64> {
    let outcome = run_default(&Workload { processes, repeat }, 1);
    assert!(outcome.stuck.is_empty());
    let first = outcome.records.iter().filter(|record| record.iteration == 0);
    first.map(|record| record.ended.expect("it ended").0).collect()
}

#[test]
fn all_end_when_the_last_has_come_and_each_has_done_its_work() {
    let early = || rank(vec![kernel(0, 2, 1, 10), kernel(0, 2, 1, 5)]);
    assert_eq!(ends(vec![early(), rank(vec![kernel(50, 2, 1, 10)])], false), [60, 65, 60]);
    // The work of the first rank is the longest.
    assert_eq!(
        ends(vec![rank(vec![kernel(0, 2, 1, 90)]), rank(vec![kernel(50, 2, 1, 10)])], false),
        [90, 90]
    );
    // Seven slots are left for sixteen workgroups: those that do not fit now go on behind their
    // peers.
    let wide = rank(vec![kernel(5, 16, 1, 10)]);
    assert_eq!(ends(vec![rank(vec![kernel(0, 1, 1, 10)]), wide], false), [15, 35]);
    assert_eq!(ends(vec![early()], false), [10, 15], "alone it has no peer");
}

/// Checks that peers end together however much neighbours slow them: beside communication these
/// kernels take twice as long, beside compute four times.
#[test]
fn peers_end_together_however_long_neighbours_make_it() {
    use NeighbourClass::{Communication, Compute};
    let charged = |plan: ProcessPlan, class, permille| ProcessPlan {
        contention: vec![Contention { class, permille }; plan.tasks.len()],
        ..plan
    };
    let peer =
        |at| charged(rank(vec![kernel(at, 2, 1, 10)]), Communication, [4000, 1000, 2000, 1000]);
    // The second kernel runs beside the first, so its work takes 20; both end when it has done it.
    assert_eq!(ends(vec![peer(0), peer(50)], false), [70, 70]);
    // A kernel that comes beside the two is slowed down by them, and no longer moves their end.
    let beside = ProcessPlan::new("beside", vec![kernel(55, 2, 1, 10)]);
    let beside = charged(beside, Compute, [1000, 1000, 3000, 1000]);
    // The kernel has done a third of its 15 ticks at 70, and the rest after that.
    assert_eq!(ends(vec![peer(0), peer(50), beside], false), [70, 70, 75]);
}

#[test]
fn nobody_waits_for_who_cannot_come() {
    let never = rank(vec![kernel(0, 1, 99, 10)]);
    let outcome = run_default(
        &Workload { processes: vec![rank(vec![kernel(0, 2, 1, 10)]), never], repeat: false },
        1,
    );
    assert_eq!((end(&outcome, 0), outcome.refused.len()), (10, 1));
    // The shorter profile repeats; its repetition has no peer and runs as if alone.
    let short = ProcessPlan { span: Ticks(100), ..rank(vec![kernel(0, 2, 1, 10)]) };
    let long =
        ProcessPlan { span: Ticks(500), ..rank(vec![kernel(50, 2, 1, 10), kernel(400, 2, 1, 9)]) };
    let outcome = run_default(&Workload { processes: vec![short, long], repeat: true }, 1);
    assert!(outcome.stuck.is_empty() && outcome.records.len() > 3);
    // Requests of both ranks meet one by one.
    let at = |times: &[u64]| {
        let repetition = Repetition::At(times.iter().copied().map(Ticks).collect());
        ProcessPlan { repetition, ..rank(vec![kernel(0, 2, 1, 10)]) }
    };
    let outcome =
        run_default(&Workload { processes: vec![at(&[0, 100]), at(&[30, 140])], repeat: false }, 1);
    let mut ends: Vec<u64> = (0..4).map(|launch| end(&outcome, launch)).collect();
    ends.sort_unstable();
    assert_eq!(ends, [40, 40, 150, 150]);
}

/// Runs a rank that waits from 0 on, an urgent process that comes at 500, and the other rank at
/// 3000, where work is taken off by `how`.
fn preempted(how: Preemption) -> Outcome {
    let waiting = ProcessPlan::new("low", at_level(5, vec![idempotent(kernel(0, 4, 1, 1000))]));
    let late = ProcessPlan::new("late", at_level(5, vec![kernel(3000, 4, 1, 1000)]));
    let urgent = ProcessPlan::new("urgent", at_level(0, vec![kernel(500, 8, 1, 100)]));
    let meetings = vec![Meeting { task: 0, number: 0 }];
    let waiting = ProcessPlan { meetings: meetings.clone(), ..waiting };
    let processes = vec![waiting, ProcessPlan { meetings, ..late }, urgent];
    let dispatcher = preempting(1, Some(how)).build().expect("it builds");
    try_run(&Workload { processes, repeat: false }, 1, dispatcher).expect("a lawful dispatcher")
}

#[test]
fn who_waits_for_a_peer_can_be_taken_off() {
    // Four slots are free for the urgent eight workgroups; more where the waiting ones were killed,
    // after 7.
    for (how, urgent) in
        [(Preemption::Switch, 700), (Preemption::Reset, 607), (Preemption::Drain, 700)]
    {
        let outcome = preempted(how);
        let ends = [2, 0, 1].map(|launch| end(&outcome, launch));
        assert_eq!(ends, [urgent, 4000, 4000], "{how:?}");
        assert_eq!(outcome.counters.taken_off, 1, "{how:?}");
    }
}

#[test]
fn ranks_that_do_not_fit_beside_each_other_wait_for_ever_and_are_told() {
    let processes = vec![rank(vec![kernel(0, 8, 1, 10)]), rank(vec![kernel(5, 8, 1, 10)])];
    let outcome = run_default(&Workload { processes, repeat: false }, 1);
    assert_eq!((outcome.stuck.len(), outcome.records[1].ended), (2, None));
}

#[test]
fn peers_that_come_while_one_is_saved_end_without_it() {
    let low = ProcessPlan::new("low", at_level(5, vec![kernel(0, 8, 1, 1000)]));
    let urgent = ProcessPlan::new("urgent", at_level(0, vec![kernel(500, 8, 1, 1000)]));
    let meetings = vec![Meeting { task: 0, number: 0 }];
    let low = ProcessPlan { meetings: meetings.clone(), ..low };
    let processes = vec![low, ProcessPlan { meetings, ..urgent }];
    let dispatcher = preempting(1, Some(Preemption::Switch)).build().expect("it builds");
    let outcome = try_run(&Workload { processes, repeat: false }, 1, dispatcher).expect("lawful");
    // The rank is saved from 500 to 1300; the work of both would be done 1000 later, at 2300; the
    // rank is back at 3100.
    assert_eq!((end(&outcome, 1), end(&outcome, 0)), (2300, 4100));
}

fn profile(rows: &[(&str, u64)]) -> Profile {
    let mut text =
        "# device = v100\nname,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n"
            .to_owned();
    for (name, start) in rows {
        text += &format!("{name},1,1,1,64,1,1,{start},10\n");
    }
    let mut profile = read("rank.csv", text.as_bytes(), &ImportConfig::default()).expect("a table");
    CommRule::Peers.apply(&mut profile);
    profile
}

#[test]
fn the_same_place_among_those_of_a_name_is_the_same_meeting() {
    let (sum, gather) = ("ncclDevKernel_AllReduce_Sum", "ncclDevKernel_AllGather");
    let profiles = [
        profile(&[(sum, 0), ("gemm", 20), (gather, 40), (sum, 60)]),
        profile(&[(gather, 0), (sum, 20), (sum, 40), (sum, 60)]),
    ];
    let own = raddle_device::find("v100").expect("in the table");
    let mut plans = profiles
        .each_ref()
        .map(|profile| plan(profile, &PlanConfig::new(&own, &own), |_| raddle_policy::Level(0)));
    let [a, b] = &mut plans;
    assert_eq!(meet(&mut [(&profiles[0], a), (&profiles[1], b)], 3), 7);
    let met = |plan: &ProcessPlan| -> Vec<(u32, u32)> {
        plan.meetings.iter().map(|meeting| (meeting.task, meeting.number)).collect()
    };
    assert_eq!(met(a), [(0, 3), (2, 4), (3, 5)]);
    assert_eq!(met(b), [(0, 4), (1, 3), (2, 5), (3, 6)], "of the last one there is no other");
}
