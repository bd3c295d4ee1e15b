//! How does a circuit of seed 000 find the longest free run, step by step?
//!
//! The sequences of digits have the names of the seed, and so have the steps: d1 to d4 for the full
//! search, e1 to e3 grouped, f1 to f4 sampled, g1 to g4 for a circuit that several resources share.

mod fit;
mod methods;
mod rows;
mod shared;

pub(super) use fit::tell as fit;
pub(super) use methods::tell as longest;
pub(super) use shared::tell as shared;
