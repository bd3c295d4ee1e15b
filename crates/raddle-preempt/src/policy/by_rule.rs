//! Preempt: the method that a rule chooses.

use raddle_policy::{Fact, Preempt, Preemption, Tick, Ticks, VictimLaunch, VictimView};

use super::DeviceCosts;
use super::estimates::Estimates;
use crate::abilities::Abilities;
use crate::progress::Kills;

/// Rule by which the method of a preemption is chosen: always one, or the cheapest.
#[derive(Clone, Debug)]
enum MethodRule {
    /// Always this method; but where a reset would kill a launch that may not be killed, the
    /// preemption flag, by which launches leave at their start (seed 001, S3.3, S3.2).
    Fixed(Preemption),
    /// Always this method; where it is a reset, the controller decides whether the reset may be
    /// made.
    Wished(Preemption),
    /// The method that wastes the least device time among those that take the victim off the device
    /// within `bound`, by the estimates for the victim.
    Cheapest { bound: Ticks, abilities: Abilities, estimates: Estimates },
}

/// A preempt policy that follows a rule: always one method, or the cheapest.
///
/// # Laws
///
/// 1. The policy answers a method that the runtime has, and a reset only where every submitted
///    launch is known to be idempotent.
/// 2. With [`sparing`](Self::sparing), no launch is killed more often than the limit: while a
///    launch is submitted that has reached it, there is no reset.
///
/// ```
/// use raddle_preempt::policy::ByRule;
/// use raddle_policy::Preemption;
/// let seed = ByRule::fixed(Preemption::Reset);
/// let patient = ByRule::fixed(Preemption::Reset).sparing(Some(4));
/// # let _ = (seed, patient);
/// ```
#[derive(Clone, Debug)]
pub struct ByRule {
    rule: MethodRule,
    kills: Kills,
}

impl ByRule {
    /// Returns the policy that always answers the method `method`, on a runtime that has all
    /// methods; if a launch may not be killed, the preemption flag (tested by each launch at its
    /// start) in place of a reset.
    #[must_use]
    pub const fn fixed(method: Preemption) -> Self {
        Self { rule: MethodRule::Fixed(method), kills: Kills::up_to(None) }
    }

    /// Returns the policy that always answers the method `method`. The controller decides whether a
    /// reset may be made, when the preemption flag is visible and it is known which launches run
    /// ([`ResetVerdict`](crate::ResetVerdict)); so the controller keeps laws 1 and 2.
    #[must_use]
    pub const fn wished(method: Preemption) -> Self {
        Self { rule: MethodRule::Wished(method), kills: Kills::up_to(None) }
    }

    /// Returns the policy that answers the method that wastes the least device time among those
    /// that take the work off the device within `bound` (nanoseconds), on a device with the costs
    /// `device`.
    #[must_use]
    pub fn cheapest(bound: Ticks, abilities: Abilities, device: DeviceCosts) -> Self {
        let estimates = Estimates::new(device);
        let rule = MethodRule::Cheapest { bound, abilities, estimates };
        Self { rule, kills: Kills::up_to(None) }
    }

    /// Limits how often the policy kills one launch: at most `most_kills` times. `None`, the
    /// default, is no limit.
    #[must_use]
    pub fn sparing(self, most_kills: Option<u32>) -> Self {
        Self { kills: Kills::up_to(most_kills), ..self }
    }
}

impl Preempt for ByRule {
    fn preempt(&mut self, view: &VictimView<'_>, now: Tick) -> Option<Preemption> {
        // A copy does not forbid a reset here: the controller knows whether the copy runs, and only
        // then it forbids the reset.
        let may_be_killed = |victim: &VictimLaunch| {
            let launch = &victim.launch;
            launch.is_copy() || launch.idempotent.may_be_killed() && !self.kills.spare(launch.id)
        };
        let killable = !view.launches.is_empty() && view.launches.iter().all(may_be_killed);
        Some(match &self.rule {
            MethodRule::Fixed(method) if method.begins_again() && !killable => {
                method.gentler().unwrap_or(Preemption::Wait)
            }
            MethodRule::Fixed(method) | MethodRule::Wished(method) => *method,
            MethodRule::Cheapest { bound, abilities, estimates } => {
                let allowed = |method: Preemption| {
                    abilities.can(method) && (killable || !method.begins_again())
                };
                estimates.cheapest(view, now, *bound, allowed)
            }
        })
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        self.kills.observe(fact);
        if let MethodRule::Cheapest { estimates, .. } = &mut self.rule {
            estimates.observe(fact, now);
        }
    }

    /// Returns whether the policy estimates what is left of a launch, which it learns from the ends
    /// of workgroups.
    fn minds_refills(&self) -> bool {
        matches!(self.rule, MethodRule::Cheapest { .. })
    }
}
