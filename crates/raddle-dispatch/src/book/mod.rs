//! Which workgroups and waves are resident on each compute unit, and which resources are free?
//!
//! [`OnDevice`] is the account of one launch, [`FreeUnits`] that of the resources of the device;
//! each start and end goes through both. The dispatcher keeps the [`OnDevice`] of a launch beside
//! its other state. [`Book`] holds both for a program without a dispatcher. A simulator keeps an
//! account of its own, which is compared with this one.
//!
//! Waves of one launch on one compute unit have no identity here (unless addresses were given): as
//! workgroups end, their waves leave the SIMDs that hold most waves of that launch first, ties to
//! the lowest SIMD.

mod addressed;
mod begun;
mod counted;
mod cut;
mod error;
mod free_units;
mod names;
mod on_device;
mod order;
mod partial;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use raddle_policy::{CuId, CuShape, Cus, Launch, LaunchId, Piece, Place, Split, WaveSpan};

use crate::ByLaunch;
pub use error::BookError;
use error::Reason;
pub(crate) use free_units::FreeUnits;
pub(crate) use on_device::{Asked, OnDevice};

/// The account of the workgroups on each compute unit and of the free resources in granules, for a
/// program that calls an allocate policy itself, without a dispatcher.
///
/// ```
/// use raddle_dispatch::Book;
/// use raddle_policy::{CuId, CuShape, Demand, Launch, LaunchId, Piece, ProcessId, WaveSpan};
///
/// let shape = CuShape {
///     simds: 2,
///     waves_per_simd: 8,
///     vgpr_per_simd: 64,
///     sgpr: 800,
///     lds: 64,
///     workgroups: 8,
///     barriers: 8,
/// };
/// let demand = Demand { waves: 4, ..Demand::default() };
/// let launch = Launch::new(LaunchId(0), ProcessId(0), 9, demand);
/// let mut book = Book::new(shape, 2);
/// let three = |first| [Piece { first, stride: 1, count: 3, cu: CuId(1) }];
/// book.start(&launch, WaveSpan::All, &three(0), &[])?;
/// assert_eq!(book.cus().room(CuId(1), &demand), 1);
/// let error = book.start(&launch, WaveSpan::All, &three(0), &[]).expect_err("they have started");
/// assert_eq!(error.to_string(), "a start of k0 must name workgroups from 3 on, each once");
/// let error = book.start(&launch, WaveSpan::All, &three(3), &[]).expect_err("no room");
/// assert!(error.to_string().starts_with("k0 does not fit on cu1"));
/// assert_eq!(book.end(launch.id, WaveSpan::All, &three(0))?, 3);
/// # Ok::<(), raddle_dispatch::BookError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Book {
    units: FreeUnits,
    launches: ByLaunch<(Launch, OnDevice)>,
}

impl Book {
    /// Returns the account of an empty device of `count` compute units.
    pub fn new(shape: CuShape, count: u16) -> Self {
        Self { units: FreeUnits::new(shape, count), launches: ByLaunch::default() }
    }

    /// Returns the free resources of every compute unit, in the form that policies see.
    pub const fn cus(&self) -> &Cus {
        self.units.cus()
    }

    #[cfg(test)]
    fn resident_waves(&self, launch: LaunchId) -> u64 {
        self.launches.get(launch).map_or(0, |(_, on)| on.resident_waves())
    }

    /// Records a start of workgroups of a launch, or of the waves `waves` of one workgroup, at the
    /// addresses `places` of the waves, if any. Workgroups start in the order of their numbers.
    ///
    /// # Errors
    /// When the workgroups are not the next ones, do not fit, or the addresses do not match, or when
    /// the launch with this id has another demand or number of workgroups; nothing has changed then.
    pub fn start(
        &mut self,
        launch: &Launch,
        waves: WaveSpan,
        pieces: &[Piece],
        places: &[Place],
    ) -> Result<(), BookError> {
        let asked = Asked { launch, draining: false, waves, pieces, places };
        match self.launches.get_mut(launch.id) {
            Some((known, _))
                if (known.demand, known.workgroups) != (launch.demand, launch.workgroups) =>
            {
                Err(BookError(Reason::Demand { launch: launch.id }))
            }
            Some((_, on)) => self.units.start(on, asked),
            None => {
                let mut on = OnDevice::default();
                self.units.start(&mut on, asked)?;
                self.launches.insert(launch.id, (*launch, on));
                Ok(())
            }
        }
    }

    /// Records the end of workgroups of a launch, or of the waves `waves` of each of them. Returns
    /// the number of workgroups whose last wave has ended. A launch whose last workgroup has ended
    /// is forgotten.
    ///
    /// # Errors
    /// When the workgroups or waves are not resident; nothing has changed then.
    pub fn end(
        &mut self,
        launch: LaunchId,
        waves: WaveSpan,
        pieces: &[Piece],
    ) -> Result<u64, BookError> {
        let Some((known, on)) = self.launches.get_mut(launch) else {
            let cu = pieces.first().map_or(CuId(0), |piece| piece.cu);
            return Err(BookError(Reason::NotResident { launch, cu }));
        };
        let ended = self.units.end(on, known, waves, pieces)?;
        if on.is_over(known) {
            self.launches.remove(launch);
        }
        Ok(ended)
    }

    /// Takes all workgroups and waves of a launch off the device at once, so that [`Book::restore`]
    /// can put them back. Returns whether the launch had any on the device.
    pub fn save(&mut self, launch: LaunchId) -> bool {
        self.launches.get_mut(launch).is_some_and(|(known, on)| self.units.save(on, known))
    }

    /// Puts a saved launch back on its old compute units and SIMDs. Returns whether it did; false,
    /// with nothing changed, where these are not free or the launch was not saved.
    pub fn restore(&mut self, launch: LaunchId) -> bool {
        self.launches.get_mut(launch).is_some_and(|(known, on)| self.units.restore(on, known))
    }

    /// Kills all workgroups and waves of a launch at once: the launch begins again with its first
    /// workgroup. Returns whether the launch had any on the device.
    pub fn kill(&mut self, launch: LaunchId) -> bool {
        let known = self.launches.remove(launch);
        known.is_some_and(|(known, mut on)| self.units.kill(&mut on, &known))
    }
}

/// Returns (number, compute unit) of every workgroup in `pieces` (each is equal workgroups on one
/// compute unit); numbers beyond u64 become `u64::MAX`.
fn named(pieces: &[Piece]) -> impl Iterator<Item = (u64, CuId)> + Clone {
    pieces.iter().flat_map(|piece| {
        (0..u64::from(piece.count)).map(|i| {
            let offset = i.saturating_mul(u64::from(piece.stride));
            (piece.first.saturating_add(offset), piece.cu)
        })
    })
}

/// Returns the number of workgroups in all `pieces` (each is equal workgroups on one compute unit).
fn total(pieces: &[Piece]) -> u64 {
    pieces.iter().fold(0, |sum, piece| sum.saturating_add(u64::from(piece.count)))
}

/// Returns the lowest workgroup that `pieces` (each is equal workgroups on one compute unit) name
/// more than once; `None` where there is none. The memory used is in proportion to the number of
/// workgroups.
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
