//! How does a dispatcher without the feature `recipes` check its rules? By a checker that finds nothing.

use raddle_policy::{Cus, Event, LaunchId};
use raddle_preempt::ResetScope;

use crate::answer::LoggedAnswer;

/// A stand-in for the checker of rules that checks nothing, for a build without the feature
/// `recipes`.
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
