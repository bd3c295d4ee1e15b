//! What does a run look like, as plain data?
//!
//! A [`Timeline`] has everything that ran, with its place and time: launches on the streams of
//! their processes, workgroups on the slots of compute units, and two counters a process. A
//! [`Recorder`] makes one while a run goes. All times are nanoseconds since the start of the run;
//! the end of a slice is exclusive.

mod build;
mod counts;
mod lanes;
mod model;
mod recorder;
mod slots;

pub use build::TimelineNames;
pub use lanes::Lanes;
pub use model::{
    Away, DrawnLaunch, DrawnProcess, DrawnRequest, DrawnTurn, DrawnWait, Ending, Grain,
    LaunchPhase, Measure, Slice, Timeline, TrackCounter, by_ready,
};
pub use recorder::Recorder;
