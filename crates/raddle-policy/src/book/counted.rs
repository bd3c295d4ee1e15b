//! How do whole workgroups without addresses start and end?

use raddle_types::{CuId, Launch, LaunchId};

use super::{Book, BookError, Resident, add, sum};
use crate::cus::pour;
use crate::{Cus, Piece, Split};

impl Book {
    pub(super) fn start_counted(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
    ) -> Result<(), BookError> {
        let demand = launch.demand;
        // Taken piece by piece, and given back if one does not fit: pieces may share a unit.
        let mut splits = core::mem::take(&mut self.splits);
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
        let mut resident = self.entry(launch);
        for (piece, split) in pieces.iter().zip(splits) {
            add(&mut resident.counted[piece.cu.index()], split);
            resident.waves += u64::from(piece.count) * u64::from(launch.demand.waves);
        }
        self.put_back(launch.id, resident);
    }

    pub(super) fn end_counted(
        &mut self,
        launch: LaunchId,
        resident: &mut Resident,
        pieces: &[Piece],
    ) -> Result<(), BookError> {
        let demand = resident.demand;
        let waves = u32::from(demand.waves);
        let counted = &resident.counted;
        let bad = self.tally(pieces, |_, cu, n| {
            counted.get(cu.index()).is_some_and(|split| n.saturating_mul(waves) <= sum(split))
        });
        if let Some(cu) = bad {
            return Err(BookError::NotResident { launch, cu });
        }
        for piece in pieces {
            let left = &mut resident.counted[piece.cu.index()];
            let split = pour(left, piece.count * waves).expect("tallied above");
            self.cus.give_split(piece.cu, &demand, &split, piece.count);
            resident.waves -= u64::from(piece.count) * u64::from(waves);
        }
        Ok(())
    }

    /// Adds up the pieces by compute unit; the first unit for which `fits` says no.
    fn tally(&mut self, pieces: &[Piece], fits: impl Fn(&Cus, CuId, u32) -> bool) -> Option<CuId> {
        let mut bad = None;
        for piece in pieces {
            let Some(sum) = self.scratch.get_mut(piece.cu.index()) else {
                bad = Some(piece.cu);
                break;
            };
            *sum = sum.saturating_add(piece.count);
            if piece.count == 0 || !fits(&self.cus, piece.cu, *sum) {
                bad = Some(piece.cu);
                break;
            }
        }
        for piece in pieces {
            if let Some(sum) = self.scratch.get_mut(piece.cu.index()) {
                *sum = 0;
            }
        }
        bad
    }
}
