//! How is a decision log written, and in how much detail?

use std::io::{self, Write};

use raddle_policy::{
    Activity, Event, KernelCall, Launch, LaunchId, Needs, Piece, Place, Tick, WaveSpan,
};
use raddle_preempt::Abilities;
use serde::{Deserialize, Serialize};

use super::short::Memory;
use crate::answer::LoggedAnswer;
use crate::line::LoggedEvent;

/// The detail with which a log lists starts of workgroups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detail {
    /// The log has one line for each answer by which the policy starts one or more workgroups.
    #[default]
    Answers,
    /// The log has one line for each workgroup that starts, with the addresses of its waves if the
    /// policy gives any.
    Full,
}

/// Returns a launch as a log has it: its optional fields that `reads` names are kept, and the other
/// optional fields are set to unknown.
fn read_of(reads: Needs, mut launch: Launch) -> Launch {
    if !reads.has(Needs::ACTIVITY) {
        launch.activity = Activity::UNKNOWN;
    }
    if !reads.has(Needs::CALL) {
        launch.call = KernelCall::UNKNOWN;
    }
    launch.estimate = launch.estimate.filter(|_| reads.has(Needs::ESTIMATE));
    launch
}

/// A function that returns the text of a header, without an end of line, for a device with these
/// preemption methods.
type HeaderFn = Box<dyn FnOnce(Abilities) -> serde_json::Result<Vec<u8>> + Send>;

/// A writer of a decision log. A writer that is off accepts all calls and writes nothing.
///
/// A write error is stored until [`LogWriter::finish`] reports it, so that no decision depends on
/// it.
pub struct LogWriter {
    to: Option<Box<dyn Write + Send>>,
    /// The header of the decision log; `None` once it is written.
    header: Option<HeaderFn>,
    detail: Detail,
    reads: Needs,
    /// The parts of earlier lines that later lines of a short log leave out; `None` for any other
    /// log.
    memory: Option<Memory>,
    text: Vec<u8>,
    /// The numbers of lines written so far: (events, answers).
    lines: (u64, u64),
    error: Option<io::Error>,
}

impl std::fmt::Debug for LogWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogWriter").field("on", &self.to.is_some()).finish_non_exhaustive()
    }
}

impl Default for LogWriter {
    fn default() -> Self {
        Self::off()
    }
}

impl LogWriter {
    /// Returns a writer that is off: it writes nothing.
    #[must_use]
    pub fn off() -> Self {
        Self {
            to: None,
            header: None,
            detail: Detail::Answers,
            reads: Needs::NONE,
            memory: None,
            text: Vec::new(),
            lines: (0, 0),
            error: None,
        }
    }

    /// Returns whether the writer is off, so that it writes nothing.
    pub(crate) const fn is_off(&self) -> bool {
        self.to.is_none()
    }

    /// Returns a writer to `to` of a log that begins with the text of `header`, which is written
    /// before the first line or by [`open`](Self::open). Starts of workgroups are listed with the
    /// detail `detail`, and `reads` names the optional fields of launches that the decision log
    /// keeps. If `short` is true, lines leave out parts that follow from earlier ones.
    pub(super) fn new(
        to: Box<dyn Write + Send>,
        (detail, reads, short): (Detail, Needs, bool),
        header: impl FnOnce(Abilities) -> serde_json::Result<Vec<u8>> + Send + 'static,
    ) -> Self {
        let (memory, header) = (short.then(Memory::default), Some(Box::new(header) as HeaderFn));
        Self { to: Some(to), header, detail, reads, memory, ..Self::off() }
    }

    /// Writes the header, for a device with these preemption methods, unless it is written already.
    pub(crate) fn open(&mut self, abilities: Abilities) {
        let Some(header) = self.header.take() else { return };
        match header(abilities) {
            Ok(text) => {
                self.text = text;
                self.end_line();
            }
            Err(error) => self.error = Some(error.into()),
        }
    }

    /// Returns a writer of a log that begins with `header`, for a program whose log has events and
    /// answers of its own. Each line is one write to `to`, which should be buffered.
    #[must_use]
    #[doc(hidden)]
    pub fn with_header(to: Box<dyn Write + Send>, header: &impl Serialize) -> Self {
        let text = serde_json::to_vec(header);
        let mut log = Self::new(to, (Detail::Answers, Needs::NONE, false), |_| text);
        log.open(Abilities::ALL);
        log
    }

