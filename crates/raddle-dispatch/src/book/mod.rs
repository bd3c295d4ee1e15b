//! Which workgroups and waves are resident on each compute unit, and which resources are free?
//!
//! The [`Book`] is the dispatcher's account. A simulator keeps an account of its own, and the two
//! are compared.
//!
//! Waves of one launch on one compute unit have no identity here (unless addresses were given): as
//! workgroups end, their waves leave the SIMDs that hold most waves of that launch first, ties to
//! the lowest SIMD.

mod addressed;
mod counted;
mod cut;
mod error;
mod lift;
mod names;
mod partial;
#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use raddle_policy::{
    CuId, CuShape, Cus, Demand, Launch, LaunchId, MAX_SIMDS, PerCu, Piece, Place, Split,
    TakenUnits, WaveSpan,
};

use crate::ByLaunch;
use counted::give_counted;
use cut::Cuts;
pub use error::BookError;
pub(crate) use error::Reason;
pub use lift::Lifted;
use names::{NamedRow, Names};
use partial::Partial;

/// The account of the workgroups and waves on each compute unit, and of the free resources in
/// granules.
#[derive(Clone, Debug)]
pub struct Book {
    cus: Cus,
    resident: ByLaunch<ResidentLaunch>,
    /// Empty tables of launches that have left, with one entry for each compute unit, kept so that
    /// none is allocated anew.
    spare: Vec<PerCu<Split>>,
    /// The compute units and SIMDs on which the waves of the present call started or ended.
    taken: Vec<TakenUnits>,
    /// The workgroups with known addresses that the present call starts or ends, as rows of
    /// neighbours.
    rows: Vec<NamedRow>,
}

/// The workgroups and waves of one launch that are on the device.
#[derive(Clone, Debug, Default)]
struct ResidentLaunch {
    demand: Demand,
    waves: u64,
    /// The number of waves on each SIMD of each compute unit, of whole workgroups without
    /// addresses.
    counted: PerCu<Split>,
    /// The whole workgroups that started with addresses, by workgroup number: their compute units
    /// and SIMDs.
    addressed: Names,
    /// The workgroups of which not all waves started in one answer, by workgroup number.
    partial: BTreeMap<u64, Partial>,
    /// The workgroups that were cut into waves, with their parts (some waves each) that are on the
    /// device.
    cuts: Cuts,
}

impl ResidentLaunch {
    /// Returns whether no workgroup or wave of the launch is left on the device.
    fn is_gone(&self) -> bool {
        self.waves == 0 && self.partial.is_empty() && !self.cuts.is_begun()
    }

    /// Returns a workgroup that the pieces (equal workgroups on one compute unit) name as a whole,
    /// although it was cut into waves; `None` where there is none.
    fn cut_among(&self, pieces: &[Piece]) -> Option<u64> {
        self.cuts.workgroups().find(|&group| pieces.iter().any(|piece| piece.names(group)))
    }
}

