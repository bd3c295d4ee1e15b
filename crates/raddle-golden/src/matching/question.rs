//! How is a question about matching read?

use std::collections::{BTreeMap, BTreeSet};

use raddle_bitmap::{FreeMap, Polarity};
use raddle_read::{FaultKind, pointer};
use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::Marks;
use raddle_workgroup::{Fit, SearchRule};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::model::{Cu, MatchHead, MatchModel, Stock, Wants};
use super::rules::{check_search, folded, place};
use super::{HeadLevels, MarkedChannels, MatchQuestion, shape};
use crate::MOST_FIGURES;
use crate::fault::{Fault, check, check_all, fault, given, has, positive, read_at};

type AmountsByName<T> = BTreeMap<String, T>;

#[derive(Deserialize)]
struct AskedMatch {
    cus: Vec<AskedCu>,
    channels: Vec<Option<AskedHead>>,
    #[serde(default)]
    marks: BTreeMap<String, Vec<u64>>,
    #[serde(default, deserialize_with = "given")]
    order: Option<Vec<u64>>,
    #[serde(default)]
    search: SearchRule,
    #[serde(default)]
    place: Option<Value>,
    #[serde(default)]
    fit: Fit,
    #[serde(default, deserialize_with = "channels")]
    fold: Option<u64>,
}

#[derive(Deserialize)]
struct AskedCu {
    shared: AmountsByName<Value>,
    simds: Vec<AmountsByName<Value>>,
    #[serde(default, deserialize_with = "given")]
    pointer: Option<CuPointer>,
}

/// The pointer of a compute unit: the SIMD that it names, and the most waves of a SIMD.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct CuPointer {
    pub(super) kind: Kind,
    pub(super) at: u64,
    #[serde(deserialize_with = "positive")]
    pub(super) limit: u64,
}

#[derive(Deserialize)]
struct AskedHead {
    #[serde(deserialize_with = "positive")]
    level: u64,
    demand: Value,
}

#[derive(Deserialize)]
struct GroupsDemand {
    shared: AmountsByName<u64>,
    simds: Vec<AmountsByName<u64>>,
}

#[derive(Deserialize)]
struct WavesDemand {
    shared: AmountsByName<u64>,
    #[serde(deserialize_with = "positive")]
    waves: u64,
    per_wave: AmountsByName<u64>,
}

fn channels<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    positive(from).map(Some)
}

type LevelAndWants = (u64, Wants<String>);

pub(super) fn question(value: &Value) -> Result<MatchQuestion, Fault> {
    let asked: AskedMatch = read_at(value, "")?;
    let pointers = asked.cus.iter().map(|cu| cu.pointer).collect();
    let cus = asked.cus.iter().enumerate().map(|(n, cu)| unit(cu, &format!("/cus/{n}")));
    let cus = cus.collect::<Result<Vec<_>, _>>()?;
    let heads = asked.channels.iter().enumerate().map(|(channel, head)| {
        let at = format!("/channels/{channel}/demand");
        head.as_ref().map(|head| Ok((head.level, wants(&head.demand, &at)?))).transpose()
    });
    let heads = heads.collect::<Result<Vec<_>, Fault>>()?;
    check_search(&asked.search, &cus)?;
    let place_rule = place(asked.place.as_ref(), &cus)?;
    // More channels than entries would be of no use.
    let channels = asked
        .fold
        .map_or(heads.len(), |fold| usize::try_from(fold).unwrap_or(usize::MAX).min(heads.len()));
    let marks = marked(&asked.marks, channels)?;
    let levels = levels(asked.order.as_deref(), &heads)?;
    let position = |level| levels.given.binary_search(&level).unwrap_or_default();
    let head = |(level, wants): LevelAndWants| MatchHead { level: position(level), wants };
    let heads: Vec<_> = heads.into_iter().map(|it| it.map(head)).collect();
    shape::check(&cus, &heads)?;
    let (heads, entries) = match asked.fold {
        Some(channels) => {
            let (heads, entries) = folded(heads, channels);
            (heads, Some(entries))
        }
        None => (heads, None),
    };
    let model =
        MatchModel { cus, marks: model_marks(&levels, &marks, heads.len())?, fit: asked.fit };
    let (search, place) = (asked.search, place_rule);
    Ok(MatchQuestion { model, pointers, heads, levels, marks, search, place, entries })
}

fn unit(cu: &AskedCu, at: &str) -> Result<Cu<String>, Fault> {
    let shared = stocks(&cu.shared, &format!("{at}/shared"))?;
    let simds = cu.simds.iter().enumerate();
    let simds = simds.map(|(n, simd)| stocks(simd, &format!("{at}/simds/{n}")));
    let simds = simds.collect::<Result<Vec<_>, _>>()?;
    let pointer = cu.pointer.map(|pointer| {
        let at = format!("{at}/pointer/at");
        let refused = fault(FaultKind::OutOfRange, &at);
        let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let table = Table::new(narrow(simds.len() as u64), pointer.limit).map_err(&refused)?;
        Pointer::new(table, pointer.kind, narrow(pointer.at)).map_err(&refused)
    });
    Ok(Cu { shared, pointer: pointer.transpose()?, simds })
}

