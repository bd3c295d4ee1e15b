//! How do whole workgroups without addresses start and end?

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use raddle_policy::{CuId, Cus, Launch, Piece, TakenUnits, take_highest};

use super::{Book, BookError, ResidentLaunch, add, sum};

/// The lists, kept as memory, in which the workgroups of pieces (equal workgroups on one compute
/// unit) are added up by compute unit.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// The compute units from which workgroups leave in the present call: (range of units,
    /// workgroups that leave each of them).
    groups: Vec<(Range<usize>, u32)>,
    /// The number of workgroups that the present call names on each compute unit; all 0 between
    /// calls.
    named: Vec<u32>,
}

impl Tally {
    pub(super) fn of(cus: u16) -> Self {
        Self { groups: Vec::new(), named: vec![0; usize::from(cus)] }
    }
}

impl Book {
    pub(super) fn start_counted(
        &mut self,
        launch: &Launch,
        pieces: &[Piece],
    ) -> Result<(), BookError> {
        let mut taken = core::mem::take(&mut self.taken);
        let entered = self.cus.take_pieces(&launch.demand, pieces, &mut taken);
        if entered.is_ok() {
            self.enter_counted(launch, &taken);
        }
        self.taken = taken;
        entered.map_err(|cu| BookError::Overcommit { launch: launch.id, cu })
    }

    fn enter_counted(&mut self, launch: &Launch, taken: &[TakenUnits]) {
        let resident = Self::entry(&mut self.resident, &mut self.spare, self.cus.len(), launch);
        for (units, count, split) in taken {
            resident.counted.change(units.clone(), |_, lies| add(lies, split));
            let groups = units.len() as u64 * u64::from(*count);
            resident.waves += groups * u64::from(launch.demand.waves);
        }
    }
}

/// Frees the resources of whole workgroups that were started without addresses. Returns the first
/// compute unit on which fewer of them are, and then frees none.
pub(super) fn give_counted(
    cus: &mut Cus,
    Tally { groups, named }: &mut Tally,
    resident: &mut ResidentLaunch,
    pieces: &[Piece],
) -> Option<CuId> {
    let demand = resident.demand;
    let waves = u32::from(demand.waves);
    groups.clear();
    groups.extend(Piece::by_units(pieces));
    // If each unit is named once, there is nothing to add up.
    let short = match groups.is_sorted_by(|(one, _), (other, _)| one.end <= other.start) {
        true => short_of(groups, resident),
        false => tally(named, pieces, resident),
    };
    if short.is_some() {
        return short;
    }
    for (units, count) in groups.drain(..) {
        resident.waves -= units.len() as u64 * u64::from(count) * u64::from(waves);
        // On units with equal waves the same waves leave, so they are changed together.
        resident.counted.change(units, |units, lies| {
            let split = take_highest(lies, count * waves).expect("tallied above");
            cus.give_each(units, &demand, &split, count);
        });
    }
    None
}

/// Returns the first compute unit on which fewer workgroups are than are to leave it; `None` where
/// there is none.
fn short_of(groups: &[(Range<usize>, u32)], resident: &ResidentLaunch) -> Option<CuId> {
    let waves = u32::from(resident.demand.waves);
    groups.iter().find_map(|&(ref units, count)| {
        let fewer = |split| count == 0 || count.saturating_mul(waves) > sum(split);
        let mut lies = resident.counted.runs(units.clone());
        let short = lies.find(|(_, split)| fewer(split)).map(|(units, _)| units.start);
        let all = resident.counted.len();
        let short = short.or_else(|| (units.end > all).then_some(units.start.max(all)));
        // The unit is that of a piece, which is a u16.
        short.map(|cu| CuId(cu as u16))
    })
}

/// Adds up the workgroups of the pieces (equal workgroups on one compute unit) by compute unit.
/// Returns the first unit on which fewer workgroups of the launch can be; `None` where there is
/// none.
fn tally(named: &mut [u32], pieces: &[Piece], resident: &ResidentLaunch) -> Option<CuId> {
    let waves = u32::from(resident.demand.waves);
    let fits = |cu: CuId, n: u32| {
        let lies = resident.counted.get(cu.index());
        lies.is_some_and(|split| n.saturating_mul(waves) <= sum(split))
    };
    let mut bad = None;
    for piece in pieces {
        let Some(sum) = named.get_mut(piece.cu.index()) else {
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
        if let Some(sum) = named.get_mut(piece.cu.index()) {
            *sum = 0;
        }
    }
    bad
}
