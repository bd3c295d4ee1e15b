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

use crate::LiveError;
use crate::status::{ClientSummary, LiveStatus};

/// The version of the frames.
pub(crate) const VERSION: u8 = 1;
/// Bytes before the text of a frame.
pub(crate) const HEAD: usize = 5;
/// Most bytes of text that a daemon takes.
pub(crate) const MOST_TO_DAEMON: usize = 4096;
/// Most bytes of text that a client takes: a status of every client.
const MOST_TO_CLIENT: usize = 4 << 20;

/// A message to the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum ToDaemon {
    /// A program joins, under the level that this token was given.
    Join { token: Option<String> },
    /// The program has something to run.
    Runnable { in_flight: u64 },
    /// The program has nothing to run.
    Idle {},
    /// The preemption of this number is over.
    Drained { order: u64 },
    /// The counts of the program.
    Summary { of: ClientSummary },
    /// Asks whether the daemon is there.
    Alive {},
    /// Asks for a token for programs of this level.
    Grant { level: Level },
    /// Asks for the state of all programs.
    Status {},
    /// Takes the programs of this process id off until they are resumed.
    Preempt { pid: i32 },
    /// Lets the programs of this process id go on.
    Resume { pid: i32 },
}

/// A message of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum ToClient {
    /// The program has joined, is paused, and has this level.
    Welcome { level: Level },
    /// The program's work has to leave by this way; its end is to be told, by the number.
    Preempt { order: u64, way: Preemption },
    /// The program submits nothing more.
    Pause {},
    /// The program goes on.
    Resume {},
    /// The daemon is there.
    Alive {},
    /// A token, and the level that it stands for.
    Granted { token: String, level: Level },
    /// The state of all programs.
    Status { of: Box<LiveStatus> },
    /// The order is carried out, for this number of programs.
    Done { programs: u64 },
}

/// Makes the bytes of a message.
pub(crate) fn frame(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = vec![VERSION, 0, 0, 0, 0];
    serde_json::to_writer(&mut bytes, message).expect("messages have text keys, and fit memory");
    let length = u32::try_from(bytes.len() - HEAD).unwrap_or(u32::MAX);
    bytes[1..HEAD].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Returns the number of bytes of text that follow this head, at most `most`.
pub(crate) fn length(head: [u8; HEAD], most: usize) -> Result<usize, LiveError> {
    let [version, length @ ..] = head;
    if version != VERSION {
        return Err(LiveError::Version { version });
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > most { Err(LiveError::TooLong { length, most }) } else { Ok(length) }
}

/// Sends a message and waits until it is gone.
pub(crate) fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    to.write_all(&frame(message))?;
    to.flush()
}

/// Sends a message if there is room for it. A client whose messages nobody reads counts as alone.
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

/// Waits for a message of the daemon's.
pub(crate) fn receive<M: DeserializeOwned>(from: &mut impl Read) -> Result<M, LiveError> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head).map_err(LiveError::Socket)?;
    let mut text = vec![0; length(head, MOST_TO_CLIENT)?];
    from.read_exact(&mut text).map_err(LiveError::Socket)?;
    serde_json::from_slice(&text).map_err(LiveError::Message)
}
