//! How is a timeline written for ui.perfetto.dev?
//!
//! A trace is a message of packets. The first packet interns every name, then each track is
//! described, then the events follow in the order of time. Field numbers are those of Perfetto's
//! public protocol definitions: `trace_packet.proto`, `track_event.proto`, `track_descriptor.proto`,
//! `counter_descriptor.proto`, `debug_annotation.proto`, `interned_data.proto`.

use std::io::{self, Write};

use raddle_policy::Preemption;
use raddle_study::timeline::{DrawnLaunch, Ending, LaunchPhase, Measure, Timeline};

use super::events::{TimelineEventKind, TrackEvent, in_order};
use super::layout::{NONE, TrackKind, Tracks, ViewerTrack, label};
use super::proto::Proto;

const TRACE_PACKET: u64 = 1;
mod packet {
    pub(super) const TIMESTAMP: u64 = 8;
    pub(super) const SEQUENCE: u64 = 10;
    pub(super) const TRACK_EVENT: u64 = 11;
    pub(super) const INTERNED: u64 = 12;
    pub(super) const FLAGS: u64 = 13;
    pub(super) const TRACK: u64 = 60;
}
mod interned {
    pub(super) const CATEGORIES: u64 = 1;
    pub(super) const EVENTS: u64 = 2;
    pub(super) const ANNOTATIONS: u64 = 3;
    pub(super) const TEXTS: u64 = 29;
}
mod descriptor {
    pub(super) const UUID: u64 = 1;
    pub(super) const NAME: u64 = 2;
    pub(super) const PARENT: u64 = 5;
    pub(super) const COUNTER: u64 = 8;
    pub(super) const ORDERING: u64 = 11;
    pub(super) const RANK: u64 = 12;
    /// Value of the Perfetto field for the order of child tracks by which a viewer sorts the
    /// children of a track (row of the timeline) by rank.
    pub(super) const EXPLICIT: u64 = 3;
    pub(super) const COUNTER_UNIT: u64 = 3;
    pub(super) const UNIT_NAME: u64 = 6;
    pub(super) const UNIT_COUNT: u64 = 2;
}
mod event {
    pub(super) const CATEGORY: u64 = 3;
    pub(super) const ANNOTATION: u64 = 4;
    pub(super) const TYPE: u64 = 9;
    pub(super) const NAME: u64 = 10;
    pub(super) const TRACK: u64 = 11;
    pub(super) const VALUE: u64 = 30;
    pub(super) const REAL_VALUE: u64 = 44;
    pub(super) const FLOW: u64 = 47;
    pub(super) const FLOW_END: u64 = 48;
    pub(super) const BEGIN: u64 = 1;
    pub(super) const END: u64 = 2;
    pub(super) const COUNTER: u64 = 4;
}
mod annotation {
    pub(super) const NAME: u64 = 1;
    pub(super) const NUMBER: u64 = 3;
    pub(super) const TEXT: u64 = 17;
}

/// Number of the packet sequence to which all packets of the trace belong.
const SEQUENCE: u64 = 1;
/// Flag of a Perfetto packet that makes all names in earlier packets void; `NEEDED` is the flag of
/// a packet that uses names written since then.
const CLEARED: u64 = 1;
const NEEDED: u64 = 2;
/// Number of written events after which the function `watch` is called again to report progress.
const STRIDE: usize = 1 << 14;
/// Number of bytes that are collected before they are written to the file.
const CHUNK: usize = 1 << 16;

/// Number by which events refer to the name of an annotation (a fact about a launch), counted from
/// 1 in the order of `NOTES`.
#[derive(Clone, Copy)]
enum Note {
    Workgroups = 1,
    Launch,
    Level,
    Iteration,
    Issued,
    Ending,
    Refused,
}

const NOTES: [&str; 7] =
    ["workgroups", "launch", "level", "iteration", "issued_ns", "ending", "refused"];
