//! How is a question about the matching of workgroups to compute units, given as JSON, read and
//! checked?

use std::collections::BTreeMap;

use raddle_bitmap::{FreeMap, Polarity};
use raddle_read::{FaultKind, pointer};
use raddle_workgroup::balance::{Kind, Pointer, Table};
use raddle_workgroup::order::Marks;
use raddle_workgroup::{Balance, Choice, DecisionTime, Fit, SearchRule, SplitRule};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::clocks::MatchClocks;
use super::cutting::{MatchCutting, MayCut};
use super::demand::{HeadAndPiece, is_in_waves, wants};
use super::heads::{AskedOrder, folded, levels};
use super::model::{Cu, MatchHead, MatchModel, Stock};
use super::place::{CuActivity, Weighed, place};
use super::search::check_search;
use super::{HeadLevels, MarkedChannels, MatchQuestion, shape};
use crate::MOST_FIGURES;
use crate::fault::{Fault, check, check_all, fault, given, has, positive, read_at};

/// Keys of a question on which workgroup goes to which compute unit. With any of them, the question
/// asks for all steps of the decision, not only for its result.
const CHAIN: [&str; 5] = ["now", "pick", "balance", "decision", "split"];

type AmountsByName<T> = BTreeMap<String, T>;

#[derive(Deserialize)]
struct AskedMatch {
    cus: Vec<AskedCu>,
    channels: Vec<Option<AskedHead>>,
    #[serde(default)]
    marks: BTreeMap<String, Vec<u64>>,
    #[serde(default, deserialize_with = "given")]
    order: Option<Value>,
    #[serde(default)]
    search: SearchRule,
    #[serde(default)]
    place: Option<Value>,
    #[serde(default)]
    fit: Fit,
    #[serde(default, deserialize_with = "channels")]
    fold: Option<u64>,
    /// Tick at which the decision begins. The question gives the first workgroups of the channels
    /// as they are at this tick.
    #[serde(default)]
    now: u64,
    #[serde(default)]
    pick: Choice,
    #[serde(default)]
    balance: Balance,
    #[serde(default, deserialize_with = "given")]
    decision: Option<DecisionTime>,
    #[serde(default, deserialize_with = "given")]
    split: Option<SplitRule>,
    #[serde(default)]
    failures: u64,
}

#[derive(Deserialize)]
struct AskedCu {
    shared: AmountsByName<Value>,
    simds: Vec<AmountsByName<Value>>,
    #[serde(default, deserialize_with = "given")]
    pointer: Option<CuPointer>,
    #[serde(default)]
    activity: Vec<CuActivity>,
}

/// Pointer of a compute unit for the balance of surplus waves, which the SIMDs cannot share
/// equally: its kind, the SIMD at which the surplus begins, and the most waves of one workgroup
/// that a SIMD takes.
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
    /// True if the waves of the workgroup may run on different compute units, so that the workgroup
    /// may be cut into waves that start separately.
    #[serde(default)]
    independent: bool,
    /// Tick since which the workgroup has been the first one of its channel. Of the workgroups that
    /// may be cut, the one that has been first for longest is cut.
    #[serde(default)]
    since: u64,
}

fn channels<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    positive(from).map(Some)
}

type Heads = Vec<Option<MatchHead<String>>>;

