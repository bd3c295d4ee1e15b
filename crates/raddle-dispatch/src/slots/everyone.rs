//! The turn policy `everyone`: every runnable process may issue, always.

use alloc::vec::Vec;

use raddle_policy::{ProcessId, ProcessState, Tick, Turn};

/// A turn policy under which every process with work to run may issue launches; no process ever
/// loses the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Everyone;

impl Turn for Everyone {
    fn turn(
        &mut self,
        processes: &[ProcessState],
        _now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        may_issue.extend(processes.iter().map(|process| process.id));
        None
    }

    fn minds_refills(&self) -> bool {
        false
    }
}
