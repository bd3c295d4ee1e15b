//! A Perfetto file, decoded and checked, as slices on tracks again.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;

use super::proto::{ChildTracksOrdering, Interned, Trace, TrackEvent, Type, Unit};

/// Track of a decoded Perfetto file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    pub(crate) name: String,
    pub(crate) parent: Option<u64>,
    pub(crate) is_counter: bool,
    pub(crate) rank: i32,
}

/// Slice (bar) of a decoded Perfetto file.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    pub(crate) track: u64,
    pub(crate) depth: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) name: String,
    pub(crate) category: String,
    pub(crate) notes: BTreeMap<String, String>,
}

/// Content of a decoded Perfetto file.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) tracks: BTreeMap<u64, Track>,
    /// Slices (bars), in the order in which they begin.
    pub(crate) slices: Vec<Slice>,
    /// Samples of each counter track: (time in ns, value), by the number of the track.
    pub(crate) counters: BTreeMap<u64, Vec<(u64, f64)>>,
    /// Arrows, each as (index of the slice where it begins, index of the slice where it ends).
    pub(crate) flows: Vec<(usize, usize)>,
}

type Names = BTreeMap<u64, String>;

impl Decoded {
    /// Decodes a Perfetto file, and checks all rules that must hold in any file.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let trace = Trace::decode(bytes).expect("it is a trace");
        assert_eq!(trace.encoded_len(), bytes.len(), "every field of it is a known one");
        let mut reader = Reader::default();
        for packet in trace.packet {
            assert_eq!(packet.trusted_packet_sequence_id, Some(1));
            reader.flags(packet.sequence_flags.unwrap_or(0));
            if let Some(data) = packet.interned_data {
                intern(&mut reader.categories, data.event_categories);
                intern(&mut reader.names, data.event_names);
                intern(&mut reader.note_names, data.debug_annotation_names);
                intern(&mut reader.texts, data.debug_annotation_string_values);
            }
            if let Some(track) = packet.track_descriptor {
                reader.describe(track);
            }
            if let Some(event) = packet.track_event {
                let interned = packet.sequence_flags.is_some_and(|flags| flags & 2 != 0);
                reader.event(packet.timestamp.expect("an event has a time"), &event, interned);
            }
        }
        reader.finish()
    }

    /// Returns the name of a track with those of its parents before it.
    pub(crate) fn path(&self, track: u64) -> Vec<&str> {
        let track = &self.tracks[&track];
        let mut path = track.parent.map_or_else(Vec::new, |parent| self.path(parent));
        path.push(&track.name);
        path
    }

    /// Returns the number of the track with this path of names.
    pub(crate) fn track(&self, path: &[&str]) -> u64 {
        let found = self.tracks.keys().find(|&&track| self.path(track) == path);
        *found.unwrap_or_else(|| panic!("there is no track {path:?}"))
    }

    /// Returns the slices that are not inside another, on tracks below a compute unit, each with
    /// the name of its unit.
    pub(crate) fn on_units(&self) -> impl Iterator<Item = (&str, &Slice)> {
        self.slices.iter().filter_map(|slice| {
            let path = self.path(slice.track);
            (path.len() == 3 && path[1].starts_with("CU ")).then(|| (path[1], slice))
        })
    }
}

fn intern(to: &mut Names, entries: Vec<Interned>) {
    for entry in entries {
        let (iid, name) = (entry.iid.expect("a number"), entry.name.expect("a name"));
        assert!(iid != 0 && !name.is_empty());
        assert!(!name.contains(char::is_control), "{name:?}");
        assert_eq!(to.insert(iid, name), None, "one name a number");
    }
}

#[derive(Debug, Default)]
struct Reader {
    decoded: Decoded,
    cleared: bool,
    now: u64,
    categories: Names,
    names: Names,
    note_names: Names,
    texts: Names,
    /// Indices of the slices that are open on each track.
    open: BTreeMap<u64, Vec<usize>>,
    /// Index of the slice at which each arrow begins, by the number of the arrow.
    begun: BTreeMap<u64, usize>,
}

impl Reader {
    fn flags(&mut self, flags: u32) {
        self.cleared |= flags & 1 != 0;
        assert!(flags & 2 == 0 || self.cleared, "nothing is needed before it was cleared");
    }

