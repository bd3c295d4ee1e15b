//! How does everybody stand?

use std::collections::BTreeMap;

use raddle_policy::Level;
use serde::{Deserialize, Serialize};

/// The answer of a daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LiveStatus {
    /// The process id of the daemon.
    pub pid: u32,
    /// For how long it has run.
    pub uptime_ms: u64,
    /// The turn and the preempt policy.
    pub policies: (String, String),
    /// The most urgent level that it grants.
    pub most_urgent: Level,
    /// The programs, in the order in which they joined.
    pub programs: Vec<ProgramStatus>,
    /// Connections and messages that were refused or dropped, by reason.
    pub refused: BTreeMap<RefusedClient, u64>,
}

/// Why a connection was refused or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusedClient {
    /// It is of another user.
    OtherUser,
    /// As many are there as may be.
    TooMany,
    /// It said nothing for too long after it had connected.
    Silent,
    /// It sent what is no message, or one that makes no sense now.
    BadMessage,
    /// It sent a message that is too long.
    TooLong,
    /// It sent more messages a second than it may.
    TooFast,
    /// It does not read what it is told.
    NotReading,
}

impl RefusedClient {
    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::OtherUser => "another user",
            Self::TooMany => "too many connections",
            Self::Silent => "said nothing",
            Self::BadMessage => "a bad message",
            Self::TooLong => "a message that is too long",
            Self::TooFast => "too many messages",
            Self::NotReading => "does not read",
        }
    }
}

/// What a client says of itself; all counts since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ClientSummary {
    /// Launches that wait in its queues.
    pub waiting: u64,
    /// Launches in the runtime.
    pub in_flight: u64,
    /// Launches submitted, those submitted again included.
    pub submitted: u64,
    /// Launches that have run to their end.
    pub finished: u64,
    /// Launches that left by the flag.
    pub exited: u64,
    /// Launches that were killed.
    pub killed: u64,
    /// Preemptions that are over.
    pub preempted: u64,
    /// Preemptions that were not over in time.
    pub given_up: u64,
    /// Nanoseconds of the longest preemption.
    pub longest_ns: u64,
    /// What the backend counts, by its names.
    pub counted: BTreeMap<String, u64>,
}

/// How a program stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProgramStatus {
    /// Its process id.
    pub pid: i32,
    /// Its level.
    pub level: Level,
    /// What it may do.
    pub standing: ProgramStanding,
    /// Whether it has something to run.
    pub runnable: bool,
    /// Preemptions that were ordered, of those how many are not over in time, and how many were not
    /// ordered as there were too many in a second.
    pub ordered: u64,
    /// See `ordered`.
    pub overdue: u64,
    /// See `ordered`.
    pub held_back: u64,
    /// What it says of itself.
    pub summary: ClientSummary,
}

/// What a program may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramStanding {
    /// It has the turn.
    Turn,
    /// It submits nothing; what it has submitted stays.
    Paused,
    /// Its work is leaving.
    Leaving,
    /// Its work has left.
    Away,
    /// Somebody has taken it off until he lets it go on.
    Held,
}
