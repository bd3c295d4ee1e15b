//! From which runs is a result made, and what are its files called?

use std::path::Path;

use raddle_device::Device;
use raddle_dispatch::Recipe;
use raddle_sim::{Outcome, Summary, Workload};
use serde::Serialize;

use super::assumptions::Rules;
use super::device::DeviceFacts;
use super::facts::ReplayedProfile;
use crate::answer::{Goal, Offered};
use crate::timeline::Timeline;
use crate::units::Shell;

/// Name of the file with the whole result of a study.
pub const SUMMARY: &str = "summary.json";
/// Name of the file with the HTML page that shows the result of a study.
pub const PAGE: &str = "report.html";
/// Name of the file with a decision log, in the folder of its recipe (set of policies).
pub const LOG: &str = "decisions.jsonl.zst";
/// Name of the file with a timeline, in the folder of its recipe (set of policies).
pub const PERFETTO: &str = "timeline.perfetto-trace";

/// Name of the file with a timeline of the slowest request alone, in the folder of its recipe (set
/// of policies).
pub const SLOWEST: &str = "slowest.perfetto-trace";

/// Name of the folder with the files that set up the recommended way of sharing the device.
pub const SET_UP: &str = "set-up";

/// Beginning of a comment behind a command of a set-up.
const COMMENT: &str = "    # ";

/// Commands and files that set up a way of sharing the device, and commands that undo it.
#[derive(Clone, Debug, Default)]
pub struct SetUp {
    /// Commands that set up the way of sharing, one line each.
    pub lines: Vec<String>,
    /// Commands that undo the set-up, one line each; empty where there is nothing to undo.
    pub undo: Vec<String>,
    /// Files that the commands need.
    pub files: Vec<SetUpFile>,
}

/// File that sets up a way of sharing the device, such as MPS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SetUpFile {
    /// Name of the file, as the commands that set up the sharing of the device have it.
    pub name: &'static str,
    /// Purpose of the file: which program reads it.
    pub what: &'static str,
    /// Content of the file that sets up the sharing of the device.
    pub text: String,
}

impl SetUpFile {
    /// Returns a command line of a set-up, or of its undoing, for these shells, in which each name
    /// of one of `files` is a path in `folder`. The comment of the line stays as it is.
    #[must_use]
    pub fn placed(line: &str, files: &[Self], folder: &Path, shell: Shell) -> String {
        let (command, comment) = line.split_at(line.find(COMMENT).unwrap_or(line.len()));
        let word = |word: &str| match files.iter().any(|file| file.name == word) {
            true => {
                let path = folder.join(word).display().to_string();
                // A command would read it as an option.
                let here = if path.starts_with('-') { "./" } else { "" };
                shell.quoted(&format!("{here}{path}"))
            }
            false => word.to_owned(),
        };
        let words: Vec<String> = command.split(' ').map(word).collect();
        format!("{}{comment}", words.join(" "))
    }
}

/// Outcomes of all simulations of one recipe (set of policies), from which its result is made.
#[derive(Debug)]
pub struct RecipeRun {
    /// Name of the recipe (set of policies) in results.
    pub name: String,
    /// Policies and settings of the recipe.
    pub recipe: Recipe,
    /// Drivers that offer the way of sharing the device which the recipe simulates.
    pub offered: Offered,
    /// True if recipes are compared, so that this one is ranked whether a driver offers it or not.
    pub asked: bool,
    /// Outcome of the simulation of all processes together.
    pub together: Outcome,
    /// Summaries of the simulations of all processes with other random requests, one for each seed
    /// after the first.
    pub seeds: Vec<Summary>,
    /// Summaries of the simulations of all processes at the lower and at the upper bound of the
    /// cost of contention; empty where contention is not charged.
    pub bounds: Vec<Summary>,
    /// True if the recipe is so far behind the best one that its bounds were not simulated.
    pub out_of_reach: bool,
    /// Summary of a simulation in which hosts issue work early, without the recorded gaps, where a
    /// file does not say when its work was issued; `None` where there was no such simulation.
    pub queued: Option<Summary>,
    /// Wave-slot time that each process used on compute units of other processes, in wave slots
    /// times ns; `None` where the recipe lends no compute units.
    pub lent: Option<Vec<u128>>,
    /// Size of the decision log in bytes; `None` where none was written.
    pub log_bytes: Option<u64>,
    /// Timeline of the simulation; `None` where none was drawn.
    pub timeline: Option<DrawnTimeline>,
}

