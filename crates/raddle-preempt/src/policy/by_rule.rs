//! By which rule does a preempt policy choose the method of a preemption?

use raddle_policy::{Fact, Preempt, Preemption, Tick, Ticks, VictimLaunch, VictimView};

use super::DeviceCosts;
use super::estimates::Estimates;
use crate::abilities::Abilities;
use crate::progress::Kills;

/// Rule by which a preempt policy chooses the method of a preemption.
#[derive(Clone, Debug)]
enum MethodRule {
    /// Always this method; but a reset is replaced by the preemption flag, tested at each launch's
    /// start, where the reset would kill a launch that may not be killed (seed 001, S3.3, S3.2).
    Fixed(Preemption),
    /// Always this method. If it is a reset (kill), the controller decides later whether the reset
    /// may be made.
    Wished(Preemption),
    /// The method that wastes the least device time among those that are estimated to take the
    /// victim's work off the device within `bound`.
    Cheapest { bound: Ticks, abilities: Abilities, estimates: Estimates },
}

/// A preempt policy (which chooses how work leaves the device) with a rule: always one method, or
/// the one that wastes the least device time.
///
/// # Laws
///
/// 1. The policy answers with a method that the runtime has, and a reset only where every submitted
///    launch is known to be idempotent.
/// 2. With [`sparing`](Self::sparing), no launch is killed more often than its limit: while a
///    launch that has reached the limit is submitted, the policy does not answer with a reset.
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
    /// Returns the policy that always answers with the method `method`, for a runtime that has all
    /// methods. In place of a reset it answers with the preemption flag (tested by each launch at
    /// its start) where a launch may not be killed.
    #[must_use]
    pub const fn fixed(method: Preemption) -> Self {
        Self { rule: MethodRule::Fixed(method), kills: Kills::up_to(None) }
    }

    /// Returns the policy that always answers with the method `method`, even with a reset. The
    /// controller decides later whether that reset may be made, when the preemption flag is visible
    /// and the running launches are known ([`Heard`](crate::Heard)). So laws 1 and 2
    /// are kept by the controller.
    #[must_use]
    pub const fn wished(method: Preemption) -> Self {
        Self { rule: MethodRule::Wished(method), kills: Kills::up_to(None) }
    }

    /// Returns the policy that answers with the method that wastes the least device time among
    /// those that take the work off the device within `bound` (nanoseconds), for a runtime with the
    /// methods `abilities` and a device with the costs `device`.
    #[must_use]
    pub fn cheapest(bound: Ticks, abilities: Abilities, device: DeviceCosts) -> Self {
        let estimates = Estimates::new(device);
        let rule = MethodRule::Cheapest { bound, abilities, estimates };
        Self { rule, kills: Kills::up_to(None) }
    }

    /// Limits how often the policy has one launch killed: at most `most_kills` times. `None`, the
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
            let launch = &victim.launch();
            launch.is_copy() || launch.idempotent.may_be_killed() && !self.kills.spare(launch.id)
        };
        let killable = !view.launches().is_empty() && view.launches().iter().all(may_be_killed);
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

    /// Returns whether answers can depend on refills (workgroups of a launch that end and are
    /// replaced at once by others of it). True only for the rule `Cheapest`, which estimates the
    /// remaining time of a launch from every end of a workgroup.
    fn minds_refills(&self) -> bool {
        matches!(self.rule, MethodRule::Cheapest { .. })
    }
}
