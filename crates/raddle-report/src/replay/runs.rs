//! What is a result made from, and how are its files called?

use raddle_device::Device;
use raddle_dispatch::Recipe;
use raddle_sim::{Outcome, Summary, Workload};
use serde::Serialize;

use super::assumptions::Rules;
use super::device::DeviceFacts;
use super::facts::ReplayedProfile;
use crate::answer::Goal;
use crate::timeline::Timeline;

/// The result as a whole.
pub const SUMMARY: &str = "summary.json";
/// The page.
pub const PAGE: &str = "report.html";
/// A decision log, in the folder of its recipe.
pub const LOG: &str = "decisions.jsonl.zst";
/// A timeline, in the folder of its recipe.
pub const PERFETTO: &str = "timeline.perfetto-trace";

/// A timeline of the slowest request alone, beside it.
pub const SLOWEST: &str = "slowest.perfetto-trace";

/// The folder with the files that set up what is recommended.
pub const SET_UP: &str = "set-up";

/// A file that sets up a way of sharing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetUpFile {
    /// Its name.
    pub name: &'static str,
    /// Who reads it.
    pub what: &'static str,
    /// What is in it.
    pub text: String,
}

/// The runs of one recipe.
#[derive(Debug)]
pub struct RecipeRun {
    /// Its name in results.
    pub name: String,
    /// Its settings.
    pub recipe: Recipe,
    /// All processes together.
    pub together: Outcome,
    /// The same with the requests of further seeds.
    pub seeds: Vec<Summary>,
    /// The same with the least and the most contention, where it is charged.
    pub bounds: Vec<Summary>,
    /// By process, the wave-slot time that it had beyond the compute units that are its own, in wave-ns;
    /// `None` where none are lent.
    pub lent: Option<Vec<u128>>,
    /// The bytes of its decision log, if there is one.
    pub log_bytes: Option<u64>,
    /// Its timeline, if one was drawn.
    pub timeline: Option<DrawnTimeline>,
}

/// What was replayed, on which device.
#[derive(Debug)]
pub struct Replay<'r> {
    /// The device replayed on.
    pub target: &'r Device,
    /// What results say of it.
    pub device: DeviceFacts,
    /// In the order of the processes.
    pub profiles: &'r [ReplayedProfile<'r>],
    /// The processes.
    pub workload: &'r Workload,
    /// What was assumed.
    pub rules: &'r Rules,
    /// Each process alone and once under `leftover`; empty where there is only one, which runs once.
    pub alone: &'r [Outcome],
    /// What is asked of the processes.
    pub goals: &'r [Goal],
    /// The command that was given, without paths.
    pub command: &'r [String],
}

/// What results say of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DrawnTimeline {
    /// Its file, within the folder of results.
    pub file: String,
    /// From when to when, where not all of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_ns: Option<(u64, u64)>,
    /// The name of its [`Grain`](crate::timeline::Grain).
    pub grain: &'static str,
    /// Its slices, those of launches and streams included.
    pub slices: u64,
    /// Since when launches are not drawn, because there were more than wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_ns: Option<u64>,
    /// A sample of a counter is the highest value in so many nanoseconds.
    pub counter_step_ns: u64,
    /// Whether the times at which launches were off the device were too many to be drawn.
    pub off_times_left_out: bool,
}

impl DrawnTimeline {
    /// What results say of a timeline in this file.
    #[must_use]
    pub fn new(file: String, window_ns: Option<(u64, u64)>, timeline: &Timeline) -> Self {
        Self {
            file,
            window_ns,
            grain: timeline.grain.name(),
            slices: timeline.drawn(),
            cut_ns: timeline.cut_ns,
            counter_step_ns: timeline.counter_step_ns,
            off_times_left_out: timeline.aways_left_out,
        }
    }
}
