//! Which tracks (rows) does a timeline have, in which order, and on which is each slice (bar)?
//!
//! First come the processes, each with its requests, its waits, its counters and its streams; then
//! the device with its turns, its counters, copy engines and compute units. A stream whose launches
//! overlap has several lanes, and so have the copies. Tracks are numbered from 1 in this order, so
//! equal timelines have equal numbers.

use std::collections::BTreeMap;

use raddle_study::timeline::{Grain, Lanes, Measure, Slice, Timeline, by_ready};
use raddle_study::units::plain;

/// Index that means that a launch has no slice (a bar on a compute unit).
pub(super) const NONE: u32 = u32::MAX;

/// Track that a viewer of timelines shows: one line, or a group of lines.
#[derive(Debug)]
pub(super) struct ViewerTrack {
    /// Number of the group of tracks to which the track (row of the timeline) belongs; 0 where it
    /// is in none.
    pub(super) parent: u32,
    /// Rank of the track (row of the timeline) among those of its group; lower ranks are shown
    /// first.
    pub(super) rank: u32,
    pub(super) name: String,
    pub(super) kind: TrackKind,
}

/// Kind of a track (a row of a timeline): what a timeline viewer draws on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrackKind {
    /// The track (row of a timeline) is a group of other tracks.
    Group,
    /// The track has slices: bars, each with a name, for stretches of time.
    Slices,
    /// The track (row of a timeline) has the values of a counter over time.
    Counter(Measure),
}

/// All tracks of a timeline, and for each launch, request and counter the number of the track (row
/// of the timeline) on which it is drawn. The track with number n has the index n - 1 in `list`; 0
/// means no track.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    pub(super) list: Vec<ViewerTrack>,
    /// For each launch, the number of the track (row of the timeline) on which it is drawn, one of
    /// its stream's; 0 where the launch is not drawn.
    pub(super) launches: Vec<u32>,
    /// For each launch that is a copy, the number of the copy engine's track on which it is drawn;
    /// 0 for other launches.
    pub(super) copies: Vec<u32>,
    /// For each request, the number of the track (row of the timeline) on which it is drawn; 0
    /// where its process is not on the timeline.
    pub(super) requests: Vec<u32>,
    /// For each request, its launches, as indices into the timeline's list of launches; launches
    /// that are not drawn are left out.
    pub(super) served: Vec<Vec<u32>>,
    /// For each launch, true if it belongs to a request that is drawn.
    pub(super) serves: Vec<bool>,
    /// For each process, the number of the track (row of the timeline) that shows when it waits; 0
    /// where it never does.
    pub(super) waits: Vec<u32>,
    /// Number of the track (row of the timeline) that shows which process has waves on the device;
    /// 0 where there is no such track.
    pub(super) turn: u32,
    /// For each counter, the number of its track; 0 where its process is not on the timeline or it
    /// has no samples.
    pub(super) counters: Vec<u32>,
    /// For each launch, the index of its first slice (bar on a compute unit); [`NONE`] where it has
    /// no slice.
    pub(super) first: Vec<u32>,
    /// For each compute unit, (number of its first track, numbers of its workgroup slots in which
    /// anything ran, ascending). Each of these slots has a track (row of the timeline). A coarse
    /// timeline has lanes (tracks for bars that do not overlap) in place of slots.
    units: Vec<(u32, Vec<u32>)>,
}

/// Shortens a name from an input file for a timeline viewer, as the end of a long C++ name is of no
/// use on a bar.
pub(super) fn label(name: &str) -> String {
    let text = plain(name, 200);
    if text.trim().is_empty() { "unnamed".to_owned() } else { text }
}

