//! What does a run look like, as plain data, and how is it written for a viewer?
//!
//! A [`Timeline`] has everything that ran, with its place and time: launches on the streams of
//! their processes, workgroups on the slots of compute units, and two counters a process. A
//! [`Recorder`] makes one while a run goes; [`write_perfetto`] writes it for ui.perfetto.dev. All
//! times are nanoseconds since the start of the run; the end of a slice is exclusive.

mod build;
mod counts;
mod events;
mod lanes;
mod layout;
mod model;
mod perfetto;
mod proto;
mod recorder;
mod slots;

pub use build::TimelineNames;
pub use model::{
    Away, Counter, DrawnLaunch, DrawnProcess, DrawnRequest, DrawnTurn, DrawnWait, Ending, Grain,
    Measure, Slice, Timeline,
};
pub use perfetto::write_perfetto;
pub use recorder::Recorder;
