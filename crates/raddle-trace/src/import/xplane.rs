//! What does a profile of JAX, XLA or TensorFlow hold (`.xplane.pb`)?
//!
//! A plane is a device or a host. A line of a device is a stream, or derived from streams. An event
//! of a stream is a kernel, a copy or a fill; one text gives the grid, workgroup and footprint of a
//! kernel. An op was issued when the call with its correlation number began, an event on a plane of
//! a host. The file holds the names of planes, lines and stats (facts), so its version is not read.

mod message;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Read, Seek};

use prost::Message;

use super::ImportSource;
use super::blocking::Blocking;
use super::kineto::collect::{KinetoCollector, TraceMaker};
use super::kineto::event::Api;
use super::kineto::plain::{PlainWork, gpu_of_plane};
use crate::assemble::{Draft, OP_LIMIT};
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::input::is_damage;
use crate::profile::{OpKind, SourceDevice};
use crate::report::Quirk;
use message::{XEvent, XEventHead, XStat};
use wire::{WireFields, WireFile, WireSpan, WireValue};

/// Largest number of bytes of an XPlane profile, uncompressed: no protocol buffer is larger.
const BYTE_LIMIT: u64 = 1 << 31;

/// Largest number of planes (devices and hosts) of a profile that an error message names.
const SHOWN: usize = 4;

/// Imports a profile of JAX, XLA or TensorFlow; an error where it has no kernel that can be used.
pub(super) fn import(
    source: ImportSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, gzip, .. } = source;
    let (bytes, len, damaged) = spool(&file, reader, gzip)?;
    let mut reader = XPlaneReader::new(WireFile::new(bytes, len));
    let mut planes = reader.file.fields();
    while let Some(plane) = planes.numbered(&mut reader.file, 1) {
        reader.plane(plane);
    }
    let XPlaneReader { file: planes_file, mut found, others } = reader;
    if let Some(cause) = planes_file.failure {
        return Err(TraceError::Scratch { file, cause });
    }
    if !found.has_room() {
        let limit = OP_LIMIT as u64;
        return Err(TraceError::TooLarge { file, limit, what: "launches" });
    }
    let broken = planes.broken || damaged;
    found.report.add(Quirk::Truncated, u64::from(broken));
    let kernels = found.kernels_seen;
    if let Some(draft) = found.draft(&file, options)? {
        return Ok(draft);
    }
    Err(match (kernels, broken) {
        (0, true) => TraceError::BreaksOff { file, byte: len },
        (0, false) => no_kernels(file, &others),
        _ => {
            let reasons = found.report.reasons(&[Quirk::Malformed]);
            TraceError::NothingUsable { file, kernels, reasons }
        }
    })
}

/// Copies a profile to a temporary file, which can be read repeatedly; in a browser, which has no
/// temporary files, to memory. `gzip` is true where the bytes are decompressed on the way. Returns
/// (copy, its length in bytes, true if the compressed data was damaged).
///
/// # Errors
/// When the profile cannot be read, is beyond all bounds, or a temporary file cannot be written.
fn spool(
    file: &str,
    reader: Box<dyn BufRead + '_>,
    gzip: bool,
) -> Result<(impl Read + Seek + use<>, u64, bool), TraceError> {
    let scratch = |cause| TraceError::Scratch { file: file.to_owned(), cause };
    #[cfg(not(target_family = "wasm"))]
    let mut copy = tempfile::tempfile().map_err(scratch)?;
    #[cfg(target_family = "wasm")]
    let mut copy = io::Cursor::new(Vec::new());
    let mut reader = reader.take(BYTE_LIMIT + 1);
    let (mut len, mut damaged) = (0, false);
    loop {
        let chunk = match crate::input::peek(&mut reader) {
            Ok(chunk) => chunk,
            Err(cause) if gzip && is_damage(&cause) => {
                damaged = true;
                break;
            }
            Err(cause) => return Err(TraceError::Unreadable { file: file.to_owned(), cause }),
        };
        if chunk.is_empty() {
            break;
        }
        let read = chunk.len();
        io::Write::write_all(&mut copy, chunk).map_err(scratch)?;
        len += read as u64;
        reader.consume(read);
    }
    if len > BYTE_LIMIT {
        let file = file.to_owned();
        return Err(TraceError::TooLarge { file, limit: BYTE_LIMIT, what: "bytes" });
    }
    Ok((copy, len, damaged))
}

