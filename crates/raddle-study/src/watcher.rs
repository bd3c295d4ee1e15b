//! How is the progress of a study reported, and how is a study ended?

/// Is told the progress of a study; `()` ignores it.
pub trait Watcher: Sync {
    /// Runs begin that have this number of launches together.
    fn begin(&self, _launches: u64) {}

    /// What is being done.
    fn say(&self, _what: &str) {}

    /// This number of further launches have ended.
    fn add(&self, _launches: u64) {}

    /// These runs have ended.
    fn done(&self) {}

    /// Whether the study is to end, with [`StudyError::Cancelled`](crate::StudyError::Cancelled).
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl Watcher for () {}

/// Is not told the progress, but may end the study.
pub(crate) struct Quiet<'w>(pub(crate) &'w dyn Watcher);

impl Watcher for Quiet<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
