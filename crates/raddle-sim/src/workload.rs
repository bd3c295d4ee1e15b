//! What is there to simulate?

use raddle_policy::{
    Activity, Barrier, Demand, Hint, Idempotence, KernelCall, Level, Resource, StreamId, Ticks,
};
use raddle_trace::CopyDirection;

use crate::contention::Contention;
use crate::demand::ProcessDemand;
use crate::error::SimError;
use crate::pauses::{HostPause, HostPauses};
use crate::repetition::Repetition;

/// Processes that run together.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The processes; the position is the process id.
    pub processes: Vec<ProcessPlan>,
    /// True if the shorter profiles of those that repeat back to back do so until the longest has
    /// ended once, and every request of the others.
    pub repeat: bool,
}

/// One process: a profile, ready to be simulated.
#[derive(Clone, Debug)]
pub struct ProcessPlan {
    /// The name of the process, for people.
    pub name: String,
    /// The work of the process, in the order of the profile.
    pub tasks: Vec<Task>,
    /// Positions of `tasks` by arrival.
    pub by_arrival: Vec<u32>,
    /// The waits of tasks besides [`Task::after`]: each task waits for an earlier one, of any
    /// stream, that is issued no later. By task, then by the one that it waits for.
    pub waits: Vec<TaskWait>,
    /// The tasks that end together with tasks of other processes, by task.
    pub meetings: Vec<Meeting>,
    /// How long it takes until a launch can start.
    pub latency: LaunchLatency,
    /// By task, the cost of neighbours of other processes; empty where they cost nothing. The cost
    /// of neighbours of its own process is in the recording.
    pub contention: Vec<Contention>,
    /// The demand for the memory's bandwidth, and what fewer units cost; `None`: neither counts.
    /// It stands instead of `contention`: of a process that has both, what recordings taught
    /// counts.
    pub demand: Option<ProcessDemand>,
    /// How long the host takes between two repetitions, which a profile of one does not hold.
    pub think: Ticks,
    /// How many streams the process has.
    pub streams: u32,
    /// From time 0 of the profile to its last recorded end.
    pub span: Ticks,
    /// When the process joins.
    pub start: Ticks,
    /// The share of the process, 1 or more.
    pub share: u32,
    /// The hints of the program for the process or for one of its streams, each with its time since
    /// the process joins.
    pub hints: Vec<(Ticks, Option<StreamId>, Hint)>,
    /// When the profile begins, and begins anew.
    pub repetition: Repetition,
    /// The first requests, which figures of requests do not count: the device was empty before
    /// them.
    pub warm_up: u32,
    /// Where the host waits for the device; `None`: it issues at the recorded times, whatever the
    /// device does (open loop).
    pub host: Option<HostPauses>,
}

impl ProcessPlan {
    /// A process of these tasks that joins at 0 with share 1 and repeats back to back; its span
    /// ends with its last arrival.
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

    /// Returns whether two processes are equal but for their names and repetitions, so that what
    /// happens to one when it runs once happens to the other.
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

/// The meeting of a task with tasks of other processes: those of the same number end together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Meeting {
    /// The task, as a position in the plan.
    pub task: u32,
    /// The number of the meeting.
    pub number: u32,
}

/// The wait of a task for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskWait {
    /// The task that waits, as a position in the plan.
    pub task: u32,
    /// The task that is waited for, an earlier position.
    pub source: u32,
}

/// How long it takes until a launch, copy or fill can start, whatever the device does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchLatency {
    /// The time from when the host issues it.
    pub launch: Ticks,
    /// The time from the end of the last task that it waits for.
    pub handover: Ticks,
}

/// A time between the end of the last task that one waits for and its start, as recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedGap {
    /// The host issues the task when this time has passed.
    Host(Ticks),
    /// The host issues the task with the one before it in its stream, and the device needs this
    /// time to begin it.
    Device(Ticks),
}

/// One launch, copy or fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The stream of the task.
    pub stream: StreamId,
    /// How urgent the task is.
    pub level: Level,
    /// When the host issues the task, since the process's time 0.
    pub arrival: Ticks,
    /// The task that must end first, as a position in the plan.
    pub after: Option<u32>,
    /// Where nobody recorded when the task was issued: the time from the end of the last task that
    /// it waits for to its start, without launch latency.
    pub gap: Option<RecordedGap>,
    /// Says if the task may be killed and run again.
    pub idempotent: Idempotence,
    /// The activity of the waves, where the task runs workgroups.
    pub activity: Activity,
    /// The parameters that the host gave with the launch.
    pub call: KernelCall,
    /// When the peers on other devices had ended when recorded, since the process's time 0: the
    /// task ends no earlier, and its peers are as late as those of the tasks before were.
    pub peers: Option<Ticks>,
    /// The work of the task.
    pub work: Work,
}