/// Builds the error that refuses a profile without work of a GPU; `planes` are the names of its
/// planes.
fn no_kernels(file: String, planes: &BTreeSet<String>) -> TraceError {
    if let Some(device) = planes.iter().find(|plane| plane.starts_with("/device:")) {
        return super::known::other_device(file, device);
    }
    let shown: Vec<_> = planes.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let what = format!(
        "a profile of JAX, XLA or TensorFlow with no plane of a GPU (only {})",
        shown.join(", ")
    );
    let advice = "record while a GPU computes, with `jax.profiler.start_trace(\"run\")` before it, `jax.profiler.stop_trace()` behind";
    TraceError::OtherFile { file, what, advice }
}

/// Reader of the planes (devices and hosts) of an XPlane file, with the records that it has found
/// so far.
struct XPlaneReader<R> {
    file: WireFile<R>,
    found: KinetoCollector,
    /// Names of the profile's planes (devices and hosts) that are no GPUs.
    others: BTreeSet<String>,
}

/// Names of the events and stats (facts) of a plane (a device or host), by the numbers that events
/// use.
struct XNames {
    events: BTreeMap<i64, Vec<u8>>,
    stats: BTreeMap<i64, Vec<u8>>,
}

impl XNames {
    /// Returns the name of a stat (a fact about an event or a plane); empty where it is unknown.
    fn stat(&self, stat: &XStat) -> &[u8] {
        self.stats.get(&stat.metadata_id).map_or(&[], Vec::as_slice)
    }

    /// Returns the text of a stat (a fact about an event or a plane); `None` where its value is no
    /// text.
    fn text<'s>(&'s self, stat: &'s XStat) -> Option<std::borrow::Cow<'s, str>> {
        let reference = || self.stats.get(&i64::try_from(stat.reference?).ok()?).map(Vec::as_slice);
        stat.text.as_deref().or_else(reference).map(String::from_utf8_lossy)
    }
}

/// A line (a stream or thread) of a plane of an XPlane: its name and start, without its events.
struct XLine {
    name: Vec<u8>,
    timestamp_ns: i64,
}

impl<R: Read + Seek> XPlaneReader<R> {
    fn new(file: WireFile<R>) -> Self {
        let found = KinetoCollector::of(TraceMaker::Xla);
        Self { file, found, others: BTreeSet::new() }
    }

    fn plane(&mut self, plane: WireSpan) {
        let name = WireFields::of(plane).numbered(&mut self.file, 2);
        let name = name.and_then(|name| self.file.read(name)).unwrap_or_default();
        let name = String::from_utf8_lossy(&name);
        if let Some(gpu) = gpu_of_plane(&name) {
            let all = |_: &[u8]| true;
            let names =
                XNames { events: self.names(plane, 4, all), stats: self.names(plane, 5, all) };
            let device = self.device(plane, &names);
            self.found.devices.push((Some(gpu), device));
            self.lines(plane, |reader, line, event| reader.work(gpu, &names, line, event));
            return;
        }
        if self.others.len() < SHOWN {
            self.others.insert(name.chars().take(40).collect());
        }
        if name.starts_with("/host:") {
            let call = |name: &[u8]| {
                let name = std::str::from_utf8(name).ok()?;
                let call = (Api::of(name), Blocking::of(name));
                (call != (None, None)).then_some(call)
            };
            let events = self.names(plane, 4, |name| call(name).is_some());
            let calls: BTreeMap<_, _> =
                events.iter().filter_map(|(&id, name)| Some((id, call(name)?))).collect();
            if !calls.is_empty() {
                let stats = self.names(plane, 5, |name| name == b"correlation_id");
                let names = XNames { events, stats };
                self.lines(plane, |reader, line, event| reader.call(&calls, &names, line, event));
            }
        }
    }

