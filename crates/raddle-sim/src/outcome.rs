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
    /// The index in the workload of the process to which the launch belongs.
    pub process: u16,
    /// The index of the launch, copy or fill in the plan of its process, from 0.
    pub task: u32,
    /// The number of the repetition of the profile in which the launch is, from 0.
    pub iteration: u32,
    /// The number of compute units that the process could use when the dispatcher was told of the
    /// launch; 0 before that.
    pub units: u16,
    /// The number of workgroups of the launch; 0 for copies and fills, and before the dispatcher
    /// was told of the launch. It is smaller than recorded where a library sizes its grid by the
    /// number of compute units.
    pub workgroups: u64,
    /// The tick at which the host issued the launch.
    pub arrival: Tick,
    /// The tick at which the launch was issued and all work for which it waits had ended; `None`
    /// where this never happened.
    pub ready: Option<Tick>,
    /// The tick at which the first wave of the launch (or the copy itself) started; `None` where
    /// nothing started.
    pub started: Option<Tick>,
    /// The tick at which the last wave of the launch (or the copy itself) ended; `None` where it
    /// did not end.
    pub ended: Option<Tick>,
    /// True if the launch was refused, as it can never run.
    pub refused: bool,
}

/// The begin and end of one request, each with the times that its process had spent running and
/// waiting by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestMarks {
    /// The tick at which the first launch of the request was issued, and the times that its process
    /// had spent running and waiting by then.
    pub(crate) issued: (Tick, TimeSpent),
    /// The tick at which all work of the request had ended, and the times that its process had
    /// spent running and waiting by then; `None` until then.
    pub(crate) ended: Option<(Tick, TimeSpent)>,
}

/// A launch that can never run on the device, with the reason of its refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedLaunch {
    /// The index in the workload of the process to which the launch belongs.
    pub process: u16,
    /// The index of the launch in the plan of its process, from 0.
    pub task: u32,
    /// The reason of the refusal: the resource that is lacking, with the wanted and the available
    /// amount.
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
    /// The number of pieces (equal workgroups on one compute unit) in all answers that started
    /// workgroups.
    pub(crate) pieces: u64,
    /// The number of times that a front (workgroups of a launch that start together and end
    /// together) ended.
    pub fronts: u64,
    /// The number of workgroups that ended in the run.
    pub workgroups: u64,
    /// The number of times that a launch was taken off the device by a preemption.
    pub taken_off: u64,
    /// The number of running workgroups that were killed to preempt their launch. A killed launch
    /// starts again from workgroup 0.
    pub killed: u64,
    /// The time in ns that killed launches had run, each from its first start until it was killed,
    /// summed over launches.
    pub(crate) thrown_ns: u64,
    /// The time in ns spent saving and restoring work, summed over launches, and switching the
    /// device from one process to another.
    pub switch_ns: u64,
    /// The counts of launches submitted to the device, and the packets, bytes and time that this
    /// cost.
    pub launching: LaunchingSummary,
}

/// The counts of launches submitted to the device in a run, including repetitions and launches that
/// were submitted again after a preemption.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LaunchingSummary {
    /// The number of launches submitted to the device.
    pub submitted: u64,
    /// The number of packets written to submit launches.
    pub packets: u64,
    /// The number of bytes of the packets written to submit launches.
    pub bytes: u64,
    /// The time in ns that the launch path cost, summed over launches: from the submission of a
    /// launch until it could start, plus from its end until the end was known.
    pub overhead_ns: u64,
}

impl LaunchingSummary {
    /// Counts one more submitted launch, with the packets, bytes and time of its submission.
    pub(crate) fn add(&mut self, via: &Submission) {
        let Submission { packets, bytes, cost, cleanup } = *via;
        self.submitted += 1;
        self.packets = self.packets.saturating_add(packets.into());
        self.bytes = self.bytes.saturating_add(bytes);
        self.overhead_ns = self.overhead_ns.saturating_add(cost.0).saturating_add(cleanup.0);
    }
}