    fn describe(&mut self, track: super::proto::TrackDescriptor) {
        let uuid = track.uuid.expect("a number");
        assert_ne!(uuid, 0);
        if let Some(parent) = track.parent_uuid {
            let parent = self.decoded.tracks.get(&parent).expect("the parent stands before it");
            assert!(!parent.is_counter);
        }
        if let Some(ordering) = track.child_ordering {
            assert_eq!(ordering, ChildTracksOrdering::Explicit as i32);
        }
        let is_counter = track.counter.is_some();
        if let Some(counter) = track.counter {
            let share = counter.unit_name.as_deref() == Some("%");
            assert_eq!(counter.unit, (!share).then_some(Unit::Count as i32));
        }
        let track = Track {
            name: track.name.expect("a name"),
            parent: track.parent_uuid,
            is_counter,
            rank: track.sibling_order_rank.expect("a rank"),
        };
        let equal = |other: &&Track| other.parent == track.parent && other.rank == track.rank;
        assert!(!self.decoded.tracks.values().any(|t| equal(&t)), "one rank a sibling: {track:?}");
        assert!(self.decoded.tracks.insert(uuid, track).is_none(), "one description a track");
    }

    fn event(&mut self, at: u64, event: &TrackEvent, interned: bool) {
        assert!(at >= self.now, "time does not fall");
        self.now = at;
        let track = event.track_uuid.expect("a track");
        let is_counter = self.decoded.tracks.get(&track).expect("a described track").is_counter;
        match event.r#type() {
            Type::SliceBegin => {
                assert!(!is_counter && interned, "it needs the names");
                self.begin(at, track, event);
            }
            Type::SliceEnd => {
                let ended = self.open.get_mut(&track).and_then(Vec::pop);
                self.decoded.slices[ended.expect("it ends what began")].end = at;
            }
            Type::Counter => {
                assert!(is_counter);
                let count = event.counter_value.map(|value| value as f64);
                let value = event.double_counter_value.or(count).expect("a value");
                let samples = self.decoded.counters.entry(track).or_default();
                assert!(samples.last().is_none_or(|last| last.0 < at && last.1 != value));
                samples.push((at, value));
            }
            other => panic!("{other:?}"),
        }
    }

    fn begin(&mut self, at: u64, track: u64, event: &TrackEvent) {
        let name = |names: &Names, iid: u64| names.get(&iid).expect("defined before").clone();
        let position = self.decoded.slices.len();
        let open = self.open.entry(track).or_default();
        let mut notes = BTreeMap::new();
        for note in &event.debug_annotations {
            let value = match (note.uint_value, note.string_value_iid) {
                (Some(number), None) => number.to_string(),
                (None, Some(text)) => name(&self.texts, text),
                other => panic!("{other:?}"),
            };
            notes.insert(name(&self.note_names, note.name_iid.expect("a name")), value);
        }
        assert!(event.category_iids.len() <= 1);
        let category = event.category_iids.first().map(|&iid| name(&self.categories, iid));
        self.decoded.slices.push(Slice {
            track,
            depth: open.len(),
            start: at,
            end: u64::MAX,
            name: name(&self.names, event.name_iid.expect("a name")),
            category: category.unwrap_or_default(),
            notes,
        });
        open.push(position);
        for &flow in &event.flow_ids {
            assert!(self.begun.insert(flow, position).is_none(), "an arrow begins once");
        }
        for flow in &event.terminating_flow_ids {
            let from = self.begun.remove(flow).expect("an arrow begins before it ends");
            self.decoded.flows.push((from, position));
        }
    }

    fn finish(self) -> Decoded {
        assert!(self.open.values().all(Vec::is_empty), "all that begins ends");
        assert!(self.begun.is_empty(), "every arrow ends");
        let decoded = self.decoded;
        let counters: BTreeSet<u64> = decoded
            .tracks
            .iter()
            .filter(|(_, track)| track.is_counter)
            .map(|(&id, _)| id)
            .collect();
        assert_eq!(counters, decoded.counters.keys().copied().collect(), "each has values");
        // Slices of a track lie beside or inside each other.
        let mut last: BTreeMap<(u64, usize), u64> = BTreeMap::new();
        for slice in &decoded.slices {
            let before = last.insert((slice.track, slice.depth), slice.end).unwrap_or(0);
            assert!(before <= slice.start && slice.start <= slice.end, "{slice:?}");
            if slice.depth > 0 {
                assert!(slice.end <= last[&(slice.track, slice.depth - 1)], "{slice:?}");
            }
        }
        decoded
    }
}
