//! What does a daemon know of one connection, and when does it drop the connection?

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;

use raddle_policy::{Level, ProcessId};

use crate::LiveError;
use crate::status::{ClientSummary, RefusedClient};
use crate::wire::{HEAD, MOST_TO_DAEMON, ToClient, ToDaemon, frame, length};

/// Largest number of messages that a process may send to the daemon in a second. With more messages
/// its connection is ended.
const MOST_A_SECOND: u32 = 1000;
/// Largest number of bytes that the daemon keeps for a client that does not read its messages. If
/// more are unsent when the daemon sends another message, it ends the connection instead.
const MOST_UNREAD: usize = 16 << 10;
const SECOND: u64 = 1_000_000_000;

/// Reason why the daemon ends a connection with a program or a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process at the other end of the connection has gone.
    Gone,
    /// The process at the other end has broken a rule of the connection; the value says which rule.
    Refused(RefusedClient),
}

/// Preemption that the daemon has ordered and that is not over: when it was ordered (`since`, in
/// nanoseconds), and whether it has been counted as overdue.
#[derive(Clone, Copy, Debug)]
struct Pending {
    since: u64,
    counted: bool,
}

/// Connection between the daemon and a process of the same user, with what the daemon knows about
/// that process.
pub(super) struct Connection {
    stream: UnixStream,
    /// Process id of the process at the other end of the connection, as the kernel gives it.
    pub(super) pid: i32,
    /// Id of the program that joined over this connection; `None` until one has joined.
    pub(super) program: Option<ProcessId>,
    /// Level with which the program of this connection joined; 0 is the most urgent.
    pub(super) level: Level,
    /// Time at which the connection was made, in nanoseconds since the daemon started.
    pub(super) since: u64,
    pub(super) summary: ClientSummary,
    /// Process id of the process that ordered the program off the device; `None` if no process did.
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

    /// Reads messages that have arrived by the time `now`, in nanoseconds, and adds them to
    /// `messages`. Each call reads a limited number of bytes. An error is the reason to end the
    /// connection.
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

    /// Sends a message, or as many of its bytes as the socket takes now; the remaining bytes are
    /// stored until there is room. An error is the reason to end the connection.
    pub(super) fn send(&mut self, message: &ToClient) -> Result<(), Fault> {
        if self.unread.len() > MOST_UNREAD {
            return Err(Fault::Refused(RefusedClient::NotReading));
        }
        self.unread.extend(frame(message));
        self.write()
    }

    /// Returns whether stored bytes of messages wait to be written to the connection.
    pub(super) const fn has_more(&self) -> bool {
        !self.unread.is_empty()
    }

    /// Writes stored bytes of messages to the connection, as many as the socket takes now. An error
    /// is the reason to end the connection.
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

    /// Records that the daemon orders a preemption at the time `now`, in nanoseconds, and returns
    /// its number.
    pub(super) fn order(&mut self, now: u64) -> u64 {
        self.ordered += 1;
        // A preemption that is not over goes on, whatever was ordered since.
        self.pending = self.pending.or(Some(Pending { since: now, counted: false }));
        self.ordered
    }

    /// Records the report that the preemption with the number `order` is over, and returns true.
    /// Returns false and changes nothing if another preemption was ordered last, or this one was
    /// over before.
    pub(super) fn drained(&mut self, order: u64) -> bool {
        let last = order == self.ordered && self.pending.is_some();
        if last {
            self.pending = None;
        }
        last
    }

    /// Returns true once for the preemption under way: at the first call after it has taken
    /// `give_up` nanoseconds. `now` is the time in nanoseconds.
    pub(super) fn is_overdue(&mut self, now: u64, give_up: u64) -> bool {
        let Some(pending) = &mut self.pending else { return false };
        if pending.counted || now.saturating_sub(pending.since) < give_up {
            return false;
        }
        pending.counted = true;
        self.overdue += 1;
        true
    }

    /// Makes and returns a token by which programs join at the priority level `level`. It is good
    /// as long as this connection exists.
    pub(super) fn grant(&mut self, level: Level) -> io::Result<String> {
        let token = super::socket::unguessable()?;
        self.granted = Some((token.clone(), level));
        Ok(token)
    }

    /// Returns the priority level for which the token was granted on this connection; `None` for
    /// another token.
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
