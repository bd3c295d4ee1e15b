//! What is the state of a daemon and of its programs?

use std::collections::BTreeMap;

use raddle_policy::{Hints, Level};
use serde::{Deserialize, Serialize};

/// State of a daemon and of the programs that it schedules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LiveStatus {
    /// Process id of the daemon.
    pub pid: u32,
    /// Time for which the daemon has run, in milliseconds.
    pub uptime_ms: u64,
    /// Names of the policies in use: (turn policy, preempt policy).
    pub policies: (String, String),
    /// Reason why the policies of the user's recipe no longer decide and every program may use its
    /// device; `None` while they decide.
    pub fell_back: Option<String>,
    /// Most urgent level that the daemon grants to a program; 0 is the most urgent of all.
    pub most_urgent: Level,
    /// States of the programs that have joined, in the order of the programs' ids.
    pub programs: Vec<ProgramStatus>,
    /// Number of connections that were refused or dropped, by reason.
    pub refused: BTreeMap<RefusedClient, u64>,
}

/// Reason why the daemon refused or dropped a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusedClient {
    /// The connection came from a process of another user.
    OtherUser,
    /// The daemon had as many connections as it allows.
    TooMany,
    /// The client sent no message for too long after it had connected.
    Silent,
    /// The client sent bytes that are no message, or a message that makes no sense now.
    BadMessage,
    /// The client sent a message that is longer than the daemon takes.
    TooLong,
    /// The client sent more messages in a second than it may.
    TooFast,
    /// The daemon ended the connection, as the client did not read the daemon's messages.
    NotReading,
}

impl RefusedClient {
    /// Returns the reason in words, for messages to people.
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

/// Counts that a client has kept since it started, as it reports them to the daemon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ClientSummary {
    /// Number of launches that wait in the client's queues for their submission now.
    pub waiting: u64,
    /// Number of launches in the GPU runtime now: submitted and not ended.
    pub in_flight: u64,
    /// Number of submissions; a launch counts again each time it is submitted.
    pub submitted: u64,
    /// Number of launches that have run to their end.
    pub finished: u64,
    /// Number of times that a launch left without doing its work, because it saw the raised
    /// preemption flag at its start.
    pub exited: u64,
    /// Number of times that a launch was killed.
    pub killed: u64,
    /// Number of preemptions of the client that are over.
    pub preempted: u64,
    /// Number of preemptions that took longer than the client's time limit for them.
    pub given_up: u64,
    /// Time that the longest preemption of the client took, in nanoseconds.
    pub longest_ns: u64,
    /// Counts that the layer above the client (such as the OpenCL layer) keeps, by name.
    pub counted: BTreeMap<String, u64>,
}

/// State of a program that has joined the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProgramStatus {
    /// Process id of the program, as the operating system has it.
    pub pid: i32,
    /// Name of the device that the program uses, as the program gave it; programs with the same
    /// device name take turns.
    pub device: String,
    /// Level of the program; 0 is the most urgent.
    pub level: Level,
    /// Share of the program: where the device is divided fairly, a program with the share 2 gets
    /// twice the time of one with the share 1.
    pub share: u32,
    /// Last hint of each kind that was given about the program.
    pub hints: Hints,
    /// Present right of the program to use the device.
    pub standing: ProgramStanding,
    /// Time for which the program has had its present right (`standing`), in milliseconds.
    pub since_ms: u64,
    /// Reason why the program may not use the device now; `None` where it may.
    pub because: Option<OffReason>,
    /// Process ids that explain the reason: those of the programs that may use the device, or of
    /// the process that ordered this program off.
    pub by: Vec<i32>,
    /// True if the program has work that waits for submission or is in the GPU runtime.
    pub runnable: bool,
    /// Number of preemptions of the program that the daemon has ordered.
    pub ordered: u64,
    /// Number of ordered preemptions that took longer than the daemon's time limit for them.
    pub overdue: u64,
    /// Number of preemptions of the program that were not ordered, as they would have exceeded the
    /// limit of preemptions in a second.
    pub held_back: u64,
    /// Last counts that the program's client has reported.
    pub summary: ClientSummary,
}

/// Reason why a program may not use the device now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OffReason {
    /// The program has no work that waits for submission or is in the GPU runtime.
    NoWork,
    /// The program may not submit work: the turn policy lets other programs use the device.
    Others,
    /// A process of the user has ordered the program off the device, as `raddle live preempt` does.
    Order,
    /// A test mode of the daemon (a storm of random preemptions) has taken the program off the
    /// device.
    Storm,
}

/// Right of a program to use the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProgramStanding {
    /// The program may submit work: it has the turn.
    Turn,
    /// The program may submit no work; work that was submitted runs on.
    Paused,
    /// The work of the program is leaving the device.
    Leaving,
    /// The work of the program has left the device.
    Away,
    /// The program was taken off the device by an order of a tool or by the test of random
    /// preemptions, and stays off until another order.
    Held,
}
