//! How long will a launch still take, judging by launches that ran before?
//!
//! A launch is expected to last as long as the last launch of its kind: of the same process, with
//! as many workgroups of the same demand. The first launch of a kind is judged by the part of its
//! waves that has ended. Times are ticks; what cannot be known is `None`.

use alloc::collections::{BTreeMap, VecDeque};

use raddle_policy::{Fact, Launch, LaunchId, Piece, Tick, Ticks, VictimLaunch, WaveSpan};

/// Largest number of kinds of launches whose times are stored. The remaining time of launches of
/// further kinds is estimated from the part of their waves that has ended.
const MOST_KINDS: usize = 4096;

/// Kind of launches, which are all expected to last equally long, as (process, number of
/// workgroups, demand of a workgroup).
type LaunchKind = (u16, u64, [u32; 5]);

fn kind(launch: &Launch) -> LaunchKind {
    let demand = &launch.demand;
    let shape = [demand.waves, demand.vgpr, demand.sgpr, demand.barriers].map(u32::from);
    let [waves, vgpr, sgpr, barriers] = shape;
    (launch.process.0, launch.workgroups, [waves, vgpr, sgpr, barriers, demand.lds])
}

/// Times of the last launch of a kind, in ticks: its time on the device, and the time of its last
/// workgroup (`None` where unknown).
#[derive(Clone, Copy, Debug)]
struct Lasted {
    launch: Ticks,
    workgroup: Option<Ticks>,
}

/// A launch that has started and not ended, with the times observed so far.
#[derive(Clone, Debug)]
struct RunningLaunch {
    kind: LaunchKind,
    /// Number of waves of the whole launch; the next field counts the waves that have ended.
    waves: u64,
    ended: u64,
    /// Ticks that the launch was on the device, up to when it was last taken off.
    ran: Ticks,
    /// Tick at which the launch last came on the device; `None` while it is off the device.
    since: Option<Tick>,
    /// Tick at which the launch was last taken off the device.
    off: Tick,
    /// Unfinished waves on the device, each entry as (tick at which they started, number of waves),
    /// the earliest start first.
    fronts: VecDeque<(Tick, u64)>,
    /// Ticks that the last workgroup to end took; `None` where no workgroup of the launch has
    /// ended.
    workgroup: Option<Ticks>,
}

impl RunningLaunch {
    fn elapsed(&self, now: Tick) -> Ticks {
        self.ran + self.since.map_or(Ticks::ZERO, |since| now.since(since))
    }

    /// Estimates the ticks until the launch ends, assuming that each unfinished wave needs as much
    /// of the launch's time as the finished ones did on average. `None` where no wave has finished.
    fn by_progress(&self, now: Tick) -> Option<Ticks> {
        let left = u128::from(self.waves.saturating_sub(self.ended));
        let each = u128::from(self.elapsed(now).0).checked_mul(left)?;
        let ticks = each.checked_div(u128::from(self.ended))?;
        Some(Ticks(u64::try_from(ticks).unwrap_or(u64::MAX)))
    }
}

/// Observed times of launches: of those that have started and not ended, and of the last launch of
/// each kind that ended.
#[derive(Clone, Debug, Default)]
pub(super) struct LaunchHistory {
    running: BTreeMap<LaunchId, RunningLaunch>,
    kinds: BTreeMap<LaunchKind, Lasted>,
}

/// Returns the number of waves that an event concerns: the waves `waves` of each workgroup in
/// `pieces` (groups of workgroups on one compute unit).
fn named(launch: &Launch, waves: WaveSpan, pieces: &[Piece]) -> u64 {
    let (_, count) = waves.bounds(launch.demand.waves);
    let groups = pieces.iter().fold(0, |sum: u64, piece| sum.saturating_add(piece.count.into()));
    groups.saturating_mul(count.into())
}

