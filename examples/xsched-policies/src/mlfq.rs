//! Turn policy MLFQ of XSched: which process runs, if slices lower it, and waiting raises it?

use std::collections::BTreeMap;

use raddle_policy::{Configured, Cus, ProcessId, ProcessState, SettingError, Tick, Ticks, Turn};

use crate::SliceConfig;

/// Turn policy that puts each process into one of four queues. A process of the lowest non-empty
/// queue runs, among several the one that has waited longest. A process that used up a queue's
/// slice, which is twice that of the queue before, goes one queue up in number; one that had no
/// turn for ten slices of queue 0 goes one queue down.
#[derive(Clone, Debug)]
pub struct FeedbackQueues {
    slice: Ticks,
    /// For each process: (its queue, 0 to 3; its time on the device when it came into that queue;
    /// tick at which it last had the turn).
    places: BTreeMap<ProcessId, (u32, Ticks, Tick)>,
}

impl Turn for FeedbackQueues {
    fn turn(
        &mut self,
        all: &[ProcessState],
        now: Tick,
        may_issue: &mut Vec<ProcessId>,
    ) -> Option<Tick> {
        for it in all {
            let (queue, ran, had) = self.places.entry(it.id).or_insert((0, it.ran, now));
            let used_up = (it.ran - *ran).0 >= self.slice.0 << *queue;
            let waited = now.since(*had).0 >= self.slice.0.saturating_mul(10);
            if used_up || waited {
                *queue = if used_up { (*queue + 1).min(3) } else { queue.saturating_sub(1) };
                (*ran, *had) = (it.ran, now);
            }
        }
        let next = all.iter().min_by_key(|it| {
            let (queue, _, had) = self.places[&it.id];
            (queue, had, it.id)
        })?;
        if let Some((.., had)) = self.places.get_mut(&next.id) {
            *had = now;
        }
        may_issue.push(next.id);
        (all.len() > 1).then_some(now + self.slice)
    }
}

impl Configured for FeedbackQueues {
    const NAME: &'static str = "xsched-mlfq";
    const EXAMPLES: &'static [&'static str] = &["slice-us = 2000"];
    type Config = SliceConfig;

    fn make(config: &SliceConfig, _device: &Cus) -> Result<Self, SettingError> {
        Ok(Self { slice: config.slice()?, places: BTreeMap::new() })
    }
}
