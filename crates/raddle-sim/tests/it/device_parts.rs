//! Do copy engines, hardware queues, priorities and recorded gaps work as simple queues do?
//!
//! Each has a model of a few lines here, that knows nothing of the simulator.

use proptest::prelude::*;
use raddle_dispatch::Composed;
use raddle_policy::{Level, StreamId, Ticks};
use raddle_sim::{PlanConfig, ProcessPlan, RecordedGap, Task, Work, Workload, plan};
use raddle_trace::{CopyDirection, ImportConfig, read};

use crate::kit::{SHAPE, end, kernel, run_default, try_run};
use crate::queued_streams::{issued_and_started, recorded};

/// A server that works on one job at a time, first come, first served: the oracle of an engine.
#[derive(Clone, Copy, Default)]
struct Server {
    free: u64,
}

impl Server {
    /// Returns the time at which a job ends that comes at the time `comes` and takes `lasts`.
    fn serve(&mut self, comes: u64, lasts: u64) -> u64 {
        self.free = self.free.max(comes) + lasts;
        self.free
    }
}

/// Returns a workload of one process with these streams; each task waits for the one before it in
/// its stream.
fn streams(all: Vec<Vec<Task>>) -> Workload {
    let mut tasks: Vec<Task> = Vec::new();
    for (stream, own) in (0..).zip(all) {
        let mut before = None;
        for task in own {
            let position = tasks.len() as u32;
            tasks.push(Task { stream: StreamId(stream), after: before, ..task });
            before = Some(position);
        }
    }
    let last = tasks.iter().map(|task| task.stream.0 + 1).max().unwrap_or(0);
    let process = ProcessPlan { streams: last, ..ProcessPlan::new("p", tasks) };
    Workload { processes: vec![process], repeat: false }
}

