//! When does a copy between host and device begin, where others go in the same direction?
//!
//! A device has one engine for each direction between host and device, for all processes. It takes
//! copies in the order in which they become ready, one at a time. Copies inside the device, and
//! those whose direction nobody knows, need no engine.

use std::collections::VecDeque;

use raddle_policy::LaunchId;
use raddle_trace::{CopyDirection, OpKind, Profile};

/// The copies at the engines of a device; the first of a queue runs.
#[derive(Debug, Default)]
pub(crate) struct CopyEngines {
    queues: [VecDeque<LaunchId>; 2],
}

impl CopyEngines {
    /// Puts a copy at the end of its engine's queue. Returns whether the copy can start now.
    pub(crate) fn join(&mut self, copy: LaunchId, direction: Option<CopyDirection>) -> bool {
        let Some(direction) = direction else { return true };
        let queue = &mut self.queues[direction as usize];
        queue.push_back(copy);
        queue.len() == 1
    }

    /// Takes a copy that has ended off its engine. Returns the copy that starts now.
    pub(crate) fn leave(&mut self, direction: Option<CopyDirection>) -> Option<LaunchId> {
        let queue = &mut self.queues[direction? as usize];
        queue.pop_front();
        queue.front().copied()
    }

    /// Returns whether a copy is at an engine.
    pub(crate) fn has(&self, copy: LaunchId) -> bool {
        self.queues.iter().any(|queue| queue.contains(&copy))
    }
}

/// Returns for how long each op of a profile has its copy engine to itself, by op; `None` for what
/// needs no engine.
///
/// A copy that was recorded while another one in its direction ran has waited for a part of its
/// recorded duration.
pub(crate) fn lengths(profile: &Profile) -> Vec<Option<(CopyDirection, u64)>> {
    let mut lengths = vec![None; profile.ops.len()];
    let directions: Vec<Option<CopyDirection>> =
        profile.kernels.iter().map(|name| CopyDirection::of(name)).collect();
    let direction = |at: usize| {
        let op = &profile.ops[at];
        let named = directions.get(op.kernel as usize).copied().flatten();
        named.filter(|_| op.kind == OpKind::Copy)
    };
    let mut copies: Vec<usize> =
        (0..profile.ops.len()).filter(|&at| direction(at).is_some()).collect();
    copies.sort_by_key(|&at| profile.ops[at].start_ns);
    let mut free = [0; 2];
    for at in copies {
        let Some(direction) = direction(at) else { continue };
        let (start, free) = (profile.ops[at].start_ns, &mut free[direction as usize]);
        let end = profile.ops[at].end_ns();
        lengths[at] = Some((direction, end.saturating_sub(start.max(*free)).max(1)));
        *free = end.max(*free);
    }
    lengths
}
