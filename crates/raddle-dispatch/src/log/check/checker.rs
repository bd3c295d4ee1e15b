//! Which rules have the events and answers of a log broken so far?
//!
//! [`LogRule`] has the rules. Times are ticks.

use std::collections::BTreeMap;

use raddle_policy::{CuId, CuShape, Cus, Event, LaunchId, Piece, ProcessId, StreamId};
use raddle_preempt::ResetScope;
use raddle_read::without_content;

use super::fault::{CheckedLog, LogRule};
use super::seen::{InOrder, SeenLaunch, SeenProcess, UsedIds};
use crate::answer::runs::PieceRun;
use crate::answer::{LoggedAnswer, WrittenPieces};
use crate::line::{LogLine, LoggedEvent};
use crate::{ByLaunch, DispatchError};

/// A list of the pieces (equal workgroups on one compute unit) that a line of the log names.
pub(crate) trait Pieces {
    /// Returns the single pieces: each is equal workgroups on one compute unit.
    fn each(&self) -> impl Iterator<Item = Piece>;
}

impl Pieces for Vec<PieceRun> {
    fn each(&self) -> impl Iterator<Item = Piece> {
        self.iter().flat_map(|run| run.expand())
    }
}

impl Pieces for WrittenPieces<'_> {
    fn each(&self) -> impl Iterator<Item = Piece> {
        self.pieces.iter().copied()
    }
}

/// An answer as a check of a log reads it: with the fields that the rules need, and its pieces
/// (equal workgroups on one compute unit) in runs.
type ReadAnswer = LoggedAnswer<'static, Vec<PieceRun>>;

/// A checker that follows a decision log and counts the rules of [`LogRule`] that the log breaks.
/// [`super::check`] gives it the lines of a file, a live runtime each line as it is written, and a
/// dispatcher its events and answers.
#[doc(hidden)]
pub struct Checker {
    pub(super) window: Option<u32>,
    /// True if the dispatcher gets the events of launches before they are ready, and those of
    /// copies.
    pub(super) ahead: bool,
    pub(super) most_kills: Option<u32>,
    pub(super) scope: ResetScope,
    /// A device of one empty compute unit, on which the checker tests whether a launch can ever
    /// fit.
    pub(super) empty: Cus,
    pub(super) cuts: bool,
    pub(super) launches: ByLaunch<SeenLaunch>,
    /// Ids of launches that have ended or were refused.
    pub(super) gone: UsedIds,
    pub(super) processes: BTreeMap<ProcessId, SeenProcess>,
    pub(super) may_issue: Vec<ProcessId>,
    /// The launches that wait in the buffer of each stream, by the index of the buffer.
    pub(super) buffers: Vec<InOrder>,
    /// The index, in the checker's list of buffers, of the buffer of each stream.
    pub(super) streams: BTreeMap<(ProcessId, StreamId), usize>,
    /// The compute units on which no launch may start, each with the process whose reset closes it.
    pub(super) closed: BTreeMap<CuId, ProcessId>,
    /// The process of the last reset; `None` before the first. Launches that are killed in later
    /// lines are killed by that reset.
    pub(super) resets: Option<ProcessId>,
    /// The number of launches and copies issued so far.
    pub(super) orders: u64,
    /// The launch that started last, if only `wait` answers and ends of waves have come since, so
    /// that a further start of it needs no check; else `None`.
    going: Option<LaunchId>,
    pub(super) line: usize,
    pub(super) found: CheckedLog,
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").field("line", &self.line).finish_non_exhaustive()
    }
}

impl Checker {
    /// Returns the checker `live`, changed for a dispatcher whose compute units are like those of
    /// `empty`; `cuts` is true where its allocate policy may cut workgroups into waves.
    pub(crate) fn of_dispatcher(cuts: bool, empty: Cus, live: Self) -> Self {
        Self { ahead: live.window.is_some(), cuts, empty, ..live }
    }

