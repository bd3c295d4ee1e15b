//! Does a decision log keep the rules of the controller?
//!
//! The log is read alone, without a dispatcher: what it says of submissions, starts, ends and of what
//! left is held against [`LogRule`]. Times are ticks.

mod answers;
mod events;
mod fault;
mod seen;

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use raddle_policy::{CuId, CuShape, Cus, LaunchId, ProcessId, StreamId};
use raddle_preempt::ResetScope;

pub use fault::{BrokenRule, CheckedLog, LogRule};

use self::answers::ReadAnswer;
use self::seen::{SeenLaunch, SeenProcess};
use super::header::LogHeader;
use super::line::{LogLine, LoggedEvent};
use super::lines::LogLines;
use crate::answer::runs::PieceRun;
use crate::{DispatchError, Registry};

/// Holds a decision log against the rules. Its policies are in the registry.
///
/// # Errors
/// When the log cannot be read, breaks off, or names a policy that the registry does not have. What it
/// does against a rule is in the answer.
pub fn check(registry: &Registry, log: impl BufRead) -> Result<CheckedLog, DispatchError> {
    check_beside(registry, log, |_, _| Ok(()))
}

/// As [`check`], and in the same pass each line is given to somebody else too, with its number, from 1: the
/// header as it stands, the others spelled in full.
///
/// # Errors
/// As [`check`], and those of whoever gets the lines.
pub fn check_beside(
    registry: &Registry,
    log: impl BufRead,
    mut also: impl FnMut(usize, &str) -> Result<(), DispatchError>,
) -> Result<CheckedLog, DispatchError> {
    let mut lines = LogLines::new(log);
    let mut checker = Checker::new(&lines.header(registry)?);
    also(1, &lines.first)?;
    while let Some(line) = lines.next()? {
        checker.take(lines.number, &line)?;
        also(lines.number, &line)?;
    }
    checker.line = lines.number;
    checker.the_end();
    // A log that breaks a rule was changed, perhaps: the rule says where.
    if checker.found.broken.is_empty() {
        lines.check_counts(checker.found.events, checker.found.answers)?;
    }
    Ok(checker.found)
}

/// What was read so far of a log. [`check`] reads one of a replay; what a live runtime has done is told line by
/// line.
pub struct Checker {
    window: Option<u32>,
    most_kills: Option<u32>,
    scope: ResetScope,
    /// A compute unit with nothing on it.
    empty: Cus,
    cuts: bool,
    launches: BTreeMap<LaunchId, SeenLaunch>,
    /// Launches that have ended or were refused.
    gone: BTreeSet<LaunchId>,
    processes: BTreeMap<ProcessId, SeenProcess>,
    may_issue: BTreeSet<ProcessId>,
    /// The launches of each stream that wait in its buffer, by their order of issue.
    buffers: BTreeMap<(ProcessId, StreamId), BTreeSet<u64>>,
    /// Compute units on which nobody may start, and because of whose reset.
    closed: BTreeMap<CuId, ProcessId>,
    /// Launches and copies issued so far.
    orders: u64,
    line: usize,
    found: CheckedLog,
}

impl std::fmt::Debug for Checker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").field("line", &self.line).finish_non_exhaustive()
    }
}

impl Checker {
    fn new(header: &LogHeader) -> Self {
        let (recipe, empty) = (&header.recipe, Cus::new(header.shape, 1));
        Self {
            cuts: recipe.cuts(&empty),
            empty,
            ..Self::live(recipe.window, recipe.most_kills(), recipe.scope())
        }
    }

    /// Of a runtime that has so many launches of a process at a time, kills one so often at most, and whose resets
    /// reach so far. A compute unit holds one workgroup of one wave.
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
            most_kills,
            scope,
            empty: Cus::new(shape, 1),
            cuts: false,
            launches: BTreeMap::new(),
            gone: BTreeSet::new(),
            processes: BTreeMap::new(),
            may_issue: BTreeSet::new(),
            buffers: BTreeMap::new(),
            closed: BTreeMap::new(),
            orders: 0,
            line: 1,
            found: CheckedLog::default(),
        }
    }

    /// Takes a line, an event or an answer as a replay spells it, that has this number, from 1.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn take(&mut self, number: usize, text: &str) -> Result<(), DispatchError> {
        self.line = number;
        let bad = |error: serde_json::Error| DispatchError::bad_log(self.line, error.to_string());
        if text.contains("\"event\":") {
            let line: LogLine<LoggedEvent<Vec<PieceRun>>> =
                serde_json::from_str(text).map_err(bad)?;
            self.found.events += 1;
            self.hear(line.said);
        } else {
            let line: LogLine<ReadAnswer> = serde_json::from_str(text).map_err(bad)?;
            self.found.answers += 1;
            self.answered(line.said);
        }
        Ok(())
    }

    /// What was found so far; of launches that have not ended nothing is said.
    #[must_use]
    pub const fn found(&self) -> &CheckedLog {
        &self.found
    }

    fn fault(&mut self, rule: LogRule, what: impl FnOnce() -> String) {
        self.found.note(rule, self.line, what);
    }

    /// Whether a launch of the buffer of this stream was issued before.
    fn waits_before(&self, launch: &SeenLaunch) -> bool {
        let buffer = self.buffers.get(&(launch.process, launch.stream));
        buffer.and_then(BTreeSet::first).is_some_and(|&first| first < launch.order)
    }

    /// Rule 6: what is left at the end, or when a process leaves.
    fn the_end(&mut self) {
        for (id, launch) in std::mem::take(&mut self.launches) {
            self.fault(LogRule::Lost, || {
                format!("{id} of {} has neither ended nor been refused", launch.process)
            });
        }
    }
}
