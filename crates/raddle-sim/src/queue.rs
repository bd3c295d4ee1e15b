//! Which event is next?
//!
//! Ordered by tick, then first in, first out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use raddle_policy::{LaunchId, Preemption, Tick};

/// Something that will happen inside the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due {
    /// A process joins.
    Join(u16),
    /// A program gives a hint: its process, and the position of the hint.
    Hint(u16, u32),
    /// The next launch of a process is issued by its host.
    Arrival(u16),
    /// A launch is issued, as its gap has passed.
    Issue(LaunchId),
    /// A launch waits for nothing any more.
    Ready(LaunchId),
    /// Workgroups that run together end: slot and generation.
    Front(u32, u32),
    /// A copy or fill ends.
    Copy(LaunchId),
    /// A copy that has not begun has been taken off in this way.
    CopyOff(LaunchId, Preemption),
    /// A copy that was taken off is back.
    CopyBack(LaunchId),
    /// A launch that has run to its end has been cleaned up.
    CleanedUp(LaunchId),
    /// A launch has been taken off.
    TakenOff(LaunchId),
    /// Launches of a process see its raised flag.
    Raised(u16),
    /// The reset of a process is over.
    ResetOver(u16),
    /// A launch is back.
    Restored(LaunchId),
    /// The dispatcher asked to be woken.
    Wake,
}

impl Due {
    /// Returns whether work comes or ends by it; else the dispatcher was woken, or moved work that
    /// is there.
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

/// Events in the order in which they happen.
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

    /// Returns when the next event happens.
    pub(crate) fn next_tick(&self) -> Option<Tick> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    /// Takes out the next event of this very tick.
    pub(crate) fn pop_at(&mut self, now: Tick) -> Option<Due> {
        if self.next_tick()? > now {
            return None;
        }
        let Reverse((.., due)) = self.heap.pop()?;
        self.wakes -= usize::from(due == Due::Wake);
        Some(due)
    }

    /// Returns whether only wakes are left.
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