pub(super) fn question(value: &Value) -> Result<MatchQuestion, Fault> {
    let mut asked: AskedMatch = read_at(value, "")?;
    let order = AskedOrder::read(asked.order.as_ref())?;
    let pointers = asked.cus.iter().map(|cu| cu.pointer).collect();
    let cus = asked.cus.iter().enumerate();
    let cus = cus.map(|(n, cu)| unit(cu, asked.balance, &format!("/cus/{n}")));
    let cus = cus.collect::<Result<Vec<_>, _>>()?;
    let heads = asked.channels.iter().enumerate().map(|(channel, head)| {
        let at = format!("/channels/{channel}/demand");
        head.as_ref().map(|head| Ok((head.level, wants(&head.demand, &cus, &at)?))).transpose()
    });
    let heads = heads.collect::<Result<Vec<_>, Fault>>()?;
    check_search(&asked.search, &cus)?;
    let (search, now) = (asked.search, asked.now);
    let clocks =
        asked.decision.map(|time| MatchClocks::new(time, &search, &cus, now)).transpose()?;
    let tick = clocks.map_or(now, |clocks| clocks.t);
    let activity: Vec<_> =
        asked.cus.iter_mut().map(|cu| std::mem::take(&mut cu.activity)).collect();
    let weighed = Weighed { cus: &cus, activity: &activity, tick };
    let place = place(asked.place.as_ref(), weighed)?;
    // More channels than entries would be of no use.
    let channels = asked
        .fold
        .map_or(heads.len(), |fold| usize::try_from(fold).unwrap_or(usize::MAX).min(heads.len()));
    let marks = marked(&asked.marks, channels)?;
    let of_heads: Vec<_> = heads.iter().map(|head| head.as_ref().map(|it| it.0)).collect();
    let lowest = asked.split.map(|_| order.lowest(of_heads.iter().copied().flatten()));
    let levels = levels(order.at(tick).as_deref(), &of_heads, lowest)?;
    let position = |level| levels.given.binary_search(&level).unwrap_or_default();
    let whole = may_be_cut(&asked.channels, &heads)?;
    let head = |(level, (wants, _))| MatchHead { level: position(level), wants };
    let heads: Vec<_> = heads.into_iter().map(|it| it.map(head)).collect();
    shape::check(&cus, &heads)?;
    let (heads, whole, entries) = by_channel(heads, whole, asked.fold);
    let lowest = lowest.map_or(0, position);
    let cutting = asked.split.map(|rule| MatchCutting::new(rule, asked.failures, whole, lowest));
    Ok(MatchQuestion {
        model: MatchModel {
            cus,
            marks: model_marks(&levels, &marks, heads.len())?,
            fit: asked.fit,
        },
        cutting: cutting.transpose()?,
        is_chain: CHAIN.iter().any(|key| has(value, key)),
        order: matches!(order, AskedOrder::Windows(_)).then(|| order.at(tick)).flatten(),
        balance: asked.balance,
        pick: asked.pick,
        pointers,
        heads,
        levels,
        marks,
        search,
        place,
        entries,
        clocks,
        now,
    })
}

/// Distributes the waiting workgroups, `entries`, over `fold` channels; where `fold` is `None`,
/// each workgroup has a channel of its own. `whole` tells for each workgroup if it may be cut into
/// waves.
///
/// Returns (the first workgroup of each channel; its item of `whole`; its index in `entries`). The
/// indices are `None` where `fold` is `None`.
fn by_channel(
    entries: Heads,
    whole: Vec<Option<MayCut>>,
    fold: Option<u64>,
) -> (Heads, Vec<Option<MayCut>>, Option<Vec<usize>>) {
    let Some(channels) = fold else { return (entries, whole, None) };
    let both = entries.into_iter().zip(whole).map(|(head, whole)| Some((head?, whole)));
    let (both, entries) = folded(both.collect(), channels);
    let both = both.into_iter();
    let both = both.map(|it| it.map_or((None, None), |(head, whole)| (Some(head), whole)));
    let (heads, whole) = both.unzip();
    (heads, whole, Some(entries))
}

