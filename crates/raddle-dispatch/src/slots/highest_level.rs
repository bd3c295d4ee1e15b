//! The turn policy `highest-level`: only the runnable processes of the most urgent level may issue.
//!
//! The rule is strict: while a process of that level is runnable, no less urgent one issues,
//! however long it has waited.

use alloc::vec::Vec;

use raddle_policy::{Level, ProcessId, ProcessState, Tick, Turn};

/// A turn policy under which all processes with work of the most urgent level (priority) may issue
/// launches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HighestLevel;

impl Turn for HighestLevel {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        _now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        let more_urgent =
            |best: Level, level: Level| if level.outranks(best) { level } else { best };
        let best = processes.iter().map(|process| process.level).reduce(more_urgent)?;
        // Equal levels share the turn: two processes of one level never revoke each other.
        let chosen = processes.iter().filter(|process| !best.outranks(process.level));
        may_issue.extend(chosen.map(|process| process.id));
        None
    }

    fn minds_refills(&self) -> bool {
        false
    }
}
