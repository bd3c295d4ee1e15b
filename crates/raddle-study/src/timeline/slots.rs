//! Which launch holds which workgroup slot of a compute unit, from when to when?
//!
//! A workgroup takes the lowest free slot. If a workgroup of the same launch follows in a slot
//! within the tick in which the one before it ended, the slice (bar) goes on. Slices are kept for
//! each slot; as soon as there are more than wanted, for each compute unit; if even those are too
//! many, not at all. So at most twice as many slices as wanted are in memory.

use super::lanes::Lanes;
use super::model::{Ending, Grain, Slice};

/// Key of workgroups that started together and end by the same event of the simulation. Waves of
/// one workgroup can have such a key too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GroupKey {
    /// Workgroups of one launch that started at the same time and end by one event (a front), by
    /// the number of the front.
    Front(u32),
    /// A workgroup whose waves start and end one by one, by its number in the launch.
    Workgroup(u64),
    /// Some waves of a workgroup whose waves start and end one by one: (number of the workgroup,
    /// first of these waves).
    Part(u64, u16),
}

/// Workgroup slots of one bank (up to 64 neighbouring slots) whose workgroups started and ended at
/// the same times, so that they share this entry. The slots are in use, or were.
#[derive(Clone, Copy, Debug)]
struct AlikeSlots {
    /// Slots of the entry, as one bit for each slot of the bank; at least one bit is set.
    slots: u64,
    key: GroupKey,
    launch: u32,
    /// Time at which the slice (bar) in each of these slots starts, in ns.
    since: u64,
    /// Number of workgroups that have ended in the slice (bar) of each of these slots.
    done: u64,
    /// Time in ns at which the last workgroups in these slots ended, if no workgroup has started
    /// there since; else `None`.
    ended: Option<u64>,
}

impl AlikeSlots {
    /// Returns whether the workgroups in these slots belong to `launch` and have not ended.
    fn are_held_by(&self, launch: u32) -> bool {
        self.ended.is_none() && self.launch == launch
    }
}

/// A bank of up to 64 neighbouring workgroup slots of a compute unit. Slots with equal histories
/// share one entry, as many workgroups start and end together.
#[derive(Clone, Debug, Default)]
struct SlotBank {
    /// Slots in which a workgroup is, as one bit for each slot.
    taken: u64,
    /// Entries of the bank: each slot that was ever used is in exactly one of them.
    alike: Vec<AlikeSlots>,
}

impl SlotBank {
    /// Places up to `count` workgroups of a launch in the lowest free slots of the bank at the time
    /// `now`, in ns, and returns how many found room. A slice (bar) ends where its slot is used
    /// again by another launch, or after a pause; such slots are added to `over`.
    fn start(
        &mut self,
        now: u64,
        launch: u32,
        key: GroupKey,
        count: u32,
        over: &mut Vec<AlikeSlots>,
    ) -> u32 {
        let slots = lowest(!self.taken, count);
        self.taken |= slots;
        let mut new = slots;
        let mut at = 0;
        while at < self.alike.len() {
            let old = &mut self.alike[at];
            let again = old.slots & slots;
            let Some(ended) = old.ended.filter(|_| again != 0) else {
                at += 1;
                continue;
            };
            let goes_on = old.launch == launch && ended == now;
            if goes_on {
                new &= !again;
            } else {
                over.push(AlikeSlots { slots: again, ..*old });
            }
            let rest = AlikeSlots { slots: old.slots & !again, ..*old };
            match (goes_on, rest.slots) {
                (true, 0) => (old.key, old.ended) = (key, None),
                (true, _) => {
                    *old = AlikeSlots { slots: again, key, ended: None, ..rest };
                    // This start takes none of the rest, so the loop passes that entry by.
                    self.alike.push(rest);
                }
                (false, 0) => {
                    self.alike.swap_remove(at);
                    continue;
                }
                (false, _) => *old = rest,
            }
            at += 1;
        }
        if new != 0 {
            let new = AlikeSlots { slots: new, key, launch, since: now, done: 0, ended: None };
            self.alike.push(new);
        }
        slots.count_ones()
    }

    /// Ends those workgroups in this bank of slots that have the key `key`, as [`UnitSlots::end`]
    /// does for all banks of a compute unit.
    fn end(&mut self, now: u64, launch: u32, key: GroupKey, done: u64) {
        for alike in &mut self.alike {
            if alike.key == key && alike.are_held_by(launch) {
                alike.done += done;
                alike.ended = Some(now);
                self.taken &= !alike.slots;
            }
        }
    }
}

/// Returns the lowest bits that are set in `bits`, at most `count` of them.
fn lowest(bits: u64, count: u32) -> u64 {
    if bits.count_ones() <= count {
        return bits;
    }
    let mut rest = bits;
    for _ in 0..count {
        rest &= rest - 1;
    }
    bits & !rest
}

/// Returns the positions of the bits that are set in `bits`, in ascending order.
fn ones(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (lowest < u64::BITS).then_some(lowest)
    })
}

/// Workgroup slots of one compute unit, with the workgroups in them.
#[derive(Clone, Debug, Default)]
pub(super) struct UnitSlots {
    cu: u16,
    /// Slots of the compute unit in banks of 64, the lowest slots first.
    banks: Vec<SlotBank>,
    /// Slots whose slices (bars) end during a call; the list is kept between calls, so that none
    /// has to allocate memory.
    over: Vec<AlikeSlots>,
}

impl UnitSlots {
    pub(super) const fn new(cu: u16) -> Self {
        Self { cu, banks: Vec::new(), over: Vec::new() }
    }

