//! What does a run look like, as plain data?
//!
//! All times are nanoseconds since the start of the run; the end of a slice is exclusive.

use raddle_policy::Preemption;
use raddle_sim::Doing;

/// Everything that is drawn of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The name of the device for people.
    pub device: String,
    /// The number of compute units.
    pub cus: u16,
    /// The number of waves that the device holds at most.
    pub wave_slots: u64,
    /// The end of the timeline; everything that never ended is drawn up to here.
    pub end_ns: u64,
    /// The grain in which the compute units are drawn.
    pub grain: Grain,
    /// The processes, by process id.
    pub processes: Vec<DrawnProcess>,
    /// The names of kernels, copies and fills; [`DrawnLaunch::kernel`] is a position in this list.
    pub kernels: Vec<String>,
    /// Every launch, copy and fill of the run.
    pub launches: Vec<DrawnLaunch>,
    /// The requests of the processes that have any, by process and number.
    pub requests: Vec<DrawnRequest>,
    /// The spans in which processes had waves on the device, by time.
    pub turns: Vec<DrawnTurn>,
    /// The spans in which processes had no waves on the device, and why not, by process and time.
    pub waits: Vec<DrawnWait>,
    /// The workgroups that ran on the compute units, by unit, slot and time.
    pub slices: Vec<Slice>,
    /// The spans in which launches were off the device, by launch and time.
    pub aways: Vec<Away>,
    /// True if `aways` would have been more than the slices wanted, so that none is drawn.
    pub aways_left_out: bool,
    /// The time from which on launches are not drawn, because there were more than wanted.
    pub cut_ns: Option<u64>,
    /// The values that changed in steps.
    pub counters: Vec<Counter>,
    /// The step of counters: a sample is the highest value in this many nanoseconds; 1 is exact.
    pub counter_step_ns: u64,
}

/// The grain in which compute units are drawn, the finest first. Where a grain would take more
/// slices than are wanted, the whole timeline is drawn one grain coarser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Grain {
    /// One slice for workgroups of one launch that run one right after the other in one workgroup
    /// slot.
    #[default]
    Slot,
    /// One slice for as long as a launch has any workgroup on a compute unit.
    Cu,
    /// Compute units are not drawn, only launches on their streams.
    Launch,
}

impl Grain {
    /// The name of the grain in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slot => "slot",
            Self::Cu => "cu",
            Self::Launch => "launch",
        }
    }
}

/// A process and its streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnProcess {
    /// The name of the process for people.
    pub name: String,
    /// The names of the streams; [`DrawnLaunch::stream`] is a position in this list.
    pub streams: Vec<String>,
}

/// A launch, copy or fill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawnLaunch {
    /// The position of the process.
    pub process: u16,
    /// The position of the stream in the process.
    pub stream: u32,
    /// The position of the name of the kernel.
    pub kernel: u32,
    /// The level, 0 the most urgent.
    pub level: u8,
    /// The number of the repetition of the profile, from 0.
    pub iteration: u32,
    /// True for a copy or fill, which runs on a copy engine.
    pub is_copy: bool,
    /// The number of workgroups; 0 for a copy.
    pub workgroups: u64,
    /// The time at which the host issued the launch.
    pub arrival_ns: u64,
    /// The time from which on the launch waited for no other work; `None`: never.
    pub ready_ns: Option<u64>,
    /// The time of the first submission: before, the launch waits for its turn, afterwards for
    /// room.
    pub submitted_ns: Option<u64>,
    /// The time at which the first wave started; `None`: never.
    pub started_ns: Option<u64>,
    /// The time at which the last wave ended; `None`: never.
    pub ended_ns: Option<u64>,
    /// True if the launch can never run.
    pub refused: bool,
}

/// A request, from its arrival to the end of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnRequest {
    /// The position of the process.
    pub process: u16,
    /// The number of the request, from 0: the iteration of its launches.
    pub number: u32,
    /// The time of its arrival.
    pub start_ns: u64,
    /// The time at which its last launch ended.
    pub end_ns: u64,
}

