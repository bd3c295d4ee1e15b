//! How long does each method of preemption take for a victim, how much device time does it waste,
//! and which method is cheapest?
//!
//! | method | submitted, not started | running | latency | waste |
//! |---|---|---|---|---|
//! | wait | runs | runs to its end | all submitted launches | nothing |
//! | flag | leaves by the flag | runs to its end | running launches + exits | exits |
//! | drain | held back | resident workgroups end | one workgroup | nothing |
//! | reset | leaves by the flag | killed | reset + exits | reset + exits + lost work |
//! | switch | held back | saved, later restored | fixed time + bytes / bandwidth | save + restore |
//!
//! An exit is the time in which one launch leaves by the flag. A flag or a reset takes effect once
//! launches see the flag. Every method pays for the test of the flag, so it does not count.
//!
//! Ticks are nanoseconds.

use raddle_policy::{Preemption, Ticks};

use super::DeviceCosts;

/// Estimates for the submitted launches of a victim, the process that is preempted. A time of
/// `None` is unknown, and counts as infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VictimEstimate {
    /// Ticks until the last running launch ends; 0 where none runs, `None` where that is unknown.
    pub(super) running: Option<Ticks>,
    /// Ticks that the submitted launches that have not started will take, once the running launches
    /// have ended; `None` where that is unknown.
    pub(super) waiting: Option<Ticks>,
    /// Ticks until the last of the victim's workgroups on the device ends; `None` where unknown.
    pub(super) workgroup: Option<Ticks>,
    /// Number of launches that leave one after the other by the raised preemption flag (tested at
    /// each launch's start): the largest number of launches in one stream that have not started.
    pub(super) exits: u64,
    /// Ticks that the running launches have been on the device, which a kill would waste.
    pub(super) done: Ticks,
    /// Bytes of registers and LDS of the victim's workgroups on the device; `None` where the number
    /// of registers is unknown.
    pub(super) bytes: Option<u64>,
}

/// Cost of taking one victim (a preempted process) off the device by one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Price {
    /// Ticks until none of the victim's work is on the device; `None` where that is unknown.
    pub(super) latency: Option<Ticks>,
    /// Ticks of device time that the method wastes, on overhead and on work that must be done
    /// again; saturates.
    pub(super) waste: Ticks,
}

impl Price {
    pub(super) fn within(&self, bound: Ticks) -> bool {
        self.latency.is_some_and(|latency| latency <= bound)
    }
}

/// Latency of a method as a sort key; unknown latencies come after all known ones. The order of
/// unknown ones is: drain, preemption flag, waiting (each ends no later than the next), switch.
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

    /// Returns the ticks that one save or one restore of the victim's work takes, rounded up: 0
    /// where no workgroup is on the device, `None` where the bytes or the bandwidth are unknown.
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

    /// Returns the method that wastes the least device time among those for which `allowed` returns
    /// true and that take the victim's work off the device within `bound`. At equal waste the
    /// shorter latency decides, then the gentler method ([`Preemption::ALL`]). Where no allowed
    /// method is done within `bound`, the shortest latency decides, then the least waste, then the
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
