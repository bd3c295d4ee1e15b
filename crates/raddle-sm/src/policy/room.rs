//! How many workgroups or waves of a launch fit on a compute unit?

use raddle_policy::{CuId, Cus, Demand, Launch};

use crate::blocks::Blocks;
use crate::index::{SmKey, cut, lowness, reversed};
use crate::search::{Room, SmWish};

/// Room that each compute unit has for workgroups and waves of one launch, for the search of the
/// unit that gets a workgroup.
pub(super) struct CuRoom<'a> {
    pub(super) cus: &'a Cus,
    pub(super) tops: &'a [Blocks],
    pub(super) launch: &'a Launch,
}

/// Converts the index of an SM in a search to the id of a compute unit; units are numbered by u16.
pub(super) fn id(sm: usize) -> CuId {
    CuId(sm as u16)
}

/// Returns whether a compute unit has free what a workgroup takes once, however many of its waves
/// start: a workgroup slot, barriers and LDS.
pub(super) fn share_fits(cus: &Cus, cu: CuId, launch: &Launch) -> bool {
    let (free, demand) = (cus.free(cu), &launch.demand);
    free.workgroups > 0
        && free.barriers >= u64::from(demand.barriers)
        && free.lds >= u64::from(demand.lds)
}

/// Returns how many more waves of one workgroup of the launch can start on the compute unit.
pub(super) fn waves(cus: &Cus, cu: CuId, launch: &Launch) -> u32 {
    let room = cus.wave_room(cu, &launch.demand);
    if cus.shape().sgpr == u16::MAX {
        return room;
    }
    let by_sgpr = cus.free(cu).sgpr.checked_div(u64::from(launch.demand.sgpr));
    by_sgpr.map_or(room, |by_sgpr| room.min(u32::try_from(by_sgpr).unwrap_or(u32::MAX)))
}

impl Room for CuRoom<'_> {
    fn blocks(&self, sm: usize) -> u64 {
        self.cus.room(id(sm), &self.launch.demand).into()
    }

    fn warps(&self, sm: usize, strict: bool) -> u64 {
        if !share_fits(self.cus, id(sm), self.launch) {
            return 0;
        }
        let (free, demand) = (self.cus.free(id(sm)), &self.launch.demand);
        let more = free.waves > 1
            && free.vgpr > u64::from(demand.vgpr)
            && free.lds > u64::from(demand.lds);
        if strict && !more { 0 } else { waves(self.cus, id(sm), self.launch).into() }
    }

    fn top(&self, sm: usize) -> Option<u64> {
        self.tops.get(sm).and_then(Blocks::top)
    }
}

/// Returns the needs of a workgroup of the launch in the form in which the index searches compute
/// units.
pub(super) fn wish(launch: &Launch) -> SmWish {
    let Demand { waves, vgpr, lds, .. } = launch.demand;
    let lds = cut(lds.into());
    let block = [i32::from(waves), cut(u64::from(waves) * u64::from(vgpr)), lds, 0];
    let warp = [1, i32::from(vgpr), lds, 0];
    SmWish { priority: priority(launch), barrier: launch.barrier.possible(), block, warp }
}

/// Returns the priority of a launch as the patent (seed 003) counts it: larger is more important.
pub(super) fn priority(launch: &Launch) -> u64 {
    reversed(launch.level.rank())
}

/// Returns the key of a compute unit in the index: its free amounts, and a number that is larger
/// for a lower top priority `top` (the highest of its work); `None` is that of a unit without work.
pub(super) fn key(cus: &Cus, cu: CuId, top: Option<u64>) -> SmKey {
    let free = cus.free(cu);
    [cut(free.waves), cut(free.vgpr), cut(free.lds), lowness(top)]
}
