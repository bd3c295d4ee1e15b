//! Which policies fill the preempt slot?
//!
//! Each says how the submitted launches of a process leave that has lost the turn; a device or a
//! simulator carries it out. All are a [`ByRule`]; `never`, which does not let it leave, belongs to
//! `raddle-dispatch`.
//!
//! | policy | submitted, not started | running | latency: launches of T, window W |
//! |---|---|---|---|
//! | `wait` | runs | runs to its end | W x T |
//! | `flag` | back to the head of the buffer | runs to its end | 1 x T |
//! | `drain` | held | resident workgroups end, the rest is held | one workgroup |
//! | `reset` | back to the head of the buffer | killed if every submitted one is idempotent, else as flag | the reset, else 1 x T |
//! | `switch` | held | saved, later restored in its place | bytes / bandwidth |
//! | `cheapest` | by cost | by cost | its bound |
//!
//! What each promises:
//!
//! - `wait`: what is submitted when the turn is lost ends as if it had not been.
//! - `flag` (S3.2): a launch tests the flag once, when its first workgroup starts. One of which
//!   anything has started, or is assigned to a compute unit, runs to its end; every other one goes back
//!   in the order of issue, and is submitted again in that order.
//! - `drain`: workgroups that are resident, bound to a compute unit or partly started run to their end;
//!   what has not started stays submitted.
//! - `reset` (S3.3): a launch is killed only if every launch that its process has submitted, running or
//!   not, is known to be idempotent. It starts again from its first workgroup, in its old place.
//! - `switch`: registers and LDS are moved out at the device's bandwidth, and back later to the same
//!   compute units; what is restored lasts as long as was left. Workgroups that were assigned and have
//!   not started are distributed anew; what has not started stays submitted.
//! - `cheapest`: where its estimates are right and a method is over within the bound, the work is gone
//!   within it. Unknown times count as endless: the first launch of a kind is not waited for, unless
//!   nothing else can be done.
//! - `reset` and `cheapest` with `most-kills = n`: no launch is killed more than n times. While one that
//!   was is submitted, its process is not reset.

mod by_rule;
mod config;
mod estimates;
mod history;
mod price;
#[cfg(test)]
mod tests;

pub use by_rule::ByRule;
pub use config::{CheapestConfig, DeviceCosts, ResetConfig};
