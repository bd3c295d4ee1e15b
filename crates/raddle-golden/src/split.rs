//! When is a workgroup that never fits cut into its waves, and into what (seed 000, E3)?
//!
//! Two kinds of question: `{"threshold":3,"rounds":["fail","fit"]}` asks for the counter and the
//! action, round by round; `{"workgroup":{..},"lowest":4}` for the pieces of a workgroup. Levels
//! count from 1, the best one. The steps have the names of the seed, c0 to c4.

use std::collections::BTreeMap;

use raddle_dispatch::read::{FaultKind, shown};
use raddle_workgroup::split::{Failures, Outcome, Step, Workgroup, split};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::{ExplainedStep, counted, few, listed, step};
use crate::fault::{Fault, check, fault, has, positive, read_at};
use crate::{Explained, MOST_FIGURES, Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "split",
    example: r#"{"threshold":3,"rounds":["fail","fail","fit","fail","fail","fail","fail","fail"]}"#,
    answer: |value| answer_of(&question(value)?),
    explain,
};

enum SplitQuestion {
    Rounds(CountedRounds),
    Cut(CutQuestion),
}

#[derive(Deserialize)]
struct CountedRounds {
    threshold: u64,
    rounds: Vec<JudgedRound>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum JudgedRound {
    Fail,
    Fit,
}

/// A workgroup, and the level of its pieces.
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
    action: Vec<&'static str>,
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

fn question(value: &Value) -> Result<SplitQuestion, Fault> {
    if !has(value, "workgroup") && !has(value, "lowest") {
        return read_at(value, "").map(SplitQuestion::Rounds);
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
    Ok(SplitQuestion::Cut(cut))
}

fn answer_of(question: &SplitQuestion) -> Result<String, Fault> {
    match question {
        SplitQuestion::Rounds(rounds) => {
            let (g, action) = judged(rounds).unzip();
            Ok(json(&RoundsAnswer { g, action }))
        }
        SplitQuestion::Cut(CutQuestion { workgroup, lowest }) => {
            let CutWorkgroup { level, independent, waves, shared } = workgroup;
            let index = |level: u64| usize::try_from(level - 1).unwrap_or(usize::MAX);
            let whole =
                Workgroup { level: index(*level), independent: *independent, waves, shared };
            let pieces = split(whole, index(*lowest))
                .map_err(fault(FaultKind::OutOfRange, "/workgroup/waves"))?;
            let pieces = pieces.map(|pieces| {
                pieces
                    .map(|piece| CutPiece {
                        level: *lowest,
                        waves: [piece.wave.as_str()],
                        shared: piece.shared,
                    })
                    .collect()
            });
            Ok(json(&PiecesAnswer { pieces }))
        }
    }
}

/// The counter as it was judged, and the action, by round.
fn judged(question: &CountedRounds) -> impl Iterator<Item = (u64, &'static str)> {
    let mut failures = Failures::new(question.threshold);
    question.rounds.iter().map(move |round| {
        let (g, step) = failures.round(match round {
            JudgedRound::Fail => Outcome::Fail,
            JudgedRound::Fit => Outcome::Fit,
        });
        let action = match step {
            Step::Retry => "retry",
            Step::Split => "split",
            Step::Dispatch => "dispatch",
        };
        (g, action)
    })
}

fn explain(value: &Value) -> Result<Explained, Fault> {
    let question = question(value)?;
    let steps = match &question {
        SplitQuestion::Rounds(rounds) => explain_rounds(rounds),
        SplitQuestion::Cut(cut) => explain_cut(cut),
    };
    Ok((steps, answer_of(&question)?))
}

fn explain_rounds(question: &CountedRounds) -> Vec<ExplainedStep> {
    let threshold = question.threshold;
    let mut before = 0;
    let line = |(round, (g, action)): (usize, (u64, &str))| {
        let sum = format!("{round}. every head fails: g = {before} + 1 = {g}");
        before = if action == "split" { 0 } else { g };
        match action {
            "split" => format!("{sum} exceeds {threshold}, so c3: split; g = 0 again"),
            "retry" => format!("{sum} does not exceed {threshold}, so c1: retry"),
            _ => format!("{round}. a head fits: g = 0, c4: dispatch"),
        }
    };
    let rounds = counted(question.rounds.len() as u64, "round", "rounds");
    vec![
        step(
            "c0: the counter",
            vec![format!("g = 0; more than {threshold} failures in a row cause a split")],
        ),
        step(format!("c1, c2: {rounds}"), few((1..).zip(judged(question)).map(line).collect())),
    ]
}

fn explain_cut(CutQuestion { workgroup, lowest }: &CutQuestion) -> Vec<ExplainedStep> {
    let CutWorkgroup { level, independent, waves, shared } = workgroup;
    let count = counted(waves.len() as u64, "wave", "waves");
    let flag = if *independent { "independent" } else { "related" };
    let mut steps = vec![step("c3: the flag", vec![format!("{count} of level {level}, {flag}")])];
    if !independent || waves.len() < 2 {
        let why =
            if *independent { "one wave cannot be cut" } else { "related waves stay together" };
        steps.push(step("c3: no pieces", vec![format!("{why}; g is reset to 0")]));
        return steps;
    }
    let line = |wave: &String| format!("{} at level {lowest}", shown(wave));
    let mut lines = few(waves.iter().map(line).collect());
    if !shared.is_empty() {
        let amounts = shared.iter().map(|(name, amount)| format!("{} {amount}", shown(name)));
        let amounts = listed(amounts, ", ");
        lines.push(format!("each needs everything that the waves shared: {amounts}"));
    }
    lines.push("they precede the next workgroup of their channel, in this order".to_owned());
    steps.push(step("c3: one piece for each wave, at the lowest level", lines));
    steps
}
