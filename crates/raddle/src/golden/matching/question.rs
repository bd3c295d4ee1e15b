//! How is a question about matching read?

use std::collections::{BTreeMap, BTreeSet};

use raddle_bitmap::{FreeMap, Polarity};
use raddle_golden::matching::model::{Cu, Head, Model, Stock, Wants};
use raddle_workgroup::balance::{Kind as Named, Pointer, Table};
use raddle_workgroup::order::Marks;
use serde_json::Value;

use super::{Levels, Marked, Pointed, Question, shape};
use crate::golden::MOST_FIGURES;
use crate::golden::fault::{Fault, Kind};
use crate::golden::read::{Fields, integer, list, wrong_type};

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["cus", "channels", "marks", "order"])?;
    let (value, at) = fields.get("cus")?;
    let cus = list(value, &at)?.into_iter().map(|(value, at)| unit(value, &at));
    let (cus, pointers): (Vec<_>, Vec<_>) = cus.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let (value, at) = fields.get("channels")?;
    let heads = list(value, &at)?.into_iter().map(|(value, at)| head(value, &at));
    let heads = heads.collect::<Result<Vec<_>, _>>()?;
    let marks = match fields.get("marks") {
        Ok((value, at)) => marked(value, &at, heads.len())?,
        Err(_) => Marked::new(),
    };
    let levels = levels(fields, &heads)?;
    let place = |level| levels.given.binary_search(&level).unwrap_or_default();
    let wants = |(level, wants): (u64, _)| Head { level: place(level), wants };
    let heads: Vec<_> = heads.into_iter().map(|head| head.map(wants)).collect();
    shape::check(&cus, &heads)?;
    let given = model_marks(&levels, &marks, heads.len())?;
    let model = Model::new(cus, levels.given.len().max(1), 0);
    let model = model.map_err(|error| Fault::new(Kind::OutOfRange, "", error.to_string()))?;
    Ok(Question { model: model.with_marks(given), pointers, heads, levels, marks })
}

/// One compute unit, and what its pointer is.
fn unit(value: &Value, at: &str) -> Result<(Cu<String>, Option<Pointed>), Fault> {
    let fields = Fields::of(value, at)?;
    fields.only(&["shared", "simds", "pointer"])?;
    let shared = amounts(&fields.object("shared")?, stock)?;
    let (value, at) = fields.get("simds")?;
    let simds = list(value, &at)?.into_iter();
    let simds = simds.map(|(value, at)| amounts(&Fields::of(value, &at)?, stock));
    let simds = simds.collect::<Result<Vec<_>, _>>()?;
    let pointer = match fields.get("pointer") {
        Ok(_) => Some(pointer(&fields.object("pointer")?, simds.len())?),
        Err(_) => None,
    };
    let (pointer, pointed) = pointer.unzip();
    Ok((Cu { shared, simds, pointer }, pointed))
}

fn pointer(fields: &Fields<'_>, simds: usize) -> Result<(Pointer, Pointed), Fault> {
    fields.only(&["kind", "at", "limit"])?;
    let kind = fields.word("kind", &[("tail", Named::Tail), ("head", Named::Head)])?;
    let limit = fields.integer("limit", 1..=u64::MAX)?;
    let at = fields.integer("at", 0..=u64::MAX)?;
    let inconsistent = |error: raddle_workgroup::Error| {
        Fault::new(Kind::OutOfRange, &fields.pointer("at"), error.to_string())
    };
    let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let table = Table::new(narrow(simds as u64), limit).map_err(inconsistent)?;
    let pointer = Pointer::new(table, kind, narrow(at)).map_err(inconsistent)?;
    Ok((pointer, Pointed { kind, limit }))
}

/// Values by the names of resources, which are taken as they are.
fn amounts<T>(
    fields: &Fields<'_>,
    read: impl Fn(&Value, &str, &str) -> Result<T, Fault>,
) -> Result<BTreeMap<String, T>, Fault> {
    let amount = |(name, value): (&String, &Value)| {
        Ok((name.clone(), read(value, &fields.pointer(name), name)?))
    };
    fields.entries().map(amount).collect()
}

/// A string of digits is a map, a number a count; so is a "0x.." string.
fn stock(value: &Value, at: &str, name: &str) -> Result<Stock, Fault> {
    match value {
        Value::String(digits) if !digits.starts_with("0x") => {
            let map = FreeMap::from_digits(digits, Polarity::FreeIsOne);
            let map = map.map_err(|error| Fault::new(Kind::OutOfRange, at, error.to_string()))?;
            Ok(Stock::Run(map))
        }
        Value::String(_) | Value::Number(_) => {
            integer(value, at, name, 0..=u64::MAX).map(Stock::Count)
        }
        other => Err(wrong_type(at, "a string of 0 and 1, or a whole number,", other)),
    }
}

fn wanted(value: &Value, at: &str, name: &str) -> Result<u64, Fault> {
    integer(value, at, name, 0..=u64::MAX)
}

