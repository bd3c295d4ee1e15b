//! What is the head of a channel?

use raddle_policy::{LaunchId, Tick};

/// The next workgroup of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelHead {
    /// The index of its launch in the view.
    pub(super) entry: usize,
    pub(super) channel: usize,
    pub(super) level: usize,
    /// The rank of its level at this tick, 0 for the best.
    pub(super) rank: usize,
    pub(super) class: usize,
    /// The number of the workgroup in its launch.
    pub(super) next: u64,
    /// The wave that goes next, where the workgroup is cut into its waves; else [`WHOLE`].
    pub(super) wave: u16,
}

/// The state of a channel at the last question about it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeenChannel {
    /// The question in which the channel last had a head.
    pub(super) question: u64,
    /// The head of the channel, and in `since` the tick at which it became the head. Kept only
    /// where workgroups may be cut.
    pub(super) head: Option<(LaunchId, u64)>,
    pub(super) since: Tick,
}
