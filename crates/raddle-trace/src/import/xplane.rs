//! What does a profile of JAX, XLA or TensorFlow hold (`.xplane.pb`)?
//!
//! A plane is a device or a host, a line of a device is a stream or something derived from streams.
//! An event of a stream is a kernel, a copy or a fill; a kernel says its shape and footprint in one
//! text. An op arrives when the call with the same correlation number began, which stands on a plane
//! of a host. Names of planes, lines and stats are in the file, so that no version is asked for.

mod message;
mod wire;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use prost::Message;

use super::ImportSource;
use super::blocking::Blocking;
use super::kineto::collect::{KinetoCollector, TraceMaker};
use super::kineto::event::Api;
use super::kineto::plain::{PlainWork, gpu_of_plane};
use crate::assemble::{Draft, OP_LIMIT};
use crate::error::TraceError;
use crate::input::is_damage;
use crate::options::ImportOptions;
use crate::profile::{OpKind, SourceDevice};
use crate::report::Quirk;
use message::{XEntry, XEvent, XEventHead, XLine, XStat};
use wire::WireFields;

/// The most bytes of a profile, uncompressed: no protocol buffer is larger.
const BYTE_LIMIT: u64 = 1 << 31;

/// Planes that a message names.
const SHOWN: usize = 4;

/// Imports such a file.
pub(super) fn import(
    source: ImportSource<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let ImportSource { file, reader, gzip, .. } = source;
    let mut bytes = Vec::new();
    let read = reader.take(BYTE_LIMIT + 1).read_to_end(&mut bytes);
    let damaged = match read {
        Err(cause) if gzip && is_damage(&cause) => true,
        Err(cause) => return Err(TraceError::Unreadable { file, cause }),
        Ok(_) => false,
    };
    if bytes.len() as u64 > BYTE_LIMIT {
        return Err(TraceError::TooLarge { file, limit: BYTE_LIMIT, what: "bytes" });
    }
    let mut reader = XPlaneReader::new();
    let mut planes = WireFields::of(&bytes);
    for (_, plane) in planes.by_ref().filter(|&(field, _)| field == 1) {
        reader.plane(plane);
    }
    let XPlaneReader { mut found, others } = reader;
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
        (0, true) => TraceError::BreaksOff { file, byte: bytes.len() as u64 },
        (0, false) => no_kernels(file, &others),
        _ => {
            let reasons = found.report.reasons(&[Quirk::Malformed]);
            TraceError::NothingUsable { file, kernels, reasons }
        }
    })
}

/// The refusal of a profile without work of a GPU, which has these planes.
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

/// Everything of interest in the planes so far.
struct XPlaneReader {
    found: KinetoCollector,
    /// The names of planes that are no GPUs.
    others: BTreeSet<String>,
}

/// What the numbers of a plane mean.
struct XNames<'a> {
    events: BTreeMap<i64, &'a [u8]>,
    stats: BTreeMap<i64, &'a [u8]>,
}

impl<'a> XNames<'a> {
    fn of(plane: &'a [u8]) -> Self {
        Self { events: names(plane, 4), stats: names(plane, 5) }
    }

    /// What a stat is called.
    fn stat(&self, stat: &XStat) -> &'a [u8] {
        self.stats.get(&stat.metadata_id).copied().unwrap_or_default()
    }

    /// The text that a stat says.
    fn text<'s>(&'s self, stat: &'s XStat) -> Option<std::borrow::Cow<'s, str>> {
        let reference = || self.stats.get(&i64::try_from(stat.reference?).ok()?).copied();
        stat.text.as_deref().or_else(reference).map(String::from_utf8_lossy)
    }
}

/// The names in a map of a plane, by number; a name is the second field of a value.
fn names(plane: &[u8], map: u32) -> BTreeMap<i64, &[u8]> {
    let entry = |entry| {
        let key = XEntry::decode(entry).ok()?.key;
        let value = WireFields::numbered(entry, 2).next()?;
        Some((key, WireFields::numbered(value, 2).next().unwrap_or_default()))
    };
    WireFields::numbered(plane, map).filter_map(entry).collect()
}

