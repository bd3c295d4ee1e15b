//! Is each process that loses its turn asked to leave by the method that the preempt policy's rules
//! ask for?

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{Fact, LaunchId, Preemption, ProcessId};
use raddle_preempt::Abilities;
use serde_json::Value;

use super::cheapest::Cheapest;
use super::desk::{Desk, Victim};
use super::report::{Place, Slot};

/// Rule by which a preempt policy removes the work of a process from the device.
#[derive(Debug)]
pub(super) enum Rule {
    /// The policy `never`, which removes no work of a process from the device.
    Never,
    /// One method of preemption for every process. Resets, which kill running launches, are decided
    /// by the controller of patent 001 (step S3.3).
    Always(Preemption),
    /// The policy `cheapest`: of the methods that end within a limit of time, the one that wastes
    /// the least work; where no method does, the fastest.
    Cheapest(Box<Cheapest>),
}

/// Twin (naive model of the rules) of a preempt policy, with the state that the check of its
/// answers needs.
#[derive(Debug)]
pub(super) struct Leaving {
    rule: Rule,
    /// Methods of preemption that the device has. Where the rule picks a method that the device
    /// lacks, the next gentler method that it has is used.
    abilities: Abilities,
    /// Number of times that each launch was killed. The field `most_kills` has the most times that
    /// a launch may be killed, `None` for no limit.
    kills: BTreeMap<LaunchId, u64>,
    most_kills: Option<u64>,
    /// Processes whose preemption has begun and is not complete.
    under_way: BTreeSet<ProcessId>,
    /// Processes about whose work the preempt policy has to be asked in the current step of the
    /// decision log.
    due: BTreeSet<ProcessId>,
    /// Name of the method by which each process was last preempted.
    last: BTreeMap<ProcessId, String>,
}

impl Leaving {
    /// Makes the twin for the settings of a recipe (file that chooses the policies of a run), on a
    /// device with these methods; the error says why the policy has no twin.
    pub(super) fn new(settings: &Value, abilities: Abilities) -> Result<Self, String> {
        let rule = match settings["policy"].as_str() {
            Some("never") => Rule::Never,
            Some("cheapest") => Rule::Cheapest(Box::new(Cheapest::new(settings)?)),
            other => {
                let is_it = |method: &Preemption| Some(method.name()) == other;
                let method = Preemption::ALL.into_iter().find(is_it);
                Rule::Always(method.ok_or("there is no twin of this policy")?)
            }
        };
        Ok(Self {
            rule,
            abilities,
            kills: BTreeMap::new(),
            most_kills: settings["most-kills"].as_u64(),
            under_way: BTreeSet::new(),
            due: BTreeSet::new(),
            last: BTreeMap::new(),
        })
    }

    /// Begins a turn: the processes `had` had the turn before, and `has` have it now. A process
    /// that lost the turn has to be removed from the device if it is runnable, has a submitted
    /// launch, and is not being preempted already.
    pub(super) fn turn(
        &mut self,
        (had, has): (&[ProcessId], &[ProcessId]),
        runnable: &BTreeSet<ProcessId>,
        desk: &Desk,
    ) {
        let loses = |id: &&ProcessId| !has.contains(id) && runnable.contains(id);
        let lost = had.iter().filter(loses).filter(|id| !self.under_way.contains(id));
        self.due = lost.copied().filter(|&id| !victims(desk, id).is_empty()).collect();
    }

    /// Checks the method `how` (its name in the decision log) by which the process `id` is asked to
    /// leave the device. A difference from the rules is recorded, with the line and tick `at` of
    /// the log, in `slot`, the report on the preempt policy.
    pub(super) fn preempt(
        &mut self,
        (id, how): (ProcessId, &str),
        desk: &Desk,
        slot: &mut Slot,
        at: Place,
    ) {
        let due = self.due.remove(&id);
        let victims = victims(desk, id);
        let may_be_killed = |it: &Victim| {
            let kills = self.kills.get(&it.launch.id).copied().unwrap_or(0);
            let spared = self.most_kills.is_some_and(|most| kills >= most);
            it.launch.is_copy() || it.launch.idempotent.may_be_killed() && !spared
        };
        let wanted = match &self.rule {
            Rule::Never => "never",
            Rule::Always(method) => self.nearest(*method).name(),
            Rule::Cheapest(rule) => {
                let killable = !victims.is_empty() && victims.iter().all(may_be_killed);
                self.nearest(rule.method(&victims, killable, desk.now)).name()
            }
        };
        // Work that has not come back can neither test a flag nor be waited for, so all of it
        // leaves as before.
        let before = self.last.insert(id, how.to_owned()).filter(|_| desk.is_away(id));
        let wanted = before.as_deref().unwrap_or(wanted);
        slot.checked += 1;
        if wanted != how || !due {
            let wanted = if due { wanted } else { "no preemption" };
            let what = || (format!("{id}: {wanted}"), format!("{id}: {how}"));
            slot.differs(at, self.label(), what);
        }
        if how != "never" {
            self.under_way.insert(id);
        }
    }

    /// Returns `method` if the device has this method of preemption, else the next gentler method
    /// that the device has.
    fn nearest(&self, method: Preemption) -> Preemption {
        match method.gentler() {
            Some(gentler) if !self.abilities.can(method) => self.nearest(gentler),
            _ => method,
        }
    }

    /// Ends a step of the decision log. A process that the policy had to remove from the device in
    /// this step, and did not, is recorded as a difference in `slot`, the report on the preempt
    /// policy.
    pub(super) fn step_ends(&mut self, slot: &mut Slot, at: Place) {
        for id in std::mem::take(&mut self.due) {
            let what = || (format!("{id} is preempted"), "nothing in this step".to_owned());
            slot.differs(at, self.label(), what);
        }
    }

    pub(super) fn drained(&mut self, id: ProcessId) {
        self.under_way.remove(&id);
    }

    pub(super) fn hear(&mut self, fact: &Fact<'_>, now: u64) {
        match fact {
            Fact::TakenOff { launch, how } if how.begins_again() => {
                *self.kills.entry(launch.id).or_default() += 1;
            }
            Fact::LaunchEnded { launch } => drop(self.kills.remove(launch)),
            _ => {}
        }
        if let Rule::Cheapest(rule) = &mut self.rule {
            rule.hear(fact, now);
        }
    }

    const fn label(&self) -> &'static str {
        match self.rule {
            Rule::Never => "preempt.md: submitted launches stay",
            Rule::Always(Preemption::Flag | Preemption::Reset) => "seed 001, S3.2, S3.3",
            Rule::Always(_) => "preempt.md: one method for every process",
            Rule::Cheapest(_) => "preempt.md: the least waste within the bound",
        }
    }
}

/// Lists the launches of a process that were submitted and have not ended, in the order of
/// submission.
fn victims(desk: &Desk, id: ProcessId) -> Vec<Victim> {
    let of = desk.jobs.values().filter(|job| job.launch.process == id && job.is_submitted());
    let mut of: Vec<(u64, Victim)> = of
        .map(|job| (job.submission, Victim { launch: job.launch, resident: job.resident }))
        .collect();
    of.sort_by_key(|it| it.0);
    of.into_iter().map(|it| it.1).collect()
}
