//! Which tracks does a timeline have, and which launch goes on which?
//!
//! A device with its copy engines and compute units, then a process
//! with its streams. A stream whose launches overlap has several lanes, and so have the copies.

use super::lanes::Lanes;
use super::model::{DrawnLaunch, Grain, Off, Timeline, TrackLine};

/// Where launches go, and how many lanes and slots there are.
#[derive(Debug, Default)]
pub(super) struct TrackLayout {
    /// The lane of each launch on its stream.
    pub(super) lane: Vec<u32>,
    /// The lane of each copy on the copy engines.
    pub(super) copy_lane: Vec<u32>,
    /// Lanes of each stream, by process.
    pub(super) streams: Vec<Vec<u32>>,
    /// Lanes of the copy engines.
    pub(super) copies: u32,
    /// The slots, or lanes, of each compute unit that anything ran in, rising.
    pub(super) slots: Vec<Vec<u32>>,
    /// The slice in which each launch first started; `NONE` without.
    pub(super) first: Vec<u32>,
}

/// No slice, and no lane.
pub(super) const NONE: u32 = u32::MAX;

impl TrackLayout {
    pub(super) fn of(timeline: &Timeline) -> Self {
        let count = timeline.launches.len();
        let mut layout = Self {
            lane: vec![NONE; count],
            copy_lane: vec![NONE; count],
            streams: timeline.processes.iter().map(|p| vec![0; p.streams.len()]).collect(),
            copies: 0,
            slots: vec![Vec::new(); usize::from(timeline.cus)],
            first: vec![NONE; count],
        };
        layout.place_launches(timeline);
        layout.place_slices(timeline);
        layout
    }

    fn place_launches(&mut self, timeline: &Timeline) {
        let mut lanes: Vec<Vec<Lanes>> =
            self.streams.iter().map(|streams| vec![Lanes::default(); streams.len()]).collect();
        let mut copies = Lanes::default();
        for at in by_ready(timeline) {
            let launch = &timeline.launches[at as usize];
            let Some((start, end)) = timeline.span(launch) else { continue };
            let of = lanes.get_mut(usize::from(launch.process));
            if let Some(lanes) = of.and_then(|lanes| lanes.get_mut(launch.stream as usize)) {
                self.lane[at as usize] = lanes.give(start, end);
            }
            if launch.is_copy && launch.started_ns.is_some() {
                self.copy_lane[at as usize] = copies.give(start, end);
            }
        }
        for (streams, lanes) in self.streams.iter_mut().zip(&lanes) {
            for (count, lanes) in streams.iter_mut().zip(lanes) {
                *count = lanes.count();
            }
        }
        self.copies = copies.count();
        for stretch in &timeline.stretches {
            let lanes = match stretch.line {
                TrackLine::Copies => Some(&mut self.copies),
                TrackLine::Stream { process, stream } => self
                    .streams
                    .get_mut(usize::from(process))
                    .and_then(|streams| streams.get_mut(stream as usize)),
            };
            if let Some(lanes) = lanes {
                *lanes = (*lanes).max(1);
            }
        }
    }

    fn place_slices(&mut self, timeline: &Timeline) {
        if timeline.grain >= Grain::Launch {
            return;
        }
        for (at, slice) in (0u32..).zip(&timeline.slices) {
            let Some(slots) = self.slots.get_mut(usize::from(slice.cu)) else { continue };
            if slots.last() != Some(&slice.slot) {
                slots.push(slice.slot);
            }
            let launch = slice.launch as usize;
            if self.lane.get(launch).is_none_or(|&lane| lane == NONE) {
                continue;
            }
            let key = |at: u32| {
                let slice = &timeline.slices[at as usize];
                (slice.start_ns, slice.cu, slice.slot)
            };
            let first = &mut self.first[launch];
            if *first == NONE || key(at) < key(*first) {
                *first = at;
            }
        }
        for slots in &mut self.slots {
            slots.sort_unstable();
            slots.dedup();
        }
    }
}

/// Launches that were ever ready, in that order; those of one tick by position.
pub(super) fn by_ready(timeline: &Timeline) -> Vec<u32> {
    let launches = (0u32..).zip(&timeline.launches);
    let mut order: Vec<(u64, u32)> =
        launches.filter_map(|(at, launch)| Some((launch.ready_ns?, at))).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, at)| at).collect()
}

impl Timeline {
    /// From where to where a launch is drawn on its stream; `None` where it never was ready.
    pub(super) fn span(&self, launch: &DrawnLaunch) -> Option<(u64, u64)> {
        let start = launch.ready_ns?;
        let end = if launch.refused { start } else { launch.ended_ns.unwrap_or(self.end_ns) };
        Some((start, end.max(start)))
    }

    /// What is drawn inside a launch on its stream, one after the other.
    pub(super) fn inside(&self, at: u32) -> Vec<((u64, u64), LaunchPhase)> {
        let mut parts = Vec::new();
        let launch = &self.launches[at as usize];
        let Some((start, end)) = self.span(launch) else { return parts };
        let mut from = launch.started_ns.unwrap_or(end).clamp(start, end);
        if start < from {
            parts.push(((start, from), LaunchPhase::Waiting));
        }
        let first = self.aways.partition_point(|away| away.launch < at);
        for away in self.aways[first..].iter().take_while(|away| away.launch == at) {
            let span = (away.start_ns.max(from), away.end_ns.min(end));
            if span.0 < span.1 {
                parts.push((span, LaunchPhase::Off(away.how)));
                from = span.1;
            }
        }
        parts
    }
}

/// What a launch does while it does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaunchPhase {
    /// It waits for its first wave to start.
    Waiting,
    /// It is off the device.
    Off(Off),
}

impl LaunchPhase {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Off(how) => how.name(),
        }
    }
}
