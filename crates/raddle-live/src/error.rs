//! Which errors may a client and the daemon of `raddle live` meet?

use std::io;

use raddle_dispatch::RecipeError;
use raddle_preempt::PreemptError;

/// Error of a client (the part of a program that schedules its launches live), or of the daemon
/// (which schedules all programs of a user).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message says what each field is")]
pub enum LiveError {
    /// The client's controller refused a report of the GPU runtime that cannot be true, or settings
    /// with which nothing could run.
    #[error("the preemption controller refuses: {0}")]
    Controller(#[from] PreemptError),
    /// The GPU runtime that a client was started with has other abilities than were declared.
    #[error("the runtime declares other abilities than the client was started with: give the same")]
    DeclaredOther,
    /// A report of the GPU runtime is about a launch that was not submitted.
    #[error("submission {launch} is not known: the log must hold its answer before")]
    NoLaunch { launch: u64 },
    /// No daemon serves the socket at this path.
    #[error("no daemon serves {path}: {cause}; start `raddle live serve`, or name its --socket")]
    NoDaemon { path: String, cause: io::Error },
    /// The daemon's socket cannot be made at this path.
    #[error("no socket can be made at {path}: {cause}")]
    Listen { path: String, cause: io::Error },
    /// The connection of a client or a tool to the daemon broke.
    #[error("the connection is broken: {0}; is the daemon still there (`raddle live status`)?")]
    Socket(#[source] io::Error),
    /// The daemon did not answer a question of a tool within five seconds.
    #[error(
        "the daemon has not answered for 5 s: it is stopped (continue it with `kill -CONT`), or its machine is too busy"
    )]
    NoAnswer,
    /// The daemon has closed the connection of a client or a tool.
    #[error(
        "the daemon has closed the connection: it has as many as it takes (256), heard nothing for too long, or has ended; `raddle live status` counts why"
    )]
    Closed,
    /// A message between the daemon and a program has the version `version` of the protocol, which
    /// this raddle does not read.
    #[error("a message of version {version}, and this raddle speaks version 1: use one version")]
    Version { version: u8 },
    /// A message between the daemon and a program, of `length` bytes, is longer than the `most`
    /// bytes that are allowed.
    #[error("a message of {length} bytes, and at most {most} are taken")]
    TooLong { length: usize, most: usize },
    /// A message between the daemon and a program cannot be parsed by this version of raddle.
    #[error("a message that cannot be read: {0}")]
    Message(#[source] serde_json::Error),
    /// The daemon sent an answer of another kind than the tool's question asks for.
    #[error("the daemon answers something else: use one version of raddle for both")]
    Strange,
    /// The daemon refuses an order that a tool or a program has sent, for the reason `why`.
    #[error("the daemon refuses: {why}")]
    Refused { why: String },
    /// The recipe would do nothing: it lets every program run, and its policy `policy` answers a
    /// question that a live daemon never asks.
    #[error(
        "the recipe lets everyone run, and its {slot} policy `{policy}` places work on a device, which a live daemon does not see: so nothing of it would be done. Give a recipe with a turn policy"
    )]
    NotLive { slot: &'static str, policy: &'static str },
    /// The policies that a recipe names cannot be made, as a setting of theirs is wrong.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The log of a client or a daemon could not be written.
    #[error("the log cannot be written: {0}; check the free space and the rights of its folder")]
    Log(#[source] io::Error),
    /// The log of a client or a daemon could not be read.
    #[error("the log cannot be read: {0}; check the path and its rights")]
    ReadLog(#[source] io::Error),
    /// The line `line` of a log, counted from 1, makes no sense; `what` says why.
    #[error("line {line} of the log cannot be read: {what}")]
    BadLog { line: usize, what: String },
    /// A thread of a client, or of its link to the daemon, cannot be started.
    #[error("a thread cannot be started: {0}; raise the limit of processes (ulimit -u)")]
    Thread(#[source] io::Error),
}

impl LiveError {
    pub(crate) fn bad_log(line: usize, what: &dyn std::fmt::Display) -> Self {
        Self::BadLog { line, what: raddle_read::without_content(&what.to_string()) }
    }
}
