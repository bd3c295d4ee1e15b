//! Does every slice end, on a track that was described, under a name that was given?

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;
use prost::encoding::decode_varint;
use prost_reflect::DynamicMessage;

use crate::definitions::Definitions;
use crate::fault::{Fault, What};
use crate::fields::Fields;

/// Flag of a packet (`TracePacket.SequenceFlags`): the tables of names begin anew with it. The
/// constant below it is the flag of a packet that needs those tables.
const CLEARED: u64 = 1;
const NEEDED: u64 = 2;
/// Tables of names in a trace, each by the event field that uses it.
const TABLES: [&str; 4] =
    ["event_categories", "event_names", "debug_annotation_names", "debug_annotation_string_values"];

/// Track of a timeline, with the number of slices and values on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// Name of the track.
    pub name: String,
    /// Number of the track below which this one is drawn; `None` for a track at the top.
    pub parent: Option<u64>,
    /// True if the track holds values and no slices.
    pub is_counter: bool,
    /// Number of slices on the track.
    pub slices: usize,
    /// Number of values on the track, which are drawn as a curve.
    pub values: usize,
    /// Largest number of slices of the track that are open at a time.
    pub deepest: usize,
}

/// Contents of a timeline file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Tracks of the file, by number.
    pub tracks: BTreeMap<u64, Track>,
    /// Number of arrows from one slice to another.
    pub arrows: usize,
    /// Number of packets of the file.
    pub packets: usize,
}

impl Found {
    /// Returns the number of slices on all tracks together.
    #[must_use]
    pub fn slices(&self) -> usize {
        self.tracks.values().map(|track| track.slices).sum()
    }

    /// Returns how many tracks lie above the track with the number `track`; 0 for one at the top.
    #[must_use]
    pub fn level(&self, track: u64) -> usize {
        let parent = self.tracks.get(&track).and_then(|track| track.parent);
        // A parent is described before its children, so this ends.
        parent.map_or(0, |parent| 1 + self.level(parent))
    }
}

/// Reads a whole timeline file, and checks that it keeps the definitions of its format.
///
/// Every field is one that the definitions have. Tracks, and their parents, are described before
/// they are used, and so are names. Time never falls, and a slice is ended on its track before the
/// slice around it is, so that the slices of a track nest. Every slice ends, and so does every
/// arrow.
///
/// # Errors
/// The first fault.
pub fn check(definitions: &Definitions, file: &[u8]) -> Result<Found, Fault> {
    let mut reader = Reader::default();
    let mut rest = file;
    while !rest.is_empty() {
        let packet = reader.found.packets;
        let at = |what| Fault { packet, what };
        let (one, more) = split(rest).map_err(at)?;
        let trace = DynamicMessage::decode(definitions.trace(), one);
        let trace = trace.map_err(|error| at(What::NotATrace(error.to_string())))?;
        let fields = Fields(&trace);
        fields.all_known().map_err(at)?;
        // A field that was read twice, or left out, is missing when the packet is written again.
        if trace.encoded_len() != one.len() {
            return Err(at(What::Unknown("written again, it has another length".to_owned())));
        }
        for packet in fields.messages("packet") {
            reader.packet(packet).map_err(at)?;
        }
        reader.found.packets += 1;
        rest = more;
    }
    let packet = reader.found.packets;
    reader.finish().map_err(|what| Fault { packet, what })
}

/// Splits a trace into the bytes of its first packet and the bytes that follow it. Packets are read
/// one at a time, so that memory stays small.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), What> {
    let broken = |error: prost::DecodeError| What::NotATrace(error.to_string());
    let mut rest = bytes;
    decode_varint(&mut rest).map_err(broken)?;
    let length = decode_varint(&mut rest).map_err(broken)?;
    let header = bytes.len() - rest.len();
    let end = usize::try_from(length).ok().and_then(|length| header.checked_add(length));
    end.and_then(|end| bytes.split_at_checked(end))
        .ok_or_else(|| What::NotATrace("a packet is longer than what is left".to_owned()))
}

#[derive(Default)]
struct Reader {
    found: Found,
    writer: Option<u64>,
    cleared: bool,
    now: u64,
    /// Names that the file has given, by (table, number).
    names: BTreeMap<(&'static str, u64), String>,
    /// Number of slices that are open, by track.
    open: BTreeMap<u64, usize>,
    /// Numbers of the arrows that have begun and not ended.
    begun: BTreeSet<u64>,
}

impl Reader {
    fn packet(&mut self, packet: Fields<'_>) -> Result<(), What> {
        let writer = packet.number("trusted_packet_sequence_id");
        let writer = writer.ok_or(What::Strange("a packet without a writer"))?;
        if *self.writer.get_or_insert(writer) != writer {
            return Err(What::Sequence);
        }
        let flags = packet.number("sequence_flags").unwrap_or(0);
        if flags & CLEARED != 0 {
            self.cleared = true;
            self.names.clear();
        }
        let needs = flags & NEEDED != 0;
        if needs && !self.cleared {
            return Err(What::NotCleared);
        }
        let names = packet.message("interned_data");
        let (track, event) = (packet.message("track_descriptor"), packet.message("track_event"));
        if names.is_none() && track.is_none() && event.is_none() {
            return Err(What::Strange("a packet that is no part of a timeline"));
        }
        names.map_or(Ok(()), |names| self.intern(names))?;
        track.map_or(Ok(()), |track| self.describe(track))?;
        let Some(event) = event else { return Ok(()) };
        let at = packet.number("timestamp").ok_or(What::Strange("an event without a time"))?;
        if at < self.now {
            return Err(What::TimeFalls);
        }
        self.now = at;
        self.event(event, needs)
    }

