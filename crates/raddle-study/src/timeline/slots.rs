//! Which launch holds which workgroup slot, from when to when?
//!
//! A workgroup takes the lowest free slot of its compute unit. If a workgroup of the same launch
//! follows in a slot within the tick in which the one before it ended, the slice goes on. Slices
//! are kept by slot; as soon as there are more than wanted, by compute unit; if even those are too
//! many, not at all. So at most twice as many slices as wanted are in memory.

use super::lanes::Lanes;
use super::model::{Ending, Grain, Slice};

/// Key by which one event of the simulation ends workgroups, or waves of one workgroup, that
/// started together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GroupKey {
    /// Whole workgroups of the front with this number: workgroups of one launch that started at one
    /// time and are ended by one event.
    Front(u32),
    /// The workgroup with this number in its launch, whose waves start and end one by one.
    Workgroup(u64),
    /// Some waves of a workgroup that does not run as a whole: (workgroup, first of these waves).
    Part(u64, u16),
}

/// A workgroup slot of a compute unit, with the workgroup in it or the last one that was in it.
#[derive(Clone, Copy, Debug)]
struct TakenSlot {
    key: GroupKey,
    launch: u32,
    /// Begin in ns of the slice (bar) that is being drawn for the slot.
    since: u64,
    /// Number of workgroups that have ended in the slice (bar) that is being drawn for the slot.
    done: u64,
    /// End in ns of the last workgroup in the slot, if no other has followed it yet; else `None`.
    ended: Option<u64>,
}

impl TakenSlot {
    fn slice(&self, cu: u16, slot: usize, end_ns: u64, ending: Ending) -> Slice {
        let Self { launch, since: start_ns, done: workgroups, .. } = *self;
        Slice { start_ns, end_ns, workgroups, launch, slot: slot as u32, cu, ending }
    }
}

/// Workgroup slots of one compute unit, with the workgroups in them.
#[derive(Clone, Debug, Default)]
pub(super) struct UnitSlots {
    cu: u16,
    slots: Vec<Option<TakenSlot>>,
}

impl UnitSlots {
    pub(super) const fn new(cu: u16) -> Self {
        Self { cu, slots: Vec::new() }
    }

    /// Places `count` workgroups of a launch in the lowest free slots at the time `now`, in ns.
    /// Slices that end because their slot is taken again are added to the store `to`.
    pub(super) fn start(
        &mut self,
        now: u64,
        launch: u32,
        key: GroupKey,
        count: u32,
        to: &mut SliceStore,
    ) {
        let (mut left, mut slot) = (count, 0);
        while left > 0 {
            if slot == self.slots.len() {
                self.slots.push(None);
            }
            let taken = &mut self.slots[slot];
            slot += 1;
            let mut new = TakenSlot { key, launch, since: now, done: 0, ended: None };
            match *taken {
                Some(TakenSlot { ended: None, .. }) => continue,
                Some(old @ TakenSlot { ended: Some(ended), .. }) => {
                    if old.launch == launch && ended == now {
                        new = TakenSlot { key, ended: None, ..old };
                    } else {
                        to.add(old.slice(self.cu, slot - 1, ended, Ending::Ended));
                    }
                }
                None => {}
            }
            *taken = Some(new);
            left -= 1;
        }
    }

    /// Ends, at the time `now` in ns, the workgroups that were started under the key `key`, and
    /// adds `done` to the count of each slot: 0 where other waves of the same workgroup still run,
    /// else 1.
    pub(super) fn end(&mut self, now: u64, launch: u32, key: GroupKey, done: u64) {
        for slot in self.slots.iter_mut().flatten() {
            if slot.ended.is_none() && slot.key == key && slot.launch == launch {
                slot.done += done;
                slot.ended = Some(now);
            }
        }
    }

    /// Takes all workgroups of a launch out of their slots before they have ended, as a preemption
    /// does, and adds (compute unit, key) of each to `left`.
    pub(super) fn lift(
        &mut self,
        now: u64,
        launch: u32,
        ending: Ending,
        to: &mut SliceStore,
        left: &mut Vec<(u16, GroupKey)>,
    ) {
        let first = left.len();
        for (at, slot) in self.slots.iter_mut().enumerate() {
            let leaves = |old: &mut TakenSlot| old.launch == launch && old.ended.is_none();
            if let Some(old) = slot.take_if(leaves) {
                to.add(old.slice(self.cu, at, now, ending));
                left.push((self.cu, old.key));
            }
        }
        left[first..].sort_unstable();
    }

    /// Adds to `to` the slices of all slots that are still taken at `now`, the end of the
    /// simulation in ns.
    pub(super) fn close(&mut self, now: u64, to: &mut SliceStore) {
        for (at, slot) in self.slots.drain(..).enumerate() {
            let Some(slot) = slot else { continue };
            let ending = slot.ended.map_or(Ending::Unfinished, |_| Ending::Ended);
            to.add(slot.slice(self.cu, at, slot.ended.unwrap_or(now.max(slot.since)), ending));
        }
    }
}

