//! Which process has the next slice, and how long is it, by both stages of seed 004?
//!
//! Weights are exact fractions of any size. Lengths of slices are computed from weights with 32
//! bits behind the point, rounded half up once, as `docs/golden.md` says. Levels count from 0, the
//! most urgent.

use num_bigint::BigUint;
use raddle_policy::ProcessId;
use serde_json::Value;

use super::line::Load;
use super::processes::Runnable;
use super::turning::{Turn, TurnTwin};

/// (process that was chosen to run, length of its slice in ticks).
type Slice = (ProcessId, u64);

/// Naive model of the policy `weighted-slices`. The policy's answers in a log are compared with
/// those of the model.
#[derive(Debug)]
pub(super) struct Slices {
    rule: String,
    t0: u64,
    capacity: usize,
    levels: u64,
    /// True if the share of a process multiplies its weight once more where the lengths of slices
    /// are computed; false if the share counts only once, in the weight.
    time_shares: bool,
    longest: Option<u64>,
    random: bool,
    completion: bool,
    take_over: String,
    wall: bool,
    /// Processes that were chosen to run, in the order of running, each with the length of its
    /// slice in ticks.
    load: Vec<Slice>,
    /// Index in `load` of the slice that runs next.
    next: usize,
    /// Level of urgency of the processes that were chosen to run.
    level: u8,
    /// (process whose slice is running, tick at which the slice ends or `None` if it never does);
    /// `None` where no slice is running.
    current: Option<(ProcessId, Option<u64>)>,
}

/// Weight of a process, as the fraction `over / under`. It is the process's share times the ticks
/// for which it was runnable (or, by the settings, since it joined), divided by the ticks for which
/// it ran. Both numbers of ticks count as at least one base slice, t0.
struct Weight {
    over: BigUint,
    under: BigUint,
}

impl Slices {
    pub(super) fn new(settings: &Value) -> Self {
        let number = |key: &str, default: u64| settings[key].as_u64().unwrap_or(default);
        let word = |key: &str| settings[key].as_str().unwrap_or_default().to_owned();
        Self {
            rule: word("rule"),
            t0: number("t0-us", 40_000).saturating_mul(1000).max(1),
            capacity: number("capacity", 8) as usize,
            levels: number("levels", 16),
            time_shares: word("shares") == "time",
            longest: settings["longest-us"].as_u64().map(|us| us.saturating_mul(1000)),
            random: settings["order"].get("random").is_some(),
            completion: word("reload") == "completion",
            take_over: word("take-over"),
            wall: word("alive") == "wall",
            load: Vec::new(),
            next: 0,
            level: u8::MAX,
            current: None,
        }
    }

    /// Returns the level as the policy counts it: levels beyond the number of levels in the
    /// settings count as the last of them.
    fn fold(&self, level: u8) -> u8 {
        level.min(u8::try_from(self.levels.saturating_sub(1)).unwrap_or(u8::MAX))
    }

    fn weight(&self, it: &Runnable, now: u64) -> Weight {
        let alive = if self.wall { now.saturating_sub(it.joined) } else { it.alive };
        let over = BigUint::from(it.share.max(1)) * alive.max(self.t0);
        Weight { over, under: it.ran.max(self.t0).into() }
    }

    /// Chooses the processes that run next, by steps S12 to S14 of patent 004. Returns (the
    /// candidates: runnable processes of the most urgent level; the chosen ones among them, in the
    /// order of choice).
    fn load(&self, pool: &[Runnable], now: u64) -> (Vec<Runnable>, Vec<Runnable>) {
        let best = pool.iter().map(|it| self.fold(it.level)).min();
        let of_best = pool.iter().filter(|it| Some(self.fold(it.level)) == best);
        let candidates: Vec<Runnable> = of_best.copied().collect();
        let mut loaded = candidates.clone();
        if loaded.len() > self.capacity {
            // The sort is stable: ties stay in pool order (D7).
            loaded.sort_by(|one, other| {
                let (one, other) = (self.weight(one, now), self.weight(other, now));
                (other.over * one.under).cmp(&(one.over * other.under))
            });
            loaded.truncate(self.capacity);
        }
        (candidates, loaded)
    }

    /// Returns the length in ticks of the slice of each process that was chosen to run, by step S21
    /// of patent 004.
    fn lengths(&self, weights: &[Weight]) -> Vec<u64> {
        let one = BigUint::from(1u8);
        let fixed: Vec<BigUint> =
            weights.iter().map(|it| ((&it.over << 32u8) / &it.under).max(one.clone())).collect();
        let sum: BigUint = fixed.iter().sum();
        let least = fixed.iter().min().cloned().unwrap_or(one);
        let inverses: BigUint = weights.iter().map(|it| (&it.under << 64u8) / &it.over).sum();
        let t0 = BigUint::from(self.t0);
        let half_up = |over: BigUint, under: &BigUint| (over * 2u8 + under) / (under * 2u8);
        let length = |w: &BigUint| match self.rule.as_str() {
            "claim" => half_up(&t0 * &sum, w),
            "mean" => half_up(&t0 * fixed.len() * w, &sum),
            "inverse" => half_up(((w * &inverses) >> 32u8) * &t0, &(BigUint::from(1u8) << 64u8)),
            "min-one" => half_up(&t0 * w, &least),
            _ => t0.clone(),
        };
        let ticks = |length: BigUint| u64::try_from(length).unwrap_or(u64::MAX);
        let all = fixed.iter().map(|w| ticks(length(w)).max(1));
        all.map(|ticks| self.longest.map_or(ticks, |longest| ticks.min(longest))).collect()
    }

