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

/// Slots of one bank whose last workgroups have the same history: they are taken, or were.
#[derive(Clone, Copy, Debug)]
struct AlikeSlots {
    /// One bit for each slot of the bank; at least one is set.
    slots: u64,
    key: GroupKey,
    launch: u32,
    /// Begin of the slice in each of these slots, in ns.
    since: u64,
    /// Number of workgroups that have ended in the slice of each of these slots.
    done: u64,
    /// End of the last workgroups in ns, if no workgroups have followed yet; else `None`.
    ended: Option<u64>,
}

impl AlikeSlots {
    /// Returns whether these slots hold workgroups of a launch that have not ended.
    fn are_held_by(&self, launch: u32) -> bool {
        self.ended.is_none() && self.launch == launch
    }
}

/// Workgroup slots that follow each other on one compute unit. Workgroups of a front mostly take
/// and leave many slots at once, so slots with one history have one entry.
#[derive(Clone, Debug, Default)]
struct SlotBank {
    /// One bit for each slot, set while a workgroup is in it.
    taken: u64,
    /// Slots by their history; each slot that was ever taken is in one entry.
    alike: Vec<AlikeSlots>,
}

impl SlotBank {
    /// Places workgroups of a launch in the lowest free slots at the time `now`, in ns, at most
    /// `count` and as many as there is room for. Returns their number. The slots whose slices end
    /// for that, as they are taken again, are added to `over`.
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

    /// Ends the workgroups that were started under a key, as [`UnitSlots::end`] says.
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

/// Returns the positions of the bits that are set, ascending.
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
    /// Slots in banks of 64, the lowest first.
    banks: Vec<SlotBank>,
    /// Slots whose slices end in one call, kept so that no call allocates memory.
    over: Vec<AlikeSlots>,
}

impl UnitSlots {
    pub(super) const fn new(cu: u16) -> Self {
        Self { cu, banks: Vec::new(), over: Vec::new() }
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

    /// Adds the slices of the slots in `over`, of one bank, to the store in the order of the slots;
    /// `end` returns their end, in ns, and the way in which they end.
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

    /// Ends the workgroups that were started under a key at the time `now`, in ns, and adds `done`
    /// to the count of each slot: 0 where other waves of the same workgroup are still running, else
    /// 1.
    pub(super) fn end(&mut self, now: u64, launch: u32, key: GroupKey, done: u64) {
        self.banks.iter_mut().for_each(|bank| bank.end(now, launch, key, done));
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

    /// Adds to `to` the slices of all slots that are still taken at `now`, the end of the
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

    /// Returns whether a slice from `start_ns` to `end_ns`, in which `workgroups` workgroups ended,
    /// is kept: it lies in the drawn part, and took time or a workgroup ended in it.
    fn takes(&self, start_ns: u64, end_ns: u64, workgroups: u64) -> bool {
        let empty = start_ns == end_ns && workgroups == 0;
        let outside = end_ns < self.window.0 || start_ns > self.window.1;
        !empty && !outside && self.grain < Grain::Launch
    }

    /// Adds a slice, if it is kept.
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
