//! Does the window bound what is submitted, whatever runs, and does each method of preempting do what its table says?

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use raddle_dispatch::slots::{Everyone, Ordinary, OrdinaryConfig};
use raddle_dispatch::{Builder, Composed, DispatchError, Dispatcher, PreemptionTally};
use raddle_policy::{
    Action, Actions, CuId, Event, Free, Idempotence, LaunchId, Preemption, ProcessId, Tick, Ticks,
    WaveSpan,
};
use raddle_preempt::Abilities;
use raddle_preempt::policy::{ByRule, DeviceCosts};
use raddle_sim::{Outcome, ProcessPlan, Repetition, Task, Work, Workload};
use raddle_sm::{BlockWarp, BlockWarpConfig};
use raddle_workgroup::{BaselineConfig, Greedy, Matching, MatchingConfig};

use crate::kit::{
    SHAPE, WAYS, at_level, end, idempotent, in_order, kernel, latency, preempting, try_run,
    workload,
};
use crate::laws::{check, processes};

/// A launch or a copy that has been issued and has not ended.
struct Issued {
    id: LaunchId,
    process: ProcessId,
    workgroups: u64,
    is_ready: bool,
    is_submitted: bool,
    /// The number of workgroups that have not ended; 1 for a copy.
    left: u64,
    /// True if this is a copy that has begun.
    copies: bool,
}

/// The counts of a run that a test reads after it.
#[derive(Default)]
struct Seen {
    /// The most launches that one process had submitted at a time.
    submitted: usize,
    kills: BTreeMap<LaunchId, u32>,
}

/// A dispatcher whose actions are checked for what the window promises.
struct Watched {
    inner: Composed,
    window: usize,
    /// The most times that a launch may be killed.
    most_kills: u32,
    /// The launches and copies that have not ended, in the order of issue.
    issued: Vec<Issued>,
    seen: Arc<Mutex<Seen>>,
}

impl Watched {
    fn new(builder: Builder, window: u32) -> Self {
        let inner = builder.window(window).build().expect("it builds");
        let (issued, seen) = (Vec::new(), Arc::default());
        Self { inner, window: window as usize, most_kills: u32::MAX, issued, seen }
    }

    /// Returns the state of a launch; `None` if it was refused or has ended.
    fn find(&mut self, id: LaunchId) -> Option<&mut Issued> {
        self.issued.iter_mut().find(|it| it.id == id)
    }

    fn enter(&mut self, id: LaunchId, process: ProcessId, workgroups: u64, is_ready: bool) {
        let (is_submitted, left, copies) = (false, workgroups, false);
        self.issued.push(Issued { id, process, workgroups, is_ready, is_submitted, left, copies });
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().expect("no panic before")
    }

    fn hear(&mut self, event: &Event<'_>) {
        match *event {
            Event::LaunchIssued { launch } | Event::LaunchReady { launch } => {
                let is_ready = matches!(event, Event::LaunchReady { .. });
                if let Some(known) = self.find(launch.id) {
                    known.is_ready = is_ready;
                } else if self.inner.cus().never(&launch).is_none() {
                    self.enter(launch.id, launch.process, launch.workgroups, is_ready);
                }
            }
            Event::CopyIssued { copy, process, .. } => self.enter(copy, process, 1, false),
            Event::CopyReady { copy } => self.find(copy).expect("it was issued").is_ready = true,
            Event::CopyEnded { copy } => {
                assert!(self.find(copy).expect("it was issued").copies, "{copy} ends");
                self.issued.retain(|it| it.id != copy);
            }
            Event::WavesEnded { launch, waves, pieces } => {
                assert_eq!(waves, WaveSpan::All, "whole ones only");
                let known = self.find(launch).expect("it runs");
                known.left -= pieces.iter().map(|piece| u64::from(piece.count)).sum::<u64>();
                self.issued.retain(|it| it.left > 0);
            }
            Event::TakenOff { launch, how: Preemption::Flag | Preemption::Reset, .. } => {
                let known = self.find(launch).expect("it was submitted");
                assert!(!known.copies, "{launch} is off, and runs");
                (known.is_submitted, known.left) = (false, known.workgroups);
            }
            _ => {}
        }
        if let Event::TakenOff { launch, how: Preemption::Reset, .. } = *event {
            let mut seen = self.seen();
            let kills = seen.kills.entry(launch).or_insert(0);
            *kills += 1;
            assert!(*kills <= self.most_kills, "{launch} was killed {kills} times");
        }
    }

