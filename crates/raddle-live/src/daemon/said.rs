//! What does the log of a daemon say?

use raddle_dispatch::{Recipe, Registry};
use raddle_policy::{Level, Preemption, ProcessId, Tick};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{LiveError, LiveHint};

/// First line of a daemon's log: all settings that a replay needs to repeat the daemon's decisions.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct DaemonHeader {
    /// Version of the log format: 1.
    pub(crate) raddle_log: u32,
    pub(crate) live: DaemonMark,
    /// Most preemptions of one program in a second; further preemptions are not ordered.
    pub(crate) most_a_second: u32,
    pub(crate) recipe: Recipe,
}

impl DaemonHeader {
    /// Reads the first line of a daemon's log; an error where the line is no such line. The
    /// policies of its recipe are looked up in `registry`.
    pub(crate) fn read(line: &str, registry: &Registry) -> Result<Self, LiveError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        struct WrittenHeader {
            raddle_log: u32,
            live: DaemonMark,
            most_a_second: u32,
            recipe: Value,
        }
        let WrittenHeader { raddle_log, live, most_a_second, recipe } =
            serde_json::from_str(line).map_err(|error| LiveError::bad_log(1, &error))?;
        let recipe = logged_recipe(&recipe, registry, 1)?;
        Ok(Self { raddle_log, live, most_a_second, recipe })
    }
}

/// Reads a recipe from the line with the number `line` of a log, counted from 1; an error where it
/// is invalid or `registry` lacks one of its policies.
pub(crate) fn logged_recipe(
    recipe: &Value,
    registry: &Registry,
    line: usize,
) -> Result<Recipe, LiveError> {
    registry.recipe("of the daemon", &recipe.to_string()).map_err(|error| {
        let what = format!("{error}. A log is read with a registry that has its policies");
        LiveError::bad_log(line, &what)
    })
}

/// Word in the first line of a log that marks it as the log of a daemon (not of a client).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DaemonMark {
    Daemon,
}

/// Event of a daemon, as written in its log: a message of a program, an order of a tool, or a point
/// in time that has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum DaemonEvent {
    ProcessJoined {
        process: ProcessId,
        level: Level,
        #[serde(default, skip_serializing_if = "is_first")]
        device: u16,
    },
    ProcessLeft {
        process: ProcessId,
    },
    Runnable {
        process: ProcessId,
        in_flight: u64,
    },
    Idle {
        process: ProcessId,
    },
    Drained {
        process: ProcessId,
    },
    /// A program is taken off the device by this method of preemption. It stays off until the tool
    /// or the test of random preemptions that ordered this lets it go on.
    Held {
        process: ProcessId,
        how: Preemption,
    },
    LetGo {
        process: ProcessId,
    },
    /// A program has another priority level or share from now on, or gives a hint that policies can
    /// read, such as a deadline.
    Hint {
        process: ProcessId,
        hint: LiveHint,
    },
    /// A tool asks that the policies of the daemon are replaced by those of this recipe.
    Set {
        recipe: Value,
    },
    /// The policies took more processor time for a decision than the daemon allows.
    Stalled {},
    Woke {},
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_first(device: &u16) -> bool {
    *device == 0
}

/// Order of the daemon to a program, as written in its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum Told {
    Preempt { process: ProcessId, how: Preemption },
    Pause { process: ProcessId },
    Resume { process: ProcessId },
}

/// Decision of the policies, as written in the log: `Turn` has the programs that may use a device,
/// `Broke` the law (documented rule) that the policy of a slot has broken.
#[derive(Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(super) enum Answered<'a> {
    Turn {
        may_issue: &'a [ProcessId],
        #[serde(skip_serializing_if = "is_first")]
        device: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        until: Option<Tick>,
    },
    Broke {
        slot: &'a str,
        law: &'a str,
    },
}
