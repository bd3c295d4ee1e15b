//! Who schedules the programs of a user?
//!
//! One thread, and a Unix socket that only its user may open. Of a connection it first asks the kernel
//! whose it is. No launch comes by here: programs say when they have something to run, and are told to
//! leave the device and to go on.

mod connection;
pub(crate) mod desk;
mod member;
mod messages;
pub(crate) mod said;
mod socket;
mod storm;

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use raddle_dispatch::log::LogWriter;
use raddle_dispatch::{Recipe, Registry};
use raddle_policy::{Level, ProcessId};
use rustix::event::epoll;

use self::connection::{Connection, Fault};
use self::desk::Desk;
use self::said::{DaemonEvent, DaemonHeader, DaemonMark, Told};
pub use self::storm::Storm;
use crate::LiveError;
use crate::status::RefusedClient;
use crate::wire::ToClient;

/// Priority level of a program that has no token for another level; 0 is the most urgent.
pub const DEFAULT_LEVEL: Level = Level(128);

/// Interval at which the daemon checks what depends on time, such as connections that have been
/// silent for too long.
const TICK: Duration = Duration::from_millis(20);
/// Time in nanoseconds after which a connection that has sent no message is dropped.
const SILENCE: u64 = 1_000_000_000;
/// Processor time that the policies may take for one decision, in nanoseconds. It is below the 50
/// ms after which programs that wait for an answer of the daemon go on without it.
const LONGEST_DECISION: u64 = 20_000_000;
/// Number that stands for the listening socket in events of `epoll`; connections have lower
/// numbers.
const LISTENER: u64 = u64::MAX;

/// Settings of a daemon: its recipe, its limits, and a test mode that preempts at random.
#[derive(Clone, Debug)]
pub struct DaemonConfig {
    /// Recipe whose turn and preempt policies the daemon uses.
    pub recipe: Recipe,
    /// Registry of the policies that recipes may name that are set while the daemon runs.
    pub registry: Registry,
    /// Most urgent level that the daemon grants to a program; 0 is the most urgent of all.
    pub most_urgent: Level,
    /// Most preemptions of one program in a second; further preemptions are not ordered.
    pub most_a_second: u32,
    /// Largest number of connections to the daemon at a time; further connections are refused.
    pub most_connections: usize,
    /// Time limit of a preemption. A preemption that takes longer is counted as overdue, and goes
    /// on.
    pub give_up: Duration,
    /// Settings of a test mode (a storm) that preempts programs at random; `None` is no such test.
    pub storm: Option<Storm>,
}

/// Text of the default recipe of a daemon: the most urgent programs run, and the launches of other
/// programs are killed where a kill is allowed.
const RECIPE: &str =
    "raddle = 1\n[turn]\npolicy = \"highest-level\"\n[preempt]\npolicy = \"reset\"\n";

impl Default for DaemonConfig {
    /// Returns settings whose recipe lets the most urgent programs run, and kills launches of other
    /// programs where a kill is allowed. The other settings are those of [`new`](Self::new).
    fn default() -> Self {
        Self::new(Recipe::parse("live", RECIPE).expect("it is a recipe"))
    }
}

impl DaemonConfig {
    /// Returns settings with this recipe and these defaults. Every priority level is granted, and
    /// no preemption is at random. There are at most 100 preemptions of a program in a second, and
    /// at most 256 connections. Preemptions count as overdue after 1 s.
    #[must_use]
    pub fn new(recipe: Recipe) -> Self {
        Self {
            recipe,
            registry: Registry::bundled(),
            most_urgent: Level(0),
            most_a_second: 100,
            most_connections: 256,
            give_up: Duration::from_secs(1),
            storm: None,
        }
    }
}

/// Daemon that listens on a socket and schedules the programs of a user.
pub struct Daemon {
    options: DaemonConfig,
    path: PathBuf,
    listener: UnixListener,
    epoll: std::os::fd::OwnedFd,
    started: Instant,
    desk: Desk,
    connections: BTreeMap<u64, Connection>,
    /// Names of the devices that programs have used; the index in the list is the number of the
    /// device.
    devices: Vec<String>,
    /// Number of the connection of each program, by the id of the program.
    programs: BTreeMap<ProcessId, u64>,
    next: u64,
    refused: BTreeMap<RefusedClient, u64>,
    told: Vec<Told>,
    ticked: u64,
    say: Box<dyn FnMut(&str) + Send>,
}

