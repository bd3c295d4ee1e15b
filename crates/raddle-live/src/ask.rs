//! Which questions and orders may a command, or a program, send to a daemon?

use std::io::{ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle_dispatch::Recipe;
use raddle_policy::Level;

use crate::hint::LiveHint;
use crate::status::LiveStatus;
use crate::wire::{HEAD, MOST_TO_DAEMON, ToClient, ToDaemon, frame, receive};
use crate::{LiveError, env};

/// Longest time for which a tool, such as `raddle live status`, waits for an answer of the live
/// daemon, which schedules the programs of a user.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the path of the daemon's default socket; `None` where the session has no folder for
/// sockets (`XDG_RUNTIME_DIR`).
#[must_use]
pub fn default_socket() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty())?;
    Some(Path::new(&folder).join("raddle-live.sock"))
}

/// Connection of a tool to the live daemon, by which it asks for the state of the scheduled
/// programs and gives orders about them.
#[derive(Debug)]
pub struct Inquiry {
    stream: UnixStream,
}

impl Inquiry {
    /// Returns a connection to the daemon that listens at the socket with this path.
    ///
    /// # Errors
    /// No daemon serves this socket.
    pub fn connect(socket: &Path) -> Result<Self, LiveError> {
        let absent = |cause| LiveError::NoDaemon { path: socket.display().to_string(), cause };
        let stream = UnixStream::connect(socket).map_err(absent)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(LiveError::Socket)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(LiveError::Socket)?;
        Ok(Self { stream })
    }

    fn ask(&mut self, question: &ToDaemon) -> Result<ToClient, LiveError> {
        let bytes = frame(question);
        if bytes.len() > HEAD + MOST_TO_DAEMON {
            return Err(LiveError::TooLong { length: bytes.len() - HEAD, most: MOST_TO_DAEMON });
        }
        let sent = self.stream.write_all(&bytes).map_err(LiveError::Socket);
        let told = sent.and_then(|()| receive(&mut self.stream));
        told.map_err(|error| match error {
            LiveError::Socket(cause) => match cause.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => LiveError::NoAnswer,
                ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => {
                    LiveError::Closed
                }
                _ => LiveError::Socket(cause),
            },
            error => error,
        })
    }

    /// Asks the daemon for the state of all programs that it schedules, and returns that state.
    ///
    /// # Errors
    /// The daemon is gone.
    pub fn status(&mut self) -> Result<LiveStatus, LiveError> {
        match self.ask(&ToDaemon::Status {})? {
            ToClient::Status { of } => Ok(*of),
            _ => Err(LiveError::Strange),
        }
    }

    /// Takes the work of all programs that have the process id `pid` off the device, until
    /// [`resume`](Self::resume) is called for them. Returns the number of these programs.
    ///
    /// # Errors
    /// The daemon is gone.
    pub fn preempt(&mut self, pid: i32) -> Result<u64, LiveError> {
        self.done(&ToDaemon::Preempt { pid })
    }

    /// Lets all programs that have the process id `pid` run again after [`preempt`](Self::preempt).
    /// Returns the number of these programs.
    ///
    /// # Errors
    /// The daemon is gone.
    pub fn resume(&mut self, pid: i32) -> Result<u64, LiveError> {
        self.done(&ToDaemon::Resume { pid })
    }

    /// Gives a hint about all programs that have the process id `pid`; `None` is this process.
    /// Returns the number of these programs.
    ///
    /// A priority level in the hint cannot be more urgent than the daemon allows. In a hint about
    /// the calling process it cannot be more urgent than the level with which the process joined.
    ///
    /// # Errors
    /// The daemon is gone.
    pub fn hint(&mut self, pid: Option<i32>, hint: LiveHint) -> Result<u64, LiveError> {
        self.done(&ToDaemon::Hint { pid, hint })
    }

    /// Replaces the turn (the right to use the device) and preempt policies of the daemon by those
    /// of a recipe. Programs keep their work, and preemptions under way go on. Returns the number
    /// of programs that have joined the daemon.
    ///
    /// # Errors
    /// The daemon is gone, does not know a policy of the recipe, or cannot use it.
    pub fn set(&mut self, recipe: &Recipe) -> Result<u64, LiveError> {
        let recipe = serde_json::to_value(recipe).map_err(LiveError::Message)?;
        self.done(&ToDaemon::Set { recipe })
    }

    fn done(&mut self, order: &ToDaemon) -> Result<u64, LiveError> {
        match self.ask(order)? {
            ToClient::Done { programs } => Ok(programs),
            ToClient::Refused { why } => Err(LiveError::Refused { why }),
            _ => Err(LiveError::Strange),
        }
    }

    /// Asks for a token with which programs join at the priority level `level`, where 0 is the most
    /// urgent. Returns (token, granted level): the granted level may be less urgent, as the daemon
    /// has a limit. The token is good as long as this connection exists.
    ///
    /// # Errors
    /// The daemon is gone.
    pub fn grant(&mut self, level: Level) -> Result<(String, Level), LiveError> {
        match self.ask(&ToDaemon::Grant { level })? {
            ToClient::Granted { token, level } => Ok((token, level)),
            _ => Err(LiveError::Strange),
        }
    }
}

/// Gives a hint about this process, as [`hint`] does, for a caller in C: `kind` and `value` are
/// those of [`LiveHint::by_number`]. Returns the number of programs that the hint is about; -1 if
/// there is no such kind of hint, -2 if no daemon serves the socket.
#[must_use]
pub fn hint_by_number(kind: u32, value: u64) -> i32 {
    let Some(said) = LiveHint::by_number(kind, value) else { return -1 };
    hint(said).map_or(-2, |joined| i32::try_from(joined).unwrap_or(i32::MAX))
}

/// Gives a hint about this process to the daemon whose socket the environment names
/// ([`env::SOCKET`], else the default). Returns the number of programs in this process that have
/// joined the daemon, one for each device. The number is 0, and the hint has no effect, before the
/// process makes its first queue.
///
/// A priority level in the hint cannot be more urgent than the one with which the process has
/// joined.
///
/// ```no_run
/// use raddle_live::{LiveHint, hint};
/// use raddle_policy::{Hint, Ticks};
///
/// // A request is to end 20 ms after it came.
/// let joined = hint(LiveHint::Policy(Hint::Deadline(Ticks(20_000_000))))?;
/// # Ok::<(), raddle_live::LiveError>(())
/// ```
///
/// # Errors
/// No daemon serves the socket.
pub fn hint(hint: LiveHint) -> Result<u64, LiveError> {
    let socket = std::env::var_os(env::SOCKET).map(PathBuf::from).or_else(default_socket);
    Inquiry::connect(&socket.unwrap_or_default())?.hint(None, hint)
}
