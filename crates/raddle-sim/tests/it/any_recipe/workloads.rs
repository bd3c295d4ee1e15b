//! Which workload does a case have?
//!
//! Two to five processes whose streams wait for each other, with copies, barriers, shared memory,
//! launches that may be killed, levels, hosts that wait for the device, and requests.

use proptest::prelude::*;
use proptest::sample::select;
use raddle_policy::{
    Activity, Barrier, Demand, Dim3, Idempotence, KernelCall, Level, StreamId, Ticks,
};
use raddle_sim::{
    HostPause, LaunchLatency, ProcessPlan, Repetition, Task, TaskWait, Work, Workload,
};

use crate::kit::{copy, kernel};

/// A wait of a host for the device: (task for whose end it waits, ticks from that end to the
/// return).
type Pause = (prop::sample::Index, u64);

/// Draws the call of one of a few kernels, whose grids seldom change; some calls are unknown.
fn call() -> impl Strategy<Value = KernelCall> {
    let seldom = || prop::bool::weighted(0.2);
    (0u32..6, (1u32..4, seldom()), (seldom(), seldom()), seldom()).prop_map(
        |(kernel, (x, high), (wide, lds), behind_copy)| KernelCall {
            kernel,
            grid: Dim3::new(x, 1 + u32::from(high), 1),
            threads: 64 << u32::from(wide),
            lds_bytes: 512 * u32::from(lds),
            behind_copy,
        },
    )
}

fn task() -> impl Strategy<Value = Task> {
    let demand = (1u16..9, 0u16..5, 0u16..4, prop_oneof![Just(0u32), 1u32..9]);
    let shape = (0u64..4_000, 0u64..30, select(&[1u64, 90, 700, 2_500][..]), demand);
    let kind = (
        any::<bool>(),
        select(&[Idempotence::Idempotent, Idempotence::Not, Idempotence::Unknown][..]),
        0u8..4,
    );
    let kernels =
        (shape, kind, call()).prop_map(|((arrival, groups, ticks, wanted), kind, call)| {
            let (waves, vgpr, sgpr, lds) = wanted;
            let (meets, idempotent, activity) = kind;
            let mut task = kernel(arrival, groups, 1, ticks);
            if let Work::Kernel { demand, barrier, context_bytes, .. } = &mut task.work {
                let barriers = u16::from(meets);
                *demand = Demand { waves, vgpr, sgpr, lds, barriers };
                *barrier = if meets { Barrier::Yes } else { Barrier::No };
                *context_bytes = u64::from(waves) * 100;
            }
            let activity = Activity([u32::from(activity), 0, 1, 0, 2, 0]);
            Task { idempotent, activity, call, ..task }
        });
    let copies = (0u64..4_000, 1u64..3_000).prop_map(|(at, ticks)| copy(at, ticks));
    prop_oneof![8 => kernels, 1 => copies]
}

