//! Which questions and orders may a command send to a daemon?

use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle_policy::Level;

use crate::LiveError;
use crate::status::LiveStatus;
use crate::wire::{ToClient, ToDaemon, receive, send};

/// Longest time for which a tool waits for an answer of the daemon.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the path of the daemon's default socket; `None` where the session has no folder for
/// sockets (`XDG_RUNTIME_DIR`).
#[must_use]
pub fn default_socket() -> Option<PathBuf> {
    let folder = std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty())?;
    Some(Path::new(&folder).join("raddle-live.sock"))
}

/// Connection to a daemon by which a tool asks for the state of its programs and gives orders about
/// them.
#[derive(Debug)]
pub struct Inquiry {
    stream: UnixStream,
}

impl Inquiry {
    /// Connects to the daemon at the socket with this path.
    ///
    /// # Errors
    /// Nobody serves this socket.
    pub fn connect(socket: &Path) -> Result<Self, LiveError> {
        let absent = |cause| LiveError::NoDaemon { path: socket.display().to_string(), cause };
        let stream = UnixStream::connect(socket).map_err(absent)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(LiveError::Socket)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(LiveError::Socket)?;
        Ok(Self { stream })
    }

    fn ask(&mut self, question: &ToDaemon) -> Result<ToClient, LiveError> {
        let sent = send(&mut self.stream, question).map_err(LiveError::Socket);
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

    /// Asks the daemon for the state of all programs, and returns it.
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

    fn done(&mut self, order: &ToDaemon) -> Result<u64, LiveError> {
        match self.ask(order)? {
            ToClient::Done { programs } => Ok(programs),
            _ => Err(LiveError::Strange),
        }
    }

    /// Asks for a token with which programs join at the level `level`, where 0 is the most urgent.
    /// If the daemon grants no level that urgent, the token is for the most urgent level that it
    /// grants. Returns (token, granted level); the token is good as long as this connection exists.
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
