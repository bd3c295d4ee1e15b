//! Do the weighted slices answer as their rules in plain words do?
#![allow(clippy::unwrap_used, reason = "all of this is test code")]

use std::cmp::Reverse;

use proptest::prelude::*;
use raddle_policy::{CacheLoad, Level, LoadedSlice, ProcessId, ProcessState, Tick, Ticks, Turn};
use raddle_testkit::{cases, process};
use raddle_timeslice::{
    LoadedProcess, Reload, Shares, SliceRule, StageTwo, TakeOver, Weight, WeightedSlices,
    WeightedSlicesConfig,
};

/// Settings of the policy in the form in which the naive model reads them.
#[derive(Clone, Copy, Debug)]
struct Settings {
    rule: SliceRule,
    t0_us: u64,
    capacity: u32,
    levels: u16,
    shares: Shares,
    longest_us: Option<u64>,
    reload: Reload,
    take_over: TakeOver,
    wall: bool,
}

impl Settings {
    fn config(self) -> WeightedSlicesConfig {
        WeightedSlicesConfig::new(self.rule)
            .with_t0_us(self.t0_us)
            .with_capacity(self.capacity)
            .with_levels(self.levels)
            .with_shares(self.shares)
            .with_longest_us(self.longest_us)
            .with_reload(self.reload)
            .with_take_over(self.take_over)
            .with_wall_time(self.wall)
    }
}

/// Naive model of the rules of seed 004, over numbers small enough for u128.
struct Naive {
    config: Settings,
    batch: Vec<LoadedSlice>,
    candidates: Vec<ProcessId>,
    next: usize,
    level: u8,
    current: Option<(ProcessId, u64)>,
}

impl Naive {
    fn level(&self, process: &ProcessState) -> u8 {
        u16::from(process.level.0).min(self.config.levels - 1) as u8
    }

    /// Returns (process that has the turn, end of that turn as a tick, true if processes were
    /// chosen anew for it), at the tick `now`.
    fn turn(&mut self, pool: &[ProcessState], now: u64) -> (Option<ProcessId>, u64, bool) {
        let Some(best) = pool.iter().map(|it| self.level(it)).min() else {
            self.current = None;
            return (None, 0, false);
        };
        if let Some((id, until)) = self.current
            && let Some(own) = pool.iter().find(|it| it.id == id)
            && now < until
            && !(self.config.take_over == TakeOver::AtOnce && best < self.level(own))
        {
            return (Some(id), until, false);
        }
        let waits = self.config.take_over == TakeOver::BatchEnd || best >= self.level;
        let mut loaded = false;
        let mut slice = if waits { self.rest(pool) } else { None };
        if slice.is_none() && waits && self.config.reload == Reload::Completion {
            self.next = 0;
            slice = self.rest(pool);
        }
        let slice = slice.unwrap_or_else(|| {
            self.load(pool, best, now);
            loaded = true;
            self.rest(pool).expect("it was just loaded")
        });
        self.current = Some((slice.process, now + slice.slice.0));
        (Some(slice.process), now + slice.slice.0, loaded)
    }

    fn rest(&mut self, pool: &[ProcessState]) -> Option<LoadedSlice> {
        while self.next < self.batch.len() {
            self.next += 1;
            let slice = self.batch[self.next - 1];
            let own = pool.iter().find(|it| it.id == slice.process);
            if own.is_some_and(|own| self.level(own) <= self.level) {
                return Some(slice);
            }
        }
        None
    }

    fn load(&mut self, pool: &[ProcessState], best: u8, now: u64) {
        let t0 = self.config.t0_us * 1000;
        self.level = best;
        self.next = 0;
        let of_best: Vec<&ProcessState> = pool.iter().filter(|it| self.level(it) == best).collect();
        self.candidates = of_best.iter().map(|it| it.id).collect();
        let weight = |it: &ProcessState| {
            let alive = if self.config.wall { now - it.joined.0 } else { it.alive.0 };
            (u128::from(it.share) * u128::from(alive.max(t0)), it.ran.0.max(t0))
        };
        let mut chosen: Vec<_> = of_best.iter().map(|it| (it.id, it.share, weight(it))).collect();
        if chosen.len() > self.config.capacity as usize {
            // Over a common denominator of all that are there; the sort is stable.
            let all: u128 = chosen.iter().map(|it| u128::from(it.2.1)).product();
            chosen.sort_by_key(|it| Reverse(it.2.0 * (all / u128::from(it.2.1))));
            chosen.truncate(self.config.capacity as usize);
        }
        if self.config.shares == Shares::Time {
            chosen.iter_mut().for_each(|it| it.2.0 *= u128::from(it.1));
        }
        let fixed = |(over, under): (u128, u64)| (over << 32) / u128::from(under);
        let weights: Vec<u128> = chosen.iter().map(|it| fixed(it.2)).collect();
        let inverses: u128 = chosen.iter().map(|it| (u128::from(it.2.1) << 64) / it.2.0).sum();
        let (sum, least) = (weights.iter().sum::<u128>(), *weights.iter().min().unwrap());
        let t0 = u128::from(t0);
        let half_up = |over: u128, under: u128| (2 * over + under) / (2 * under);
        let slice = |weight: u128| match self.config.rule {
            SliceRule::Claim => half_up(t0 * sum, weight),
            SliceRule::Equal => t0,
            SliceRule::Mean => half_up(t0 * weight * weights.len() as u128, sum),
            SliceRule::Inverse => half_up(((weight * inverses) >> 32) * t0, 1 << 64),
            SliceRule::MinOne => half_up(t0 * weight, least),
        };
        let longest = self.config.longest_us.map_or(u128::MAX, |us| u128::from(us) * 1000);
        let slices = chosen.iter().zip(&weights).map(|(it, &weight)| {
            let slice = Ticks(u64::try_from(slice(weight).min(longest).max(1)).unwrap());
            LoadedSlice { process: it.0, weight: it.2, slice }
        });
        self.batch = slices.collect();
    }
}

