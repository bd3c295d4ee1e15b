//! When does a process begin its profile anew, and when does it stop repeating?

use raddle_policy::{Tick, Ticks};

use super::{Mark, Tasks};
use crate::SimError;
use crate::repetition::Repetition;
use crate::workload::{ProcessPlan, Workload};

/// The largest time that the longest profile, or each request, may take, as a multiple of its
/// recorded span. After that time no process begins another repetition.
const REPEAT_CAP_SPANS: u64 = 10;
/// The most launches that all repetitions of a run together may have. First repetitions and
/// requests at given times do not count. Each launch takes some 80 bytes.
pub(super) const REPEAT_CAP_LAUNCHES: usize = 1 << 22;

impl Tasks<'_> {
    /// Returns whether a process may issue launches of repetitions after its first one at the tick
    /// `now`.
    pub(super) fn goes_on(&self, process: usize, now: Tick) -> bool {
        let company = self.leading > 0 || now.0 < self.until.0;
        match self.workload.processes[process].repetition {
            Repetition::BackToBack => company,
            Repetition::Closed { until } => until.map_or(company, |until| now.0 < until.0),
            Repetition::At(_) | Repetition::After(_) => true,
        }
    }

    /// Returns whether one more repetition of a process would exceed the most launches that a run
    /// may keep in memory.
    fn is_too_much(&self, process: usize) -> bool {
        self.records.len() + self.workload.processes[process].tasks.len() > self.most_launches
    }

    /// Begins the next repetition of a process that repeats back to back, once all launches of the
    /// last one were issued. Does nothing where the run waits for no launch of another process any
    /// more.
    pub(super) fn again(&mut self, process: usize, now: Tick) -> Result<(), SimError> {
        let plan = &self.workload.processes[process];
        if !self.workload.repeat || plan.repetition != Repetition::BackToBack {
            return Ok(());
        }
        // The longest process does not repeat for its own sake.
        let own =
            if self.longest == Some(process) { self.lanes[process].repeats[0].left } else { 0 };
        if self.leading == u64::from(own) && now.0 >= self.until.0 {
            return Ok(());
        }
        let count = self.lanes[process].repeats.len();
        let next = match plan.host {
            Some(_) => self.lanes[process].repeats[count - 1].host.max(Ticks(now.0)),
            None => self.offset(process, count),
        };
        // At the end of all time offsets no longer grow, so repeating would never end.
        let stands_still = next.0 <= self.lanes[process].repeats[count - 1].offset.0;
        if stands_still || now.0 > self.time_cap || self.is_too_much(process) {
            self.repeat_capped = true;
            return Ok(());
        }
        self.begin(process, next)
    }

    /// Records that all launches of a repetition have ended, and begins the repetitions (also of
    /// other processes) that waited for this.
    pub(super) fn ended_whole(
        &mut self,
        process: usize,
        iteration: u32,
        now: Tick,
    ) -> Result<(), SimError> {
        let plan = &self.workload.processes[process];
        let counts = iteration == 0 || plan.repetition.is_counted();
        self.marks.push(Mark { process: process as u16, iteration, ended: true, counts });
        if plan.host.is_some() {
            self.again(process, now)?;
        }
        let offset = self.lanes[process].repeats[iteration as usize].offset;
        let is_closed = matches!(plan.repetition, Repetition::Closed { .. });
        if is_closed && self.goes_on(process, now) {
            // A repetition that takes no time would begin anew for ever in one tick.
            let stands_still = offset.0 >= now.0;
            if stands_still || now.0 > self.time_cap || self.is_too_much(process) {
                self.repeat_capped = true;
            } else {
                self.begin(process, Ticks(now.0))?;
                self.roused.push(process as u16);
            }
        }
        for position in 0..self.followers[process].len() {
            let follower = self.followers[process][position];
            let Repetition::After(others) =
                &self.workload.processes[usize::from(follower)].repetition
            else {
                continue;
            };
            let ended = others.iter().map(|&other| self.lanes[usize::from(other)].ended).min();
            let begun = self.lanes[usize::from(follower)].repeats.len() as u32;
            if ended.is_none_or(|ended| ended <= begun) {
                continue;
            }
            if self.is_too_much(usize::from(follower)) {
                self.repeat_capped = true;
                continue;
            }
            self.begin(usize::from(follower), Ticks(now.0))?;
            self.roused.push(follower);
        }
        Ok(())
    }
}

/// Returns the time of the run, in ns, after which no repetition begins. By then the longest
/// profile and all requests should have ended, even if each takes [`REPEAT_CAP_SPANS`] times as
/// long as recorded.
pub(super) fn time_cap(workload: &Workload) -> u64 {
    let longest = workload.longest();
    let cap = |(position, plan): (usize, &ProcessPlan)| {
        let times = plan.times();
        let begins = if longest == Some(position) { 1 } else { times.len() as u64 };
        if begins == 0 {
            return 0;
        }
        let last = times.last().map_or(0, |last| last.0);
        let spans = plan.span.0.saturating_mul(REPEAT_CAP_SPANS).saturating_mul(begins);
        plan.start.0.saturating_add(last).saturating_add(spans)
    };
    let caps = workload.processes.iter().enumerate().map(cap);
    caps.max().unwrap_or(0).max(workload.until().0)
}

/// Returns, for each process, the processes that begin a request when it ends one.
pub(super) fn followers(workload: &Workload) -> Vec<Vec<u16>> {
    let mut followers = vec![Vec::new(); workload.processes.len()];
    for (follower, plan) in (0u16..).zip(&workload.processes) {
        if let Repetition::After(others) = &plan.repetition {
            for &other in others {
                followers[usize::from(other)].push(follower);
            }
        }
    }
    followers
}