impl Book {
    /// Returns the account of an empty device of `count` compute units.
    pub fn new(shape: CuShape, count: u16) -> Self {
        Self {
            cus: Cus::new(shape, count),
            resident: ByLaunch::default(),
            spare: Vec::new(),
            taken: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Returns the free resources of every compute unit, as the policies see them.
    pub const fn cus(&self) -> &Cus {
        &self.cus
    }

    /// Returns the most workgroups that the device has slots for.
    pub(crate) fn most_workgroups(&self) -> u64 {
        u64::from(self.cus.shape().workgroups).saturating_mul(self.cus.len() as u64)
    }

    /// Makes the view of free resources record from now on where resources are freed; see
    /// [`Cus::watch`].
    pub(crate) fn watch(&mut self) {
        self.cus.watch();
    }

    /// Makes the view of free resources assume that something may have been freed on any compute
    /// unit.
    pub(crate) fn forget_freed(&mut self) {
        self.cus.forget_freed();
    }

    /// Returns the number of waves of a launch that are on the device now.
    pub(crate) fn resident_waves(&self, launch: LaunchId) -> u64 {
        self.resident.get(launch).map_or(0, |resident| resident.waves)
    }

    /// Returns the waves of a launch on each SIMD of each compute unit; `None` where the launch is
    /// not on the device, or has more there than whole workgroups without addresses.
    pub(crate) fn counted(&self, launch: LaunchId) -> Option<&PerCu<Split>> {
        let resident = self.resident.get(launch)?;
        let plain = resident.addressed.is_empty() && resident.partial.is_empty();
        (plain && !resident.cuts.is_begun()).then_some(&resident.counted)
    }

    /// Adds workgroups of a launch that start, or the waves `waves` of each of them, at these
    /// addresses if there are any.
    ///
    /// # Errors
    /// When the workgroups do not fit or the addresses do not match; nothing has changed then.
    pub fn start(
        &mut self,
        launch: &Launch,
        waves: WaveSpan,
        pieces: &[Piece],
        places: &[Place],
    ) -> Result<(), BookError> {
        let known = self.resident.get(launch.id);
        if known.is_some_and(|resident| resident.demand != launch.demand) {
            return Err(BookError(Reason::Demand { launch: launch.id }));
        }
        if let WaveSpan::Cut { first, count } = waves {
            return self.start_cut(launch, (first, count), pieces, places);
        }
        if let Some(workgroup) = known.and_then(|resident| resident.cut_among(pieces)) {
            return Err(BookError(Reason::Waves { launch: launch.id, workgroup }));
        }
        match waves {
            WaveSpan::Range { first, count } => self.start_waves(launch, first, count, pieces),
            _ if places.is_empty() => self.start_counted(launch, pieces),
            _ => self.start_addressed(launch, pieces, places),
        }
    }

    /// Removes workgroups that end, or the waves `waves` of each of them. Returns the number of
    /// workgroups of which the last wave has ended.
    ///
    /// # Errors
    /// When the workgroups or waves are not resident; nothing has changed then.
    pub fn end(
        &mut self,
        launch: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
    ) -> Result<u64, BookError> {
        let Self { cus, resident: all, taken, rows, .. } = self;
        let cu = pieces.first().map_or(CuId(0), |piece| piece.cu);
        let resident = all.get_mut(launch).ok_or(BookError(Reason::NotResident { launch, cu }))?;
        let ended = match waves {
            WaveSpan::All => {
                if resident.addressed.is_empty() {
                    let ended = give_counted(cus, taken, resident, pieces);
                    ended.map_err(|cu| BookError(Reason::NotResident { launch, cu }))?
                } else {
                    resident.end_whole(launch, pieces, cus, (taken, rows))?;
                    total(pieces)
                }
            }
            WaveSpan::Range { first, count } => {
                resident.end_waves(launch, (first, count), pieces, cus)?
            }
            WaveSpan::Cut { first, count } => {
                resident.end_cut(launch, (first, count), pieces, cus)?
            }
        };
        self.drop_if_gone(launch);
        Ok(ended)
    }

    /// Returns the entry of a launch for changes; adds an empty entry if there is none.
    fn entry<'r>(
        all: &'r mut ByLaunch<ResidentLaunch>,
        spare: &mut Vec<PerCu<Split>>,
        cus: usize,
        launch: &Launch,
    ) -> &'r mut ResidentLaunch {
        all.or_insert_with(launch.id, || {
            let counted = spare.pop().unwrap_or_else(|| PerCu::new(cus, [0; MAX_SIMDS]));
            ResidentLaunch { demand: launch.demand, counted, ..ResidentLaunch::default() }
        })
    }

    /// Removes the entry of a launch of which nothing is on the device.
    fn drop_if_gone(&mut self, launch: LaunchId) {
        if self.resident.get(launch).is_some_and(ResidentLaunch::is_gone) {
            self.spare.extend(self.resident.remove(launch).map(|resident| resident.counted));
        }
    }

    /// Takes the resources of all shares, or of none. A share is what one compute unit gives:
    /// (compute unit, waves on each SIMD, workgroups whose slots are taken, demand of one
    /// workgroup). The error is the unit that has no room.
    fn take_all(
        &mut self,
        shares: impl Iterator<Item = (CuId, Split, u32, Demand)> + Clone,
    ) -> Result<(), CuId> {
        for (taken, (cu, split, groups, demand)) in shares.clone().enumerate() {
            if !self.cus.take_split(cu, &demand, &split, groups) {
                for (cu, split, groups, demand) in shares.take(taken) {
                    self.cus.give_split(cu, &demand, &split, groups);
                }
                return Err(cu);
            }
        }
        Ok(())
    }
}

/// Returns every workgroup of the pieces (equal workgroups on one compute unit) with its compute
/// unit; workgroup numbers beyond u64 become `u64::MAX`.
fn named(pieces: &[Piece]) -> impl Iterator<Item = (u64, CuId)> + Clone {
    pieces.iter().flat_map(|piece| {
        (0..u64::from(piece.count)).map(|i| {
            let offset = i.saturating_mul(u64::from(piece.stride));
            (piece.first.saturating_add(offset), piece.cu)
        })
    })
}

/// Returns the number of workgroups of the pieces (equal workgroups on one compute unit).
fn total(pieces: &[Piece]) -> u64 {
    pieces.iter().fold(0, |sum, piece| sum.saturating_add(u64::from(piece.count)))
}

/// Returns the lowest workgroup that the pieces (equal workgroups on one compute unit) name more
/// than once; `None` where there is none. Its use of memory grows with the number of workgroups.
fn named_twice(pieces: &[Piece]) -> Option<u64> {
    if let [Piece { count: 1, .. }] = pieces {
        return None;
    }
    let mut all: Vec<u64> = named(pieces).map(|(workgroup, _)| workgroup).collect();
    all.sort_unstable();
    all.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn sum(split: &Split) -> u32 {
    split.iter().map(|&waves| u32::from(waves)).sum()
}

fn add(to: &mut Split, what: &Split) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += what;
    }
}
