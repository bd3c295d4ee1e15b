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
    /// The processes; the index is the process id.
    pub processes: Vec<ProcessPlan>,
    /// True if profiles that repeat back to back are repeated until the longest of them has ended
    /// once and every request with a given time has ended.
    pub repeat: bool,
}

/// The plan of one process: a profile, ready to be simulated.
#[derive(Clone, Debug)]
pub struct ProcessPlan {
    /// The name of the process, for people.
    pub name: String,
    /// The launches, copies and fills of the process, in the order of the profile.
    pub tasks: Vec<Task>,
    /// The indices of `tasks` in the order in which they arrive.
    pub by_arrival: Vec<u32>,
    /// The waits of tasks besides [`Task::after`]: each task waits for an earlier one, of any
    /// stream, that is issued no later. Sorted by the waiting task, then by the other one.
    pub waits: Vec<TaskWait>,
    /// The tasks that end together with tasks of other processes, in the order of the tasks.
    pub meetings: Vec<Meeting>,
    /// The ticks that pass, whatever the device does, before a launch, copy or fill of the process
    /// can start.
    pub latency: LaunchLatency,
    /// The cost of neighbours of other processes, by task; empty where they cost nothing. The cost
    /// of neighbours of its own process is in the recording.
    pub contention: Vec<Contention>,
    /// The demand of each task for the memory's bandwidth, from which the time follows that
    /// neighbours and fewer compute units cost; `None` where no such time counts. Where a task also
    /// has a factor in `contention`, that factor counts for neighbours.
    pub demand: Option<ProcessDemand>,
    /// The time that the host takes between two repetitions; a profile of a single repetition
    /// cannot show it.
    pub think: Ticks,
    /// The number of streams of the process.
    pub streams: u32,
    /// The time from 0 of the profile to its last recorded end.
    pub span: Ticks,
    /// The time of the run at which the process joins.
    pub start: Ticks,
    /// The share of the process, 1 or more: a factor of its weight where the device is divided
    /// among processes.
    pub share: u32,
    /// The hints of the program: (time since the process joins, stream or `None` for the whole
    /// process, hint).
    pub hints: Vec<(Ticks, Option<StreamId>, Hint)>,
    /// The rule by which the profile begins, and begins anew.
    pub repetition: Repetition,
    /// The number of first requests that figures of requests leave out, as the device was empty
    /// before them.
    pub warm_up: u32,
    /// The waits of the host for the device (closed loop); with `None` the host issues at the
    /// recorded times, whatever the device does (open loop).
    pub host: Option<HostPauses>,
}

impl ProcessPlan {
    /// Returns a process of these tasks that joins at time 0 with share 1 and repeats back to back;
    /// its span ends with its last arrival.
    ///
    /// A task may only wait for an earlier one of its own stream.
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

    /// Returns whether two processes are equal except for their names and repetitions, so that a
    /// single run of one passes as a single run of the other.
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

/// The membership of a task in a meeting: tasks of several processes with the same number end
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meeting {
    /// The index of the task in the plan.
    pub task: u32,
    /// The number of the meeting; tasks with one number wait for each other and end together.
    pub number: u32,
}

/// A wait between tasks of one process: a task does not start before an earlier one has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskWait {
    /// The index in the plan of the task that waits.
    pub task: u32,
    /// The index in the plan of the task for which it waits, which is an earlier one.
    pub source: u32,
}

/// The times that pass before a launch, copy or fill can start, whatever the device does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchLatency {
    /// The ticks from the moment at which the host issues a task until it can start.
    pub launch: Ticks,
    /// The ticks from the end of the last task for which a task waits until it can start.
    pub handover: Ticks,
}

/// The recorded time from the end of the last task for which a task waits to its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedGap {
    /// The host issues the task this long after the last task for which it waits has ended.
    Host(Ticks),
    /// The host issues the task with the one before it in its stream, and the device begins it this
    /// long after the last task for which it waits has ended.
    Device(Ticks),
}

/// One launch, copy or fill of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The stream in which the task runs.
    pub stream: StreamId,
    /// The urgency of the task: level 0 is the most urgent.
    pub level: Level,
    /// The time at which the host issues the task, since time 0 of the profile.
    pub arrival: Ticks,
    /// The task of the same stream that must end first, as an index in the plan; `None` for the
    /// first of a stream.
    pub after: Option<u32>,
    /// The time from the end of the last task for which this one waits to its start, without launch
    /// latency, where the issue of the task was not recorded; else `None`.
    pub gap: Option<RecordedGap>,
    /// The verdict whether the task may be killed and run again.
    pub idempotent: Idempotence,
    /// The rates at which the waves of the task issue instructions, where the task runs workgroups.
    pub activity: Activity,
    /// The call by which the host launched the kernel.
    pub call: KernelCall,
    /// The recorded time, since time 0 of the profile, at which the peers on other devices had
    /// ended; `None` without peers. The task ends no earlier, and its peers are as late as those of
    /// the tasks before were.
    pub peers: Option<Ticks>,
    /// The work that the task does on the device.
    pub work: Work,
}

