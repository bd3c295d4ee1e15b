//! How many slices are kept, and how coarse do they become when there are too many?
//!
//! Slots with one history are one entry of 48 bytes. As soon as there are more slices than wanted
//! they are kept by compute unit; if even those are too many, not at all. So at most twice as many
//! entries as slices wanted are in memory.

use super::super::lanes::Lanes;
use super::super::model::{Ending, Grain, Slice};

use super::slots::Slots;

/// Slices that have ended.
#[derive(Debug)]
pub(super) struct SliceStore {
    grain: Grain,
    most: usize,
    entries: Vec<Entry>,
    /// How many slices the entries stand for, at the finest grain.
    slices: u64,
}

/// Slices of one launch on one compute unit that began and ended together.
#[derive(Clone, Copy, Debug)]
struct Entry {
    cu: u16,
    launch: u32,
    since: u64,
    until: u64,
    /// Workgroups that ended: in each slot, or by compute unit in all.
    workgroups: u64,
    /// The slots, 64 from `word` x 64 on; by compute unit empty.
    slots: u64,
    word: u16,
    ending: Ending,
}

impl SliceStore {
    pub(super) const fn new(most: usize) -> Self {
        Self { grain: Grain::Slot, most, entries: Vec::new(), slices: 0 }
    }

    pub(super) const fn grain(&self) -> Grain {
        self.grain
    }

    /// Adds the slices of some slots.
    pub(super) fn add(
        &mut self,
        cu: u16,
        launch: u32,
        (since, until): (u64, u64),
        done: u64,
        slots: &Slots,
        ending: Ending,
    ) {
        // What lasted no time and ended nothing is no slice.
        if (since == until && done == 0) || self.grain >= Grain::Launch {
            return;
        }
        let entry = Entry { cu, launch, since, until, workgroups: done, slots: 0, word: 0, ending };
        if self.grain == Grain::Cu {
            self.entries.push(Entry { workgroups: done.saturating_mul(slots.count()), ..entry });
            if self.entries.len() >= self.most.saturating_mul(2) {
                self.compact();
            }
            return;
        }
        for (word, slots) in slots.words() {
            self.entries.push(Entry { slots, word, ..entry });
        }
        self.slices += slots.count();
        if self.slices > self.most as u64 {
            self.widen();
        }
    }

    /// From slots to compute units.
    fn widen(&mut self) {
        self.grain = Grain::Cu;
        for entry in &mut self.entries {
            let slots = u64::from(entry.slots.count_ones());
            entry.workgroups = entry.workgroups.saturating_mul(slots);
            entry.slots = 0;
        }
        self.compact();
    }

    /// Joins entries of one launch and compute unit that overlap or touch.
    fn compact(&mut self) {
        self.entries.sort_unstable_by_key(|e| (e.cu, e.launch, e.since, e.until, e.ending));
        self.entries.dedup_by(|next, kept| {
            let joins =
                (next.cu, next.launch) == (kept.cu, kept.launch) && next.since <= kept.until;
            if joins {
                let last = (kept.until, kept.ending).max((next.until, next.ending));
                (kept.until, kept.ending) = last;
                kept.workgroups = kept.workgroups.saturating_add(next.workgroups);
            }
            joins
        });
        if self.entries.len() > self.most {
            self.grain = Grain::Launch;
            self.entries = Vec::new();
        }
    }

    /// The grain, and the slices by compute unit, slot and time.
    pub(super) fn finish(mut self) -> (Grain, Vec<Slice>) {
        let mut slices = Vec::new();
        if self.grain == Grain::Cu {
            self.compact();
            self.entries.sort_unstable_by_key(|e| (e.cu, e.since, e.until, e.launch));
            slices.reserve_exact(self.entries.len());
            for unit in self.entries.chunk_by(|a, b| a.cu == b.cu) {
                let mut lanes = Lanes::default();
                slices.extend(unit.iter().map(|e| e.slice(lanes.give(e.since, e.until))));
            }
        } else {
            slices.reserve_exact(self.slices as usize);
            for entry in std::mem::take(&mut self.entries) {
                let bits = (0..64).filter(|bit| entry.slots >> bit & 1 == 1);
                slices.extend(bits.map(|bit| entry.slice(u32::from(entry.word) * 64 + bit)));
            }
        }
        slices.sort_unstable_by_key(|s: &Slice| (s.cu, s.slot, s.start_ns, s.end_ns, s.launch));
        (self.grain, slices)
    }
}

impl Entry {
    fn slice(&self, slot: u32) -> Slice {
        Slice {
            start_ns: self.since,
            end_ns: self.until,
            workgroups: self.workgroups,
            launch: self.launch,
            slot,
            cu: self.cu,
            ending: self.ending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(most: usize, spans: &[(u16, u32, u64, u64)]) -> (Grain, Vec<Slice>) {
        let mut store = SliceStore::new(most);
        for &(cu, launch, since, until) in spans {
            let slots = Slots::default().take_lowest(1);
            store.add(cu, launch, (since, until), 1, &slots, Ending::Ended);
        }
        store.finish()
    }

    /// Compute unit, lane, launch, from, to, workgroups.
    fn drawn(slices: &[Slice]) -> Vec<(u16, u32, u32, u64, u64, u64)> {
        slices
            .iter()
            .map(|s| (s.cu, s.slot, s.launch, s.start_ns, s.end_ns, s.workgroups))
            .collect()
    }

    const SPANS: [(u16, u32, u64, u64); 6] =
        [(0, 7, 0, 5), (0, 8, 4, 6), (0, 7, 5, 9), (1, 7, 0, 5), (0, 7, 10, 12), (0, 7, 2, 3)];

    #[test]
    fn as_many_as_wanted_stay_as_they_are() {
        let (grain, slices) = filled(6, &SPANS);
        assert_eq!((grain, slices.len()), (Grain::Slot, 6));
    }

    #[test]
    fn more_are_joined_by_compute_unit_on_lanes_that_do_not_overlap() {
        for most in [4, 5] {
            let (grain, slices) = filled(most, &SPANS);
            assert_eq!(grain, Grain::Cu);
            let wanted =
                [(0, 0, 7, 0, 9, 3), (0, 0, 7, 10, 12, 1), (0, 1, 8, 4, 6, 1), (1, 0, 7, 0, 5, 1)];
            assert_eq!(drawn(&slices), wanted);
        }
    }

    #[test]
    fn still_more_are_not_kept() {
        for most in 0..4 {
            assert_eq!(filled(most, &SPANS), (Grain::Launch, Vec::new()), "{most}");
        }
    }

    #[test]
    fn memory_stays_within_twice_what_is_wanted() {
        let mut store = SliceStore::new(100);
        let slots = Slots::default().take_lowest(32);
        for at in 0..10_000 {
            store.add(3, at % 40, (u64::from(at), u64::from(at) + 50), 1, &slots, Ending::Ended);
            assert!(store.entries.len() <= 200);
        }
        let (grain, slices) = store.finish();
        assert_eq!((grain, slices.len()), (Grain::Cu, 40));
        assert_eq!(slices.iter().map(|slice| slice.workgroups).sum::<u64>(), 320_000);
    }
}
