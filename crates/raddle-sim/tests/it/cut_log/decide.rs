//! How would the steps of seed 000 decide, if every head and every compute unit were examined anew?

use raddle_policy::{Barrier, Demand, Launch, LaunchId, ReadyLaunch};
use raddle_workgroup::{Amounts, FreeWeights, LevelOrder, LevelWindows, PlaceRule};

use super::device::{At, Fits};
use super::naive::Naive;

/// Returns the demand of a workgroup of the launch, or of a part of one (`part`): a wave alone
/// needs no barrier.
pub(super) fn of(launch: &Launch, part: bool) -> Demand {
    let barriers = if part { 0 } else { launch.demand.barriers };
    Demand { barriers, ..launch.demand }
}

/// The head of a channel: the workgroup that the policy considers next there, or its next part if
/// it was cut.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) entry: ReadyLaunch,
    channel: usize,
    level: usize,
    pub(super) part: bool,
    pub(super) demand: Demand,
}

impl Head {
    /// Returns whether the workgroup is whole and could be cut.
    pub(super) fn may_cut(&self) -> bool {
        let launch = &self.entry.launch();
        !self.part && launch.barrier == Barrier::No && launch.demand.waves > 1
    }

    fn name(&self) -> (LaunchId, u64) {
        (self.entry.launch().id, self.entry.next())
    }
}

impl Naive {
    /// Returns the head of every channel, in the order of submission (seed 000, a1).
    pub(super) fn heads(&mut self, shown: &[ReadyLaunch], now: u64) -> Vec<Head> {
        let mut heads: Vec<Head> = vec![];
        for &entry in shown.iter().filter(|entry| entry.undistributed() > 0) {
            let launch = entry.launch();
            let stream = (launch.process.0, launch.stream.0);
            let at = self.channels.iter().position(|&it| it == stream);
            let channel = at.unwrap_or_else(|| {
                self.channels.push(stream);
                self.channels.len() - 1
            });
            if heads.iter().any(|head| head.channel == channel) {
                continue;
            }
            let name = (launch.id, entry.next());
            if self.since.get(&channel).is_none_or(|&(head, _)| head != name) {
                self.since.insert(channel, (name, now));
            }
            let last = match &self.config.order {
                LevelOrder::Static => 255,
                LevelOrder::Windows(windows) => windows.windows_us.len() - 1,
            };
            let part = entry.cut() > 0 || self.cut.contains(&name);
            let level = if part { last } else { usize::from(launch.level.0).min(last) };
            let waves = if part { 1 } else { launch.demand.waves };
            let demand = Demand { waves, ..of(launch, part) };
            heads.push(Head { entry, channel, level, part, demand });
        }
        heads
    }

    /// Returns the rank of a level at this time under the rule of time windows (E2); the lowest
    /// rank goes first.
    fn rank(&self, level: usize, now: u64) -> usize {
        let LevelOrder::Windows(LevelWindows { windows_us, .. }) = &self.config.order else {
            return level;
        };
        let turn: u64 = windows_us.iter().sum::<u64>() * 1_000;
        let (mut left, mut top) = (now % turn, 0);
        while left >= windows_us[top] * 1_000 {
            left -= windows_us[top] * 1_000;
            top += 1;
        }
        if level == top { 0 } else { level + usize::from(level < top) }
    }

    /// Returns the head that starts, with the places where it fits. Where no head fits, that counts
    /// as a failure, and a workgroup may be cut (E3); the error is the tick at which to ask again.
    pub(super) fn decide(
        &mut self,
        shown: &[ReadyLaunch],
        now: u64,
    ) -> Result<(Head, Fits), Option<u64>> {
        let heads = self.heads(shown, now);
        for head in &heads {
            assert!(
                !self.never(head.entry.launch()),
                "{} is to be refused",
                head.entry.launch().id
            );
        }
        if let Some(found) = self.choose(&heads, now) {
            return Ok(found);
        }
        let split = self.config.split.expect("it cuts");
        let retry = split.retry().expect("a time");
        // Another question in the same tick, without a fact in between, belongs to the same round.
        if heads.is_empty() || self.counted.replace(now) == Some(now) {
            return Err(self.wait(&heads, now));
        }
        // A round has failed each time that `retry` has passed since the question before.
        let mut round = self.waiting.take().unwrap_or(now) + retry;
        while round < now {
            self.failures += 1;
            round += retry;
        }
        self.failures += 1;
        if self.failures <= split.threshold() {
            return Err(self.wait(&heads, now));
        }
        self.failures = 0;
        let may = heads.iter().filter(|head| head.may_cut());
        let longest = may.min_by_key(|head| (self.since[&head.channel].1, head.channel));
        self.cut.extend(longest.map(Head::name));
        let heads = self.heads(shown, now);
        self.choose(&heads, now).ok_or_else(|| self.wait(&heads, now))
    }

