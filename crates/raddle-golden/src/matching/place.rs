//! Which of the compute units that a workgroup fits is taken: by its free resources, or by the
//! power that it drew lately (seed 000, E9, E10)?
//!
//! A question gives a rule with its numbers, or as a recipe has it; a recipe's rule computes power
//! from instructions that waves issued, which the question then lists for each compute unit. Units:
//! ticks, instructions in 1,000 ticks.

use std::collections::BTreeMap;

use raddle_read::{FaultKind, pointer, shown};
use raddle_workgroup::place::{Mix, Weights};
use raddle_workgroup::{
    Amounts, Error, ErrorKind, FreeWeights, PlaceRule, PowerWeights, SearchRule,
};
use serde::Deserialize;
use serde_json::Value;

use super::model::{Cu, Stock};
use super::search::reported;
use crate::fault::{Fault, fault, given, has, read_at};

/// Rule for the choice of a compute unit that needs no numbers, so that a question names it by a
/// word.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PlaceWord {
    LowestIndex,
    RoundRobin,
    MostWaves,
    MostFree,
    LeastPower,
    Mix,
}

#[derive(Deserialize)]
struct AskedFrom {
    #[serde(default)]
    from: usize,
}

#[derive(Deserialize)]
struct AskedFree {
    weights: BTreeMap<String, u64>,
    #[serde(default)]
    amounts: Amounts,
}

#[derive(Deserialize)]
struct AskedPower {
    weights: Vec<u64>,
    counts: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
struct AskedMix {
    free: AskedFree,
    power: AskedPower,
    share: [u64; 2],
}

/// Rule that picks one of the compute units that a workgroup fits.
#[derive(Debug, Default)]
pub(super) enum MatchPlace {
    #[default]
    Lowest,
    /// The first compute unit, from the one with this number on, that the workgroup fits; behind
    /// the last unit the search goes on at number 0.
    From(usize),
    MostFree(FreeScore),
    /// The compute unit with the least score of power (weighted instructions of its waves); the
    /// list has the score of each compute unit.
    LeastPower(Vec<u64>),
    Mix(FreeScore, Vec<u64>, Mix),
}

/// Rule that scores compute units by their free amounts: the weight of each resource, by name. The
/// score TA of a unit is the sum of its free amounts, each times its weight.
#[derive(Debug)]
pub(super) struct FreeScore {
    names: Vec<String>,
    weights: Weights,
    amounts: Amounts,
}

/// Some waves of a compute unit: the tick from which they issue instructions, their number, and how
/// many instructions of each kind one of them issues in 1,000 ticks.
#[derive(Debug, Deserialize)]
pub(super) struct CuActivity {
    from: u64,
    /// Tick at which the waves ended; `None` while they run.
    #[serde(default, deserialize_with = "given")]
    to: Option<u64>,
    waves: u64,
    rates: [u64; 6],
}

/// Compute units among which a rule chooses, with the activity of their waves and the tick of the
/// decision.
#[derive(Clone, Copy)]
pub(super) struct Weighed<'q> {
    pub(super) cus: &'q [Cu<String>],
    pub(super) activity: &'q [Vec<CuActivity>],
    pub(super) tick: u64,
}

/// Reads the rule of a question that picks a compute unit; without one (`None`) the lowest unit is
/// picked. Returns a fault where the rule is unknown or a number is out of range.
pub(super) fn place(given: Option<&Value>, weighed: Weighed<'_>) -> Result<MatchPlace, Fault> {
    let Some(given) = given else { return Ok(MatchPlace::Lowest) };
    let cus = weighed.cus;
    let (word, rest) = if has(given, "rule") {
        let mut rest = given.clone();
        let rule = rest.as_object_mut().and_then(|it| it.remove("rule")).unwrap_or_default();
        (read_at(&rule, "/place/rule")?, rest)
    } else if given.is_object() {
        return of_recipe(read_at(given, "/place")?, weighed);
    } else {
        (read_at(given, "/place")?, Value::Object(serde_json::Map::new()))
    };
    let at = "/place";
    Ok(match word {
        PlaceWord::LowestIndex => MatchPlace::Lowest,
        PlaceWord::RoundRobin => {
            let AskedFrom { from } = read_at(&rest, at)?;
            if from > cus.len() {
                let message = format!("there are {} compute units, none from {from} on", cus.len());
                return Err(Fault::new(FaultKind::OutOfRange, "/place/from", message));
            }
            MatchPlace::From(from)
        }
        PlaceWord::MostWaves => MatchPlace::MostFree(most_waves(cus)?),
        PlaceWord::MostFree => {
            let asked: AskedFree = read_at(&rest, at)?;
            MatchPlace::MostFree(free(asked, cus, "/place/weights")?)
        }
        PlaceWord::LeastPower => MatchPlace::LeastPower(power(&read_at(&rest, at)?, cus, at)?),
        PlaceWord::Mix => {
            let asked: AskedMix = read_at(&rest, at)?;
            let [a, b] = asked.share;
            let mix = Mix::new(a, b).map_err(fault(FaultKind::OutOfRange, "/place/share"))?;
            let power = power(&asked.power, cus, "/place/power")?;
            MatchPlace::Mix(free(asked.free, cus, "/place/free/weights")?, power, mix)
        }
    })
}

