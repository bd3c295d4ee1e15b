//! Which workgroup slots of one compute unit does each launch hold, and since when?
//!
//! A workgroup takes the lowest free slot. Slots that one launch took and gave back in the same
//! ticks are one group, so that a piece of many workgroups is one step. A group that has ended waits
//! for the end of its tick: what of the same launch takes its slots by then continues its slices.

use super::super::model::Ending;

use super::slots::Slots;
use super::store::SliceStore;

/// What ends together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GroupKey {
    /// The whole workgroups of a front.
    Front(u32),
    /// One workgroup whose waves come and go by themselves.
    Workgroup(u64),
    /// A part of a workgroup that was cut, by its first wave.
    Part(u64, u16),
}

/// Slots with one history.
#[derive(Debug)]
struct SlotGroup {
    key: GroupKey,
    launch: u32,
    /// When their slices began.
    since: u64,
    /// Workgroups that ended in each of them since.
    done: u64,
    slots: Slots,
    /// When the last of those ended, if none has followed yet.
    ended: Option<u64>,
}

/// One compute unit.
#[derive(Debug)]
pub(super) struct UnitSlots {
    cu: u16,
    taken: Slots,
    groups: Vec<SlotGroup>,
}

impl UnitSlots {
    pub(super) const fn new(cu: u16, taken: Slots) -> Self {
        Self { cu, taken, groups: Vec::new() }
    }

    /// `count` workgroups take the lowest free slots.
    pub(super) fn start(
        &mut self,
        now: u64,
        launch: u32,
        key: GroupKey,
        count: u32,
        to: &mut SliceStore,
    ) {
        self.settle(now, to);
        let mut rest = self.taken.take_lowest(count);
        let mut at = 0;
        while at < self.groups.len() {
            let group = &mut self.groups[at];
            at += 1;
            if group.ended.is_none() {
                continue;
            }
            if group.launch == launch && rest.holds(&group.slots) {
                // Nearly always: the next round of a launch takes the slots of the one before.
                rest.remove(&group.slots);
                (group.key, group.ended) = (key, None);
                continue;
            }
            let slots = group.slots.split(&rest);
            if slots.is_empty() {
                continue;
            }
            let (since, done, before) = (group.since, group.done, group.launch);
            if group.slots.is_empty() {
                at -= 1;
                self.groups.swap_remove(at);
            }
            if before == launch {
                rest.remove(&slots);
                self.hold(SlotGroup { key, launch, since, done, slots, ended: None });
            } else {
                to.add(self.cu, before, (since, now), done, &slots, Ending::Ended);
            }
        }
        if !rest.is_empty() {
            self.hold(SlotGroup { key, launch, since: now, done: 0, slots: rest, ended: None });
        }
    }

    /// Adds a group, to an equal one where there is one.
    fn hold(&mut self, new: SlotGroup) {
        let equal = |old: &&mut SlotGroup| {
            let times = (old.since, old.done, old.ended) == (new.since, new.done, None);
            times && old.key == new.key && old.launch == new.launch
        };
        match self.groups.iter_mut().find(equal) {
            Some(group) => group.slots.add(&new.slots),
            None => self.groups.push(new),
        }
    }

    /// What was started under this key ends, and with it `done` workgroups: 0 where other parts of
    /// the same one are left, else 1.
    pub(super) fn end(&mut self, now: u64, launch: u32, key: GroupKey, done: u64) {
        for group in &mut self.groups {
            if group.ended.is_none() && group.key == key && group.launch == launch {
                group.done += done;
                group.ended = Some(now);
                self.taken.remove(&group.slots);
            }
        }
    }

    /// Everything of a launch leaves its slots unfinished; how many workgroups of each key did,
    /// added to `left`.
    pub(super) fn lift(
        &mut self,
        now: u64,
        launch: u32,
        ending: Ending,
        to: &mut SliceStore,
        left: &mut Vec<(u16, GroupKey, u32)>,
    ) {
        let first = left.len();
        let (cu, taken) = (self.cu, &mut self.taken);
        self.groups.retain(|group| {
            if group.launch != launch || group.ended.is_some() {
                return true;
            }
            taken.remove(&group.slots);
            to.add(cu, launch, (group.since, now), group.done, &group.slots, ending);
            // A unit holds no more workgroups than fit into a `u16`.
            left.push((cu, group.key, group.slots.count() as u32));
            false
        });
        left[first..].sort_unstable();
    }

    /// Notes the slices that nothing can continue any more.
    fn settle(&mut self, now: u64, to: &mut SliceStore) {
        let cu = self.cu;
        self.groups.retain(|group| match group.ended {
            Some(ended) if ended < now => {
                let span = (group.since, ended);
                to.add(cu, group.launch, span, group.done, &group.slots, Ending::Ended);
                false
            }
            _ => true,
        });
    }

    /// Notes all that is left at the end of the run.
    pub(super) fn close(&mut self, now: u64, to: &mut SliceStore) {
        for group in self.groups.drain(..) {
            let (until, ending) = match group.ended {
                Some(ended) => (ended, Ending::Ended),
                None => (now.max(group.since), Ending::Unfinished),
            };
            let span = (group.since, until);
            to.add(self.cu, group.launch, span, group.done, &group.slots, ending);
        }
    }
}