/// Returns for each channel its head (first workgroup), if that may be cut into waves: it has
/// several waves, and the question says that they are independent. All other heads are `None`.
/// Returns a fault where the demand of an independent head is not given in waves.
fn may_be_cut(
    asked: &[Option<AskedHead>],
    heads: &[Option<(u64, HeadAndPiece)>],
) -> Result<Vec<Option<MayCut>>, Fault> {
    let whole = asked.iter().zip(heads).enumerate().map(|(channel, both)| {
        let (Some(asked), Some((_, (_, piece)))) = both else { return Ok(None) };
        if asked.independent && !is_in_waves(&asked.demand) {
            let at = format!("/channels/{channel}/independent");
            let message = "only a demand in `waves` can be cut into them";
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
        let piece = piece.clone().filter(|_| asked.independent);
        Ok(piece.map(|piece| MayCut { since: asked.since, piece }))
    });
    whole.collect()
}

fn unit(cu: &AskedCu, balance: Balance, at: &str) -> Result<Cu<String>, Fault> {
    let shared = stocks(&cu.shared, &format!("{at}/shared"))?;
    let simds = cu.simds.iter().enumerate();
    let simds = simds.map(|(n, simd)| stocks(simd, &format!("{at}/simds/{n}")));
    let simds = simds.collect::<Result<Vec<_>, _>>()?;
    let units = u32::try_from(simds.len()).unwrap_or(u32::MAX);
    let pointer = cu.pointer.map(|pointer| {
        let at = format!("{at}/pointer/at");
        let refused = fault(FaultKind::OutOfRange, &at);
        let table = Table::new(units, pointer.limit).map_err(&refused)?;
        let at = u32::try_from(pointer.at).unwrap_or(u32::MAX);
        Pointer::new(table, pointer.kind, at).map_err(&refused)
    });
    let pointer = pointer.transpose()?;
    let pointer = match balance {
        Balance::Tail => pointer,
        // The surplus begins at SIMD 0, as where a head names it.
        Balance::Fixed => {
            let limit = cu.pointer.map_or(u64::MAX, |pointer| pointer.limit);
            let table = Table::new(units, limit);
            table.and_then(|table| Pointer::new(table, Kind::Head, 0)).ok()
        }
    };
    Ok(Cu { shared, pointer, simds })
}

/// A map of free blocks as a question gives it, with the number of the block from which the rule
/// "next fit" searches on: the one behind the blocks that were handed out last.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedRun {
    free: String,
    after: u32,
}

/// Reads the resources of a compute unit or a SIMD. A string of digits, or an object with one, is a
/// map of free blocks; a number, or a string such as "0x10", is a free amount. A fault names the
/// place `at` and the resource.
fn stocks(given: &AmountsByName<Value>, at: &str) -> Result<AmountsByName<Stock>, Fault> {
    let stock = |(name, value): (&String, &Value)| {
        let at = format!("{at}{}", pointer(name));
        let stock = match value {
            Value::String(digits) if !digits.starts_with("0x") => {
                let map = FreeMap::from_digits(digits, Polarity::FreeIsOne);
                Stock::run(map.map_err(fault(FaultKind::OutOfRange, &at))?)
            }
            object @ Value::Object(_) => {
                let AskedRun { free, after } = read_at(object, &at)?;
                let map = FreeMap::from_digits(&free, Polarity::FreeIsOne);
                let map = map.map_err(fault(FaultKind::OutOfRange, &format!("{at}/free")))?;
                check(after.into(), &(0..=map.blocks().into()), &format!("{at}/after"))?;
                Stock::Run { map, after }
            }
            other => Stock::Count(read_at(other, &at)?),
        };
        Ok((name.clone(), stock))
    };
    given.iter().map(stock).collect()
}

/// Reads the marked channels (chosen lately among tied channels) of each level from the question;
/// returns a fault where a channel does not exist.
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

/// Reads a number that is written as a JSON key, decimal or hexadecimal; a fault names its place
/// `at`.
pub(crate) fn number(name: &str, at: &str) -> Result<u64, Fault> {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
        return name.parse().map_err(fault(FaultKind::OutOfRange, at));
    }
    read_at(&Value::String(name.to_owned()), at)
}

/// Converts the question's marked channels (chosen lately among equally good ones) to marks of the
/// model, for the levels of the channels' first workgroups. Returns a fault where such marks cannot
/// exist.
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