    /// Places `count` workgroups of a launch in the lowest free slots at the time `now`, in ns.
    /// Slices (bars) that end as their slot is used again are added to the store `to`.
    pub(super) fn start(
        &mut self,
        now: u64,
        launch: u32,
        key: GroupKey,
        count: u32,
        to: &mut SliceStore,
    ) {
        let (mut left, mut bank) = (count, 0);
        while left > 0 {
            if bank == self.banks.len() {
                self.banks.push(SlotBank::default());
            }
            left -= self.banks[bank].start(now, launch, key, left, &mut self.over);
            self.close_in_order(bank, to, |over| (over.ended.unwrap_or(now), Ending::Ended));
            bank += 1;
        }
    }

    /// Adds the slices (bars) of the slots in `over`, all of the bank `bank`, to the store in the
    /// order of the slots. `end` returns for a slot (time in ns at which its slice ends, way in
    /// which it ends).
    fn close_in_order(
        &mut self,
        bank: usize,
        to: &mut SliceStore,
        end: impl Fn(&AlikeSlots) -> (u64, Ending),
    ) {
        self.over.retain(|over| to.takes(over.since, end(over).0, over.done));
        let all = self.over.iter().fold(0, |all, over| all | over.slots);
        for slot in ones(all) {
            let over = self.over.iter().find(|over| over.slots >> slot & 1 == 1);
            let over = over.expect("the slot is one of these");
            let AlikeSlots { launch, since: start_ns, done: workgroups, .. } = *over;
            let (end_ns, ending) = end(over);
            let slot = bank as u32 * u64::BITS + slot;
            to.add(Slice { start_ns, end_ns, workgroups, launch, slot, cu: self.cu, ending });
        }
        self.over.clear();
    }

    /// Ends the workgroups with the key `key` at the time `now`, in ns. In each of their slots
    /// `done` is added to the number of ended workgroups: 1, or 0 where other waves of the
    /// workgroup still run.
    pub(super) fn end(&mut self, now: u64, launch: u32, key: GroupKey, done: u64) {
        self.banks.iter_mut().for_each(|bank| bank.end(now, launch, key, done));
    }

    /// Removes all unfinished workgroups of a launch from their slots, as a preemption does, and
    /// adds (compute unit, key) of each to `left`. Their slices (bars) end at `now`, in ns, in the
    /// way `ending`, and are added to the store `to`.
    pub(super) fn lift(
        &mut self,
        now: u64,
        launch: u32,
        ending: Ending,
        to: &mut SliceStore,
        left: &mut Vec<(u16, GroupKey)>,
    ) {
        let first = left.len();
        for at in 0..self.banks.len() {
            let bank = &mut self.banks[at];
            let leave = bank.alike.extract_if(.., |alike| alike.are_held_by(launch));
            for alike in leave {
                bank.taken &= !alike.slots;
                left.extend(ones(alike.slots).map(|_| (self.cu, alike.key)));
                self.over.push(alike);
            }
            self.close_in_order(at, to, |_| (now, ending));
        }
        left[first..].sort_unstable();
    }

    /// Adds all slices (bars) that are still open to the store `to`; `now` is the end of the
    /// simulation in ns.
    pub(super) fn close(&mut self, now: u64, to: &mut SliceStore) {
        for at in 0..self.banks.len() {
            self.over = std::mem::take(&mut self.banks[at].alike);
            self.close_in_order(at, to, |alike| match alike.ended {
                Some(ended) => (ended, Ending::Ended),
                None => (now.max(alike.since), Ending::Unfinished),
            });
        }
        self.banks.clear();
    }
}

/// Store of finished slices (bars) of a timeline. Where there are too many, it joins them, and less
/// detail remains.
#[derive(Debug)]
pub(super) struct SliceStore {
    /// Part of the simulated time that is drawn, as (begin, end) in ns; slices (bars) that lie
    /// entirely outside are dropped.
    pub(super) window: (u64, u64),
    /// True if the timeline ends where the largest number of slices (bars) is reached; false if
    /// slices are joined then.
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

    /// Returns whether the store keeps a slice (bar) from `start_ns` to `end_ns` in which
    /// `workgroups` workgroups ended. It must touch the part of the time that is drawn, and have a
    /// length or at least one ended workgroup.
    fn takes(&self, start_ns: u64, end_ns: u64, workgroups: u64) -> bool {
        let empty = start_ns == end_ns && workgroups == 0;
        let outside = end_ns < self.window.0 || start_ns > self.window.1;
        !empty && !outside && self.grain < Grain::Launch
    }

    /// Adds a slice (bar) to the store, if [`Self::takes`] says that it is kept.
    fn add(&mut self, slice: Slice) {
        if !self.takes(slice.start_ns, slice.end_ns, slice.workgroups) {
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

    /// Joins slices (bars) of the same launch on the same compute unit that overlap or touch; drops
    /// all slices if there are still too many.
    fn compact(&mut self) {
        self.slices.sort_unstable_by_key(|s| (s.cu, s.launch, s.start_ns, s.end_ns, s.ending));
        self.slices.dedup_by(|next, kept| kept.take_in(next));
        if self.slices.len() > self.most {
            self.grain = Grain::Launch;
            self.slices = Vec::new();
        }
    }

    /// Returns (level of detail that was reached, slices in order of compute unit, slot and time).
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
    /// Extends this slice (bar) by `other`, if both are of the same launch and compute unit and
    /// overlap or touch. Returns whether it did.
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