    fn answered(&mut self, action: &Action) {
        match *action {
            Action::Submit { launch, .. } => self.submitted(launch),
            Action::Start { launch, .. } | Action::Assign { launch, .. } => {
                let known = self.find(launch).expect("it was issued");
                assert!(known.is_ready, "law 5: {launch} starts, and waits");
            }
            Action::StartCopy { copy } => {
                let known = self.find(copy).expect("it was issued");
                assert!(known.is_ready && known.is_submitted && !known.copies, "{copy} starts");
                known.copies = true;
            }
            Action::Refuse { refusal } => self.issued.retain(|it| it.id != refusal.launch),
            _ => {}
        }
    }

    fn submitted(&mut self, id: LaunchId) {
        let process = self.find(id).expect("it was issued").process;
        let mut of_process = self.issued.iter_mut().filter(|it| it.process == process);
        let first = of_process.find(|it| !it.is_submitted).expect("this one is not");
        assert_eq!(first.id, id, "in the order of issue, head of the buffer first");
        first.is_submitted = true;
        let submitted = |it: &&Issued| it.process == process && it.is_submitted;
        let count = self.issued.iter().filter(submitted).count();
        assert!(count <= self.window, "{process} has {count} of {}", self.window);
        let mut seen = self.seen();
        seen.submitted = seen.submitted.max(count);
    }
}

impl Dispatcher for Watched {
    fn looks_ahead(&self) -> bool {
        self.inner.looks_ahead()
    }
    fn event(&mut self, event: &Event<'_>, now: Tick) -> Result<(), DispatchError> {
        self.inner.event(event, now)?;
        self.hear(event);
        Ok(())
    }
    fn decide(&mut self, now: Tick, actions: &mut Actions) -> Result<(), DispatchError> {
        self.inner.decide(now, actions)?;
        actions.list.iter().for_each(|action| self.answered(action));
        Ok(())
    }
    fn free(&self, cu: CuId) -> Option<Free> {
        self.inner.free(cu)
    }
    fn preemptions(&self) -> PreemptionTally {
        self.inner.preemptions()
    }
}

/// Runs a workload and checks the window. Returns (outcome, most launches that one process had
/// submitted at a time).
pub(crate) fn watched(
    workload: &Workload,
    cus: u16,
    builder: Builder,
    window: u32,
) -> (Outcome, usize) {
    let dispatcher = Watched::new(builder, window);
    let seen = dispatcher.seen.clone();
    let outcome = try_run(workload, cus, dispatcher);
    let most = seen.lock().expect("no panic before").submitted;
    (outcome.expect("the two books agree, and the laws hold"), most)
}

const COSTS: DeviceCosts = DeviceCosts {
    reset_ns: 7,
    bytes_per_us: 1000,
    vgpr_bytes: 1,
    sgpr_bytes: 0,
    lds_bytes: 0,
    flag_ns: None,
    exit_ns: None,
    switch_ns: None,
    switch_bytes: None,
};

/// A case of the test: (low processes, compute units, window, ticks between urgent launches, kills
/// of a launch that are allowed, bound of `cheapest` in ticks or `None` for `reset`).
type Spared = (Vec<Vec<Task>>, u16, u32, u64, u32, Option<u64>);

fn spared() -> impl Strategy<Value = Spared> {
    let bound = prop::option::of(0u64..50);
    (processes(), 1u16..3, 1u32..10, 1u64..100, 0u32..4, bound)
}

/// Runs a case with twenty urgent launches, and checks that no launch is killed more often than it
/// may be. Returns the most times that one was killed.
fn most_killed((processes, cus, window, gap, most, bound): Spared) -> u32 {
    let low = processes.into_iter().map(|tasks| tasks.into_iter().map(idempotent).collect());
    let mut all = workload(low.map(|tasks| at_level(5, tasks)).collect());
    let urgent = ProcessPlan::new("urgent", at_level(0, vec![kernel(0, 1, 8, 10)]));
    let times = (0..20).map(|i| Ticks(i * gap)).collect();
    all.processes.push(ProcessPlan { repetition: Repetition::At(times), ..urgent });
    let rule = match bound {
        None => ByRule::fixed(Preemption::Reset),
        Some(bound) => ByRule::cheapest(Ticks(bound), Abilities::ALL, COSTS),
    };
    let builder = preempting(cus, None).preempt("rule", rule.sparing(Some(most)));
    let mut watched = Watched::new(builder, window);
    watched.most_kills = most;
    let seen = watched.seen.clone();
    let outcome = try_run(&all, cus, watched).expect("the two books agree");
    assert!(outcome.stuck.is_empty());
    let seen = seen.lock().expect("no panic before");
    seen.kills.values().copied().max().unwrap_or(0)
}