impl XPlaneReader {
    fn new() -> Self {
        Self { found: KinetoCollector::of(TraceMaker::Xla), others: BTreeSet::new() }
    }

    fn plane(&mut self, plane: &[u8]) {
        let name = WireFields::numbered(plane, 2).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name);
        if let Some(gpu) = gpu_of_plane(&name) {
            let names = XNames::of(plane);
            self.found.devices.push((Some(gpu), device(plane, &names)));
            self.lines(plane, |reader, line, event| reader.work(gpu, &names, line, event));
            return;
        }
        if self.others.len() < SHOWN {
            self.others.insert(name.chars().take(40).collect());
        }
        if name.starts_with("/host:") {
            let names = XNames::of(plane);
            let call = |(&id, name): (&i64, &&[u8])| {
                let name = std::str::from_utf8(name).ok()?;
                let call = (Api::of(name), Blocking::of(name));
                (call != (None, None)).then_some((id, call))
            };
            let calls: BTreeMap<_, _> = names.events.iter().filter_map(call).collect();
            if !calls.is_empty() {
                self.lines(plane, |reader, line, event| reader.call(&calls, &names, line, event));
            }
        }
    }

    /// Hands every event of a plane with its line to `take`, which answers `None` where it cannot be
    /// read.
    fn lines(&mut self, plane: &[u8], take: impl Fn(&mut Self, &XLine, &[u8]) -> Option<()>) {
        for line in WireFields::numbered(plane, 3) {
            let Ok(head) = XLine::decode(line) else {
                self.found.report.note(Quirk::Malformed);
                continue;
            };
            for event in WireFields::numbered(line, 4) {
                if !self.found.has_room() {
                    return;
                }
                self.found.report.events += 1;
                if take(self, &head, event).is_none() {
                    self.found.report.note(Quirk::Malformed);
                }
            }
        }
    }

    /// Takes an event of a GPU.
    fn work(&mut self, gpu: u64, names: &XNames<'_>, line: &XLine, event: &[u8]) -> Option<()> {
        // Other lines are derived from these.
        let Some(stream) = stream(&line.name) else { return Some(()) };
        let event = XEvent::decode(event).ok()?;
        let name = names.events.get(&event.metadata_id).copied().unwrap_or_default();
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

    /// Takes an event of a host, if it is one of these calls.
    fn call(
        &mut self,
        calls: &BTreeMap<i64, (Option<Api>, Option<Blocking>)>,
        names: &XNames<'_>,
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

/// When an event began, in nanoseconds.
fn start(line: &XLine, offset_ps: i64) -> i64 {
    line.timestamp_ns.saturating_add(offset_ps.div_euclid(1000))
}

/// The number of the stream whose line is called so: `Stream #17(Kernel)`.
fn stream(line: &[u8]) -> Option<&str> {
    let rest = std::str::from_utf8(line).ok()?.strip_prefix("Stream #")?;
    Some(rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(rest))
}

/// What an event without details is.
fn kind_by_name(name: &str) -> OpKind {
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match () {
        () if begins(&["Memcpy"]) => OpKind::Copy,
        () if begins(&["Memset"]) => OpKind::Set,
        () => OpKind::Kernel,
    }
}

/// What a plane says of its GPU. It has no name: it is called by what is known.
fn device(plane: &[u8], names: &XNames<'_>) -> SourceDevice {
    let mut figures: BTreeMap<&[u8], u32> = BTreeMap::new();
    let mut vendor = String::new();
    for stat in WireFields::numbered(plane, 6).filter_map(|stat| XStat::decode(stat).ok()) {
        match names.stat(&stat) {
            b"device_vendor" => vendor = names.text(&stat).unwrap_or_default().into_owned(),
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
