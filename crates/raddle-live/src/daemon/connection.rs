//! What is known of one connection, and when is it dropped?

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;

use raddle_policy::{Level, ProcessId};

use crate::LiveError;
use crate::status::{ClientSummary, RefusedClient};
use crate::wire::{HEAD, MOST_TO_DAEMON, ToClient, ToDaemon, frame, length};

/// Messages of one connection in a second, at most.
const MOST_A_SECOND: u32 = 1000;
/// Bytes that wait to be read by a client, at most; a status may be longer.
const MOST_UNREAD: usize = 16 << 10;
const SECOND: u64 = 1_000_000_000;

/// The reason for which a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The other side has gone.
    Gone,
    /// A rule that the other side breaks.
    Refused(RefusedClient),
}

/// A preemption that was ordered and is not over.
#[derive(Clone, Copy, Debug)]
struct Pending {
    since: u64,
    counted: bool,
}

/// A connection of this user's.
pub(super) struct Connection {
    stream: UnixStream,
    /// The process on the other side, as the kernel says.
    pub(super) pid: i32,
    /// The program, once it has joined.
    pub(super) program: Option<ProcessId>,
    /// The time at which the other side connected.
    pub(super) since: u64,
    pub(super) summary: ClientSummary,
    pub(super) ordered: u64,
    pub(super) overdue: u64,
    pending: Option<Pending>,
    granted: Option<(String, Level)>,
    heard: u64,
    /// The begin of the second in which messages are counted, and how many came in it.
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
            since: now,
            summary: ClientSummary::default(),
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

    /// Returns whether the connection has not sent a message yet.
    pub(super) const fn is_silent(&self) -> bool {
        self.heard == 0
    }

    /// Reads the messages that are there, a few at a time; the rest comes with the next call.
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

    /// Sends a message, or as much of it as there is room for.
    pub(super) fn send(&mut self, message: &ToClient) -> Result<(), Fault> {
        if self.unread.len() > MOST_UNREAD {
            return Err(Fault::Refused(RefusedClient::NotReading));
        }
        self.unread.extend(frame(message));
        self.write()
    }

    /// Returns whether bytes wait for room.
    pub(super) const fn has_more(&self) -> bool {
        !self.unread.is_empty()
    }

    /// Writes the bytes that wait, as far as there is room.
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

    /// Gives the next preemption its number, and notes that it is ordered now.
    pub(super) fn order(&mut self, now: u64) -> u64 {
        self.ordered += 1;
        // A preemption that is not over goes on, whatever was ordered since.
        self.pending = self.pending.or(Some(Pending { since: now, counted: false }));
        self.ordered
    }

    /// Notes that a preemption is over. Returns whether it is the last that was ordered.
    pub(super) fn drained(&mut self, order: u64) -> bool {
        let last = order == self.ordered && self.pending.is_some();
        if last {
            self.pending = None;
        }
        last
    }

    /// Returns whether the last preemption has become overdue since the last call.
    pub(super) fn is_overdue(&mut self, now: u64, give_up: u64) -> bool {
        let Some(pending) = &mut self.pending else { return false };
        if pending.counted || now.saturating_sub(pending.since) < give_up {
            return false;
        }
        pending.counted = true;
        self.overdue += 1;
        true
    }

    /// Makes a token for this level, good for as long as the connection is there.
    pub(super) fn grant(&mut self, level: Level) -> io::Result<String> {
        let token = super::socket::unguessable()?;
        self.granted = Some((token.clone(), level));
        Ok(token)
    }

    /// Returns the level of this token, if it was granted on this connection.
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
