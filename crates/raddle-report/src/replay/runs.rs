//! What is a result made from?

use raddle_device::Device;
use raddle_dispatch::Recipe;
use raddle_sim::{Outcome, Workload};

use super::assumptions::Rules;
use super::device::DeviceFacts;
use super::facts::ReplayedProfile;
use super::files::DrawnTimeline;

/// The runs of one recipe.
#[derive(Debug)]
pub struct RecipeRun {
    /// Its name in results.
    pub name: String,
    /// Its settings.
    pub recipe: Recipe,
    /// All processes together.
    pub together: Outcome,
    /// Each process alone and once; empty where there is only one, which runs once.
    pub alone: Vec<Outcome>,
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
}
