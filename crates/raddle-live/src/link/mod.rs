//! How does a program learn from the daemon when it may run and when it has to leave the device?
//!
//! Two threads beside a client: one hears the daemon, the other tells it when there is work, when
//! there is none, and when a preemption is over. New work is told by the thread of the program that
//! brings it, if no other thread is telling: on a busy machine that other thread may wake
//! milliseconds later.
//!
//! Without a daemon, or when it dies, the client runs; when the daemon comes back, the program
//! joins again. A stopped daemon counts as dead: a client that is kept from running asks whether
//! the daemon still runs, and closes the connection where no answer comes. It then connects anew,
//! and runs until the daemon answers.

pub mod env;

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use crate::LiveError;
use crate::client::board::Board;
use crate::client::core::{Core, LinkState};
use crate::client::{Client, ClientParts};
use crate::status::ClientSummary;
use crate::wire::{ToClient, ToDaemon, receive, send, send_now};

/// Time without work after which the client reports to the daemon that the program has none.
const LINGER: Duration = Duration::from_millis(4);
/// Interval at which the threads of the link check whether it must end.
const LOOK: Duration = Duration::from_millis(200);
/// Interval at which the client sends its counts to the daemon.
const SUMMARY: Duration = Duration::from_millis(50);
/// (interval, limit) for asking the daemon whether it still runs, while it keeps the client paused
/// or preempted. If no answer comes within the limit, the client closes the connection.
const ALIVE: (Duration, Duration) = (Duration::from_millis(15), Duration::from_millis(50));
/// (first, longest) pause between two tries to connect to the daemon; the pause doubles with each
/// failed try.
const AGAIN: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(80));

/// Settings of a client's link to the daemon: the daemon's address, the token for joining, and the
/// device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkConfig {
    /// Path of the daemon's socket.
    pub socket: PathBuf,
    /// Token for a priority level, as `raddle live run` passes it on; `None` for the level of
    /// programs without a token.
    pub token: Option<String>,
    /// Name of the device that the client schedules; programs with the same device name take turns.
    pub device: String,
}

/// Link of a client to the daemon. Dropping it ends the link; the client then runs without a
/// daemon.
#[derive(Debug)]
pub struct Link(Arc<DaemonLine>);

#[derive(Debug)]
struct DaemonLine {
    options: LinkConfig,
    speech: Mutex<Speech>,
    connected: Condvar,
    /// Time at which the daemon was asked whether it still runs, while the answer is awaited; else
    /// `None`.
    asked: Mutex<Option<Instant>>,
    ends: AtomicBool,
}

/// Sending side of the link to the daemon, used by one thread at a time.
#[derive(Debug)]
struct Speech {
    /// Connection on which messages are sent to the daemon; `None` while the link is not connected.
    to: Option<UnixStream>,
    /// Time at which the daemon was last sent the client's counts.
    summarised: Instant,
    /// Time at which the daemon was last asked whether it still runs.
    asked: Instant,
    /// Number of launches that the client had submitted to the runtime at its last report to the
    /// daemon.
    submitted: u64,
}

impl Speech {
    fn hang_up(&mut self) {
        if let Some(stream) = self.to.take() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.0.ends.store(true, Ordering::Relaxed);
        self.0.speech().hang_up();
    }
}

