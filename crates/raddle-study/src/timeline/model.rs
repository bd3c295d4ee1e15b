//! What does the timeline of a simulation hold?
//!
//! All times are nanoseconds since the start of the simulation; the end of a slice (bar) is
//! exclusive.

use raddle_policy::Preemption;
use raddle_sim::Doing;

/// Timeline of one simulation: everything that a viewer draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Name of the device that was simulated, as people know it.
    pub device: String,
    /// Number of compute units of the device that was simulated.
    pub cus: u16,
    /// Largest number of waves that the device can hold at the same time.
    pub wave_slots: u64,
    /// End of the timeline in ns; launches that never ended are drawn up to it.
    pub end_ns: u64,
    /// Level of detail at which the compute units are drawn.
    pub grain: Grain,
    /// Processes that are drawn, in the order of their ids.
    pub processes: Vec<DrawnProcess>,
    /// Names of kernels, copies and fills; [`DrawnLaunch::kernel`] is an index in this list.
    pub kernels: Vec<String>,
    /// Launches, copies and fills of the simulation, in the order of their launch ids.
    pub launches: Vec<DrawnLaunch>,
    /// Requests of the processes that have any, by process and number.
    pub requests: Vec<DrawnRequest>,
    /// Spans in which one process, or several, had waves on the device, in order of time.
    pub turns: Vec<DrawnTurn>,
    /// Spans in which a process had no waves on the device, each with the reason, by process and
    /// time.
    pub waits: Vec<DrawnWait>,
    /// Spans of workgroups that ran on the compute units, in the order of unit, slot and time.
    pub slices: Vec<Slice>,
    /// Spans in which launches that had begun were off the device after a preemption, in the order
    /// of launch and time.
    pub aways: Vec<Away>,
    /// True if `aways` is empty because it would have more entries than the timeline may have
    /// slices (bars).
    pub aways_left_out: bool,
    /// Time in ns after which no launches are drawn, as more of them were ready than a timeline may
    /// show; `None` where all are drawn.
    pub cut_ns: Option<u64>,
    /// Counters over time: resident waves and ready launches.
    pub counters: Vec<TrackCounter>,
    /// Step of the counters in ns: each sample is the highest value within one step; 1 means that
    /// samples are exact.
    pub counter_step_ns: u64,
}

/// Level of detail at which compute units are drawn, the finest first. Where a level would take
/// more slices (bars) than the timeline may have, the whole timeline is drawn at the next coarser
/// one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Grain {
    /// One slice (bar) covers workgroups of one launch that run one right after the other in one
    /// workgroup slot.
    #[default]
    Slot,
    /// One slice (bar) covers the time for which a launch has any workgroup on a compute unit.
    Cu,
    /// Compute units are not drawn, only launches on their streams.
    Launch,
}

impl Grain {
    /// Returns the name of the level of detail in results: `slot`, `cu` or `launch`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slot => "slot",
            Self::Cu => "cu",
            Self::Launch => "launch",
        }
    }
}

/// A process on a timeline, with its streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnProcess {
    /// Name of the process, as the timeline shows it.
    pub name: String,
    /// Names of the streams; [`DrawnLaunch::stream`] is an index in this list.
    pub streams: Vec<String>,
}

/// A launch, copy or fill on a timeline; times are simulated nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawnLaunch {
    /// Index of the process in [`Timeline::processes`].
    pub process: u16,
    /// Index of the stream in [`DrawnProcess::streams`].
    pub stream: u32,
    /// Index of the kernel's name in [`Timeline::kernels`].
    pub kernel: u32,
    /// Level of urgency of the launch; 0 is the most urgent.
    pub level: u8,
    /// Number of the repetition of the profile to which the launch belongs, from 0.
    pub iteration: u32,
    /// True for a copy or fill, which runs on a copy engine.
    pub is_copy: bool,
    /// Number of workgroups; 0 for a copy or fill.
    pub workgroups: u64,
    /// Time at which the host issued the launch, in ns.
    pub arrival_ns: u64,
    /// Time in ns from which on the launch waited for no other work; `None` where it never became
    /// ready or is not drawn.
    pub ready_ns: Option<u64>,
    /// Time of the first submission to the device, in ns; `None` where it was never submitted.
    /// Before that time the launch waits for its turn, after it for room.
    pub submitted_ns: Option<u64>,
    /// Time at which the first wave started, in ns; `None` where none did.
    pub started_ns: Option<u64>,
    /// Time at which the last wave ended, in ns; `None` where the launch never ended.
    pub ended_ns: Option<u64>,
    /// True if the launch can never run on the device.
    pub refused: bool,
}

