//! What is in a profile, and how well does its replay agree with it?

mod amounts;
mod changes;
mod claims;
mod concurrency;
mod idle;
mod idle_told;
mod kernels;
mod limits;
mod needs;
mod origins;
mod profile;
mod streams;
mod verdicts;

pub use amounts::{WantedAmount, WantedAmounts, WantedRuns};
pub use changes::{FamilyChange, FamilyTimes, LoneFamilies, ProfileChanges, RecordedTotals};
pub use claims::{StatedOccupancy, WorstClaim};
pub use concurrency::Concurrency;
pub(crate) use idle::is_issue_known;
pub use idle::{IdlePart, IdlePlace, RecordedCause, RecordedIdle};
pub use kernels::{LaunchPart, LaunchShape, LaunchTimes, NamedKernel, Placing, by_kernel, family};
pub use limits::{LaunchLimits, LimitedLaunches, PersistentShape, one_more};
pub use needs::{KernelNeeds, NeedPart, UnknownNeed};
pub use origins::{FieldOrigins, LaunchWaits};
pub use profile::{
    CommunicationRule, FittedLatency, InspectedAs, InspectedProfile, Inspection, SelfReplayed,
};
pub use streams::InspectedStream;
pub use verdicts::SourceVerdict;