impl Link {
    /// Links a client (a program's side of live scheduling) to the daemon, and joins the daemon
    /// again after each loss of the connection, until the returned value is dropped.
    ///
    /// # Errors
    /// The threads of the link cannot be started.
    pub fn start<T: Clone + Send + 'static>(
        client: &Client<T>,
        options: LinkConfig,
    ) -> Result<Self, LiveError> {
        let now = Instant::now();
        let line = Arc::new(DaemonLine {
            options,
            speech: Mutex::new(Speech { to: None, summarised: now, asked: now, submitted: 0 }),
            connected: Condvar::new(),
            asked: Mutex::new(None),
            ends: AtomicBool::new(false),
        });
        let named = |name: &str| thread::Builder::new().name(name.into());
        let (hears, shared) = (Arc::clone(&line), client.shared());
        named("raddle-hear").spawn(move || hears.hear(&shared)).map_err(LiveError::Thread)?;
        let (tells, shared) = (Arc::clone(&line), client.shared());
        let tell = move || tells.tell(&shared.board);
        named("raddle-tell").spawn(tell).map_err(LiveError::Thread)?;
        let (tells, board) = (Arc::clone(&line), client.shared().board);
        client.shared().tell_by(move || tells.tell_now(&board));
        Ok(Self(line))
    }

    /// Returns whether there is a connection to the daemon now.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.0.speech().to.is_some()
    }
}

/// Changes of the client's state that the daemon does not know yet.
struct News {
    ends: bool,
    work: bool,
    is_kept: bool,
    in_flight: u64,
    submitted: u64,
    told_work: bool,
    drained: Option<u64>,
    summary: ClientSummary,
}

impl DaemonLine {
    fn speech(&self) -> MutexGuard<'_, Speech> {
        self.speech.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    fn asked(&self) -> MutexGuard<'_, Option<Instant>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connects to the daemon and carries out its orders; connects again whenever the connection
    /// breaks, until the link ends.
    fn hear<T: Clone>(&self, shared: &ClientParts<T>) {
        let board = &*shared.board;
        let mut again = AGAIN.0;
        while !self.ends() && !board.host(|core| core.stop) {
            if let Ok(stream) = UnixStream::connect(&self.options.socket) {
                // The loop goes on below, however the connection ended.
                let heard = self.obey(stream, shared);
                self.speech().hang_up();
                // Without a daemon, nobody schedules the program.
                shared.bound_by(None);
                board.host(|core| {
                    core.link.is_up = false;
                    core.resume();
                });
                again = if heard { AGAIN.0 } else { again };
            }
            thread::sleep(again);
            again = (again * 2).min(AGAIN.1);
        }
    }

    /// Carries out the orders of a daemon until it is gone. Returns whether the daemon sent any
    /// message.
    fn obey<T: Clone>(&self, mut stream: UnixStream, shared: &ClientParts<T>) -> bool {
        let board = &*shared.board;
        board.host(|core| {
            let waits = core.link.waits;
            core.link = LinkState { is_up: true, waits, ..LinkState::default() };
        });
        let LinkConfig { token, device, .. } = self.options.clone();
        let join = ToDaemon::Join { token, device };
        let Ok(()) = send(&mut stream, &join) else { return false };
        let Ok(out) = stream.try_clone() else { return false };
        *self.asked() = None;
        self.speech().to = Some(out);
        self.connected.notify_all();
        let mut heard = false;
        while let Ok(message) = receive::<ToClient>(&mut stream) {
            if self.ends() {
                break;
            }
            heard = true;
            *self.asked() = None;
            match message {
                ToClient::Welcome { .. } | ToClient::Pause {} => board.host(Core::pause),
                ToClient::Preempt { order, way } => drop(shared.preempt(Some(order), way)),
                ToClient::Resume {} => board.host(Core::resume),
                ToClient::Bound { ns } => shared.bound_by(ns),
                ToClient::Alive {}
                | ToClient::Granted { .. }
                | ToClient::Status { .. }
                | ToClient::Done { .. }
                | ToClient::Refused { .. } => {}
            }
        }
        heard
    }

    /// Sends changes of the client's state (such as new work or a completed preemption) to the
    /// daemon whenever there are some, until the link ends. Runs on a thread of its own.
    fn tell<T: Clone>(&self, board: &Board<T>) {
        let mut waits = LOOK;
        while !self.ends() {
            if !self.is_connected() {
                if board.host(|core| core.stop) {
                    return;
                }
                continue;
            }
            board.wait_news(waits);
            let Some(next) = self.say(&mut self.speech(), board) else { return };
            waits = next;
        }
    }

