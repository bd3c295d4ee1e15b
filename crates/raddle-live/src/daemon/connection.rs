//! What does a daemon know of one connection, and when does it drop the connection?

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;

use raddle_policy::{Level, ProcessId};

use crate::LiveError;
use crate::status::{ClientSummary, RefusedClient};
use crate::wire::{HEAD, MOST_TO_DAEMON, ToClient, ToDaemon, frame, length};

/// Largest number of messages that a connection may send in a second; one more ends the connection.
const MOST_A_SECOND: u32 = 1000;
/// Largest number of bytes that may wait because a client does not read them. A further message to
/// it ends the connection; a single long status is allowed.
const MOST_UNREAD: usize = 16 << 10;
const SECOND: u64 = 1_000_000_000;

/// Reason for which a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process at the other end of the connection has gone.
    Gone,
    /// The other side has broken a rule of the connection; the value says which.
    Refused(RefusedClient),
}

/// Preemption that was ordered and is not over: the time in nanoseconds at which it was ordered,
/// and whether it has been counted as overdue.
#[derive(Clone, Copy, Debug)]
struct Pending {
    since: u64,
    counted: bool,
}

/// Connection between the daemon and a process of its user, as the daemon knows it.
pub(super) struct Connection {
    stream: UnixStream,
    /// Process id of the process at the other end, as the kernel gives it.
    pub(super) pid: i32,
    /// Program that joined over this connection; `None` until one has.
    pub(super) program: Option<ProcessId>,
    /// Level with which that program joined.
    pub(super) level: Level,
    /// Time at which the connection was made, in nanoseconds since the daemon started.
    pub(super) since: u64,
    pub(super) summary: ClientSummary,
    /// Process id of the process that ordered the program off the device; `None` where none did.
    pub(super) held_by: Option<i32>,
    pub(super) ordered: u64,
    pub(super) overdue: u64,
    pending: Option<Pending>,
    granted: Option<(String, Level)>,
    heard: u64,
    /// (begin of the second in which messages are counted, in nanoseconds; number of messages in
    /// it).
    second: (u64, u32),
    read: Vec<u8>,
    unread: Vec<u8>,
}

impl Connection {
    pub(super) fn new(stream: UnixStream, pid: i32, now: u64) -> Self {
        Self {
            stream,
            pid,
            program: None,
            level: Level::BEST_EFFORT,
            since: now,
            summary: ClientSummary::default(),
            held_by: None,
            ordered: 0,
            overdue: 0,
            pending: None,
            granted: None,
            heard: 0,
            second: (now, 0),
            read: Vec::new(),
            unread: Vec::new(),
        }
    }

    pub(super) const fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// Returns whether the process at the other end has not sent any message yet.
    pub(super) const fn is_silent(&self) -> bool {
        self.heard == 0
    }

    /// Reads messages that have arrived at the time `now`, in nanoseconds, and adds them to
    /// `messages`. It reads a limited number of bytes; the next call reads further ones.
    pub(super) fn read(&mut self, now: u64, messages: &mut Vec<ToDaemon>) -> Result<(), Fault> {
        let mut bytes = [0; MOST_TO_DAEMON];
        let ended = match self.stream.read(&mut bytes) {
            Ok(0) => Err(Fault::Gone),
            Ok(count) => {
                self.read.extend_from_slice(&bytes[..count]);
                Ok(())
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(()),
                _ => Err(Fault::Gone),
            },
        };
        while let Some(&head) = self.read.first_chunk::<HEAD>() {
            let length = length(head, MOST_TO_DAEMON).map_err(refused)?;
            let Some(text) = self.read.get(HEAD..HEAD + length) else { break };
            let message = serde_json::from_slice(text).map_err(LiveError::Message);
            messages.push(message.map_err(refused)?);
            self.read.drain(..HEAD + length);
            self.count(now)?;
        }
        ended
    }

    fn count(&mut self, now: u64) -> Result<(), Fault> {
        self.heard += 1;
        if now.saturating_sub(self.second.0) >= SECOND {
            self.second = (now, 0);
        }
        self.second.1 += 1;
        if self.second.1 > MOST_A_SECOND {
            return Err(Fault::Refused(RefusedClient::TooFast));
        }
        Ok(())
    }

    /// Sends a message, or as much of it as there is room for; the remaining bytes are stored until
    /// there is room.
    pub(super) fn send(&mut self, message: &ToClient) -> Result<(), Fault> {
        if self.unread.len() > MOST_UNREAD {
            return Err(Fault::Refused(RefusedClient::NotReading));
        }
        self.unread.extend(frame(message));
        self.write()
    }

    /// Returns whether bytes for this connection are stored and wait to be written.
    pub(super) const fn has_more(&self) -> bool {
        !self.unread.is_empty()
    }

    /// Writes the bytes that wait for this connection, as many as the socket takes now.
    pub(super) fn write(&mut self) -> Result<(), Fault> {
        while !self.unread.is_empty() {
            match self.stream.write(&self.unread) {
                Ok(0) => return Err(Fault::Gone),
                Ok(count) => drop(self.unread.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Fault::Gone),
            }
        }
        Ok(())
    }

    /// Records that a preemption is ordered at the time `now`, in nanoseconds, and returns the
    /// number of the preemption.
    pub(super) fn order(&mut self, now: u64) -> u64 {
        self.ordered += 1;
        // A preemption that is not over goes on, whatever was ordered since.
        self.pending = self.pending.or(Some(Pending { since: now, counted: false }));
        self.ordered
    }

    /// Records that the preemption with the number `order` is over. Returns whether it is the one
    /// that was ordered last.
    pub(super) fn drained(&mut self, order: u64) -> bool {
        let last = order == self.ordered && self.pending.is_some();
        if last {
            self.pending = None;
        }
        last
    }

    /// Returns whether a preemption has become overdue since the last call: at the time `now` it
    /// has taken `give_up` or more, both in nanoseconds.
    pub(super) fn is_overdue(&mut self, now: u64, give_up: u64) -> bool {
        let Some(pending) = &mut self.pending else { return false };
        if pending.counted || now.saturating_sub(pending.since) < give_up {
            return false;
        }
        pending.counted = true;
        self.overdue += 1;
        true
    }

    /// Returns a token for the level `level`, good as long as the connection exists.
    pub(super) fn grant(&mut self, level: Level) -> io::Result<String> {
        let token = super::socket::unguessable()?;
        self.granted = Some((token.clone(), level));
        Ok(token)
    }

    /// Returns the level of the token; `None` if the token was not granted on this connection.
    pub(super) fn granted(&self, token: &str) -> Option<Level> {
        let (granted, level) = self.granted.as_ref()?;
        (granted == token).then_some(*level)
    }
}

fn refused(error: LiveError) -> Fault {
    Fault::Refused(match error {
        LiveError::TooLong { .. } => RefusedClient::TooLong,
        _ => RefusedClient::BadMessage,
    })
}
