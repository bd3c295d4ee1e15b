//! Which method of preemption wastes the least work among those that end within a limit of time?
//!
//! The rules are those of `docs/policies/preempt.md`, "what `cheapest` weighs". Ticks are
//! nanoseconds; a time that is `None` is unknown, and counts as longer than every other.

use std::collections::{BTreeMap, VecDeque};

use raddle_policy::{Demand, Fact, Launch, LaunchId, Piece, Preemption, WaveSpan};
use serde_json::Value;

use super::desk::Victim;

/// Key of launches that are expected to last equally long, as (process, number of workgroups, the
/// five numbers of a workgroup's demand).
type Kind = (u16, u64, [u32; 5]);

fn kind(launch: &Launch) -> Kind {
    let Demand { waves, vgpr, sgpr, lds, barriers } = launch.demand;
    let demand = [waves.into(), vgpr.into(), sgpr.into(), lds, barriers.into()];
    (launch.process.0, launch.workgroups, demand)
}

/// A launch that has begun on the device, with the times from which its end is estimated.
#[derive(Clone, Debug)]
struct Begun {
    kind: Kind,
    /// Number of waves of the whole launch; the field `ended` counts those that have ended.
    waves: u64,
    ended: u64,
    /// Ticks that the launch had been on the device when a preemption last removed it. `since` is
    /// the tick at which it came to the device, `None` while it is not there; `off` is the tick at
    /// which it was last removed.
    before: u64,
    since: Option<u64>,
    off: u64,
    /// Waves of the launch on the device, as (tick of start, number of waves), the earliest first.
    fronts: VecDeque<(u64, u64)>,
    /// Ticks that the workgroup took which, of the launch's workgroups, ended last; `None` while
    /// none has ended.
    workgroup: Option<u64>,
}

impl Begun {
    fn elapsed(&self, now: u64) -> u64 {
        self.before.saturating_add(self.since.map_or(0, |since| now.saturating_sub(since)))
    }
}

/// Returns the number of waves that an answer or event of a log names: the waves `waves` of each
/// workgroup of these pieces (equal workgroups on one compute unit).
fn named(launch: &Launch, waves: WaveSpan, pieces: &[Piece]) -> u64 {
    let (_, each) = waves.bounds(launch.demand.waves);
    let groups: u64 = pieces.iter().map(|piece| u64::from(piece.count)).sum();
    groups.saturating_mul(each.into())
}

/// Naive model of the policy `cheapest`. The policy's answers in a log are compared with those of
/// the model.
#[derive(Debug)]
pub(super) struct Cheapest {
    bound: u64,
    /// Methods by which the device can preempt: true for each that it has, in the order flag,
    /// drain, reset, switch.
    abilities: [bool; 4],
    costs: BTreeMap<String, u64>,
    begun: BTreeMap<LaunchId, Begun>,
    /// Times of each kind of launch, in ticks: (time of the latest launch; time of its latest
    /// workgroup, `None` if unknown).
    kinds: BTreeMap<Kind, (u64, Option<u64>)>,
}

impl Cheapest {
    pub(super) fn new(settings: &Value) -> Result<Self, String> {
        let costs = settings["costs"].as_object().ok_or("its costs are not in this log")?;
        let costs = costs.iter().filter_map(|(key, it)| Some((key.clone(), it.as_u64()?)));
        let all = settings["abilities"].is_null();
        let can = |key: &str| all || settings["abilities"][key] == true;
        Ok(Self {
            bound: settings["bound-us"].as_u64().unwrap_or(0).saturating_mul(1000),
            abilities: ["can-flag", "can-drain", "can-reset", "can-switch"].map(can),
            costs: costs.collect(),
            begun: BTreeMap::new(),
            kinds: BTreeMap::new(),
        })
    }

    fn cost(&self, key: &str) -> u64 {
        self.costs.get(key).copied().unwrap_or(0)
    }

    /// Returns the ticks until a launch has ended, if nothing stops it; `None` if unknown.
    fn remaining(&self, launch: &Launch, now: u64) -> Option<u64> {
        if launch.is_copy() {
            return launch.estimate.map(|it| it.0);
        }
        let lasted = self.kinds.get(&kind(launch)).map(|it| it.0);
        let Some(begun) = self.begun.get(&launch.id) else { return lasted };
        let elapsed = begun.elapsed(now);
        let left = lasted.and_then(|lasted| lasted.checked_sub(elapsed)).filter(|&left| left > 0);
        left.or_else(|| {
            let waves = u128::from(begun.waves.saturating_sub(begun.ended));
            let left = (u128::from(elapsed) * waves).checked_div(begun.ended.into())?;
            Some(u64::try_from(left).unwrap_or(u64::MAX))
        })
    }

