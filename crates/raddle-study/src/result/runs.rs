//! What is a result made from, and what are its files called?

use raddle_device::Device;
use raddle_dispatch::Recipe;
use raddle_sim::{Outcome, Summary, Workload};
use serde::Serialize;

use super::assumptions::Rules;
use super::device::DeviceFacts;
use super::facts::ReplayedProfile;
use crate::answer::Goal;
use crate::timeline::Timeline;

/// The file of the result as a whole.
pub const SUMMARY: &str = "summary.json";
/// The file of the page.
pub const PAGE: &str = "report.html";
/// The file of a decision log, in the folder of its recipe.
pub const LOG: &str = "decisions.jsonl.zst";
/// The file of a timeline, in the folder of its recipe.
pub const PERFETTO: &str = "timeline.perfetto-trace";

/// The file of a timeline of the slowest request alone, beside the other one.
pub const SLOWEST: &str = "slowest.perfetto-trace";

/// The folder with the files that set up the recommended way of sharing.
pub const SET_UP: &str = "set-up";

/// A file that sets up a way of sharing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetUpFile {
    /// The name of the file.
    pub name: &'static str,
    /// The purpose of the file: which program reads it.
    pub what: &'static str,
    /// The contents of the file.
    pub text: String,
}

/// The runs of one recipe.
#[derive(Debug)]
pub struct RecipeRun {
    /// The name of the recipe in results.
    pub name: String,
    /// The settings of the recipe.
    pub recipe: Recipe,
    /// False if the recipe is a way of sharing that no driver offers.
    pub offered: bool,
    /// The run of all processes together.
    pub together: Outcome,
    /// The runs of all processes with the requests of further seeds.
    pub seeds: Vec<Summary>,
    /// The runs of all processes with the least and the most contention, where it is charged.
    pub bounds: Vec<Summary>,
    /// The wave-slot time that each process had beyond the compute units that are its own, in
    /// wave-ns; `None` where no units are lent.
    pub lent: Option<Vec<u128>>,
    /// The bytes of the decision log, if there is one.
    pub log_bytes: Option<u64>,
    /// The timeline, if one was drawn.
    pub timeline: Option<DrawnTimeline>,
}

/// The profiles that were replayed, and their device.
#[derive(Debug)]
pub struct Replay<'r> {
    /// The device replayed on.
    pub target: &'r Device,
    /// The facts about that device in results.
    pub device: DeviceFacts,
    /// The profiles, in the order of the processes.
    pub profiles: Vec<ReplayedProfile<'r>>,
    /// The processes as they are simulated.
    pub workload: &'r Workload,
    /// The rules that fill in the facts that no profile has.
    pub rules: &'r Rules,
    /// The run of each process alone and once under `leftover`; empty where there is only one,
    /// which runs once.
    pub alone: &'r [Outcome],
    /// The goals that the user set for the processes.
    pub goals: &'r [Goal],
    /// The command that was given, without paths.
    pub command: &'r [String],
}

/// The facts about a timeline in results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DrawnTimeline {
    /// The file of the timeline, within the folder of results.
    pub file: String,
    /// The begin and end of the part that is drawn, where that is not all of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_ns: Option<(u64, u64)>,
    /// The name of the [`Grain`](crate::timeline::Grain).
    pub grain: &'static str,
    /// The number of slices, those of launches and streams included.
    pub slices: u64,
    /// The time from which on launches are not drawn, because there were more than wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_ns: Option<u64>,
    /// The step of counters: a sample is the highest value in this many nanoseconds.
    pub counter_step_ns: u64,
    /// True if the times at which launches were off the device were too many to be drawn.
    pub off_times_left_out: bool,
}

impl DrawnTimeline {
    /// Gathers the facts about a timeline in this file.
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
