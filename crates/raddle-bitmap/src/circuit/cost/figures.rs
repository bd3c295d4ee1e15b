//! Which costs of a search circuit are counted, and by which rules?

use crate::{Grouped, Sampled, Shared};

/// Search circuit whose cost is counted.
#[derive(Clone, Copy, Debug)]
pub enum Variant<'a> {
    /// The full search, which finds free runs of every length (seed 000, E4).
    Full {
        /// Number of blocks of the map.
        blocks: u32,
    },
    /// The grouped search, which sees whole groups of blocks (seed 000, E5).
    Grouped(&'a Grouped),
    /// The sampled search, which tests chosen lengths only (seed 000, E6).
    Sampled(&'a Sampled),
    /// A search circuit that several maps share in turn, by full searches (seed 000, E7).
    Shared(&'a Shared),
}

/// Clocks over which the circuit's steps shift, combine and reduce are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// All steps of the search are made in one clock, each with its own hardware.
    OneClock,
    /// Each step of the search takes one clock and has its own hardware, with registers between the
    /// steps.
    ThreeClocks,
    /// Each step of the search takes one clock, and all steps use one set of hardware; the grouped
    /// search alone has this.
    Reused,
}

/// Rule for what counts as a gate or a register of a search circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Counts every gate and register that the figures of the seed show.
    Drawn,
    /// Only the gates and registers count that are left when constants are folded and equal
    /// registers joined.
    Folded,
}

/// Hardware and clocks that a search circuit takes, to compare the circuits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Number of two-input gates that combine sequences, make groups and mask borders.
    pub and_gates: u64,
    /// Number of two-input gates of the trees that reduce a sequence to one digit.
    pub or_gates: u64,
    /// Number of bits held in registers between clocks.
    pub register_bits: u64,
    /// Number of gates on the longest path that a signal takes within one clock.
    pub depth: u32,
    /// Number of clocks from the map to the sequence under test, from which the longest free run is
    /// read.
    pub clocks: u32,
}

impl Cost {
    /// Returns the number of all two-input gates.
    #[must_use]
    pub const fn gates(&self) -> u64 {
        self.and_gates.saturating_add(self.or_gates)
    }
}