    /// Reads a map from numbers to names out of a plane (a device or a host); `map` is the field
    /// number of the map. Only names for which `wanted` returns true are kept. A name is the second
    /// field of a value of the map.
    fn names(
        &mut self,
        plane: WireSpan,
        map: u64,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> BTreeMap<i64, Vec<u8>> {
        let (mut entries, mut names) = (WireFields::of(plane), BTreeMap::new());
        while let Some(entry) = entries.numbered(&mut self.file, map) {
            let (mut fields, mut key, mut value) = (WireFields::of(entry), 0, None);
            while let Some((field, found)) = fields.next(&mut self.file) {
                match (field, found) {
                    (1, WireValue::Number(number)) => key = number.cast_signed(),
                    (2, WireValue::Bytes(span)) => value = value.or(Some(span)),
                    _ => {}
                }
            }
            let Some(value) = value else { continue };
            let name = WireFields::of(value).numbered(&mut self.file, 2);
            let name = name.and_then(|name| self.file.read(name)).unwrap_or_default();
            if wanted(&name) {
                names.insert(key, name);
            }
        }
        names
    }

    /// Calls `take` with every event of a plane (a device or a host) and the event's line (a stream
    /// or thread). `take` returns `None` if it cannot read the event.
    fn lines(&mut self, plane: WireSpan, take: impl Fn(&mut Self, &XLine, &[u8]) -> Option<()>) {
        let mut lines = WireFields::of(plane);
        while let Some(line) = lines.numbered(&mut self.file, 3) {
            let head = self.line(line);
            let mut events = WireFields::of(line);
            while let Some(event) = events.numbered(&mut self.file, 4) {
                if !self.found.has_room() {
                    return;
                }
                self.found.report.events += 1;
                let event = self.file.read(event);
                if event.and_then(|event| take(self, &head, &event)).is_none() {
                    self.found.report.note(Quirk::Malformed);
                }
            }
        }
    }

    /// Reads the name and the start of a line (a stream or a thread); both may come before or after
    /// the line's events.
    fn line(&mut self, line: WireSpan) -> XLine {
        let (mut fields, mut head) =
            (WireFields::of(line), XLine { name: Vec::new(), timestamp_ns: 0 });
        while let Some((field, value)) = fields.next(&mut self.file) {
            match (field, value) {
                (2, WireValue::Bytes(name)) => head.name = self.file.read(name).unwrap_or_default(),
                (3, WireValue::Number(time)) => head.timestamp_ns = time.cast_signed(),
                _ => {}
            }
        }
        head
    }

    /// Reads the properties of the GPU that a plane stands for. The plane has no name of the GPU,
    /// so one is composed of its properties.
    fn device(&mut self, plane: WireSpan, names: &XNames) -> SourceDevice {
        let (mut fields, mut stats) = (WireFields::of(plane), Vec::new());
        while let Some(stat) = fields.numbered(&mut self.file, 6) {
            let stat = self.file.read(stat);
            stats.extend(stat.and_then(|stat| XStat::decode(stat.as_slice()).ok()));
        }
        device(&stats, names)
    }

    /// Reads an event on the plane of the GPU `gpu`; `None` where the event cannot be read.
    fn work(&mut self, gpu: u64, names: &XNames, line: &XLine, event: &[u8]) -> Option<()> {
        // Lines other than those of streams are derived from them.
        let Some(stream) = stream(&line.name) else { return Some(()) };
        let event = XEvent::decode(event).ok()?;
        let name = names.events.get(&event.metadata_id).map_or(&[][..], Vec::as_slice);
        let name = String::from_utf8_lossy(name);
        let (mut details, mut correlation, mut kind) = (None, None, None);
        for stat in &event.stats {
            match names.stat(stat) {
                b"kernel_details" => {
                    details = names.text(stat);
                    kind = Some(OpKind::Kernel);
                }
                b"memcpy_details" => kind = Some(OpKind::Copy),
                b"memset_details" => kind = Some(OpKind::Set),
                b"correlation_id" => correlation = stat.number().filter(|&n| n > 0),
                _ => {}
            }
        }
        let kind = kind.unwrap_or_else(|| kind_by_name(&name));
        self.found.kernels_seen += u64::from(kind == OpKind::Kernel);
        let duration = u64::try_from(event.duration_ps).ok()? / 1000;
        self.found.report.add(Quirk::NoName, u64::from(name.is_empty()));
        self.found.plain_work(PlainWork {
            kind,
            name: if name.is_empty() { "unnamed" } else { &name },
            span: (start(line, event.offset_ps), duration),
            device: Some(gpu),
            stream,
            correlation,
            details: details.as_deref(),
        });
        Some(())
    }

    /// Reads an event on the plane of a host, if its name is one of `calls`; `None` where the event
    /// cannot be read.
    fn call(
        &mut self,
        calls: &BTreeMap<i64, (Option<Api>, Option<Blocking>)>,
        names: &XNames,
        line: &XLine,
        event: &[u8],
    ) -> Option<()> {
        let head = XEventHead::decode(event).ok()?;
        let Some(&(api, blocking)) = calls.get(&head.metadata_id) else {
            return Some(());
        };
        let event = XEvent::decode(event).ok()?;
        let tie = event.stats.iter().find(|stat| names.stat(stat) == b"correlation_id");
        let tie = tie.and_then(XStat::number).filter(|&n| n > 0);
        let begin = start(line, event.offset_ps);
        if let Some(blocking) = blocking {
            let end = begin.saturating_add(event.duration_ps.max(0) / 1000);
            self.found.waits.add(blocking, (begin, end), tie);
        }
        if let Some((api, tie)) = api.zip(tie) {
            self.found.launch(tie, begin, api);
        }
        Some(())
    }
}

/// Returns the time at which an event began, in nanoseconds; `offset_ps` is the time from the start
/// of its line (a stream or thread) to the event, in picoseconds.
fn start(line: &XLine, offset_ps: i64) -> i64 {
    line.timestamp_ns.saturating_add(offset_ps.div_euclid(1000))
}

/// Returns the number of a stream from the name of its line, 17 in `Stream #17(Kernel)`; `None`
/// where the name is not that of a stream.
fn stream(line: &[u8]) -> Option<&str> {
    let rest = std::str::from_utf8(line).ok()?.strip_prefix("Stream #")?;
    Some(rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(rest))
}

/// Returns the kind of op (kernel, copy or fill) of an event without details, by the event's name.
fn kind_by_name(name: &str) -> OpKind {
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match () {
        () if begins(&["Memcpy"]) => OpKind::Copy,
        () if begins(&["Memset"]) => OpKind::Set,
        () => OpKind::Kernel,
    }
}

fn device(stats: &[XStat], names: &XNames) -> SourceDevice {
    let mut figures: BTreeMap<&[u8], u32> = BTreeMap::new();
    let mut vendor = String::new();
    for stat in stats {
        match names.stat(stat) {
            b"device_vendor" => vendor = names.text(stat).unwrap_or_default().into_owned(),
            name => {
                let figure = stat.number().and_then(|n| u32::try_from(n).ok());
                figures.extend(figure.map(|figure| (name, figure)));
            }
        }
    }
    let figure = |name: &[u8]| figures.get(name).copied();
    let (sms, major) = (figure(b"core_count").filter(|&n| n > 0), figure(b"compute_cap_major"));
    let minor = figure(b"compute_cap_minor");
    let amd = vendor.eq_ignore_ascii_case("amd");
    let arch = match (amd, major, minor) {
        (true, Some(9), Some(4)) => "gfx942",
        (true, Some(9), Some(5)) => "gfx950",
        _ => "",
    };
    let units = sms.map_or_else(String::new, |sms| format!(" with {sms} units"));
    let kind = match (arch, major, minor) {
        ("", Some(major), Some(minor)) => format!(" of capability {major}.{minor}"),
        _ => format!(" {arch}"),
    };
    SourceDevice {
        name: format!("{vendor} GPU{kind}{units}").trim().to_owned(),
        sms,
        compute_major: major,
        compute_minor: minor,
        arch: arch.to_owned(),
        wave_size: amd.then_some(64),
        ..SourceDevice::default()
    }
}
