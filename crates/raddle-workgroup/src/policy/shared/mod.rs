//! What do several baselines do alike? Dealing in rounds, keeping addresses.

mod addressed;
mod rounds;

pub(super) use addressed::Addressed;
pub(super) use rounds::{Passes, Rounds};
