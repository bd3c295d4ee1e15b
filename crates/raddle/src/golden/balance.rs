//! How many waves does each SIMD get, and where does the pointer go (seed 000, E8)?
//!
//! `{"units":4,"limit":4,"pointer":"tail","start":0,"counts":[1,2,3]}` is answered with one target
//! and one pointer a count, and the totals in the end. SIMDs count from 0.

use raddle_workgroup::balance::{Kind as Named, Pointer, Table};
use serde::Serialize;

use super::fault::{Fault, Kind};
use super::read::Fields;
use super::{MOST_FIGURES, json};

/// One question, read.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) table: Table,
    pub(crate) kind: Named,
    pub(crate) start: u32,
    pub(crate) counts: Vec<u64>,
}

/// What happens to one workgroup.
#[derive(Debug)]
pub(crate) struct Placed {
    /// By how much the row was turned.
    pub(crate) turn: u32,
    /// Waves by SIMD.
    pub(crate) target: Vec<u64>,
    /// Where the pointer stands then.
    pub(crate) pointer: u32,
    /// All waves so far, by SIMD.
    pub(crate) totals: Vec<u64>,
}

#[derive(Serialize)]
struct Answer {
    targets: Vec<Vec<u64>>,
    pointers: Vec<u32>,
    totals: Vec<u64>,
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    answer_of(&question(fields)?)
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question) -> Result<String, Fault> {
    let (mut targets, mut pointers) = (Vec::new(), Vec::new());
    let mut totals = vec![0; question.table.units() as usize];
    run(question, &mut |placed| {
        targets.push(placed.target);
        pointers.push(placed.pointer);
        totals.clone_from(&placed.totals);
    })?;
    Ok(json(&Answer { targets, pointers, totals }))
}

/// Places one workgroup after the other.
pub(crate) fn run(question: &Question, each: &mut dyn FnMut(Placed)) -> Result<(), Fault> {
    let refused = |error: raddle_workgroup::Error, at: &str| {
        Fault::new(Kind::OutOfRange, at, error.to_string())
    };
    let pointer = Pointer::new(question.table, question.kind, question.start);
    let mut pointer = pointer.map_err(|error| refused(error, "/start"))?;
    let mut totals = vec![0_u64; question.table.units() as usize];
    for (n, &waves) in question.counts.iter().enumerate() {
        let at = format!("/counts/{n}");
        let turn = pointer.turn();
        let target = pointer.target(waves).map_err(|error| refused(error, &at))?;
        let entries: Vec<u64> = target.entries().collect();
        for (total, entry) in totals.iter_mut().zip(&entries) {
            *total = total.checked_add(*entry).ok_or_else(|| {
                let message = "from here on the waves of a SIMD are beyond 64 bits";
                Fault::new(Kind::Overflow, &at, message)
            })?;
        }
        pointer.dispatch(target).map_err(|error| refused(error, &at))?;
        each(Placed { turn, target: entries, pointer: pointer.at(), totals: totals.clone() });
    }
    Ok(())
}

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["units", "limit", "pointer", "start", "counts"])?;
    let units = fields.integer("units", 1..=u64::from(u32::MAX))?;
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    let limit = fields.integer("limit", 1..=u64::MAX)?;
    let kind = fields.word("pointer", &[("tail", Named::Tail), ("head", Named::Head)])?;
    let start = match fields.get("start") {
        Ok(_) => fields.integer("start", 0..=u64::from(units - 1))?,
        Err(_) => 0,
    };
    let at = fields.pointer("units");
    let table = Table::new(units, limit);
    let table = table.map_err(|error| Fault::new(Kind::OutOfRange, &at, error.to_string()))?;
    let counts = fields.integers("counts", 1..=table.most())?;
    let figures = u64::from(units).saturating_mul(counts.len().max(1) as u64);
    if figures > MOST_FIGURES {
        let message = format!("these targets have {figures} entries: ask for up to {MOST_FIGURES}");
        return Err(Fault::new(Kind::OutOfRange, &at, message));
    }
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    Ok(Question { table, kind, start, counts })
}
