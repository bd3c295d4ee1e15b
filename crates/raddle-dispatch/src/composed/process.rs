//! Which state does the dispatcher keep of one process?

use alloc::collections::BTreeMap;

use raddle_policy::{
    Hints, Launch, LaunchId, Level, Preemption, ProcessId, ProcessState, StreamId, StreamState,
    Tick, Ticks,
};

/// The dispatcher's state of one process: its streams, its submitted launches, its present
/// preemption, and the time for which it ran. The preemption controller keeps the launches that are
/// not submitted.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) share: u32,
    pub(super) streams: BTreeMap<StreamId, Stream>,
    /// The method of the process's last preemption; `since` is the tick at which that preemption
    /// began.
    pub(super) way: Preemption,
    pub(super) since: Tick,
    /// True while a preemption takes the work of the process off the device, to be held (drain) or
    /// saved (switch).
    pub(super) removing: bool,
    /// The submitted launches of the process that have not ended, by their number in the order of
    /// submission (counted over all processes).
    pub(super) submitted: BTreeMap<u64, LaunchId>,
    /// The number of submitted launches that a preemption has held or saved, so that none of their
    /// workgroups starts.
    pub(super) held: usize,
    pub(super) resident_waves: u64,
    pub(super) hints: Hints,
    /// The tick at which the turn policy is to be asked again which streams may submit launches;
    /// `None` where it is asked only after a change. `streams_stale` is true after such a change.
    pub(super) streams_until: Option<Tick>,
    pub(super) streams_stale: bool,
    joined: Tick,
    work: Work,
    ran: Stopwatch,
    /// The tick at which the last wave of the process left the device; of no meaning while the
    /// process has waves there.
    idle_since: Tick,
}

/// The dispatcher's state of one stream of a process.
#[derive(Debug)]
pub(super) struct Stream {
    /// The id by which the preemption controller knows the stream, as the controller numbers
    /// streams itself.
    pub(super) name: StreamId,
    pub(super) hints: Hints,
    /// True if a turn policy that chooses among streams keeps this stream from submitting launches.
    pub(super) held: bool,
    pub(super) submitted: u64,
    work: Work,
}

/// The counts of the launches of one process or stream that are ready or submitted.
#[derive(Debug, Default)]
struct Work {
    levels: BTreeMap<u8, u32>,
    count: u64,
    /// The sum of the run times that hosts have estimated for the launches, in ticks; `unknown` is
    /// the number of launches without an estimate.
    expected: Ticks,
    unknown: u64,
    alive: Stopwatch,
    since: Tick,
}

/// A stopwatch that adds up the time during which it is on, in ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Stopwatch {
    total: Ticks,
    since: Option<Tick>,
}

impl Stopwatch {
    fn set(&mut self, on: bool, now: Tick) {
        match (self.since, on) {
            (None, true) => self.since = Some(now),
            (Some(since), false) => {
                self.total += now.since(since);
                self.since = None;
            }
            _ => {}
        }
    }

    fn read(&self, now: Tick) -> Ticks {
        self.total + self.since.map_or(Ticks::ZERO, |since| now.since(since))
    }
}

impl Work {
    /// Returns the most urgent level among the counted launches; `None` where there is no launch.
    fn level(&self) -> Option<Level> {
        self.levels.keys().next().map(|&level| Level(level))
    }

    /// Counts one more launch. Returns whether the most urgent level among the counted launches has
    /// changed.
    fn gained(&mut self, launch: &Launch, now: Tick) -> bool {
        let before = self.level();
        *self.levels.entry(launch.level.0).or_insert(0) += 1;
        self.count += 1;
        match launch.estimate {
            Some(expected) => self.expected += expected,
            None => self.unknown += 1,
        }
        if before.is_none() {
            self.since = now;
        }
        self.alive.set(true, now);
        self.level() != before
    }

    /// Counts one launch fewer. Returns whether the most urgent level among the counted launches
    /// has changed.
    fn lost(&mut self, launch: &Launch, now: Tick) -> bool {
        let before = self.level();
        if let Some(count) = self.levels.get_mut(&launch.level.0) {
            *count -= 1;
            if *count == 0 {
                self.levels.remove(&launch.level.0);
            }
        }
        self.count = self.count.saturating_sub(1);
        match launch.estimate {
            Some(expected) => self.expected = self.expected - expected,
            None => self.unknown = self.unknown.saturating_sub(1),
        }
        self.alive.set(!self.levels.is_empty(), now);
        self.level() != before
    }

