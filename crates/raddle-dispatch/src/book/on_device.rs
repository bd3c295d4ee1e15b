//! What does the dispatcher know of one launch: which of its workgroups have started, which are
//! assigned to a compute unit, and where are their waves?
//!
//! [`FreeUnits::start`](super::FreeUnits::start) checks each start of workgroups by this account
//! before it is recorded here, so no record has to be undone.

use alloc::collections::{BTreeMap, BTreeSet};

use raddle_policy::{CuId, Demand, Launch, MAX_SIMDS, PerCu, Piece, Place, Split, WaveSpan};

use super::begun::{CutPart, Partial};
use super::error::Reason;
use super::names::Names;
use super::{BookError, sum};

/// The account of one launch on the device, from the first start or assignment of a workgroup until
/// the last workgroup has ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct OnDevice {
    /// The number of the lowest workgroup that was never started or assigned to a compute unit.
    pub(super) next: u64,
    /// The number of workgroups of the launch that have ended.
    pub(super) ended: u64,
    /// The workgroups below `next` that were assigned to a compute unit but not started when the
    /// launch was saved; they are to be placed again.
    pub(super) returned: BTreeSet<u64>,
    /// The number of waves of the workgroup `next` that have started, if it was cut (its waves may
    /// be on different compute units); else 0.
    pub(super) cut: u16,
    /// The parts (some waves each) of cut workgroups that are on the device, by (workgroup, first
    /// wave of the part). The waves of a cut workgroup may be on different compute units.
    pub(super) parts: BTreeMap<(u64, u16), CutPart>,
    /// The workgroups that are assigned to a compute unit, or that start wave by wave, by workgroup
    /// number; `waiting` is the number of them that have waves left to start.
    pub(super) partial: BTreeMap<u64, Partial>,
    pub(super) waiting: u64,
    /// The whole workgroups that started with known addresses: their numbers, compute units and
    /// SIMDs.
    pub(super) addressed: Names,
    /// The waves of whole workgroups that started without addresses, as a number for each SIMD of
    /// each compute unit; empty while no wave of the launch is on the device.
    pub(super) counted: PerCu<Split>,
    /// The number of waves of the launch that are on the device; while the launch is saved off the
    /// device, the number that were there.
    pub(super) waves: u64,
    /// True while the launch is saved off the device: its waves hold no resources until they come
    /// back to their old places.
    pub(super) saved: bool,
}

/// A start of workgroups with which a policy has answered. `draining` is true if the launch is
/// being drained, so that only workgroups that are assigned to a compute unit may start.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) launch: &'a Launch,
    pub(crate) draining: bool,
    pub(crate) waves: WaveSpan,
    pub(crate) pieces: &'a [Piece],
    /// The addresses of all waves that start; empty where the policy gives none.
    pub(crate) places: &'a [Place],
}

impl OnDevice {
    /// Returns the next workgroups of the launch to start or assign, as (first number, one more
    /// than the last number). Workgroups that lost their assignment when the launch was saved come
    /// first, one run of consecutive numbers at a time; then all that were never started or
    /// assigned.
    pub(crate) fn head(&self, launch: &Launch) -> (u64, u64) {
        match self.returned.first() {
            // A workgroup that was cut comes first: no other workgroup starts before its last wave.
            Some(&first) if self.cut == 0 => {
                let run = (first..).zip(&self.returned).take_while(|(at, group)| at == *group);
                (first, first + run.count() as u64)
            }
            _ => (self.next, launch.workgroups),
        }
    }

    /// Returns the number of workgroups of the launch that are neither started nor assigned to a
    /// compute unit.
    pub(crate) fn undistributed(&self, launch: &Launch) -> u64 {
        launch.workgroups - self.next + self.returned.len() as u64
    }