/// Reads stocks: a string of digits is a map; a number, or a "0x.." string, is a count.
fn stocks(given: &AmountsByName<Value>, at: &str) -> Result<AmountsByName<Stock>, Fault> {
    let stock = |(name, value): (&String, &Value)| {
        let at = format!("{at}{}", pointer(name));
        let stock = match value {
            Value::String(digits) if !digits.starts_with("0x") => {
                let map = FreeMap::from_digits(digits, Polarity::FreeIsOne);
                Stock::Run(map.map_err(fault(FaultKind::OutOfRange, &at))?)
            }
            other => Stock::Count(read_at(other, &at)?),
        };
        Ok((name.clone(), stock))
    };
    given.iter().map(stock).collect()
}

fn wants(demand: &Value, at: &str) -> Result<Wants<String>, Fault> {
    if has(demand, "waves") || has(demand, "per-wave") {
        let WavesDemand { shared, waves, per_wave } = read_at(demand, at)?;
        return Ok(Wants::Waves { shared, waves, each: per_wave });
    }
    let GroupsDemand { shared, simds } = read_at(demand, at)?;
    Ok(Wants::Groups { shared, groups: simds })
}

/// Reads the levels of the heads, and their order: the one that is asked for, or the ascending one.
fn levels(order: Option<&[u64]>, heads: &[Option<LevelAndWants>]) -> Result<HeadLevels, Fault> {
    let given: BTreeSet<u64> = heads.iter().flatten().map(|(level, _)| *level).collect();
    let given: Vec<u64> = given.into_iter().collect();
    let Some(order) = order else {
        return Ok(HeadLevels { ranks: (0..given.len()).collect(), given });
    };
    check_all(order, &(1..=u64::MAX), "/order")?;
    let mut ranks = BTreeMap::new();
    for (rank, level) in order.iter().enumerate() {
        if ranks.insert(*level, rank).is_some() {
            let message = format!("level {level} is in the order twice");
            return Err(Fault::new(FaultKind::Inconsistent, &format!("/order/{rank}"), message));
        }
    }
    for (channel, head) in heads.iter().enumerate() {
        if let Some((level, _)) = head
            && !ranks.contains_key(level)
        {
            let at = format!("/channels/{channel}/level");
            let message = format!("level {level} is not in `order`");
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
    }
    // Levels without heads are left out, so that ranks have no gaps.
    let mut present: Vec<usize> = (0..given.len()).collect();
    present.sort_unstable_by_key(|&at| ranks[&given[at]]);
    let mut of_heads = vec![0; given.len()];
    for (rank, at) in present.into_iter().enumerate() {
        of_heads[at] = rank;
    }
    Ok(HeadLevels { given, ranks: of_heads })
}

/// Reads the marked channels by level.
fn marked(given: &BTreeMap<String, Vec<u64>>, channels: usize) -> Result<MarkedChannels, Fault> {
    let mut marks = MarkedChannels::new();
    for (name, marked) in given {
        let at = format!("/marks{}", pointer(name));
        let level = number(name, &at)?;
        check(level, &(1..=u64::MAX), &at)?;
        let Some(most) = (channels as u64).checked_sub(1).or(marked.is_empty().then_some(0)) else {
            let message = "there is no channel to be marked";
            return Err(Fault::new(FaultKind::OutOfRange, &format!("{at}/0"), message));
        };
        check_all(marked, &(0..=most), &at)?;
        let marked = marked.iter().map(|&channel| channel as usize).collect();
        if marks.insert(level, marked).is_some() {
            let message = format!("level {level} is given in two spellings");
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
    }
    Ok(marks)
}

/// Reads a number that is the name of a key, decimal or hexadecimal.
pub(crate) fn number(name: &str, at: &str) -> Result<u64, Fault> {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
        return name.parse().map_err(fault(FaultKind::OutOfRange, at));
    }
    read_at(&Value::String(name.to_owned()), at)
}

/// Makes the marks of the levels that there are heads of.
fn model_marks(
    levels: &HeadLevels,
    marks: &MarkedChannels,
    channels: usize,
) -> Result<Marks, Fault> {
    let count = levels.given.len().max(1);
    if (count as u64).saturating_mul(channels as u64) > MOST_FIGURES * 8 {
        let message = format!("{channels} channels of {count} levels are too many for one line");
        return Err(Fault::new(FaultKind::OutOfRange, "/channels", message));
    }
    let set = || {
        let mut of_heads = Marks::new(count, channels)?;
        for (position, level) in levels.given.iter().enumerate() {
            for &channel in marks.get(level).into_iter().flatten() {
                of_heads.set(position, channel, true)?;
            }
        }
        Ok(of_heads)
    };
    set().map_err(fault::<raddle_workgroup::Error>(FaultKind::OutOfRange, "/channels"))
}
