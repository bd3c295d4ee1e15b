//! How do waves come to lie on SIMDs, and how does the pointer move (seed 000, E8)?
//!
//! The steps have the names of the seed, h1 to h5 and h10.

use raddle_workgroup::balance::Kind;
use serde_json::value::RawValue;

use super::{MOST_LINES, Step, Told, step};
use crate::golden::balance::{Placed, Question, answer_of, question, run};
use crate::golden::fault::Fault;
use crate::golden::read::Fields;
use crate::units::counted;

/// The worked example of the spec.
pub(super) const EXAMPLE: &str =
    r#"{"units":4,"limit":4,"pointer":"tail","start":0,"counts":[1,2,3,4,5,6,7,3]}"#;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    // An object of integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question)?).unwrap_or_default();
    let units = question.table.units();
    let kind = match question.kind {
        Kind::Tail => "tail: it names the SIMD that got the last surplus wave",
        Kind::Head => "head: it names the SIMD that is served first next",
    };
    let lines = vec![
        format!(
            "wx waves: SIMD t gets wx / {units}, rounded down, and one more where t < wx mod {units}"
        ),
        format!(
            "up to {} waves fit; the pointer begins at {}",
            question.table.most(),
            question.start
        ),
        format!("{kind}; only a dispatch moves it"),
    ];
    let title = format!("h10: the table of {}", counted(units.into(), "SIMD", "SIMDs"));
    let mut steps = vec![step(title, lines)];
    let (mut before, mut n) = (question.start, 0);
    run(&question, &mut |placed| {
        if n < MOST_LINES {
            steps.push(one(&question, n, before, &placed));
        }
        before = placed.pointer;
        n += 1;
    })?;
    if n > MOST_LINES {
        steps.push(step(format!("and {} more", n - MOST_LINES), Vec::new()));
    }
    Ok(Told { steps, answer })
}

fn one(question: &Question, n: usize, before: u32, placed: &Placed) -> Step {
    let (units, waves) = (question.table.units(), question.counts[n]);
    // A row that was asked for before.
    let row = question.table.row(waves).into_iter().flatten();
    let Placed { turn, target, pointer, totals } = placed;
    let by = match question.kind {
        Kind::Tail => format!("({before} + 1) mod {units} = {turn}"),
        Kind::Head => format!("{turn}, the pointer"),
    };
    let lines = vec![
        format!(
            "h2: {waves} = {} x {units} + {}: row {}",
            waves / u64::from(units),
            waves % u64::from(units),
            list(row)
        ),
        format!("h3: turned by su = {by}: target {}", list(target.iter().copied())),
        format!("h5: dispatched, so the pointer is ({before} + {waves}) mod {units} = {pointer}"),
        format!("so far: {}", list(totals.iter().copied())),
    ];
    step(format!("h1: {}", counted(waves, "wave", "waves")), lines)
}

/// Values on one line, as many as it takes.
fn list(mut values: impl Iterator<Item = u64>) -> String {
    let shown: Vec<String> = values.by_ref().take(32).map(|value| value.to_string()).collect();
    let more = if values.next().is_some() { " .." } else { "" };
    shown.join(" ") + more
}