impl LaunchHistory {
    pub(super) fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        match *fact {
            Fact::Started { launch, waves, pieces, .. } => {
                self.started(launch, named(launch, waves, pieces), now);
            }
            Fact::Ended { launch, waves, pieces } => {
                self.ended(launch.id, named(launch, waves, pieces), now);
            }
            Fact::LaunchEnded { launch } => self.finished(launch, now),
            Fact::TakenOff { launch, how } if how.begins_again() => {
                self.running.remove(&launch.id);
            }
            // A launch that is being saved does not run; a launch that drains runs until its
            // workgroups have ended.
            Fact::Leaving { launch, how } if how.saves() && how.stands_still() => {
                self.stopped(launch.id, now);
            }
            Fact::TakenOff { launch, .. } => self.stopped(launch.id, now),
            Fact::Restored { launch } => {
                if let Some(running) = self.running.get_mut(&launch.id)
                    && running.since.is_none()
                {
                    let off = now.since(running.off);
                    running.fronts.iter_mut().for_each(|(start, _)| *start = *start + off);
                    running.since = Some(now);
                }
            }
            _ => {}
        }
    }

    /// Records that a launch does not run on the device from the tick `now` on.
    fn stopped(&mut self, launch: LaunchId, now: Tick) {
        if let Some(running) = self.running.get_mut(&launch)
            && running.since.is_some()
        {
            running.ran = running.elapsed(now);
            (running.since, running.off) = (None, now);
        }
    }

    fn started(&mut self, launch: &Launch, waves: u64, now: Tick) {
        let running = self.running.entry(launch.id).or_insert_with(|| RunningLaunch {
            kind: kind(launch),
            waves: launch.workgroups.saturating_mul(launch.demand.waves.into()),
            ended: 0,
            ran: Ticks::ZERO,
            since: Some(now),
            off: now,
            fronts: VecDeque::new(),
            workgroup: None,
        });
        match running.fronts.back_mut() {
            Some((start, count)) if *start == now => *count = count.saturating_add(waves),
            _ => running.fronts.push_back((now, waves)),
        }
    }

    fn ended(&mut self, launch: LaunchId, waves: u64, now: Tick) {
        let Some(running) = self.running.get_mut(&launch) else { return };
        running.ended = running.ended.saturating_add(waves);
        let mut left = waves;
        while let Some((start, count)) = running.fronts.front_mut() {
            running.workgroup = Some(now.since(*start));
            let gone = left.min(*count);
            (*count, left) = (*count - gone, left - gone);
            if *count > 0 {
                break;
            }
            running.fronts.pop_front();
            if left == 0 {
                break;
            }
        }
    }

    fn finished(&mut self, launch: LaunchId, now: Tick) {
        let Some(running) = self.running.remove(&launch) else { return };
        let lasted = Lasted { launch: running.elapsed(now), workgroup: running.workgroup };
        if self.kinds.len() < MOST_KINDS || self.kinds.contains_key(&running.kind) {
            self.kinds.insert(running.kind, lasted);
        }
    }

    /// Returns whether any workgroup of the launch `victim` has started.
    pub(super) fn has_started(&self, victim: &VictimLaunch) -> bool {
        self.running.contains_key(&victim.launch().id)
    }

    /// Returns the ticks that the launch `victim` has been on the device; 0 where it has not
    /// started.
    pub(super) fn elapsed(&self, victim: &VictimLaunch, now: Tick) -> Ticks {
        self.running.get(&victim.launch().id).map_or(Ticks::ZERO, |running| running.elapsed(now))
    }

    /// Estimates the ticks until the launch `victim` ends if it has started, else the ticks that it
    /// will take; `None` where that is unknown.
    pub(super) fn remaining(&self, victim: &VictimLaunch, now: Tick) -> Option<Ticks> {
        let lasted = self.kinds.get(&kind(victim.launch())).map(|lasted| lasted.launch);
        let Some(running) = self.running.get(&victim.launch().id) else { return lasted };
        // A launch that is overdue lasts longer than the last one of its kind.
        let left = lasted.and_then(|lasted| lasted.0.checked_sub(running.elapsed(now).0));
        left.filter(|&left| left > 0).map(Ticks).or_else(|| running.by_progress(now))
    }

    /// Estimates the ticks until the last workgroup that the launch `victim` has on the device
    /// ends; `None` where that is unknown.
    pub(super) fn resident(&self, victim: &VictimLaunch, now: Tick) -> Option<Ticks> {
        if victim.resident_waves() == 0 {
            return Some(Ticks::ZERO);
        }
        let running = self.running.get(&victim.launch().id)?;
        let before = || self.kinds.get(&running.kind).and_then(|lasted| lasted.workgroup);
        let workgroup = running.workgroup.or_else(before)?;
        let (start, _) = running.fronts.back()?;
        workgroup.0.checked_sub(now.since(*start).0).map(Ticks)
    }
}

#[cfg(test)]
mod tests;