    /// Writes a line with an event; as JSON, `said` must be an object with a key `event`.
    #[doc(hidden)]
    pub fn heard(&mut self, t: Tick, step: u64, said: impl Serialize) {
        self.lines.0 += 1;
        self.line(t, step, &said);
    }

    /// Writes a line with an answer; as JSON, `said` must be an object with a key `answer`.
    #[doc(hidden)]
    pub fn said(&mut self, t: Tick, step: u64, said: impl Serialize) {
        self.lines.1 += 1;
        self.line(t, step, &said);
    }

    /// Flushes the output. An error is reported later by [`finish`](Self::finish).
    #[doc(hidden)]
    pub fn flush(&mut self) {
        if let (Some(to), None) = (&mut self.to, &self.error) {
            self.error = to.flush().err();
        }
    }

    /// Returns whether a write has failed, so that the decision log ends early.
    #[must_use]
    #[doc(hidden)]
    pub const fn is_lost(&self) -> bool {
        self.error.is_some()
    }

    /// Returns whether lines are written: false for a writer that is off, or after a write error.
    fn is_on(&self) -> bool {
        self.to.is_some() && self.error.is_none()
    }

    fn line(&mut self, t: Tick, step: u64, said: &impl Serialize) {
        if self.is_on() {
            self.begin(t, step);
            self.say(said);
            self.end_line();
        }
    }

    /// Begins a line of the decision log with its tick `t` and the number `step` of the decision to
    /// which it belongs.
    fn begin(&mut self, t: Tick, step: u64) {
        self.open(Abilities::ALL);
        self.text.clear();
        match &mut self.memory {
            Some(memory) => memory.begin(t, step, &mut self.text),
            None => {
                let begun = write!(self.text, "{{\"t\":{},\"step\":{step},", t.0);
                begun.expect("memory takes whatever is written");
            }
        }
    }

    /// Appends a value as JSON, without its opening brace, to a line that already has its time.
    fn say(&mut self, said: &impl Serialize) {
        let begun = self.text.len();
        self.error = serde_json::to_writer(&mut self.text, said).err().map(io::Error::from);
        if self.text.len() > begun {
            self.text.remove(begun);
        }
    }

    fn end_line(&mut self) {
        self.text.push(b'\n');
        if let (Some(to), None) = (&mut self.to, &self.error) {
            self.error = to.write_all(&self.text).err();
        }
    }

    /// Writes a line with an event that the dispatcher took.
    pub(crate) fn event(&mut self, now: Tick, step: u64, event: &Event<'_>) {
        if self.is_on()
            && let (&Event::WavesEnded { launch, waves, pieces }, Some(memory)) =
                (event, &mut self.memory)
            && memory.ended(launch, waves, pieces)
        {
            let LaunchId(id) = launch;
            self.lines.0 += 1;
            self.begin(now, step);
            let said = format_args!("\"event\":\"waves-ended\",\"launch\":{id}}}");
            self.text.write_fmt(said).expect("memory takes whatever is written");
            return self.end_line();
        }
        let reads = self.reads;
        let event = match *event {
            Event::LaunchIssued { launch } => {
                Event::LaunchIssued { launch: read_of(reads, launch) }
            }
            Event::LaunchReady { launch } => Event::LaunchReady { launch: read_of(reads, launch) },
            other => other,
        };
        self.heard(now, step, LoggedEvent::from(&event));
    }

    /// Writes a line with an answer of a policy or of the dispatcher.
    pub(crate) fn answer(&mut self, t: Tick, step: u64, said: LoggedAnswer<'_>) {
        let (LoggedAnswer::Wait { .. }, true) = (&said, self.is_on()) else {
            return self.said(t, step, said);
        };
        self.lines.1 += 1;
        self.begin(t, step);
        let begun = self.text.len();
        self.say(&said);
        if self.memory.as_mut().is_some_and(|memory| memory.waits(&self.text[begun..])) {
            self.text.truncate(begun);
            self.text.extend_from_slice(b"\"answer\":\"wait\"}");
        }
        self.end_line();
    }

