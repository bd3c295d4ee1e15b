//! How are the tracks of a timeline named, numbered and nested?
//!
//! Numbers begin with 1 and follow the order of the tracks, so equal timelines have equal numbers.

use super::label::label;
use super::layout::TrackLayout;
use super::model::{Grain, Measure, Slice, Timeline, TrackLine};

/// A line of a viewer, or a group of lines.
#[derive(Debug)]
pub(super) struct ViewerTrack {
    /// The number of the group that it belongs to; 0: none.
    pub(super) parent: u32,
    /// Its place among those of its parent.
    pub(super) rank: u32,
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What a track holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Other tracks.
    Group,
    /// Slices.
    Slices,
    /// Samples of a counter.
    Counter(Measure),
}

/// All tracks; number n is at position n - 1.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    pub(super) list: Vec<ViewerTrack>,
    /// The first lane of the copy engines.
    pub(super) copies: u32,
    /// The first slot of each compute unit that anything ran in.
    slots: Vec<u32>,
    /// The first lane of each stream, by process.
    streams: Vec<Vec<u32>>,
    /// Each counter; 0 where its process is none of the timeline's.
    pub(super) counters: Vec<u32>,
}

impl Tracks {
    pub(super) fn of(timeline: &Timeline, layout: &TrackLayout) -> Self {
        let mut tracks = Self { counters: vec![0; timeline.counters.len()], ..Self::default() };
        tracks.add_device(timeline, layout);
        for (process, what) in timeline.processes.iter().enumerate() {
            let name = format!("process {}", label(&what.name));
            let group = tracks.add(0, process as u32 + 1, name, Kind::Group);
            tracks.add_counters(timeline, group, Some(process));
            let mut streams = Vec::new();
            for (stream, name) in what.streams.iter().enumerate() {
                let lanes = layout.streams[process][stream];
                streams.push(tracks.add_lanes(group, &format!("stream {}", label(name)), lanes));
            }
            tracks.streams.push(streams);
        }
        tracks
    }

    /// The track of a slice on a compute unit.
    pub(super) fn slice(&self, layout: &TrackLayout, slice: &Slice) -> Option<u32> {
        let cu = usize::from(slice.cu);
        let slot = layout.slots.get(cu)?.binary_search(&slice.slot).ok()?;
        Some(self.slots.get(cu)? + slot as u32)
    }

    /// The first track of a stream, or of the copy engines.
    pub(super) fn line(&self, line: TrackLine) -> Option<u32> {
        match line {
            TrackLine::Copies => Some(self.copies),
            TrackLine::Stream { process, stream } => {
                self.streams.get(usize::from(process))?.get(stream as usize).copied()
            }
        }
    }

    fn add_device(&mut self, timeline: &Timeline, layout: &TrackLayout) {
        let device = self.add(0, 0, label(&timeline.device), Kind::Group);
        self.add_counters(timeline, device, None);
        self.copies = self.add_lanes(device, "copy engine", layout.copies);
        if timeline.grain >= Grain::Launch {
            return;
        }
        let place = if timeline.grain == Grain::Slot { "slot" } else { "lane" };
        for (cu, slots) in layout.slots.iter().enumerate() {
            let unit = self.add(device, self.next_rank(), format!("CU {cu}"), Kind::Group);
            self.slots.push(self.next());
            for &slot in slots {
                self.add(unit, slot, format!("CU {cu} {place} {slot}"), Kind::Slices);
            }
        }
    }

    fn add_counters(&mut self, timeline: &Timeline, group: u32, process: Option<usize>) {
        for (at, counter) in timeline.counters.iter().enumerate() {
            if counter.process.map(usize::from) == process {
                let measure = counter.measure;
                self.counters[at] =
                    self.add(group, at as u32, measure.name().to_owned(), Kind::Counter(measure));
            }
        }
    }

    /// Adds the lanes of one line; the number of the first.
    fn add_lanes(&mut self, group: u32, name: &str, lanes: u32) -> u32 {
        let first = self.next();
        for lane in 0..lanes {
            let name = if lane == 0 { name.to_owned() } else { format!("{name}, lane {lane}") };
            self.add(group, self.next_rank(), name, Kind::Slices);
        }
        first
    }

    fn add(&mut self, parent: u32, rank: u32, name: String, kind: Kind) -> u32 {
        self.list.push(ViewerTrack { parent, rank, name, kind });
        self.list.len() as u32
    }

    /// The number of the track that will be added next.
    fn next(&self) -> u32 {
        self.list.len() as u32 + 1
    }

    /// A rank behind all that stands already.
    fn next_rank(&self) -> u32 {
        self.next()
    }
}
