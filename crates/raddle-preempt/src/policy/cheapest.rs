//! Preempt: of the ways that are over within a bound, the one that wastes least.
//!
//! The ways are weighed by [`crate::ways`]; this is where their estimates come from: what was seen
//! of the victim's launches, and what the device takes. Units: microseconds and nanoseconds in
//! configurations, ticks of 1 ns else.

use raddle_policy::{Fact, How, Preempt, VictimView};
use raddle_types::{Demand, Tick, Ticks};

use super::history::History;
use crate::ways::{self, Abilities, Choose, Costs, Victim};

/// What [`Cheapest`] can be set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct CheapestConfig {
    /// The longest latency that is wanted, in microseconds.
    pub bound_us: u64,
    /// What the runtime can do; everything if it is left out, and what is not named in it not.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub abilities: Option<Abilities>,
    /// What the device takes; the tool fills in what its device table says.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub costs: Option<DeviceCosts>,
}

/// What a device takes to let work go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct DeviceCosts {
    /// To kill everything of a launch, in nanoseconds.
    pub reset_ns: u64,
    /// Bytes saved or restored in a microsecond.
    pub bytes_per_us: u64,
    /// Bytes of a granule of vector registers of one wave.
    pub vgpr_bytes: u32,
    /// Bytes of a granule of scalar registers of one wave.
    pub sgpr_bytes: u32,
    /// Bytes of a granule of LDS.
    pub lds_bytes: u32,
}

impl DeviceCosts {
    /// Bytes that one workgroup keeps on the device: registers and LDS. Saturates.
    #[must_use]
    pub fn context_bytes(&self, demand: &Demand) -> u64 {
        let bytes = |granules: u32, each: u32| u64::from(granules).saturating_mul(each.into());
        let wave = bytes(demand.vgpr.into(), self.vgpr_bytes)
            .saturating_add(bytes(demand.sgpr.into(), self.sgpr_bytes));
        let waves = u64::from(demand.waves).saturating_mul(wave);
        waves.saturating_add(bytes(demand.lds, self.lds_bytes))
    }
}

/// The way that wastes least among those that are over within the bound; where none is, the
/// quickest ([`ways::Cheapest`]).
///
/// # Laws
///
/// 1. It answers what the runtime can do, and a reset only where every submitted launch is known to
///    be idempotent.
/// 2. Where its estimates are right and a way is over within the bound, the work is gone within it.
/// 3. What nobody knows counts as endless: the first launch of a kind is not waited for, unless
///    nothing else can be done.
#[derive(Clone, Debug)]
pub struct Cheapest {
    rule: ways::Cheapest,
    abilities: Abilities,
    device: DeviceCosts,
    history: History,
}

impl Cheapest {
    /// Within this bound, on a device with these costs.
    #[must_use]
    pub fn new(bound: Ticks, abilities: Abilities, device: DeviceCosts) -> Self {
        let rule = ways::Cheapest::within(bound);
        Self { rule, abilities, device, history: History::default() }
    }

    /// The victim in the words of the rule.
    fn weigh(&self, view: &VictimView<'_>, now: Tick) -> Victim {
        let history = &self.history;
        let mut victim = Victim {
            running: Some(Ticks::ZERO),
            waiting: Some(Ticks::ZERO),
            workgroup: Some(Ticks::ZERO),
            killable: !view.launches.is_empty(),
            ..Victim::default()
        };
        for launch in view.launches {
            let remaining = history.remaining(launch, now);
            if history.has_started(launch) {
                victim.running = longer(victim.running, remaining);
                victim.workgroup = longer(victim.workgroup, history.resident(launch, now));
                victim.done += history.elapsed(launch, now);
            } else {
                // One after the other: launches of several streams may overlap, at best.
                victim.waiting =
                    victim.waiting.zip(remaining).map(|(sum, remaining)| sum + remaining);
                victim.launches += 1;
            }
            let demand = &launch.launch.demand;
            let groups = launch.resident_waves.div_ceil(u64::from(demand.waves).max(1));
            let bytes = groups.saturating_mul(self.device.context_bytes(demand));
            victim.bytes = victim.bytes.saturating_add(bytes);
            victim.killable &= launch.launch.idempotent.may_be_killed();
        }
        victim
    }
}

fn longer(one: Option<Ticks>, other: Option<Ticks>) -> Option<Ticks> {
    one.zip(other).map(|(one, other)| one.max(other))
}

impl Preempt for Cheapest {
    fn preempt(&mut self, victim: &VictimView<'_>, now: Tick) -> How {
        let costs = Costs {
            reset: Ticks(self.device.reset_ns),
            bandwidth: self.device.bytes_per_us,
            ..Costs::default()
        };
        let victim = self.weigh(victim, now);
        self.rule.choose(&victim, self.abilities, &costs).into()
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.history.observe(fact, now);
    }
}
