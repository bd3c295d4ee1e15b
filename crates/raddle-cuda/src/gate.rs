//! When may a launch go to the driver?
//!
//! A gate lets launches through in bursts ([`Burst`]): the controller's client admits a burst when it
//! is the program's turn, and hears of its end when the events behind its launches are over. The window
//! bounds the launches in the driver. Threads that wait look at the events themselves; where none
//! waits, a thread of the gate does.
//!
//! A running kernel may wait for a later call of the host. So a launch never waits longer than the
//! time to give up (`--give-up-ms`) while launches are in the driver and none of them ends; after
//! that, launches pass until one has ended.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use raddle_live::{Client, ClientConfig, Link, start_from_env};
use raddle_policy::StreamId;
use raddle_preempt::{Capture, CapturedWork, Report};

use crate::burst::{Admission, Burst, LaunchStream, SpareEvents, Ticket, Turn};
use crate::driver::Relaxed;
use crate::ending;
use crate::names::{CallKind, calls};

/// Interval at which the thread of a gate (which lets the launches of a device through) checks
/// whether launches have ended.
const LOOK: Duration = Duration::from_micros(250);
/// Number of checks without any work after which the gate's thread sleeps until there is work.
const IDLE_LOOKS: u32 = 40;
/// Number of checks for ended launches between two updates of the counts that a gate reports for
/// `raddle live status`.
const TELL_LOOKS: u32 = 200;
/// Number of checks for ended launches that the thread of a waiting launch makes without a pause;
/// after that it sleeps between checks.
const EAGER_LOOKS: u32 = 200;
/// Time for which the thread of a waiting launch sleeps between two checks for ended launches.
const NAP: Duration = Duration::from_micros(50);
/// Longest time for which the thread of a waiting launch sleeps until the program has the turn,
/// while no launch is in the driver.
const LONG_NAP: Duration = Duration::from_millis(5);

/// Most launches of a burst, which the controller admits together. Launches of a burst that was
/// admitted may go to the driver even after the program has lost the turn (the right to use the
/// device).
const MOST_IN_BURST: u32 = 4;

/// Right of one launch to go to the driver: `burst` is the number of the burst (a few launches,
/// admitted together) to which it belongs, and `room` the number of launches for which it counts in
/// the window (the most launches in the driver at a time).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    burst: u64,
    room: u32,
}

#[derive(Debug)]
pub(crate) struct Gate {
    client: Client<Arc<Ticket>>,
    #[expect(dead_code, reason = "it is kept")]
    link: Option<Link>,
    state: Mutex<State>,
    /// Condition on which the gate's thread, which checks for ended launches, waits for work.
    work: Condvar,
    turn: Arc<Turn>,
    window: u32,
    give_up: Duration,
}

#[derive(Debug, Default)]
struct State {
    /// Bursts (a few launches each, admitted together) that have not ended; launches can still join
    /// only the last one.
    bursts: Vec<Burst>,
    /// Unused stream ids of the controller that schedules the program; each later burst of launches
    /// takes one.
    lanes: Vec<StreamId>,
    spare: SpareEvents,
    next: u64,
    /// Number of launches in the driver now, as they count in the window (the most at a time); a
    /// graph counts as several.
    taken: u32,
    /// Number of threads that wait in [`Gate::enter`] to pass a launch to the driver.
    waiting: u32,
    /// Number of events, recorded behind launches, that were found to be over. A waiting thread
    /// compares it with an earlier value to see whether launches have ended.
    ends: u64,
    /// True while launches pass unscheduled, because for longer than the time limit (`give_up`)
    /// none in the driver has ended.
    passes: bool,
    /// True if the gate's thread, which checks for ended launches, sleeps until there is work.
    sleeps: bool,
    tally: Tally,
    told: Tally,
}

