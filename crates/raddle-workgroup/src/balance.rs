//! How many waves of a workgroup does each SIMD get, so that all get equally many over time (seed
//! 000, E8)?
//!
//! A *split table* ([`Table`]) says how many waves of a workgroup each of several equal SIMDs gets;
//! a [`Pointer`], one a compute unit, turns its rows so that surplus waves go round. A pointer
//! answers with a [`Target`], whose entry t is the number of waves for SIMD t. Only a dispatch
//! moves the pointer.
//!
//! The seed's own recurrences drift without bound. Those here do not: `at` is where the pointer
//! stands, q the number of SIMDs, wx that of waves.
//!
//! | pointer | names | the row is turned by | and then stands at |
//! |---|---|---|---|
//! | [`Kind::Tail`] | the SIMD that got the last surplus wave | (at + 1) mod q | (at + wx) mod q |
//! | [`Kind::Head`] | the SIMD that is served first next | at | (at + wx) mod q |
//!
//! Laws:
//! 1. A target has as many waves as the workgroup; its entries differ by at most 1, and none
//!    exceeds the limit.
//! 2. After any sequence of dispatches, the waves that SIMDs have got in all differ by at most 1,
//!    wherever the pointer began.
//! 3. A target that is not dispatched changes nothing.
//! 4. A number of waves that q divides leaves the pointer where it is.
//!
//! Units: waves; SIMDs counted from 0.

use crate::Error;
use crate::error::Reason;

/// A split table (patent 000, label h10). It has a row for each number of waves of a workgroup: how
/// many of them each SIMD of an empty compute unit gets. The entries of a row are as equal as can
/// be; surplus waves go to the first SIMDs. The rows are computed, not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    units: u32,
    limit: u64,
}

impl Table {
    /// Returns the split table (how many waves of a workgroup each SIMD gets) of `units` SIMDs,
    /// each of which takes at most `limit` waves of a workgroup.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0 SIMDs or a limit of 0.
    pub const fn new(units: u32, limit: u64) -> Result<Self, Error> {
        match (units, limit) {
            (0, _) => Err(Error(Reason::NoUnits)),
            (_, 0) => Err(Error(Reason::ZeroLimit)),
            (units, limit) => Ok(Self { units, limit }),
        }
    }

    /// Returns the number of SIMDs of a compute unit for which the split table is made.
    #[must_use]
    pub const fn units(&self) -> u32 {
        self.units
    }

    /// Returns the largest number of waves of a workgroup for which the split table has a row: the
    /// number of SIMDs times the most waves that each of them takes, at most `u64::MAX`.
    #[must_use]
    pub const fn most(&self) -> u64 {
        self.limit.saturating_mul(self.units as u64)
    }

    /// Returns the row of the split table for a workgroup with this number of waves (patent 000,
    /// label h102): the number of them that each SIMD gets.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0 waves, or for more than [`Table::most`].
    ///
    /// ```
    /// use raddle_workgroup::balance::Table;
    ///
    /// let table = Table::new(4, 4)?;
    /// assert!(table.row(6)?.eq([2, 2, 1, 1]));
    /// # Ok::<(), raddle_workgroup::Error>(())
    /// ```
    pub const fn row(&self, waves: u64) -> Result<RowEntries, Error> {
        self.turned(waves, 0)
    }

    /// Returns the row of the split table for a workgroup with this number of waves, with each
    /// entry moved to the SIMD whose number is `by` higher, modulo the number of SIMDs.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0 waves, or for more than [`Table::most`].
    pub const fn turned(&self, waves: u64, by: u32) -> Result<RowEntries, Error> {
        if waves == 0 || waves > self.most() {
            return Err(Error(Reason::WaveCount { count: waves, most: self.most() }));
        }
        let units = self.units as u64;
        // The remainder is below the number of units, which is a u32.
        let (each, surplus) = (waves / units, (waves % units) as u32);
        Ok(RowEntries { units: self.units, each, surplus, by: by % self.units, next: 0 })
    }
}

/// The entries of one row of a split table ([`Table`]), in the order of the SIMDs: the number of
/// waves of a workgroup that each SIMD gets.
#[derive(Clone, Debug)]
pub struct RowEntries {
    units: u32,
    each: u64,
    surplus: u32,
    by: u32,
    next: u32,
}

impl Iterator for RowEntries {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let Self { units, each, surplus, by, next } = *self;
        if next >= units {
            return None;
        }
        self.next += 1;
        // The position of this SIMD before the row was turned.
        let at = if next >= by { next - by } else { units - by + next };
        Some(each + u64::from(at < surplus))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.units - self.next) as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for RowEntries {}

