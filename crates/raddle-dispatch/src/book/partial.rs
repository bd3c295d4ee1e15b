//! How do workgroups start and end wave by wave?
//!
//! LDS, barrier and workgroup slot are taken with the first wave and given back with the last.

use raddle_policy::{Cus, Launch, MAX_SIMDS, Piece, take_highest};

use super::begun::Partial;
use super::error::Reason;
use super::free_units::FreeUnits;
use super::on_device::{Asked, OnDevice};
use super::{BookError, add, named, named_twice, total};

impl FreeUnits {
    /// Starts `count` waves, from the wave `first` on, of the single workgroup that `asked` names.
    pub(super) fn start_waves(
        &mut self,
        on: &mut OnDevice,
        asked: Asked<'_>,
        (first, count): (u16, u16),
    ) -> Result<(), BookError> {
        let (launch, demand) = (asked.launch, asked.launch.demand);
        let &[Piece { first: workgroup, count: 1, cu, .. }] = asked.pieces else {
            let workgroup = asked.pieces.first().map_or(0, |piece| piece.first);
            return Err(BookError(Reason::Waves { launch: launch.id, workgroup }));
        };
        let known = on.partial.get(&workgroup).copied().filter(|it| it.started < demand.waves);
        match known {
            Some(Partial { cu: there, started: wave, .. }) if (there, wave) != (cu, first) => {
                let (launch, cu) = (launch.id, there);
                return Err(BookError(Reason::GoesOn { launch, workgroup, wave, cu }));
            }
            Some(_) => {}
            None if asked.draining => {
                return Err(BookError(Reason::NothingLeft { launch: launch.id }));
            }
            None => on.check_next(launch, workgroup)?,
        }
        let end = u32::from(first) + u32::from(count);
        let follows = known.is_some() || first == 0;
        if !follows || count == 0 || end > u32::from(demand.waves) {
            return Err(BookError(Reason::Waves { launch: launch.id, workgroup }));
        }
        let split = self
            .cus
            .fill(cu, &demand, u32::from(count))
            .filter(|split| self.cus.take_split(cu, &demand, split, u32::from(first == 0)))
            .ok_or(BookError(Reason::Overcommit { launch: launch.id, cu }))?;
        if known.is_none() {
            on.advance(1);
            on.waiting += 1;
        }
        let none = Partial { cu, split: [0; MAX_SIMDS], started: 0, ended: 0 };
        let partial = on.partial.entry(workgroup).or_insert(none);
        add(&mut partial.split, &split);
        partial.started += count;
        on.waiting -= u64::from(partial.started == demand.waves);
        on.waves += u64::from(count);
        Ok(())
    }
}

impl OnDevice {
    pub(super) fn end_waves(
        &mut self,
        launch: &Launch,
        (first, count): (u16, u16),
        pieces: &[Piece],
        cus: &mut Cus,
    ) -> Result<u64, BookError> {
        let (demand, launch, mut ended) = (launch.demand, launch.id, 0);
        if total(pieces) > self.partial.len() as u64 {
            let workgroup = pieces.first().map_or(0, |piece| piece.first);
            return Err(BookError(Reason::Waves { launch, workgroup }));
        }
        for (workgroup, cu) in named(pieces) {
            let fits = self.partial.get(&workgroup).is_some_and(|partial| {
                partial.cu == cu
                    && count > 0
                    && u32::from(first) + u32::from(count) <= u32::from(partial.started)
                    && u32::from(partial.ended) + u32::from(count) <= u32::from(partial.started)
            });
            if !fits {
                return Err(BookError(Reason::Waves { launch, workgroup }));
            }
        }
        if let Some(workgroup) = named_twice(pieces) {
            return Err(BookError(Reason::Waves { launch, workgroup }));
        }
        for (workgroup, cu) in named(pieces) {
            let Some(partial) = self.partial.get_mut(&workgroup) else {
                return Err(BookError(Reason::Waves { launch, workgroup }));
            };
            let Some(split) = take_highest(&mut partial.split, u32::from(count)) else {
                return Err(BookError(Reason::Waves { launch, workgroup }));
            };
            partial.ended += count;
            // LDS, barrier and slot go with the last wave (seed 003, reading C2).
            let done = partial.ended == demand.waves;
            cus.give_split(cu, &demand, &split, u32::from(done));
            self.waves -= u64::from(count);
            if done {
                self.partial.remove(&workgroup);
                ended += 1;
            }
        }
        Ok(ended)
    }
}