    fn intern(&mut self, data: Fields<'_>) -> Result<(), What> {
        for table in TABLES {
            for entry in data.messages(table) {
                let number = entry.number("iid").unwrap_or(0);
                let name = if table == TABLES[3] { "str" } else { "name" };
                let name = entry.text(name).ok_or(What::Strange("a name that is no text"))?;
                let before = self.names.insert((table, number), name.to_owned());
                if number == 0 || before.is_some() {
                    return Err(What::NameTwice(number));
                }
            }
        }
        Ok(())
    }

    fn describe(&mut self, described: Fields<'_>) -> Result<(), What> {
        let number = described.number("uuid").unwrap_or(0);
        let parent = described.number("parent_uuid");
        if let Some(parent) = parent {
            let track = self.found.tracks.get(&parent).ok_or(What::NoTrack(parent))?;
            if track.is_counter {
                return Err(What::WrongTrack(parent));
            }
        }
        let track = Track {
            name: described.text("name").ok_or(What::Strange("a track without a name"))?.to_owned(),
            parent,
            is_counter: described.message("counter").is_some(),
            ..Track::default()
        };
        if number == 0 || self.found.tracks.insert(number, track).is_some() {
            return Err(What::TrackTwice(number));
        }
        Ok(())
    }

    fn event(&mut self, event: Fields<'_>, needs: bool) -> Result<(), What> {
        let number = event.number("track_uuid").ok_or(What::Strange("an event without a track"))?;
        let track = self.found.tracks.get_mut(&number).ok_or(What::NoTrack(number))?;
        let kind = event.0.get_field_by_name("type").and_then(|kind| kind.as_enum_number());
        // `TrackEvent.Type`: 1 is SLICE_BEGIN, 2 SLICE_END, 4 COUNTER.
        if track.is_counter != (kind == Some(4)) {
            return Err(What::WrongTrack(number));
        }
        let open = self.open.entry(number).or_default();
        match kind {
            Some(1) => {
                *open += 1;
                track.slices += 1;
                track.deepest = track.deepest.max(*open);
                if !needs {
                    return Err(What::Strange("a slice that does not ask for its names"));
                }
                self.named(event)?;
                self.arrows(event)
            }
            Some(2) => {
                *open = open.checked_sub(1).ok_or(What::NothingOpen(number))?;
                Ok(())
            }
            Some(4) => {
                track.values += 1;
                let real = event.0.has_field_by_name("double_counter_value");
                let known = real || event.number("counter_value").is_some();
                known.then_some(()).ok_or(What::Strange("a value that is no number"))?;
                Ok(())
            }
            _ => Err(What::Strange("an event that is neither slice nor value")),
        }
    }

    fn named(&self, event: Fields<'_>) -> Result<(), What> {
        let known = |table: &'static str, number: u64| {
            let known = self.names.contains_key(&(table, number));
            known.then_some(()).ok_or(What::NoName(table, number))
        };
        for number in event.numbers("category_iids") {
            known(TABLES[0], number)?;
        }
        let name = event.number("name_iid").ok_or(What::Strange("a slice without a name"))?;
        known(TABLES[1], name)?;
        for note in event.messages("debug_annotations") {
            let name = note.number("name_iid").ok_or(What::Strange("a note without a name"))?;
            known(TABLES[2], name)?;
            if let Some(text) = note.number("string_value_iid") {
                known(TABLES[3], text)?;
            }
        }
        Ok(())
    }

    fn arrows(&mut self, event: Fields<'_>) -> Result<(), What> {
        for arrow in event.numbers("flow_ids") {
            if !self.begun.insert(arrow) {
                return Err(What::Arrow(arrow));
            }
        }
        for arrow in event.numbers("terminating_flow_ids") {
            if !self.begun.remove(&arrow) {
                return Err(What::Arrow(arrow));
            }
            self.found.arrows += 1;
        }
        Ok(())
    }

    fn finish(self) -> Result<Found, What> {
        let open = self.open.iter().find(|(_, open)| **open > 0);
        if let Some((&track, _)) = open {
            return Err(What::NeverEnds(track));
        }
        match self.begun.first() {
            Some(&arrow) => Err(What::ArrowNeverEnds(arrow)),
            None => Ok(self.found),
        }
    }
}
