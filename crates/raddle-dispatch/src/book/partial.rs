//! How do workgroups start and end wave by wave?
//!
//! LDS, barrier and workgroup slot are taken with the first wave and given back with the last.

use raddle_policy::{CuId, Cus, Launch, LaunchId, MAX_SIMDS, Piece, Split, take_highest};

use super::{Book, BookError, ResidentLaunch, add, named, named_twice, total};
use crate::book::Reason;

#[derive(Clone, Copy, Debug)]
pub(super) struct Partial {
    pub(super) cu: CuId,
    pub(super) split: Split,
    pub(super) started: u16,
    pub(super) ended: u16,
}

impl Book {
    pub(super) fn start_waves(
        &mut self,
        launch: &Launch,
        first: u16,
        count: u16,
        pieces: &[Piece],
    ) -> Result<(), BookError> {
        let (id, demand) = (launch.id, launch.demand);
        let &[Piece { first: workgroup, count: 1, cu, .. }] = pieces else {
            let workgroup = pieces.first().map_or(0, |piece| piece.first);
            return Err(BookError(Reason::Waves { launch: id, workgroup }));
        };
        let resident = self.resident.get(id);
        let known = resident.and_then(|resident| resident.partial.get(&workgroup));
        let started = known.map_or(0, |partial| partial.started);
        let whole = resident.is_some_and(|it| it.addressed.get(workgroup).is_some());
        let in_order = !whole
            && started == first
            && known.is_none_or(|partial| partial.cu == cu)
            && count > 0
            && u32::from(first) + u32::from(count) <= u32::from(demand.waves);
        if !in_order {
            return Err(BookError(Reason::Waves { launch: id, workgroup }));
        }
        let fresh = known.is_none();
        let split = self
            .cus
            .fill(cu, &demand, u32::from(count))
            .filter(|split| self.cus.take_split(cu, &demand, split, u32::from(fresh)))
            .ok_or(BookError(Reason::Overcommit { launch: id, cu }))?;
        let resident = Self::entry(&mut self.resident, &mut self.spare, self.cus.len(), launch);
        let none = Partial { cu, split: [0; MAX_SIMDS], started: 0, ended: 0 };
        let partial = resident.partial.entry(workgroup).or_insert(none);
        add(&mut partial.split, &split);
        partial.started += count;
        resident.waves += u64::from(count);
        Ok(())
    }
}

impl ResidentLaunch {
    pub(super) fn end_waves(
        &mut self,
        launch: LaunchId,
        (first, count): (u16, u16),
        pieces: &[Piece],
        cus: &mut Cus,
    ) -> Result<u64, BookError> {
        let (demand, mut ended) = (self.demand, 0);
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
