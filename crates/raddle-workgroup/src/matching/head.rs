//! What is the head of a channel?

use raddle_policy::{LaunchId, Tick};

/// The next workgroup of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelHead {
    /// Which entry of the view.
    pub(super) entry: usize,
    pub(super) channel: usize,
    pub(super) level: usize,
    /// Of its level, now.
    pub(super) rank: usize,
    pub(super) class: usize,
    /// Which of its launch's workgroups it is.
    pub(super) next: u64,
    /// Which wave goes, where the workgroup is cut into its waves; else [`WHOLE`].
    pub(super) wave: u16,
}

/// What is remembered of a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeenChannel {
    /// The question in which it was last seen.
    pub(super) question: u64,
    /// Its head, and since when it is.
    pub(super) head: Option<(LaunchId, u64)>,
    pub(super) since: Tick,
}
