//! Which costs of a search circuit are counted, and by which rules?

use crate::{Grouped, Sampled, Shared};

/// Kind of search circuit whose cost is counted.
#[derive(Clone, Copy, Debug)]
pub enum Variant<'a> {
    /// The full search, which finds free runs of every length (method E4 of the patent, seed 000).
    Full {
        /// Number of blocks of the map that the circuit searches.
        blocks: u32,
    },
    /// The grouped search, which sees only whole groups of blocks (method E5 of the patent, seed
    /// 000).
    Grouped(&'a Grouped),
    /// The sampled search, which tests chosen run lengths only (method E6 of the patent, seed 000).
    Sampled(&'a Sampled),
    /// A shared finder: one circuit in which several maps take turns, by full searches (method E7
    /// of the patent, seed 000).
    Shared(&'a Shared),
}

/// Choice of the clock cycles over which a search circuit spreads its steps shift, combine and
/// reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// All steps of the search are made in one clock cycle, each with its own hardware.
    OneClock,
    /// Each step of the search takes one clock cycle and has its own hardware, with registers
    /// between the steps.
    ThreeClocks,
    /// Each step of the search takes one clock cycle, and all steps use the same hardware; only the
    /// grouped search has this form.
    Reused,
}

/// Rule for which gates and registers of a search circuit are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Every gate and register counts that the figures of the patent (seed 000) show.
    Drawn,
    /// Only the gates and registers count that remain after constants are folded and registers with
    /// equal content are joined.
    Folded,
}

/// Hardware and clock cycles that a search circuit takes, by which circuits are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Number of two-input gates that combine sequences, make groups of blocks and mask borders
    /// between maps.
    pub and_gates: u64,
    /// Number of two-input gates in the trees that reduce each sequence to one digit.
    pub or_gates: u64,
    /// Number of bits that the search circuit's registers hold from one clock cycle to the next.
    pub register_bits: u64,
    /// Number of gates on the longest path that a signal takes within one clock cycle.
    pub depth: u32,
    /// Number of clock cycles that one search takes, until the length of the longest free run can
    /// be read.
    pub clocks: u32,
}

impl Cost {
    /// Returns the number of all two-input gates of the circuit.
    #[must_use]
    pub const fn gates(&self) -> u64 {
        self.and_gates.saturating_add(self.or_gates)
    }
}
