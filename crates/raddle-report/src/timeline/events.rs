//! In which order are the begins and ends of bars written to a timeline?
//!
//! Perfetto has no whole slices (bars), only begins and ends. The events of each track are made in
//! the track's order, then all are sorted by time; the sort is stable, so that events of a track in
//! one nanosecond stay in order. Streams come before compute units: an arrow begins before it ends.

use raddle_study::timeline::{LaunchPhase, Timeline, by_ready};

use super::layout::Tracks;

/// Event on a track (row of the timeline) of a timeline, with its time in ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackEvent {
    pub(super) at: u64,
    /// Number of the track (row of the timeline) on which the event is drawn; for a sample of a
    /// counter, the index of the counter in the timeline.
    pub(super) track: u32,
    pub(super) what: TimelineEventKind,
}

/// Kind of an event on a timeline; a number in it is an index in one of the lists of the
/// [`Timeline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimelineEventKind {
    /// A slice begins: a bar for the time in which a launch runs on a compute unit. The number is
    /// its index in the timeline's list of slices.
    Slice(u32),
    /// The launch with this index in the timeline's list of launches becomes ready.
    Launch(u32),
    /// A phase of a launch begins, in which the launch waits for its first wave or is preempted.
    Part(LaunchPhase),
    /// The copy or fill with this index in the timeline's list of launches begins to run.
    Copy(u32),
    /// The request with this index in the timeline's list of requests begins to be served.
    Request(u32),
    /// The wait with this index in the timeline's list of waits begins; a wait is a time in which a
    /// process has no waves on the device.
    Wait(u32),
    /// The turn with this index in the timeline's list of turns begins; a turn is a time in which
    /// one process, or several, have waves on the device.
    Turn(u32),
    /// A counter takes a new value: that of its sample with this index.
    Sample(u32),
    /// The bar that began last on this track (row of the timeline), of those that have not ended,
    /// ends.
    End,
}

struct Events(Vec<TrackEvent>);

impl Events {
    fn span(&mut self, track: u32, (start, end): (u64, u64), what: TimelineEventKind) {
        self.0.push(TrackEvent { at: start, track, what });
        self.0.push(TrackEvent { at: end.max(start), track, what: TimelineEventKind::End });
    }
}

/// Returns every event of a timeline, sorted by time, in the order in which events are written.
pub(super) fn in_order(timeline: &Timeline, tracks: &Tracks) -> Vec<TrackEvent> {
    let mut events = Events(Vec::with_capacity(room(timeline)));
    for (track, counter) in (0u32..).zip(&timeline.counters) {
        if tracks.counters[track as usize] == 0 {
            continue;
        }
        let samples = (0u32..).zip(&counter.samples);
        let event = |(position, &(at, _)): (u32, &_)| TrackEvent {
            at,
            track,
            what: TimelineEventKind::Sample(position),
        };
        events.0.extend(samples.map(event));
    }
    for ((at, request), &track) in (0u32..).zip(&timeline.requests).zip(&tracks.requests) {
        if track > 0 {
            events.span(track, (request.start_ns, request.end_ns), TimelineEventKind::Request(at));
        }
    }
    for (at, wait) in (0u32..).zip(&timeline.waits) {
        let track = tracks.waits.get(usize::from(wait.process)).copied().unwrap_or(0);
        if track > 0 {
            events.span(track, (wait.start_ns, wait.end_ns), TimelineEventKind::Wait(at));
        }
    }
    for (at, turn) in (0u32..).zip(&timeline.turns) {
        events.span(tracks.turn, (turn.start_ns, turn.end_ns), TimelineEventKind::Turn(at));
    }
    for at in by_ready(timeline) {
        add_launch(&mut events, timeline, tracks, at);
    }
    for (at, slice) in (0u32..).zip(&timeline.slices) {
        if let Some(track) = tracks.slice(slice) {
            events.span(track, (slice.start_ns, slice.end_ns), TimelineEventKind::Slice(at));
        }
    }
    events.0.sort_by_key(|event| event.at);
    events.0
}

/// Returns an upper bound of the number of events, by which memory for them is reserved.
fn room(timeline: &Timeline) -> usize {
    let samples: usize = timeline.counters.iter().map(|counter| counter.samples.len()).sum();
    let others = timeline.requests.len() + timeline.waits.len() + timeline.turns.len();
    samples
        + 2 * (timeline.slices.len() + timeline.aways.len() + others)
        + 6 * timeline.launches.len()
}

fn add_launch(events: &mut Events, timeline: &Timeline, tracks: &Tracks, at: u32) {
    let (track, copies) = (tracks.launches[at as usize], tracks.copies[at as usize]);
    let Some(span) = timeline.span(&timeline.launches[at as usize]) else { return };
    if track > 0 {
        events.0.push(TrackEvent { at: span.0, track, what: TimelineEventKind::Launch(at) });
        for (inner, part) in timeline.inside(at) {
            events.span(track, inner, TimelineEventKind::Part(part));
        }
        events.0.push(TrackEvent { at: span.1, track, what: TimelineEventKind::End });
    }
    if copies > 0 {
        events.span(copies, span, TimelineEventKind::Copy(at));
    }
}
