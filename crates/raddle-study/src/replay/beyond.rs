//! Which processes get more requests than any way of sharing the device can serve?
//!
//! A user hears of them before the first simulation, as the queue of such requests grows and with
//! it the time of every simulation; and again with the answer.

use raddle_sim::{ProcessPlan, Repetition, Task, Work, Workload};

use crate::result::Overturning;
use crate::units::{count, duration, plain};

/// Largest number of characters of a process's name in a warning.
const NAME: usize = 40;
/// Smallest number of requests of a process for which a warning may say that they are too many.
const FEWEST: u64 = 5;
/// Factor by which the requests of a process have to last longer than the time in which they arrive
/// before a warning says so. A smaller excess may be the chance of a random draw.
const EXCESS: u64 = 2;

/// Returns the warning of processes whose requests surely take over twice the time in which they
/// arrive; `None` where there are none.
pub(super) fn overload(workload: &Workload) -> Option<Overturning> {
    let told = workload.processes.iter().filter_map(|it| Some((&*it.name, warning(it)?)));
    Overturning::of(told, |names| {
        format!("no way of sharing serves the requests of {names} in time")
    })
}

fn warning(process: &ProcessPlan) -> Option<String> {
    let Repetition::At(times) = &process.repetition else { return None };
    let (requests, within) = (times.len() as u64, times.last()?.0 - times.first()?.0);
    let busy = least_time(process);
    // A host that waits for the device serves one request after the other, its own time included.
    let recorded = recorded_time(process).filter(|&recorded| recorded > busy);
    let least = recorded.unwrap_or(busy);
    let lasts = match recorded {
        Some(_) => "each as recorded, one after the other",
        None => "or longer each",
    };
    // Requests that all arrive at once are a burst, and no load.
    let is_beyond = within > 0 && least.saturating_mul(requests - 1) / EXCESS > within;
    (requests >= FEWEST && is_beyond).then(|| {
        format!(
            "{}: {} requests arrive within {} and last {} {lasts}: no way of sharing serves them in time{}",
            plain(&process.name, NAME),
            count(requests),
            duration(within),
            duration(least),
            most_rate(least),
        )
    })
}

/// Returns in words the largest rate at which requests that last `least_ns` can be served one after
/// the other, rounded up; an empty text for less than one in 1000 s.
fn most_rate(least_ns: u64) -> String {
    let least_ns = u128::from(least_ns.max(1));
    let parts = |of_a_second: u128| (of_a_second * 1_000_000_000).div_ceil(least_ns);
    let rate = match (parts(1_000), parts(10)) {
        (0..=1, _) => return String::new(),
        (thousandths @ 2..1_000, _) => format!("0.{thousandths:03}"),
        (_, tenths @ 0..100) => format!("{}.{}", tenths / 10, tenths % 10),
        _ => parts(1).to_string(),
    };
    format!(", and none more than {rate}/s")
}

/// Returns the time in nanoseconds from the issue of the first launch of a recording to the end of
/// its last one, where the host waits for the device; `None` where it does not.
fn recorded_time(process: &ProcessPlan) -> Option<u64> {
    process.host.is_some().then(|| {
        let ends = process.tasks.iter().map(|task| task.arrival.0.saturating_add(lasts(task)));
        ends.max().unwrap_or(0)
    })
}

/// Returns the least time in nanoseconds for which a task keeps its stream busy.
fn lasts(task: &Task) -> u64 {
    match task.work {
        Work::Kernel { workgroup, .. } => workgroup.0,
        Work::Copy { lasts, .. } => lasts.0,
        Work::Unfit { .. } => 0,
    }
}

/// Returns the least time, in nanoseconds, for which a request keeps the busiest of its streams
/// busy: each launch lasts for one workgroup or longer, on whatever units it runs.
fn least_time(process: &ProcessPlan) -> u64 {
    let mut busy = vec![0u64; process.streams as usize];
    for task in &process.tasks {
        if let Some(own) = busy.get_mut(task.stream.0 as usize) {
            *own = own.saturating_add(lasts(task));
        }
    }
    busy.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use raddle_policy::{Activity, Idempotence, KernelCall, Level, StreamId, Ticks};

    use super::*;

    /// Returns a process of two streams, of which the first is busy for 3 ms in a request, with
    /// `requests` requests that arrive `every` milliseconds.
    fn process(requests: u64, every: u64) -> ProcessPlan {
        let task = |stream: u32, ms: u64| Task {
            stream: StreamId(stream),
            level: Level(0),
            arrival: Ticks::ZERO,
            after: None,
            gap: None,
            idempotent: Idempotence::Unknown,
            activity: Activity::UNKNOWN,
            call: KernelCall::default(),
            peers: None,
            work: Work::Copy { lasts: Ticks(ms * 1_000_000), direction: None },
        };
        let mut plan = ProcessPlan::new("serve", vec![task(0, 1), task(1, 2), task(0, 2)]);
        let times = (0..requests).map(|at| Ticks(at * every * 1_000_000));
        plan.repetition = Repetition::At(times.collect());
        plan
    }

    #[test]
    fn requests_that_last_twice_the_time_in_which_they_arrive_are_told() {
        let told = |requests, every| warning(&process(requests, every));
        let text = told(11, 1).expect("they take 3 times as long");
        let begins =
            "serve: 11 requests arrive within 10.0 ms and last 3.00 ms or longer each: no way";
        assert!(text.starts_with(begins), "{text}");
        assert!(text.ends_with("serves them in time, and none more than 334/s"), "{text}");
        assert_eq!(most_rate(465_000_000), ", and none more than 2.2/s");
        assert_eq!(most_rate(12_900_000_000), ", and none more than 0.078/s");
        assert_eq!(most_rate(2_000_000_000_000), "");
        assert_eq!(told(11, 2), None, "one and a half times as long may be chance");
        assert_eq!(told(4, 1), None, "they are few");
        assert_eq!(told(11, 0), None, "a burst is no load");
        let back_to_back = ProcessPlan { repetition: Repetition::BackToBack, ..process(1, 1) };
        assert_eq!(warning(&back_to_back), None);
        // A host that waits for the device needs its own time too: the last launch is issued after
        // 40 ms.
        let mut closed = process(11, 10);
        closed.tasks[2].arrival = Ticks(40_000_000);
        assert_eq!(warning(&closed), None, "this one serves several at once");
        let text = warning(&closed.closed(Vec::new())).expect("it takes 4 times as long");
        let last = "last 42.0 ms each as recorded, one after the other: no way of sharing";
        assert!(text.contains(last), "{text}");
    }
}
