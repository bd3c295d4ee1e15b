//! Does a host wait where the recording waited? Every time here is reckoned by hand.

use raddle_policy::Ticks;
use raddle_sim::{HostPause, Outcome, ProcessPlan, Repetition, Summary, Task, Workload};

use crate::kit::{at_level, copy, in_order, kernel, run_default};

fn pause(begins: u64, returns: u64, tail: u64, tasks: &[u32]) -> HostPause {
    let [begins, returns, tail] = [begins, returns, tail].map(Ticks);
    HostPause { begins, returns, tail, tasks: tasks.to_vec() }
}

fn closed(tasks: Vec<Task>, pauses: Vec<HostPause>) -> ProcessPlan {
    ProcessPlan::new("p", tasks).closed(pauses)
}

/// Returns a process whose kernels last `factor` times as long as recorded. Recorded were two
/// kernels of 10 ticks at 0 and 1, a wait of the host for both from 2 to 23, a kernel of 10 at 30,
/// and a wait for it from 31 to 41.
fn two_rounds(factor: u64) -> ProcessPlan {
    let lasts = 10 * factor;
    let tasks =
        in_order(vec![kernel(0, 1, 1, lasts), kernel(1, 1, 1, lasts), kernel(30, 1, 1, lasts)]);
    let span = Ticks(40);
    ProcessPlan { span, ..closed(tasks, vec![pause(2, 23, 3, &[1]), pause(31, 41, 1, &[2])]) }
}

fn run(processes: Vec<ProcessPlan>, repeat: bool) -> (Workload, Outcome) {
    let workload = Workload { processes, repeat };
    let outcome = run_default(&workload, 1);
    assert!(outcome.stuck.is_empty());
    (workload, outcome)
}

/// Returns for each launch of a process (tick at which it was issued, started, ended).
fn lines(outcome: &Outcome, process: u16) -> Vec<(u64, u64, u64)> {
    let own = outcome.records.iter().filter(|record| record.process == process);
    let own = own.filter_map(|it| Some((it.arrival.0, it.started?.0, it.ended?.0)));
    own.collect()
}

#[test]
fn the_recording_comes_out_as_it_was() {
    let (_, outcome) = run(vec![two_rounds(1)], false);
    assert_eq!(lines(&outcome, 0), [(0, 0, 10), (1, 10, 20), (30, 30, 40)]);
}

#[test]
fn kernels_that_last_twice_as_long_delay_the_host() {
    // Both kernels end at 40; the host returns at 43 and issues the third 7 ticks later, as
    // recorded.
    let (_, outcome) = run(vec![two_rounds(2)], false);
    assert_eq!(lines(&outcome, 0), [(0, 0, 20), (1, 20, 40), (50, 50, 70)]);
}

#[test]
fn kernels_that_take_half_as_long_let_the_host_go_on_earlier() {
    let tasks = in_order(vec![kernel(0, 1, 1, 5), kernel(1, 1, 1, 5), kernel(30, 1, 1, 5)]);
    let (_, outcome) = run(vec![closed(tasks, vec![pause(2, 23, 3, &[1])])], false);
    assert_eq!(lines(&outcome, 0), [(0, 0, 5), (1, 5, 10), (20, 20, 25)]);
}

#[test]
fn requests_wait_until_the_host_has_served_those_before() {
    // Each request takes 70 ticks: its kernels are issued at 0, 1 and 50, and the host returns at
    // 71. Requests arrive at 0, 60 and 200.
    let requests = |factor| {
        let times = [0, 60, 200].map(Ticks).to_vec();
        ProcessPlan { repetition: Repetition::At(times), ..two_rounds(factor) }
    };
    let (workload, outcome) = run(vec![requests(2)], false);
    let issued: Vec<u64> = lines(&outcome, 0).iter().map(|line| line.0).collect();
    assert_eq!(issued, [0, 1, 50, 71, 72, 121, 200, 201, 250]);
    let found = Summary::new(&workload, &outcome, &[]).processes.remove(0);
    let requests = found.requests.expect("it has requests");
    // The second request waits for the first until 71, takes 70, and arrived at 60.
    assert_eq!((requests.latency_max_ns, requests.last_end_ns), (81, 270));
    let slowest = requests.slowest[0];
    assert_eq!((slowest.number, slowest.waits.behind_ns), (1, 10));
    // From tick 70 on: 1 until the host returns, 10 between two kernels, 60 with waves on the device.
    assert_eq!((slowest.waits.host_ns, slowest.waits.alone_ns), (1 + 10, 60));
    // The last request ends 30 ticks later than with kernels of the recorded length, as one does
    // alone.
    let (_, recorded) = run(vec![requests_of_the_recorded_length()], false);
    assert_eq!(recorded.last.0 + 30, outcome.last.0);
}