/// Data other than simulations from which results are made: device, profiles, rules and goals.
#[derive(Debug)]
pub struct Replay<'r> {
    /// Device that was replayed on.
    pub target: &'r Device,
    /// Facts about the device replayed on, as results have them.
    pub device: DeviceFacts,
    /// Profiles that were replayed, in the order of the processes.
    pub profiles: Vec<ReplayedProfile<'r>>,
    /// Workload that was simulated: the processes with their launches, as they were planned for the
    /// device.
    pub workload: &'r Workload,
    /// Rules for facts that no profile tells, such as which workgroups have a barrier.
    pub rules: &'r Rules,
    /// Simulation of one repetition of each process alone under the recipe `leftover`; empty where
    /// there is only one process, which runs alone anyway.
    pub alone: &'r [Outcome],
    /// Goals that the user set for the processes.
    pub goals: &'r [Goal],
    /// Command that the user gave, as a list of words, with files without folders.
    pub command: &'r [String],
}

/// Facts about one drawn timeline, as results report them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DrawnTimeline {
    /// Path of the timeline within the folder of results.
    pub file: String,
    /// Part of the simulated time that is drawn, as (begin, end) in ns; `None` where all of it is
    /// drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_ns: Option<(u64, u64)>,
    /// Name of the [`Grain`](crate::timeline::Grain): how finely the timeline is drawn.
    pub grain: &'static str,
    /// Number of slices (bars) that are drawn, including those of launches and streams.
    pub slices: u64,
    /// Simulated time in ns after which no launches are drawn, as more of them were ready than a
    /// timeline may show; `None` where all are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_ns: Option<u64>,
    /// Step of the counters in ns: each sample of a counter is its highest value within one step.
    pub counter_step_ns: u64,
    /// True if the timeline leaves out the periods in which preempted launches were off the device,
    /// as there were too many of them.
    pub off_times_left_out: bool,
}

impl DrawnTimeline {
    /// Gathers the facts about a timeline; `file` is its path, and `window_ns` the (begin, end) of
    /// the simulated time that is drawn, `None` for all of it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_command_are_named_with_their_folder() {
        let file = |name| SetUpFile { name, what: "", text: String::new() };
        let files = [file("mps-pods.json"), file("resource-claim.json")];
        let undo =
            "kubectl delete -f mps-pods.json -f resource-claim.json    # mps-pods.json first";
        let placed = |line: &str, folder: &str, shell| {
            SetUpFile::placed(line, &files, Path::new(folder), shell)
        };
        for (folder, first) in [
            ("raddle-out/a/set-up", "raddle-out/a/set-up/mps-pods.json"),
            ("my runs", "'my runs/mps-pods.json'"),
            ("$(calc);x", "'$(calc);x/mps-pods.json'"),
            ("-o", "./-o/mps-pods.json"),
        ] {
            let told = placed(undo, folder, Shell::Posix);
            let begin = format!("kubectl delete -f {first} -f ");
            assert!(told.starts_with(&begin), "{told}");
            assert!(told.ends_with("    # mps-pods.json first"), "{told}");
        }
        let told = placed("kubectl delete -f mps-pods.json", "my $x", Shell::Windows);
        assert!(told.starts_with("kubectl delete -f \"my `$x"), "{told}");
        let other = "nvidia-smi mig -i 0 -dci    # once the programs have ended";
        assert_eq!(placed(other, "raddle-out", Shell::Posix), other);
    }
}
