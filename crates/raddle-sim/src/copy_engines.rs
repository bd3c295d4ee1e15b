//! When does a copy between host and device begin, where other copies go in the same direction?
//!
//! A device has one engine for each direction between host and device, for all processes. It takes
//! copies in the order in which they become ready, one at a time. Other copies need no engine: those
//! inside the device or from one to another, and those whose direction nobody knows.

use std::collections::VecDeque;

use raddle_policy::LaunchId;
use raddle_trace::{CopyDirection, Profile};

/// The queues of copies at the copy engines of a device; the first copy of a queue runs.
#[derive(Debug, Default)]
pub(crate) struct CopyEngines {
    queues: [VecDeque<LaunchId>; 2],
}

impl CopyEngines {
    /// Puts a copy at the end of the queue of the engine for its direction. Returns whether the
    /// copy can start now, as it is the first or needs no engine (also where its direction is
    /// unknown, `None`).
    pub(crate) fn join(&mut self, copy: LaunchId, direction: Option<CopyDirection>) -> bool {
        let Some(engine) = direction.and_then(CopyDirection::engine) else { return true };
        let queue = &mut self.queues[engine];
        queue.push_back(copy);
        queue.len() == 1
    }

    /// Removes the copy that has ended from its engine. Returns the next copy of the queue, which
    /// starts now; `None` without one.
    pub(crate) fn leave(&mut self, direction: Option<CopyDirection>) -> Option<LaunchId> {
        let queue = &mut self.queues[direction?.engine()?];
        queue.pop_front();
        queue.front().copied()
    }

    /// Returns whether a copy waits or runs at an engine.
    pub(crate) fn has(&self, copy: LaunchId) -> bool {
        self.queues.iter().any(|queue| queue.contains(&copy))
    }
}

/// Returns for each op of a profile (direction of the copy, time in ns for which it works); `None`
/// for other ops, and for copies whose direction is unknown.
///
/// Where two copies share an engine and one was recorded while the other ran, a part of its
/// recorded duration was waiting, which the result leaves out.
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
