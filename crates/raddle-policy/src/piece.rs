//! How does one answer name many equal workgroups?

use core::fmt;
use core::ops::Range;

use crate::{CuId, Demand};

/// A part of an allocation policy's answer, or of an event: `count` workgroups of one launch on one
/// compute unit, with the numbers `first`, `first + stride`, ...
///
/// Workgroups dealt in turn to N compute units are N pieces of stride N.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Piece {
    /// The number of the lowest workgroup of the piece (equal workgroups on one compute unit).
    pub first: u64,
    /// The distance between the numbers of neighbouring workgroups; 1 or more (also where `count`
    /// is 1).
    pub stride: u32,
    /// The number of workgroups of the piece (equal workgroups on one compute unit), 1 or more.
    pub count: u32,
    /// The compute unit that the workgroups go to.
    pub cu: CuId,
}

impl Piece {
    /// Returns the piece of a single workgroup on a compute unit.
    #[must_use]
    pub const fn one(workgroup: u64, cu: CuId) -> Self {
        Self { first: workgroup, stride: 1, count: 1, cu }
    }

    /// Returns whether the workgroup with this number is one of the piece (equal workgroups on one
    /// compute unit).
    #[must_use]
    #[doc(hidden)]
    pub const fn names(self, workgroup: u64) -> bool {
        let stride = if self.stride == 0 { 1 } else { self.stride as u64 };
        match workgroup.checked_sub(self.first) {
            Some(offset) => offset % stride == 0 && offset / stride < self.count as u64,
            None => false,
        }
    }

    /// Groups neighbouring pieces (equal workgroups on one compute unit each) that have the same
    /// number of workgroups and lie on consecutive compute units. Returns for each group (range of
    /// compute units, workgroups on each of them).
    #[doc(hidden)]
    pub fn by_units(pieces: &[Self]) -> impl Iterator<Item = (Range<usize>, u32)> + Clone {
        let mut rest = pieces;
        core::iter::from_fn(move || {
            let Self { count, cu, .. } = *rest.first()?;
            let run = neighbours(rest);
            rest = &rest[run..];
            Some((cu.index()..cu.index() + run, count))
        })
    }

    /// Returns the numbers of the workgroups of the piece (equal workgroups on one compute unit),
    /// ascending.
    pub fn workgroups(self) -> impl Iterator<Item = u64> {
        let stride = u64::from(self.stride);
        // Two u32 multiplied fit a u64.
        (0..u64::from(self.count)).map(move |i| self.first.saturating_add(i * stride))
    }
}

/// Returns the length of the first group of pieces (equal workgroups on one compute unit each) that
/// have the same number of workgroups and lie on consecutive compute units.
fn neighbours(pieces: &[Piece]) -> usize {
    let key = |piece: &Piece| u64::from(piece.count) << 32 | u64::from(piece.cu.0);
    let Some(first) = pieces.first().map(key) else { return 0 };
    let mut run = 0;
    // Most runs are long, so eight pieces are compared at a time.
    for eight in pieces.as_chunks::<8>().0 {
        let ahead = first + run as u64;
        let differ =
            (ahead..).zip(eight).fold(0, |differ, (key_of, piece)| differ | (key_of ^ key(piece)));
        if differ != 0 {
            break;
        }
        run += 8;
    }
    let follows = |(at, piece): &(u64, &Piece)| *at == key(piece);
    run + (first + run as u64..).zip(&pieces[run..]).take_while(follows).count()
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "w{}@{}", self.first, self.cu),
            n => write!(f, "w{}+{}x{n}@{}", self.first, self.stride, self.cu),
        }
    }
}

/// Says which waves of each workgroup in a list are meant: in an answer of an allocation policy the
/// waves that start, in an event the waves that have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum WaveSpan {
    /// All waves of the workgroup: the usual case.
    #[default]
    All,
    /// Waves `first .. first + count` of a workgroup whose waves start at different times, all on
    /// one compute unit (seed 003, L1..L3).
    Range {
        /// The number, within the workgroup, of the lowest wave of the span.
        first: u16,
        /// The number of waves of the span, 1 or more.
        count: u16,
    },
    /// Waves `first .. first + count` of a workgroup that was cut (split) into waves, which may run
    /// on different compute units (seed 000, E3). The waves of one span start together and end
    /// together. They take a workgroup slot, LDS and barriers as if they were a workgroup of their
    /// own; a single wave takes no barriers ([`Demand::of`]).
    ///
    /// [`Demand::of`]: crate::Demand::of
    Cut {
        /// The number, within the workgroup, of the lowest wave of the span.
        first: u16,
        /// The number of waves of the span, 1 or more.
        count: u16,
    },
}

impl WaveSpan {
    /// Returns (first wave, number of waves) of the span, for workgroups of `waves` waves.
    #[must_use]
    pub const fn bounds(self, waves: u16) -> (u16, u16) {
        match self {
            Self::All => (0, waves),
            Self::Range { first, count } | Self::Cut { first, count } => (first, count),
        }
    }
}

impl Demand {
    /// Returns the resources that the waves `waves` of a workgroup with this demand take when they
    /// start. A single wave of a workgroup that was cut (split over compute units) takes no
    /// barriers; in all other cases the demand is unchanged.
    #[must_use]
    #[doc(hidden)]
    pub const fn of(self, waves: WaveSpan) -> Self {
        match waves {
            WaveSpan::Cut { count: 1, .. } => Self { barriers: 0, ..self },
            _ => self,
        }
    }
}

/// The address of one wave on its compute unit: where its registers and its workgroup's LDS begin,
/// in granules.
///
/// All waves of a workgroup share one LDS start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Place {
    /// The number of the SIMD within the compute unit.
    pub simd: u8,
    /// The first vector-register granule of the wave, counted from 0 within the SIMD.
    pub vgpr: u16,
    /// The first scalar-register granule of the wave, counted from 0 within the compute unit.
    pub sgpr: u16,
    /// The first LDS granule of the wave's workgroup, counted from 0 within the compute unit.
    pub lds: u32,
}
