//! What does each wire of the seed's circuits carry, and what does the circuit cost?
//!
//! Feature `circuit`. The four methods of seed 000, E4 to E7, with every sequence under the name
//! that the seed gives it, for either polarity and direction:
//!
//! | trace | sequences |
//! |---|---|
//! | [`FullTrace`] | S_i, SA_i, SAR |
//! | [`GroupedTrace`] | U_z, F_j, FA_j, FAR |
//! | [`SampledTrace`] | S_i, SA_k, SAR_k, and the jumps between them |
//! | [`PeriodTrace`] | D_e, DA_e, DQR_r, and the masks at the borders |
//!
//! [`Cost`] counts what they take. Sequences are [`Bits`], leftmost first as in the seed: its d1 is
//! block 0. A trace holds on the order of N * N bits, so maps of more than [`MOST_BLOCKS`] blocks
//! are refused; the searches themselves have no such limit.
//!
//! ```
//! use raddle_bitmap::circuit::{FullTrace, Setup};
//! use raddle_bitmap::{FreeMap, Polarity};
//!
//! let map = FreeMap::from_digits("01101110", Polarity::FreeIsOne)?;
//! let trace = FullTrace::new(map.view(), Setup::default())?;
//! assert_eq!(trace.s()[1].to_string(), "11011100");
//! assert_eq!(trace.sa()[2].to_string(), "00001000");
//! assert_eq!(trace.sar().to_string(), "11100000");
//! assert_eq!(trace.answer(), 3);
//! # Ok::<(), raddle_bitmap::Error>(())
//! ```

mod bits;
mod chain;
mod cost;
mod full;
mod grouped;
mod sampled;
mod setup;
mod shared;

pub use bits::Bits;
pub use cost::{Cost, Counting, Timing, Variant};
pub use full::FullTrace;
pub use grouped::GroupedTrace;
pub use sampled::{Jump, SampledTrace};
pub use setup::{Setup, Shift};
pub use shared::{Masks, PeriodTrace};

use crate::error::Reason;
use crate::{Error, View};

/// Largest map, in blocks, of which a trace computes all sequences; for a shared finder (one
/// circuit for several maps), the largest width. At this size the sequences of the full search take
/// 4 MiB.
pub const MOST_BLOCKS: u32 = 4096;

/// Returns an error for more than [`MOST_BLOCKS`] blocks, whose sequences would fill the memory.
const fn traceable(blocks: u32) -> Result<(), Error> {
    if blocks > MOST_BLOCKS {
        return Err(Error(Reason::TooManyBlocks { blocks: blocks as u64, most: MOST_BLOCKS }));
    }
    Ok(())
}

/// Returns an error for a map of more than [`MOST_BLOCKS`] blocks, whose sequences would fill the
/// memory.
const fn traceable_map(map: View<'_>) -> Result<(), Error> {
    traceable(map.blocks())
}