/// A request on a timeline, from its arrival to the end of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnRequest {
    /// Index of the process in [`Timeline::processes`].
    pub process: u16,
    /// Number of the request, from 0; [`DrawnLaunch::iteration`] of its launches is equal to it.
    pub number: u32,
    /// Time at which the request arrived, in ns.
    pub start_ns: u64,
    /// Time at which the last launch of the request ended, in ns.
    pub end_ns: u64,
}

/// Span in which the same processes, one or several, had waves on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnTurn {
    /// Index of the process in [`Timeline::processes`], if only one process had waves; `None` where
    /// several had.
    pub process: Option<u16>,
    /// Time at which the span starts, in ns.
    pub start_ns: u64,
    /// Time at which the span ends, in ns.
    pub end_ns: u64,
}

/// Span in which a process had no waves on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnWait {
    /// Index of the process in [`Timeline::processes`].
    pub process: u16,
    /// Reason why the process had no waves: what it waited for.
    pub cause: Doing,
    /// Time from which on the process had no waves, in ns.
    pub start_ns: u64,
    /// Time until which the process had no waves, in ns.
    pub end_ns: u64,
}

/// Span, drawn as one bar, in which workgroups of one launch ran on one compute unit without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Time at which the first workgroup of the slice started, in ns.
    pub start_ns: u64,
    /// Time at which the last workgroup of the slice ended, in ns.
    pub end_ns: u64,
    /// Number of workgroups that ended in the slice.
    pub workgroups: u64,
    /// Index of the launch in [`Timeline::launches`].
    pub launch: u32,
    /// Number of the workgroup slot on the compute unit, from 0. At [`Grain::Cu`] it is the number
    /// of a lane (one of several tracks side by side) instead. Slices with equal numbers never
    /// overlap.
    pub slot: u32,
    /// Number of the compute unit on which the slice is drawn, from 0.
    pub cu: u16,
    /// Way in which the last workgroups of the slice ended.
    pub ending: Ending,
}

/// Way in which the workgroups of a slice ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// All workgroups of the slice (bar) ended by themselves.
    #[default]
    Ended,
    /// Some workgroups of the slice (bar) were saved to memory, to be restored later.
    Saved,
    /// Some workgroups of the slice (bar) were killed, to begin again later.
    Killed,
    /// Some workgroups of the slice (bar) had not ended at the end of the simulation.
    Unfinished,
}

impl Ending {
    /// Returns the name of the ending in annotations, such as `saved`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Saved => "saved",
            Self::Killed => "killed",
            Self::Unfinished => "unfinished",
        }
    }
}

/// Span in which a launch that had started was off the device after a preemption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Away {
    /// Index of the launch in [`Timeline::launches`].
    pub launch: u32,
    /// Method of preemption by which the launch left the device, such as saving or killing it.
    pub how: Preemption,
    /// Time at which the launch left the device, in ns.
    pub start_ns: u64,
    /// Time at which the launch could go on, in ns.
    pub end_ns: u64,
}

/// Kind of value that a counter shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measure {
    /// Number of resident waves, drawn as a fraction of the waves that the device can hold.
    Waves,
    /// Number of launches that are ready and have not ended.
    Launches,
}

impl Measure {
    /// Returns the name of the counter on a timeline, such as "waves".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waves => "resident waves, % of slots",
            Self::Launches => "launches ready or running",
        }
    }
}

/// Counter of a timeline: a number that changes in steps over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackCounter {
    /// Index of the process that is counted; `None` where all processes are counted together.
    pub process: Option<u16>,
    /// Kind of value that the counter shows: waves or launches.
    pub measure: Measure,
    /// Samples of the counter in order of time: (time in ns, value from then on).
    pub samples: Vec<(u64, u64)>,
}

