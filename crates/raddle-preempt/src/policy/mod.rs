//! Which policies fill the preempt slot?
//!
//! Each says how the submitted launches of a process leave that has lost the turn; a device or a
//! simulator carries it out. All are a [`ByRule`]; `never`, which does not let it leave, belongs to
//! `raddle-dispatch`.
//!
//! | policy | submitted, not started | running | latency: launches of T, window W |
//! |---|---|---|---|
//! | [`wait`](WaitConfig) | runs | runs to its end | W x T |
//! | [`flag`](FlagConfig) | back to the head of the buffer | runs to its end | 1 x T |
//! | [`drain`](DrainConfig) | held | resident workgroups end, the rest is held | one workgroup |
//! | [`reset`](ResetConfig) | back to the head of the buffer | killed if every submitted one is idempotent, else as flag | the reset, else 1 x T |
//! | [`switch`](SwitchConfig) | held | saved, later restored in its place | bytes / bandwidth |
//! | [`cheapest`](CheapestConfig) | by cost | by cost | its bound |

mod by_rule;
mod config;
mod estimates;
mod history;
mod price;
#[cfg(test)]
mod tests;

pub use by_rule::ByRule;
pub use config::{
    CheapestConfig, DeviceCosts, DrainConfig, FlagConfig, ResetConfig, SwitchConfig, WaitConfig,
};
