//! How is a timeline written for chrome://tracing, as Trace Event JSON?
//!
//! Times are microseconds with three decimals, written from whole nanoseconds. The format knows
//! processes and threads only: the device is process 1, the processes of the workload follow, and
//! every track is a thread.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::label::label;
use super::layout::{Layout, NONE, by_ready};
use super::tracks::{Kind, Tracks};
use super::{Ending, Line, Meter, Timeline};

/// Bytes that are collected before they are written.
const CHUNK: usize = 1 << 16;
/// The device's process number; processes of the workload follow.
const DEVICE: u32 = 1;

/// Writes a timeline as Trace Event JSON, the format of chrome://tracing.
///
/// The same content as [`super::write_perfetto`] writes, several times as large.
///
/// # Errors
/// Those of `out`.
pub fn write_chrome(timeline: &Timeline, out: impl Write) -> io::Result<()> {
    write_chrome_watched(timeline, out, &mut |_, _| ())
}

/// As [`write_chrome`]; `watch` is told how many launches, stretches and slices are written, and of
/// how many: at the begin, now and then, and at the end.
///
/// # Errors
/// Those of `out`.
pub fn write_chrome_watched(
    timeline: &Timeline,
    out: impl Write,
    watch: &mut dyn FnMut(u64, u64),
) -> io::Result<()> {
    let layout = Layout::of(timeline);
    let tracks = Tracks::of(timeline, &layout);
    let quote = |name: &String| quoted(&label(name));
    let mut writer = Writer {
        timeline,
        layout: &layout,
        tracks: &tracks,
        kernels: timeline.kernels.iter().map(quote).collect(),
        text: "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[".to_owned(),
        first: true,
        out,
    };
    writer.names()?;
    writer.counters()?;
    let launches: Vec<u32> = by_ready(timeline).into_iter().collect();
    let all = launches.len() + timeline.stretches.len() + timeline.slices.len();
    let mut meter = Meter::new(watch, all);
    for at in launches {
        writer.launch(at)?;
        meter.step();
    }
    for stretch in &timeline.stretches {
        meter.step();
        let Some(tid) = tracks.line(stretch.line) else { continue };
        let pid = match stretch.line {
            Line::Copies => DEVICE,
            Line::Stream { process, .. } => pid_of(process),
        };
        let span = (stretch.start_ns, stretch.end_ns);
        writer.slice("\"busy\"", (pid, tid), span, |args| {
            args.number("launches", stretch.launches)
        })?;
    }
    for at in 0..timeline.slices.len() {
        writer.unit(at)?;
        meter.step();
    }
    writer.text.push_str("\n]}\n");
    writer.flush()
}

fn pid_of(process: u16) -> u32 {
    u32::from(process) + DEVICE + 1
}

/// A name as a JSON string.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

struct Writer<'t, W> {
    timeline: &'t Timeline,
    layout: &'t Layout,
    tracks: &'t Tracks,
    /// Names of kernels as JSON strings.
    kernels: Vec<String>,
    text: String,
    first: bool,
    out: W,
}

/// The `args` of an event under construction.
struct Args<'a> {
    text: &'a mut String,
    first: bool,
}

impl Args<'_> {
    fn key(&mut self, key: &str) {
        let _ = write!(self.text, "{}\"{key}\":", if self.first { "" } else { "," });
        self.first = false;
    }

    fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        let _ = write!(self.text, "{value}");
    }

    /// `value` is JSON already.
    fn json(&mut self, key: &str, value: &str) {
        self.key(key);
        self.text.push_str(value);
    }

    /// How a slice ended, unless it ended as it should.
    fn ending(&mut self, ending: Ending) {
        if ending != Ending::Ended {
            self.json("ending", &quoted(ending.name()));
        }
    }
}

