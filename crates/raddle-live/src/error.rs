//! What can go wrong with a live device?

use std::io;

use raddle_preempt::PreemptError;

/// What a client or the daemon cannot do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// The controller was told what cannot be true, or was set so that nothing can run.
    #[error("the preemption controller refuses: {0}")]
    Controller(#[from] PreemptError),
    /// The runtime declares something else than the client was started with.
    #[error("the runtime declares other abilities than the client was started with: give the same")]
    DeclaredOther,
    /// A thread cannot be started.
    #[error("a thread cannot be started: {0}; raise the limit of processes (ulimit -u)")]
    Thread(#[source] io::Error),
}
