//! How do the programs of a daemon stand?

use std::collections::BTreeMap;

use raddle_policy::Level;
use serde::{Deserialize, Serialize};

/// The answer of a daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LiveStatus {
    /// The process id of the daemon.
    pub pid: u32,
    /// The time for which the daemon has run, in milliseconds.
    pub uptime_ms: u64,
    /// The turn and the preempt policy.
    pub policies: (String, String),
    /// The most urgent level that the daemon grants.
    pub most_urgent: Level,
    /// The programs, in the order in which they joined.
    pub programs: Vec<ProgramStatus>,
    /// Connections and messages that were refused or dropped, by reason.
    pub refused: BTreeMap<RefusedClient, u64>,
}

/// The reason for which a connection was refused or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusedClient {
    /// The connection is one of another user.
    OtherUser,
    /// There are as many connections as there may be.
    TooMany,
    /// The client said nothing for too long after it had connected.
    Silent,
    /// The client sent bytes that are no message, or a message that makes no sense now.
    BadMessage,
    /// The client sent a message that is too long.
    TooLong,
    /// The client sent more messages a second than it may.
    TooFast,
    /// The client does not read what it is told.
    NotReading,
}

impl RefusedClient {
    /// Returns the reason in words.
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

/// The counts that a client tells the daemon, since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ClientSummary {
    /// Launches that wait in the client's queues.
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
    /// The counts of the backend, by name.
    pub counted: BTreeMap<String, u64>,
}

/// The state of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProgramStatus {
    /// The process id of the program.
    pub pid: i32,
    /// The level of the program.
    pub level: Level,
    /// The standing of the program: what it may do.
    pub standing: ProgramStanding,
    /// True if the program has something to run.
    pub runnable: bool,
    /// Preemptions that were ordered.
    pub ordered: u64,
    /// Ordered preemptions that were not over in time.
    pub overdue: u64,
    /// Preemptions that were not ordered, as there were too many in a second.
    pub held_back: u64,
    /// The counts that the program tells.
    pub summary: ClientSummary,
}

/// The standing of a program: what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramStanding {
    /// The program has the turn.
    Turn,
    /// The program submits nothing; submitted work stays.
    Paused,
    /// The work of the program is leaving.
    Leaving,
    /// The work of the program has left.
    Away,
    /// The program was taken off until somebody lets it go on.
    Held,
}
