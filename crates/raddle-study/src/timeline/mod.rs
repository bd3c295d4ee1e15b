//! What does the timeline of a simulation hold, and how is it recorded?
//!
//! A [`Timeline`] has everything that ran, with its place and time: launches on the streams of
//! their processes, workgroups on the slots of compute units, and two counters a process. A
//! [`Recorder`] makes one during a simulation. All times are nanoseconds since the start of the
//! simulation; the end of a slice (bar) is exclusive.

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
