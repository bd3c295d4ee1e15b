//! What would a dispatcher do with a recorded profile?
//!
//! A deterministic, event-driven model of a GPU. It feeds events to a
//! [`raddle_dispatch::Dispatcher`], carries out its actions on simulated compute units, which it
//! tracks in a ledger of its own, and records when every launch became ready, started and ended.
//! One tick is one nanosecond.
//!
//! The cost of a run grows with the number of answers and fronts (workgroups of one launch that end
//! together), not of workgroups. A run uses no clock, no randomness and no floating point; only the
//! report does.
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

mod bench;
mod blockers;
mod calibration;
mod contention;
mod copy_engines;
mod demand;
mod device_time;
mod engine;
mod error;
mod fairness;
mod figures;
mod fragmentation;
mod hardware_queues;
mod histogram;
mod interval;
mod issues;
mod latency;
mod ledger;
mod machine;
mod meetings;
mod metrics;
mod op_needs;
mod opaque;
mod outcome;
mod pauses;
mod plan;
mod power;
mod preemptions;
mod queue;
mod repetition;
mod requests;
mod scaling;
mod script;
mod steps;
mod tasks;
mod times;
mod unfit;
mod usage;
mod watch;
mod workload;

pub use bench::TestBench;
pub use calibration::Calibration;
pub use contention::{
    Charge, Contention, ContentionRow, ContentionTable, Factor, HeldOut, NeighbourClass,
};
pub use demand::{DemandRule, ProcessDemand, TaskDemand, UnitRate, process_demand};
pub use device_time::{BlockedBy, BlockedProcess, DeviceTime, Doing, TimeSpent};
pub use engine::{Progress, SimConfig, run, run_watched};
pub use error::SimError;
pub use fairness::{Fairness, ProcessFairness};
pub use figures::percentile;
pub use fragmentation::{AddressSummary, FragmentedResource, FreeOverTime, FreeTime, LackCount};
pub use histogram::LatencyHistogram;
pub use interval::Interval;
pub use latency::HalvesFit;
pub use meetings::meet;
pub use metrics::{LevelSummary, ProcessSummary, Summary};
pub use op_needs::{OpNeed, op_needs};
pub use outcome::{Counters, LaunchingSummary, Outcome, Record, RefusedLaunch, RequestMarks};
pub use pauses::{HostPause, HostPauses};
#[cfg(feature = "recipes")]
pub use plan::device_runtime;
pub use plan::{Costs, PlanConfig, WaitRule, device_costs, host_pauses, kernel_calls, plan};
pub use power::{Energy, EnergyModel, EnergySummary};
pub use preemptions::{PreemptionSummary, WaySummary};
pub use repetition::Repetition;
pub use requests::{RequestSummary, SlowRequest, TimeFromIssue};
pub use scaling::{Scaling, TimeScale};
pub use script::{Script, Transcript, TranscriptLine};
pub use steps::StepSummary;
pub use times::{ProcessTime, Times};
pub use watch::{Seen, Watch};
pub use workload::{
    LaunchLatency, Meeting, ProcessPlan, RecordedGap, Task, TaskWait, Work, Workload,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