    /// Writes a start of workgroups as one line or, with full detail, as one line for each
    /// workgroup.
    pub(crate) fn start(
        &mut self,
        now: Tick,
        step: u64,
        launch: &Launch,
        waves: WaveSpan,
        pieces: &[Piece],
        places: &[Place],
    ) {
        if !self.is_on() {
            return;
        }
        if self.detail == Detail::Answers {
            return self.start_line(now, step, launch.id, waves, (pieces, places));
        }
        let mut places = places.chunks(usize::from(launch.demand.waves).max(1));
        for piece in pieces {
            for workgroup in piece.workgroups() {
                let one = [Piece::one(workgroup, piece.cu)];
                let at = places.next().unwrap_or(&[]);
                self.start_line(now, step, launch.id, waves, (&one, at));
            }
        }
    }

    fn start_line(
        &mut self,
        now: Tick,
        step: u64,
        id: LaunchId,
        waves: WaveSpan,
        (pieces, places): (&[Piece], &[Place]),
    ) {
        self.lines.1 += 1;
        self.begin(now, step);
        let from = self.memory.as_mut().and_then(|memory| memory.started(id, waves, pieces));
        let full = self.detail == Detail::Full;
        self.say(&LoggedAnswer::start(id, waves, pieces, places, (full, from)));
        self.end_line();
    }

    /// Writes the last line, which marks the decision log as complete, and all buffered bytes. No
    /// line may follow.
    ///
    /// # Errors
    /// The first error of any write since the log began.
    pub fn finish(&mut self) -> io::Result<()> {
        self.open(Abilities::ALL);
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some(mut to) = self.to.take() else { return Ok(()) };
        writeln!(to, "{}", last_line(self.lines))?;
        to.flush()
    }
}

/// Returns the text of the last line of a log, which has the numbers of its events and answers.
fn last_line((events, answers): (u64, u64)) -> String {
    format!("{{\"raddle-log-end\":1,\"events\":{events},\"answers\":{answers}}}")
}

/// Returns the complete lines of a log that is still being written, with a last line added. The
/// result can be replayed and checked. Lines of a short log, which leave parts out, are not
/// allowed.
#[must_use]
pub fn ended(lines: &str) -> String {
    let with = |key: &str| lines.lines().skip(1).filter(|line| line.contains(key)).count() as u64;
    let counts = (with("\"event\":"), with("\"answer\":"));
    format!("{lines}{}\n", last_line(counts))
}

#[cfg(test)]
mod tests {
    use raddle_policy::{Demand, ProcessId};
    use raddle_testkit::Sink;

    use super::*;

    /// Writes a launch as a line of a log, and reads it back. Returns (the line, the launch that
    /// was read).
    fn written(reads: Needs, launch: Launch) -> (String, Launch) {
        let sink = Sink::default();
        let mut log =
            LogWriter::new(Box::new(sink.clone()), (Detail::Answers, reads, false), |_| {
                serde_json::to_vec("a header")
            });
        log.event(Tick(1), 2, &Event::LaunchReady { launch });
        let line = sink.text().lines().nth(1).unwrap().to_owned();
        let json: serde_json::Value = serde_json::from_str(&line).unwrap();
        (line, serde_json::from_value(json["launch"].clone()).unwrap())
    }

    #[test]
    fn what_a_policy_reads_is_written_where_it_is_known() {
        let plain = Launch::new(LaunchId(0), ProcessId(0), 3, Demand::default());
        let activity = Activity([1, 2, 3, 4, 5, 6]);
        let call = KernelCall { kernel: 7, behind_copy: true, ..KernelCall::UNKNOWN };
        let mut known = plain;
        (known.activity, known.call) = (activity, call);
        let both = Needs::ACTIVITY.and(Needs::CALL);
        for reads in [both, Needs::ACTIVITY, Needs::CALL, Needs::NONE] {
            let (activity, call) = (reads.has(Needs::ACTIVITY), reads.has(Needs::CALL));
            let (line, launch) = written(reads, known);
            assert_eq!(launch, read_of(reads, known));
            assert_eq!(line.contains(r#""activity":[1,2,3,4,5,6]"#), activity, "{line}");
            assert_eq!(line.contains(r#""call":{"kernel":7,"#), call, "{line}");
            let (line, launch) = written(reads, plain);
            assert!(!line.contains("activity") && !line.contains("call"), "{line}");
            assert_eq!(launch, plain);
        }
    }
}