/// Checks that launches are killed as often as they may be: without any kill the limit would hold
/// too.
#[test]
fn launches_are_killed_as_often_as_they_may_be() {
    let reached: RefCell<BTreeMap<(&str, u32), u32>> = RefCell::default();
    let mut runner = TestRunner::deterministic();
    let run = runner.run(&spared(), |case| {
        let rule = if case.5.is_some() { "cheapest" } else { "reset" };
        let key = (rule, case.4);
        let kills = most_killed(case);
        let mut reached = reached.borrow_mut();
        let most = reached.entry(key).or_insert(0);
        *most = kills.max(*most);
        Ok(())
    });
    run.expect("none is killed more often");
    let reached = reached.into_inner();
    let rules = ["cheapest", "reset"].into_iter();
    let all = rules.flat_map(|rule| (0..4).map(move |most| ((rule, most), most)));
    assert_eq!(reached, all.collect());
}

proptest! {
    #[test]
    fn every_way_off_keeps_the_window_and_loses_nothing(
        processes in processes(), way in 0usize..6, cus in 1u16..4, window in 1u32..10,
    ) {
        let how = WAYS[way];
        let all = workload(processes.clone());
        let greedy = |addresses| Greedy::new(BaselineConfig::default().with_addresses(addresses));
        let matching = Matching::new(MatchingConfig::default(), SHAPE, cus).expect("it fits");
        let builder = || preempting(cus, how);
        for builder in [
            builder(),
            builder().allocate("greedy", greedy(false)),
            builder().allocate("greedy", greedy(true)),
            builder().allocate("matching", matching),
        ] {
            let (outcome, _) = watched(&all, cus, builder, window);
            check(&outcome, &processes, how);
        }
    }

    /// Checks that the policy `cheapest`, which takes one process off by different methods, loses
    /// no work.
    #[test]
    fn the_cheapest_way_loses_nothing(
        processes in processes(), cus in 1u16..4, window in prop::option::of(1u32..10),
        bound in 0u64..200, can in any::<[bool; 4]>(), by_warp in any::<bool>(),
    ) {
        let [can_flag, can_drain, can_reset, can_switch] = can;
        let abilities = Abilities::NONE
            .with(Preemption::Flag, can_flag)
            .with(Preemption::Drain, can_drain)
            .with(Preemption::Reset, can_reset)
            .with(Preemption::Switch, can_switch);
        let cheapest = ByRule::cheapest(Ticks(bound), abilities, COSTS);
        let mut builder = preempting(cus, None).preempt("cheapest", cheapest);
        if let Some(window) = window {
            builder = builder.window(window);
        }
        if by_warp {
            builder = builder.allocate("block-warp", BlockWarp::new(BlockWarpConfig::default()));
        }
        let outcome = try_run(&workload(processes.clone()), cus, builder.build().expect("it builds"));
        check(&outcome.expect("the two books agree"), &processes, Some(Preemption::Reset));
    }

    /// Checks that no launch is killed more often than it may be, under `reset` and under
    /// `cheapest`.
    #[test]
    fn no_launch_is_killed_more_often_than_it_may_be(case in spared()) {
        most_killed(case);
    }

    /// Checks that `block-warp` under a window loses no work, and that the accounts agree, with
    /// workgroups that start whole and in parts, are assigned and taken back.
    #[test]
    fn block_warp_keeps_its_blocks_under_a_window(
        processes in processes(), way in 0usize..6, cus in 1u16..4, window in 1u32..10,
        fall_through in any::<bool>(),
    ) {
        let how = WAYS[way];
        let policy = BlockWarp::new(BlockWarpConfig { fall_through, ..BlockWarpConfig::default() });
        let dispatcher = preempting(cus, how)
            .allocate("block-warp", policy)
            .window(window)
            .build().expect("it builds");
        let outcome = try_run(&workload(processes.clone()), cus, dispatcher);
        check(&outcome.expect("the two books agree"), &processes, how);
    }

    /// Checks that repetitions and requests wait for the last launch of their stream, also in the
    /// window.
    #[test]
    fn repetitions_and_requests_go_through_the_window(
        processes in processes(), way in 0usize..6, window in 1u32..6, gap in 1u64..200,
    ) {
        // Tasks are in the order of arrival: a repetition that is broken off leaves nothing that
        // waits.
        let sorted = |mut tasks: Vec<Task>| {
            let mut arrivals: Vec<Ticks> = tasks.iter().map(|task| task.arrival).collect();
            arrivals.sort_unstable();
            tasks.iter_mut().zip(arrivals).for_each(|(task, at)| task.arrival = at);
            tasks
        };
        let mut all = workload(processes.into_iter().map(sorted).collect());
        all.repeat = true;
        let times: Vec<Ticks> = (0..4).map(|i| Ticks(i * gap)).collect();
        if let Some(last) = all.processes.last_mut() {
            last.repetition = Repetition::At(times);
        }
        let (outcome, _) = watched(&all, 2, preempting(2, WAYS[way]), window);
        prop_assert!(outcome.stuck.is_empty());
        let done = |it: &raddle_sim::Record| it.refused != it.ended.is_some();
        let requests = outcome.records.iter().filter(|it| usize::from(it.process) + 1 == all.processes.len());
        prop_assert!(requests.clone().count() > 0 && requests.clone().all(done));
    }

    /// Checks that launches that are on their way to the device leave and come back like those that
    /// have arrived.
    #[test]
    fn launching_beside_what_runs_loses_nothing(
        processes in processes(), way in 0usize..6, cus in 1u16..4, window in 1u32..10,
        (packet_ns, cleanup_ns) in (0..300u64, 0..50u64),
    ) {
        let config = OrdinaryConfig::default()
            .with_packet_ns(packet_ns)
            .with_cleanup_ns(cleanup_ns)
            .with_overlap(true);
        let builder =
            preempting(cus, WAYS[way]).launch_path("ordinary", Ordinary::new(config));
        let (outcome, _) = watched(&workload(processes.clone()), cus, builder, window);
        check(&outcome, &processes, WAYS[way]);
    }

    /// Checks that a window of one changes nothing for a single stream, whose launches run one at a
    /// time anyway.
    #[test]
    fn a_window_of_one_is_no_window_for_one_stream(processes in processes(), cus in 1u16..4) {
        let chain = |tasks: &Vec<Task>| -> Vec<Task> {
            let kernels = tasks.iter().filter(|task| matches!(task.work, Work::Kernel { .. }));
            let alone = |&task: &Task| Task { stream: raddle_policy::StreamId(0), after: None, ..task };
            in_order(kernels.map(alone).collect())
        };
        let all = workload(vec![chain(&processes[0])]);
        let build = || Composed::builder(SHAPE, cus).turn("everyone", Everyone);
        let without = try_run(&all, cus, build().build().expect("it builds")).expect("lawful");
        let with = try_run(&all, cus, build().window(1).build().expect("it builds")).expect("lawful");
        let ends = |outcome: &Outcome| -> Vec<_> {
            outcome.records.iter().map(|it| (it.ready, it.started, it.ended)).collect()
        };
        prop_assert_eq!(ends(&without), ends(&with));
    }
}

