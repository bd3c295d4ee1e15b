//! What is the result of a simulated run: which records, times and counts?

use std::collections::BTreeMap;

use raddle_dispatch::{PreemptionTally, Standstill, TurnTally};
use raddle_policy::{LaunchId, Preemption, Refusal, Submission, Tick, Ticks, WaitTally};
use serde::{Deserialize, Serialize};

use crate::device_time::{DeviceTime, TimeSpent};
use crate::fragmentation::FreeOverTime;
use crate::power::Energy;
use crate::times::Times;

/// The record of one launch, copy or fill in a run: when it was issued, became ready, started and
/// ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The index of the process in the workload.
    pub process: u16,
    /// The index of the task in the plan of its process, from 0.
    pub task: u32,
    /// The number of the repetition of the profile, from 0.
    pub iteration: u32,
    /// The number of compute units that the process could use when the dispatcher was told of the
    /// launch; 0 before.
    pub units: u16,
    /// The number of workgroups of the grid, which is smaller than the recorded one where a library
    /// sizes it by fewer compute units; 0 before the dispatcher was told of the launch, and for
    /// copies and fills.
    pub workgroups: u64,
    /// The tick at which the host issued the launch.
    pub arrival: Tick,
    /// The tick at which the launch was issued and all work for which it waits had ended; `None`
    /// where that never came.
    pub ready: Option<Tick>,
    /// The tick at which the first wave (or the copy) started; `None` where none did.
    pub started: Option<Tick>,
    /// The tick at which the last wave (or the copy) ended; `None` where it did not.
    pub ended: Option<Tick>,
    /// True if the launch was refused for ever.
    pub refused: bool,
}

/// The two moments of one request, each with the time that its process had spent by then on each
/// activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestMarks {
    /// (tick at which the first launch of the request was issued, how its process had spent its
    /// time by then).
    pub(crate) issued: (Tick, TimeSpent),
    /// (tick at which all of the request had ended, how its process had spent its time by then);
    /// `None` before.
    pub(crate) ended: Option<(Tick, TimeSpent)>,
}

/// A launch that can never run on the device, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedLaunch {
    /// The index of the process in the workload.
    pub process: u16,
    /// The index of the task in the plan of its process, from 0.
    pub task: u32,
    /// The refusal: the resource that is lacking, the wanted and the available amount.
    pub refusal: Refusal,
}

/// Counts of what the dispatcher and the simulated device did in a run, such as decisions, starts
/// and kills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The number of decisions that the dispatcher was asked for.
    pub decisions: u64,
    /// The number of answers of the dispatcher that started workgroups.
    pub starts: u64,
    /// The number of pieces (equal workgroups on one compute unit) in these answers.
    pub(crate) pieces: u64,
    /// The number of ends of fronts (workgroups of a launch that start together and end together).
    pub fronts: u64,
    /// The number of workgroups that ended.
    pub workgroups: u64,
    /// The number of times that a launch was taken off the device.
    pub taken_off: u64,
    /// The number of workgroups that resets killed part-way; their launches start again from
    /// workgroup 0.
    pub killed: u64,
    /// The time in ns from the first start of killed launches until they were killed, in sum.
    pub(crate) thrown_ns: u64,
    /// The time in ns spent saving and restoring work, summed over launches, and switching the
    /// device from one process to another.
    pub switch_ns: u64,
    /// The counts of launches given to the device, and what that cost.
    pub launching: LaunchingSummary,
}

/// The counts of launches given to the device in a run, with repetitions and with launches that
/// were submitted again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchingSummary {
    /// The number of launches submitted.
    pub submitted: u64,
    /// The number of packets written for these launches.
    pub packets: u64,
    /// The number of bytes of these packets.
    pub bytes: u64,
    /// The time in ns that the launch path took, summed over launches: until each could start, and
    /// from its end until that was known.
    pub overhead_ns: u64,
}

impl LaunchingSummary {
    /// Counts one more submitted launch, with its packets, bytes and times.
    pub(crate) fn add(&mut self, via: &Submission) {
        let Submission { packets, bytes, cost, cleanup } = *via;
        self.submitted += 1;
        self.packets = self.packets.saturating_add(packets.into());
        self.bytes = self.bytes.saturating_add(bytes);
        self.overhead_ns = self.overhead_ns.saturating_add(cost.0).saturating_add(cleanup.0);
    }
}

/// The result of a run: the record of each launch, and the times and counts of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The record of each launch, copy or fill; the index is its [`LaunchId`].
    pub records: Vec<Record>,
    /// The launches that can never run, those of the first repetition alone.
    pub refused: Vec<RefusedLaunch>,
    /// The number of launches that were refused in later repetitions.
    pub refused_again: u64,
    /// The launches that never ended although no event could come any more.
    pub stuck: Vec<LaunchId>,
    /// The policy or part that has stopped, where launches are stuck; `None` where none are, or the
    /// dispatcher does not know.
    pub standstill: Option<Standstill>,
    /// The tick of the first event.
    pub first: Tick,
    /// The tick at which the last wave or copy ended.
    pub last: Tick,
    /// The number of wave slots of the whole device.
    pub wave_slots: u64,
    /// The wave-slot time used by each process, in wave-ns (waves on the device times ns).
    pub wave_ns: Vec<u128>,
    /// Wave-slot time used by each process while at least two processes had a ready launch that had
    /// not ended, in wave-ns.
    pub(crate) shared_wave_ns: Vec<u128>,
    /// The times of each process: with waves on the device, with a ready launch, and of waits.
    pub times: Times,
    /// The dispatcher's counts of lost turns and overruns.
    pub turns: TurnTally,
    /// The times of completed preemptions in ticks, from the loss of the turn until no work of the
    /// process was left on the device, by method of preemption.
    pub latencies: BTreeMap<Preemption, Vec<Ticks>>,
    /// The dispatcher's counts of refused resets and preempted time.
    pub preemptions: PreemptionTally,
    /// A text for each policy that broke a law of its trait and was replaced: slot, tick and law.
    pub replaced: Vec<String>,
    /// The number of times that the profile of each process began.
    pub iterations: Vec<u32>,
    /// The number of first requests of each process that figures of requests leave out.
    pub(crate) warm_up: Vec<u32>,
    /// The tick at which each repetition arrived, by process and repetition.
    pub began: Vec<Vec<Tick>>,
    /// The begin and end of the first 65,536 requests of each process, each with the time that the
    /// process had spent by then.
    pub(crate) requests: Vec<Vec<RequestMarks>>,
    /// The time of the device until the end of the makespan, by how full it was and by why it was
    /// empty.
    pub(crate) device_time: DeviceTime,
    /// Wave-slot time used up to the end of the makespan, the time of `device_time`, in wave-ns.
    pub(crate) window_wave_ns: u128,
    /// The time in ns for which one process had work and no waves on the device while another one
    /// had waves, until the end of the makespan. The index is victim times number of processes plus
    /// blocker; empty with more than 64 processes.
    pub blocked_ns: Vec<u64>,
    /// True if a repeating process was stopped because the longest process made no progress.
    pub repeat_capped: bool,
    /// Counts of what the dispatcher and the simulated device did in the run.
    pub counters: Counters,
    /// The energy that the work of the run drew on each compute unit.
    pub energy: Energy,
    /// The free granules and their longest runs over time; empty where the policy gives no
    /// addresses.
    pub(crate) free: FreeOverTime,
    /// The counts of how often work waited, one for each resource and reason; empty where the
    /// policy does not count.
    pub(crate) waits: Vec<WaitTally>,
}
