//! What do the waves of a launch do, by kinds of instructions?
//!
//! Unit: instructions that one wave issues in 1,000 ticks (a microsecond in the simulator), as a
//! mean over its life. The product of waves, rate and time gives the instructions of a compute unit
//! in any span, and, with a weight for each kind, the power that it takes; no policy needs to know
//! how long a wave lasts.

use core::fmt;

/// The kinds into which the instructions of a wave are counted, as in seed 000 (a patent). An
/// instruction that fits no other kind, such as arithmetic on vectors or scalars, counts as
/// [`InstructionKind::Move`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum InstructionKind {
    /// Instructions that move data between registers or compute on them, and all that fit no other
    /// kind.
    Move,
    /// Instructions that read memory.
    Load,
    /// Instructions that write memory.
    Store,
    /// Instructions that multiply matrices.
    Matrix,
    /// Instructions that compare values.
    Compare,
    /// Instructions that jump.
    Jump,
}

impl InstructionKind {
    /// All kinds of instructions, in the order in which [`Activity`] and every list of weights
    /// count them.
    pub const ALL: [Self; 6] =
        [Self::Move, Self::Load, Self::Store, Self::Matrix, Self::Compare, Self::Jump];

    /// Returns the index of the kind in [`InstructionKind::ALL`], from 0.
    #[must_use]
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

/// Writes the name of the kind of instruction in kebab-case.
impl fmt::Display for InstructionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Move => "move",
            Self::Load => "load",
            Self::Store => "store",
            Self::Matrix => "matrix",
            Self::Compare => "compare",
            Self::Jump => "jump",
        })
    }
}

/// The number of instructions of each kind that one wave issues in 1,000 ticks, in the order of
/// [`InstructionKind::ALL`]; all 0 if they are unknown.
///
/// ```
/// use raddle_policy::{Activity, InstructionKind};
/// let activity = Activity([120, 30, 8, 64, 4, 4]);
/// assert_eq!(activity.of(InstructionKind::Matrix), 64);
/// assert!(Activity::UNKNOWN.is_unknown());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Activity(pub [u32; 6]);

impl Activity {
    /// The activity of a launch whose rates are unknown.
    pub const UNKNOWN: Self = Self([0; 6]);

    /// Returns whether the rates are unknown, which is the case when all are 0.
    #[must_use]
    #[doc(hidden)]
    pub fn is_unknown(&self) -> bool {
        *self == Self::UNKNOWN
    }

    /// Returns how many instructions of one kind a wave issues in 1,000 ticks.
    #[must_use]
    pub const fn of(&self, kind: InstructionKind) -> u32 {
        self.0[kind.index()]
    }
}
