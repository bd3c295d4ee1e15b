//! How do the parts of a cut workgroup, which may be on several compute units, start and end?
//!
//! Each part takes the slot and the LDS of a whole workgroup, and gives them back when it ends; a
//! part of several waves takes the barriers too.

use raddle_policy::{CuId, Cus, Launch, Piece, WaveSpan};

use super::addressed::split_of;
use super::begun::CutPart;
use super::error::Reason;
use super::free_units::FreeUnits;
use super::on_device::{Asked, OnDevice};
use super::{BookError, named, named_twice, sum, total};

impl FreeUnits {
    /// Starts `count` waves, from the wave `first` on, of a launch's next workgroup, which is cut:
    /// its waves may start on different compute units.
    pub(super) fn start_cut(
        &mut self,
        on: &mut OnDevice,
        asked: Asked<'_>,
        (first, count): (u16, u16),
    ) -> Result<(), BookError> {
        let (cu, end) = on.check_cut(asked, (first, count))?;
        let (launch, places) = (asked.launch, asked.places);
        let demand = launch.demand.of(WaveSpan::Cut { first, count });
        let split = if places.is_empty() {
            self.cus.fill(cu, &demand, u32::from(count))
        } else {
            let split = split_of(places, self.cus.shape().simds);
            let split = split.filter(|_| places.len() == usize::from(count));
            Some(split.ok_or(BookError(Reason::Places { launch: launch.id }))?)
        };
        let split = split
            .filter(|split| self.cus.take_split(cu, &demand, split, 1))
            .ok_or(BookError(Reason::Overcommit { launch: launch.id, cu }))?;
        on.parts.insert((on.next, first), CutPart { cu, split });
        on.waves += u64::from(count);
        on.cut = end;
        if end == launch.demand.waves {
            on.cut = 0;
            on.next += 1;
        }
        Ok(())
    }
}

impl OnDevice {
    /// Checks a start of `count` waves, from the wave `first` on, of a cut workgroup, against law 8
    /// of the trait `Allocate`: they must be the next waves of the launch's next workgroup. Returns
    /// (compute unit, number of waves of the workgroup that have started after this start).
    fn check_cut(
        &self,
        asked: Asked<'_>,
        (first, count): (u16, u16),
    ) -> Result<(CuId, u16), BookError> {
        let (id, workgroup) = (asked.launch.id, self.next);
        if asked.launch.barrier.possible() {
            return Err(BookError(Reason::CutAtBarrier { launch: id }));
        }
        let left = !asked.draining && self.next < asked.launch.workgroups;
        let cu = match *asked.pieces {
            [Piece { first, count: 1, cu, .. }] if left && first == self.next => cu,
            _ => return Err(BookError(Reason::CutOne { launch: id, workgroup })),
        };
        let end = u32::from(first) + u32::from(count);
        if first != self.cut || count == 0 || end > u32::from(asked.launch.demand.waves) {
            let wave = self.cut;
            return Err(BookError(Reason::CutGoesOn { launch: id, workgroup, wave }));
        }
        Ok((cu, first + count))
    }

    pub(super) fn end_cut(
        &mut self,
        launch: &Launch,
        (first, count): (u16, u16),
        pieces: &[Piece],
        cus: &mut Cus,
    ) -> Result<u64, BookError> {
        let (id, demand) = (launch.id, launch.demand);
        let workgroup = pieces.first().map_or(0, |piece| piece.first);
        // The number is checked first, so that no piece, however large, is gone through in vain.
        if total(pieces) > self.parts.len() as u64 {
            return Err(BookError(Reason::Waves { launch: id, workgroup }));
        }
        for (workgroup, cu) in named(pieces) {
            let part = self.parts.get(&(workgroup, first));
            if !part.is_some_and(|it| it.cu == cu && sum(&it.split) == u32::from(count)) {
                return Err(BookError(Reason::Waves { launch: id, workgroup }));
            }
        }
        if let Some(workgroup) = named_twice(pieces) {
            return Err(BookError(Reason::Waves { launch: id, workgroup }));
        }
        let (mut ended, span) = (0, WaveSpan::Cut { first, count });
        for (workgroup, cu) in named(pieces) {
            if let Some(part) = self.parts.remove(&(workgroup, first)) {
                cus.give_split(cu, &demand.of(span), &part.split, 1);
                self.waves -= u64::from(count);
            }
            // A workgroup has ended when no part of it lies there and none is to start.
            let lies = self.parts.range((workgroup, 0)..=(workgroup, u16::MAX)).next().is_some();
            let begun = self.cut > 0 && workgroup == self.next;
            ended += u64::from(!lies && !begun);
        }
        Ok(ended)
    }
}
