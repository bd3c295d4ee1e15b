//! What happened in a run?

use std::collections::BTreeMap;

use raddle_dispatch::{PreemptionTally, Standstill, TurnTally};
use raddle_policy::{LaunchId, Preemption, Refusal, Submission, Tick, Ticks, WaitTally};
use serde::{Deserialize, Serialize};

use crate::device_time::{DeviceTime, TimeSpent};
use crate::fragmentation::FreeOverTime;
use crate::power::Energy;
use crate::times::Times;

/// The history of one launch, copy or fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Position of the process in the workload.
    pub process: u16,
    /// Position in the plan's tasks.
    pub task: u32,
    /// The repetition of the profile, from 0.
    pub iteration: u32,
    /// The compute units that the process could have when the launch was told; 0 before.
    pub units: u16,
    /// The workgroups of the grid, which is smaller than the recorded one where a library sizes it
    /// by fewer units; 0 before the launch was told, and of copies and fills.
    pub workgroups: u64,
    /// When the host issued the launch.
    pub arrival: Tick,
    /// When the launch was issued and everything it waits for had ended; `None`: never.
    pub ready: Option<Tick>,
    /// When the first wave started; `None`: never.
    pub started: Option<Tick>,
    /// When the last wave ended; `None`: never.
    pub ended: Option<Tick>,
    /// True if the launch was refused for ever.
    pub refused: bool,
}

/// The time that a process had spent by the moments that matter to one of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestMarks {
    /// When the first launch of the request was issued.
    pub(crate) issued: (Tick, TimeSpent),
    /// When all of the request had ended, if it has.
    pub(crate) ended: Option<(Tick, TimeSpent)>,
}

/// A launch that can never run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedLaunch {
    /// Position of the process in the workload.
    pub process: u16,
    /// Position in the plan's tasks.
    pub task: u32,
    /// The reason: the resource that is lacking, the wanted and the available amount.
    pub refusal: Refusal,
}

/// How much the run had to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Decisions that the dispatcher was asked for.
    pub decisions: u64,
    /// Start answers carried out.
    pub starts: u64,
    /// Pieces in the start answers.
    pub(crate) pieces: u64,
    /// Fronts that ended.
    pub fronts: u64,
    /// Workgroups that ended.
    pub workgroups: u64,
    /// Launches taken off.
    pub taken_off: u64,
    /// Workgroups killed part-way.
    pub killed: u64,
    /// For how long killed launches had run, in ns.
    pub(crate) thrown_ns: u64,
    /// Time spent saving and restoring, summed over launches, and loading processes, in ns.
    pub switch_ns: u64,
    /// How launches reached the device.
    pub launching: LaunchingSummary,
}

/// How launches reached the device in a run, with repetitions and with what was submitted again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchingSummary {
    /// Launches submitted.
    pub submitted: u64,
    /// Packets written for them.
    pub packets: u64,
    /// Bytes of these packets.
    pub bytes: u64,
    /// Time that the launch path took: until launches could start, and from their ends until these
    /// were known, summed over launches.
    pub overhead_ns: u64,
}

impl LaunchingSummary {
    /// Counts one more submitted launch.
    pub(crate) fn add(&mut self, via: &Submission) {
        let Submission { packets, bytes, cost, cleanup } = *via;
        self.submitted += 1;
        self.packets = self.packets.saturating_add(packets.into());
        self.bytes = self.bytes.saturating_add(bytes);
        self.overhead_ns = self.overhead_ns.saturating_add(cost.0).saturating_add(cleanup.0);
    }
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// One record a launch, copy or fill; the position is the [`LaunchId`].
    pub records: Vec<Record>,
    /// First repetitions of launches that can never run.
    pub refused: Vec<RefusedLaunch>,
    /// Launches refused in later repetitions.
    pub refused_again: u64,
    /// Launches that never ended although nothing more could happen.
    pub stuck: Vec<LaunchId>,
    /// The part that would have had to go on with the stuck launches; `None` where there are none,
    /// or the dispatcher does not say.
    pub standstill: Option<Standstill>,
    /// When the first event happened.
    pub first: Tick,
    /// When the last wave or copy ended.
    pub last: Tick,
    /// Wave slots of the whole device.
    pub wave_slots: u64,
    /// Wave-slot time used by each process, in wave-ns.
    pub wave_ns: Vec<u128>,
    /// Wave-slot time used by each process while at least two processes were runnable, in wave-ns.
    pub(crate) shared_wave_ns: Vec<u128>,
    /// For how long each process was alive, ran and waited.
    pub times: Times,
    /// The dispatcher's count of turns.
    pub turns: TurnTally,
    /// By way: from the loss of the turn until nothing of the process was left on the device, of
    /// each preemption that was completed.
    pub latencies: BTreeMap<Preemption, Vec<Ticks>>,
    /// The dispatcher's count of preemptions.
    pub preemptions: PreemptionTally,
    /// Policies that broke a law and were replaced, each with slot, tick and law.
    pub replaced: Vec<String>,
    /// How often each process's profile began.
    pub iterations: Vec<u32>,
    /// By process, the first requests, which figures of requests do not count.
    pub(crate) warm_up: Vec<u32>,
    /// By process and repetition, when the repetition arrived.
    pub began: Vec<Vec<Tick>>,
    /// By process, the marks of its requests; no more than the first 65,536 of each.
    pub(crate) requests: Vec<Vec<RequestMarks>>,
    /// How full the device was until the makespan ended, and why it was empty.
    pub(crate) device_time: DeviceTime,
    /// Wave-slot time used within the window of `device_time`, in wave-ns.
    pub(crate) window_wave_ns: u128,
    /// By victim, then blocker: for how many ns the one had work and no waves on the device while
    /// the other had; until the makespan ended. Empty with more than 64 processes.
    pub blocked_ns: Vec<u64>,
    /// A process that repeats was stopped because the longest one made no headway.
    pub repeat_capped: bool,
    /// How much there was to do.
    pub counters: Counters,
    /// The energy that the work drew.
    pub energy: Energy,
    /// Free granules and their longest runs over time; empty where no addresses are kept.
    pub(crate) free: FreeOverTime,
    /// How often work waited, where the policy counts.
    pub(crate) waits: Vec<WaitTally>,
}