fn copy_to(direction: Option<CopyDirection>, arrival: u64, lasts: u64) -> Task {
    Task { work: Work::Copy { lasts: Ticks(lasts), direction }, ..kernel(arrival, 0, 1, 1) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Checks that each direction has one engine, which takes copies in the order in which they
    /// become ready.
    #[test]
    fn copies_queue_at_the_engine_of_their_direction(
        all in prop::collection::vec(
            prop::collection::vec((0..3usize, 0..500u64, 1..100u64), 1..6), 1..5),
    ) {
        // No two copies have times in common: ties would depend on the order of events.
        let mut number = 0;
        let mut odd = |coarse: u64| { number += 1; coarse * 1009 + number };
        let all: Vec<Vec<(usize, u64, u64)>> = all.into_iter().map(|own| {
            let mut since = 0;
            own.into_iter().map(|(to, later, lasts)| {
                since += odd(later);
                (to, since, odd(lasts))
            }).collect()
        }).collect();
        let copy = |&(to, arrival, lasts): &(usize, u64, u64)| {
            copy_to(CopyDirection::WITH_ENGINE.get(to).copied(), arrival, lasts)
        };
        let workload = streams(all.iter().map(|own| own.iter().map(copy).collect()).collect());
        let outcome = run_default(&workload, 2);

        let mut engines = [Server::default(); 2];
        let mut left: Vec<_> =
            all.iter().map(|own| (0, own.as_slice())).collect();
        let mut ends: Vec<Vec<u64>> = vec![Vec::new(); all.len()];
        // Of the next copies of the streams, the one that is ready first is served first.
        while let Some((ready, stream)) = left.iter().enumerate()
            .filter_map(|(stream, (free, own))| Some((own.first()?.1.max(*free), stream)))
            .min()
        {
            let (free, own) = &mut left[stream];
            let (to, _, lasts) = own[0];
            *own = &own[1..];
            *free = match engines.get_mut(to) {
                Some(engine) => engine.serve(ready, lasts),
                None => ready + lasts,
            };
            ends[stream].push(*free);
        }
        let found: Vec<u64> = (0..outcome.records.len()).map(|at| end(&outcome, at)).collect();
        prop_assert_eq!(found, ends.concat());
    }

    /// Checks that copies that do not cross between host and device wait for no engine and no room.
    #[test]
    fn other_copies_wait_for_nothing(
        all in prop::collection::vec((0..4usize, 0..500u64, 1..100u64), 1..12),
    ) {
        use CopyDirection::{InHost, Inside, ToDevice, ToPeer};
        let copy = |&(to, arrival, lasts): &(usize, u64, u64)| {
            let direction = [Inside, ToPeer, InHost].get(to).copied();
            vec![copy_to(direction, arrival, lasts)]
        };
        let mut lanes: Vec<Vec<Task>> = all.iter().map(copy).collect();
        // A copy engine and all compute units are busy meanwhile.
        lanes.extend([vec![copy_to(Some(ToDevice), 0, 900)], vec![kernel(0, 1, 8, 900)]]);
        let outcome = run_default(&streams(lanes), 1);
        for (at, &(_, from, lasts)) in all.iter().enumerate() {
            prop_assert_eq!(end(&outcome, at), from + lasts);
        }
    }

    /// Checks that work whose issue was not recorded starts a recorded gap after the end of what it
    /// waits for, and is issued then, or with the work before it.
    #[test]
    fn gaps_are_the_think_times_of_a_closed_queue(
        all in prop::collection::vec(
            prop::collection::vec((1..900u64, 1..900u64, any::<bool>()), 1..12), 1..5),
    ) {
        let mut number = 0;
        let mut odd = |coarse: u64| { number += 1; coarse * 1009 + number };
        let all: Vec<Vec<(u64, u64, bool)>> = all.into_iter()
            .map(|own| own.into_iter().map(|(gap, lasts, host)| (odd(gap), odd(lasts), host)).collect())
            .collect();
        // A kernel of 8 waves fills the device of one compute unit.
        let processes = all.iter().enumerate().map(|(at, own)| {
            let task = |(position, &(gap, lasts, host)): (usize, &(u64, u64, bool))| Task {
                after: (position as u32).checked_sub(1),
                gap: Some(match (position, host) {
                    (0, _) => RecordedGap::Host(Ticks::ZERO),
                    (_, true) => RecordedGap::Host(Ticks(gap)),
                    (_, false) => RecordedGap::Device(Ticks(gap)),
                }),
                ..kernel(own[0].0, 1, 8, lasts)
            };
            ProcessPlan::new(&format!("p{at}"), own.iter().enumerate().map(task).collect())
        });
        let workload = Workload { processes: processes.collect(), repeat: false };
        let outcome = run_default(&workload, 1);

        let mut server = Server::default();
        let mut next: Vec<(u64, usize)> = all.iter().map(|own| (own[0].0, 0)).collect();
        let mut ends: Vec<Vec<u64>> = vec![Vec::new(); all.len()];
        while let Some((comes, process)) = next.iter().enumerate()
            .filter(|(process, (_, at))| *at < all[*process].len())
            .map(|(process, (comes, _))| (*comes, process))
            .min()
        {
            let (at, own) = (next[process].1, &all[process]);
            // Of two launches that come at one time, either may be first.
            let others = next.iter().zip(&all).filter(|((_, at), own)| *at < own.len());
            prop_assume!(others.filter(|((other, _), _)| *other == comes).count() == 1);
            let ended = server.serve(comes, own[at].1);
            ends[process].push(ended);
            let gap = own.get(at + 1).map_or(0, |next| next.0);
            next[process] = (ended + gap, at + 1);
        }
        for (process, ends) in ends.iter().enumerate() {
            let own = outcome.records.iter().filter(|it| usize::from(it.process) == process);
            let found: Vec<u64> = own.map(|it| it.ended.expect("it ended").0).collect();
            prop_assert_eq!(&found, ends);
        }
        for it in &outcome.records {
            let (own, at) = (&all[usize::from(it.process)], it.task as usize);
            if at == 0 || own[at].2 {
                prop_assert_eq!(it.ready, Some(it.arrival), "ready as soon as it is issued");
                continue;
            }
            let before = outcome.records.iter().find(|other| {
                other.process == it.process && other.task + 1 == it.task
            });
            prop_assert_eq!(before.map(|other| other.arrival), Some(it.arrival), "issued with it");
        }
    }

    /// Checks that the most urgent kernel that waits goes first when workgroups of others end, and
    /// that nothing is stopped.
    #[test]
    fn the_more_urgent_stream_goes_first_where_workgroups_end(
        all in prop::collection::vec((0..400u64, 1..8u64, 1..90u64), 2..7),
    ) {
        let mut number = 0;
        let mut odd = |coarse: u64| { number += 1; coarse * 1009 + number };
        // Each stream has one kernel, of workgroups that fill the device; a lower stream is more
        // urgent.
        let all: Vec<(u64, u64, u64)> =
            all.into_iter().map(|(at, groups, lasts)| (odd(at), groups, odd(lasts))).collect();
        let tasks = all.iter().zip(0..).map(|(&(at, groups, lasts), level)| {
            vec![Task { level: Level(level), ..kernel(at, groups, 8, lasts) }]
        });
        let workload = streams(tasks.collect());
        let recipe = "raddle = 1\nturn = { policy = \"everyone\" }\nallocate = { policy = \
                      \"leftover\", order = \"level\" }\npreempt = { policy = \"never\" }\n";
        let registry = raddle_dispatch::Registry::bundled();
        let recipe = registry.recipe("streams", recipe).expect("it is one");
        let dispatcher = recipe.builder(SHAPE, 1).expect("it fits").build().expect("it builds");
        let outcome = try_run(&workload, 1, dispatcher).expect("it runs");

        let mut left: Vec<u64> = all.iter().map(|it| it.1).collect();
        let mut ends = vec![0; all.len()];
        let mut now = 0;
        while left.iter().any(|&groups| groups > 0) {
            let waits = |at: &usize| left[*at] > 0 && all[*at].0 <= now;
            let Some(at) = (0..all.len()).find(waits) else {
                let next = (0..all.len()).filter(|&at| left[at] > 0).map(|at| all[at].0).min();
                now = next.expect("something is left");
                continue;
            };
            left[at] -= 1;
            now += all[at].2;
            ends[at] = now;
        }
        let found: Vec<u64> = (0..all.len()).map(|at| end(&outcome, at)).collect();
        prop_assert_eq!(found, ends);
    }

    /// Checks that streams beyond the number of hardware queues share them: on AMD work waits for
    /// the end, on NVIDIA for the start of what was issued before in its queue.
    #[test]
    fn streams_share_hardware_queues(
        device in prop::sample::select(vec!["h100", "mi300x"]),
        queues in prop::option::of(1..6u16),
        all in prop::collection::vec((0..20usize, 1..40u64, 1..60u64), 1..60),
    ) {
        let text = recorded(device, queues, &all, (0, 0));
        let profile = read("table.csv", text.as_bytes(), &ImportConfig::default())
            .expect("it is a launch table");
        let own = raddle_device::find(device).expect("it is known");
        let config = PlanConfig { queues, ..PlanConfig::new(&own, &own) };
        let process = plan(&profile, &config, |_| Level(0));
        let workload = Workload { processes: vec![process], repeat: false };
        let builder = Composed::builder(own.shape, own.cus);
        let options = raddle_sim::SimConfig {
            shape: own.shape, cus: own.cus, ..crate::kit::options(own.cus)
        };
        let mut dispatcher = builder.build().expect("it builds");
        let outcome = raddle_sim::run(&workload, &mut dispatcher, &options, &mut |_| ())
            .expect("it runs");

        for (issued, start, stream) in issued_and_started(device, queues, &all, (0, 0)) {
            let own = outcome.records.iter().find(|it| it.arrival.0 == issued);
            let found = own.expect("it was issued").started.expect("it started").0;
            prop_assert_eq!(found, start, "the op of stream {} issued at {}", stream, issued);
        }
    }
}