fn most_waves(cus: &[Cu<String>]) -> Result<FreeScore, Fault> {
    let weights = BTreeMap::from([("waves".to_owned(), 1)]);
    free(AskedFree { weights, amounts: Amounts::Free }, cus, "/place/weights")
}

/// Makes the rule that picks a compute unit from its spelling in a recipe (file that chooses the
/// policies of a run); returns a fault where a weight or a window is out of range.
fn of_recipe(rule: PlaceRule, weighed: Weighed<'_>) -> Result<MatchPlace, Fault> {
    let free = |asked: FreeWeights, at: &str| {
        let FreeWeights { waves, vgpr, sgpr, lds, amounts } = asked;
        let all = [("waves", waves), ("vgpr", vgpr), ("sgpr", sgpr), ("lds", lds)];
        let weights = all.into_iter().filter(|it| it.1 > 0);
        let weights = weights.map(|(name, weight)| (name.to_owned(), weight)).collect();
        free(AskedFree { weights, amounts }, weighed.cus, at)
    };
    Ok(match rule {
        PlaceRule::LowestIndex => MatchPlace::Lowest,
        PlaceRule::RoundRobin => MatchPlace::From(0),
        PlaceRule::MostWaves => MatchPlace::MostFree(most_waves(weighed.cus)?),
        PlaceRule::MostFree(asked) => MatchPlace::MostFree(free(asked, "/place/most-free")?),
        PlaceRule::LeastPower(asked) => {
            MatchPlace::LeastPower(drawn(&asked, weighed, "/place/least-power")?)
        }
        PlaceRule::Mix { free: asked, power, shares: [a, b] } => {
            let mix = Mix::new(a, b).map_err(fault(FaultKind::OutOfRange, "/place/mix/shares"))?;
            let power = drawn(&power, weighed, "/place/mix/power")?;
            MatchPlace::Mix(free(asked, "/place/mix/free")?, power, mix)
        }
    })
}

/// Returns for each compute unit the score TB: the weighted number of instructions, in thousandths,
/// that its waves issued in the window of time before the decision. If the rule looks ahead, the
/// instructions that running waves will issue in an equally long window afterwards are added. A
/// fault names `at`, the place of the rule in the question.
fn drawn(rule: &PowerWeights, weighed: Weighed<'_>, at: &str) -> Result<Vec<u64>, Fault> {
    let window = rule.history().map_err(|error| {
        let key = if rule.history_log2().is_some() { "history-log2" } else { "history-ticks" };
        match error.kind() {
            ErrorKind::Inconsistent => fault(FaultKind::Inconsistent, at)(error),
            _ => fault(FaultKind::OutOfRange, &format!("{at}/{key}"))(error),
        }
    })?;
    Weights::new(&rule.weights())
        .map_err(fault(FaultKind::OutOfRange, &format!("{at}/weights")))?;
    let (tick, begin) = (weighed.tick, weighed.tick.saturating_sub(window));
    let of_waves = |it: &CuActivity| {
        let ticks = it.to.unwrap_or(tick).min(tick).saturating_sub(it.from.max(begin));
        let ahead = if rule.ahead() && it.to.is_none() { window } else { 0 };
        let ticks = u128::from(ticks) + u128::from(ahead);
        let weights = rule.weights();
        let products = weights.iter().zip(it.rates);
        let products = products.map(|(&weight, rate)| u128::from(weight) * u128::from(rate));
        let each = products.fold(0, u128::saturating_add);
        each.saturating_mul(it.waves.into()).saturating_mul(ticks)
    };
    let of_unit = |all: &Vec<CuActivity>| {
        let sum = all.iter().map(of_waves).fold(0, u128::saturating_add);
        u64::try_from(sum).unwrap_or(u64::MAX)
    };
    Ok(weighed.activity.iter().map(of_unit).collect())
}