    /// Sends changes of the client's state to the daemon once, unless another thread is writing to
    /// it.
    fn tell_now<T: Clone>(&self, board: &Board<T>) {
        let mut speech = match self.speech.try_lock() {
            Ok(speech) => speech,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if speech.to.is_some() {
            let _ = self.say(&mut speech, board);
        }
    }

    /// Sends changes of the client's state to the daemon. Returns the time to wait before the next
    /// check for changes; `None` where the client has stopped.
    fn say<T: Clone>(&self, speech: &mut Speech, board: &Board<T>) -> Option<Duration> {
        let news = board.host(|core| news(core, speech.submitted));
        if news.ends {
            return None;
        }
        let mut messages = Vec::new();
        messages.extend(news.drained.map(|order| ToDaemon::Drained { order }));
        let idle = news.told_work && !news.work && news.submitted == speech.submitted;
        if news.work && !news.told_work {
            messages.push(ToDaemon::Runnable { in_flight: news.in_flight });
        } else if idle {
            messages.push(ToDaemon::Idle {});
        }
        if news.is_kept && self.must_ask(speech) {
            messages.push(ToDaemon::Alive {});
        }
        speech.submitted = news.submitted;
        let waits = if news.work || news.told_work && !idle { LINGER } else { LOOK };
        if idle || speech.summarised.elapsed() >= SUMMARY && waits == LINGER {
            speech.summarised = Instant::now();
            messages.push(ToDaemon::Summary { of: news.summary });
        }
        let sent = speech
            .to
            .as_ref()
            .map_or(Ok(()), |to| messages.iter().try_for_each(|message| send_now(to, message)));
        if sent.is_err() {
            // The thread that hears sees the end too, and looks for a daemon again.
            speech.hang_up();
        }
        Some(waits)
    }

    /// Returns whether the daemon must be asked now whether it still runs. Closes the connection if
    /// an earlier question was not answered in time.
    fn must_ask(&self, speech: &mut Speech) -> bool {
        let mut asked = self.asked();
        match *asked {
            Some(since) if since.elapsed() >= ALIVE.1 => speech.hang_up(),
            None if speech.asked.elapsed() >= ALIVE.0 => {
                speech.asked = Instant::now();
                *asked = Some(speech.asked);
                return true;
            }
            _ => {}
        }
        false
    }

    /// Returns whether there is a connection to the daemon; if there is none, waits up to 200 ms
    /// for one.
    fn is_connected(&self) -> bool {
        let speech = self.speech();
        if speech.to.is_some() {
            return true;
        }
        let waited = self.connected.wait_timeout(speech, LOOK);
        waited.unwrap_or_else(PoisonError::into_inner).0.to.is_some()
    }
}

/// Returns the changes of the client's state that were not reported to the daemon yet, and marks
/// them as reported.
fn news<T: Clone>(core: &mut Core<T>, submitted: u64) -> News {
    let (work, told_work, counts) = (core.has_work(), core.link.told_work, core.counts());
    let driver = counts.driver;
    let drained = core.drained_untold().then_some(core.link.ordered);
    core.link.told_drained = drained.unwrap_or(core.link.told_drained);
    // A client is idle only when nothing has come for a while.
    core.link.told_work = work || told_work && driver.submitted() != submitted;
    News {
        ends: core.stop,
        work,
        is_kept: work && core.link.keeps,
        in_flight: counts.in_flight,
        submitted: driver.submitted(),
        told_work,
        drained,
        summary: ClientSummary {
            waiting: counts.waiting,
            in_flight: counts.in_flight,
            submitted: driver.submitted(),
            finished: driver.finished(),
            exited: driver.exited(),
            killed: driver.killed(),
            preempted: driver.drained(),
            given_up: counts.given_up,
            longest_ns: counts.preemption_ns.1,
            counted: core
                .counted()
                .iter()
                .map(|(&what, &count)| (what.to_owned(), count))
                .collect(),
        },
    }
}
