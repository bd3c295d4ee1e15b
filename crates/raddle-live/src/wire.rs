//! What do the daemon and its clients say to each other?
//!
//! A frame is a version (one byte, 1), a length (four bytes, little-endian) and a text of that many
//! bytes of JSON.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use raddle_policy::{Level, Preemption};
use rustix::net::SendFlags;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::LiveError;
use crate::hint::LiveHint;
use crate::status::{ClientSummary, LiveStatus};

/// Version of the message format between clients and the daemon; the first byte of each message.
pub(crate) const VERSION: u8 = 1;
/// Number of bytes of a message's header: one for the version, four for the length of the text.
pub(crate) const HEAD: usize = 5;
/// Largest text of a message that a daemon accepts, in bytes.
pub(crate) const MOST_TO_DAEMON: usize = 4096;
/// Largest text of a message that a client accepts, in bytes. The longest message is the state of
/// all programs.
const MOST_TO_CLIENT: usize = 4 << 20;

/// Message of a client or a tool to the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum ToDaemon {
    /// Report that a program joins. Its priority level is that of the token; without a token, the
    /// default level. Programs that name the same device take turns.
    Join {
        token: Option<String>,
        #[serde(default)]
        device: String,
    },
    /// Report that the program has work to run; `in_flight` is the number of its launches in the
    /// GPU runtime.
    Runnable { in_flight: u64 },
    /// Report that the program has no work to run any more.
    Idle {},
    /// Report that the preemption with the number `order` is over.
    Drained { order: u64 },
    /// Report of the counts of the program's client, sent at intervals.
    Summary { of: ClientSummary },
    /// Question whether the daemon still runs.
    Alive {},
    /// Request for a token by which programs join at this priority level.
    Grant { level: Level },
    /// Request for the state of all programs.
    Status {},
    /// Order to take the work of the programs with this process id off the device until they are
    /// resumed.
    Preempt { pid: i32 },
    /// Order to let the programs with this process id go on.
    Resume { pid: i32 },
    /// Hint about the programs with this process id; `None` is the process that sends the hint.
    Hint { pid: Option<i32>, hint: LiveHint },
    /// Order to replace the daemon's policies by those of this recipe.
    Set { recipe: Value },
}

/// Message of the daemon to a client or a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum ToClient {
    /// Answer to a program that joins: it has this priority level, and is paused at first.
    Welcome { level: Level },
    /// Order that the program's work leaves the device by the method `way`; the program reports the
    /// end of this preemption under the number `order`.
    Preempt { order: u64, way: Preemption },
    /// Order that the program submits no further work; submitted work runs on.
    Pause {},
    /// Order that the program goes on after a pause or a preemption.
    Resume {},
    /// Longest time in nanoseconds that a preemption should take, as the daemon's recipe sets it;
    /// `None` for no bound.
    Bound { ns: Option<u64> },
    /// Answer to the question whether the daemon still runs.
    Alive {},
    /// Answer to a request for a token: the token, and the priority level for which it is good.
    Granted { token: String, level: Level },
    /// Answer to a request for the state of all programs.
    Status { of: Box<LiveStatus> },
    /// Answer to an order: it was carried out, for this number of programs.
    Done { programs: u64 },
    /// Answer to an order that was not carried out, with the reason.
    Refused { why: String },
}

/// Returns the bytes of a message: its head (version and length) and its text.
pub(crate) fn frame(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![VERSION, 0, 0, 0, 0];
    serde_json::to_writer(&mut bytes, message).expect("messages have text keys, and fit memory");
    let length = u32::try_from(bytes.len() - HEAD).unwrap_or(u32::MAX);
    bytes[1..HEAD].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Returns the length of the text behind the header `head` of a message, in bytes. An error where
/// the header has another version, or the text is longer than `most` bytes.
pub(crate) fn length(head: [u8; HEAD], most: usize) -> Result<usize, LiveError> {
    let [version, length @ ..] = head;
    if version != VERSION {
        return Err(LiveError::Version { version });
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > most { Err(LiveError::TooLong { length, most }) } else { Ok(length) }
}

/// Sends a message, and blocks until it is written; an error where the connection breaks.
pub(crate) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&frame(message))?;
    to.flush()
}

/// Sends a message without blocking; an error where the socket has no room for it. So a daemon that
/// does not read its messages cannot stop a client.
pub(crate) fn send_now(to: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let bytes = frame(message);
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    let sent = loop {
        match rustix::net::send(to, &bytes, flags) {
            Err(rustix::io::Errno::INTR) => {}
            told => break told?,
        }
    };
    if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Blocks until a message has arrived, and returns it; an error where the connection breaks or the
/// message cannot be read.
pub(crate) fn receive<M: DeserializeOwned>(from: &mut impl Read) -> Result<M, LiveError> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head).map_err(LiveError::Socket)?;
    let mut text = vec![0; length(head, MOST_TO_CLIENT)?];
    from.read_exact(&mut text).map_err(LiveError::Socket)?;
    serde_json::from_slice(&text).map_err(LiveError::Message)
}