/// Returns twelve low launches, all issued at 0, each of which fills the one compute unit for 1,000
/// ticks.
fn low(may_be_killed: bool) -> Vec<Task> {
    let one = kernel(0, 8, 1, 1000);
    let one = if may_be_killed { idempotent(one) } else { one };
    at_level(5, in_order(vec![one; 12]))
}

/// Runs the low launches with an urgent launch that comes at 2,500, while the third of them runs.
fn urgent(how: Option<Preemption>, window: u32, low: Vec<Task>) -> (Outcome, usize) {
    let high = at_level(0, vec![kernel(2500, 8, 1, 100)]);
    watched(&workload(vec![low, high]), 1, preempting(1, how), window)
}

#[test]
fn the_window_is_used_to_the_full_and_no_further() {
    let (outcome, most) = urgent(Some(Preemption::Wait), 8, low(false));
    assert_eq!(most, 8);
    assert_eq!(latency(&outcome, 12), 7500, "what runs has 500 left, seven more were submitted");
    assert_eq!(end(&outcome, 9), 10_000);
    assert_eq!(end(&outcome, 10), 11_100, "the eleventh was still in the buffer");
    for (window, expected) in [(1, 500), (2, 1500), (3, 2500)] {
        let (outcome, most) = urgent(Some(Preemption::Wait), window, low(false));
        assert_eq!((latency(&outcome, 12), most), (expected, window as usize));
    }
}