const ENDINGS: [Ending; 4] = [Ending::Ended, Ending::Saved, Ending::Killed, Ending::Unfinished];
/// Phases of launches that name bars of a timeline. Events refer to names by number: the kernels'
/// names come first, then the name `unnamed`, then those of these phases.
const PHASES: [LaunchPhase; 7] = [
    LaunchPhase::Host,
    LaunchPhase::Dependency,
    LaunchPhase::Turn,
    LaunchPhase::Room,
    LaunchPhase::Off(Preemption::Drain),
    LaunchPhase::Off(Preemption::Switch),
    LaunchPhase::Off(Preemption::Reset),
];
const UNNAMED: &str = "unnamed";
/// Number of the name `several` (of a turn that several processes have), counted from the last
/// kernel's name. The names of the processes follow it, then those of the requests.
const SEVERAL: usize = 2 + PHASES.len();

/// Writes a timeline as a Perfetto trace (protocol buffers).
///
/// Tracks are nested. Under each process are its requests, waits and streams; under the device are
/// turns and compute units, with a track (row of the timeline) for each workgroup slot. Each
/// process has two counters; with several processes the device has one. Arrows lead from a request
/// to each of its launches, and from a launch on its stream to the place where it first started.
/// `watch` is called with (events written, all events) at the beginning, at intervals, and at the
/// end.
///
/// # Errors
/// The errors of `out`.
pub fn write_perfetto(
    timeline: &Timeline,
    out: impl Write,
    watch: &mut dyn FnMut(u64, u64),
) -> io::Result<()> {
    let tracks = Tracks::of(timeline);
    let mut writer = PerfettoWriter { timeline, tracks: &tracks, proto: Proto::default(), out };
    writer.intern()?;
    for (number, track) in (1u64..).zip(&tracks.list) {
        writer.describe(number, track)?;
    }
    let events = in_order(timeline, &tracks);
    let all = events.len();
    watch(0, all as u64);
    for (done, event) in (1..).zip(&events) {
        writer.event(event)?;
        if done % STRIDE == 0 || done == all {
            watch(done as u64, all as u64);
        }
    }
    writer.finish()
}

struct PerfettoWriter<'t, W> {
    timeline: &'t Timeline,
    tracks: &'t Tracks,
    proto: Proto,
    out: W,
}

