//! Which simulated event is next?
//!
//! Ordered by tick, then first in, first out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use raddle_policy::{LaunchId, Preemption, Tick};

/// Something that is due to happen at a later tick of the simulation: an event in the simulator's
/// event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due {
    /// A process joins the run.
    Join(u16),
    /// A program gives a hint: (process, index of the hint in the process's plan).
    Hint(u16, u32),
    /// The host of a process issues its next launch.
    Arrival(u16),
    /// The host issues a launch, as the recorded gap between the end of the work before it and its
    /// issue has passed.
    Issue(LaunchId),
    /// A launch or copy becomes ready, as it no longer waits for other work.
    Ready(LaunchId),
    /// A front (workgroups that end together) ends: (index in the list of fronts, generation of
    /// that index; an event of an earlier generation is void).
    Front(u32, u32),
    /// A copy or fill ends.
    Copy(LaunchId),
    /// A copy that has not begun has been taken off the device, by this preemption method.
    CopyOff(LaunchId, Preemption),
    /// A copy that was taken off the device has been brought back.
    CopyBack(LaunchId),
    /// The driver has cleaned up after a launch, so that the end of the launch is now known.
    CleanedUp(LaunchId),
    /// The preemption of a launch is complete: the launch is off the device.
    TakenOff(LaunchId),
    /// The raised preemption flag of a process is now visible to its launches, which test it at
    /// their start.
    Raised(u16),
    /// The reset of a process, which killed its running launches, is over.
    ResetOver(u16),
    /// A launch that was taken off the device has been brought back.
    Restored(LaunchId),
    /// A timer wakes the dispatcher at the tick for which it asked.
    Wake,
}

impl Due {
    /// Returns whether the event is about work that begins or ends; false for a wake-up of the
    /// dispatcher, and for the steps of a preemption.
    pub(crate) const fn is_work(self) -> bool {
        match self {
            Self::Join(_) | Self::Hint(..) | Self::Arrival(_) => true,
            Self::Issue(_) | Self::Ready(_) => true,
            Self::Front(..) | Self::Copy(_) | Self::CleanedUp(_) => true,
            Self::CopyOff(..) | Self::CopyBack(_) | Self::TakenOff(_) | Self::Raised(_) => false,
            Self::ResetOver(_) | Self::Restored(_) | Self::Wake => false,
        }
    }
}

/// The effect on one event in the queue when simulated time is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moved {
    Stays,
    /// The queued event moves to this tick.
    To(Tick),
    /// The event is removed, as it would have no effect.
    Gone,
}

/// The simulator's event queue: all future events, the earliest first.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<(Tick, u64, Due)>>,
    count: u64,
    wakes: usize,
}

impl Queue {
    pub(crate) fn push(&mut self, at: Tick, due: Due) {
        self.wakes += usize::from(due == Due::Wake);
        self.heap.push(Reverse((at, self.count, due)));
        self.count += 1;
    }

    pub(crate) fn next_tick(&self) -> Option<Tick> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    /// Removes and returns the next event if it is due at `now`; else `None`.
    pub(crate) fn pop_at(&mut self, now: Tick) -> Option<Due> {
        if self.next_tick()? > now {
            return None;
        }
        let Reverse((.., due)) = self.heap.pop()?;
        self.wakes -= usize::from(due == Due::Wake);
        Some(due)
    }

    /// Returns all events in the queue with their ticks, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Tick, Due)> {
        self.heap.iter().map(|Reverse((at, _, due))| (*at, *due))
    }

    /// Moves each event to a later tick, or removes it, as `moved` says. At one tick, events that
    /// were moved come after events that were not, and keep their order.
    pub(crate) fn move_on(&mut self, mut moved: impl FnMut((Tick, Due)) -> Moved) {
        let mut later = Vec::new();
        self.heap.retain(|&Reverse((at, count, due))| match moved((at, due)) {
            Moved::Stays => true,
            Moved::To(to) => {
                later.push((at, count, to, due));
                false
            }
            Moved::Gone => false,
        });
        later.sort_unstable();
        later.into_iter().for_each(|(_, _, to, due)| self.push(to, due));
    }

    pub(crate) fn only_wakes(&self) -> bool {
        self.wakes == self.heap.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ticks_come_out_in_the_order_they_went_in() {
        let mut queue = Queue::default();
        let launches = [9, 3, 7, 1, 5];
        for id in launches {
            queue.push(Tick(4), Due::Copy(LaunchId(id)));
        }
        queue.push(Tick(2), Due::Wake);
        assert_eq!(queue.next_tick(), Some(Tick(2)));
        assert_eq!(queue.pop_at(Tick(4)), Some(Due::Wake));
        for id in launches {
            assert_eq!(queue.pop_at(Tick(4)), Some(Due::Copy(LaunchId(id))));
        }
        assert_eq!(queue.pop_at(Tick(9)), None);
    }

    #[test]
    fn nothing_comes_out_before_its_time() {
        let mut queue = Queue::default();
        queue.push(Tick(5), Due::Wake);
        assert_eq!(queue.pop_at(Tick(4)), None);
        assert_eq!(queue.pop_at(Tick(5)), Some(Due::Wake));
    }
}