impl Tracks {
    pub(super) fn of(timeline: &Timeline) -> Self {
        let count = timeline.launches.len();
        let mut tracks = Self {
            launches: vec![0; count],
            copies: vec![0; count],
            counters: vec![0; timeline.counters.len()],
            first: vec![NONE; count],
            units: vec![(0, Vec::new()); usize::from(timeline.cus)],
            ..Self::default()
        };
        // Until tracks have their numbers, `launches` and `copies` hold lanes, counted from 1.
        let (streams, copies) = tracks.give_lanes(timeline);
        for (process, what) in timeline.processes.iter().enumerate() {
            let name = format!("process {}", label(&what.name));
            let group = tracks.add(0, process as u32, name, TrackKind::Group);
            tracks.add_requests(timeline, group, process);
            let waits = timeline.waits.iter().any(|wait| usize::from(wait.process) == process);
            let rank = tracks.next();
            let track =
                waits.then(|| tracks.add(group, rank, "waiting".to_owned(), TrackKind::Slices));
            tracks.waits.push(track.unwrap_or(0));
            tracks.add_counters(timeline, group, Some(process));
            let named = what.streams.iter().zip(&streams[process]);
            let add = |(name, lanes): (&String, &Lanes)| {
                tracks.add_lanes(group, &format!("stream {}", label(name)), lanes.count())
            };
            let offsets: Vec<u32> = named.map(add).collect();
            for (launch, track) in timeline.launches.iter().zip(&mut tracks.launches) {
                if usize::from(launch.process) == process && *track > 0 {
                    *track += offsets[launch.stream as usize];
                }
            }
        }
        let rank = timeline.processes.len() as u32;
        let device = tracks.add(0, rank, label(&timeline.device), TrackKind::Group);
        if !timeline.turns.is_empty() {
            let rank = tracks.next();
            tracks.turn = tracks.add(device, rank, "who runs".to_owned(), TrackKind::Slices);
        }
        tracks.add_counters(timeline, device, None);
        let offset = tracks.add_lanes(device, "copy engine", copies.count());
        tracks.copies.iter_mut().filter(|track| **track > 0).for_each(|track| *track += offset);
        tracks.add_units(timeline, device);
        tracks.link_requests(timeline);
        tracks
    }

    /// Returns the number of the track (row of the timeline) on which a slice (bar on a compute
    /// unit) is drawn; `None` where there is none.
    pub(super) fn slice(&self, slice: &Slice) -> Option<u32> {
        let (first, slots) = self.units.get(usize::from(slice.cu))?;
        Some(first + slots.binary_search(&slice.slot).ok()? as u32)
    }

    /// Assigns each launch a lane on its stream, and each copy a lane on the copy engines. Lanes
    /// are tracks side by side for bars that overlap in time. Returns the lanes of each stream, by
    /// process, and those of the copy engines.
    fn give_lanes(&mut self, timeline: &Timeline) -> (Vec<Vec<Lanes>>, Lanes) {
        let none = |n: usize| vec![Lanes::default(); n];
        let mut streams: Vec<_> =
            timeline.processes.iter().map(|p| none(p.streams.len())).collect();
        let mut copies = Lanes::default();
        for at in by_ready(timeline) {
            let launch = &timeline.launches[at as usize];
            let Some((start, end)) = timeline.span(launch) else { continue };
            let of = streams.get_mut(usize::from(launch.process));
            if let Some(lanes) = of.and_then(|lanes| lanes.get_mut(launch.stream as usize)) {
                self.launches[at as usize] = lanes.give(start, end) + 1;
            }
            if launch.is_copy && launch.started_ns.is_some() {
                self.copies[at as usize] = copies.give(start, end) + 1;
            }
        }
        (streams, copies)
    }

