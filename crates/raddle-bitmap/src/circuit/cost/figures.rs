//! What is counted, of what, and in which ways?

use crate::{Grouped, Sampled, Shared};

/// The circuit that is counted.
#[derive(Clone, Copy, Debug)]
pub enum Variant<'a> {
    /// The full search (E4).
    Full {
        /// The number of blocks, N.
        blocks: u32,
    },
    /// The grouped search (E5).
    Grouped(&'a Grouped),
    /// The sampled search (E6).
    Sampled(&'a Sampled),
    /// A finder shared in time (E7), for full searches.
    Shared(&'a Shared),
}

/// The way in which the steps shift, combine and reduce are spread over clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// All steps in one clock, each with its own hardware.
    OneClock,
    /// One clock for each step, each with its own hardware, registers between.
    ThreeClocks,
    /// One clock for each step, all on one set of hardware; the grouped search alone has this.
    Reused,
}

/// The rule for what counts as a gate or a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Every gate and register that the seed draws.
    Drawn,
    /// The gates and registers that are left when constants are folded and equal registers joined.
    Folded,
}

/// The hardware and the clocks that a variant takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Two-input gates that combine sequences, make groups and mask borders.
    pub and_gates: u64,
    /// Two-input gates of the reducing trees.
    pub or_gates: u64,
    /// Bits held between clocks.
    pub register_bits: u64,
    /// Gates on the longest way within one clock.
    pub depth: u32,
    /// Clocks from map to sequence under test.
    pub clocks: u32,
}

impl Cost {
    /// Returns the number of all gates.
    #[must_use]
    pub const fn gates(&self) -> u64 {
        self.and_gates.saturating_add(self.or_gates)
    }
}
