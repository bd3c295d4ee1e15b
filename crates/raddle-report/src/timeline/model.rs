//! What does a run look like, as plain data?
//!
//! All times are nanoseconds since the start of the run; a slice ends where the next thing may
//! begin.

use raddle_policy::Preemption;
use raddle_sim::Doing;

/// Everything that is drawn of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// What people call the device.
    pub device: String,
    /// Its compute units.
    pub cus: u16,
    /// The waves that it holds at most.
    pub wave_slots: u64,
    /// Where it ends; what never ended is drawn up to here.
    pub end_ns: u64,
    /// How finely the compute units are drawn.
    pub grain: Grain,
    /// Position = process id.
    pub processes: Vec<DrawnProcess>,
    /// Names of kernels, copies and fills; [`DrawnLaunch::kernel`] is a position in it.
    pub kernels: Vec<String>,
    /// Every launch, copy and fill of the run.
    pub launches: Vec<DrawnLaunch>,
    /// The requests of the processes that have any, by process and number.
    pub requests: Vec<DrawnRequest>,
    /// Who had waves on the device, by time.
    pub turns: Vec<DrawnTurn>,
    /// When processes had no waves on the device, and why not, by process and time.
    pub waits: Vec<DrawnWait>,
    /// What ran on the compute units, by unit, slot and time.
    pub slices: Vec<Slice>,
    /// When launches were off the device, by launch and time.
    pub aways: Vec<Away>,
    /// Whether those were more than the slices wanted, so that none is drawn.
    pub aways_left_out: bool,
    /// Since when launches are not drawn, because there were more than wanted.
    pub cut_ns: Option<u64>,
    /// What changed in steps.
    pub counters: Vec<Counter>,
    /// A sample of a counter is its highest value in so many nanoseconds; 1 is exact.
    pub counter_step_ns: u64,
}

/// How finely compute units are drawn, finest first. What would be more slices than are wanted is
/// drawn one grain coarser, the whole timeline alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Grain {
    /// One slice a run of workgroups of one launch, one right after the other in one workgroup slot.
    #[default]
    Slot,
    /// One slice for as long as a launch has anything on a compute unit.
    Cu,
    /// Compute units are not drawn, only launches on their streams.
    Launch,
}

impl Grain {
    /// The name of it in results.
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
    /// What people call it.
    pub name: String,
    /// Names of its streams; [`DrawnLaunch::stream`] is a position in it.
    pub streams: Vec<String>,
}

/// A launch, copy or fill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawnLaunch {
    /// Position of its process.
    pub process: u16,
    /// Position of its stream in the process.
    pub stream: u32,
    /// Position of its name.
    pub kernel: u32,
    /// How urgent it is, 0 the most.
    pub level: u8,
    /// Which repetition of its profile, from 0.
    pub iteration: u32,
    /// Whether it is a copy or fill, which runs on a copy engine.
    pub is_copy: bool,
    /// Its workgroups; 0 for a copy.
    pub workgroups: u64,
    /// When its host issued it.
    pub arrival_ns: u64,
    /// When it waited for nothing any more; `None`: never.
    pub ready_ns: Option<u64>,
    /// When it was first submitted: before, it waits for its turn, afterwards for room.
    pub submitted_ns: Option<u64>,
    /// When its first wave started; `None`: never.
    pub started_ns: Option<u64>,
    /// When its last wave ended; `None`: never.
    pub ended_ns: Option<u64>,
    /// Whether it can never run.
    pub refused: bool,
}

/// A request, from its arrival to the end of its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnRequest {
    /// Position of its process.
    pub process: u16,
    /// Its number, from 0: the iteration of its launches.
    pub number: u32,
    /// When it arrived.
    pub start_ns: u64,
    /// When its last launch ended.
    pub end_ns: u64,
}

/// A span in which the same processes had waves on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnTurn {
    /// Position of the only one; `None`: there were several.
    pub process: Option<u16>,
    /// Since when.
    pub start_ns: u64,
    /// Until when.
    pub end_ns: u64,
}

/// A span in which a process had no waves on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnWait {
    /// Position of the process.
    pub process: u16,
    /// What it waited for.
    pub cause: Doing,
    /// Since when.
    pub start_ns: u64,
    /// Until when.
    pub end_ns: u64,
}

/// Workgroups of one launch that ran on one compute unit, without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// From the start of the first.
    pub start_ns: u64,
    /// To the end of the last.
    pub end_ns: u64,
    /// How many workgroups ended in it.
    pub workgroups: u64,
    /// Position of the launch.
    pub launch: u32,
    /// The workgroup slot; at [`Grain::Cu`] a lane, so that slices of one lane do not overlap.
    pub slot: u32,
    /// The compute unit.
    pub cu: u16,
    /// How the last ones ended.
    pub ending: Ending,
}

/// How a slice ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// All of its workgroups ended.
    #[default]
    Ended,
    /// Some were saved, to be restored later.
    Saved,
    /// Some were killed.
    Killed,
    /// Some never ended.
    Unfinished,
}

impl Ending {
    /// The name of it in annotations.
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
    /// Position of the launch.
    pub launch: u32,
    /// How it left: drained, saved or killed.
    pub how: Preemption,
    /// Since when.
    pub start_ns: u64,
    /// Until it could go on.
    pub end_ns: u64,
}

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Measure {
    /// Resident waves: occupancy, drawn as a share of the waves that the device holds.
    Waves,
    /// Launches that are ready and have not ended: the depth of the queue.
    Launches,
}

impl Measure {
    /// The name of it on a timeline.
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
    /// Of which process; `None`: of all together.
    pub process: Option<u16>,
    /// Of what.
    pub measure: Measure,
    /// Time in nanoseconds, rising, and the value from then on.
    pub samples: Vec<(u64, u64)>,
}

impl Timeline {
    /// How many slices are drawn: of compute units, launches, requests and turns.
    #[must_use]
    pub fn drawn(&self) -> u64 {
        let launches = self.launches.iter().filter(|launch| launch.ready_ns.is_some()).count();
        let others = self.aways.len() + self.requests.len() + self.turns.len();
        (self.slices.len() + others + launches) as u64
    }
}
