//! How does a program hear whose turn it is?
//!
//! Two threads beside a client: one hears the daemon, the other tells it when there is work, when there
//! is none, and when a preemption is over. Without a daemon, or when it dies, the client runs; when it
//! comes back, the program joins again. So it is with a daemon that is stopped: a client that is kept from
//! running asks whether it is there, and hangs up where nothing is answered. The next connection is one to
//! a daemon that has said nothing yet, and so keeps nobody from running, until it answers.

pub mod env;

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::LiveError;
use crate::client::board::Board;
use crate::client::core::{Core, LinkState};
use crate::client::{Client, Shared};
use crate::status::ClientSummary;
use crate::wire::{ToClient, ToDaemon, receive, send};

/// For how long there is no work before the daemon hears of it.
const LINGER: Duration = Duration::from_millis(4);
/// How often somebody looks whether the link is to end.
const LOOK: Duration = Duration::from_millis(200);
/// How often the daemon hears what was done.
const SUMMARY: Duration = Duration::from_millis(50);
/// How often a daemon that keeps a client from running is asked whether it is there, and for how long it may
/// say nothing then.
const ALIVE: (Duration, Duration) = (Duration::from_millis(15), Duration::from_millis(50));
/// How long until a daemon that is not there is looked for again: at first, at most.
const AGAIN: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(80));

/// Where a daemon is, and what it has granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkOptions {
    /// Its socket.
    pub socket: PathBuf,
    /// A token for a level, of `raddle live run`.
    pub token: Option<String>,
}

/// A client's link to the daemon. It ends when it is dropped, and the client runs on.
#[derive(Debug)]
pub struct Link(Arc<Line>);

#[derive(Debug)]
struct Line {
    options: LinkOptions,
    /// The half of the connection that is written to, while there is one.
    out: Mutex<Option<UnixStream>>,
    connected: Condvar,
    /// Since when the daemon has been asked whether it is there and has said nothing.
    asked: Mutex<Option<Instant>>,
    ends: AtomicBool,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.0.ends.store(true, Ordering::Relaxed);
        self.0.hang_up();
    }
}

impl Link {
    /// Links a client to the daemon, and keeps it linked.
    ///
    /// # Errors
    /// No thread.
    pub fn start<T: Clone + Send + 'static>(
        client: &Client<T>,
        options: LinkOptions,
    ) -> Result<Self, LiveError> {
        let line = Arc::new(Line {
            options,
            out: Mutex::new(None),
            connected: Condvar::new(),
            asked: Mutex::new(None),
            ends: AtomicBool::new(false),
        });
        let named = |name: &str| thread::Builder::new().name(name.into());
        let (hears, shared) = (Arc::clone(&line), client.shared());
        named("raddle-hear").spawn(move || hears.hear(&shared)).map_err(LiveError::Thread)?;
        let (tells, shared) = (Arc::clone(&line), client.shared());
        named("raddle-tell").spawn(move || tells.tell(&shared.board)).map_err(LiveError::Thread)?;
        Ok(Self(line))
    }

    /// Whether there is a connection now.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.0.out().is_some()
    }
}

/// What the daemon has to be told.
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