impl std::fmt::Debug for Daemon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Daemon").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Daemon {
    /// Returns a daemon that listens at `path`, where only this user has access. `log` receives the
    /// daemon's log; `None` is no log. `say` is called with a message for people when a connection
    /// is refused or dropped, or a program does not leave the device.
    ///
    /// # Errors
    /// A socket that cannot be made, or that somebody serves; a recipe whose policies cannot be
    /// made.
    pub fn bind(
        path: &Path,
        options: DaemonConfig,
        log: Option<Box<dyn Write + Send>>,
        say: impl FnMut(&str) + Send + 'static,
    ) -> Result<Self, LiveError> {
        let header = DaemonHeader {
            raddle_log: 1,
            live: DaemonMark::Daemon,
            most_a_second: options.most_a_second,
            recipe: options.recipe.clone(),
        };
        let log = log.map_or_else(LogWriter::off, |to| LogWriter::with_header(to, &header));
        let desk = Desk::new(&header, &options.registry, log)?;
        let socket = |cause| LiveError::Listen { path: path.display().to_string(), cause };
        let listener = socket::listen(path).map_err(socket)?;
        let epoll =
            epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|error| socket(error.into()))?;
        let data = epoll::EventData::new_u64(LISTENER);
        epoll::add(&epoll, &listener, data, epoll::EventFlags::IN)
            .map_err(|error| socket(error.into()))?;
        Ok(Self {
            options,
            path: path.to_owned(),
            listener,
            epoll,
            started: Instant::now(),
            desk,
            connections: BTreeMap::new(),
            devices: Vec::new(),
            programs: BTreeMap::new(),
            next: 0,
            refused: BTreeMap::new(),
            told: Vec::new(),
            ticked: 0,
            say: Box::new(say),
        })
    }

    /// Serves connections until `stop` is true.
    ///
    /// # Errors
    /// A socket that fails; a log that cannot be written.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), LiveError> {
        let mut ready = Vec::with_capacity(64);
        while !stop.load(Ordering::Relaxed) {
            ready.clear();
            let timeout = self.timeout();
            let room = rustix::buffer::spare_capacity(&mut ready);
            match epoll::wait(&self.epoll, room, Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(LiveError::Socket(error.into())),
            }
            let now = self.now();
            for event in &ready {
                match event.data.u64() {
                    LISTENER => self.accept(now),
                    id => self.attend(id, event.flags, now),
                }
            }
            self.tick(now);
            self.decide(now)?;
        }
        self.desk.finish().map_err(LiveError::Log)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Returns the time until the daemon must act even without an event, 20 ms at most.
    fn timeout(&self) -> rustix::event::Timespec {
        let now = self.now();
        let storm = self.options.storm.as_ref().map(Storm::due);
        let next = [self.desk.until(), storm].into_iter().flatten().min();
        let left = next.map_or(TICK, |at| Duration::from_nanos(at.saturating_sub(now)).min(TICK));
        let nanos = i64::from(left.subsec_nanos());
        rustix::event::Timespec {
            tv_sec: 0,
            tv_nsec: if left >= TICK { 20_000_000 } else { nanos },
        }
    }

    fn accept(&mut self, now: u64) {
        // Connections that are left come with the next call.
        for _ in 0..64 {
            let Ok((stream, _)) = self.listener.accept() else { return };
            let Ok(peer) = rustix::net::sockopt::socket_peercred(&stream) else { continue };
            if peer.uid != rustix::process::geteuid() {
                self.refuse(RefusedClient::OtherUser, peer.pid.as_raw_nonzero().get());
                continue;
            }
            if self.connections.len() >= self.options.most_connections {
                self.refuse(RefusedClient::TooMany, peer.pid.as_raw_nonzero().get());
                continue;
            }
            self.take(stream, peer.pid.as_raw_nonzero().get(), now);
        }
    }

    fn take(&mut self, stream: UnixStream, pid: i32, now: u64) {
        let id = self.next;
        self.next += 1;
        let data = epoll::EventData::new_u64(id);
        let hears = stream.set_nonblocking(true).is_ok()
            && epoll::add(&self.epoll, &stream, data, epoll::EventFlags::IN).is_ok();
        if hears {
            self.connections.insert(id, Connection::new(stream, pid, now));
        }
    }

    /// Counts a connection that was refused or dropped for the reason `why`. The first one for each
    /// reason is also reported to people, by the daemon's function `say`.
    fn refuse(&mut self, why: RefusedClient, pid: i32) {
        let count = self.refused.entry(why).or_default();
        *count += 1;
        if *count == 1 {
            (self.say)(&format!(
                "process {pid} is refused: {}; further ones are counted in the status",
                why.words()
            ));
        }
    }

    /// Serves the connection `id` after an event of its socket: bytes have arrived, there is room
    /// to write, or the other end has gone.
    fn attend(&mut self, id: u64, flags: epoll::EventFlags, now: u64) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let mut fault = None;
        if flags.contains(epoll::EventFlags::OUT) {
            fault = connection.write().err();
        }
        let mut messages = Vec::new();
        if fault.is_none() {
            fault = connection.read(now, &mut messages).err();
        }
        for message in messages {
            if fault.is_some_and(|fault| fault != Fault::Gone) {
                break;
            }
            fault = self.obey(id, message, now).err().or(fault);
        }
        match fault {
            Some(fault) => self.drop_connection(id, fault, now),
            None => self.watch(id),
        }
    }

    /// Sets the socket events of a connection for which the daemon waits: arriving messages, and
    /// also room to write if stored bytes are unsent.
    fn watch(&self, id: u64) {
        let Some(connection) = self.connections.get(&id) else { return };
        let data = epoll::EventData::new_u64(id);
        let mut flags = epoll::EventFlags::IN;
        flags.set(epoll::EventFlags::OUT, connection.has_more());
        // The call cannot fail while the connection is there.
        let _ = epoll::modify(&self.epoll, connection.stream(), data, flags);
    }

    fn drop_connection(&mut self, id: u64, fault: Fault, now: u64) {
        let Some(connection) = self.connections.remove(&id) else { return };
        if let Fault::Refused(why) = fault {
            self.refuse(why, connection.pid);
        }
        let _ = epoll::delete(&self.epoll, connection.stream());
        if let Some(process) = connection.program {
            self.programs.remove(&process);
            self.hear(DaemonEvent::ProcessLeft { process }, now);
        }
    }

    fn hear(&mut self, event: DaemonEvent, now: u64) {
        let mut told = std::mem::take(&mut self.told);
        self.desk.hear(event, now, &mut told);
        self.told = told;
    }

    fn decide(&mut self, now: u64) -> Result<(), LiveError> {
        let mut told = std::mem::take(&mut self.told);
        let was_right = self.desk.recipe().1.is_none();
        let before = processor_time();
        self.desk.decide(now, &mut told)?;
        if processor_time().saturating_sub(before) > LONGEST_DECISION {
            self.desk.hear(DaemonEvent::Stalled {}, now, &mut told);
            self.desk.decide(now, &mut told)?;
        }
        if let (true, Some(why)) = (was_right, self.desk.recipe().1) {
            (self.say)(&format!("{why}. Everyone has the turn, until `raddle live set`"));
            self.tell_bound(now);
        }
        for tells in told.drain(..) {
            let (process, message) = match tells {
                Told::Preempt { process, how } => {
                    let order = self.program(process).map_or(0, |it| it.order(now));
                    (process, ToClient::Preempt { order, way: how })
                }
                Told::Pause { process } => (process, ToClient::Pause {}),
                Told::Resume { process } => (process, ToClient::Resume {}),
            };
            if let Some(&id) = self.programs.get(&process) {
                self.send(id, &message, now);
            }
        }
        self.told = told;
        Ok(())
    }

    fn program(&mut self, process: ProcessId) -> Option<&mut Connection> {
        self.connections.get_mut(self.programs.get(&process)?)
    }

    fn send(&mut self, id: u64, message: &ToClient, now: u64) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        match connection.send(message) {
            Ok(()) => self.watch(id),
            Err(fault) => self.drop_connection(id, fault, now),
        }
    }

    /// Does the work that is due at the time `now`, in nanoseconds: preemptions of the random test,
    /// ends of turns, checks for silent connections and overdue preemptions.
    fn tick(&mut self, now: u64) {
        if let Some(mut storm) = self.options.storm.take() {
            let programs: Vec<ProcessId> = self.programs.keys().copied().collect();
            storm.blow(now, &programs, |event| self.hear(event, now));
            self.options.storm = Some(storm);
        }
        if self.desk.until().is_some_and(|until| until <= now) {
            self.hear(DaemonEvent::Woke {}, now);
        }
        if now.saturating_sub(self.ticked) < TICK.as_nanos() as u64 {
            return;
        }
        self.ticked = now;
        self.desk.flush();
        let silent = |it: &Connection| it.is_silent() && now.saturating_sub(it.since) > SILENCE;
        let silent: Vec<u64> =
            self.connections.iter().filter(|(_, it)| silent(it)).map(|(&id, _)| id).collect();
        for id in silent {
            self.drop_connection(id, Fault::Refused(RefusedClient::Silent), now);
        }
        let give_up = u64::try_from(self.options.give_up.as_nanos()).unwrap_or(u64::MAX);
        for connection in self.connections.values_mut() {
            if connection.is_overdue(now, give_up) {
                (self.say)(&format!(
                    "process {} does not leave the device after {} ms; the others go on",
                    connection.pid,
                    give_up / 1_000_000
                ));
            }
        }
    }
}

/// Returns the processor time that this thread has used, in nanoseconds.
fn processor_time() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let part = |number: i64| u64::try_from(number).unwrap_or(0);
    part(time.tv_sec).saturating_mul(1_000_000_000).saturating_add(part(time.tv_nsec))
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
