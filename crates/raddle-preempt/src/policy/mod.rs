//! Which policies fill the preempt slot?
//!
//! One file a policy; `never` and `drain` belong to `raddle-dispatch`. Each says how the submitted
//! launches of a process leave that has lost the turn; a device or a simulator carries it out.
//!
//! | policy | submitted, not started | running | latency: launches of T, window W |
//! |---|---|---|---|
//! | [`Wait`] | runs | runs to its end | W x T |
//! | [`Flag`] | back to the head of the buffer | runs to its end | 1 x T |
//! | [`Reset`] | back to the head of the buffer | killed if every submitted one is idempotent, else as flag | the reset, else 1 x T |
//! | [`Switch`] | held | saved, later restored in its place | bytes / bandwidth |
//! | [`Cheapest`] | by cost | by cost | its bound |

mod cheapest;
mod flag;
mod history;
mod reset;
mod switch;
mod wait;

pub use cheapest::{Cheapest, CheapestConfig, DeviceCosts};
pub use flag::{Flag, FlagConfig};
pub use reset::{Reset, ResetConfig};
pub use switch::{Switch, SwitchConfig};
pub use wait::{Wait, WaitConfig};
