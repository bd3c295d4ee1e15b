//! Which of the compute units on which a workgroup fits takes it?

use raddle_policy::{CuId, CuSet, Launch, Tick};

use super::fit::{Matcher, OpenCus, WHOLE};
use super::place_config::{Amounts, FreeWeights, PlaceRule, PowerWeights};
use super::power::Power;
use super::scores::ScoreTree;
use crate::Error;
use crate::place::{Mix, Weights};

/// The rule that chooses among the compute units on which a workgroup fits, with the data that it
/// keeps for each unit.
#[derive(Clone, Debug)]
pub(super) enum Places {
    Lowest,
    /// The next compute unit on which the workgroup fits (round-robin); the number is that of the
    /// unit at which the next search begins.
    Next(usize),
    Scored(Scored),
}

/// The choice of the compute unit with the best score: by free resources, by recent power, or by
/// both.
#[derive(Clone, Debug)]
pub(super) struct Scored {
    free: Option<Freest>,
    power: Option<Power>,
    mix: Option<Mix>,
    tree: ScoreTree,
    /// The tick for which `tree` holds the power scores; `moving` has the compute units whose power
    /// score changes with time alone.
    now: Tick,
    moving: CuSet,
}

/// The weights of the free resources in the score of a compute unit (E9 in
/// `docs/policies/matching.md`).
#[derive(Clone, Debug)]
struct Freest {
    weights: Weights,
    amounts: Amounts,
}

impl Places {
    /// Returns the rule that the settings name, for the device of the matcher.
    ///
    /// # Errors
    /// For weights that are all 0, or too large to add up; for a window of 0 ticks.
    pub(super) fn new(rule: &PlaceRule, matcher: &Matcher) -> Result<Self, Error> {
        let waves = FreeWeights { waves: 1, ..FreeWeights::default() };
        let power_of = |power: &PowerWeights| {
            let window = power.history()?;
            let found = Power::new(&power.weights, window, matcher.len(), matcher.waves())?;
            Ok::<_, Error>(if power.ahead { found.with_what_comes() } else { found })
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
        let (tree, moving) = (ScoreTree::new(matcher.len()), CuSet::empty(matcher.len()));
        let mut places = Self::Scored(Scored { free, power, mix, tree, now: Tick::ZERO, moving });
        places.all_changed(matcher);
        Ok(places)
    }

    /// Returns the number of the compute unit at which the rule begins to search.
    pub(super) const fn first(&self) -> usize {
        match self {
            Self::Next(cursor) => *cursor,
            _ => 0,
        }
    }

    /// Chooses the compute unit for the next workgroup of a demand class (workgroups of equal
    /// demand); `None` where the workgroup fits on none.
    #[inline(always)]
    pub(super) fn plan(&mut self, matcher: &mut Matcher, class: usize, now: Tick) -> Option<CuId> {
        match self {
            Self::Lowest => matcher.first(class, 0),
            Self::Next(0) => matcher.first(class, 0),
            Self::Next(cursor) => matcher.first(class, *cursor).or_else(|| matcher.first(class, 0)),
            Self::Scored(scored) => scored.plan(matcher.open(class), now),
        }
    }

    /// Returns whether the rule chooses the same compute unit until that unit is full.
    #[inline(always)]
    pub(super) const fn fills(&self) -> bool {
        matches!(self, Self::Lowest)
    }

    /// Records that a workgroup of a launch, or one wave of it, has been placed on `cu`.
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
            Self::Scored(scored) => {
                scored.power_changed(cu, |power, cu| {
                    power.start(cu, launch, waves_of(launch, wave), now);
                });
                scored.measure(matcher, cu.index());
            }
        }
    }

    /// Records that a saved workgroup of a launch, or its wave `wave` (`WHOLE` for all waves), has
    /// come back to the compute unit `cu` at tick `now`.
    pub(super) fn back(&mut self, cu: CuId, launch: &Launch, wave: u16, now: Tick) {
        if let Self::Scored(scored) = self {
            scored.power_changed(cu, |power, cu| {
                power.start(cu, launch, waves_of(launch, wave), now);
            });
        }
    }

    /// Records that `count` workgroups of a launch, or the wave `wave` of each of them (`WHOLE` for
    /// all waves), have left the compute unit `cu` at tick `now`.
    #[inline(always)]
    pub(super) fn left(&mut self, cu: CuId, launch: &Launch, (count, wave): (u32, u16), now: Tick) {
        let Self::Scored(scored) = self else { return };
        for _ in 0..count {
            scored.power_changed(cu, |power, cu| {
                power.end(cu, launch, waves_of(launch, wave), now);
            });
        }
    }

    /// Updates the rule's score of a compute unit, as the unit's free resources have changed.
    #[inline(always)]
    pub(super) fn changed(&mut self, matcher: &Matcher, cu: CuId) {
        if let Self::Scored(scored) = self {
            scored.measure(matcher, cu.index());
        }
    }

    /// Updates the scores that this rule keeps of all compute units, as the free resources of any
    /// of them may have changed.
    pub(super) fn all_changed(&mut self, matcher: &Matcher) {
        if let Self::Scored(scored) = self {
            (0..matcher.len()).for_each(|cu| scored.measure(matcher, cu));
        }
    }
}