fn config() -> impl Strategy<Value = Settings> {
    let rule = prop::sample::select(SliceRule::ALL.to_vec());
    let take_over =
        prop::sample::select(vec![TakeOver::SliceEnd, TakeOver::AtOnce, TakeOver::BatchEnd]);
    let numbers = (1..3_u64, 1..5_u32, 1..5_u16, prop::option::of(3..6_u64));
    (rule, take_over, any::<[bool; 3]>(), numbers).prop_map(
        |(rule, take_over, [completes, time, wall], (t0_us, capacity, levels, longest_us))| {
            Settings {
                rule,
                take_over,
                reload: if completes { Reload::Completion } else { Reload::OnePass },
                shares: if time { Shares::Time } else { Shares::Weight },
                wall,
                t0_us,
                capacity,
                levels,
                longest_us,
            }
        },
    )
}

/// State of a process at one step of a test: (its level, true if it is runnable, true if it runs
/// most of the time that it is alive).
type Found = (u8, bool, bool);

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn they_answer_as_the_naive_rules_do(
        config in config(),
        shares in prop::collection::vec(1u32..4, 1..6),
        steps in prop::collection::vec(
            (prop::collection::vec((0u8..4, any::<bool>(), any::<bool>()), 5), 0u64..3_000), 1..40,
        ),
    ) {
        let mut policy = WeightedSlices::new(config.config()).unwrap();
        let mut naive = Naive {
            config, batch: vec![], candidates: vec![], next: 0, level: u8::MAX, current: None,
        };
        let state = |(id, &share): (u16, &u32)| {
            let mut state = process(id);
            (state.share, state.joined) = (share, Tick(u64::from(id) * 100));
            state
        };
        let mut states: Vec<ProcessState> = (0..).zip(&shares).map(state).collect();
        let mut now = 1_000;
        for (found, lasts) in steps {
            let found: &[Found] = &found;
            for (state, it) in states.iter_mut().zip(found) {
                // Levels change seldom.
                if lasts % 4 == 0 {
                    state.level = Level(it.0);
                }
            }
            let here = |at: usize| found[at].1 || found[at].2;
            let pool: Vec<ProcessState> = states
                .iter().enumerate().filter(|it| here(it.0)).map(|it| *it.1).collect();
            let mut named = Vec::new();
            let until = policy.turn(&pool, Tick(now), &mut named);
            let (id, ends, loads) = naive.turn(&pool, now);
            prop_assert_eq!(named.first().copied(), id);
            prop_assert_eq!(until, id.map(|_| Tick(ends)));
            let load = CacheLoad {
                candidates: naive.candidates.clone(), loaded: naive.batch.clone(),
            };
            prop_assert_eq!(policy.load(), loads.then_some(&load));
            for (state, it) in states.iter_mut().zip(found) {
                state.alive += Ticks(if it.1 || it.2 { lasts } else { 0 });
                state.ran += Ticks(if it.2 { lasts } else if it.1 { lasts / 3 } else { 0 });
            }
            now += lasts;
        }
    }
}

/// Checks that a slice whose length lies in the middle between two ticks gets the longer one.
#[test]
fn slices_are_rounded_half_up() {
    let half_up = |over: u64, under: u64| u128::from((2 * over + under) / (2 * under));
    for (t0, one, two) in
        (1..8).flat_map(|t0| (1..8).flat_map(move |a| (1..8).map(move |b| (t0, a, b))))
    {
        // Alive and run for a tick: the weight is the share.
        let loaded =
            [one, two].map(|share| LoadedProcess::new(0, Weight::new(share, 1, 1, 1), share));
        for (rule, slices) in [
            (SliceRule::Claim, [half_up(t0 * (one + two), one), half_up(t0 * (one + two), two)]),
            (SliceRule::Mean, [one, two].map(|it| half_up(t0 * 2 * it, one + two).max(1))),
            (SliceRule::MinOne, [one, two].map(|it| half_up(t0 * it, one.min(two)))),
        ] {
            let mut found = Vec::new();
            let stage = StageTwo::new(Ticks(t0), rule, None).unwrap();
            stage.slices(&loaded, &mut found).unwrap();
            assert_eq!(found, slices, "{rule:?} of {one} and {two}, {t0}");
        }
    }
}
