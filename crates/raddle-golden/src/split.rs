//! When is a workgroup that never fits cut into its waves, and which pieces does that make (seed
//! 000, E3)?
//!
//! Two kinds of question: `{"threshold":3,"rounds":["fail","fit"]}` lists decisions (rounds) and
//! asks, after each, for the count of failures in a row and the step that follows;
//! `{"workgroup":{..},"lowest":4}` asks for the pieces of a workgroup. Levels count from 1, the
//! best one. The steps have the names of the seed, c0 to c4.

use std::collections::BTreeMap;

use raddle_read::{FaultKind, shown};
use raddle_workgroup::split::{Failures, Outcome, Step, Workgroup, split};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::{Story, counted, listed};
use crate::fault::{Fault, check, fault, has, positive, read_at};
use crate::{MOST_FIGURES, Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "split",
    example: r#"{"threshold":3,"rounds":["fail","fail","fit","fail","fail","fail","fail","fail"]}"#,
    solve,
};

#[derive(Deserialize)]
struct CountedRounds {
    threshold: u64,
    rounds: Vec<Outcome>,
}

/// A question about cutting a workgroup into its waves: the workgroup, and the level of urgency
/// that the waves are to have.
#[derive(Deserialize)]
struct CutQuestion {
    workgroup: CutWorkgroup,
    #[serde(deserialize_with = "positive")]
    lowest: u64,
}

#[derive(Deserialize)]
struct CutWorkgroup {
    level: u64,
    independent: bool,
    waves: Vec<String>,
    shared: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct RoundsAnswer {
    g: Vec<u64>,
    action: Vec<Step>,
}

#[derive(Serialize)]
struct PiecesAnswer<'q> {
    pieces: Option<Vec<CutPiece<'q>>>,
}

#[derive(Serialize)]
struct CutPiece<'q> {
    level: u64,
    waves: [&'q str; 1],
    shared: &'q BTreeMap<String, u64>,
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    if !has(value, "workgroup") && !has(value, "lowest") {
        return Ok(rounds(&read_at(value, "")?, story));
    }
    let cut: CutQuestion = read_at(value, "")?;
    let CutWorkgroup { level, waves, shared, .. } = &cut.workgroup;
    check(*level, &(1..=cut.lowest), "/workgroup/level")?;
    let figures = (waves.len() as u64).saturating_mul(shared.len() as u64 + 2);
    if waves.is_empty() || figures > MOST_FIGURES {
        let message = format!(
            "`waves` must name at least 1 wave, and the pieces hold at most {MOST_FIGURES} figures"
        );
        return Err(Fault::new(FaultKind::OutOfRange, "/workgroup/waves", message));
    }
    pieces(&cut, story)
}

/// Returns the answer to a question about decisions (rounds): after each of them, the number of
/// decisions in a row in which nothing fitted, and the step that follows.
fn rounds(question: &CountedRounds, story: &mut Story) -> String {
    let threshold = question.threshold;
    story.step("c0: the counter");
    story.note(format!("g = 0; more than {threshold} failures in a row cause a split"));
    let rounds = counted(question.rounds.len() as u64, "round", "rounds");
    story.step(format!("c1, c2: {rounds}"));
    let (mut failures, mut before) = (Failures::new(threshold), 0);
    let mut answer = RoundsAnswer { g: Vec::new(), action: Vec::new() };
    for (number, round) in (1..).zip(&question.rounds) {
        let (g, step) = failures.round(*round);
        if story.shows() {
            let sum = format!("{number}. every head fails: g = {before} + 1 = {g}");
            story.line(match step {
                Step::Retry => format!("{sum} does not exceed {threshold}, so c1: retry"),
                Step::Split => format!("{sum} exceeds {threshold}, so c3: split; g = 0 again"),
                Step::Dispatch => format!("{number}. a head fits: g = 0, c4: dispatch"),
            });
        }
        before = if step == Step::Split { 0 } else { g };
        answer.g.push(g);
        answer.action.push(step);
    }
    json(&answer)
}

fn pieces(
    CutQuestion { workgroup, lowest }: &CutQuestion,
    story: &mut Story,
) -> Result<String, Fault> {
    let CutWorkgroup { level, independent, waves, shared } = workgroup;
    let index = |level: u64| usize::try_from(level - 1).unwrap_or(usize::MAX);
    let whole = Workgroup { level: index(*level), independent: *independent, waves, shared };
    let parts =
        split(whole, index(*lowest)).map_err(fault(FaultKind::OutOfRange, "/workgroup/waves"))?;
    let count = counted(waves.len() as u64, "wave", "waves");
    story.step("c3: the flag");
    let flag = if *independent { "independent" } else { "related" };
    story.note(format!("{count} of level {level}, {flag}"));
    if parts.is_some() {
        story.step("c3: one piece for each wave, at the lowest level");
        for wave in waves {
            story.line(format!("{} at level {lowest}", shown(wave)));
        }
        if !shared.is_empty() {
            let amounts = shared.iter().map(|(name, amount)| format!("{} {amount}", shown(name)));
            let amounts = listed(amounts, ", ");
            story.note(format!("each needs everything that the waves shared: {amounts}"));
        }
        story.note("they precede the next workgroup of their channel, in this order");
    } else {
        story.step("c3: no pieces");
        let why =
            if *independent { "one wave cannot be cut" } else { "related waves stay together" };
        story.note(format!("{why}; g is reset to 0"));
    }
    Ok(json(&PiecesAnswer {
        pieces: parts.map(|parts| {
            parts
                .map(|part| CutPiece {
                    level: *lowest,
                    waves: [part.wave.as_str()],
                    shared: part.shared,
                })
                .collect()
        }),
    }))
}