impl<W: Write> Writer<'_, W> {
    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.text.as_bytes())?;
        self.text.clear();
        self.out.flush()
    }

    /// One event a line; `rest` follows the place.
    fn event(
        &mut self,
        phase: char,
        (pid, tid): (u32, u32),
        rest: impl FnOnce(&mut String),
    ) -> io::Result<()> {
        self.text.push_str(if self.first { "\n" } else { ",\n" });
        self.first = false;
        let _ = write!(self.text, "{{\"ph\":\"{phase}\",\"pid\":{pid},\"tid\":{tid}");
        rest(&mut self.text);
        self.text.push('}');
        if self.text.len() >= CHUNK {
            self.out.write_all(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(())
    }

    fn names(&mut self) -> io::Result<()> {
        let mut group = (0, 0);
        for (number, track) in (1u32..).zip(&self.tracks.list) {
            let name = quoted(&track.name);
            if track.kind == Kind::Group && track.parent == 0 {
                group = (group.0 + 1, number);
                self.meta("process_name", (group.0, 0), "name", &name)?;
                self.meta("process_sort_index", (group.0, 0), "sort_index", &group.0.to_string())?;
            } else if track.kind == Kind::Slices {
                let place = (group.0, number);
                self.meta("thread_name", place, "name", &name)?;
                self.meta("thread_sort_index", place, "sort_index", &number.to_string())?;
            }
        }
        Ok(())
    }

    fn meta(&mut self, what: &str, place: (u32, u32), key: &str, value: &str) -> io::Result<()> {
        self.event('M', place, |text| {
            let _ = write!(text, ",\"name\":\"{what}\",\"args\":{{\"{key}\":{value}}}");
        })
    }

    fn counters(&mut self) -> io::Result<()> {
        for (counter, &track) in self.timeline.counters.iter().zip(&self.tracks.counters) {
            if track == 0 {
                continue;
            }
            let pid = counter.process.map_or(DEVICE, pid_of);
            for &(at, value) in &counter.samples {
                self.event('C', (pid, 0), |text| {
                    let _ = write!(text, ",\"name\":\"{}\",\"ts\":", counter.measure.name());
                    push_us(text, at);
                    let _ = write!(text, ",\"args\":{{\"value\":{value}}}");
                })?;
            }
        }
        Ok(())
    }

    fn slice(
        &mut self,
        name: &str,
        place: (u32, u32),
        (start, end): (u64, u64),
        fill: impl FnOnce(&mut Args<'_>),
    ) -> io::Result<()> {
        self.event('X', place, |text| {
            let _ = write!(text, ",\"name\":{name},\"ts\":");
            push_us(text, start);
            text.push_str(",\"dur\":");
            push_us(text, end.saturating_sub(start));
            text.push_str(",\"args\":{");
            fill(&mut Args { text, first: true });
            text.push('}');
        })
    }

    /// One end of the arrow from a launch to the slice in which it first started.
    fn arrow(&mut self, end: char, place: (u32, u32), at: u64, launch: u32) -> io::Result<()> {
        self.event(end, place, |text| {
            let _ = write!(text, ",\"cat\":\"start\",\"name\":\"start\",\"id\":{launch},\"ts\":");
            push_us(text, at);
            if end == 'f' {
                text.push_str(",\"bp\":\"e\"");
            }
        })
    }

    fn name(&self, kernel: u32) -> String {
        self.kernels.get(kernel as usize).cloned().unwrap_or_else(|| "\"busy\"".to_owned())
    }

    fn launch(&mut self, at: u32) -> io::Result<()> {
        let timeline = self.timeline;
        let launch = &timeline.launches[at as usize];
        let (lane, copy) = (self.layout.lane[at as usize], self.layout.copy_lane[at as usize]);
        let Some(span) = timeline.span(launch).filter(|_| lane != NONE) else { return Ok(()) };
        let line = Line::Stream { process: launch.process, stream: launch.stream };
        let Some(first) = self.tracks.line(line) else { return Ok(()) };
        let (place, name) = ((pid_of(launch.process), first + lane), self.name(launch.kernel));
        self.slice(&name, place, span, |args| {
            args.number("launch", u64::from(at));
            if !launch.is_copy {
                args.number("workgroups", launch.workgroups);
            }
            args.number("level", u64::from(launch.level));
            args.number("iteration", u64::from(launch.iteration));
            args.number("issued_ns", launch.arrival_ns);
            if launch.refused {
                args.number("refused", 1);
            } else if launch.ended_ns.is_none() {
                args.ending(Ending::Unfinished);
            }
        })?;
        for (inner, part) in timeline.inside(at) {
            self.slice(&quoted(part.name()), place, inner, |_| ())?;
        }
        if self.layout.first[at as usize] != NONE {
            self.arrow('s', place, span.0, at)?;
        }
        if copy != NONE {
            self.slice(&name, (DEVICE, self.tracks.copies + copy), span, |_| ())?;
        }
        Ok(())
    }

    /// A slice of a compute unit.
    fn unit(&mut self, at: usize) -> io::Result<()> {
        let slice = &self.timeline.slices[at];
        let Some(tid) = self.tracks.slice(self.layout, slice) else { return Ok(()) };
        let place = (DEVICE, tid);
        let launch = self.timeline.launches.get(slice.launch as usize);
        let name = self.name(launch.map_or(u32::MAX, |launch| launch.kernel));
        let process = launch.and_then(|l| self.timeline.processes.get(usize::from(l.process)));
        self.slice(&name, place, (slice.start_ns, slice.end_ns), |args| {
            if let Some(process) = process {
                args.json("process", &quoted(&label(&process.name)));
            }
            args.number("launch", u64::from(slice.launch));
            args.number("workgroups", slice.workgroups);
            args.ending(slice.ending);
        })?;
        if self.layout.first.get(slice.launch as usize).is_some_and(|&first| first as usize == at) {
            self.arrow('f', place, slice.start_ns, slice.launch)?;
        }
        Ok(())
    }
}

/// Microseconds with three decimals, exactly.
fn push_us(text: &mut String, ns: u64) {
    let _ = write!(text, "{}.{:03}", ns / 1000, ns % 1000);
}
