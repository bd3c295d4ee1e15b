//! How are copies and fills submitted and started beside launches?
//!
//! The preemption controller submits copies in their order of issue, as work that does not test the
//! preemption flag. No policy places them: a submitted copy starts when it is ready, and runs to
//! its end.

use raddle_policy::{
    Action, Actions, Demand, Idempotence, Launch, LaunchId, Level, ProcessId, StreamId, Tick, Ticks,
};

use super::Composed;
use super::launch::{LaunchState, Stage};
use crate::DispatchError;
use crate::answer::LoggedAnswer;
use crate::error::DispatchReason;

impl Composed {
    pub(super) fn copy_issued(
        &mut self,
        id: LaunchId,
        (process, stream): (ProcessId, StreamId),
        level: Level,
        lasts: Ticks,
        now: Tick,
    ) -> Result<(), DispatchError> {
        let mut copy = Launch::new(id, process, 0, Demand::default())
            .with_stream(stream)
            .with_level(level)
            .with_idempotent(Idempotence::Not);
        copy.estimate = Some(lasts);
        self.check_new(&copy)?;
        self.enter(copy, true, now)
    }

    pub(super) fn copy_ready(&mut self, id: LaunchId, now: Tick) -> Result<(), DispatchError> {
        if !self.known_copy(id)?.waits {
            return Err(DispatchError(DispatchReason::DuplicateLaunch(id)));
        }
        self.ready(id, now);
        Ok(())
    }

    /// Returns the state of a copy; an error where the copy was not issued or has ended.
    fn known_copy(&self, id: LaunchId) -> Result<&LaunchState, DispatchError> {
        let copy = self.known(id).ok().filter(|known| known.launch.is_copy());
        copy.ok_or(DispatchError(DispatchReason::UnknownLaunch(id)))
    }

    pub(super) fn copy_ended(&mut self, id: LaunchId, now: Tick) -> Result<(), DispatchError> {
        let known = self.known_copy(id)?;
        if !known.begun {
            return Err(DispatchError(DispatchReason::NotAsked { launch: id, what: "ended" }));
        }
        let launch = known.launch;
        self.forget(&launch, now)
    }

    /// Adds the actions that start all copies which are submitted and ready. There are none while
    /// the whole device is being reset: such a reset is refused while a copy runs, and no copy is
    /// submitted during it.
    pub(super) fn start_copies(
        &mut self,
        now: Tick,
        actions: &mut Actions,
    ) -> Result<(), DispatchError> {
        while let Some((_, id)) = self.copies.pop_first() {
            let known = self.launches.get(id);
            if known.is_some_and(|known| matches!(known.stage, Stage::OnDevice)) {
                self.begun(id)?;
                actions.push(Action::StartCopy { copy: id });
                self.journal.answer(now, LoggedAnswer::StartCopy { copy: id });
            }
        }
        Ok(())
    }
}
