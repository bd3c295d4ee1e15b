//! By which search, on which compute unit and from which channels does a question want an answer?
//!
//! Without these keys: the full search, the lowest compute unit, a channel for every entry.

use std::collections::BTreeMap;

use raddle_bitmap::View;
use raddle_policy::Resource;
use raddle_read::{FaultKind, pointer, shown};
use raddle_workgroup::place::{Mix, Weights};
use raddle_workgroup::{Amounts, Error, ResourceSearch, SearchRule};
use serde::Deserialize;
use serde_json::Value;

use super::model::{Cu, Stock};
use crate::fault::{Fault, fault, has, read_at};

/// The word of a rule that takes no numbers.
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

/// The rule that picks one of the compute units that fit.
#[derive(Debug, Default)]
pub(super) enum MatchPlace {
    #[default]
    Lowest,
    /// The next compute unit from this index on, around the end.
    From(usize),
    MostFree(FreeScore),
    /// The scores of all compute units.
    LeastPower(Vec<u64>),
    Mix(FreeScore, Vec<u64>, Mix),
}

/// Weighted free amounts, by the names of resources.
#[derive(Debug)]
pub(super) struct FreeScore {
    names: Vec<String>,
    weights: Weights,
    amounts: Amounts,
}

/// Returns how long a run a search reports of a resource of this name. Names that are not in the
/// device table are not told apart, so only a search for all resources applies to them.
pub(super) fn reported(rule: &SearchRule, name: &str, map: View<'_>) -> Result<u32, Error> {
    searched(rule, name, map.blocks()).map(|search| search.longest(map))
}

fn searched(rule: &SearchRule, name: &str, blocks: u32) -> Result<ResourceSearch, Error> {
    let resource = match name {
        "vgpr" => Resource::Vgpr,
        "sgpr" => Resource::Sgpr,
        "lds" => Resource::Lds,
        _ => Resource::Cus,
    };
    rule.of(resource, blocks)
}

/// Refuses a search that cannot search some map of the compute units.
pub(super) fn check_search(rule: &SearchRule, cus: &[Cu<String>]) -> Result<(), Fault> {
    for cu in cus {
        let stocks = cu.simds.iter().chain([&cu.shared]).flatten();
        for (name, stock) in stocks {
            let Stock::Run(map) = stock else { continue };
            let blocks = map.view().blocks();
            if let SearchRule::Shared { width } = *rule
                && width < blocks
            {
                let message = format!("`{}` has {blocks} blocks: give that or more", shown(name));
                return Err(Fault::new(FaultKind::OutOfRange, "/search/shared/width", message));
            }
            if let Err(error) = searched(rule, name, blocks) {
                let cause = match error {
                    Error::SearchRule { cause, .. } => cause.to_string(),
                    other => other.to_string(),
                };
                let message = format!("`{}`, {blocks} blocks: {cause}", shown(name));
                return Err(Fault::new(FaultKind::OutOfRange, "/search", message));
            }
        }
    }
    Ok(())
}

/// Reads the rule of a question.
pub(super) fn place(given: Option<&Value>, cus: &[Cu<String>]) -> Result<MatchPlace, Fault> {
    let Some(given) = given else { return Ok(MatchPlace::Lowest) };
    let (word, rest) = if has(given, "rule") {
        let mut rest = given.clone();
        let rule = rest.as_object_mut().and_then(|it| it.remove("rule")).unwrap_or_default();
        (read_at(&rule, "/place/rule")?, rest)
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
        PlaceWord::MostWaves => {
            let weights = BTreeMap::from([("waves".to_owned(), 1)]);
            MatchPlace::MostFree(free(AskedFree { weights, amounts: Amounts::Free }, cus, at)?)
        }
        PlaceWord::MostFree => MatchPlace::MostFree(free(read_at(&rest, at)?, cus, at)?),
        PlaceWord::LeastPower => MatchPlace::LeastPower(power(&read_at(&rest, at)?, cus, at)?),
        PlaceWord::Mix => {
            let asked: AskedMix = read_at(&rest, at)?;
            let [a, b] = asked.share;
            let mix = Mix::new(a, b).map_err(fault(FaultKind::OutOfRange, "/place/share"))?;
            let power = power(&asked.power, cus, "/place/power")?;
            MatchPlace::Mix(free(asked.free, cus, "/place/free")?, power, mix)
        }
    })
}

fn free(asked: AskedFree, cus: &[Cu<String>], at: &str) -> Result<FreeScore, Fault> {
    let at = format!("{at}/weights");
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
    let weights = Weights::new(&weights).map_err(fault(FaultKind::OutOfRange, &at))?;
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
        let kind = |error: &Error| match error {
            Error::Score { .. } => FaultKind::Overflow,
            _ => FaultKind::Inconsistent,
        };
        let score = weights.score(row);
        score.map_err(|error| fault(kind(&error), &format!("{at}/counts/{n}"))(error))
    };
    asked.counts.iter().enumerate().map(score).collect()
}

impl FreeScore {
    /// Computes TA of a compute unit. A resource in runs counts with all that is free, or with the
    /// run that the search reports.
    fn of(&self, cu: &Cu<String>, search: &SearchRule) -> Result<u64, Error> {
        let amount = |name: &String, stock: &Stock| match (stock, self.amounts) {
            (Stock::Count(free), _) => Ok(*free),
            (Stock::Run(map), Amounts::Free) => Ok(map.view().free_blocks().into()),
            (Stock::Run(map), Amounts::LongestRun) => {
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

impl MatchPlace {
    /// Picks one of the compute units that fit, as an index into them; ties to the lowest.
    pub(super) fn pick(
        &self,
        fit: &[usize],
        cus: &[Cu<String>],
        search: &SearchRule,
    ) -> Result<Option<usize>, Error> {
        let free = |score: &FreeScore| {
            fit.iter().map(|&cu| score.of(&cus[cu], search)).collect::<Result<Vec<_>, _>>()
        };
        let power = |all: &[u64]| fit.iter().map(|&cu| all[cu]).collect::<Vec<_>>();
        Ok(match self {
            Self::Lowest => Some(0),
            Self::From(from) => fit.iter().position(|cu| cu >= from).or(Some(0)),
            Self::MostFree(score) => {
                let scores = free(score)?;
                // The order is reversed, as `max_by_key` returns the last of the largest and the
                // first is wanted.
                (0..scores.len()).rev().max_by_key(|&at| scores[at])
            }
            Self::LeastPower(all) => {
                let scores = power(all);
                (0..scores.len()).min_by_key(|&at| scores[at])
            }
            Self::Mix(score, all, mix) => mix.pick(&free(score)?, &power(all))?,
        })
    }

    /// Describes the picked compute unit in words.
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

/// Folds entries into this many channels: entry n waits in channel n modulo their number, and the
/// first of a channel is its head. Returns the heads, and the entry of each.
pub(super) fn folded<T>(entries: Vec<Option<T>>, channels: u64) -> (Vec<Option<T>>, Vec<usize>) {
    let channels = usize::try_from(channels).unwrap_or(usize::MAX).min(entries.len().max(1));
    let mut heads: Vec<Option<T>> = (0..channels).map(|_| None).collect();
    let mut entry = vec![0; channels];
    for (at, waiting) in entries.into_iter().enumerate() {
        let channel = at % channels;
        if heads[channel].is_none() && waiting.is_some() {
            (heads[channel], entry[channel]) = (waiting, at);
        }
    }
    (heads, entry)
}