    fn outstanding(&self) -> Option<Ticks> {
        (self.unknown == 0).then_some(self.expected)
    }
}

impl Stream {
    pub(super) fn new(name: StreamId) -> Self {
        Self { name, hints: Hints::default(), held: false, submitted: 0, work: Work::default() }
    }

    fn state(&self, id: StreamId, now: Tick) -> Option<StreamState> {
        let mut state = StreamState::new(id, self.work.level()?, self.work.since);
        state.alive = self.work.alive.read(now);
        state.ready = self.work.count.saturating_sub(self.submitted);
        state.submitted = self.submitted;
        state.outstanding = self.work.outstanding();
        state.hints = self.hints;
        Some(state)
    }
}

impl Process {
    pub(super) fn new(share: u32, now: Tick) -> Self {
        Self {
            share,
            streams: BTreeMap::new(),
            way: Preemption::Wait,
            since: now,
            removing: false,
            submitted: BTreeMap::new(),
            held: 0,
            resident_waves: 0,
            hints: Hints::default(),
            streams_until: None,
            streams_stale: false,
            joined: now,
            work: Work::default(),
            ran: Stopwatch::default(),
            idle_since: now,
        }
    }

    /// Counts a launch that became ready or was submitted. Returns whether the turn policy must be
    /// asked again, as the most urgent level of the process has changed.
    pub(super) fn gained(&mut self, launch: &Launch, now: Tick) -> bool {
        if let Some(stream) = self.streams.get_mut(&launch.stream) {
            self.streams_stale |= stream.work.gained(launch, now);
        }
        self.work.gained(launch, now)
    }

    /// Stops counting a launch that is no longer ready or submitted. Returns whether the turn
    /// policy must be asked again, as the most urgent level of the process has changed.
    pub(super) fn lost(&mut self, launch: &Launch, now: Tick) -> bool {
        if let Some(stream) = self.streams.get_mut(&launch.stream) {
            self.streams_stale |= stream.work.lost(launch, now);
        }
        self.work.lost(launch, now)
    }

    pub(super) fn entered(&mut self, submission: u64, launch: &Launch) {
        self.submitted.insert(submission, launch.id);
        if let Some(stream) = self.streams.get_mut(&launch.stream) {
            stream.submitted += 1;
        }
    }

    pub(super) fn left(&mut self, submission: u64, launch: &Launch) {
        if self.submitted.remove(&submission).is_some()
            && let Some(stream) = self.streams.get_mut(&launch.stream)
        {
            stream.submitted = stream.submitted.saturating_sub(1);
        }
    }

    pub(super) fn set_resident(&mut self, waves: u64, now: Tick) {
        if waves == 0 && self.resident_waves > 0 {
            self.idle_since = now;
        }
        self.resident_waves = waves;
        self.ran.set(waves > 0, now);
    }

    pub(super) fn state(&self, id: ProcessId, now: Tick) -> Option<ProcessState> {
        let submitted = self.submitted.len() as u64;
        let busy = self.streams.values().filter(|stream| stream.work.count > 0).count();
        let mut state = ProcessState::new(id, self.work.level()?, self.work.since);
        (state.share, state.joined, state.hints) = (self.share, self.joined, self.hints);
        (state.alive, state.ran) = (self.work.alive.read(now), self.ran.read(now));
        state.resident_waves = self.resident_waves;
        state.ready = Some(self.work.count.saturating_sub(submitted));
        (state.submitted, state.outstanding) = (submitted, self.work.outstanding());
        state.waiting_since =
            (self.resident_waves == 0).then_some(self.work.since.max(self.idle_since));
        state.streams = Some(u32::try_from(busy).unwrap_or(u32::MAX));
        Some(state)
    }

    /// Returns the states of the process's streams that have a ready or submitted launch, in the
    /// order of stream ids.
    pub(super) fn stream_states(&self, now: Tick) -> impl Iterator<Item = StreamState> + '_ {
        self.streams.iter().filter_map(move |(&id, stream)| stream.state(id, now))
    }
}
