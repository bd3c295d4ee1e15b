//! What of a `summary.json` is compared, and is it one?
//!
//! Only what is compared is read, so that results of other versions can be read too.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::error::CliError;
use crate::output::SUMMARY;

/// A result and where it came from.
#[derive(Debug)]
pub(super) struct Input {
    /// The path as it was given.
    pub(super) file: String,
    pub(super) result: Result,
}

/// The whole result of a replay.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Result {
    /// The version that wrote it.
    pub(super) raddle: String,
    pub(super) device: Device,
    pub(super) profiles: Vec<Profile>,
    #[serde(default)]
    pub(super) assumptions: Vec<String>,
    pub(super) recipes: Vec<Recipe>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Device {
    pub(super) id: String,
    pub(super) product: String,
    pub(super) cus: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Profile {
    pub(super) name: String,
    pub(super) kernels: u64,
    pub(super) workgroups: u64,
    pub(super) span_ns: u64,
    #[serde(default)]
    pub(super) start_ns: u64,
    #[serde(default)]
    pub(super) share: u64,
    /// When it is run; only whether that is the same is asked.
    #[serde(default)]
    pub(super) requests: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Recipe {
    pub(super) name: String,
    /// Its settings; only whether they are the same is asked.
    pub(super) recipe: Value,
    pub(super) summary: Summary,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Summary {
    /// Launches that never ended.
    #[serde(default)]
    pub(super) stuck: u64,
    pub(super) makespan_ns: u64,
    pub(super) utilisation: f64,
    pub(super) jain: Option<f64>,
    pub(super) processes: Vec<Process>,
    #[serde(default)]
    pub(super) fairness: Option<Fairness>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Fairness {
    pub(super) jain_run: f64,
    pub(super) jain_rate: f64,
    /// Whose share that is.
    #[serde(default)]
    pub(super) newcomer: Option<String>,
    #[serde(default)]
    pub(super) newcomer_share: Option<f64>,
    pub(super) longest_wait_ns: u64,
    pub(super) switches: u64,
    pub(super) switch_ns: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Process {
    pub(super) name: String,
    /// By what lacks.
    #[serde(default)]
    pub(super) refused: BTreeMap<String, u64>,
    pub(super) levels: Vec<Level>,
    #[serde(default)]
    pub(super) requests: Option<Requests>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Requests {
    pub(super) arrived: u64,
    pub(super) ended: u64,
    pub(super) latency_p50_ns: u64,
    pub(super) latency_p99_ns: u64,
    pub(super) latency_max_ns: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Level {
    pub(super) level: u8,
    pub(super) launches: u64,
    pub(super) latency_p50_ns: u64,
    pub(super) latency_p99_ns: u64,
    pub(super) slowdown: Option<f64>,
}

impl Recipe {
    /// Whether its processes take turns, one after the other.
    pub(super) fn takes_turns(&self) -> bool {
        let turn = self.recipe.pointer("/turn/policy").and_then(Value::as_str);
        turn.is_some_and(|turn| !["everyone", "highest-level"].contains(&turn))
    }
}

impl Input {
    /// Reads a `summary.json`, or the one in a folder.
    pub(super) fn read(path: &Path) -> std::result::Result<Self, CliError> {
        let file = path.display().to_string();
        let from = if path.is_dir() { path.join(SUMMARY) } else { path.to_path_buf() };
        let shown = from.display().to_string();
        let unreadable = |cause| CliError::Unreadable { file: shown.clone(), cause };
        let bytes = fs::read(&from).map_err(unreadable)?;
        let refused = |why: String| {
            CliError::Refused(format!(
                "{shown} is no {SUMMARY} of raddle ({why}): name a file that `raddle replay` wrote, or its folder"
            ))
        };
        let value: Value = serde_json::from_slice(&bytes)
            .map_err(|error| refused(format!("it is not JSON: {error}")))?;
        let result = Result::deserialize(value).map_err(|error| refused(error.to_string()))?;
        Ok(Self { file, result })
    }
}
