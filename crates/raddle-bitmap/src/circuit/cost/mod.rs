//! What does each search circuit of the patent (seed 000) cost in gates, registers and clocks?
//!
//! Two-input gates are counted. Shifts are wires. A reduction of n digits is a tree of n - 1 gates,
//! ceil(log2 n) deep. Registers are the bits that are held between clocks. What loads the map, and
//! what reads the tested sequence, is not counted, as every circuit needs it alike (SAR_i alone
//! says whether i + 1 blocks fit). The names of gates are those of maps with 1 = free; with 0 =
//! free, AND and OR change places and nothing else.
//!
//! Two ways to count ([`Counting`]): **drawn**, every sequence as wide as in the patent; and
//! **folded**, without gates whose input is constant after a shift, and without a second register
//! for a wire that is held already: what synthesis leaves.
//!
//! # Full search, N blocks
//!
//! | | drawn | folded |
//! |---|---|---|
//! | AND gates (d3) | N (N - 1) | N (N - 1) / 2 |
//! | OR gates (d4) | N (N - 1) | N (N - 1) / 2 |
//! | register bits, three clocks | 2 N N | N + N (N + 1) / 2 |
//! | depth, one clock | N - 1 + log N | N - 1 |
//! | depth, three clocks | N - 1 | N - 1 |
//!
//! where log is ceil(log2). SA_i has N - i places that can be free; the tree of SA_(N-1) has but
//! one, so that the folded chain and its tree are never deeper than N - 1 together.
//!
//! **By doublings** ([`Cost::by_doublings`]) a window of w places is two windows of ceil(w / 2): as many
//! gates, but log w levels instead of w - 1. Folded, the largest of log w + log (N - w + 1) over all w
//! is the depth: 13 instead of 127 for 128 blocks.
//!
//! # Grouped search, Z groups of g = N / Z blocks
//!
//! N - Z gates and log g levels for the groups (e2), before a full search on Z digits. With one set
//! of gates for all three steps ([`Timing::Reused`]; the set can work as AND and as OR, so it stands
//! under AND) only the larger of the two steps counts, and one set of registers is overwritten
//! clock by clock: Z Z bits, folded Z (Z + 1) / 2. Depth in three clocks: the largest of log g,
//! Z - 1 and log Z.
//!
//! # Sampled search, samples k_0 .. k_(W-1), J jumps from a to b
//!
//! | | drawn | folded |
//! |---|---|---|
//! | AND gates (f3) | J N | sum over jumps of N - b |
//! | OR gates (f4) | W (N - 1) | sum over samples of N - k - 1 |
//! | register bits, three clocks | N + W N | N + sum over samples of N - k |
//! | depth, one clock | J + log N | largest over samples of jumps so far + log (N - k) |
//! | depth, three clocks | max(J, log N) | max(J, log (N - k_0)) |
//!
//! The jumps are those of [`Jump`](super::Jump); they read S_0 alone, so no other S_i is held.
//!
//! # Shared finder (one circuit for several maps), E blocks wide
//!
//! A full search on E digits, and:
//! - Where two slots (ranges for one map each) of one period (maps searched together) meet, one AND
//!   gate for each shift keeps them apart ([`Masks::Newest`](super::Masks)): as many as the widest
//!   slot that ends there has blocks. Folded, one gate for each border is left. By doublings, a gate
//!   masks each pair of half windows that meet there. Each border of a round (all periods) has a
//!   control wire. Any border makes each shift one level deeper.
//! - The trees: all borders of a round cut the width into segments; each is reduced once for each
//!   shift, and a slot that spans m segments takes m - 1 further gates. Two slots of half the width
//!   beside one of the full width take no gate more than the latter alone.
//!
//! Register bits in three clocks: 2 E E drawn; folded E + one for each border + E (E + 1) / 2. The
//! clocks are those of one period; a round takes [`Shared::periods`] times as many. Shifts are to
//! the left; to the right, masks count by the slots that begin at a border.

mod count;
mod figures;

pub use figures::{Cost, Counting, Timing, Variant};

use crate::Error;
use crate::error::Reason;
use count::Windows;

impl Cost {
    /// Counts the hardware and clock cycles of a search circuit, by the formulas in the
    /// documentation of the module `cost`. Counts saturate at `u64::MAX`.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for [`Timing::Reused`] of another search than the
    /// grouped one; [`OutOfRange`](crate::ErrorKind::OutOfRange) for a shared finder above 65,536 positions.
    ///
    /// ```
    /// use raddle_bitmap::Grouped;
    /// use raddle_bitmap::circuit::{Cost, Counting, Timing, Variant};
    ///
    /// let full = Variant::Full { blocks: 128 };
    /// let full = Cost::of(full, Timing::OneClock, Counting::Drawn)?;
    /// let groups = Grouped::of_size(128, 4)?;
    /// let grouped = Cost::of(Variant::Grouped(&groups), Timing::OneClock, Counting::Drawn)?;
    /// assert_eq!((full.and_gates, full.or_gates, full.depth), (16_256, 16_256, 134));
    /// assert_eq!((grouped.and_gates, grouped.or_gates, grouped.depth), (1_088, 992, 38));
    /// # Ok::<(), raddle_bitmap::Error>(())
    /// ```
    pub fn of(variant: Variant<'_>, timing: Timing, counting: Counting) -> Result<Self, Error> {
        Self::counted(variant, Windows::Chain, timing, counting)
    }

    /// Counts the hardware and clock cycles of a search circuit as [`of`](Self::of) does, but each
    /// window of free blocks is made of two windows half as wide, not of one that is a block
    /// shorter. The sampled search costs the same either way.
    ///
    /// ```
    /// use raddle_bitmap::circuit::{Cost, Counting, Timing, Variant};
    ///
    /// let full = Variant::Full { blocks: 128 };
    /// let chain = Cost::of(full, Timing::OneClock, Counting::Folded)?;
    /// let doublings = Cost::by_doublings(full, Timing::OneClock, Counting::Folded)?;
    /// assert_eq!(doublings.gates(), chain.gates());
    /// assert_eq!((chain.depth, doublings.depth), (127, 13));
    /// # Ok::<(), raddle_bitmap::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) and [`OutOfRange`](crate::ErrorKind::OutOfRange) for a
    /// timing, or a number of blocks, that cannot be counted.
    pub fn by_doublings(
        variant: Variant<'_>,
        timing: Timing,
        counting: Counting,
    ) -> Result<Self, Error> {
        Self::counted(variant, Windows::Doublings, timing, counting)
    }

    fn counted(
        variant: Variant<'_>,
        windows: Windows,
        timing: Timing,
        counting: Counting,
    ) -> Result<Self, Error> {
        if timing == Timing::Reused && !matches!(variant, Variant::Grouped(_)) {
            return Err(Error(Reason::NoSuchTiming));
        }
        let steps = match variant {
            Variant::Full { blocks: 0 } => return Err(Error(Reason::NoBlocks)),
            Variant::Full { blocks } => count::full(blocks, windows, counting),
            Variant::Grouped(search) => count::grouped(search, windows, counting),
            Variant::Sampled(search) => count::sampled(search, counting),
            Variant::Shared(search) => count::shared(search, windows, counting)?,
        };
        Ok(steps.spread(timing))
    }
}
