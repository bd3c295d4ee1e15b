//! How is the progress of a study reported, and how is a study ended?

/// A receiver of the progress of a study, which may end the study; `()` ignores the progress.
pub trait Watcher: Sync {
    /// Is told that runs begin, which have this number of launches together.
    fn begin(&self, _launches: u64) {}

    /// Is told what is being done.
    fn say(&self, _what: &str) {}

    /// Is told that this number of further launches have ended.
    fn add(&self, _launches: u64) {}

    /// Is told that the runs have ended.
    fn done(&self) {}

    /// Returns whether the study is to end, with
    /// [`StudyError::Cancelled`](crate::StudyError::Cancelled).
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl Watcher for () {}

/// A watcher that passes on no progress, but may end the study.
pub(crate) struct Quiet<'w>(pub(crate) &'w dyn Watcher);

impl Watcher for Quiet<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