    /// Returns the number of workgroups that are assigned to a compute unit or partly started, and
    /// have waves left to start.
    pub(crate) const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Returns the number of waves of the next workgroup that have started, if it was cut (its
    /// waves may be on different compute units); else 0.
    pub(crate) const fn cut(&self) -> u16 {
        self.cut
    }

    pub(crate) const fn has_started(&self) -> bool {
        self.next > 0 || self.cut > 0
    }

    pub(crate) const fn is_over(&self, launch: &Launch) -> bool {
        self.ended >= launch.workgroups
    }

    pub(crate) const fn resident_waves(&self) -> u64 {
        if self.saved { 0 } else { self.waves }
    }

    pub(crate) const fn is_saved(&self) -> bool {
        self.saved
    }

    /// Returns the waves of the launch on each SIMD of each compute unit. `None` where no wave is
    /// on the device, or where some of its workgroups there are not whole or have known addresses.
    pub(crate) fn counted(&self) -> Option<&PerCu<Split>> {
        let plain = self.addressed.is_empty() && self.partial.is_empty();
        let here = self.resident_waves() > 0 && self.parts.is_empty() && self.cut == 0;
        (plain && here).then_some(&self.counted)
    }

    /// Skips ahead by `count` workgroups, as if they had started and ended. Returns whether it did;
    /// false, with nothing changed, where workgroups do not start in the plain order of their
    /// numbers, or where no workgroup would be left to start.
    pub(crate) fn move_on(&mut self, count: u64, launch: &Launch) -> bool {
        let is_plain = self.cut == 0 && self.partial.is_empty() && self.returned.is_empty();
        let fits = is_plain && count < launch.workgroups - self.next;
        if fits {
            self.next += count;
            self.ended += count;
        }
        fits
    }

    /// Records that the workgroup `group` is assigned to a compute unit.
    ///
    /// # Errors
    /// When the workgroup is not the next one of the launch; nothing has changed then.
    pub(crate) fn assign(
        &mut self,
        launch: &Launch,
        group: u64,
        cu: CuId,
    ) -> Result<(), BookError> {
        self.check_next(launch, group)?;
        self.advance(1);
        let none = Partial { cu, split: [0; MAX_SIMDS], started: 0, ended: 0 };
        self.partial.insert(group, none);
        self.waiting += 1;
        Ok(())
    }

    /// Cancels the assignments of workgroups that have not started, when the launch is saved, so
    /// that these workgroups are placed again.
    pub(crate) fn unbind(&mut self) {
        let assigned = self.partial.iter().filter(|(_, it)| it.started == 0);
        self.returned.extend(assigned.map(|(&group, _)| group));
        let before = self.partial.len();
        self.partial.retain(|_, it| it.started > 0);
        self.waiting -= (before - self.partial.len()) as u64;
        while self.cut == 0 && self.next > 0 && self.returned.remove(&(self.next - 1)) {
            self.next -= 1;
        }
    }

    /// Records that the next `count` workgroups of the launch have started or been assigned.
    pub(super) fn advance(&mut self, count: u64) {
        match self.returned.first().copied().filter(|_| self.cut == 0) {
            Some(first) => (first..first + count).for_each(|group| {
                self.returned.remove(&group);
            }),
            None => self.next += count,
        }
    }

    /// Checks that `group` is the next workgroup of the launch to start or assign; else returns an
    /// error.
    pub(super) fn check_next(&self, launch: &Launch, group: u64) -> Result<(), BookError> {
        self.check_not_cut(launch)?;
        let (next, end) = self.head(launch);
        if next >= end {
            return Err(BookError(Reason::NothingLeft { launch: launch.id }));
        }
        if group != next {
            return Err(BookError(Reason::NotNext { launch: launch.id, next }));
        }
        Ok(())
    }

    /// Checks that no cut workgroup of the launch (its waves may be on different compute units) has
    /// waves left to start. By law 8 of the trait `Allocate`, no other workgroup of the launch
    /// starts before them.
    pub(super) fn check_not_cut(&self, launch: &Launch) -> Result<(), BookError> {
        match self.cut {
            0 => Ok(()),
            wave => {
                let (launch, workgroup) = (launch.id, self.next);
                Err(BookError(Reason::CutGoesOn { launch, workgroup, wave }))
            }
        }
    }

    /// Returns the resources that the launch holds, as (compute unit, waves on each SIMD, number of
    /// workgroups, demand of each workgroup). A part of a cut workgroup counts as a workgroup. A
    /// compute unit may come several times. `demand` is the demand of a whole workgroup.
    pub(super) fn each_unit(
        &self,
        demand: Demand,
    ) -> impl Iterator<Item = (CuId, Split, u32, Demand)> + Clone {
        let waves = u32::from(demand.waves).max(1);
        let runs = self.counted.runs(0..self.counted.len());
        let counted = runs.filter(|(_, split)| sum(split) > 0).flat_map(move |(units, split)| {
            // Compute units are numbered by u16.
            units.map(move |cu| (CuId(cu as u16), *split, sum(split) / waves))
        });
        let begun = self.partial.values().filter(|it| it.started > 0);
        let partial = begun.map(|it| (it.cu, it.split, 1));
        let whole = counted.chain(self.addressed.places()).chain(partial);
        let whole = whole.map(move |(cu, split, groups)| (cu, split, groups, demand));
        let cut = self.parts.values().map(move |part| {
            // A part has no more waves than a u16 counts.
            let span = WaveSpan::Cut { first: 0, count: sum(&part.split) as u16 };
            (part.cu, part.split, 1, demand.of(span))
        });
        whole.chain(cut)
    }

    /// Returns the compute units on which the launch holds waves or a workgroup slot; a compute
    /// unit may come more than once.
    pub(crate) fn units(&self, launch: &Launch) -> impl Iterator<Item = CuId> {
        let here = (!self.saved).then(|| self.each_unit(launch.demand));
        here.into_iter().flatten().map(|(cu, ..)| cu)
    }
}