    /// Returns the next slice of the processes that were chosen to run; `None` where no slice is
    /// left. A process is skipped if it is no longer runnable, or only at a less urgent level than
    /// that of the choice.
    fn rest(&mut self, pool: &[Runnable]) -> Option<Slice> {
        while let Some(&slice) = self.load.get(self.next) {
            self.next += 1;
            let it = pool.iter().find(|it| it.id == slice.0);
            if it.is_some_and(|it| self.fold(it.level) <= self.level) {
                return Some(slice);
            }
        }
        None
    }

    /// Chooses anew which processes run next and for how long, and returns the choice as a log
    /// spells it. Where the settings make the order random, the order in `found`, the decision
    /// log's answer, is used.
    fn reload(&mut self, pool: &[Runnable], now: u64, found: &Turn) -> Load {
        let (candidates, loaded) = self.load(pool, now);
        let mut weights: Vec<Weight> = loaded.iter().map(|it| self.weight(it, now)).collect();
        if self.time_shares {
            for (weight, it) in weights.iter_mut().zip(&loaded) {
                weight.over *= it.share.max(1);
            }
        }
        let lengths = self.lengths(&weights);
        let told = loaded.iter().zip(&weights).zip(lengths);
        let told = told.map(|((it, weight), length)| (it.id, lowest_terms(weight), length));
        let mut loaded: Vec<(ProcessId, String, u64)> = told.collect();
        let found = found.load.as_ref().map(|load| &load.loaded).filter(|_| self.random);
        if let Some(found) = found.filter(|found| found.iter().all(|it| loaded.contains(it))) {
            loaded.sort_by_key(|it| found.iter().position(|its| its == it));
        }
        self.level = candidates.first().map_or(u8::MAX, |it| self.fold(it.level));
        self.load = loaded.iter().map(|it| (it.0, it.2)).collect();
        self.next = 0;
        Load { candidates: candidates.iter().map(|it| it.id).collect(), loaded }
    }
}

fn lowest_terms(weight: &Weight) -> String {
    let (mut by, mut rest) = (weight.over.clone(), weight.under.clone());
    while rest != BigUint::ZERO {
        (by, rest) = (rest.clone(), by % rest);
    }
    format!("{}/{}", &weight.over / &by, &weight.under / &by)
}

/// Returns the tick at which a turn of `length` ticks ends; `None` where it lies beyond `u64`.
pub(super) fn end_of(now: u64, length: u64) -> Option<u64> {
    now.checked_add(length).filter(|&end| end > now && end < u64::MAX)
}

impl TurnTwin for Slices {
    fn ask(&mut self, pool: &[Runnable], now: u64, found: &Turn) -> Turn {
        let best = pool.iter().map(|it| self.fold(it.level)).min();
        let level_of =
            |id: ProcessId| pool.iter().find(|it| it.id == id).map(|it| self.fold(it.level));
        // A slice runs on until it ends, or its process has nothing to run (D9); with take-over at once,
        // until a process of a better level comes (D6).
        let goes_on = self.current.filter(|&(id, until)| {
            let ended = until.is_some_and(|until| until <= now);
            let level = level_of(id);
            let outranked = self.take_over == "at-once" && best < level;
            !ended && level.is_some() && !outranked
        });
        if let Some((id, until)) = goes_on {
            return Turn { may_issue: vec![id], until, load: None };
        }
        self.current = None;
        let Some(best) = best else { return Turn::default() };
        let mut load = None;
        let mut next = None;
        if self.take_over == "batch-end" || best >= self.level {
            next = self.rest(pool);
            if next.is_none() && self.completion {
                self.next = 0;
                next = self.rest(pool);
            }
        }
        if next.is_none() {
            load = Some(self.reload(pool, now, found));
            next = self.rest(pool);
        }
        self.current = next.map(|(id, length)| (id, end_of(now, length)));
        let may_issue = self.current.iter().map(|it| it.0).collect();
        Turn { may_issue, until: self.current.and_then(|it| it.1), load }
    }

    fn follow(&mut self, found: &Turn) {
        self.current = found.may_issue.first().map(|&id| (id, found.until));
        if let Some(load) = &found.load {
            self.load = load.loaded.iter().map(|it| (it.0, it.2)).collect();
            self.next = 1;
        }
    }

    fn rule(&self) -> &'static str {
        "seed 004, S11 to S14, S21 to S23"
    }
}
