//! Do processes get the time that a turn policy gives them, and what do turns cost?
//!
//! One compute unit of 8 slots; a workgroup has 100 bytes of context, and 1000 move in a
//! microsecond: a full device is saved or restored in 800 ns.

use std::sync::{Arc, Mutex};

use raddle_dispatch::Composed;
use raddle_policy::{Preemption, ProcessId, ProcessState, Tick, Ticks, Turn};
use raddle_sim::{Fairness, Outcome, ProcessPlan, Workload};
use raddle_timeslice::{
    Shares, SliceRule, UnmapAll, UnmapAllConfig, Vruntime, VruntimeConfig, WeightedSlices,
    WeightedSlicesConfig,
};

use crate::kit::{Always, SHAPE, in_order, kernel, preempting, try_run};

/// Returns a process of launches that fill the device, one after the other, each with 100
/// workgroups of 10 us in rounds of 8.
fn endless(launches: u32) -> ProcessPlan {
    let tasks = (0..launches).map(|_| kernel(0, 100, 1, 10_000)).collect();
    ProcessPlan::new("endless", in_order(tasks))
}

fn workload(processes: Vec<ProcessPlan>) -> Workload {
    Workload { processes, repeat: false }
}

fn config(rule: SliceRule, t0_us: u64) -> WeightedSlicesConfig {
    WeightedSlicesConfig::new(rule).with_t0_us(t0_us).with_shares(Shares::Time)
}

fn run(
    processes: Vec<ProcessPlan>,
    config: WeightedSlicesConfig,
    how: Option<Preemption>,
) -> (Workload, Outcome) {
    let workload = workload(processes);
    let turn = WeightedSlices::new(config).expect("valid");
    let dispatcher = preempting(1, how).turn("weighted-slices", turn).build().expect("it builds");
    let outcome = try_run(&workload, 1, dispatcher).expect("a lawful dispatcher");
    (workload, outcome)
}

fn run_times(outcome: &Outcome) -> Vec<u64> {
    outcome.times.processes.iter().map(|time| time.run_ns).collect()
}

#[test]
fn run_times_are_busy_time_where_one_has_the_device() {
    for how in [Some(Preemption::Switch), Some(Preemption::Drain)] {
        let (_, outcome) = run(vec![endless(40), endless(40)], config(SliceRule::MinOne, 100), how);
        let run = run_times(&outcome);
        let together = run.iter().sum::<u64>() - outcome.times.busy_ns;
        assert_eq!(together, 0, "nothing of the other fits beside it: {run:?}");
        assert!(outcome.stuck.is_empty());
    }
}

#[test]
fn shares_3_and_1_get_three_quarters_of_the_time() {
    // The process of share 3 has three times the work, so that both are runnable to the end.
    let three = ProcessPlan { share: 3, ..endless(1200) };
    for how in [Some(Preemption::Switch), Some(Preemption::Drain)] {
        let (workload, outcome) =
            run(vec![three.clone(), endless(400)], config(SliceRule::MinOne, 500), how);
        let fairness = Fairness::new(&workload, &outcome).expect("two");
        assert!((fairness.processes[0].share - 0.75).abs() <= 0.015, "{how:?} {fairness:?}");
    }
}

/// The turns that a policy gave: (tick at which the turn began, id of the process).
type Turns = Arc<Mutex<Vec<(u64, u16)>>>;

/// A turn policy that passes on the answers of `WeightedSlices` and notes the turns.
struct Logged(WeightedSlices, Turns);

impl Turn for Logged {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let until = self.0.turn(processes, now, may_issue);
        let mut log = self.1.lock().expect("nobody panics");
        if let Some(&ProcessId(id)) = may_issue.first()
            && log.last().is_none_or(|&(_, last)| last != id)
        {
            log.push((now.0, id));
        }
        until
    }
}

/// Returns the longest wait of a process in ns, by the noted turns alone: workgroups last 10 us and
/// begin when the turn does and the one before has drained, so the device changes hands at whole 10
/// us.
fn longest_wait_by_log(turns: &[(u64, u16)], processes: usize) -> u64 {
    let mut left_at = vec![0; processes];
    let mut longest = 0;
    for (at, &(from, id)) in turns.iter().enumerate() {
        let begins = from.next_multiple_of(10_000);
        longest = longest.max(begins - left_at[usize::from(id)]);
        let ends = turns.get(at + 1).map_or(begins, |&(next, _)| next.next_multiple_of(10_000));
        left_at[usize::from(id)] = ends;
    }
    longest
}

/// Returns a number below a million with a comma before its last three digits: 1005 as 1,005.
fn grouped(number: u64) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{thousands},{:03}", number % 1000),
    }
}