/// The work that a task does on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The task runs workgroups.
    Kernel {
        /// The number of workgroups; a launch of 0 is refused on arrival.
        workgroups: u64,
        /// The ticks that each workgroup lasts.
        workgroup: Ticks,
        /// The resources that each workgroup takes, in granules.
        demand: Demand,
        /// The answer (yes, no or unknown) to whether the waves of a workgroup wait for each other
        /// at barriers.
        barrier: Barrier,
        /// The registers and the LDS of one workgroup, in bytes: the bytes that saving it moves.
        context_bytes: u64,
    },
    /// The task would run workgroups that can never run: an empty compute unit has no room for one,
    /// or the grid is too large to have run within the recorded duration.
    Unfit {
        /// The resource of which the device has too little for the task, whatever else runs.
        resource: Resource,
        /// The amount of the resource that one workgroup wants, or the number of workgroups of a
        /// grid that is too large.
        wanted: u64,
        /// The amount of the resource that the device has for the workgroup, or the largest number
        /// of workgroups that can have run.
        available: u64,
    },
    /// The task copies or fills memory.
    Copy {
        /// The ticks that the copy lasts once it runs.
        lasts: Ticks,
        /// The direction of the copy, which decides what it needs: a copy engine, the memory of the
        /// device, or nothing; `None` where it is unknown, and for fills.
        direction: Option<CopyDirection>,
    },
}

impl ProcessPlan {
    /// Returns the process with a host that waits for the device (closed loop).
    #[must_use]
    pub fn closed(self, pauses: Vec<HostPause>) -> Self {
        let order: Vec<_> = self.tasks.iter().map(|task| (task.arrival, task.after)).collect();
        let waits = self.waits.iter().map(|wait| (wait.task, wait.source));
        let host = HostPauses::new(pauses, &order, waits, &self.by_arrival);
        Self { host: Some(host), ..self }
    }

    /// Returns the waits of the task with this index in the plan, beside [`Task::after`].
    pub(crate) fn waits_of(&self, task: u32) -> &[TaskWait] {
        let from = self.waits.partition_point(|wait| wait.task < task);
        let count = self.waits[from..].partition_point(|wait| wait.task == task);
        &self.waits[from..from + count]
    }

    /// Returns whether the process is run by requests: it is not repeated back to back.
    #[must_use]
    pub fn has_requests(&self) -> bool {
        self.repetition != Repetition::BackToBack
    }

    /// Returns the times at which requests begin, counted from the moment at which the process
    /// joins; empty where no times are given.
    pub(crate) fn times(&self) -> &[Ticks] {
        match &self.repetition {
            Repetition::At(times) => times,
            _ => &[],
        }
    }

    /// Returns the number of tasks in requests with given times, for whose ends the run waits.
    fn requested(&self) -> u64 {
        (self.times().len() as u64).saturating_mul(self.tasks.len() as u64)
    }

    /// Returns the time at which the first launch is issued, since the profile begins; `None` where
    /// there is no launch.
    pub(crate) fn first(&self) -> Option<Ticks> {
        let task = &self.tasks[*self.by_arrival.first()? as usize];
        Some(task.arrival)
    }
}

impl Workload {
    /// Returns whether a process is run again and again for as long as launches of other processes
    /// lead the run (the run lasts until they end).
    #[must_use]
    pub fn repeats(&self, process: usize) -> bool {
        let leads = |plan: &ProcessPlan| !plan.times().is_empty();
        let led = self.until() > Ticks::ZERO || self.processes.iter().any(leads);
        let back_to_back = !self.processes[process].has_requests();
        self.repeat && back_to_back && (led || self.longest() != Some(process))
    }

    /// Returns the index of the longest profile that is repeated back to back, the lowest of
    /// equals; `None` where there is none.
    pub(crate) fn longest(&self) -> Option<usize> {
        let spans = self.processes.iter().enumerate().rev();
        let back_to_back = spans.filter(|(_, plan)| plan.repetition == Repetition::BackToBack);
        back_to_back.max_by_key(|(_, plan)| plan.span).map(|(position, _)| position)
    }

    /// Returns the number of launches that lead the run: those of the longest profile that is
    /// repeated back to back, once, and those of all requests with given times. Until they have
    /// ended, the other processes repeat.
    #[must_use]
    pub fn leading(&self) -> u64 {
        let longest = self.longest().map_or(0, |at| self.processes[at].tasks.len() as u64);
        self.processes.iter().map(ProcessPlan::requested).fold(longest, u64::saturating_add)
    }

    /// Returns the number of launches of all requests with given times; a run keeps some 80 bytes
    /// for each.
    #[must_use]
    pub(crate) fn requested(&self) -> u64 {
        self.processes.iter().map(ProcessPlan::requested).fold(0, u64::saturating_add)
    }

    /// Returns the latest time, in ns since the start of the run, at which a closed loop is to end;
    /// 0 where none is given an end.
    pub(crate) fn until(&self) -> Ticks {
        let ends = self.processes.iter().map(|plan| match plan.repetition {
            Repetition::Closed { until: Some(until) } => until,
            _ => Ticks::ZERO,
        });
        ends.max().unwrap_or_default()
    }

    /// Checks that the rules of repetition are valid, such as ascending times of requests.
    pub(crate) fn check_repetition(&self) -> Result<(), SimError> {
        for plan in &self.processes {
            if let Some(problem) = plan.repetition.problem(self.processes.len()) {
                return Err(SimError::Requests { process: plan.name.clone(), problem });
            }
        }
        Ok(())
    }
}
