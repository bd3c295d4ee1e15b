//! Which processes, launches and copies does a run simulate?

use raddle_policy::{
    Activity, Barrier, Demand, Hint, Idempotence, KernelCall, Level, Resource, StreamId, Ticks,
};
use raddle_trace::CopyDirection;

use crate::contention::Contention;
use crate::demand::ProcessDemand;
use crate::error::SimError;
use crate::pauses::{HostPause, HostPauses};
use crate::repetition::Repetition;

/// A workload: processes that run together on one device.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The processes of the workload; the index is the process id.
    pub processes: Vec<ProcessPlan>,
    /// True if profiles under [`Repetition::BackToBack`] begin anew until the longest of them has
    /// ended once and every request with a given time has ended.
    pub repeat: bool,
}

/// The plan of one process: its recorded profile in the form in which it is simulated.
#[derive(Clone, Debug)]
pub struct ProcessPlan {
    /// The name of the process, for results.
    pub name: String,
    /// The launches, copies and fills of the process, in the order of the profile.
    pub tasks: Vec<Task>,
    /// The indices of `tasks`, sorted by the time at which the host issues them.
    pub by_arrival: Vec<u32>,
    /// The waits between tasks (launches, copies, fills), without those of [`Task::after`]. Each is
    /// for an earlier task, of any stream, that is issued no later. The waits are sorted by the
    /// waiting task, then by the task that is waited for.
    pub waits: Vec<TaskWait>,
    /// The launches that wait for launches of other processes and end together with them, in the
    /// order of `tasks`.
    pub meetings: Vec<Meeting>,
    /// The ticks that pass before a launch, copy or fill of the process can start, even on an idle
    /// device.
    pub latency: LaunchLatency,
    /// The slowdown of each launch, copy and fill by neighbours of other processes; empty where
    /// neighbours cost nothing. Slowdowns by the process's own kernels are part of the recorded
    /// times.
    pub contention: Vec<Contention>,
    /// The demand of each launch, copy and fill for memory bandwidth, from which its slowdown by
    /// neighbours and on fewer compute units is derived; `None` where they cost no time. Where
    /// `contention` has a slowdown of a launch by neighbours, that one is used instead.
    pub demand: Option<ProcessDemand>,
    /// The ticks that the host takes between two repetitions of the profile, which a recording of a
    /// single repetition cannot show.
    pub think: Ticks,
    /// The number of streams of the process.
    pub streams: u32,
    /// The ticks from time 0 of the profile to the end of its last recorded op.
    pub span: Ticks,
    /// The time at which the process joins the run, in ticks from the run's begin.
    pub start: Ticks,
    /// The share of the process, 1 or more: a factor of its weight where a policy divides the
    /// device among processes.
    pub share: u32,
    /// The hints that the program gives: (ticks since the process joins, stream or `None` for the
    /// whole process, hint).
    pub hints: Vec<(Ticks, Option<StreamId>, Hint)>,
    /// The rule by which the profile is run, once or again and again.
    pub repetition: Repetition,
    /// The number of first requests of the process that figures of requests leave out, as the
    /// device was empty before them.
    pub warm_up: u32,
    /// The waits of the host for the device (closed loop); with `None` the host issues at the
    /// recorded times, whatever the device does (open loop).
    pub host: Option<HostPauses>,
}

impl ProcessPlan {
    /// Returns a process of these tasks that joins at time 0 with share 1 and repeats back to back.
    /// Its recorded span ends when its last task is issued.
    ///
    /// A task (launch, copy or fill) may only wait for an earlier one of its own stream.
    #[must_use]
    pub fn new(name: &str, tasks: Vec<Task>) -> Self {
        let mut by_arrival: Vec<u32> = (0..tasks.len() as u32).collect();
        by_arrival.sort_by_key(|&position| tasks[position as usize].arrival);
        let last = tasks.iter().map(|task| task.arrival).max().unwrap_or_default();
        Self {
            name: name.to_owned(),
            by_arrival,
            streams: tasks.iter().map(|task| task.stream.0.saturating_add(1)).max().unwrap_or(0),
            waits: Vec::new(),
            meetings: Vec::new(),
            latency: LaunchLatency::default(),
            contention: Vec::new(),
            demand: None,
            think: Ticks::ZERO,
            span: Ticks(last.0.saturating_add(1)),
            start: Ticks::ZERO,
            share: 1,
            hints: Vec::new(),
            repetition: Repetition::BackToBack,
            warm_up: 0,
            host: None,
            tasks,
        }
    }