/// Counts of the launches and calls that a gate has let through, which `raddle live status` shows.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    launches: u64,
    /// Number of launches that had to wait for the program's turn.
    kept: u64,
    /// Number of launches that passed unscheduled, because for longer than the time limit no launch
    /// in the driver had ended.
    too_long: u64,
    /// Number of launches that were not run, as a stream capture recorded them for a graph.
    captured: u64,
    /// Number of launches whose end is not seen, as no event could be recorded behind them.
    unseen: u64,
    /// Number of unscheduled calls of each [`CallKind`], in the order of the enum's variants.
    passed: [u64; 4],
}

impl Tally {
    fn named(&self) -> [(&'static str, u64); 9] {
        let [copies, host, memory, unscheduled] = self.passed;
        [
            ("launches", self.launches),
            ("waited-for-turn", self.kept),
            ("passed-waited-too-long", self.too_long),
            ("captured", self.captured),
            ("unseen-ends", self.unseen),
            ("copies", copies),
            ("host-calls", host),
            ("memory-operations", memory),
            ("passed-unscheduled", unscheduled),
        ]
    }
}

impl Gate {
    /// Starts the gate for the device with the name `device`, which lets the program's launches
    /// through to the driver; `None` where the client of the scheduling daemon or the gate's thread
    /// cannot be started.
    pub(crate) fn start(device: &str) -> Option<&'static Self> {
        let (client, link) = start_from_env(Admission::DECLARED, device, |_| Admission).ok()?;
        let config = ClientConfig::from_env();
        let window = config.controller.window();
        let lanes = (0..window).map(|_| client.open().ok()).collect::<Option<_>>()?;
        // A gate lives as long as the process; there is one a device.
        let gate: &'static Self = Box::leak(Box::new(Self {
            client,
            link,
            state: Mutex::new(State { lanes, ..State::default() }),
            work: Condvar::new(),
            turn: Arc::default(),
            window,
            give_up: config.give_up,
        }));
        let named = std::thread::Builder::new().name("raddle-cuda".into());
        named.spawn(|| gate.watch()).ok()?;
        Some(gate)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the program has the turn (may use the device) and the window has room, and lets
    /// a launch through to the driver. `None` means that the launch passes unscheduled, as no
    /// launch in the driver has ended for too long, or as the program ends.
    #[inline]
    pub(crate) fn enter(&'static self, context: usize, is_graph: bool) -> Option<Passage> {
        let mut state = self.lock();
        state.tally.launches += 1;
        state.through(is_graph).or_else(|| self.wait(state, context, is_graph))
    }

    #[cold]
    fn wait(
        &'static self,
        mut state: MutexGuard<'_, State>,
        context: usize,
        is_graph: bool,
    ) -> Option<Passage> {
        let (mut since, mut ends, mut looks, mut is_kept) = (None, state.ends, 0, false);
        state.waiting += 1;
        let passage = loop {
            if let Some(passage) = state.through(is_graph) {
                break Some(passage);
            }
            if ending::is_over() {
                break None;
            }
            if self.ask(&mut state) {
                continue;
            }
            self.advance(&mut state, context);
            if ends != state.ends {
                (ends, since, looks) = (state.ends, None, looks / 2);
                continue;
            }
            let since: Instant = *since.get_or_insert_with(Instant::now);
            let is_busy = state.bursts.iter().any(|burst| burst.ticket.handle().is_some());
            if is_busy && (state.passes || since.elapsed() > self.give_up) {
                state.passes = true;
                state.tally.too_long += 1;
                break None;
            }
            looks += 1;
            let is_asked = state.bursts.last().is_some_and(|last| last.ticket.handle().is_none());
            if is_asked && !std::mem::replace(&mut is_kept, true) {
                state.tally.kept += 1;
            }
            state = self.rest(state, looks, is_busy);
        };
        state.waiting -= 1;
        passage
    }

    /// Asks the controller to admit a further burst (a few launches), if the window has room.
    /// Returns whether the burst was admitted at once.
    fn ask(&'static self, state: &mut State) -> bool {
        if state.bursts.last().is_some_and(|burst| burst.left > 0) {
            return false;
        }
        let room = self.window.saturating_sub(state.taken);
        let Some(lane) = state.lanes.pop_if(|_| room > 0) else { return false };
        let ticket = Ticket::new(&self.turn);
        let work = CapturedWork::opaque(Arc::clone(&ticket));
        let captured = self.client.capture(lane, work);
        // A panic of the library lets the launch pass; a burst that nobody knows would wait for ever.
        assert!(
            matches!(captured, Ok(Capture::Taken(_))),
            "the lane is open, and nothing bounds it"
        );
        let is_admitted = ticket.handle().is_some();
        let number = state.next;
        state.next += 1;
        // A burst that takes all the room would have to end before the next one begins.
        let left = room.min(self.window.div_ceil(2)).min(MOST_IN_BURST);
        let marks = smallvec::SmallVec::new();
        state.bursts.push(Burst { ticket, lane, number, left, is_used: false, inside: 0, marks });
        if std::mem::take(&mut state.sleeps) {
            self.work.notify_one();
        }
        is_admitted
    }

    /// Lets the thread of a waiting launch rest between two checks for ended launches. `looks` is
    /// the number of checks so far: after many, the rest is longer. `is_busy` is true if launches
    /// are in the driver.
    fn rest<'g>(
        &'g self,
        state: MutexGuard<'g, State>,
        looks: u32,
        is_busy: bool,
    ) -> MutexGuard<'g, State> {
        let asked = state.bursts.last().filter(|burst| burst.ticket.handle().is_none());
        let asked = asked.map(|burst| Arc::clone(&burst.ticket));
        drop(state);
        match asked {
            _ if is_busy && looks < EAGER_LOOKS => std::thread::yield_now(),
            Some(ticket) => ticket.wait(if is_busy { NAP } else { LONG_NAP }),
            None => std::thread::sleep(NAP),
        }
        self.lock()
    }

    /// Records that the driver's call for a launch has returned. If `is_launched` is true, an event
    /// is recorded behind the launch, by which its end is seen.
    #[inline]
    pub(crate) fn leave(
        &self,
        passage: Passage,
        context: usize,
        stream: LaunchStream,
        is_launched: bool,
    ) {
        let mut state = self.lock();
        let State { bursts, spare, tally, taken, .. } = &mut *state;
        let known = bursts.iter_mut().rfind(|burst| burst.number == passage.burst);
        let Some(burst) = known else { return };
        burst.inside -= 1;
        let is_seen = is_launched && spare.record(burst, context, stream.key(), passage.room);
        if !is_seen {
            *taken -= passage.room;
            tally.unseen += u64::from(is_launched);
        }
    }

    /// Checks for bursts of launches that have ended, and reports their ends to the controller that
    /// schedules the program. `context` is the current context of this thread.
    fn advance(&self, state: &mut State, context: usize) {
        let State { bursts, spare, lanes, waiting, ends, passes, taken, .. } = state;
        let relaxed = bursts.iter().any(|burst| !burst.marks.is_empty()).then(Relaxed::begin);
        bursts.retain_mut(|burst| {
            let Some(handle) = burst.ticket.handle() else { return true };
            burst.marks.retain(|mark| {
                let is_over = spare.is_over(mark, context);
                if is_over {
                    *taken -= mark.room;
                    (*ends, *passes) = (*ends + 1, false);
                }
                !is_over
            });
            // A thread that waits may be about to use the burst.
            let is_awaited = burst.inside > 0 || !burst.is_used && *waiting > 0;
            let goes_on = !burst.marks.is_empty() || is_awaited;
            if !goes_on {
                let _ = self.client.reporter().report(Report::Finished(handle));
                lanes.push(burst.lane);
            }
            goes_on
        });
        drop(relaxed);
    }

    /// Checks for ended bursts of launches as [`advance`](Self::advance) does, unless another
    /// thread has the gate's lock. `context` is the current context of this thread.
    pub(crate) fn settle(&self, context: usize) {
        if let Ok(mut state) = self.state.try_lock() {
            self.advance(&mut state, context);
        }
    }

    /// Returns the number of launches that have come to the gate, including those that passed
    /// unscheduled.
    pub(crate) fn launches(&self) -> u64 {
        self.lock().tally.launches
    }

    pub(crate) fn captured(&self) {
        self.lock().tally.captured += 1;
    }

    pub(crate) fn stream_gone(&self, stream: usize) {
        let mut state = self.lock();
        let marks = state.bursts.iter_mut().flat_map(|burst| &mut burst.marks);
        for mark in marks.filter(|mark| mark.key.is_some_and(|key| key.stream == stream)) {
            mark.key = None;
        }
    }

    /// Waits until the launches in a context that the program destroys (`None`: in all contexts)
    /// have ended, for at most the time limit `give_up`; then removes them and their events from
    /// the records.
    pub(crate) fn forget(&self, context: Option<usize>) {
        let begun = Instant::now();
        let is_gone = |of: usize| context.is_none_or(|context| context == of);
        loop {
            let mut state = self.lock();
            self.advance(&mut state, crate::driver::current_context());
            let is_left = state
                .bursts
                .iter()
                .flat_map(|burst| &burst.marks)
                .any(|mark| is_gone(mark.context));
            if !is_left || begun.elapsed() > self.give_up {
                let State { bursts, spare, taken, .. } = &mut *state;
                for burst in bursts {
                    burst.marks.retain(|mark| {
                        let is_gone = is_gone(mark.context);
                        *taken -= if is_gone { mark.room } else { 0 };
                        !is_gone
                    });
                }
                spare.forget(context);
                return;
            }
            drop(state);
            std::thread::sleep(NAP);
        }
    }

    /// Ends the scheduling: afterwards no thread of this library is inside the driver, except one
    /// that has been there for a second.
    pub(crate) fn end(&self) {
        self.client.end_log();
        for _ in 0..10_000 {
            match self.state.try_lock() {
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_micros(100)),
                Ok(_) | Err(TryLockError::Poisoned(_)) => return,
            }
        }
    }

    /// Checks for ended bursts of launches at intervals, and reports them to the controller that
    /// schedules the program, until the program ends. Runs on a thread of its own.
    fn watch(&'static self) {
        let (mut idle, mut looks) = (0, 0);
        loop {
            std::thread::sleep(LOOK);
            let mut state = self.lock();
            if ending::is_over() {
                return;
            }
            self.advance(&mut state, 0);
            idle = if state.bursts.is_empty() { idle + 1 } else { 0 };
            looks += 1;
            if looks % TELL_LOOKS == 0 || idle == IDLE_LOOKS {
                let (now, before) = state.counted();
                drop(state);
                for ((name, now), (_, before)) in now.named().into_iter().zip(before.named()) {
                    if now > before {
                        self.client.count(name, now - before);
                    }
                }
                state = self.lock();
            }
            while idle >= IDLE_LOOKS && state.bursts.is_empty() {
                state.sleeps = true;
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl State {
    /// Lets a launch through as a part of the last burst of launches, if the controller has
    /// admitted the burst and more launches may join it; else returns `None`.
    #[inline]
    fn through(&mut self, is_graph: bool) -> Option<Passage> {
        let burst = self.bursts.last_mut().filter(|burst| burst.left > 0)?;
        burst.ticket.handle()?;
        let room = if is_graph { burst.left } else { 1 };
        burst.left -= room;
        (burst.inside, burst.is_used) = (burst.inside + 1, true);
        self.taken += room;
        Some(Passage { burst: burst.number, room })
    }

    /// Returns (counts of launches and calls now, the same counts at the last call of this
    /// function); their difference is yet to be reported.
    fn counted(&mut self) -> (Tally, Tally) {
        use CallKind::{Copies, HostCalls, MemoryOperations, Unscheduled};
        self.tally.passed = [Copies, HostCalls, MemoryOperations, Unscheduled].map(calls);
        (self.tally, std::mem::replace(&mut self.told, self.tally))
    }
}