#[test]
fn a_flag_waits_for_what_runs_and_loses_no_order() {
    let (outcome, _) = urgent(Some(Preemption::Flag), 8, low(false));
    assert_eq!(latency(&outcome, 12), 500);
    assert_eq!(outcome.counters.taken_off, 7);
    let ends: Vec<u64> = (0..12).map(|launch| end(&outcome, launch)).collect();
    let expected: Vec<u64> = (1..=12).map(|i| 1000 * i + if i > 3 { 100 } else { 0 }).collect();
    assert_eq!(ends, expected);
}

#[test]
fn drain_and_switch_hold_the_rest_of_the_window() {
    let (outcome, _) = urgent(Some(Preemption::Drain), 8, low(false));
    assert_eq!((latency(&outcome, 12), end(&outcome, 11)), (500, 12_100));
    let (outcome, _) = urgent(Some(Preemption::Switch), 8, low(false));
    assert_eq!(latency(&outcome, 12), 800, "8 workgroups of 100 bytes at 1000 bytes a us");
    assert_eq!(end(&outcome, 11), 12_000 + 800 + 100 + 800);
}

#[test]
fn a_reset_asks_every_submitted_launch() {
    let (outcome, _) = urgent(Some(Preemption::Reset), 8, low(true));
    assert_eq!((latency(&outcome, 12), outcome.counters.killed), (7, 8));
    assert_eq!(end(&outcome, 2), 2500 + 7 + 100 + 1000, "the running one starts again");
    // Worked run C of the digest: the running launch may not be killed.
    let mut one = low(true);
    one[2].idempotent = Idempotence::Not;
    let (outcome, _) = urgent(Some(Preemption::Reset), 8, one);
    assert_eq!((latency(&outcome, 12), outcome.counters.killed), (500, 0), "as a flag");
    // A launch that only waits leaves by the flag without having begun: the simulator makes sure of
    // that, so no reset hits it, and its verdict does not count (`Report::Claimed`).
    let mut one = low(true);
    one[5].idempotent = Idempotence::Not;
    let (outcome, _) = urgent(Some(Preemption::Reset), 8, one);
    assert_eq!((latency(&outcome, 12), outcome.counters.killed), (7, 8));
    // The verdict of a launch that is not in the window yet does not count.
    let mut one = low(true);
    one[10].idempotent = Idempotence::Not;
    let (outcome, _) = urgent(Some(Preemption::Reset), 8, one);
    assert_eq!((latency(&outcome, 12), outcome.counters.killed), (7, 8));
}

#[test]
fn a_launch_issued_before_what_it_waits_for_comes_behind_it() {
    // The second launch is issued at 0, the first at 300; the window is one.
    let chain = in_order(vec![kernel(300, 8, 1, 100), kernel(0, 8, 1, 100)]);
    let (outcome, most) = watched(&workload(vec![chain]), 1, preempting(1, None), 1);
    assert_eq!((end(&outcome, 0), end(&outcome, 1), most), (400, 500, 1));
}

#[test]
fn a_copy_between_two_launches_keeps_its_place() {
    let mut tasks = vec![kernel(0, 8, 1, 100), crate::kit::copy(0, 50), kernel(0, 8, 1, 100)];
    tasks = in_order(tasks);
    let (outcome, most) = watched(&workload(vec![tasks]), 1, preempting(1, None), 8);
    assert_eq!((end(&outcome, 0), end(&outcome, 1), end(&outcome, 2), most), (100, 150, 250, 3));
}

/// Checks that a run of two processes of requests ends: the device goes to the urgent one, and the
/// other comes back.
#[test]
fn a_long_row_of_revocations_ends() {
    let urgent = ProcessPlan {
        repetition: Repetition::At((0..40).map(|i| Ticks(300 * i)).collect()),
        ..ProcessPlan::new("urgent", at_level(0, vec![kernel(0, 8, 1, 100)]))
    };
    let low = ProcessPlan::new("low", low(false));
    let all = Workload { processes: vec![low, urgent], repeat: false };
    for how in WAYS {
        let (outcome, _) = watched(&all, 1, preempting(1, how), 8);
        assert!(outcome.stuck.is_empty(), "{how:?}");
        assert_eq!(outcome.counters.killed, 0, "{how:?}");
    }
}
