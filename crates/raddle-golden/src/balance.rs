//! How many waves of a workgroup does each SIMD get, and to which SIMD does the pointer move (seed
//! 000, E8)?
//!
//! `{"units":4,"limit":4,"pointer":"tail","start":0,"counts":[1,2,3]}` gives the waves of three
//! workgroups; the answer has for each the waves on every SIMD and the pointer after it, and the
//! totals. SIMDs count from 0. The steps have the names of the seed, h1 to h5 and h10.

use raddle_read::FaultKind;
use raddle_workgroup::balance::{Kind, Pointer, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::{MOST_LINES, Story, counted, listed};
use crate::fault::{Fault, check, check_all, fault, positive, read_at, within};
use crate::{MOST_FIGURES, Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "balance",
    example: r#"{"units":4,"limit":4,"pointer":"tail","start":0,"counts":[1,2,3,4,5,6,7,3]}"#,
    solve,
};

#[derive(Deserialize)]
struct BalanceQuestion {
    #[serde(deserialize_with = "within::<_, _, 1, 0xffff_ffff>")]
    units: u32,
    #[serde(deserialize_with = "positive")]
    limit: u64,
    pointer: Kind,
    #[serde(default)]
    start: u64,
    counts: Vec<u64>,
}

#[derive(Default, Serialize)]
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

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let (question, table) = question(value)?;
    tell_table(&question, table, story);
    let BalanceQuestion { units, pointer: kind, start, counts, .. } = question;
    // The range check has made sure that `start` fits the type.
    let pointer = Pointer::new(table, kind, u32::try_from(start).unwrap_or(u32::MAX));
    let mut pointer = pointer.map_err(fault(FaultKind::OutOfRange, "/start"))?;
    let mut answer = BalanceAnswer { totals: vec![0; units as usize], ..BalanceAnswer::default() };
    for (n, &waves) in counts.iter().enumerate() {
        let at = format!("/counts/{n}");
        let before = pointer.clone();
        let target = pointer.target(waves).map_err(fault(FaultKind::OutOfRange, &at))?;
        let entries: Vec<u64> = target.entries().collect();
        for (total, entry) in answer.totals.iter_mut().zip(&entries) {
            *total = total.checked_add(*entry).ok_or_else(|| {
                let message = "from here on the waves of a SIMD are beyond 64 bits";
                Fault::new(FaultKind::Overflow, &at, message)
            })?;
        }
        pointer.dispatch(target).map_err(fault(FaultKind::OutOfRange, &at))?;
        answer.targets.push(entries);
        answer.pointers.push(pointer.at());
        if story.shows() && n < MOST_LINES {
            tell_one(table, (kind, &before), waves, &answer, story);
        }
    }
    if counts.len() > MOST_LINES {
        story.step(format!("and {} more", counts.len() - MOST_LINES));
    }
    Ok(json(&answer))
}

fn tell_table(question: &BalanceQuestion, table: Table, story: &mut Story) {
    let units = question.units;
    story.step(format!("h10: the table of {}", counted(units, "SIMD", "SIMDs")));
    story.note(format!(
        "wx waves: SIMD t gets wx / {units}, rounded down, and one more where t < wx mod {units}"
    ));
    let (most, start) = (table.most(), question.start);
    story.note(format!("up to {most} waves fit; the pointer begins at {start}"));
    let names = match question.pointer {
        Kind::Tail => "tail: it names the SIMD that got the last surplus wave",
        Kind::Head => "head: it names the SIMD that is served first next",
    };
    story.note(format!("{names}; only a dispatch moves it"));
}

/// Explains how the surplus waves of one workgroup were balanced over the SIMDs. The workgroup has
/// `waves` waves, and is the last one in `answer`. `before` is the pointer to a SIMD before this
/// workgroup; `kind` tells if that SIMD got the last surplus wave or gets the next one.
fn tell_one(
    table: Table,
    (kind, before): (Kind, &Pointer),
    waves: u64,
    answer: &BalanceAnswer,
    story: &mut Story,
) {
    let (units, at, turn) = (u64::from(table.units()), before.at(), before.turn());
    let row = listed(table.row(waves).into_iter().flatten(), " ");
    let by = match kind {
        Kind::Tail => format!("({at} + 1) mod {units} = {turn}"),
        Kind::Head => format!("{turn}, the pointer"),
    };
    let target = listed(answer.targets.last().into_iter().flatten(), " ");
    let after = listed(answer.pointers.last(), " ");
    story.step(format!("h1: {}", counted(waves, "wave", "waves")));
    story.note(format!("h2: {waves} = {} x {units} + {}: row {row}", waves / units, waves % units));
    story.note(format!("h3: turned by su = {by}: target {target}"));
    story.note(format!("h5: dispatched, so the pointer is ({at} + {waves}) mod {units} = {after}"));
    story.note(format!("so far: {}", listed(&answer.totals, " ")));
}