fn requests_of_the_recorded_length() -> ProcessPlan {
    let times = [0, 60, 200].map(Ticks).to_vec();
    ProcessPlan { repetition: Repetition::At(times), ..two_rounds(1) }
}

#[test]
fn steps_follow_each_other_when_everything_has_ended() {
    // A step takes 70 ticks, and its host returns 1 tick later: 0..71, 71..142, ...
    let leader = ProcessPlan { span: Ticks(1000), ..ProcessPlan::new("l", vec![copy(0, 300)]) };
    let (workload, outcome) = run(vec![two_rounds(2), leader], true);
    let ends: Vec<u64> = lines(&outcome, 0).iter().map(|line| line.2).collect();
    assert_eq!(ends[..9], [20, 40, 70, 91, 111, 141, 162, 182, 212]);
    let found = &Summary::new(&workload, &outcome, &[]).processes[0];
    let steps = found.steps.expect("it repeats");
    // Four steps ended before 300: the fourth at 283.
    assert_eq!((steps.ended, steps.first_ns, steps.step_ns), (4, 70, 71));
}

#[test]
fn who_is_held_up_issues_later_and_so_does_its_company_not() {
    // The device is one unit with 8 wave slots: the first kernel of `p` waits for the 100 ticks of
    // `hog`.
    let hog = ProcessPlan::new("hog", at_level(0, vec![kernel(0, 8, 1, 100)]));
    let late = |task: Task| Task { arrival: task.arrival + Ticks(10), ..task };
    let mut plan = two_rounds(1);
    plan.tasks = plan.tasks.into_iter().map(late).collect();
    let pauses = vec![pause(12, 33, 3, &[1])];
    let plan = closed(plan.tasks, pauses);
    let (_, outcome) = run(vec![hog, plan], false);
    // By its recorded time the last launch would be issued at 40; the host returns at 120 + 3.
    assert_eq!(lines(&outcome, 1), [(10, 100, 110), (11, 110, 120), (130, 130, 140)]);
    assert_eq!(outcome.blocked_ns, [0, 0, 90, 0]);
}

#[test]
fn another_thread_issues_while_one_waits() {
    // The second kernel is issued at 5, although the host's wait lasts from 2 to 23.
    let tasks = vec![kernel(0, 1, 1, 20), kernel(5, 1, 1, 1), kernel(30, 1, 1, 1)];
    let (_, outcome) = run(vec![closed(tasks, vec![pause(2, 23, 3, &[0])])], false);
    let issued: Vec<u64> = lines(&outcome, 0).iter().map(|line| line.0).collect();
    assert_eq!(issued, [0, 5, 30]);
}

#[test]
fn a_wait_for_what_waits_for_later_launches_is_no_deadlock() {
    // Task 1 waits for task 0, which arrives long after the wait for task 1 ended.
    let tasks = in_order(vec![kernel(50, 1, 1, 10), kernel(0, 1, 1, 10), kernel(60, 1, 1, 10)]);
    let (_, outcome) = run(vec![closed(tasks, vec![pause(2, 23, 3, &[1])])], false);
    assert_eq!(lines(&outcome, 0).len(), 3);
    // A wait for a task that does not exist keeps no launch back either.
    let (_, outcome) =
        run(vec![closed(vec![kernel(0, 1, 1, 10)], vec![pause(0, 0, 0, &[7])])], false);
    assert_eq!(outcome.last.0, 10);
}