/// The meaning of the SIMD that a [`Pointer`] names: the last SIMD that got a surplus wave (one
/// beyond an equal number for all), or the SIMD that gets the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Kind {
    /// The pointer names the SIMD that got the last surplus wave.
    #[default]
    Tail,
    /// The pointer names the SIMD that gets the next surplus wave.
    Head,
}

/// A pointer to the SIMD of one compute unit that is next in turn for surplus waves (those beyond
/// an equal number for all SIMDs). It moves on with each of them, so that over time all SIMDs get
/// equally many waves.
///
/// ```
/// use raddle_workgroup::balance::{Kind, Pointer, Table};
///
/// let mut pointer = Pointer::new(Table::new(4, 4)?, Kind::Tail, 0)?;
/// let target = pointer.target(5)?;
/// assert!(target.entries().eq([1, 2, 1, 1]));
/// pointer.dispatch(target)?;
/// assert_eq!(pointer.at(), 1);
/// # Ok::<(), raddle_workgroup::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    table: Table,
    kind: Kind,
    at: u32,
}

/// A plan of how many waves of a workgroup each SIMD of a compute unit gets, made by
/// [`Pointer::target`].
#[derive(Debug)]
pub struct Target {
    /// The split table of the pointer that made the target; `kind` and `at` are the state of that
    /// pointer.
    table: Table,
    kind: Kind,
    at: u32,
    waves: u64,
    entries: RowEntries,
}

impl Pointer {
    /// Returns a round-robin pointer, the number of a SIMD, for the split table `table` (how many
    /// waves of a workgroup each SIMD gets). The pointer turns the table's rows, so that surplus
    /// waves go to another SIMD each time. It names the SIMD `at` at first; patent 000 begins at
    /// SIMD 0.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) where the table has no such SIMD.
    pub const fn new(table: Table, kind: Kind, at: u32) -> Result<Self, Error> {
        if at < table.units {
            Ok(Self { table, kind, at })
        } else {
            Err(Error(Reason::UnitOutside { unit: at, units: table.units }))
        }
    }

    /// Returns the most waves of a workgroup for which the table of the pointer has a row.
    #[must_use]
    pub const fn most(&self) -> u64 {
        self.table.most()
    }

    /// Returns the number of the SIMD that the pointer names: by its [`Kind`] the SIMD that got the
    /// last surplus wave, or the one that gets the next.
    #[must_use]
    pub const fn at(&self) -> u32 {
        self.at
    }

    /// Returns the number of SIMDs by which the entries of the table's next row are shifted (called
    /// su in step h3 of patent 000). The shift makes the surplus waves begin at the SIMD that is
    /// next in turn.
    #[must_use]
    pub const fn turn(&self) -> u32 {
        match self.kind {
            Kind::Head => self.at,
            // The pointer is below the number of units.
            Kind::Tail if self.at + 1 == self.table.units => 0,
            Kind::Tail => self.at + 1,
        }
    }

    /// Returns how many of `waves` waves each SIMD would get (patent 000, step h3). The
    /// pointer does not move.
    ///
    /// # Errors
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for 0 waves, or for more than [`Table::most`].
    pub const fn target(&self, waves: u64) -> Result<Target, Error> {
        match self.table.turned(waves, self.turn()) {
            Ok(entries) => {
                let Self { table, kind, at } = *self;
                Ok(Target { table, kind, at, waves, entries })
            }
            Err(error) => Err(error),
        }
    }

    /// Moves the pointer, because the workgroup of this target is dispatched to the pointer's
    /// compute unit (patent 000, step h5).
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where the pointer has moved since the
    /// target was made, or another pointer made the target; the pointer does not move then.
    pub fn dispatch(&mut self, target: Target) -> Result<(), Error> {
        self.at = self.after(&target)?;
        Ok(())
    }

    /// Returns the SIMD that the pointer will name once the workgroup of this target is dispatched.
    ///
    /// # Errors
    /// [`Inconsistent`](crate::ErrorKind::Inconsistent) where the pointer has moved since the
    /// target was made, or another pointer made the target.
    pub fn after(&self, target: &Target) -> Result<u32, Error> {
        if (target.table, target.kind, target.at) != (self.table, self.kind, self.at) {
            return Err(Error(Reason::OtherTarget));
        }
        let units = u64::from(self.table.units);
        // The remainder is below the number of units, which is a u32.
        Ok(((u64::from(self.at) + target.waves % units) % units) as u32)
    }
}

impl Target {
    /// Returns the number of waves of the workgroup that each SIMD gets.
    #[must_use]
    pub fn entries(&self) -> RowEntries {
        self.entries.clone()
    }

    /// Returns the number of waves of the workgroup, over all SIMDs.
    #[must_use]
    pub const fn waves(&self) -> u64 {
        self.waves
    }
}