impl Line {
    fn out(&self) -> MutexGuard<'_, Option<UnixStream>> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ends(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    fn asked(&self) -> MutexGuard<'_, Option<Instant>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hang_up(&self) {
        if let Some(stream) = self.out().take() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Looks for a daemon and obeys it, again and again.
    fn hear<T: Clone>(&self, shared: &Shared<T>) {
        let board = &*shared.board;
        let mut again = AGAIN.0;
        while !self.ends() && !board.host(|core| core.stop) {
            if let Ok(stream) = UnixStream::connect(&self.options.socket) {
                // It goes on below, whatever it was.
                let heard = self.obey(stream, shared);
                self.hang_up();
                // Nobody schedules it now.
                board.host(Core::resume);
                again = if heard { AGAIN.0 } else { again };
            }
            thread::sleep(again);
            again = (again * 2).min(AGAIN.1);
        }
    }

    /// Does what a daemon says until it is gone; whether it said anything.
    fn obey<T: Clone>(&self, mut stream: UnixStream, shared: &Shared<T>) -> bool {
        let board = &*shared.board;
        board.host(|core| core.link = LinkState { waits: core.link.waits, ..LinkState::default() });
        let join = ToDaemon::Join { token: self.options.token.clone() };
        let Ok(()) = send(&mut stream, &join) else { return false };
        let Ok(out) = stream.try_clone() else { return false };
        // A daemon that does not read is as good as none.
        let _ = out.set_write_timeout(Some(LOOK));
        *self.asked() = None;
        *self.out() = Some(out);
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
                ToClient::Alive {}
                | ToClient::Granted { .. }
                | ToClient::Status { .. }
                | ToClient::Done { .. } => {}
            }
        }
        heard
    }

    /// Tells the daemon what is new.
    fn tell<T: Clone>(&self, board: &Board<T>) {
        let (mut told, mut asked, mut submitted) = (Instant::now(), Instant::now(), 0);
        let mut waits = LOOK;
        while !self.ends() {
            if !self.is_connected() {
                if board.host(|core| core.stop) {
                    return;
                }
                continue;
            }
            let news = board.wait_news(Some(waits), |core| news(core, submitted));
            if news.ends {
                return;
            }
            let mut messages = Vec::new();
            messages.extend(news.drained.map(|order| ToDaemon::Drained { order }));
            let idle = news.told_work && !news.work && news.submitted == submitted;
            if news.work && !news.told_work {
                messages.push(ToDaemon::Runnable { in_flight: news.in_flight });
            } else if idle {
                messages.push(ToDaemon::Idle {});
            }
            if news.is_kept && self.must_ask(&mut asked) {
                messages.push(ToDaemon::Alive {});
            }
            submitted = news.submitted;
            waits = if news.work || news.told_work && !idle { LINGER } else { LOOK };
            if idle || told.elapsed() >= SUMMARY && waits == LINGER {
                told = Instant::now();
                messages.push(ToDaemon::Summary { of: news.summary });
            }
            if self.send(&messages).is_err() {
                // Who hears sees it too, and looks for a daemon again.
                self.hang_up();
            }
        }
    }

    /// Whether the daemon has to be asked whether it is there; one that was and says nothing is left.
    fn must_ask(&self, last: &mut Instant) -> bool {
        let mut asked = self.asked();
        match *asked {
            Some(since) if since.elapsed() >= ALIVE.1 => self.hang_up(),
            None if last.elapsed() >= ALIVE.0 => {
                *last = Instant::now();
                *asked = Some(*last);
                return true;
            }
            _ => {}
        }
        false
    }

    /// Whether there is a connection, at the latest after a while.
    fn is_connected(&self) -> bool {
        let out = self.out();
        if out.is_some() {
            return true;
        }
        let waited = self.connected.wait_timeout(out, LOOK);
        waited.unwrap_or_else(PoisonError::into_inner).0.is_some()
    }

    fn send(&self, messages: &[ToDaemon]) -> io::Result<()> {
        let mut out = self.out();
        match out.as_mut() {
            Some(stream) => messages.iter().try_for_each(|message| send(stream, message)),
            None => Ok(()),
        }
    }
}

/// What is new, and that it is told now.
fn news<T: Clone>(core: &mut Core<T>, submitted: u64) -> News {
    let (work, told_work, counts) = (core.has_work(), core.link.told_work, core.counts());
    let driver = counts.driver;
    let drained = core.drained_untold().then_some(core.link.ordered);
    core.link.told_drained = drained.unwrap_or(core.link.told_drained);
    // It is idle only when nothing has come for a while.
    core.link.told_work = work || told_work && driver.submitted != submitted;
    News {
        ends: core.stop,
        work,
        is_kept: work && core.link.keeps,
        in_flight: counts.in_flight,
        submitted: driver.submitted,
        told_work,
        drained,
        summary: ClientSummary {
            waiting: counts.waiting,
            in_flight: counts.in_flight,
            submitted: driver.submitted,
            finished: driver.finished,
            exited: driver.exited,
            killed: driver.killed,
            preempted: driver.drained,
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