impl Scored {
    /// Returns the compute unit in the set `open` that has the best score under the placement rule;
    /// `None` if the set is empty.
    #[inline(never)]
    fn plan(&mut self, open: OpenCus<'_>, now: Tick) -> Option<CuId> {
        self.pass(now);
        let tree = &self.tree;
        let best = match &self.mix {
            Some(mix) => {
                let (_, free) = tree.best(open, |one, other| one.free.cmp(&other.free))?;
                let (_, power) = tree.best(open, |one, other| one.most.cmp(&other.most))?;
                let order = mix.order([free.free, power.most]);
                tree.best(open, |a, b| order([a.free, a.least], [b.free, b.least]))
            }
            None if self.free.is_some() => tree.best(open, |a, b| a.free.cmp(&b.free)),
            None => tree.best(open, |a, b| b.least.cmp(&a.least)),
        };
        // Compute units are numbered by u16.
        best.map(|(cu, _)| CuId(cu as u16))
    }

    /// Moves the window of time for recent power on to `now`, and computes the scores of the
    /// compute units whose power score changes with time.
    fn pass(&mut self, now: Tick) {
        let Some(power) = self.power.as_mut().filter(|_| now != self.now) else { return };
        if now < self.now {
            // Time has gone backwards: a score that had settled may be another one at `now`.
            (0..power.len()).for_each(|cu| self.moving.insert(cu));
        }
        self.now = now;
        let mut next = self.moving.first();
        while let Some(cu) = next {
            self.tree.set(cu, self.tree.get(cu).free, power.score(cu, now));
            if power.is_settled(cu, now) {
                self.moving.remove(cu);
            }
            next = self.moving.first_from(cu + 1);
        }
    }

    /// Changes the recorded power of a compute unit by calling `change`, as waves start or end on
    /// the unit, and computes the score of the unit anew.
    #[inline(always)]
    fn power_changed(&mut self, cu: CuId, change: impl FnOnce(&mut Power, usize)) {
        let (cu, Some(power)) = (cu.index(), &mut self.power) else { return };
        change(power, cu);
        if cu < power.len() {
            self.tree.set(cu, self.tree.get(cu).free, power.score(cu, self.now));
            self.moving.insert(cu);
        }
    }

    /// Computes the score of a compute unit for its free resources anew, if the rule uses it.
    #[inline(never)]
    fn measure(&mut self, matcher: &Matcher, cu: usize) {
        let Some(free) = self.free.as_ref().filter(|_| cu < matcher.len()) else { return };
        let row = matcher.free(cu, free.amounts == Amounts::LongestRun);
        if let Ok(score) = free.weights.score(&row) {
            self.tree.set(cu, score, self.tree.get(cu).most);
        }
    }
}

/// Returns the number of waves for which `wave` stands: all waves of a workgroup for [`WHOLE`],
/// else 1, for one wave of a workgroup that was cut into waves.
const fn waves_of(launch: &Launch, wave: u16) -> u16 {
    if wave == WHOLE { launch.demand.waves } else { 1 }
}

impl Freest {
    fn new(weights: &FreeWeights, matcher: &Matcher) -> Result<Self, Error> {
        let FreeWeights { waves, vgpr, sgpr, lds, amounts } = *weights;
        let weights = Weights::new(&[waves, vgpr, sgpr, lds])?;
        // All compute units are empty now, so no later score is larger than the ones tried here.
        (0..matcher.len())
            .try_for_each(|cu| weights.score(&matcher.free(cu, false)).map(|_| ()))?;
        Ok(Self { weights, amounts })
    }
}
