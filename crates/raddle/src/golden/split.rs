//! When is a workgroup that never fits cut into its waves, and into what (seed 000, E3)?
//!
//! Two kinds of question: `{"threshold":3,"rounds":["fail","fit"]}` asks for the counter and what
//! follows, round by round; `{"workgroup":{..},"lowest":4}` for the pieces of a workgroup. Levels
//! count from 1, the best one.

use raddle_workgroup::split::{Failures, Outcome, Step, Workgroup, split};
use serde::Serialize;
use serde_json::{Map, Value};

use super::fault::{Fault, Kind};
use super::read::{Fields, integer, list, word, wrong_type};
use super::{MOST_FIGURES, json};

/// One question, read.
#[derive(Debug)]
pub(crate) enum Question {
    /// What follows from each round.
    Rounds { threshold: u64, rounds: Vec<Outcome> },
    /// What a workgroup is cut into.
    Cut(Cut),
}

/// A workgroup, and the level of its pieces.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) level: u64,
    pub(crate) independent: bool,
    pub(crate) waves: Vec<String>,
    pub(crate) shared: Map<String, Value>,
    pub(crate) lowest: u64,
}

#[derive(Serialize)]
struct Rounds {
    g: Vec<u64>,
    action: Vec<&'static str>,
}

#[derive(Serialize)]
struct Pieces<'q> {
    pieces: Option<Vec<Piece<'q>>>,
}

#[derive(Serialize)]
struct Piece<'q> {
    level: u64,
    waves: [&'q str; 1],
    shared: &'q Map<String, Value>,
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    answer_of(&question(fields)?)
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question) -> Result<String, Fault> {
    match question {
        Question::Rounds { threshold, rounds } => {
            let (g, action) = judged(*threshold, rounds).unzip();
            Ok(json(&Rounds { g, action }))
        }
        Question::Cut(cut) => {
            let level = |level: u64| usize::try_from(level - 1).unwrap_or(usize::MAX);
            let workgroup = Workgroup {
                level: level(cut.level),
                independent: cut.independent,
                waves: &cut.waves,
                shared: &cut.shared,
            };
            let parts = split(workgroup, level(cut.lowest)).map_err(|error| {
                Fault::new(Kind::OutOfRange, "/workgroup/waves", error.to_string())
            })?;
            let pieces = parts.map(|parts| {
                let piece = parts.map(|part| Piece {
                    level: cut.lowest,
                    waves: [part.wave.as_str()],
                    shared: part.shared,
                });
                piece.collect()
            });
            Ok(json(&Pieces { pieces }))
        }
    }
}

/// The counter as it was judged, and what follows, by round.
pub(crate) fn judged(
    threshold: u64,
    rounds: &[Outcome],
) -> impl Iterator<Item = (u64, &'static str)> {
    let mut failures = Failures::new(threshold);
    rounds.iter().map(move |&outcome| {
        let (g, step) = failures.round(outcome);
        let action = match step {
            Step::Retry => "retry",
            Step::Split => "split",
            Step::Dispatch => "dispatch",
        };
        (g, action)
    })
}

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    if fields.get("workgroup").is_ok() || fields.get("lowest").is_ok() {
        fields.only(&["workgroup", "lowest"])?;
        return cut(fields).map(Question::Cut);
    }
    fields.only(&["threshold", "rounds"])?;
    let threshold = fields.integer("threshold", 0..=u64::MAX)?;
    let (value, at) = fields.get("rounds")?;
    let words = [("fail", Outcome::Fail), ("fit", Outcome::Fit)];
    let round = |(value, at): (&Value, String)| word(value, &at, "rounds", &words);
    let rounds = list(value, &at)?.into_iter().map(round).collect::<Result<_, _>>()?;
    Ok(Question::Rounds { threshold, rounds })
}

fn cut(fields: &Fields<'_>) -> Result<Cut, Fault> {
    let workgroup = fields.object("workgroup")?;
    let lowest = fields.integer("lowest", 1..=u64::MAX)?;
    workgroup.only(&["level", "independent", "waves", "shared"])?;
    let level = workgroup.integer("level", 1..=lowest)?;
    let (value, at) = workgroup.get("independent")?;
    let Value::Bool(independent) = *value else {
        return Err(wrong_type(&at, "true or false", value));
    };
    let (value, at) = workgroup.get("waves")?;
    let waves = list(value, &at)?.into_iter().map(|(value, at)| match value {
        Value::String(name) => Ok(name.clone()),
        other => Err(wrong_type(&at, "the name of a wave", other)),
    });
    let waves = waves.collect::<Result<Vec<String>, Fault>>()?;
    let shared = shared(&workgroup)?;
    let figures = (waves.len() as u64).saturating_mul(shared.len() as u64 + 2);
    if waves.is_empty() || figures > MOST_FIGURES {
        let message = format!(
            "`waves` must name 1 wave, and not so many that their pieces hold more than {MOST_FIGURES} figures"
        );
        return Err(Fault::new(Kind::OutOfRange, &at, message));
    }
    Ok(Cut { level, independent, waves, shared, lowest })
}

/// What the waves share: amounts by name.
fn shared(workgroup: &Fields<'_>) -> Result<Map<String, Value>, Fault> {
    let (value, at) = workgroup.get("shared")?;
    let Value::Object(amounts) = value else {
        return Err(wrong_type(&at, "an object", value));
    };
    let object = workgroup.object("shared")?;
    let amount = |(name, value): (&String, &Value)| {
        let amount = integer(value, &object.pointer(name), name, 0..=u64::MAX)?;
        Ok((name.clone(), amount.into()))
    };
    amounts.iter().map(amount).collect()
}