/// The work of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Runs workgroups.
    Kernel {
        /// The number of workgroups; a launch of 0 is refused on arrival.
        workgroups: u64,
        /// How long each workgroup lasts.
        workgroup: Ticks,
        /// The demand of each workgroup.
        demand: Demand,
        /// Says if the waves of a workgroup meet at a barrier.
        barrier: Barrier,
        /// Registers and LDS of one workgroup, in bytes: what saving it moves.
        context_bytes: u64,
    },
    /// Runs workgroups of a size that the device cannot even name.
    Unfit {
        /// The resource that is lacking.
        resource: Resource,
        /// How much one workgroup wants.
        wanted: u64,
        /// How much of the resource there is.
        available: u64,
    },
    /// Copies or fills memory.
    Copy {
        /// How long the copy lasts once it runs.
        lasts: Ticks,
        /// The direction of the copy, which decides what it needs: a copy engine, the memory of the
        /// device, or nothing; `None` where nobody knows it, and of fills.
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

    /// Returns the waits of a task besides [`Task::after`].
    pub(crate) fn waits_of(&self, task: u32) -> &[TaskWait] {
        let from = self.waits.partition_point(|wait| wait.task < task);
        let count = self.waits[from..].partition_point(|wait| wait.task == task);
        &self.waits[from..from + count]
    }

    /// Returns whether the process is run by requests.
    #[must_use]
    pub fn has_requests(&self) -> bool {
        self.repetition != Repetition::BackToBack
    }

    /// Returns the times of the requests since the process joins, where they are given.
    pub(crate) fn times(&self) -> &[Ticks] {
        match &self.repetition {
            Repetition::At(times) => times,
            _ => &[],
        }
    }

    /// Returns how many tasks the end of a run waits for, beside those of the longest profile.
    fn requested(&self) -> u64 {
        (self.times().len() as u64).saturating_mul(self.tasks.len() as u64)
    }

    /// Returns when the first launch is issued, since the profile begins; `None` where there is
    /// none.
    pub(crate) fn first(&self) -> Option<Ticks> {
        let task = &self.tasks[*self.by_arrival.first()? as usize];
        Some(task.arrival)
    }
}

impl Workload {
    /// Returns whether a process is run again and again for as long as others run.
    #[must_use]
    pub fn repeats(&self, process: usize) -> bool {
        let leads = |plan: &ProcessPlan| !plan.times().is_empty();
        let led = self.until() > Ticks::ZERO || self.processes.iter().any(leads);
        let back_to_back = !self.processes[process].has_requests();
        self.repeat && back_to_back && (led || self.longest() != Some(process))
    }

    /// Returns the longest profile that is repeated back to back, the lowest of equals.
    pub(crate) fn longest(&self) -> Option<usize> {
        let spans = self.processes.iter().enumerate().rev();
        let back_to_back = spans.filter(|(_, plan)| plan.repetition == Repetition::BackToBack);
        back_to_back.max_by_key(|(_, plan)| plan.span).map(|(position, _)| position)
    }

    /// Returns how many launches lead the run: those of the longest profile that is repeated back
    /// to back, once, and those of all requests whose times are given. Until they have ended, the
    /// rest repeats.
    #[must_use]
    pub fn leading(&self) -> u64 {
        let longest = self.longest().map_or(0, |at| self.processes[at].tasks.len() as u64);
        self.processes.iter().map(ProcessPlan::requested).fold(longest, u64::saturating_add)
    }

    /// Returns how many launches all requests have whose times are given; what a run keeps of each
    /// takes some 80 bytes.
    #[must_use]
    pub(crate) fn requested(&self) -> u64 {
        self.processes.iter().map(ProcessPlan::requested).fold(0, u64::saturating_add)
    }

    /// Returns when the last closed loop that knows its end ends.
    pub(crate) fn until(&self) -> Ticks {
        let ends = self.processes.iter().map(|plan| match plan.repetition {
            Repetition::Closed { until: Some(until) } => until,
            _ => Ticks::ZERO,
        });
        ends.max().unwrap_or_default()
    }

    /// Checks that the times of requests make sense.
    pub(crate) fn check_repetition(&self) -> Result<(), SimError> {
        for plan in &self.processes {
            if let Some(problem) = plan.repetition.problem(self.processes.len()) {
                return Err(SimError::Requests { process: plan.name.clone(), problem });
            }
        }
        Ok(())
    }
}