/// A span in which the same processes had waves on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnTurn {
    /// The position of the only process; `None`: there were several.
    pub process: Option<u16>,
    /// The begin of the span.
    pub start_ns: u64,
    /// The end of the span.
    pub end_ns: u64,
}

/// A span in which a process had no waves on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnWait {
    /// The position of the process.
    pub process: u16,
    /// The cause of the wait.
    pub cause: Doing,
    /// The begin of the span.
    pub start_ns: u64,
    /// The end of the span.
    pub end_ns: u64,
}

/// Workgroups of one launch that ran on one compute unit, without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The start of the first workgroup.
    pub start_ns: u64,
    /// The end of the last workgroup.
    pub end_ns: u64,
    /// The number of workgroups that ended in the slice.
    pub workgroups: u64,
    /// The position of the launch.
    pub launch: u32,
    /// The workgroup slot; at [`Grain::Cu`] a lane, so that slices of one lane do not overlap.
    pub slot: u32,
    /// The compute unit.
    pub cu: u16,
    /// The way in which the last workgroups ended.
    pub ending: Ending,
}

/// The way in which a slice ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// All workgroups of the slice ended.
    #[default]
    Ended,
    /// Some workgroups were saved, to be restored later.
    Saved,
    /// Some workgroups were killed.
    Killed,
    /// Some workgroups never ended.
    Unfinished,
}

impl Ending {
    /// The name of the ending in annotations.
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

/// A span in which a launch that had begun was off the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Away {
    /// The position of the launch.
    pub launch: u32,
    /// The way in which the launch left: drained, saved or killed.
    pub how: Preemption,
    /// The begin of the span.
    pub start_ns: u64,
    /// The end of the span, at which the launch could go on.
    pub end_ns: u64,
}

/// The kind of value that a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measure {
    /// Resident waves: occupancy, drawn as a share of the waves that the device holds.
    Waves,
    /// Launches that are ready and have not ended: the depth of the queue.
    Launches,
}

impl Measure {
    /// The name of the measure on a timeline.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Waves => "resident waves, % of slots",
            Self::Launches => "launches ready or running",
        }
    }
}

/// A value that changes in steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The process that is counted; `None`: all together.
    pub process: Option<u16>,
    /// The kind of value.
    pub measure: Measure,
    /// The times in nanoseconds, rising, each with the value from then on.
    pub samples: Vec<(u64, u64)>,
}

impl Timeline {
    /// Returns the span in which a launch is drawn on its stream; `None` where it never was ready.
    #[must_use]
    pub fn span(&self, launch: &DrawnLaunch) -> Option<(u64, u64)> {
        let start = launch.ready_ns?;
        let end = if launch.refused { start } else { launch.ended_ns.unwrap_or(self.end_ns) };
        Some((start, end.max(start)))
    }

    /// Returns the phases that are drawn inside a launch on its stream, one after the other.
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

    /// Counts all slices that are drawn: of compute units, requests, turns and waits of processes,
    /// and of launches with what stands inside them; a copy that runs is also on its engine.
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

/// The phase of a launch, or of a process, that does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchPhase {
    /// The host of the process issues nothing.
    Host,
    /// The launches that were issued wait for other work, or are copies.
    Dependency,
    /// The launch is ready and waits to be submitted.
    Turn,
    /// The launch is submitted and waits for its first wave to start.
    Room,
    /// The launch is off the device.
    Off(Preemption),
}

impl LaunchPhase {
    /// Returns the phase of a process that does not run.
    #[must_use]
    pub const fn of(doing: Doing) -> Self {
        match doing {
            Doing::Host => Self::Host,
            Doing::Dependency => Self::Dependency,
            Doing::Turn => Self::Turn,
            Doing::Room | Doing::Runs => Self::Room,
        }
    }

    /// Names the phase for people.
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

/// Returns the launches that were ever ready, in the order of that; launches of one tick by
/// position.
#[must_use]
pub fn by_ready(timeline: &Timeline) -> Vec<u32> {
    let launches = (0u32..).zip(&timeline.launches);
    let mut order: Vec<(u64, u32)> =
        launches.filter_map(|(at, launch)| Some((launch.ready_ns?, at))).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}