    fn add_units(&mut self, timeline: &Timeline, device: u32) {
        if timeline.grain >= Grain::Launch {
            return;
        }
        for (at, slice) in (0u32..).zip(&timeline.slices) {
            let Some((_, slots)) = self.units.get_mut(usize::from(slice.cu)) else { continue };
            if slots.last() != Some(&slice.slot) {
                slots.push(slice.slot);
            }
            let launch = slice.launch as usize;
            if self.launches.get(launch).is_none_or(|&track| track == 0) {
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
        let place = if timeline.grain == Grain::Slot { "slot" } else { "lane" };
        let mut units = std::mem::take(&mut self.units);
        for (cu, (first, slots)) in units.iter_mut().enumerate() {
            slots.sort_unstable();
            slots.dedup();
            let unit = self.add(device, self.next(), format!("CU {cu}"), TrackKind::Group);
            *first = self.next();
            for &slot in slots.iter() {
                self.add(unit, slot, format!("CU {cu} {place} {slot}"), TrackKind::Slices);
            }
        }
        self.units = units;
    }

    /// Adds the tracks of a process's requests to its group: as many as requests run at one time.
    fn add_requests(&mut self, timeline: &Timeline, group: u32, process: usize) {
        let mut lanes = Lanes::default();
        let of = timeline.requests.iter().enumerate();
        let mut own: Vec<(usize, u64, u64)> = of
            .filter(|(_, request)| usize::from(request.process) == process)
            .map(|(at, request)| (at, request.start_ns, request.end_ns.max(request.start_ns)))
            .collect();
        own.sort_by_key(|request| request.1);
        let before = self.list.len() as u32;
        self.requests.resize(timeline.requests.len(), 0);
        for (at, start, end) in own {
            self.requests[at] = before + 1 + lanes.give(start, end);
        }
        self.add_lanes(group, "requests", lanes.count());
    }

    fn add_counters(&mut self, timeline: &Timeline, group: u32, process: Option<usize>) {
        for (at, counter) in timeline.counters.iter().enumerate() {
            if counter.process.map(usize::from) == process && !counter.samples.is_empty() {
                let measure = counter.measure;
                let rank = self.next();
                self.counters[at] =
                    self.add(group, rank, measure.name().to_owned(), TrackKind::Counter(measure));
            }
        }
    }

    /// Finds the launches of which each drawn request consists, and stores their indices with the
    /// request.
    fn link_requests(&mut self, timeline: &Timeline) {
        self.served = vec![Vec::new(); timeline.requests.len()];
        self.serves = vec![false; timeline.launches.len()];
        let has_track = |at: usize| self.requests.get(at).is_some_and(|track| *track > 0);
        let drawn = timeline.requests.iter().enumerate().filter(|(at, _)| has_track(*at));
        let drawn: BTreeMap<(u16, u32), usize> =
            drawn.map(|(at, request)| ((request.process, request.number), at)).collect();
        for (at, launch) in (0u32..).zip(&timeline.launches) {
            let (Some(&request), Some((start, _))) =
                (drawn.get(&(launch.process, launch.iteration)), timeline.span(launch))
            else {
                continue;
            };
            let is_drawn = self.launches[at as usize] > 0;
            if is_drawn && timeline.requests[request].start_ns <= start {
                self.served[request].push(at);
                self.serves[at as usize] = true;
            }
        }
    }

    /// Adds `lanes` tracks, side by side, that have one name, such as that of a stream. Returns the
    /// number of tracks that there were before.
    fn add_lanes(&mut self, group: u32, name: &str, lanes: u32) -> u32 {
        let before = self.list.len() as u32;
        for lane in 0..lanes {
            let name = if lane == 0 { name.to_owned() } else { format!("{name}, lane {lane}") };
            self.add(group, self.next(), name, TrackKind::Slices);
        }
        before
    }

    fn add(&mut self, parent: u32, rank: u32, name: String, kind: TrackKind) -> u32 {
        self.list.push(ViewerTrack { parent, rank, name, kind });
        self.list.len() as u32
    }

    /// Returns the number of the track (row of the timeline) that will be added next; used as a
    /// rank, it places a track behind all others of its group.
    fn next(&self) -> u32 {
        self.list.len() as u32 + 1
    }
}
