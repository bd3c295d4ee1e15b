//! Which policies have no crate of their own?
//!
//! One file a policy: turn [`Everyone`] and [`HighestLevel`], launch path [`Ordinary`], preempt
//! [`Never`].

mod everyone;
mod highest_level;
mod never;
mod ordinary;

pub use everyone::Everyone;
pub use highest_level::HighestLevel;
pub use never::Never;
pub use ordinary::{Ordinary, OrdinaryConfig};