    /// Returns the tick of the round that cuts a workgroup, if nothing happens before; `None` if
    /// none may be cut.
    fn wait(&mut self, heads: &[Head], now: u64) -> Option<u64> {
        let split = self.config.split.expect("it cuts");
        let left = split.threshold() + 1 - self.failures;
        self.waiting = heads.iter().any(Head::may_cut).then_some(now);
        Some(self.waiting? + left * split.retry().expect("a time"))
    }

    /// Chooses the head that starts among those that fit: of the most urgent ones, the first
    /// channel without a mark, which it then gets (seed 000, a3 to a42).
    fn choose(&mut self, heads: &[Head], now: u64) -> Option<(Head, Fits)> {
        let fitting = |head: &Head| Some((*head, self.device.fit(&head.demand)));
        let mut fit: Vec<_> = heads.iter().filter_map(fitting).collect();
        fit.retain(|(_, cus)| !cus.is_empty());
        let best = fit.iter().map(|(head, _)| self.rank(head.level, now)).min()?;
        fit.retain(|(head, _)| self.rank(head.level, now) == best);
        fit.sort_by_key(|(head, _)| head.channel);
        if fit.len() > 1 {
            let level = fit[0].0.level;
            let marked = |channel: usize| self.marks.contains(&(level, channel));
            match fit.iter().position(|(head, _)| !marked(head.channel)) {
                Some(at) => fit.swap(0, at),
                None => {
                    for (head, _) in &fit[1..] {
                        self.marks.remove(&(level, head.channel));
                    }
                }
            }
            self.marks.insert((level, fit[0].0.channel));
        }
        fit.into_iter().next()
    }

    /// Chooses one of the compute units that fit, by the place rule of the recipe (seed 000, a4).
    pub(super) fn place<'f>(&self, fit: &'f Fits, now: u64) -> (usize, &'f Vec<At>) {
        // Of equally good compute units, the one with the lowest index is taken.
        let most = |score: &dyn Fn(usize) -> i128| fit.iter().rev().max_by_key(|it| score(it.0));
        let chosen = match &self.config.place {
            PlaceRule::LowestIndex => fit.first(),
            PlaceRule::RoundRobin => {
                fit.iter().find(|(cu, _)| *cu >= self.cursor).or_else(|| fit.first())
            }
            PlaceRule::MostWaves => most(&|cu| self.device.free(cu, false)[0].into()),
            PlaceRule::MostFree(free) => most(&|cu| self.freest(free, cu)),
            PlaceRule::LeastPower(power) => {
                most(&|cu| -self.drawn(power.history().expect("a time"), cu, now))
            }
            PlaceRule::Mix { free, power, shares: [a, b] } => {
                let by_free = |cu| self.freest(free, cu);
                let by_power = |cu| self.drawn(power.history().expect("a time"), cu, now);
                let largest = |of: &dyn Fn(usize) -> i128| {
                    fit.iter().map(|it| of(it.0)).max().unwrap_or(0).max(1)
                };
                let (most_free, most_power) = (largest(&by_free), largest(&by_power));
                let (a, b) = (i128::from(*a) * most_power, i128::from(*b) * most_free);
                most(&|cu| a * by_free(cu) - b * by_power(cu))
            }
        };
        let (cu, waves) = chosen.expect("it fits somewhere");
        (*cu, waves)
    }

    /// Returns the free resources of a compute unit as one weighted number (E9: the unit with the
    /// most free goes first).
    fn freest(&self, weights: &FreeWeights, cu: usize) -> i128 {
        let free = self.device.free(cu, weights.amounts == Amounts::LongestRun);
        let FreeWeights { waves, vgpr, sgpr, lds, .. } = *weights;
        let weighted = free.iter().zip([waves, vgpr, sgpr, lds]);
        weighted.map(|(&free, weight)| i128::from(free * weight)).sum()
    }

    /// Returns the energy that a compute unit drew in the last `history` ticks, as the sum of power
    /// times ticks (E10: the unit that drew least goes first).
    fn drawn(&self, history: u64, cu: usize, now: u64) -> i128 {
        let (list, start) = (&self.drawn[cu], now.saturating_sub(history));
        let ends = list.iter().skip(1).map(|&(tick, _)| tick).chain([now]);
        let stretches = list.iter().zip(ends);
        let sum = stretches.map(|(&(from, power), end)| {
            i128::from(power) * i128::from(end.min(now).saturating_sub(from.max(start)))
        });
        sum.sum()
    }

    /// Returns whether a launch can never start: no workgroup fits an empty compute unit, nor does
    /// a part of it where it may be cut.
    pub(super) fn never(&self, launch: &Launch) -> bool {
        let Launch { demand, barrier, workgroups, .. } = *launch;
        let fits =
            |waves, part| self.device.on_empty(&Demand { waves, ..of(launch, part) }).is_some();
        let cuts = barrier == Barrier::No && demand.waves > 1;
        workgroups == 0
            || demand.waves == 0
            || !(fits(demand.waves, false) || cuts && fits(1, true))
    }
}
