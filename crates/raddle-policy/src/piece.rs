//! How does one answer name many equal workgroups?

use core::fmt;
use core::ops::Range;

use crate::{CuId, Demand};

/// `count` workgroups of one launch on one compute unit: `first`, `first + stride`, ...
///
/// A whole uniform round over N compute units is N pieces of stride N.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Piece {
    /// The lowest workgroup.
    pub first: u64,
    /// Distance between neighbouring workgroups; 1 or more (also where `count` is 1).
    pub stride: u32,
    /// The number of workgroups, 1 or more.
    pub count: u32,
    /// The compute unit that the workgroups go to.
    pub cu: CuId,
}

impl Piece {
    /// Returns a piece of a single workgroup.
    #[must_use]
    pub const fn one(workgroup: u64, cu: CuId) -> Self {
        Self { first: workgroup, stride: 1, count: 1, cu }
    }

    /// Returns whether this workgroup is one of the piece.
    #[must_use]
    pub const fn names(self, workgroup: u64) -> bool {
        let stride = if self.stride == 0 { 1 } else { self.stride as u64 };
        match workgroup.checked_sub(self.first) {
            Some(offset) => offset % stride == 0 && offset / stride < self.count as u64,
            None => false,
        }
    }

    /// Groups the pieces by neighbouring compute units that get the same number of workgroups, one piece
    /// each: the range of compute units, and the number for each of them.
    pub fn by_units(pieces: &[Self]) -> impl Iterator<Item = (Range<usize>, u32)> + Clone {
        let next = |a: &Self, b: &Self| a.count == b.count && a.cu.index() + 1 == b.cu.index();
        pieces.chunk_by(next).map(|run| {
            let first = run[0].cu.index();
            (first..first + run.len(), run[0].count)
        })
    }

    /// Returns the workgroups of the piece, ascending.
    pub fn workgroups(self) -> impl Iterator<Item = u64> {
        let stride = u64::from(self.stride);
        // Two u32 multiplied fit a u64.
        (0..u64::from(self.count)).map(move |i| self.first.saturating_add(i * stride))
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "w{}@{}", self.first, self.cu),
            n => write!(f, "w{}+{}x{n}@{}", self.first, self.stride, self.cu),
        }
    }
}

/// The waves that an answer starts, of each workgroup that it names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum WaveSpan {
    /// All waves of the workgroup: the usual case.
    #[default]
    All,
    /// Waves `first .. first + count` of a partly started workgroup (seed 003, L1..L3).
    Range {
        /// The lowest wave.
        first: u16,
        /// The number of waves, 1 or more.
        count: u16,
    },
    /// Waves `first .. first + count` of a workgroup that was cut (seed 000, E3). They act as a
    /// workgroup of their own: wherever they start they take its slot and LDS, and they end
    /// together, with the same span. Several of them also take its barriers, a single one takes
    /// none ([`Demand::of`]).
    ///
    /// [`Demand::of`]: crate::Demand::of
    Cut {
        /// The lowest wave.
        first: u16,
        /// The number of waves, 1 or more.
        count: u16,
    },
}

impl WaveSpan {
    /// Returns the first wave and the number of waves, for workgroups of `waves` waves.
    #[must_use]
    pub const fn bounds(self, waves: u16) -> (u16, u16) {
        match self {
            Self::All => (0, waves),
            Self::Range { first, count } | Self::Cut { first, count } => (first, count),
        }
    }
}

impl Demand {
    /// Returns the demand of these waves. A single wave of a workgroup that was cut needs no
    /// barrier.
    #[must_use]
    pub const fn of(self, waves: WaveSpan) -> Self {
        match waves {
            WaveSpan::Cut { count: 1, .. } => Self { barriers: 0, ..self },
            _ => self,
        }
    }
}

/// The address of one wave on its compute unit: start positions in granules.
///
/// All waves of a workgroup share one LDS start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Place {
    /// The SIMD of the compute unit.
    pub simd: u8,
    /// First vector-register granule, counted within the SIMD.
    pub vgpr: u16,
    /// First scalar-register granule, counted within the compute unit.
    pub sgpr: u16,
    /// First LDS granule, counted within the compute unit.
    pub lds: u32,
}
