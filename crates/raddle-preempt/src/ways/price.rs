//! How long does each way off take, and what does it waste?

use raddle_policy::{Preemption, Ticks};

/// What a runtime takes for each way. Free of charge by default, but for saving: a device without
/// bandwidth cannot save anything in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct Costs {
    /// Until the host has noticed that something ended.
    pub wait: Ticks,
    /// Until a raised flag is seen.
    pub flag: Ticks,
    /// For each launch that starts only to find the flag raised.
    pub exit: Ticks,
    /// Until no further workgroup is placed.
    pub drain: Ticks,
    /// To reset the compute units.
    pub reset: Ticks,
    /// To begin saving, or restoring, beside the bytes.
    pub switch: Ticks,
    /// Bytes that are saved, or restored, in 1,000 ticks. 0: none, in any time.
    pub bandwidth: u64,
}

/// What has to leave: the submitted launches of one process. Estimates are `None` where nobody
/// knows, and count as endless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Victim {
    /// Until the last running launch has ended. 0 where none runs.
    pub running: Option<Ticks>,
    /// What the launches that are submitted and have not started take after that.
    pub waiting: Option<Ticks>,
    /// Until the last resident workgroup has ended.
    pub workgroup: Option<Ticks>,
    /// Launches that are submitted and have not started.
    pub launches: u64,
    /// Device time that a kill throws away: what the running launches have done.
    pub done: Ticks,
    /// What resident workgroups hold: registers and LDS, in bytes.
    pub bytes: u64,
    /// Whether all that is submitted may be killed: there is something, and each launch of it is
    /// idempotent.
    pub killable: bool,
}

/// What one way off takes, for one victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Until nothing of the victim is on the device; `None` where nobody knows.
    pub latency: Option<Ticks>,
    /// Device time that brings nothing: exits, work that is done again, saving and restoring.
    /// Saturates.
    pub waste: Ticks,
}

impl Price {
    /// Whether it is over within `bound`; without a bound, always.
    #[must_use]
    pub fn within(&self, bound: Option<Ticks>) -> bool {
        bound.is_none_or(|bound| self.latency.is_some_and(|latency| latency <= bound))
    }
}

impl Victim {
    /// What it takes to let it go this way. Whether that way is possible is not looked at.
    #[must_use]
    pub fn price(&self, way: Preemption, costs: &Costs) -> Price {
        let exits = Ticks(costs.exit.0.saturating_mul(self.launches));
        let (latency, waste) = match way {
            Preemption::Wait => (sum(self.running, self.waiting, costs.wait), Ticks::ZERO),
            Preemption::Flag => (sum(self.running, Some(exits), costs.flag), exits),
            Preemption::Drain => (sum(self.workgroup, Some(Ticks::ZERO), costs.drain), Ticks::ZERO),
            Preemption::Reset => {
                (Some(costs.flag + costs.reset + exits), self.done + costs.reset + exits)
            }
            Preemption::Switch => {
                let once = self.transfer(costs);
                (once, once.map_or(Ticks(u64::MAX), |once| once + once))
            }
        };
        Price { latency, waste }
    }

    /// How long saving takes, or restoring.
    fn transfer(&self, costs: &Costs) -> Option<Ticks> {
        if self.bytes == 0 {
            return Some(costs.switch);
        }
        let round_up = costs.bandwidth.checked_sub(1)?;
        let narrow = self.bytes.checked_mul(1000).and_then(|exact| exact.checked_add(round_up));
        let ticks = match narrow {
            Some(exact) => exact / costs.bandwidth,
            None => {
                let exact = u128::from(self.bytes) * 1000 + u128::from(round_up);
                u64::try_from(exact / u128::from(costs.bandwidth)).unwrap_or(u64::MAX)
            }
        };
        Some(costs.switch + Ticks(ticks))
    }
}

fn sum(a: Option<Ticks>, b: Option<Ticks>, c: Ticks) -> Option<Ticks> {
    Some(a? + b? + c)
}
