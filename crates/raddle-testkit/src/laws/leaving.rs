//! How do launches leave the simulated device of the test kit before they end, and come back?
//!
//! A launch that the scenario chooses makes one change at each step: it is asked to leave, is off
//! the device, comes back to its old places, and may go on.

use std::collections::VecDeque;
use std::ops::Range;

use raddle_policy::{Allocate, Fact, LaunchId, Preemption, ReadyLaunch};

use super::off::{LiftedLaunch, OffLaunch, OffStage};
use super::spot::shown;
use super::world::{LaunchProgress, World};

impl World<'_> {
    /// Moves every launch that was asked to leave the device to its next stage: leaving, off,
    /// coming back, running. Then asks one more launch to leave, if the scenario has one for this
    /// step.
    pub(super) fn move_off(&mut self, step: usize, policy: &mut dyn Allocate) {
        for id in self.off.keys().copied().collect::<Vec<_>>() {
            self.move_one(id, policy);
        }
        let on: Vec<LaunchId> =
            self.progress.keys().filter(|id| !self.off.contains_key(id)).copied().collect();
        if let Some((at, how, steps)) = self.scenario.leaving(step, on.len()) {
            self.ask_to_leave(on[at], how, steps, policy);
        }
    }

    fn ask_to_leave(
        &mut self,
        id: LaunchId,
        how: Preemption,
        steps: usize,
        policy: &mut dyn Allocate,
    ) {
        let progress = &self.progress[&id];
        let holds = !progress.bound.is_empty() || self.resident.keys().any(|spot| spot.0 == id);
        // A launch that holds nothing has nothing to save.
        let how = how.gentler().filter(|_| how.saves() && !holds).unwrap_or(how);
        let entry = self.position(id).map(|at| self.ready.remove(at));
        let (launch, assigned) = (progress.launch, progress.bound.len() as u64);
        if let Some(entry) = entry
            && how.drains()
            && assigned > 0
        {
            // A workgroup that is bound to a compute unit holds LDS there, so it must be able to
            // finish.
            let next = launch.workgroups;
            let entry = ReadyLaunch::new(launch, entry.submitted());
            self.show(entry.with_next(next).with_assigned(assigned));
        }
        self.off.insert(id, OffLaunch { how, stage: OffStage::Leaving, steps, entry });
        policy.observe(&Fact::Leaving { launch: &launch, how }, self.now);
    }

    /// Adds a launch to the list of launches that the policy sees, which is in the order of
    /// submission.
    fn show(&mut self, entry: ReadyLaunch) {
        let of = |id: LaunchId| self.progress[&id].submission;
        let own = of(entry.launch().id);
        let at = self.ready.partition_point(|other| of(other.launch().id) < own);
        self.ready.insert(at, entry);
    }

    fn move_one(&mut self, id: LaunchId, policy: &mut dyn Allocate) {
        let Some(mut off) = self.off.remove(&id) else { return };
        let launch = self.progress[&id].launch;
        match &off.stage {
            OffStage::Leaving => {
                if let Some(lifted) = self.take_off(id, &mut off) {
                    off.stage = OffStage::Off(lifted);
                    policy.observe(&Fact::TakenOff { launch: &launch, how: off.how }, self.now);
                }
            }
            OffStage::Off(_) if off.steps > 0 => off.steps -= 1,
            OffStage::Off(_) if off.how.begins_again() => {
                self.submit_one(&launch, policy);
                return;
            }
            OffStage::Off(lifted) => {
                if self.account.lower(&lifted.account) {
                    self.resident.extend(lifted.resident.iter().copied());
                    let OffStage::Off(lifted) =
                        std::mem::replace(&mut off.stage, OffStage::Returning)
                    else {
                        return;
                    };
                    self.addresses.lower(&self.scenario.shape, lifted.addresses);
                    policy.observe(&Fact::Returning { launch: &launch }, self.now);
                }
            }
            OffStage::Returning => {
                if let Some(entry) = off.entry {
                    let assigned = self.progress[&id].bound.len() as u64;
                    self.show(entry.with_assigned(assigned));
                    let at = self.position(id).expect("it was shown");
                    self.forget_if_started(at);
                }
                policy.observe(&Fact::Restored { launch: &launch }, self.now);
                return;
            }
        }
        self.off.insert(id, off);
    }

    /// Takes a launch off the device that was asked to leave. Returns what it gets back later: the
    /// workgroups and resources of a saved launch, nothing for a launch that was drained or killed.
    /// `None` while the launch is still draining, and so stays on the device.
    fn take_off(&mut self, id: LaunchId, off: &mut OffLaunch) -> Option<LiftedLaunch> {
        let progress = self.progress.get_mut(&id).expect("it has not ended");
        if !off.how.frees_places() {
            let drained =
                progress.bound.is_empty() && self.resident.keys().all(|spot| spot.0 != id);
            return drained.then(LiftedLaunch::default);
        }
        let lifted = LiftedLaunch {
            account: self.account.lift(&progress.launch),
            addresses: self.addresses.lift(id),
            resident: self.resident.extract_if(.., |spot, _| spot.0 == id).collect(),
        };
        if off.how.begins_again() {
            return Some(LiftedLaunch::default());
        }
        if let Some(entry) = &mut off.entry {
            unbind(progress, entry);
        }
        Some(lifted)
    }
}

/// Returns workgroups of a saved launch to the policy, which places them anew: those that were
/// assigned to a compute unit, but of which no wave has started.
fn unbind(progress: &mut LaunchProgress, entry: &mut ReadyLaunch) {
    let unstarted = progress.bound.extract_if(.., |_, (_, started)| *started == 0);
    let returned = unstarted.map(|(workgroup, _)| workgroup..workgroup + 1);
    let mut runs: Vec<Range<u64>> = returned.chain(progress.behind.drain(..)).collect();
    if entry.cut() == 0 {
        // A workgroup that was cut stays the first.
        runs.push(entry.next()..entry.launch().workgroups);
    }
    runs.retain(|run| !run.is_empty());
    runs.sort_unstable_by_key(|run| run.start);
    let mut merged: VecDeque<Range<u64>> = VecDeque::new();
    for run in runs {
        match merged.back_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ => merged.push_back(run),
        }
    }
    if entry.cut() == 0 {
        let total = progress.launch.workgroups;
        let first = merged.pop_front().unwrap_or(total..total);
        *entry = shown(entry, &first);
    }
    progress.behind = merged;
}
