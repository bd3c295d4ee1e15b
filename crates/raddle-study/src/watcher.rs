//! How is the progress of a study reported, and how is a study ended?

/// Receiver of the progress of a study, which may also end the study; `()` ignores the progress.
pub trait Watcher: Sync {
    /// Called when simulations begin, with the number of launches of all of them.
    fn begin(&self, _launches: u64) {}

    /// Called when a simulation has to be made once more, with the number of its launches.
    fn begin_more(&self, _launches: u64) {}

    /// Called when a search among settings begins the next of its rounds, with the number of cases
    /// that the round simulates. [`Self::add`] is called at the end of each case.
    fn begin_cases(&self, _cases: u64) {}

    /// Called with a text about the work that is being done.
    fn say(&self, _what: &str) {}

    /// Called before the first simulation with a warning that the study may take long for nothing.
    fn warn(&self, _what: &str) {}

    /// Called when the first simulation of a recipe (set of policies) has ended. `figures` returns
    /// in words the time by which each process is judged. Later simulations of the recipe give the
    /// error intervals of these times.
    fn found(&self, _recipe: &str, _figures: &dyn Fn() -> String) {}

    /// Called with the number of launches that have ended since the last call, or of cases if the
    /// work was announced by [`Self::begin_cases`].
    fn add(&self, _launches: u64) {}

    /// Called when all work has ended that [`Self::begin`] or [`Self::begin_cases`] announced.
    fn done(&self) {}

    /// Returns whether the study should end, with
    /// [`StudyError::Cancelled`](crate::StudyError::Cancelled).
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl Watcher for () {}

/// Watcher that hides the progress of a study from another watcher, and asks that one whether to
/// end the study.
pub(crate) struct Quiet<'w>(pub(crate) &'w dyn Watcher);

impl Watcher for Quiet<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
