//! How long does each method take for a victim, what does it waste, and which is cheapest?
//!
//! | method | submitted, not started | running | latency | waste |
//! |---|---|---|---|---|
//! | wait | runs | runs to its end | all that was submitted | nothing |
//! | flag | leaves by the flag | runs to its end | the running launches, the exits | the exits |
//! | drain | held | resident workgroups end | one workgroup | nothing |
//! | reset | leaves by the flag | killed | the reset, the exits | those, what was done |
//! | switch | held | saved, later restored | its own time, bytes / bandwidth | saving and restoring |
//!
//! A flag or a reset takes effect once the flag is seen. The test of the flag in every workgroup is
//! paid whichever method is taken, so it has no place in the choice.
//!
//! Ticks are nanoseconds.

use raddle_policy::{Preemption, Ticks};

use super::DeviceCosts;

/// The submitted launches of one process. Estimates are `None` where nothing is known, and count as
/// endless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VictimEstimate {
    /// The time until the last running launch has ended; 0 where none runs.
    pub(super) running: Option<Ticks>,
    /// The time that the launches that are submitted and have not started take after that.
    pub(super) waiting: Option<Ticks>,
    /// The time until the last resident workgroup has ended.
    pub(super) workgroup: Option<Ticks>,
    /// The number of launches that leave by the flag one after the other: those of the longest
    /// stream.
    pub(super) exits: u64,
    /// Device time that a kill throws away: what the running launches have done.
    pub(super) done: Ticks,
    /// Registers and LDS of resident workgroups, in bytes; `None` where nobody knows the registers.
    pub(super) bytes: Option<u64>,
}

/// The cost of one method, for one victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Price {
    /// The time until nothing of the victim is on the device; `None` where nothing is known.
    pub(super) latency: Option<Ticks>,
    /// Device time that brings nothing. Saturates.
    pub(super) waste: Ticks,
}

impl Price {
    pub(super) fn within(&self, bound: Ticks) -> bool {
        self.latency.is_some_and(|latency| latency <= bound)
    }
}

/// The order of latencies: unknown ones are the longest. Among them a drain comes first, then the
/// flag, then waiting: each of them is over no later than the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LatencyRank {
    Known(Ticks),
    Unknown(u8),
}

impl LatencyRank {
    fn of(method: Preemption, price: &Price) -> Self {
        price.latency.map_or(
            Self::Unknown(match method {
                Preemption::Drain => 0,
                Preemption::Flag => 1,
                Preemption::Wait => 2,
                // Without a bandwidth to save with, or without a known size to save, a switch has
                // no known latency.
                Preemption::Reset | Preemption::Switch => 3,
            }),
            Self::Known,
        )
    }
}

impl VictimEstimate {
    pub(super) fn price(&self, method: Preemption, device: &DeviceCosts) -> Price {
        let seen = Ticks(device.flag_ns.unwrap_or(0));
        let exits = Ticks(self.exits.saturating_mul(device.exit_ns.unwrap_or(0)));
        let reset = Ticks(device.reset_ns) + exits;
        let (latency, waste) = match method {
            Preemption::Wait => {
                let both = self.running.zip(self.waiting);
                (both.map(|(running, waiting)| running + waiting), Ticks::ZERO)
            }
            // Running launches may end while the flag is on its way, so the longer of both times
            // counts.
            Preemption::Flag => (self.running.map(|running| running.max(seen) + exits), exits),
            Preemption::Drain => (self.workgroup, Ticks::ZERO),
            Preemption::Reset => (Some(seen + reset), self.done + reset),
            Preemption::Switch => {
                let once = self.transfer(device);
                (once, once.map_or(Ticks(u64::MAX), |once| once + once))
            }
        };
        Price { latency, waste }
    }

    /// Returns how long saving takes, or restoring, rounded up; no time where nothing is resident.
    fn transfer(&self, device: &DeviceCosts) -> Option<Ticks> {
        let bytes = self.bytes?;
        if bytes == 0 {
            return Some(Ticks::ZERO);
        }
        let bytes = bytes.max(device.switch_bytes.unwrap_or(0));
        let bandwidth = Some(u128::from(device.bytes_per_us)).filter(|bandwidth| *bandwidth > 0)?;
        let ticks = (u128::from(bytes) * 1000).div_ceil(bandwidth);
        let moving = Ticks(u64::try_from(ticks).unwrap_or(u64::MAX));
        Some(Ticks(device.switch_ns.unwrap_or(0)) + moving)
    }

    /// Returns the method that wastes least among those that are `allowed` and over within the
    /// bound. Equal waste: the shorter latency, then the gentler method ([`Preemption::ALL`]).
    /// Where none is over within the bound: the shortest latency, then the least waste, then the
    /// gentler method.
    pub(super) fn cheapest(
        &self,
        bound: Ticks,
        device: &DeviceCosts,
        allowed: impl Fn(Preemption) -> bool,
    ) -> Preemption {
        let rank = |&method: &Preemption| {
            let price = self.price(method, device);
            let (late, latency) = (!price.within(bound), LatencyRank::of(method, &price));
            (late, late.then_some(latency), price.waste, latency, method)
        };
        let methods = Preemption::ALL.into_iter().filter(|&method| allowed(method));
        methods.min_by_key(rank).unwrap_or(Preemption::Wait)
    }
}
