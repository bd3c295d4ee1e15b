//! Which of the compute units that fit takes the workgroup?

use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::{CuId, Launch, Tick};

use super::config::{Amounts, FreeWeights, PlaceRule, PowerWeights};
use super::fit::{Matcher, WHOLE};
use super::power::Power;
use crate::Error;
use crate::place::{Mix, Weights, first_best};

/// A rule with what it remembers of each compute unit.
#[derive(Clone, Debug)]
pub(super) enum Places {
    Lowest,
    /// Where the next search begins.
    Next(usize),
    Scored {
        free: Option<Freest>,
        power: Option<Power>,
        mix: Option<Mix>,
        /// The candidates at hand, with a score a rule.
        cus: Vec<usize>,
        scores: [Vec<u64>; 2],
    },
}

/// What is free on each compute unit, weighted (E9).
#[derive(Clone, Debug)]
pub(super) struct Freest {
    weights: Weights,
    amounts: Amounts,
    /// By compute unit; as of the last change.
    scores: Vec<u64>,
}

impl Places {
    /// # Errors
    /// For weights that are all 0, or too large to add up; for a window of 0 ticks.
    pub(super) fn new(rule: &PlaceRule, matcher: &Matcher) -> Result<Self, Error> {
        let waves = FreeWeights { waves: 1, ..FreeWeights::default() };
        let power_of = |power: &PowerWeights| {
            Power::new(&power.weights, power.history_ticks, matcher.len(), matcher.waves())
        };
        let (free, power, mix) = match rule {
            PlaceRule::LowestIndex => return Ok(Self::Lowest),
            PlaceRule::RoundRobin => return Ok(Self::Next(0)),
            PlaceRule::MostWaves => (Some(Freest::new(&waves, matcher)?), None, None),
            PlaceRule::MostFree(weights) => (Some(Freest::new(weights, matcher)?), None, None),
            PlaceRule::LeastPower(power) => (None, Some(power_of(power)?), None),
            PlaceRule::Mix { free, power, shares: [a, b] } => {
                let mix = Mix::new(*a, *b)?;
                (Some(Freest::new(free, matcher)?), Some(power_of(power)?), Some(mix))
            }
        };
        let scores = [Vec::with_capacity(matcher.len()), Vec::with_capacity(matcher.len())];
        let cus = Vec::with_capacity(matcher.len());
        Ok(Self::Scored { free, power, mix, cus, scores })
    }

    /// The compute unit that is asked first.
    pub(super) const fn first(&self) -> usize {
        match self {
            Self::Next(cursor) => *cursor,
            _ => 0,
        }
    }

    /// Where the next workgroup of a class goes; `None` where it fits nowhere.
    #[inline(always)]
    pub(super) fn plan(&mut self, matcher: &mut Matcher, class: usize, now: Tick) -> Option<CuId> {
        match self {
            Self::Lowest => matcher.first(class, 0),
            Self::Next(0) => matcher.first(class, 0),
            Self::Next(cursor) => matcher.first(class, *cursor).or_else(|| matcher.first(class, 0)),
            Self::Scored { free, power, mix, cus, scores } => {
                matcher.candidates(class, cus);
                let [by_free, by_power] = scores;
                by_free.clear();
                by_power.clear();
                if let Some(free) = free {
                    by_free.extend(cus.iter().map(|&cu| free.scores[cu]));
                }
                if let Some(power) = power {
                    by_power.extend(cus.iter().map(|&cu| power.score(cu, now)));
                }
                let best = match mix {
                    // Both lists are as long as that of the candidates.
                    Some(mix) => mix.pick(by_free, by_power).ok()?,
                    None if free.is_some() => first_best(by_free, |score, best| score > best),
                    None => first_best(by_power, |score, best| score < best),
                };
                matcher.on(class, cus[best?])
            }
        }
    }

    /// Waves of a launch have been placed.
    #[inline(always)]
    pub(super) fn placed(
        &mut self,
        matcher: &Matcher,
        cu: CuId,
        launch: &Launch,
        wave: u16,
        now: Tick,
    ) {
        match self {
            Self::Lowest => {}
            Self::Next(cursor) => {
                let next = cu.index() + 1;
                *cursor = if next < matcher.len() { next } else { 0 };
            }
            Self::Scored { .. } => {
                self.back(cu, launch, wave, now);
                self.changed(matcher, cu);
            }
        }
    }

    /// Waves have come back.
    pub(super) fn back(&mut self, cu: CuId, launch: &Launch, wave: u16, now: Tick) {
        if let Self::Scored { power: Some(power), .. } = self {
            power.start(cu.index(), launch, waves_of(launch, wave), now);
        }
    }

    /// Waves have left.
    #[inline(always)]
    pub(super) fn left(&mut self, cu: CuId, launch: &Launch, wave: u16, now: Tick) {
        if let Self::Scored { power: Some(power), .. } = self {
            end(power, cu, launch, wave, now);
        }
    }

    /// What is free on a compute unit has changed.
    #[inline(always)]
    pub(super) fn changed(&mut self, matcher: &Matcher, cu: CuId) {
        if let Self::Scored { free: Some(free), .. } = self {
            free.measure(matcher, cu.index());
        }
    }

    /// What is free has changed anywhere.
    pub(super) fn all_changed(&mut self, matcher: &Matcher) {
        if let Self::Scored { free: Some(free), .. } = self {
            (0..matcher.len()).for_each(|cu| free.measure(matcher, cu));
        }
    }
}

/// Apart from what has nothing to remember of power, and is to stay small.
#[inline(never)]
fn end(power: &mut Power, cu: CuId, launch: &Launch, wave: u16, now: Tick) {
    power.end(cu.index(), launch, waves_of(launch, wave), now);
}

/// How many waves a whole workgroup has, or one of its waves alone.
const fn waves_of(launch: &Launch, wave: u16) -> u16 {
    if wave == WHOLE { launch.demand.waves } else { 1 }
}

impl Freest {
    fn new(weights: &FreeWeights, matcher: &Matcher) -> Result<Self, Error> {
        let FreeWeights { waves, vgpr, sgpr, lds, amounts } = *weights;
        let weights = Weights::new(&[waves, vgpr, sgpr, lds])?;
        let mut free = Self { weights, amounts, scores: vec![0; matcher.len()] };
        for cu in 0..matcher.len() {
            // No compute unit has ever more free than now, so no score is ever larger.
            free.scores[cu] = free.weights.score(&matcher.free(cu, false))?;
        }
        Ok(free)
    }

    /// Does nothing for an unknown compute unit.
    #[inline(never)]
    fn measure(&mut self, matcher: &Matcher, cu: usize) {
        if cu >= matcher.len() {
            return;
        }
        let row = matcher.free(cu, self.amounts == Amounts::LongestRun);
        if let (Ok(score), Some(known)) = (self.weights.score(&row), self.scores.get_mut(cu)) {
            *known = score;
        }
    }
}