    /// Returns the ticks until the last started one of a launch's workgroups has ended; `None` if
    /// unknown.
    fn workgroup(&self, it: &Victim, now: u64) -> Option<u64> {
        if it.resident == 0 {
            return Some(0);
        }
        let begun = self.begun.get(&it.launch.id)?;
        let of_kind = || self.kinds.get(&begun.kind).and_then(|it| it.1);
        let takes = begun.workgroup.or_else(of_kind)?;
        let (youngest, _) = begun.fronts.back()?;
        takes.checked_sub(now.saturating_sub(*youngest))
    }

    /// Returns the bytes to be moved when the launch's resident workgroups are saved (preemption by
    /// context switch); `None` where the launch's use of registers is not known.
    fn bytes(&self, it: &Victim) -> Option<u64> {
        let demand = &it.launch.demand;
        let groups = it.resident.div_ceil(u64::from(demand.waves).max(1));
        let each = |granules: u64, key: &str| granules.saturating_mul(self.cost(key));
        let wave = each(demand.vgpr.into(), "vgpr-bytes")
            .saturating_add(each(demand.sgpr.into(), "sgpr-bytes"));
        let group = wave
            .saturating_mul(demand.waves.into())
            .saturating_add(each(demand.lds.into(), "lds-bytes"));
        (groups == 0 || demand.vgpr > 0).then(|| groups.saturating_mul(group))
    }

    fn transfer(&self, victims: &[Victim]) -> Option<u64> {
        let bytes =
            victims.iter().try_fold(0u64, |sum, it| Some(sum.saturating_add(self.bytes(it)?)))?;
        if bytes == 0 {
            return Some(0);
        }
        let bytes = u128::from(bytes.max(self.cost("switch-bytes")));
        let rate = Some(u128::from(self.cost("bytes-per-us"))).filter(|&rate| rate > 0)?;
        let ticks = u64::try_from((bytes * 1000).div_ceil(rate)).unwrap_or(u64::MAX);
        Some(ticks.saturating_add(self.cost("switch-ns")))
    }

    /// Returns the price of preempting these launches by one method, in ticks, as (latency; waste).
    /// The latency is the time until the launches have left, `None` if unknown; the waste is the
    /// work of the device that is lost.
    fn price(&self, method: Preemption, victims: &[Victim], now: u64) -> (Option<u64>, u64) {
        let has_begun = |it: &&Victim| self.begun.contains_key(&it.launch.id);
        let begun = || victims.iter().filter(has_begun);
        let waiting = || victims.iter().filter(|it| !has_begun(it));
        let longest = |of: &dyn Fn(&Victim) -> Option<u64>| {
            begun().map(of).try_fold(0, |most: u64, it| Some(most.max(it?)))
        };
        let running = longest(&|it| self.remaining(&it.launch, now));
        // Launches of a stream exit one after the other.
        let in_stream = |it: &Victim| {
            let same = |other: &&Victim| other.launch.stream == it.launch.stream;
            waiting().filter(|it| !it.launch.is_copy()).filter(same).count() as u64
        };
        let exits = waiting().filter(|it| !it.launch.is_copy()).map(in_stream).max().unwrap_or(0);
        let exits = exits.saturating_mul(self.cost("exit-ns"));
        let seen = self.cost("flag-ns");
        match method {
            Preemption::Wait => {
                let mut rest = waiting().map(|it| self.remaining(&it.launch, now));
                let rest = rest.try_fold(0u64, |sum, it| Some(sum.saturating_add(it?)));
                (running.zip(rest).map(|(one, other)| one.saturating_add(other)), 0)
            }
            Preemption::Flag => (running.map(|it| it.max(seen).saturating_add(exits)), exits),
            Preemption::Drain => (longest(&|it| self.workgroup(it, now)), 0),
            Preemption::Reset => {
                let reset = self.cost("reset-ns").saturating_add(exits);
                let done = begun().filter_map(|it| self.begun.get(&it.launch.id));
                let done = done.fold(0u64, |sum, it| sum.saturating_add(it.elapsed(now)));
                (Some(seen.saturating_add(reset)), done.saturating_add(reset))
            }
            Preemption::Switch => {
                let once = self.transfer(victims);
                (once, once.map_or(u64::MAX, |once| once.saturating_mul(2)))
            }
        }
    }

