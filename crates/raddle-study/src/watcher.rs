//! Who is told how far a study is, and may end it?

/// Looks on while a study goes; `()` is nobody.
pub trait Watcher: Sync {
    /// Runs begin that have so many launches together.
    fn begin(&self, _launches: u64) {}

    /// What is being done.
    fn say(&self, _what: &str) {}

    /// So many more launches have ended.
    fn add(&self, _launches: u64) {}

    /// These runs have ended.
    fn done(&self) {}

    /// Whether the study is to end, with [`StudyError::Cancelled`](crate::StudyError::Cancelled).
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl Watcher for () {}

/// Is told nothing, and may end the study all the same.
pub(crate) struct Quiet<'w>(pub(crate) &'w dyn Watcher);

impl Watcher for Quiet<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