impl<W: Write> PerfettoWriter<'_, W> {
    fn packet(&mut self, flags: u64, fill: impl FnOnce(&mut Proto)) -> io::Result<()> {
        self.proto.message(TRACE_PACKET, |packet| {
            fill(packet);
            packet.number(packet::SEQUENCE, SEQUENCE);
            if flags != 0 {
                packet.number(packet::FLAGS, flags);
            }
        });
        if self.proto.bytes().len() >= CHUNK {
            self.out.write_all(self.proto.bytes())?;
            self.proto.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        self.out.write_all(self.proto.bytes())?;
        self.out.flush()
    }

    /// Writes every name that an event uses, with the number by which events refer to the name.
    fn intern(&mut self) -> io::Result<()> {
        let timeline = self.timeline;
        let kernels = timeline.kernels.iter().map(|name| label(name));
        let others = [UNNAMED].into_iter().chain(PHASES.map(LaunchPhase::name));
        let others = others.chain(["several"]).map(str::to_owned);
        let processes = timeline.processes.iter().map(|process| label(&process.name));
        let requests = timeline.requests.iter().map(|of| format!("request {}", of.number));
        let events: Vec<String> =
            kernels.chain(others).chain(processes.clone()).chain(requests).collect();
        let lists = [
            (interned::CATEGORIES, processes.collect()),
            (interned::EVENTS, events),
            (interned::ANNOTATIONS, NOTES.map(str::to_owned).to_vec()),
            (interned::TEXTS, ENDINGS.map(|ending| ending.name().to_owned()).to_vec()),
        ];
        self.packet(CLEARED, |packet| {
            packet.message(packet::INTERNED, |data| {
                for (field, names) in &lists {
                    for (number, name) in (1u64..).zip(names) {
                        data.message(*field, |entry| {
                            entry.number(1, number);
                            entry.text(2, name);
                        });
                    }
                }
            });
        })
    }

    fn describe(&mut self, number: u64, track: &ViewerTrack) -> io::Result<()> {
        self.packet(0, |packet| {
            packet.message(packet::TRACK, |descriptor| {
                descriptor.number(descriptor::UUID, number);
                descriptor.text(descriptor::NAME, &track.name);
                if track.parent != 0 {
                    descriptor.number(descriptor::PARENT, u64::from(track.parent));
                }
                match track.kind {
                    TrackKind::Group => {
                        descriptor.number(descriptor::ORDERING, descriptor::EXPLICIT)
                    }
                    TrackKind::Slices => {}
                    TrackKind::Counter(Measure::Waves) => {
                        descriptor.message(descriptor::COUNTER, |counter| {
                            counter.text(descriptor::UNIT_NAME, "%");
                        });
                    }
                    TrackKind::Counter(_) => descriptor.message(descriptor::COUNTER, |counter| {
                        counter.number(descriptor::COUNTER_UNIT, descriptor::UNIT_COUNT);
                    }),
                }
                // A rank is an int32; no viewer shows more tracks than that.
                let rank = track.rank.min(i32::MAX as u32);
                descriptor.number(descriptor::RANK, u64::from(rank));
            });
        })
    }

    fn event(&mut self, event: &TrackEvent) -> io::Result<()> {
        let (timeline, tracks) = (self.timeline, self.tracks);
        let flags = match event.what {
            TimelineEventKind::End | TimelineEventKind::Sample(_) => 0,
            _ => NEEDED,
        };
        self.packet(flags, |packet| {
            packet.number(packet::TIMESTAMP, event.at);
            packet.message(packet::TRACK_EVENT, |message| {
                if let TimelineEventKind::Sample(at) = event.what {
                    let counter = event.track as usize;
                    let (_, value) = timeline.counters[counter].samples[at as usize];
                    let measure = timeline.counters[counter].measure;
                    message.number(event::TRACK, u64::from(tracks.counters[counter]));
                    message.number(event::TYPE, event::COUNTER);
                    if measure == Measure::Waves {
                        let share = value as f64 * 100.0 / timeline.wave_slots.max(1) as f64;
                        message.fixed64(event::REAL_VALUE, share.to_bits());
                    } else {
                        // The value is an int64 in the file.
                        message.number(event::VALUE, value.min(i64::MAX as u64));
                    }
                    return;
                }
                message.number(event::TRACK, u64::from(event.track));
                if event.what == TimelineEventKind::End {
                    message.number(event::TYPE, event::END);
                } else {
                    message.number(event::TYPE, event::BEGIN);
                    begin(message, timeline, tracks, event.what);
                }
            });
        })
    }
}

