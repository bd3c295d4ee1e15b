//! Which stream has the launch that was captured first, of those that may be submitted?

use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::StreamId;

/// Tournament tree over streams that finds the launch to submit next: each leaf is the first launch
/// of a stream that may be submitted, and the root (node 1) the one that was captured (issued by
/// the host) first. The leaves are the second half of the nodes; the children of node n are 2n and
/// 2n + 1, side by side.
#[derive(Clone, Debug)]
pub(super) struct OldestTree(Vec<[OldestLaunch; 2]>);

/// Node of the tree: the lowest order of capture (number among all captured work of the process)
/// among the first launches of some streams, and the stream of that launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct OldestLaunch {
    pub(super) order: u64,
    pub(super) stream: u32,
}

impl OldestLaunch {
    /// Node for streams in which no launch may be submitted.
    const NONE: Self = Self { order: u64::MAX, stream: 0 };
}

impl OldestTree {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn of(fronts: impl ExactSizeIterator<Item = Option<u64>>) -> Self {
        let leaves = fronts.len().next_power_of_two();
        let mut firsts = Self(vec![[OldestLaunch::NONE; 2]; leaves]);
        // The number of streams is at most the number of ids.
        for (stream, front) in (0..).zip(fronts) {
            front.into_iter().for_each(|order| firsts.older(StreamId(stream), order));
        }
        firsts
    }

    pub(super) const fn leaves(&self) -> usize {
        self.0.len()
    }

    /// Records `order` as the order of capture (number among the captured work of the process) of a
    /// stream's first waiting launch, if the tree has none or a later one for the stream; otherwise
    /// changes nothing.
    #[inline]
    pub(super) fn older(&mut self, stream: StreamId, order: u64) {
        let mut at = self.leaves() + stream.index();
        while at > 0
            && let Some(pair) = self.0.get_mut(at / 2)
            && order < pair[at % 2].order
        {
            pair[at % 2] = OldestLaunch { order, stream: stream.0 };
            at /= 2;
        }
    }

    /// Sets the order of capture (number among the captured work of the process) of a stream's
    /// first waiting launch to `front`; `None` removes the stream from the search.
    #[inline]
    pub(super) fn set(&mut self, stream: StreamId, front: Option<u64>) {
        let mut at = self.leaves() + stream.index();
        let mut first = OldestLaunch { order: front.unwrap_or(u64::MAX), stream: stream.0 };
        while let Some(pair) = self.0.get_mut(at / 2) {
            pair[at % 2] = first;
            if at <= 1 {
                return;
            }
            let other = pair[1 - at % 2];
            if other.order < first.order {
                first = other;
            }
            at /= 2;
        }
    }

    /// Returns the launch with the lowest order of capture (the one that was captured first) over
    /// all streams; `None` where no launch may be submitted.
    #[inline]
    pub(super) fn first(&self) -> Option<OldestLaunch> {
        let [_, root] = self.0.first()?;
        (root.order != u64::MAX).then_some(*root)
    }
}
