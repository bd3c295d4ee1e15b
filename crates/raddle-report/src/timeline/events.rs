//! In which order do slices begin and end?
//!
//! Perfetto knows no whole slices, only begins and ends. Each track's are made in its own order,
//! then all are sorted by time; the sort is stable, so that what a track says in one nanosecond
//! stays in order. Streams come before compute units: an arrow begins before it ends.

use super::layout::{LaunchPhase, NONE, TrackLayout, by_ready};
use super::model::{Timeline, TrackLine};
use super::tracks::Tracks;

/// Something that happens on a track.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackEvent {
    pub(super) at: u64,
    /// The number of its track; of a sample the position of its counter.
    pub(super) track: u32,
    pub(super) what: What,
}

/// What happens; numbers are positions in the timeline's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A slice of a compute unit begins.
    Slice(u32),
    /// A launch is ready.
    Launch(u32),
    /// A launch waits for its first wave, or is off the device.
    Part(LaunchPhase),
    /// A copy or fill runs.
    Copy(u32),
    /// A stream has work.
    Stretch(u32),
    /// A counter takes a value: the position of the sample.
    Sample(u32),
    /// What began last on this track, and has not ended, ends.
    End,
}

struct Events(Vec<TrackEvent>);

impl Events {
    fn span(&mut self, track: u32, (start, end): (u64, u64), what: What) {
        self.0.push(TrackEvent { at: start, track, what });
        self.0.push(TrackEvent { at: end.max(start), track, what: What::End });
    }
}

/// Every event of a timeline, in the order in which they are written.
pub(super) fn in_order(
    timeline: &Timeline,
    layout: &TrackLayout,
    tracks: &Tracks,
) -> Vec<TrackEvent> {
    let mut events = Events(Vec::with_capacity(room(timeline)));
    for (track, counter) in (0u32..).zip(&timeline.counters) {
        if tracks.counters[track as usize] == 0 {
            continue;
        }
        let samples = (0u32..).zip(&counter.samples);
        let event = |(position, &(at, _)): (u32, &_)| TrackEvent {
            at,
            track,
            what: What::Sample(position),
        };
        events.0.extend(samples.map(event));
    }
    for at in by_ready(timeline) {
        add_launch(&mut events, timeline, layout, tracks, at);
    }
    for (at, stretch) in (0u32..).zip(&timeline.stretches) {
        if let Some(track) = tracks.line(stretch.line) {
            events.span(track, (stretch.start_ns, stretch.end_ns), What::Stretch(at));
        }
    }
    for (at, slice) in (0u32..).zip(&timeline.slices) {
        if let Some(track) = tracks.slice(layout, slice) {
            events.span(track, (slice.start_ns, slice.end_ns), What::Slice(at));
        }
    }
    events.0.sort_by_key(|event| event.at);
    events.0
}

/// How many events there are at most.
fn room(timeline: &Timeline) -> usize {
    let samples: usize = timeline.counters.iter().map(|counter| counter.samples.len()).sum();
    let spans = timeline.slices.len() + timeline.aways.len() + timeline.stretches.len();
    samples + 2 * spans + 4 * timeline.launches.len()
}

fn add_launch(
    events: &mut Events,
    timeline: &Timeline,
    layout: &TrackLayout,
    tracks: &Tracks,
    at: u32,
) {
    let launch = &timeline.launches[at as usize];
    let (lane, copy) = (layout.lane[at as usize], layout.copy_lane[at as usize]);
    let Some(span) = timeline.span(launch).filter(|_| lane != NONE) else { return };
    let line = TrackLine::Stream { process: launch.process, stream: launch.stream };
    let Some(track) = tracks.line(line).map(|first| first + lane) else { return };
    events.0.push(TrackEvent { at: span.0, track, what: What::Launch(at) });
    for (inner, part) in timeline.inside(at) {
        events.span(track, inner, What::Part(part));
    }
    events.0.push(TrackEvent { at: span.1, track, what: What::End });
    if copy != NONE {
        events.span(tracks.copies + copy, span, What::Copy(at));
    }
}
