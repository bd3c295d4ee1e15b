//! What is known of the head of a channel, its next workgroup?

use raddle_policy::{LaunchId, Tick};

/// The head of a channel: the workgroup that the channel would start next, or the next wave of a
/// workgroup that is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelHead {
    /// The index of the workgroup's launch in the view that the policy gets.
    pub(super) entry: usize,
    pub(super) channel: usize,
    pub(super) level: usize,
    /// The rank of the launch's level of urgency at the present tick, 0 for the best.
    pub(super) rank: usize,
    pub(super) class: usize,
    /// The number of the workgroup within its launch.
    pub(super) next: u64,
    /// The number of the wave that starts next, where the workgroup is cut; else [`WHOLE`].
    pub(super) wave: u16,
}

/// The state of a channel (queue of workgroups) at the last question to the policy about it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeenChannel {
    /// The number of the question to the policy at which the channel last had a waiting workgroup.
    pub(super) question: u64,
    /// The head (next workgroup) of the channel, as (launch, number of the workgroup); `since` is
    /// the tick at which it became the head. `None` before the first head, and always where the
    /// settings let no workgroup be cut.
    pub(super) head: Option<(LaunchId, u64)>,
    pub(super) since: Tick,
}