/// Draws a process of up to three streams, each in order; some tasks also wait for other streams.
fn process() -> impl Strategy<Value = ProcessPlan> {
    let tasks = prop::collection::vec(
        (task(), 0u32..3, prop::option::weighted(0.2, any::<prop::sample::Index>())),
        1..14,
    );
    let levels = (0u8..3, prop::option::weighted(0.3, 0u8..3));
    let times = (prop::bool::weighted(0.2), prop::bool::weighted(0.3), 0u64..3_000);
    // One launch that may not be killed forbids the reset of its process.
    let killable = prop::bool::weighted(0.4);
    let host = prop::option::weighted(
        0.3,
        prop::collection::vec((any::<prop::sample::Index>(), 0u64..900), 1..4),
    );
    (tasks, levels, times, host, (1u32..4, killable)).prop_map(
        |(mut tasks, levels, times, pauses, (share, killable))| {
            // A host issues a stream in its order.
            tasks.sort_by_key(|(task, ..)| task.arrival);
            let (mut last, mut waits, mut all) = ([None; 3], Vec::new(), Vec::<Task>::new());
            for (at, (task, stream, source)) in (0u32..).zip(tasks) {
                let after = last[stream as usize].replace(at);
                if let Some(source) = source.filter(|_| at > 0) {
                    let source = source.index(at as usize) as u32;
                    if all[source as usize].stream != StreamId(stream) {
                        waits.push(TaskWait { task: at, source });
                    }
                }
                let level = if stream == 2 { levels.1.unwrap_or(levels.0) } else { levels.0 };
                let idempotent = if killable { Idempotence::Idempotent } else { task.idempotent };
                let level = Level(level);
                all.push(Task { stream: StreamId(stream), after, level, idempotent, ..task });
            }
            let (latent, late, start) = times;
            let mut plan = ProcessPlan::new("p", all);
            plan.waits = waits;
            plan.share = share;
            plan.start = if late { Ticks(start) } else { Ticks::ZERO };
            if latent {
                plan.latency = LaunchLatency { launch: Ticks(300), handover: Ticks(50) };
            }
            match pauses {
                Some(pauses) => closed(plan, pauses),
                None => plan,
            }
        },
    )
}

/// Makes the process a closed loop: its host waits for the tasks that `pauses` name.
fn closed(plan: ProcessPlan, pauses: Vec<Pause>) -> ProcessPlan {
    let pauses = pauses.into_iter().map(|(upto, tail)| {
        let task = upto.index(plan.tasks.len()) as u32;
        let begins = plan.tasks[task as usize].arrival;
        let returns = Ticks(begins.0 + tail);
        HostPause { begins, returns, tail: Ticks(tail), tasks: vec![task] }
    });
    let pauses = pauses.collect();
    plan.closed(pauses)
}

fn repetition() -> impl Strategy<Value = Repetition> {
    let at = prop::collection::vec(0u64..12_000, 1..8).prop_map(|mut times| {
        times.sort_unstable();
        Repetition::At(times.into_iter().map(Ticks).collect())
    });
    let until = (1u64..15_000).prop_map(|until| Repetition::Closed { until: Some(Ticks(until)) });
    prop_oneof![4 => Just(Repetition::BackToBack), 2 => at, 1 => until]
}

/// Draws a process with short urgent work again and again: it revokes each process beside it, often
/// before that is back from the last preemption.
fn pulse() -> impl Strategy<Value = (ProcessPlan, Repetition)> {
    let times = prop::collection::vec(0u64..30_000, 4..24);
    let shape = (1u64..8, 1u16..9, select(&[1u64, 90, 700][..]));
    (times, shape, 1usize..3).prop_map(|(mut times, (groups, waves, ticks), count)| {
        times.sort_unstable();
        let mut one = kernel(0, groups, waves, ticks);
        if let Work::Kernel { demand, context_bytes, .. } = &mut one.work {
            *demand = Demand { waves, ..Demand::default() };
            *context_bytes = u64::from(waves) * 100;
        }
        let task = |at: usize| Task { after: (at > 0).then(|| at as u32 - 1), ..one };
        let plan = ProcessPlan::new("pulse", (0..count).map(task).collect());
        (plan, Repetition::At(times.into_iter().map(Ticks).collect()))
    })
}

/// Draws a workload of two to five processes, of which some may be urgent again and again.
pub(super) fn workload() -> impl Strategy<Value = Workload> {
    let any = prop_oneof![3 => (process(), repetition()), 1 => pulse()];
    let processes = prop::collection::vec(any, 2..6);
    (processes, prop::bool::weighted(0.3)).prop_map(|(processes, repeat)| {
        let plan = |(at, (plan, repetition)): (usize, (ProcessPlan, Repetition))| ProcessPlan {
            name: format!("p{at}"),
            repetition,
            ..plan
        };
        Workload { processes: processes.into_iter().enumerate().map(plan).collect(), repeat }
    })
}
