//! How is a timeline made from what was recorded during a simulation, its outcome, and names?

use std::collections::BTreeMap;

use raddle_sim::{Doing, Outcome, ProcessPlan, Work, Workload};
use raddle_trace::Profile;

use super::model::by_ready;
use super::model::{Away, DrawnLaunch, DrawnProcess, DrawnRequest, DrawnTurn, DrawnWait, Timeline};
use super::recorder::{Holder, Recorder};

/// Names of the device, processes, kernels and streams for a timeline.
#[derive(Clone, Debug, Default)]
pub struct TimelineNames {
    device: String,
    /// Names of each process: (its kernels, the index of the kernel of each task, its streams).
    processes: Vec<(Vec<String>, Vec<u32>, Vec<String>)>,
}

impl TimelineNames {
    /// Collects the name of the device and, from each profile, the names of its kernels and
    /// streams. A kernel or copy without a name is called `kernel` or `copy`, a stream without one
    /// by its number.
    pub fn of<'p>(device: &str, profiles: impl IntoIterator<Item = &'p Profile>) -> Self {
        let of = |profile: &Profile| {
            let tasks = profile.ops.iter().map(|op| op.kernel).collect();
            let streams = profile.streams.iter().map(|stream| stream.label.clone()).collect();
            (profile.kernels.clone(), tasks, streams)
        };
        Self { device: device.to_owned(), processes: profiles.into_iter().map(of).collect() }
    }

    fn kernel(&self, process: u16, task: u32, is_copy: bool) -> &str {
        let of = self.processes.get(usize::from(process)).and_then(|(kernels, tasks, _)| {
            let kernel = *tasks.get(task as usize)?;
            kernels.get(kernel as usize)
        });
        of.map_or(if is_copy { "copy" } else { "kernel" }, String::as_str)
    }

    fn stream(&self, process: usize, stream: u32) -> String {
        let of = self.processes.get(process).and_then(|(.., names)| names.get(stream as usize));
        of.cloned().unwrap_or_else(|| stream.to_string())
    }
}

impl Recorder {
    /// Makes the timeline of the recorded simulation.
    ///
    /// Where more launches were ready than the timeline may have slices (bars), the later ones are
    /// left out ([`Timeline::cut_ns`] says from when on).
    #[must_use]
    pub fn finish(
        mut self,
        workload: &Workload,
        outcome: &Outcome,
        names: &TimelineNames,
    ) -> Timeline {
        let whole_ns = self.last.max(outcome.last.0);
        let (from, to) = self.drawn();
        let end_ns = whole_ns.min(to);
        for unit in &mut self.units {
            unit.close(whole_ns, &mut self.store);
        }
        for (launch, (how, since)) in std::mem::take(&mut self.off) {
            // A killed launch that never began again was off the device to the end.
            self.off.insert(launch, (how, since));
            self.back(whole_ns, launch);
        }
        let (grain, slices) = self.store.finish();
        let (counter_step_ns, counters) = self.counts.finish();
        // Before its first wave starts a launch waits, whether it is off the device or not.
        self.aways.retain_mut(|away| {
            let record = outcome.records.get(away.launch as usize);
            let started = record.and_then(|record| record.started);
            away.start_ns = away.start_ns.max(started.map_or(u64::MAX, |at| at.0));
            away.start_ns < away.end_ns && away.end_ns >= from && away.start_ns <= to
        });
        self.aways.sort_unstable_by_key(|away: &Away| (away.launch, away.start_ns));
        let mut timeline = Timeline {
            device: names.device.clone(),
            cus: self.units.len() as u16,
            wave_slots: outcome.wave_slots,
            end_ns,
            grain,
            processes: processes(workload, names),
            requests: requests(workload, outcome, (from, end_ns)),
            turns: if self.holders.len() < self.most {
                turns(&self.holders, end_ns)
            } else {
                Vec::new()
            },
            waits: if self.changes < self.most { waits(&self.doing, end_ns) } else { Vec::new() },
            slices,
            aways: self.aways,
            aways_left_out: self.aways_left_out,
            counters,
            counter_step_ns,
            ..Timeline::default()
        };
        add_launches(&mut timeline, workload, outcome, names);
        for (at, launch) in timeline.launches.iter_mut().enumerate() {
            launch.submitted_ns = self.submitted.get(at).copied().flatten();
            let outside =
                |ready: &mut u64| *ready > to || launch.ended_ns.is_some_and(|at| at < from);
            launch.ready_ns.take_if(outside);
        }
        let order = by_ready(&timeline);
        for &late in order.get(self.most..).unwrap_or_default() {
            let ready = timeline.launches[late as usize].ready_ns.take();
            timeline.cut_ns = timeline.cut_ns.or(ready);
        }
        timeline
    }
}

