//! Preempt: the way that a rule chooses.
//!
//! The rules are those of [`crate::ways`], on plain values; here is what they are told of a victim.

use raddle_policy::{Fact, Preempt, Preemption, Tick, Ticks, VictimLaunch, VictimView};

use super::DeviceCosts;
use super::estimates::Estimates;
use crate::progress::Kills;
use crate::ways::{Abilities, Cheapest, Choose, Costs, Fixed, Victim};

/// The preempt slot by a rule ([`Choose`]).
///
/// # Laws
///
/// 1. It answers what its rule chooses: a way that the runtime can do, and a reset only where every
///    submitted launch is known to be idempotent.
/// 2. Of the latencies and wastes of the ways a rule knows nothing, unless it is told what the device
///    takes ([`estimating`](Self::estimating)).
/// 3. Where there is a most of kills ([`sparing`](Self::sparing)), no launch is killed more often:
///    while one is submitted that was killed so often, there is no reset.
///
/// ```
/// use raddle_preempt::policy::ByRule;
/// use raddle_policy::Preemption;
/// let seed = ByRule::fixed(Preemption::Reset);
/// let patient = ByRule::fixed(Preemption::Reset).sparing(Some(4));
/// # let _ = (seed, patient);
/// ```
#[derive(Clone, Debug)]
pub struct ByRule<R> {
    rule: R,
    abilities: Abilities,
    kills: Kills,
    estimates: Option<Estimates>,
}

impl ByRule<Fixed> {
    /// Always this way, on a runtime that has every one; where nothing may be killed, the flag
    /// instead of a reset.
    #[must_use]
    pub const fn fixed(way: Preemption) -> Self {
        Self::new(Fixed(way), Abilities::ALL)
    }
}

impl ByRule<Cheapest> {
    /// What wastes least within this bound, on a device with these costs.
    #[must_use]
    pub fn cheapest(bound: Ticks, abilities: Abilities, device: DeviceCosts) -> Self {
        Self::new(Cheapest::within(bound), abilities).estimating(device)
    }
}

impl<R> ByRule<R> {
    /// By this rule, on a runtime that can do so much.
    #[must_use]
    pub const fn new(rule: R, abilities: Abilities) -> Self {
        Self { rule, abilities, kills: Kills::up_to(None), estimates: None }
    }

    /// With estimates of what each way takes on this device.
    #[must_use]
    pub fn estimating(self, device: DeviceCosts) -> Self {
        Self { estimates: Some(Estimates::new(device)), ..self }
    }

    /// Kills no launch more than so often; by default there is no end to it.
    #[must_use]
    pub fn sparing(self, most_kills: Option<u32>) -> Self {
        Self { kills: Kills::up_to(most_kills), ..self }
    }
}

impl<R: Choose> Preempt for ByRule<R> {
    fn preempt(&mut self, view: &VictimView<'_>, now: Tick) -> Option<Preemption> {
        let estimates = self.estimates.as_ref();
        let (known, costs) = estimates.map_or_else(
            || (Victim::default(), Costs::default()),
            |estimates| (estimates.weigh(view, now), estimates.costs()),
        );
        let may = |it: &VictimLaunch| {
            it.launch.idempotent.may_be_killed() && !self.kills.spare(it.launch.id)
        };
        let killable = !view.launches.is_empty() && view.launches.iter().all(may);
        Some(self.rule.choose(&Victim { killable, ..known }, self.abilities, &costs))
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.kills.observe(fact);
        if let Some(estimates) = &mut self.estimates {
            estimates.observe(fact, now);
        }
    }
}