#[test]
fn with_less_capacity_the_wait_is_measured_and_reported() {
    // Five processes are runnable to the end; their launches fill the device to the last slot.
    let process = || {
        let tasks = (0..200).map(|_| kernel(0, 96, 1, 10_000)).collect();
        ProcessPlan::new("endless", in_order(tasks))
    };
    let mut table = String::from("rule     capacity  turns  longest wait us\n");
    let mut page =
        String::from("| rule | capacity 1 | 2 | 4 | 5 (all fit) |\n|---|---|---|---|---|\n");
    for rule in [SliceRule::Claim, SliceRule::MinOne, SliceRule::Equal] {
        page += &format!("| `{}` |", rule.name());
        for capacity in [1, 2, 4, 5] {
            let workload = workload((0..5).map(|_| process()).collect());
            let config = config(rule, 105).with_capacity(capacity);
            let turns = Turns::default();
            let policy = Logged(WeightedSlices::new(config).expect("valid"), Arc::clone(&turns));
            let dispatcher = preempting(1, Some(Preemption::Drain));
            let dispatcher = dispatcher.turn("weighted-slices", policy).build().expect("it builds");
            let outcome = try_run(&workload, 1, dispatcher).expect("a lawful dispatcher");
            let reported = Fairness::new(&workload, &outcome).expect("five").longest_wait_ns;
            let turns = turns.lock().expect("nobody panics");
            let logged = longest_wait_by_log(&turns, 5);
            assert_eq!(reported, logged, "{rule:?}, capacity {capacity}");
            let (count, us) = (turns.len(), reported / 1000);
            table += &format!("{:<7}  {capacity:>8}  {count:>5}  {us:>15}\n", rule.name());
            page += &format!(" {} |", grouped(us));
        }
        page += "\n";
    }
    insta::assert_snapshot!(table);
    raddle_testkit::page_holds("docs/policies/weighted-slices.md", "waits", &page);
}

#[test]
fn too_short_slices_show_their_price() {
    let mut table = String::from("   t0 us  turns lost  switching us  makespan us\n");
    let mut page =
        String::from("| t0 | turns lost | saving and restoring | makespan |\n|---|---|---|---|\n");
    let mut shorter = Vec::new();
    for t0_us in [25, 55, 205, 1005] {
        let (_, outcome) = run(
            vec![endless(20), endless(20)],
            config(SliceRule::Equal, t0_us),
            Some(Preemption::Switch),
        );
        let (turns, switch_ns) = (outcome.turns.revoked(), outcome.counters.switch_ns);
        let makespan = outcome.last.0 / 1000;
        table += &format!("{t0_us:>8}  {turns:>10}  {:>12}  {makespan:>11}\n", switch_ns / 1000);
        page += &format!(
            "| {} us | {turns} | {} us | {} us |\n",
            grouped(t0_us),
            grouped(switch_ns / 1000),
            grouped(makespan)
        );
        shorter.push(switch_ns);
    }
    insta::assert_snapshot!(table);
    raddle_testkit::page_holds("docs/policies/weighted-slices.md", "switching", &page);
    assert!(shorter.is_sorted_by(|short, long| short > long), "{shorter:?}");
}

#[test]
fn a_slice_that_ends_late_is_charged_in_full_and_reported() {
    let late = |how| {
        let (_, outcome) = run(vec![endless(10), endless(10)], config(SliceRule::Equal, 25), how);
        (outcome.turns, run_times(&outcome))
    };
    // Launches run on until the turn comes back, or drain the workgroups of 10 us on the device.
    let (never, run) = late(None);
    assert_eq!(never.longest_overrun(), Ticks(25_000), "{never:?}");
    assert!(run.iter().all(|&run| run >= 1_300_000), "charged while it stayed: {run:?}");
    let (drain, _) = late(Some(Preemption::Drain));
    assert!(drain.overruns() > 0 && drain.longest_overrun() <= Ticks(10_000), "{drain:?}");
    assert!(drain.overrun() <= Ticks(drain.overruns() * 10_000));
}

#[test]
fn the_newcomer_is_the_last_to_join() {
    let newcomer = ProcessPlan { start: Ticks(5_000_000), ..endless(40) };
    for rule in [SliceRule::Equal, SliceRule::MinOne] {
        let (workload, outcome) = run(
            vec![endless(100), endless(100), newcomer.clone()],
            config(rule, 100),
            Some(Preemption::Switch),
        );
        let fairness = Fairness::new(&workload, &outcome).expect("three");
        assert_eq!(fairness.newcomer.as_deref(), Some(&*workload.processes[2].name));
        let share = fairness.newcomer_share.expect("it ran");
        // The newcomer's weight counts from when it joined, so it is owed no more than the others.
        assert!((share - 1.0 / 3.0).abs() < 0.03, "{rule:?}: {share}");
    }
    let (workload, outcome) =
        run(vec![endless(2), endless(2)], config(SliceRule::Equal, 100), Some(Preemption::Switch));
    assert_eq!(Fairness::new(&workload, &outcome).expect("two").newcomer, None);
}

#[test]
fn the_baselines_run_to_the_end() {
    let processes = || {
        let late = ProcessPlan { start: Ticks(333_000), ..endless(5) };
        workload(vec![endless(6), endless(6), late])
    };
    let finished = |dispatcher: Composed| {
        let outcome = try_run(&processes(), 1, dispatcher).expect("a lawful dispatcher");
        assert!(outcome.stuck.is_empty() && outcome.turns.revoked() > 0);
        outcome
    };
    let builder =
        || Composed::builder(SHAPE, 1).preempt("switch", Always(Some(Preemption::Switch)));
    let slice_us = 100;
    let vruntime = Vruntime::new(VruntimeConfig::default().with_slice_us(slice_us)).expect("valid");
    finished(builder().turn("vruntime", vruntime).build().expect("it builds"));
    let unmap = UnmapAll::new(UnmapAllConfig::default().with_slice_us(slice_us).with_capacity(2))
        .expect("valid");
    finished(builder().turn("unmap-all", unmap).build().expect("it builds"));
}