impl Timeline {
    /// Returns the (start, end) in ns of the bar by which a launch is drawn on its stream; `None`
    /// where the launch never became ready or is not drawn.
    #[must_use]
    pub fn span(&self, launch: &DrawnLaunch) -> Option<(u64, u64)> {
        let start = launch.ready_ns?;
        let end = if launch.refused { start } else { launch.ended_ns.unwrap_or(self.end_ns) };
        Some((start, end.max(start)))
    }

    /// Returns the phases, such as waits, that are drawn inside the bar of the launch with the
    /// index `at`, in order of time: ((start, end) in ns, phase).
    #[must_use]
    pub fn inside(&self, at: u32) -> Vec<((u64, u64), LaunchPhase)> {
        let mut parts = Vec::new();
        let launch = &self.launches[at as usize];
        let Some((start, end)) = self.span(launch) else { return parts };
        let mut from = launch.started_ns.unwrap_or(end).clamp(start, end);
        let submitted = launch.submitted_ns.unwrap_or(from).clamp(start, from);
        let waits = [(start, submitted, LaunchPhase::Turn), (submitted, from, LaunchPhase::Room)];
        for (start, end, phase) in waits.into_iter().filter(|(start, end, _)| start < end) {
            parts.push(((start, end), phase));
        }
        let first = self.aways.partition_point(|away| away.launch < at);
        for away in self.aways[first..].iter().take_while(|away| away.launch == at) {
            let span = (away.start_ns.max(from), away.end_ns.min(end));
            if span.0 < span.1 {
                parts.push((span, LaunchPhase::Off(away.how)));
                from = span.1;
            }
        }
        parts
    }

    /// Counts all bars of the timeline: those on compute units, those of requests, turns and waits,
    /// and those of launches with the phases inside them. A copy that runs counts twice, as it is
    /// drawn on its copy engine too.
    #[must_use]
    pub fn drawn(&self) -> u64 {
        let of_launch = |at: u32| {
            let launch = &self.launches[at as usize];
            let on_engine = launch.is_copy && launch.started_ns.is_some();
            1 + self.inside(at).len() + usize::from(on_engine)
        };
        let launches: usize = by_ready(self).into_iter().map(of_launch).sum();
        let others = self.requests.len() + self.turns.len() + self.waits.len();
        (self.slices.len() + others + launches) as u64
    }
}

/// Reason why a launch, or a process as a whole, does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchPhase {
    /// The process waits for its host, as all launches that the host has issued have ended.
    Host,
    /// All launches that the host has issued wait for other work to end, or are copies.
    Dependency,
    /// The launch is ready and waits to be submitted to the device, as its process has no turn.
    Turn,
    /// The launch is submitted and waits for its first wave to start.
    Room,
    /// The launch had started and is off the device after a preemption by this method.
    Off(Preemption),
}

impl LaunchPhase {
    /// Returns the phase that corresponds to an activity of a process.
    #[must_use]
    pub const fn of(doing: Doing) -> Self {
        match doing {
            Doing::Host => Self::Host,
            Doing::Dependency => Self::Dependency,
            Doing::Turn => Self::Turn,
            Doing::Room | Doing::Runs => Self::Room,
        }
    }

    /// Returns the name of the phase for people, such as "waiting: turn".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "waiting: host",
            Self::Dependency => "waiting: dependency",
            Self::Turn => "waiting: turn",
            Self::Room => "waiting: room",
            Self::Off(how) if how.saves() => "off: saved",
            Self::Off(how) if how.holds() => "off: drained",
            Self::Off(_) => "off: killed",
        }
    }
}

/// Returns the indices of the launches that became ready, in the order in which they did; where two
/// became ready at the same time, the lower index comes first.
#[must_use]
pub fn by_ready(timeline: &Timeline) -> Vec<u32> {
    let launches = (0u32..).zip(&timeline.launches);
    let mut order: Vec<(u64, u32)> =
        launches.filter_map(|(at, launch)| Some((launch.ready_ns?, at))).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}
