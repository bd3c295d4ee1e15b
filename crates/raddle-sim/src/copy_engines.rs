//! When does a copy between host and device begin, where other copies go in the same direction?
//!
//! A device has one engine for each direction between host and device, for all processes. Each
//! engine takes copies in the order in which they become ready, one at a time. Copies inside the
//! device or from one device to another need no engine, nor do those of unknown direction.

use std::collections::VecDeque;

use raddle_policy::LaunchId;
use raddle_trace::{CopyDirection, Profile};

/// The queues of copies at a device's copy engines (DMA); the first copy of each queue is running.
#[derive(Debug, Default)]
pub(crate) struct CopyEngines {
    queues: [VecDeque<LaunchId>; 2],
}

impl CopyEngines {
    /// Puts a copy at the end of the queue of the copy engine for its direction. Returns whether
    /// the copy can start now: the queue was empty, or the copy needs no engine (also where the
    /// direction is unknown, `None`).
    pub(crate) fn join(&mut self, copy: LaunchId, direction: Option<CopyDirection>) -> bool {
        let Some(engine) = direction.and_then(CopyDirection::engine) else { return true };
        let queue = &mut self.queues[engine];
        queue.push_back(copy);
        queue.len() == 1
    }

    /// Removes the copy that has ended from the front of its engine's queue. Returns the next copy
    /// of the queue, which starts now; `None` where the queue is empty.
    pub(crate) fn leave(&mut self, direction: Option<CopyDirection>) -> Option<LaunchId> {
        let queue = &mut self.queues[direction?.engine()?];
        queue.pop_front();
        queue.front().copied()
    }

    /// Returns whether a copy waits or runs at a copy engine.
    pub(crate) fn has(&self, copy: LaunchId) -> bool {
        self.queues.iter().any(|queue| queue.contains(&copy))
    }
}

/// Returns for each copy of a profile (its direction, the time in ns for which it works); `None`
/// for ops that are no copies, and for copies whose direction is unknown.
///
/// Where a copy was recorded to start while an earlier one used the same engine, a part of its
/// recorded duration was waiting, which the returned time leaves out.
pub(crate) fn lengths(profile: &Profile) -> Vec<Option<(CopyDirection, u64)>> {
    let mut lengths: Vec<Option<(CopyDirection, u64)>> = CopyDirection::of_all(profile)
        .into_iter()
        .enumerate()
        .map(|(at, direction)| Some((direction?, profile.own_ns(at).max(1))))
        .collect();
    let engine = |copy: Option<(CopyDirection, u64)>| copy.and_then(|(to, _)| to.engine());
    let mut copies: Vec<usize> =
        (0..lengths.len()).filter(|&at| engine(lengths[at]).is_some()).collect();
    copies.sort_by_key(|&at| profile.ops[at].start_ns);
    let mut free = [0; 2];
    for at in copies {
        let Some((engine, length)) = engine(lengths[at]).zip(lengths[at].as_mut()) else {
            continue;
        };
        let (start, free) = (profile.ops[at].start_ns, &mut free[engine]);
        let end = profile.ops[at].end_ns();
        length.1 = end.saturating_sub(start.max(*free)).max(1);
        *free = end.max(*free);
    }
    lengths
}
