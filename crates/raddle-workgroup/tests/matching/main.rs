//! Does the `matching` policy decide as seed 000 says, whatever is chosen?

mod configs;
mod input;
mod kept;
mod laws;
#[cfg(feature = "circuit")]
mod pace;
mod scenarios;
mod served;
mod split;
mod sweep;
