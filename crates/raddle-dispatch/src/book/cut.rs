//! How do the parts of a workgroup that was cut start and end?
//!
//! Each part takes the slot and the LDS of a whole workgroup, and gives them back when it ends; a
//! part of several waves takes the barriers too.

use alloc::collections::BTreeMap;

use raddle_policy::{CuId, Cus, Launch, LaunchId, Piece, Place, Split, WaveSpan};

use super::addressed::split_of;
use super::{Book, BookError, ResidentLaunch, named, named_twice, sum, total};
use crate::book::Reason;

/// The workgroups of a launch that were cut into waves, so that each of them starts as several
/// parts of some waves.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuts {
    /// The parts of cut workgroups that are on the device, by (workgroup, first wave of the part).
    lying: BTreeMap<(u64, u16), CutPart>,
    /// The workgroups of which not all waves have started, each with the number of waves that have.
    begun: BTreeMap<u64, u16>,
}

/// One part (some waves) of a workgroup that was cut into waves, while the part is on the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutPart {
    pub(super) cu: CuId,
    pub(super) split: Split,
}

impl Cuts {
    /// Returns whether some workgroup that was cut into waves has waves that have not started.
    pub(super) fn is_begun(&self) -> bool {
        !self.begun.is_empty()
    }

    pub(super) fn lying(&self) -> impl Iterator<Item = &CutPart> + Clone {
        self.lying.values()
    }

    /// Returns the numbers of the workgroups with a part on the device or with waves that have not
    /// started; a workgroup may come more than once.
    pub(super) fn workgroups(&self) -> impl Iterator<Item = u64> {
        self.lying.keys().map(|&(workgroup, _)| workgroup).chain(self.begun.keys().copied())
    }

    /// Returns the number of the next wave to start of a workgroup: the number of those that have
    /// started where it was cut into waves, 0 where nothing of it was cut. `None` where all waves
    /// have started and a part is still on the device.
    fn next_wave(&self, workgroup: u64) -> Option<u16> {
        let lies = || self.lying.range((workgroup, 0)..=(workgroup, u16::MAX)).next().is_some();
        match self.begun.get(&workgroup) {
            Some(&started) => Some(started),
            None if lies() => None,
            None => Some(0),
        }
    }
}

impl Book {
    pub(super) fn start_cut(
        &mut self,
        launch: &Launch,
        (first, count): (u16, u16),
        pieces: &[Piece],
        places: &[Place],
    ) -> Result<(), BookError> {
        let id = launch.id;
        let demand = launch.demand.of(WaveSpan::Cut { first, count });
        let &[Piece { first: workgroup, count: 1, cu, .. }] = pieces else {
            let workgroup = pieces.first().map_or(0, |piece| piece.first);
            return Err(BookError(Reason::Waves { launch: id, workgroup }));
        };
        let in_order = self.resident.get(id).map_or(first == 0, |it| {
            it.cuts.next_wave(workgroup) == Some(first)
                && it.addressed.get(workgroup).is_none()
                && !it.partial.contains_key(&workgroup)
        });
        let end = u32::from(first) + u32::from(count);
        if !in_order || count == 0 || end > u32::from(demand.waves) {
            return Err(BookError(Reason::Waves { launch: id, workgroup }));
        }
        let split = if places.is_empty() {
            self.cus.fill(cu, &demand, u32::from(count))
        } else {
            let split = split_of(places, self.cus.shape().simds);
            let split = split.filter(|_| places.len() == usize::from(count));
            Some(split.ok_or(BookError(Reason::Places { launch: id }))?)
        };
        let split = split
            .filter(|split| self.cus.take_split(cu, &demand, split, 1))
            .ok_or(BookError(Reason::Overcommit { launch: id, cu }))?;
        let resident = Self::entry(&mut self.resident, &mut self.spare, self.cus.len(), launch);
        resident.cuts.lying.insert((workgroup, first), CutPart { cu, split });
        if end < u32::from(demand.waves) {
            resident.cuts.begun.insert(workgroup, first + count);
        } else {
            resident.cuts.begun.remove(&workgroup);
        }
        resident.waves += u64::from(count);
        Ok(())
    }
}

impl ResidentLaunch {
    pub(super) fn end_cut(
        &mut self,
        launch: LaunchId,
        (first, count): (u16, u16),
        pieces: &[Piece],
        cus: &mut Cus,
    ) -> Result<u64, BookError> {
        let workgroup = pieces.first().map_or(0, |piece| piece.first);
        // The number is checked first, so that no piece, however large, is gone through in vain.
        if total(pieces) > self.cuts.lying.len() as u64 {
            return Err(BookError(Reason::Waves { launch, workgroup }));
        }
        for (workgroup, cu) in named(pieces) {
            let part = self.cuts.lying.get(&(workgroup, first));
            if !part.is_some_and(|it| it.cu == cu && sum(&it.split) == u32::from(count)) {
                return Err(BookError(Reason::Waves { launch, workgroup }));
            }
        }
        if let Some(workgroup) = named_twice(pieces) {
            return Err(BookError(Reason::Waves { launch, workgroup }));
        }
        let (mut ended, span) = (0, WaveSpan::Cut { first, count });
        for (workgroup, cu) in named(pieces) {
            if let Some(part) = self.cuts.lying.remove(&(workgroup, first)) {
                cus.give_split(cu, &self.demand.of(span), &part.split, 1);
                self.waves -= u64::from(count);
            }
            // A workgroup has ended when no part of it lies there and none is to start.
            ended += u64::from(self.cuts.next_wave(workgroup) == Some(0));
        }
        Ok(ended)
    }
}
