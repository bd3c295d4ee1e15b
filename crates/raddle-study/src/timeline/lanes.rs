//! On which lane (one of several rows) of its track is a slice (bar) drawn, so that slices on one
//! lane do not overlap?

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Assigner of lanes (tracks side by side in a drawing) to spans of time, which come in the order
/// of their starts. Each span gets the lowest lane on which no earlier span still lasts.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    /// Lanes (tracks side by side) on which a span still lasts, each with the time in ns at which
    /// the span ends; the earliest comes first.
    taken: BinaryHeap<Reverse<(u64, u32)>>,
    free: BTreeSet<u32>,
    count: u32,
}

impl Lanes {
    /// Returns the lane of a span from `start` to `end`, in ns; `start` never falls from one call
    /// to the next.
    pub fn give(&mut self, start: u64, end: u64) -> u32 {
        while let Some(&Reverse((until, lane))) = self.taken.peek() {
            if until > start {
                break;
            }
            self.taken.pop();
            self.free.insert(lane);
        }
        let lane = self.free.pop_first().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.taken.push(Reverse((end.max(start), lane)));
        lane
    }

    /// Returns the number of lanes (tracks side by side) that were used so far.
    pub const fn count(&self) -> u32 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_takes_the_lowest_free_lane() {
        let mut lanes = Lanes::default();
        let spans = [(0, 9), (5, 6), (6, 7), (9, 9)];
        assert_eq!(spans.map(|(start, end)| lanes.give(start, end)), [0, 1, 1, 0]);
    }
}