/// Makes the rule that scores compute units by their free amounts, from a weight for each named
/// resource; `at` is the place of the weights in the question, which a fault names.
fn free(asked: AskedFree, cus: &[Cu<String>], at: &str) -> Result<FreeScore, Fault> {
    let known = |cu: &Cu<String>, name: &String| {
        cu.shared.contains_key(name) || cu.simds.iter().any(|simd| simd.contains_key(name))
    };
    for name in asked.weights.keys() {
        if !cus.iter().all(|cu| known(cu, name)) {
            let message = format!("not every compute unit has a resource `{}`", shown(name));
            let at = format!("{at}{}", pointer(name));
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
    }
    let (names, weights): (Vec<_>, Vec<_>) = asked.weights.into_iter().unzip();
    let weights = Weights::new(&weights).map_err(fault(FaultKind::OutOfRange, at))?;
    Ok(FreeScore { names, weights, amounts: asked.amounts })
}

fn power(asked: &AskedPower, cus: &[Cu<String>], at: &str) -> Result<Vec<u64>, Fault> {
    let weights = Weights::new(&asked.weights);
    let weights = weights.map_err(fault(FaultKind::OutOfRange, &format!("{at}/weights")))?;
    if asked.counts.len() != cus.len() {
        let message = format!("{} rows for {} compute units", asked.counts.len(), cus.len());
        return Err(Fault::new(FaultKind::Inconsistent, &format!("{at}/counts"), message));
    }
    let score = |(n, row): (usize, &Vec<u64>)| {
        let kind = |error: &Error| match error.kind() {
            ErrorKind::Overflow => FaultKind::Overflow,
            _ => FaultKind::Inconsistent,
        };
        let score = weights.score(row);
        score.map_err(|error| fault(kind(&error), &format!("{at}/counts/{n}"))(error))
    };
    asked.counts.iter().enumerate().map(score).collect()
}

impl FreeScore {
    /// Returns the score TA of a compute unit: the sum of its free amounts, each times its weight.
    /// By the rule's setting, a resource in blocks counts with all of its free blocks, or with the
    /// longest free run that the search reports. Fails where the search fails.
    fn of(&self, cu: &Cu<String>, search: &SearchRule) -> Result<u64, Error> {
        let amount = |name: &String, stock: &Stock| match (stock, self.amounts) {
            (Stock::Count(free), _) => Ok(*free),
            (Stock::Run { map, .. }, Amounts::Free) => Ok(map.view().free_blocks().into()),
            (Stock::Run { map, .. }, Amounts::LongestRun) => {
                reported(search, name, map.view()).map(u64::from)
            }
        };
        let row = self.names.iter().map(|name| {
            let mut stocks = cu.simds.iter().chain([&cu.shared]).filter_map(|it| it.get(name));
            stocks.try_fold(0_u64, |sum, stock| Ok(sum.saturating_add(amount(name, stock)?)))
        });
        self.weights.score(&row.collect::<Result<Vec<_>, Error>>()?)
    }
}

/// Scores of the compute units that a workgroup fits, one for each unit: (TA, weighted free
/// amounts; TB, power drawn lately); `None` for a score that the rule does not use.
type PlaceScores = (Option<Vec<u64>>, Option<Vec<u64>>);

impl MatchPlace {
    /// Returns the scores TA (free amounts) and TB (power drawn lately) of the compute units with
    /// the indices `fit`; `None` for a score that the rule does not use. Returns the error of the
    /// search, if that fails.
    pub(super) fn scores(
        &self,
        fit: &[usize],
        cus: &[Cu<String>],
        search: &SearchRule,
    ) -> Result<PlaceScores, Error> {
        let free = |score: &FreeScore| {
            fit.iter().map(|&cu| score.of(&cus[cu], search)).collect::<Result<Vec<_>, _>>()
        };
        let power = |all: &[u64]| fit.iter().map(|&cu| all[cu]).collect::<Vec<_>>();
        Ok(match self {
            Self::Lowest | Self::From(_) => (None, None),
            Self::MostFree(score) => (Some(free(score)?), None),
            Self::LeastPower(all) => (None, Some(power(all))),
            Self::Mix(score, all, _) => (Some(free(score)?), Some(power(all))),
        })
    }

    /// Picks one of the compute units with the indices `fit` by the rule, of equally good units the
    /// lowest. Returns the unit's position in `fit`; for an empty list, `None` or a position that
    /// does not exist. Returns an error where a score is too large.
    pub(super) fn pick(
        &self,
        fit: &[usize],
        cus: &[Cu<String>],
        search: &SearchRule,
    ) -> Result<Option<usize>, Error> {
        if let Self::From(from) = self {
            return Ok(fit.iter().position(|cu| cu >= from).or(Some(0)));
        }
        Ok(match (self, self.scores(fit, cus, search)?) {
            (Self::Mix(.., mix), (Some(free), Some(power))) => mix.pick(&free, &power)?,
            // The order is reversed, as `max_by_key` returns the last of the largest and the first
            // is wanted.
            (_, (Some(free), _)) => (0..free.len()).rev().max_by_key(|&at| free[at]),
            (_, (_, Some(power))) => (0..power.len()).min_by_key(|&at| power[at]),
            _ => Some(0),
        })
    }

    /// Describes in words, for an explanation, which compute unit the rule picks.
    pub(super) const fn says(&self) -> &'static str {
        match self {
            Self::Lowest => "the lowest",
            Self::From(_) => "the next one behind the last",
            Self::MostFree(_) => "the one with the largest TA (E9)",
            Self::LeastPower(_) => "the one with the smallest TB (E10)",
            Self::Mix(..) => "the one with the largest mix of TA and TB",
        }
    }
}