/// Writes the beginning of a bar of the kind `what`: its name, its process, its annotations and its
/// arrows.
fn begin(message: &mut Proto, timeline: &Timeline, tracks: &Tracks, what: TimelineEventKind) {
    let first = &tracks.first;
    match what {
        TimelineEventKind::Slice(at) => {
            let slice = &timeline.slices[at as usize];
            if let Some(launch) = timeline.launches.get(slice.launch as usize) {
                subject(message, timeline, launch);
            }
            if first.get(slice.launch as usize) == Some(&at) {
                message.fixed64(event::FLOW_END, flow(slice.launch));
            }
            note(message, Note::Launch, u64::from(slice.launch));
            note(message, Note::Workgroups, slice.workgroups);
            note_ending(message, slice.ending);
        }
        TimelineEventKind::Launch(at) | TimelineEventKind::Copy(at) => {
            let launch = &timeline.launches[at as usize];
            subject(message, timeline, launch);
            if matches!(what, TimelineEventKind::Launch(_)) {
                if first[at as usize] != NONE {
                    message.fixed64(event::FLOW, flow(at));
                }
                if tracks.serves[at as usize] {
                    message.fixed64(event::FLOW_END, flow(at) | OF_REQUEST);
                }
                notes_of(message, at, launch);
            }
        }
        TimelineEventKind::Part(phase) => message.number(event::NAME, named(timeline, phase)),
        TimelineEventKind::Wait(at) => {
            let phase = LaunchPhase::of(timeline.waits[at as usize].cause);
            message.number(event::NAME, named(timeline, phase));
        }
        TimelineEventKind::Request(at) => {
            let request = &timeline.requests[at as usize];
            let name =
                timeline.kernels.len() + SEVERAL + 1 + timeline.processes.len() + at as usize;
            message.number(event::NAME, name as u64);
            for &launch in &tracks.served[at as usize] {
                message.fixed64(event::FLOW, flow(launch) | OF_REQUEST);
            }
            note(message, Note::Iteration, u64::from(request.number));
        }
        TimelineEventKind::Turn(at) => {
            let process = timeline.turns[at as usize].process.map(usize::from);
            let process = process.filter(|process| *process < timeline.processes.len());
            let name = process.map_or(SEVERAL, |process| SEVERAL + 1 + process);
            message.number(event::NAME, (timeline.kernels.len() + name) as u64);
        }
        TimelineEventKind::Sample(_) | TimelineEventKind::End => {}
    }
}

/// Returns the number by which events refer to the name of a phase of a launch.
fn named(timeline: &Timeline, phase: LaunchPhase) -> u64 {
    let at = PHASES.iter().position(|of| of.name() == phase.name()).unwrap_or(0);
    (timeline.kernels.len() + 2 + at) as u64
}

fn subject(message: &mut Proto, timeline: &Timeline, launch: &DrawnLaunch) {
    let kernels = timeline.kernels.len() as u64;
    let name = u64::from(launch.kernel) + 1;
    message.number(event::NAME, name.min(kernels + 1));
    if usize::from(launch.process) < timeline.processes.len() {
        message.number(event::CATEGORY, u64::from(launch.process) + 1);
    }
}

fn notes_of(message: &mut Proto, at: u32, launch: &DrawnLaunch) {
    note(message, Note::Launch, u64::from(at));
    if !launch.is_copy {
        note(message, Note::Workgroups, launch.workgroups);
    }
    note(message, Note::Level, u64::from(launch.level));
    note(message, Note::Iteration, u64::from(launch.iteration));
    note(message, Note::Issued, launch.arrival_ns);
    if launch.refused {
        note(message, Note::Refused, 1);
    }
    if launch.ended_ns.is_none() && !launch.refused {
        note_ending(message, Ending::Unfinished);
    }
}

fn note(message: &mut Proto, name: Note, value: u64) {
    message.message(event::ANNOTATION, |note| {
        note.number(annotation::NAME, name as u64);
        note.number(annotation::NUMBER, value);
    });
}

/// Adds to the message how the slice (stretch of work on a compute unit) ended, unless all of its
/// workgroups ended.
fn note_ending(message: &mut Proto, ending: Ending) {
    if ending != Ending::Ended {
        message.message(event::ANNOTATION, |note| {
            note.number(annotation::NAME, Note::Ending as u64);
            note.number(annotation::TEXT, ending as u64 + 1);
        });
    }
}

/// Bit in the number of an arrow that is set for arrows from a request to a launch, and clear for
/// arrows from a launch to its first slice (bar) on a compute unit.
const OF_REQUEST: u64 = 1 << 63;

/// Returns the number of the arrow from a launch to its first slice (bar) on a compute unit.
fn flow(launch: u32) -> u64 {
    u64::from(launch) + 1
}