    /// Picks the method by which the launches `victims` are preempted; `killable` is true where all
    /// of them may be killed.
    pub(super) fn method(&self, victims: &[Victim], killable: bool, now: u64) -> Preemption {
        let [flag, drain, reset, switch] = self.abilities;
        let allowed = |method: &Preemption| match method {
            Preemption::Wait => true,
            Preemption::Flag => flag,
            Preemption::Drain => drain,
            Preemption::Reset => reset && killable,
            Preemption::Switch => switch,
        };
        // An unknown latency is the longest; of those a drain is over first, then a flag, then a wait.
        let late = |method: Preemption, latency: Option<u64>| match (latency, method) {
            (Some(latency), _) => (0, latency),
            (None, Preemption::Drain) => (1, 0),
            (None, Preemption::Flag) => (2, 0),
            (None, Preemption::Wait) => (3, 0),
            (None, _) => (4, 0),
        };
        // Methods are tried from the gentlest on, so that of equal ones the gentlest is taken.
        let rank = |method: &Preemption| {
            let (latency, waste) = self.price(*method, victims, now);
            let late = late(*method, latency);
            match latency.is_some_and(|latency| latency <= self.bound) {
                true => (false, (0, waste), late.1),
                false => (true, late, waste),
            }
        };
        Preemption::ALL.into_iter().filter(allowed).min_by_key(rank).unwrap_or(Preemption::Wait)
    }

    /// Records that a launch does not run on the device from tick `now` on.
    fn stopped(&mut self, launch: LaunchId, now: u64) {
        if let Some(begun) = self.begun.get_mut(&launch).filter(|it| it.since.is_some()) {
            (begun.before, begun.since, begun.off) = (begun.elapsed(now), None, now);
        }
    }

    pub(super) fn hear(&mut self, fact: &Fact<'_>, now: u64) {
        match *fact {
            Fact::Started { launch, waves, pieces, .. } => {
                self.started(launch, named(launch, waves, pieces), now);
            }
            Fact::Ended { launch, waves, pieces } => {
                self.ended(launch.id, named(launch, waves, pieces), now);
            }
            Fact::LaunchEnded { launch } => {
                if let Some(begun) = self.begun.remove(&launch) {
                    self.kinds.insert(begun.kind, (begun.elapsed(now), begun.workgroup));
                }
            }
            Fact::TakenOff { launch, how } if how.begins_again() => {
                self.begun.remove(&launch.id);
            }
            // A launch that is being saved does not run; one that drains runs until it is taken
            // off.
            Fact::Leaving { launch, how } if how.saves() && how.stands_still() => {
                self.stopped(launch.id, now);
            }
            Fact::TakenOff { launch, .. } => self.stopped(launch.id, now),
            Fact::Restored { launch } => {
                if let Some(begun) = self.begun.get_mut(&launch.id).filter(|it| it.since.is_none())
                {
                    let off = now.saturating_sub(begun.off);
                    begun.fronts.iter_mut().for_each(|it| it.0 = it.0.saturating_add(off));
                    begun.since = Some(now);
                }
            }
            _ => {}
        }
    }

    fn started(&mut self, launch: &Launch, waves: u64, now: u64) {
        let begun = self.begun.entry(launch.id).or_insert_with(|| Begun {
            kind: kind(launch),
            waves: launch.workgroups.saturating_mul(launch.demand.waves.into()),
            ended: 0,
            before: 0,
            since: Some(now),
            off: now,
            fronts: VecDeque::new(),
            workgroup: None,
        });
        match begun.fronts.back_mut().filter(|it| it.0 == now) {
            Some(front) => front.1 = front.1.saturating_add(waves),
            None => begun.fronts.push_back((now, waves)),
        }
    }

    fn ended(&mut self, launch: LaunchId, waves: u64, now: u64) {
        let Some(begun) = self.begun.get_mut(&launch) else { return };
        begun.ended = begun.ended.saturating_add(waves);
        let mut left = waves;
        while left > 0
            && let Some(front) = begun.fronts.front_mut()
        {
            begun.workgroup = Some(now.saturating_sub(front.0));
            let gone = left.min(front.1);
            (front.1, left) = (front.1 - gone, left - gone);
            if front.1 == 0 {
                begun.fronts.pop_front();
            }
        }
    }
}