/// The head of a channel, if it has one: its level and what it wants.
fn head(value: &Value, at: &str) -> Result<Option<(u64, Wants<String>)>, Fault> {
    if value.is_null() {
        return Ok(None);
    }
    let fields = Fields::of(value, at)?;
    fields.only(&["level", "demand"])?;
    let level = fields.integer("level", 1..=u64::MAX)?;
    let demand = fields.object("demand")?;
    let in_waves = demand.get("waves").is_ok() || demand.get("per-wave").is_ok();
    let keys: &[&str] =
        if in_waves { &["shared", "waves", "per-wave"] } else { &["shared", "simds"] };
    demand.only(keys)?;
    let shared = amounts(&demand.object("shared")?, wanted)?;
    if in_waves {
        let waves = demand.integer("waves", 1..=u64::MAX)?;
        let each = amounts(&demand.object("per-wave")?, wanted)?;
        return Ok(Some((level, Wants::Waves { shared, waves, each })));
    }
    let (value, at) = demand.get("simds")?;
    let groups = list(value, &at)?.into_iter();
    let groups = groups.map(|(value, at)| amounts(&Fields::of(value, &at)?, wanted));
    Ok(Some((level, Wants::Groups { shared, groups: groups.collect::<Result<_, _>>()? })))
}

/// The levels of the heads, and the order that is asked for or the ascending one.
fn levels(fields: &Fields<'_>, heads: &[Option<(u64, Wants<String>)>]) -> Result<Levels, Fault> {
    let given: BTreeSet<u64> = heads.iter().flatten().map(|(level, _)| *level).collect();
    let given: Vec<u64> = given.into_iter().collect();
    if fields.get("order").is_err() {
        let ranks = (0..given.len()).collect();
        return Ok(Levels { given, ranks });
    }
    let mut order = BTreeMap::new();
    for (rank, level) in fields.integers("order", 1..=u64::MAX)?.into_iter().enumerate() {
        if order.insert(level, rank).is_some() {
            let at = format!("{}/{rank}", fields.pointer("order"));
            let message = format!("level {level} is in the order twice");
            return Err(Fault::new(Kind::Inconsistent, &at, message));
        }
    }
    for (channel, head) in heads.iter().enumerate() {
        if let Some((level, _)) = head
            && !order.contains_key(level)
        {
            let at = format!("/channels/{channel}/level");
            let message = format!("level {level} is not in `order`");
            return Err(Fault::new(Kind::Inconsistent, &at, message));
        }
    }
    // Only those of heads count, so that ranks have no gaps.
    let mut present: Vec<(usize, usize)> =
        given.iter().enumerate().map(|(at, level)| (order[level], at)).collect();
    present.sort_unstable();
    let mut ranks = vec![0; given.len()];
    for (rank, (_, at)) in present.into_iter().enumerate() {
        ranks[at] = rank;
    }
    Ok(Levels { given, ranks })
}

/// Marked channels by level.
fn marked(value: &Value, at: &str, channels: usize) -> Result<Marked, Fault> {
    let fields = Fields::of(value, at)?;
    let mut marks = Marked::new();
    for (name, value) in fields.entries() {
        let at = fields.pointer(name);
        let level = level_of(name, &at)?;
        let channel = |(value, at): (&Value, String)| {
            let most = (channels as u64).checked_sub(1);
            let most = most.ok_or_else(|| {
                Fault::new(Kind::OutOfRange, &at, "there is no channel to be marked")
            })?;
            integer(value, &at, "marks", 0..=most).map(|channel| channel as usize)
        };
        let marked = list(value, &at)?.into_iter().map(channel).collect::<Result<_, _>>()?;
        if marks.insert(level, marked).is_some() {
            let message = format!("level {level} is given in two spellings");
            return Err(Fault::new(Kind::Inconsistent, &at, message));
        }
    }
    Ok(marks)
}

/// A level as the name of a key.
fn level_of(name: &str, at: &str) -> Result<u64, Fault> {
    let decimal = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let number = if decimal {
        serde_json::from_str(name.trim_start_matches('0')).unwrap_or(Value::Null)
    } else {
        Value::String(name.to_owned())
    };
    let level = integer(&number, at, "level", 1..=u64::MAX);
    level.map_err(|fault| match fault.kind {
        Kind::WrongType if decimal => Fault::new(Kind::OutOfRange, at, "a level is 1 or more"),
        _ => fault,
    })
}

/// The marks of the levels that there are heads of.
fn model_marks(levels: &Levels, marks: &Marked, channels: usize) -> Result<Marks, Fault> {
    let beyond = |message: String| Fault::new(Kind::OutOfRange, "/channels", message);
    let count = levels.given.len().max(1);
    if (count as u64).saturating_mul(channels as u64) > MOST_FIGURES * 8 {
        let message = format!("{channels} channels of {count} levels are too many for one line");
        return Err(beyond(message));
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
    set().map_err(|error: raddle_workgroup::Error| beyond(error.to_string()))
}