    /// Returns whether two processes do the same work at the same times: they differ at most in
    /// their names and in the rules of their requests. One run of a process alone then serves for
    /// both.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let Self {
            name: _,
            repetition: _,
            warm_up: _,
            tasks,
            by_arrival,
            streams,
            span,
            start,
            share,
            ..
        } = self;
        let Self { contention, demand, think, waits, latency, host, hints, .. } = self;
        (streams, span, start, share) == (&other.streams, &other.span, &other.start, &other.share)
            && (contention, demand, think) == (&other.contention, &other.demand, &other.think)
            && (host, waits, latency, hints)
                == (&other.host, &other.waits, &other.latency, &other.hints)
            && (tasks, by_arrival) == (&other.tasks, &other.by_arrival)
    }
}

/// The link of a launch to a meeting: launches of several processes that wait for each other and
/// end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meeting {
    /// The index of the launch in the plan of its process.
    pub task: u32,
    /// The number of the meeting: all launches with this number wait for each other and end
    /// together.
    pub number: u32,
}

/// A wait between tasks (launches, copies or fills) of one process: a task does not start before an
/// earlier one has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskWait {
    /// The index, in the plan of the process, of the task that waits.
    pub task: u32,
    /// The index, in the plan of the process, of the earlier task that must end first.
    pub source: u32,
}

/// The ticks that pass before a launch, copy or fill can start, even on an idle device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchLatency {
    /// The ticks from the issue of a launch, copy or fill by its host until it can start.
    pub launch: Ticks,
    /// The ticks until a launch, copy or fill can start, from the end of the last work for which it
    /// waits.
    pub handover: Ticks,
}

/// The recorded time from the end of the last work for which a launch, copy or fill waits to its
/// start, and who spent that time: the host or the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedGap {
    /// The host spent the gap: it issues the launch, copy or fill these ticks after the end of the
    /// last work for which that waits.
    Host(Ticks),
    /// The device spent the gap: the host issues the launch, copy or fill together with the one
    /// before it in its stream, and the device begins it these ticks after the end of the last work
    /// for which it waits.
    Device(Ticks),
}

/// One launch, copy or fill of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The stream in which the launch, copy or fill runs.
    pub stream: StreamId,
    /// The urgency of the launch, copy or fill: level 0 is the most urgent.
    pub level: Level,
    /// The time at which the host issues the launch, copy or fill, in ticks since time 0 of the
    /// profile.
    pub arrival: Ticks,
    /// The index in the plan of the launch, copy or fill of the same stream that must end first;
    /// `None` for the first of a stream.
    pub after: Option<u32>,
    /// The time from the end of the last work for which this launch, copy or fill waits to its
    /// start, without launch latency. `None` where its issue was recorded.
    pub gap: Option<RecordedGap>,
    /// The verdict on whether the launch may be killed part-way and run again.
    pub idempotent: Idempotence,
    /// The rates at which each wave of the launch issues instructions; of no effect for copies and
    /// fills.
    pub activity: Activity,
    /// The call by which the host launched the kernel, such as its grid and LDS; unknown for copies
    /// and fills.
    pub call: KernelCall,
    /// The recorded time, in ticks since time 0 of the profile, at which the launches on other
    /// devices (peers) ended with which this launch ends together; `None` without peers. The launch
    /// ends no earlier. If an earlier launch with peers ended late, the time is later by as much.
    pub peers: Option<Ticks>,
    /// The work that the launch, copy or fill does on the device.
    pub work: Work,
}

/// The work of a launch, copy or fill on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The work is that of a kernel, which runs workgroups.
    Kernel {
        /// The number of workgroups of the kernel; a launch of 0 is refused on arrival.
        workgroups: u64,
        /// The ticks that each workgroup lasts without neighbours.
        workgroup: Ticks,
        /// The resources that each workgroup takes, in granules (the units in which the device
        /// gives them out).
        demand: Demand,
        /// The knowledge (yes, no or unknown) whether the waves of a workgroup wait for each other
        /// at barriers.
        barrier: Barrier,
        /// The bytes that saving one workgroup moves: its registers and its LDS.
        context_bytes: u64,
    },
    /// The work is that of a kernel that can never run: an empty compute unit has no room for one
    /// of its workgroups, or its grid is too large to have run within the recorded duration.
    Unfit {
        /// The resource of which an empty compute unit of the device has too little for one
        /// workgroup, or the grid.
        resource: Resource,
        /// The amount of the resource that one workgroup wants; for a grid that is too large, its
        /// number of workgroups.
        wanted: u64,
        /// The amount of the resource that an empty compute unit has; for a grid that is too large,
        /// the largest number of workgroups that can have run.
        available: u64,
    },
    /// The work copies or fills memory.
    Copy {
        /// The ticks that the copy lasts, from its start to its end.
        lasts: Ticks,
        /// The direction of the copy, which decides whether it needs a copy engine, the memory of
        /// the device, or nothing; `None` where it is unknown, and for fills.
        direction: Option<CopyDirection>,
    },
}

