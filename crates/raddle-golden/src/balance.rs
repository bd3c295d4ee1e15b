//! How many waves does each SIMD get, and where does the pointer go (seed 000, E8)?
//!
//! `{"units":4,"limit":4,"pointer":"tail","start":0,"counts":[1,2,3]}` is answered with one target
//! and one pointer a count, and the totals in the end. SIMDs count from 0. The steps have the names
//! of the seed, h1 to h5 and h10.

use raddle_dispatch::read::FaultKind;
use raddle_workgroup::balance::{Kind, Pointer, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::{ExplainedStep, MOST_LINES, counted, listed, step};
use crate::fault::{Fault, check, check_all, fault, positive, read_at, within};
use crate::{Explained, MOST_FIGURES, Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "balance",
    example: r#"{"units":4,"limit":4,"pointer":"tail","start":0,"counts":[1,2,3,4,5,6,7,3]}"#,
    answer: |value| answer_of(&question(value)?),
    explain,
};

/// Which SIMD a pointer names.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PointerKind {
    Tail,
    Head,
}

impl From<PointerKind> for Kind {
    fn from(kind: PointerKind) -> Self {
        match kind {
            PointerKind::Tail => Self::Tail,
            PointerKind::Head => Self::Head,
        }
    }
}

#[derive(Deserialize)]
struct BalanceQuestion {
    #[serde(deserialize_with = "within::<_, _, 1, 0xffff_ffff>")]
    units: u32,
    #[serde(deserialize_with = "positive")]
    limit: u64,
    pointer: PointerKind,
    #[serde(default)]
    start: u64,
    counts: Vec<u64>,
}

/// What happens to one workgroup.
#[derive(Debug)]
struct PlacedWaves {
    waves: u64,
    /// By how much the row was turned.
    turn: u32,
    /// Waves by SIMD.
    target: Vec<u64>,
    /// The pointer after it.
    pointer: u32,
    /// All waves so far, by SIMD.
    totals: Vec<u64>,
}

#[derive(Serialize)]
struct BalanceAnswer {
    targets: Vec<Vec<u64>>,
    pointers: Vec<u32>,
    totals: Vec<u64>,
}

fn question(value: &Value) -> Result<(BalanceQuestion, Table), Fault> {
    let question: BalanceQuestion = read_at(value, "")?;
    let BalanceQuestion { units, limit, start, ref counts, .. } = question;
    check(start, &(0..=u64::from(units - 1)), "/start")?;
    let table = Table::new(units, limit).map_err(fault(FaultKind::OutOfRange, "/units"))?;
    check_all(counts, &(1..=table.most()), "/counts")?;
    let figures = u64::from(units).saturating_mul(counts.len().max(1) as u64);
    if figures > MOST_FIGURES {
        let message = format!("these targets have {figures} entries: ask for up to {MOST_FIGURES}");
        return Err(Fault::new(FaultKind::OutOfRange, "/units", message));
    }
    Ok((question, table))
}

fn answer_of((question, table): &(BalanceQuestion, Table)) -> Result<String, Fault> {
    let (mut targets, mut pointers) = (Vec::new(), Vec::new());
    let mut totals = vec![0; table.units() as usize];
    run(question, *table, &mut |placed| {
        targets.push(placed.target);
        pointers.push(placed.pointer);
        totals = placed.totals;
    })?;
    Ok(json(&BalanceAnswer { targets, pointers, totals }))
}

/// Places one workgroup after the other.
fn run(
    question: &BalanceQuestion,
    table: Table,
    each: &mut dyn FnMut(PlacedWaves),
) -> Result<(), Fault> {
    // Within the range, so within the type.
    let start = u32::try_from(question.start).unwrap_or(u32::MAX);
    let pointer = Pointer::new(table, question.pointer.into(), start);
    let mut pointer = pointer.map_err(fault(FaultKind::OutOfRange, "/start"))?;
    let mut totals = vec![0_u64; table.units() as usize];
    for (n, &waves) in question.counts.iter().enumerate() {
        let at = format!("/counts/{n}");
        let turn = pointer.turn();
        let target = pointer.target(waves).map_err(fault(FaultKind::OutOfRange, &at))?;
        let entries: Vec<u64> = target.entries().collect();
        for (total, entry) in totals.iter_mut().zip(&entries) {
            *total = total.checked_add(*entry).ok_or_else(|| {
                let message = "from here on the waves of a SIMD are beyond 64 bits";
                Fault::new(FaultKind::Overflow, &at, message)
            })?;
        }
        pointer.dispatch(target).map_err(fault(FaultKind::OutOfRange, &at))?;
        let (pointer, totals) = (pointer.at(), totals.clone());
        each(PlacedWaves { waves, turn, target: entries, pointer, totals });
    }
    Ok(())
}

fn explain(value: &Value) -> Result<Explained, Fault> {
    let asked = question(value)?;
    let (question, table) = &asked;
    let units = question.units;
    let kind = match question.pointer {
        PointerKind::Tail => "tail: it names the SIMD that got the last surplus wave",
        PointerKind::Head => "head: it names the SIMD that is served first next",
    };
    let lines = vec![
        format!(
            "wx waves: SIMD t gets wx / {units}, rounded down, and one more where t < wx mod {units}"
        ),
        format!("up to {} waves fit; the pointer begins at {}", table.most(), question.start),
        format!("{kind}; only a dispatch moves it"),
    ];
    let simds = counted(units, "SIMD", "SIMDs");
    let mut steps = vec![step(format!("h10: the table of {simds}"), lines)];
    let (mut before, mut n) = (question.start, 0);
    run(question, *table, &mut |placed| {
        if n < MOST_LINES {
            steps.push(explain_one(question, *table, before, &placed));
        }
        before = placed.pointer.into();
        n += 1;
    })?;
    if n > MOST_LINES {
        steps.push(step(format!("and {} more", n - MOST_LINES), Vec::new()));
    }
    Ok((steps, answer_of(&asked)?))
}

fn explain_one(
    question: &BalanceQuestion,
    table: Table,
    before: u64,
    placed: &PlacedWaves,
) -> ExplainedStep {
    let (units, waves) = (u64::from(question.units), placed.waves);
    let PlacedWaves { turn, target, pointer, totals, .. } = placed;
    let by = match question.pointer {
        PointerKind::Tail => format!("({before} + 1) mod {units} = {turn}"),
        PointerKind::Head => format!("{turn}, the pointer"),
    };
    // The row was used for the target before.
    let row = listed(table.row(waves).into_iter().flatten(), " ");
    let lines = vec![
        format!("h2: {waves} = {} x {units} + {}: row {row}", waves / units, waves % units),
        format!("h3: turned by su = {by}: target {}", listed(target, " ")),
        format!("h5: dispatched, so the pointer is ({before} + {waves}) mod {units} = {pointer}"),
        format!("so far: {}", listed(totals, " ")),
    ];
    step(format!("h1: {}", counted(waves, "wave", "waves")), lines)
}
