//! Which policies fill the preempt slot?
//!
//! Each policy says how the submitted launches of a process leave when it has lost the turn; a
//! device or a simulator carries that out. All of them are a [`ByRule`]; `never`, under which
//! submitted launches stay, is in `raddle-dispatch`.
//!
//! | policy | submitted, not started | running | latency, for W launches of T ticks |
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
//! - `wait`: submitted launches run to their end as if the turn had not been lost.
//! - `flag` (S3.2): a launch tests the flag once, when its first workgroup starts. A launch of
//!   which a workgroup has started or is assigned to a compute unit runs to its end; the others
//!   return to the buffer in the order of issue, and are submitted again in that order.
//! - `drain`: workgroups that are resident, bound to a compute unit or partly started run to their
//!   end; the others stay submitted.
//! - `reset` (S3.3): a launch is killed only if every launch that its process has submitted, running or
//!   not, is known to be idempotent. It starts again from its first workgroup, in its old place.
//! - `switch`: registers and LDS are moved out at the device's bandwidth, and back later to the
//!   same compute units; restored workgroups continue with their remaining time. Workgroups that
//!   were assigned but have not started are distributed again; the others stay submitted.
//! - `cheapest`: if its estimates are right and a method ends within the bound, the work has left
//!   within the bound. Unknown times count as infinite: the policy does not wait for the first
//!   launch of a kind unless there is no other method.
//! - `reset` and `cheapest` with `most-kills = n`: no launch is killed more than n times. While a
//!   launch that was killed n times is submitted, its process is not reset.

mod by_rule;
mod config;
mod estimates;
mod history;
mod price;
#[cfg(test)]
mod tests;

pub use by_rule::ByRule;
pub use config::{CheapestConfig, DeviceCosts, ResetConfig};
