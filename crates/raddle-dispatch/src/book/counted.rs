//! How do whole workgroups without addresses start and end?

use raddle_policy::{CuId, Cus, Launch, MAX_SIMDS, Piece, Split, take_highest};

use super::{Book, BookError, ResidentLaunch, add, sum};

impl Book {
    pub(super) fn start_counted(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
    ) -> Result<(), BookError> {
        let mut splits = std::mem::take(&mut self.splits);
        let taken = self.cus.take_pieces(&launch.demand, pieces, &mut splits);
        if taken.is_ok() {
            self.enter_counted(launch, pieces, &splits);
        }
        self.splits = splits;
        taken.map_err(|cu| BookError::Overcommit { launch: launch.id, cu })
    }

    fn enter_counted(&mut self, launch: &Launch, pieces: &[Piece], splits: &[Split]) {
        let resident = Self::entry(&mut self.resident, &mut self.spare, self.cus.len(), launch);
        for (piece, split) in pieces.iter().zip(splits) {
            add(&mut resident.counted[piece.cu.index()], split);
            resident.waves += u64::from(piece.count) * u64::from(launch.demand.waves);
        }
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
    // What lies alike leaves alike.
    let mut last = ([0; MAX_SIMDS], 0, [0; MAX_SIMDS], [0; MAX_SIMDS]);
    let mut groups = 0;
    for piece in pieces {
        let lies = &mut resident.counted[piece.cu.index()];
        if *lies != last.0 || piece.count != last.1 {
            let mut left = *lies;
            let split = take_highest(&mut left, piece.count * waves).expect("tallied above");
            last = (*lies, piece.count, split, left);
        }
        *lies = last.3;
        cus.give_split(piece.cu, &demand, &last.2, piece.count);
        groups += u64::from(piece.count);
    }
    resident.waves -= groups * u64::from(waves);
    None
}

/// Adds up the pieces by compute unit; the first unit for which `fits` says no.
fn tally(scratch: &mut [u32], pieces: &[Piece], fits: impl Fn(CuId, u32) -> bool) -> Option<CuId> {
    // Where each unit is named once there is nothing to add up.
    if pieces.is_sorted_by(|one, other| one.cu < other.cu) {
        let bad = pieces.iter().find(|piece| piece.count == 0 || !fits(piece.cu, piece.count));
        return bad.map(|piece| piece.cu);
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
