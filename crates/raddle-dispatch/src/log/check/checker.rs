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

/// A list of the pieces (equal workgroups on one compute unit) that a line of the decision log
/// names.
pub(crate) trait Pieces {
    /// Returns each single piece (equal workgroups on one compute unit) of the list.
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

/// An answer as a check of a log reads it: with only the fields that the rules need, and its pieces
/// (equal workgroups on one compute unit) joined into runs.
type ReadAnswer = LoggedAnswer<'static, Vec<PieceRun>>;

/// A checker that follows a decision log and counts how often the log breaks each [`LogRule`]. It
/// is used by [`super::check`] on the lines of a file, by a live runtime on each line that it
/// writes, and by a dispatcher on its events and answers.
#[doc(hidden)]
pub struct Checker {
    pub(super) window: Option<u32>,
    /// True if the log has events of launches that are issued and not ready, and events of copies.
    pub(super) ahead: bool,
    pub(super) most_kills: Option<u32>,
    pub(super) scope: ResetScope,
    /// A device of one empty compute unit, to test whether a launch can ever fit.
    pub(super) empty: Cus,
    pub(super) cuts: bool,
    pub(super) launches: ByLaunch<SeenLaunch>,
    /// The ids of launches that have ended or were refused.
    pub(super) gone: UsedIds,
    pub(super) processes: BTreeMap<ProcessId, SeenProcess>,
    pub(super) may_issue: Vec<ProcessId>,
    /// The launches of each stream that wait in its buffer to be submitted, by the index in
    /// `streams`.
    pub(super) buffers: Vec<InOrder>,
    /// The index in `buffers` of the buffer of each stream.
    pub(super) streams: BTreeMap<(ProcessId, StreamId), usize>,
    /// The compute units on which no launch may start, each with the process whose reset has closed
    /// it.
    pub(super) closed: BTreeMap<CuId, ProcessId>,
    /// The process that was reset last; `None` before the first reset. Launches that are killed in
    /// later lines are killed by this reset.
    pub(super) resets: Option<ProcessId>,
    /// The number of launches and copies that the log has named so far.
    pub(super) orders: u64,
    /// The launch that started workgroups last, if only ends of waves and answers to wait have come
    /// since: then a further start of it needs no check. Else `None`.
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
    /// Returns the checker `live`, changed so that it checks a dispatcher. `empty` is a device of
    /// one empty compute unit like the dispatcher's; `cuts` is true if its allocate policy may cut
    /// workgroups, so that their waves run on different compute units.
    pub(crate) fn of_dispatcher(cuts: bool, empty: Cus, live: Self) -> Self {
        Self { ahead: live.window.is_some(), cuts, empty, ..live }
    }

    /// Updates the checker of log rules by an event that a dispatcher has taken. Ends of waves are
    /// left out, as the dispatcher's own account checks them.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        self.line += 1;
        if !matches!(event, Event::WavesEnded { .. }) {
            self.going = None;
            self.hear(&LoggedEvent::from(event));
        }
    }

    /// Checks an answer, other than a start of workgroups, against the rules of [`LogRule`], and
    /// updates the checker.
    pub(crate) fn answer(&mut self, answer: &LoggedAnswer<'_>) {
        self.line += 1;
        if !matches!(answer, LoggedAnswer::Wait { .. } | LoggedAnswer::WakeAt { .. }) {
            self.going = None;
            self.answered(answer);
        }
    }

    /// Checks a start of workgroups of a launch; `fresh` is true if their first waves start. Of
    /// several starts of one launch in a row, only the first is checked.
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

    /// Returns whether a launch has ended or was refused, so that its id must not be used again.
    pub(crate) fn is_gone(&self, launch: LaunchId) -> bool {
        self.gone.contains(launch)
    }

    /// Returns the lowest rule that the log has broken so far, with a text that says how; `None`
    /// where it has broken none.
    pub(crate) fn broken(&self) -> Option<(LogRule, &str)> {
        let (rule, broken) = self.found.broken.first_key_value()?;
        Some((*rule, &broken.what))
    }

    /// Returns the checker for a live runtime. `window` is the most launches of one process that
    /// may be submitted and unfinished, `most_kills` the most times that one launch may be killed
    /// (`None`: no limit for either), and `scope` the set of launches that a reset kills. As the
    /// device is not known, a compute unit counts as having room for one workgroup of one wave.
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

    /// Checks one line of a log, which is an event or an answer spelled in full, and updates the
    /// checker; `number` is the number of the line, from 1.
    ///
    /// # Errors
    /// When the line is not valid.
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

    /// Returns the rules that the log has broken so far; a launch that has not ended counts as no
    /// fault yet.
    #[must_use]
    pub const fn found(&self) -> &CheckedLog {
        &self.found
    }

    pub(super) fn fault(&mut self, rule: LogRule, what: impl FnOnce() -> String) {
        self.found.note(rule, self.line, what);
    }

    /// Returns whether a launch of the stream of `launch` that was issued earlier still waits to be
    /// submitted.
    pub(super) fn waits_before(&self, launch: &SeenLaunch) -> bool {
        self.buffers[launch.buffer].first().is_some_and(|first| first < launch.order)
    }

    /// Checks rule 6 of logs at the end of a log: every launch must have ended or been refused.
    pub(super) fn the_end(&mut self) {
        for id in self.launches.ids() {
            let Some(launch) = self.launches.remove(id) else { continue };
            self.fault(LogRule::LOST, || {
                format!("{id} of {} has neither ended nor been refused", launch.process)
            });
        }
    }
}