/// Store of finished slices (bars); it joins them to a coarser grain where there are too many.
#[derive(Debug)]
pub(super) struct SliceStore {
    /// Simulated time that is drawn, (begin, end) in ns: only slices that overlap or touch it are
    /// kept.
    pub(super) window: (u64, u64),
    /// True if the drawn time ends where the largest number of slices is reached; false if slices
    /// are joined instead.
    pub(super) ends_full: bool,
    grain: Grain,
    most: usize,
    slices: Vec<Slice>,
}

impl SliceStore {
    pub(super) const fn new(most: usize) -> Self {
        let window = (0, u64::MAX);
        Self { window, ends_full: false, grain: Grain::Slot, most, slices: Vec::new() }
    }

    pub(super) const fn grain(&self) -> Grain {
        self.grain
    }

    /// Adds a slice, unless it took no time and no workgroup ended in it.
    fn add(&mut self, slice: Slice) {
        let empty = slice.start_ns == slice.end_ns && slice.workgroups == 0;
        let outside = slice.end_ns < self.window.0 || slice.start_ns > self.window.1;
        if empty || outside || self.grain >= Grain::Launch {
            return;
        }
        // At grain `Cu`, workgroups that end in many slots at once are joined to one slice at once.
        let joined = self.grain == Grain::Cu
            && self.slices.last_mut().is_some_and(|last| last.take_in(&slice));
        if joined {
            return;
        }
        self.slices.push(slice);
        if self.ends_full {
            // Workgroups that are on the compute units now still get their slices: at most one for
            // each slot.
            if self.slices.len() == self.most {
                self.window.1 = self.window.1.min(slice.end_ns);
            }
            return;
        }
        let most = self.most.saturating_mul(if self.grain == Grain::Slot { 1 } else { 2 });
        if self.slices.len() > most {
            self.grain = Grain::Cu;
            self.compact();
        }
    }

    /// Joins slices of one launch on one compute unit that overlap or touch; drops all slices if
    /// they are still too many.
    fn compact(&mut self) {
        self.slices.sort_unstable_by_key(|s| (s.cu, s.launch, s.start_ns, s.end_ns, s.ending));
        self.slices.dedup_by(|next, kept| kept.take_in(next));
        if self.slices.len() > self.most {
            self.grain = Grain::Launch;
            self.slices = Vec::new();
        }
    }

    /// Returns (grain, slices in order of compute unit, slot and time).
    pub(super) fn finish(mut self) -> (Grain, Vec<Slice>) {
        if self.grain == Grain::Cu {
            self.compact();
            self.slices.sort_unstable_by_key(|s| (s.cu, s.start_ns, s.end_ns, s.launch));
            for unit in self.slices.chunk_by_mut(|a, b| a.cu == b.cu) {
                let mut lanes = Lanes::default();
                unit.iter_mut().for_each(|s| s.slot = lanes.give(s.start_ns, s.end_ns));
            }
        }
        self.slices.sort_unstable_by_key(|s| (s.cu, s.slot, s.start_ns, s.end_ns, s.launch));
        (self.grain, self.slices)
    }
}

impl Slice {
    /// Joins another slice to this one, if it is of the same launch and compute unit and overlaps
    /// or touches this one. Returns whether it did.
    fn take_in(&mut self, other: &Self) -> bool {
        let of_one = (self.cu, self.launch) == (other.cu, other.launch);
        if !of_one || other.start_ns > self.end_ns || self.start_ns > other.end_ns {
            return false;
        }
        self.start_ns = self.start_ns.min(other.start_ns);
        (self.end_ns, self.ending) = (self.end_ns, self.ending).max((other.end_ns, other.ending));
        self.workgroups = self.workgroups.saturating_add(other.workgroups);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(cu: u16, launch: u32, start_ns: u64, end_ns: u64) -> Slice {
        Slice { start_ns, end_ns, workgroups: 1, launch, slot: 0, cu, ending: Ending::Ended }
    }

    fn filled(most: usize, spans: &[(u16, u32, u64, u64)]) -> (Grain, Vec<Slice>) {
        let mut store = SliceStore::new(most);
        for &(cu, launch, since, until) in spans {
            store.add(slice(cu, launch, since, until));
        }
        store.finish()
    }

    /// Lists (compute unit, lane, launch, from, to, workgroups) of slices.
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
    fn at_full_grain_the_window_ends_where_there_are_enough() {
        let mut store = SliceStore { ends_full: true, ..SliceStore::new(4) };
        for &(cu, launch, since, until) in &SPANS {
            store.add(slice(cu, launch, since, until));
        }
        // The fifth slice begins at 10, after the fourth has ended at 5; the sixth began before.
        assert_eq!(store.window, (0, 5));
        let (grain, slices) = store.finish();
        assert_eq!((grain, slices.len()), (Grain::Slot, 5));
    }

    #[test]
    fn memory_stays_within_twice_what_is_wanted() {
        let mut store = SliceStore::new(100);
        for at in 0..10_000 {
            for _ in 0..32 {
                store.add(slice(3, at % 40, u64::from(at), u64::from(at) + 50));
                assert!(store.slices.len() <= 200);
            }
        }
        let (grain, slices) = store.finish();
        assert_eq!((grain, slices.len()), (Grain::Cu, 40));
        assert_eq!(slices.iter().map(|slice| slice.workgroups).sum::<u64>(), 320_000);
    }
}