fn processes(workload: &Workload, names: &TimelineNames) -> Vec<DrawnProcess> {
    let plans = workload.processes.iter().enumerate();
    let process = |(at, plan): (usize, &ProcessPlan)| DrawnProcess {
        name: plan.name.clone(),
        streams: (0..plan.streams).map(|stream| names.stream(at, stream)).collect(),
    };
    plans.map(process).collect()
}

fn add_launches(
    timeline: &mut Timeline,
    workload: &Workload,
    outcome: &Outcome,
    names: &TimelineNames,
) {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    for record in &outcome.records {
        let task = &workload.processes[usize::from(record.process)].tasks[record.task as usize];
        let (is_copy, workgroups) = match task.work {
            Work::Copy { .. } => (true, 0),
            // A launch that was told its compute units has the grid that fits the units of its
            // process.
            Work::Kernel { .. } if record.units > 0 => (false, record.workgroups),
            Work::Kernel { workgroups, .. } => (false, workgroups),
            Work::Unfit { .. } => (false, 0),
        };
        let name = names.kernel(record.process, record.task, is_copy);
        let next = known.len() as u32;
        let kernel = *known.entry(name).or_insert_with(|| {
            timeline.kernels.push(name.to_owned());
            next
        });
        timeline.launches.push(DrawnLaunch {
            process: record.process,
            stream: task.stream.0,
            kernel,
            level: task.level.0,
            iteration: record.iteration,
            is_copy,
            workgroups,
            arrival_ns: record.arrival.0,
            ready_ns: record.ready.map(|at| at.0),
            submitted_ns: None,
            started_ns: record.started.map(|at| at.0),
            ended_ns: record.ended.map(|at| at.0),
            refused: record.refused,
        });
    }
}

/// Returns the requests that have ended and overlap a window (from, to), in ns.
fn requests(workload: &Workload, outcome: &Outcome, (from, to): (u64, u64)) -> Vec<DrawnRequest> {
    let mut ends: BTreeMap<(u16, u32), u64> = BTreeMap::new();
    for record in &outcome.records {
        if let (Some(end), true) =
            (record.ended, workload.processes[usize::from(record.process)].has_requests())
        {
            let last = ends.entry((record.process, record.iteration)).or_insert(end.0);
            *last = end.0.max(*last);
        }
    }
    let request = |((process, number), end_ns): ((u16, u32), u64)| {
        let began = outcome.began.get(usize::from(process))?;
        let start_ns = began.get(number as usize)?.0;
        let inside = start_ns <= to && end_ns >= from;
        inside.then_some(DrawnRequest { process, number, start_ns, end_ns })
    };
    ends.into_iter().filter_map(request).collect()
}

/// Returns the spans in which a process had no waves on the device, with what it waited for.
/// `doing` has for each process its changes of activity: (time in ns, activity from then on).
fn waits(doing: &[Vec<(u64, Doing)>], end_ns: u64) -> Vec<DrawnWait> {
    let own = |(process, own): (u16, &Vec<(u64, Doing)>)| -> Vec<DrawnWait> {
        let ends = own.iter().skip(1).map(|next| next.0).chain([end_ns]);
        let wait = own.iter().zip(ends).map(|(&(start_ns, cause), end_ns)| DrawnWait {
            process,
            cause,
            start_ns,
            end_ns,
        });
        wait.filter(|it| it.cause != Doing::Runs && it.start_ns < it.end_ns).collect()
    };
    (0u16..).zip(doing).flat_map(own).collect()
}

/// Returns the spans in which one process, or several, had waves on the device. `holders` has each
/// change of which processes have waves: (time in ns, these processes from then on).
fn turns(holders: &[(u64, Holder)], end_ns: u64) -> Vec<DrawnTurn> {
    let ends = holders.iter().skip(1).map(|next| next.0).chain([end_ns]);
    let turn = |(&(start_ns, holder), end_ns): (&(u64, Holder), u64)| {
        let process = match holder {
            Holder::Nobody => return None,
            Holder::One(process) => Some(process),
            Holder::Several => None,
        };
        (start_ns < end_ns).then_some(DrawnTurn { process, start_ns, end_ns })
    };
    holders.iter().zip(ends).filter_map(turn).collect()
}
