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
use crate::log::line::{LogLine, LoggedEvent};
use crate::{ByLaunch, DispatchError};

/// The pieces of a start or an end.
pub(crate) trait Pieces {
    /// Lists the single pieces.
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

/// An answer with the fields that the rules read.
type ReadAnswer = LoggedAnswer<'static, Vec<PieceRun>>;

/// A checker that follows a log and notes the rules that the log breaks. [`super::check`] gives it
/// the lines of a file, a live runtime each line as it is written, and a dispatcher its events and
/// answers.
pub struct Checker {
    pub(super) window: Option<u32>,
    /// Set if the dispatcher hears of launches before they are ready, and of copies.
    pub(super) ahead: bool,
    pub(super) most_kills: Option<u32>,
    pub(super) scope: ResetScope,
    /// A compute unit with nothing on it.
    pub(super) empty: Cus,
    pub(super) cuts: bool,
    pub(super) launches: ByLaunch<SeenLaunch>,
    /// Launches that have ended or were refused.
    pub(super) gone: UsedIds,
    pub(super) processes: BTreeMap<ProcessId, SeenProcess>,
    pub(super) may_issue: Vec<ProcessId>,
    /// The launches of each stream that wait in its buffer.
    pub(super) buffers: Vec<InOrder>,
    /// The index of the buffer of each stream.
    pub(super) streams: BTreeMap<(ProcessId, StreamId), usize>,
    /// Compute units on which nothing may start, each with the process whose reset closes it.
    pub(super) closed: BTreeMap<CuId, ProcessId>,
    /// The process of the last reset: the launches that it kills follow it.
    pub(super) resets: Option<ProcessId>,
    /// The number of launches and copies issued so far.
    pub(super) orders: u64,
    /// The launch that started last, if nothing but waits and ends of waves has come since.
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
    /// Returns the checker of a dispatcher whose allocate policy cuts workgroups or not, on compute units like
    /// the empty one.
    pub(crate) fn of_dispatcher(cuts: bool, empty: Cus, live: Self) -> Self {
        Self { ahead: live.window.is_some(), cuts, empty, ..live }
    }

    /// Takes an event that a dispatcher has heard. Ends of waves are left out, as the book checks
    /// them.
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        self.line += 1;
        if !matches!(event, Event::WavesEnded { .. }) {
            self.going = None;
            self.hear(&LoggedEvent::from(event));
        }
    }

    /// Takes an answer that is not a start.
    pub(crate) fn answer(&mut self, answer: &LoggedAnswer<'_>) {
        self.line += 1;
        if !matches!(answer, LoggedAnswer::Wait { .. } | LoggedAnswer::WakeAt { .. }) {
            self.going = None;
            self.answered(answer);
        }
    }

    /// Notes that workgroups of a launch start, with their first waves if they are `fresh`. Of
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

    /// Notes that the last wave of a launch has ended, or that the launch will never run.
    pub(crate) fn gone(&mut self, launch: LaunchId) {
        self.going = None;
        self.forget(launch);
    }

    /// Returns whether a launch has ended or was refused, so that its id is used up.
    pub(crate) fn is_gone(&self, launch: LaunchId) -> bool {
        self.gone.contains(launch)
    }

    /// Returns a rule that is broken, and by what.
    pub(crate) fn broken(&self) -> Option<(LogRule, &str)> {
        let (rule, broken) = self.found.broken.first_key_value()?;
        Some((*rule, &broken.what))
    }

    /// Makes the checker of a live runtime: `window` is the most launches of a process that it has
    /// at a time, `most_kills` how often it kills one launch at most, `scope` the reach of a reset.
    /// A compute unit counts as holding one workgroup of one wave.
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

    /// Takes a line with its number, from 1: an event or an answer as a replay spells it.
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

    /// Returns the rules that are broken so far; a launch that has not ended breaks none.
    #[must_use]
    pub const fn found(&self) -> &CheckedLog {
        &self.found
    }

    pub(super) fn fault(&mut self, rule: LogRule, what: impl FnOnce() -> String) {
        self.found.note(rule, self.line, what);
    }

    /// Returns whether the buffer of the launch's stream holds a launch that was issued before it.
    pub(super) fn waits_before(&self, launch: &SeenLaunch) -> bool {
        self.buffers[launch.buffer].first().is_some_and(|first| first < launch.order)
    }

    /// Checks rule 6 at the end of a log: no launch is left.
    pub(super) fn the_end(&mut self) {
        for id in self.launches.ids() {
            let Some(launch) = self.launches.remove(id) else { continue };
            self.fault(LogRule::Lost, || {
                format!("{id} of {} has neither ended nor been refused", launch.process)
            });
        }
    }
}