impl ProcessPlan {
    /// Returns the process with a host that waits for the device (closed loop), at the waits
    /// `pauses`.
    #[must_use]
    pub fn closed(self, pauses: Vec<HostPause>) -> Self {
        let order: Vec<_> = self.tasks.iter().map(|task| (task.arrival, task.after)).collect();
        let waits = self.waits.iter().map(|wait| (wait.task, wait.source));
        let host = HostPauses::new(pauses, &order, waits, &self.by_arrival);
        Self { host: Some(host), ..self }
    }

    /// Returns the waits of the launch, copy or fill with the index `task` in the plan, without
    /// that of [`Task::after`].
    pub(crate) fn waits_of(&self, task: u32) -> &[TaskWait] {
        let from = self.waits.partition_point(|wait| wait.task < task);
        let count = self.waits[from..].partition_point(|wait| wait.task == task);
        &self.waits[from..from + count]
    }

    /// Returns whether the process serves requests: its repetition is not
    /// [`Repetition::BackToBack`].
    #[must_use]
    pub fn has_requests(&self) -> bool {
        self.repetition != Repetition::BackToBack
    }

    /// Returns the given times at which requests begin, in ticks since the process joins; empty
    /// where the rule of repetition has no times.
    pub(crate) fn times(&self) -> &[Ticks] {
        match &self.repetition {
            Repetition::At(times) => times,
            _ => &[],
        }
    }

    /// Returns the number of launches, copies and fills in all requests that begin at given times;
    /// the run lasts until these end.
    fn requested(&self) -> u64 {
        (self.times().len() as u64).saturating_mul(self.tasks.len() as u64)
    }

    /// Returns the time at which the first launch is issued, in ticks since the begin of the
    /// profile; `None` where the process has no launch.
    pub(crate) fn first(&self) -> Option<Ticks> {
        let task = &self.tasks[*self.by_arrival.first()? as usize];
        Some(task.arrival)
    }
}

impl Workload {
    /// Returns whether a process repeats its profile back to back for as long as the run waits for
    /// launches of other processes.
    #[must_use]
    pub fn repeats(&self, process: usize) -> bool {
        let leads = |plan: &ProcessPlan| !plan.times().is_empty();
        let led = self.until() > Ticks::ZERO || self.processes.iter().any(leads);
        let back_to_back = !self.processes[process].has_requests();
        self.repeat && back_to_back && (led || self.longest() != Some(process))
    }

    /// Returns the index of the process with the longest profile of those that repeat back to back,
    /// the lowest of equals; `None` where no process does.
    pub(crate) fn longest(&self) -> Option<usize> {
        let spans = self.processes.iter().enumerate().rev();
        let back_to_back = spans.filter(|(_, plan)| plan.repetition == Repetition::BackToBack);
        back_to_back.max_by_key(|(_, plan)| plan.span).map(|(position, _)| position)
    }

    /// Returns the number of launches for whose ends the run waits while other processes repeat:
    /// the launches of one repetition of the longest profile that repeats back to back, and of all
    /// requests with given times.
    #[must_use]
    pub fn leading(&self) -> u64 {
        let longest = self.longest().map_or(0, |at| self.processes[at].tasks.len() as u64);
        self.processes.iter().map(ProcessPlan::requested).fold(longest, u64::saturating_add)
    }

    /// Returns the number of launches in all requests that begin at given times; a run keeps some
    /// 80 bytes for each.
    #[must_use]
    pub(crate) fn requested(&self) -> u64 {
        self.processes.iter().map(ProcessPlan::requested).fold(0, u64::saturating_add)
    }

    /// Returns the latest tick of the run at which a closed loop is to end; 0 where none has such a
    /// tick.
    pub(crate) fn until(&self) -> Ticks {
        let ends = self.processes.iter().map(|plan| match plan.repetition {
            Repetition::Closed { until: Some(until) } => until,
            _ => Ticks::ZERO,
        });
        ends.max().unwrap_or_default()
    }

    /// Checks that the rule of repetition of each process is valid, such as ascending times of
    /// requests.
    pub(crate) fn check_repetition(&self) -> Result<(), SimError> {
        for plan in &self.processes {
            if let Some(problem) = plan.repetition.problem(self.processes.len()) {
                return Err(SimError::Requests { process: plan.name.clone(), problem });
            }
        }
        Ok(())
    }
}
