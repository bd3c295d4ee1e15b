//! Which log and which check does a dispatcher without the feature `recipes` have? None.

use raddle_policy::{Cus, Event, Launch, LaunchId, Piece, Place, Tick, WaveSpan};
use raddle_preempt::ResetScope;

use crate::answer::LoggedAnswer;

/// A log that writes nothing, for a build without the feature `recipes`.
#[derive(Debug)]
pub(crate) struct SilentLog(());

impl SilentLog {
    pub(crate) const fn off() -> Self {
        Self(())
    }

    #[expect(clippy::unused_self, reason = "the log that is written has a self")]
    pub(crate) const fn is_off(&self) -> bool {
        true
    }

    #[expect(clippy::unused_self, reason = "the log that is written has a self")]
    pub(crate) const fn event(&mut self, _now: Tick, _step: u64, _event: &Event<'_>) {}

    #[expect(clippy::unused_self, reason = "the log that is written has a self")]
    pub(crate) fn answer(&mut self, _now: Tick, _step: u64, _said: LoggedAnswer<'_>) {}

    #[expect(clippy::unused_self, reason = "the log that is written has a self")]
    pub(crate) const fn start(
        &mut self,
        _now: Tick,
        _step: u64,
        _launch: &Launch,
        _waves: WaveSpan,
        _pieces: &[Piece],
        _places: &[Place],
    ) {
    }
}

/// A checker that checks no rule, for a build without the feature `recipes`.
#[derive(Debug)]
pub(crate) struct Unchecked(());

impl Unchecked {
    pub(crate) const fn live(_: Option<u32>, _: Option<u32>, _: ResetScope) -> Self {
        Self(())
    }

    pub(crate) fn of_dispatcher(_: bool, _: Cus, live: Self) -> Self {
        live
    }

    #[expect(clippy::unused_self, reason = "the check that is made has a self")]
    pub(crate) const fn event(&mut self, _: &Event<'_>) {}

    #[expect(clippy::unused_self, reason = "the check that is made has a self")]
    pub(crate) const fn answer(&mut self, _: &LoggedAnswer<'_>) {}

    #[expect(clippy::unused_self, reason = "the check that is made has a self")]
    pub(crate) const fn starts(&mut self, _: LaunchId, _: bool) {}

    #[expect(clippy::unused_self, reason = "the check that is made has a self")]
    pub(crate) const fn gone(&mut self, _: LaunchId) {}

    #[expect(clippy::unused_self, reason = "the check that is made has a self")]
    pub(crate) const fn is_gone(&self, _: LaunchId) -> bool {
        false
    }
}