    /// Changes the state of the check by an event that a dispatcher has taken. Ends of waves are
    /// left out, as the dispatcher's account of resources checks them.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        self.line += 1;
        if !matches!(event, Event::WavesEnded { .. }) {
            self.going = None;
            self.hear(&LoggedEvent::from(event));
        }
    }

    /// Checks an answer of the log that does not start workgroups, and changes the state of the
    /// launches by it.
    pub(crate) fn answer(&mut self, answer: &LoggedAnswer<'_>) {
        self.line += 1;
        if !matches!(answer, LoggedAnswer::Wait { .. } | LoggedAnswer::WakeAt { .. }) {
            self.going = None;
            self.answered(answer);
        }
    }

    /// Checks a start of workgroups of a launch; `fresh` is true where their first waves start. Of
    /// starts of one launch in a row only the first is checked.
    pub(crate) fn starts(&mut self, launch: LaunchId, fresh: bool) {
        self.line += 1;
        if self.going != Some(launch) {
            self.going = Some(launch);
            if fresh {
                self.distributes(launch);
            }
            self.begin(launch);
            self.is_open(launch, None);
        }
    }

    /// Records that the last wave of a launch has ended, or that the launch will never run.
    pub(crate) fn gone(&mut self, launch: LaunchId) {
        self.going = None;
        self.forget(launch);
    }

    /// Returns whether a launch has ended or was refused, so that its id is used up.
    pub(crate) fn is_gone(&self, launch: LaunchId) -> bool {
        self.gone.contains(launch)
    }

    /// Returns the first rule that is broken, with a text that says how; `None` where none is.
    pub(crate) fn broken(&self) -> Option<(LogRule, &str)> {
        let (rule, broken) = self.found.broken.first_key_value()?;
        Some((*rule, &broken.what))
    }

    /// Returns the checker of a live runtime: `window` is the most launches of one process that the
    /// runtime has at a time, `most_kills` the most times that it kills one launch (`None`: no
    /// limit for either), `scope` the set of launches that a reset kills. A compute unit counts as
    /// holding one workgroup of one wave.
    #[must_use]
    pub fn live(window: Option<u32>, most_kills: Option<u32>, scope: ResetScope) -> Self {
        let shape = CuShape {
            simds: 1,
            waves_per_simd: 1,
            vgpr_per_simd: 1,
            sgpr: 1,
            lds: 1,
            workgroups: 1,
            barriers: 1,
        };
        Self {
            window,
            ahead: true,
            most_kills,
            scope,
            empty: Cus::new(shape, 1),
            cuts: false,
            launches: ByLaunch::default(),
            gone: UsedIds::default(),
            processes: BTreeMap::new(),
            may_issue: Vec::new(),
            buffers: Vec::new(),
            streams: BTreeMap::new(),
            closed: BTreeMap::new(),
            resets: None,
            orders: 0,
            going: None,
            line: 1,
            found: CheckedLog::default(),
        }
    }

    /// Checks a line of a log, an event or an answer spelled in full, with its number from 1, and
    /// changes the state of the check by it.
    ///
    /// # Errors
    /// When the line cannot be read.
    pub fn take(&mut self, number: usize, text: &str) -> Result<(), DispatchError> {
        self.line = number;
        let bad = |error: serde_json::Error| {
            DispatchError::bad_log(self.line, without_content(&error.to_string()))
        };
        if text.contains("\"event\":") {
            let line: LogLine<LoggedEvent<Vec<PieceRun>>> =
                serde_json::from_str(text).map_err(bad)?;
            self.found.events += 1;
            self.hear(&line.said);
        } else {
            let line: LogLine<ReadAnswer> = serde_json::from_str(text).map_err(bad)?;
            self.found.answers += 1;
            self.answered(&line.said);
        }
        Ok(())
    }

    /// Returns the rules that are broken so far; a launch that has not ended breaks none yet.
    #[must_use]
    pub const fn found(&self) -> &CheckedLog {
        &self.found
    }

    pub(super) fn fault(&mut self, rule: LogRule, what: impl FnOnce() -> String) {
        self.found.note(rule, self.line, what);
    }

    /// Returns whether a launch that was issued before this one still waits in the buffer of its
    /// stream.
    pub(super) fn waits_before(&self, launch: &SeenLaunch) -> bool {
        self.buffers[launch.buffer].first().is_some_and(|first| first < launch.order)
    }

    /// Checks rule 6 of logs at the end of a log: every launch has ended or was refused.
    pub(super) fn the_end(&mut self) {
        for id in self.launches.ids() {
            let Some(launch) = self.launches.remove(id) else { continue };
            self.fault(LogRule::Lost, || {
                format!("{id} of {} has neither ended nor been refused", launch.process)
            });
        }
    }
}
