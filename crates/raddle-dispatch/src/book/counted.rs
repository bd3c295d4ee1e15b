//! How do whole workgroups without addresses start and end?

use raddle_policy::{CuId, Cus, Launch, LaunchId, Piece, Split, take_highest};

use super::{Book, BookError, ResidentLaunch, add, sum};

impl Book {
    pub(super) fn start_counted(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
    ) -> Result<(), BookError> {
        let demand = launch.demand;
        // Taken piece by piece, and given back if one does not fit: pieces may share a unit.
        let mut splits = std::mem::take(&mut self.splits);
        splits.clear();
        for piece in pieces {
            let Some(split) = self.cus.take(piece.cu, &demand, piece.count) else { break };
            splits.push(split);
        }
        let refused = pieces.get(splits.len());
        if refused.is_some() {
            for (piece, split) in pieces.iter().zip(&splits) {
                self.cus.give_split(piece.cu, &demand, split, piece.count);
            }
        } else {
            self.enter_counted(launch, pieces, &splits);
        }
        self.splits = splits;
        refused
            .map_or(Ok(()), |piece| Err(BookError::Overcommit { launch: launch.id, cu: piece.cu }))
    }

    fn enter_counted(&mut self, launch: &Launch, pieces: &[Piece], splits: &[Split]) {
        if !self.resident.contains_key(&launch.id) {
            let fresh = self.fresh(launch);
            self.resident.insert(launch.id, fresh);
        }
        let Some(resident) = self.resident.get_mut(&launch.id) else { return };
        for (piece, split) in pieces.iter().zip(splits) {
            add(&mut resident.counted[piece.cu.index()], split);
            resident.waves += u64::from(piece.count) * u64::from(launch.demand.waves);
        }
    }

    pub(super) fn end_counted(
        &mut self,
        launch: LaunchId,
        pieces: &[Piece],
    ) -> Result<(), BookError> {
        let Self { cus, resident: all, scratch, spare, .. } = self;
        let cu = pieces.first().map_or(CuId(0), |piece| piece.cu);
        let resident = all.get_mut(&launch).ok_or(BookError::NotResident { launch, cu })?;
        if let Some(cu) = give_counted(cus, scratch, resident, pieces) {
            return Err(BookError::NotResident { launch, cu });
        }
        if resident.is_gone() {
            spare.extend(all.remove(&launch).map(|resident| resident.counted));
        }
        Ok(())
    }
}

/// Gives back whole workgroups without addresses; the first unit on which fewer lie, and nothing
/// given back then.
pub(super) fn give_counted(
    cus: &mut Cus,
    scratch: &mut [u32],
    resident: &mut ResidentLaunch,
    pieces: &[Piece],
) -> Option<CuId> {
    let demand = resident.demand;
    let waves = u32::from(demand.waves);
    let counted = &resident.counted;
    let lies = |cu: CuId, n: u32| {
        counted.get(cu.index()).is_some_and(|split| n.saturating_mul(waves) <= sum(split))
    };
    if let Some(cu) = tally(scratch, pieces, lies) {
        return Some(cu);
    }
    for piece in pieces {
        let left = &mut resident.counted[piece.cu.index()];
        let split = take_highest(left, piece.count * waves).expect("tallied above");
        cus.give_split(piece.cu, &demand, &split, piece.count);
        resident.waves -= u64::from(piece.count) * u64::from(waves);
    }
    None
}

/// Adds up the pieces by compute unit; the first unit for which `fits` says no.
fn tally(scratch: &mut [u32], pieces: &[Piece], fits: impl Fn(CuId, u32) -> bool) -> Option<CuId> {
    if let [piece] = pieces {
        let fits = piece.count > 0 && fits(piece.cu, piece.count);
        return (!fits).then_some(piece.cu);
    }
    let mut bad = None;
    for piece in pieces {
        let Some(sum) = scratch.get_mut(piece.cu.index()) else {
            bad = Some(piece.cu);
            break;
        };
        *sum = sum.saturating_add(piece.count);
        if piece.count == 0 || !fits(piece.cu, *sum) {
            bad = Some(piece.cu);
            break;
        }
    }
    for piece in pieces {
        if let Some(sum) = scratch.get_mut(piece.cu.index()) {
            *sum = 0;
        }
    }
    bad
}