/// The result of a simulated run: the record of each launch, and the times and counts of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The record of each launch, copy or fill; the index is the launch's [`LaunchId`].
    pub records: Vec<Record>,
    /// The launches that can never run, listed for the first repetition of each profile only.
    pub refused: Vec<RefusedLaunch>,
    /// The number of launches that were refused in repetitions after the first.
    pub refused_again: u64,
    /// The launches that had not ended when the run stopped because no event was left.
    pub stuck: Vec<LaunchId>,
    /// The reason why no work went on although launches had not ended, such as a policy that
    /// stopped acting. `None` where all launches ended, or where the dispatcher knows no reason.
    pub standstill: Option<Standstill>,
    /// The tick of the first event of the run.
    pub first: Tick,
    /// The tick at which the last wave or copy of the run ended.
    pub last: Tick,
    /// The number of wave slots of the whole device.
    pub wave_slots: u64,
    /// The wave-slot time used by each process, in wave-ns (waves on the device times ns).
    pub wave_ns: Vec<u128>,
    /// Wave-slot time used by each process while at least two processes had a ready launch that had
    /// not ended, in wave-ns.
    pub(crate) shared_wave_ns: Vec<u128>,
    /// The times of each process: with waves on the device, with a ready launch, and waiting.
    pub times: Times,
    /// The dispatcher's counts of lost turns (rights to issue launches), and of overruns (work on
    /// the device after the end of a turn).
    pub turns: TurnTally,
    /// The times of completed preemptions in ticks, from the loss of the turn until no work of the
    /// process was left on the device, by method of preemption.
    pub latencies: BTreeMap<Preemption, Vec<Ticks>>,
    /// The dispatcher's counts of refused resets (kills of running launches to preempt a process),
    /// and the time for which each process was preempted.
    pub preemptions: PreemptionTally,
    /// A message for each policy that was replaced because it broke a law of its trait. The message
    /// has the slot of the policy (such as `allocate`), the tick and the law.
    pub replaced: Vec<String>,
    /// The number of times that the profile of each process began.
    pub iterations: Vec<u32>,
    /// The number of first requests of each process that the figures of requests leave out, as the
    /// device was empty before them.
    pub(crate) warm_up: Vec<u32>,
    /// The tick at which each repetition of a profile arrived, by process, then by repetition.
    pub began: Vec<Vec<Tick>>,
    /// The begin and end of the first 65,536 requests of each process, each with the times that the
    /// process had spent running and waiting by then.
    pub(crate) requests: Vec<Vec<RequestMarks>>,
    /// The time of the device up to the end of the makespan, split by how full the device was and
    /// by why it was empty.
    pub(crate) device_time: DeviceTime,
    /// The wave-slot time that all processes used up to the end of the makespan, in wave-ns;
    /// `device_time` has the time of the device over the same span.
    pub(crate) window_wave_ns: u128,
    /// The time in ns for which one process had work and no waves on the device while another one
    /// had waves, up to the end of the makespan. The index is (process that waited) times (number
    /// of processes) plus (process that ran); empty with more than 64 processes.
    pub blocked_ns: Vec<u64>,
    /// True if processes that repeat until the longest one ends were stopped before that, as the
    /// longest one made too little progress.
    pub repeat_capped: bool,
    /// Counts of what the dispatcher and the simulated device did in the run.
    pub counters: Counters,
    /// The number of decisions among `counters` that were skipped with whole periods, in which
    /// nothing but a launch's own refills happens. They are part of the result, and took no time.
    pub skipped: u64,
    /// The energy that the work of the run drew on each compute unit.
    pub energy: Energy,
    /// The free granules over time, in total and in the longest runs (rows of free granules); empty
    /// where the policy tracks no addresses of granules.
    pub(crate) free: FreeOverTime,
    /// The number of times that work waited, for each resource and reason; empty where the policy
    /// does not count waits.
    pub(crate) waits: Vec<WaitTally>,
}
