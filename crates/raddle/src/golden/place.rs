//! Which candidate takes the workgroup (seed 000, E9, E10, and both)?
//!
//! `{"rule":"most-free","weights":[..],"candidates":[[..],..]}` asks for E9,
//! `{"rule":"least-power","weights":[..],"counts":[[..],..]}` for E10, `{"rule":"mix",..}` for both
//! in given shares, and `{"rule":"window",..}` for the scores of a sliding window after each cycle.
//! A pick is an index into the list given, from 0.

use raddle_workgroup::Error;
use raddle_workgroup::place::{History, LeastPower, Mix, MostFree, Weights};
use serde::Serialize;

use super::fault::{Fault, Kind};
use super::json;
use super::read::Fields;

/// One question, read.
#[derive(Debug)]
pub(crate) enum Question {
    MostFree(Scored),
    LeastPower(Scored),
    Mix { free: Scored, power: Scored, share: [u64; 2] },
    Window { nx: u64, weights: Weights, issued: Vec<Vec<u64>>, scores: Vec<u64> },
}

/// Rows with their scores.
#[derive(Debug)]
pub(crate) struct Scored {
    pub(crate) weights: Weights,
    pub(crate) rows: Vec<Vec<u64>>,
    pub(crate) scores: Vec<u64>,
}

#[derive(Serialize)]
struct Picked<'q> {
    scores: &'q [u64],
    pick: Option<usize>,
}

#[derive(Serialize)]
struct Mixed<'q> {
    free: &'q [u64],
    power: &'q [u64],
    pick: Option<usize>,
}

#[derive(Serialize)]
struct Scores<'q> {
    scores: &'q [u64],
}

#[derive(Clone, Copy)]
enum Rule {
    MostFree,
    LeastPower,
    Mix,
    Window,
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    answer_of(&question(fields)?)
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question) -> Result<String, Fault> {
    let pick = pick(question)?;
    Ok(match question {
        Question::MostFree(scored) | Question::LeastPower(scored) => {
            json(&Picked { scores: &scored.scores, pick })
        }
        Question::Mix { free, power, .. } => {
            json(&Mixed { free: &free.scores, power: &power.scores, pick })
        }
        Question::Window { scores, .. } => json(&Scores { scores }),
    })
}

/// The candidate that is taken; of none, and of a window, none.
pub(crate) fn pick(question: &Question) -> Result<Option<usize>, Fault> {
    let pick = match question {
        Question::MostFree(scored) => MostFree::new(scored.weights.clone()).pick(&scored.rows),
        Question::LeastPower(scored) => LeastPower::new(scored.weights.clone()).pick(&scored.rows),
        Question::Mix { free, power, share: [a, b] } => {
            Mix::new(*a, *b).and_then(|mix| mix.pick(&free.scores, &power.scores))
        }
        Question::Window { .. } => Ok(None),
    };
    pick.map_err(|error| Fault::new(Kind::Inconsistent, "", error.to_string()))
}

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    let rules = [
        ("most-free", Rule::MostFree),
        ("least-power", Rule::LeastPower),
        ("mix", Rule::Mix),
        ("window", Rule::Window),
    ];
    match fields.word("rule", &rules)? {
        Rule::MostFree => {
            fields.only(&["rule", "weights", "candidates"])?;
            scored(fields, "candidates").map(Question::MostFree)
        }
        Rule::LeastPower => {
            fields.only(&["rule", "weights", "counts"])?;
            scored(fields, "counts").map(Question::LeastPower)
        }
        Rule::Mix => mix(fields),
        Rule::Window => window(fields),
    }
}

fn weights(fields: &Fields<'_>) -> Result<Weights, Fault> {
    let weights = Weights::new(&fields.integers("weights", 0..=u64::MAX)?);
    weights.map_err(|error| {
        Fault::new(Kind::OutOfRange, &fields.pointer("weights"), error.to_string())
    })
}

/// Weights, and rows under this key.
fn scored(fields: &Fields<'_>, key: &str) -> Result<Scored, Fault> {
    let weights = weights(fields)?;
    let rows = fields.rows(key)?;
    let score = |(n, row): (usize, &Vec<u64>)| {
        let at = format!("{}/{n}", fields.pointer(key));
        weights.score(row).map_err(|error| located(&error, &at))
    };
    let scores = rows.iter().enumerate().map(score).collect::<Result<_, _>>()?;
    Ok(Scored { weights, rows, scores })
}

/// A row that cannot be scored.
fn located(error: &Error, at: &str) -> Fault {
    let kind = match error {
        Error::Score { .. } | Error::Issues { .. } => Kind::Overflow,
        _ => Kind::Inconsistent,
    };
    let message = match error {
        Error::RowLength { amounts, weights, .. } => {
            format!("{amounts} amounts for {weights} weights: give one each")
        }
        Error::Score { .. } => "this score is beyond 64 bits".to_owned(),
        other => other.to_string(),
    };
    Fault::new(kind, at, message)
}

fn mix(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["rule", "free", "power", "share"])?;
    let (free, power) = (fields.object("free")?, fields.object("power")?);
    free.only(&["weights", "candidates"])?;
    power.only(&["weights", "counts"])?;
    let (candidates, counts) = (scored(&free, "candidates")?, scored(&power, "counts")?);
    let (have, wanted) = (counts.rows.len(), candidates.rows.len());
    if have != wanted {
        let message = format!("{have} rows for {wanted} candidates: give one each");
        return Err(Fault::new(Kind::Inconsistent, &power.pointer("counts"), message));
    }
    let at = fields.pointer("share");
    let share = <[u64; 2]>::try_from(fields.integers("share", 0..=u64::MAX)?);
    let Ok(share @ [a, b]) = share else {
        return Err(Fault::new(Kind::OutOfRange, &at, "`share` must be two numbers, [a,b]"));
    };
    Mix::new(a, b).map_err(|error| Fault::new(Kind::OutOfRange, &at, error.to_string()))?;
    Ok(Question::Mix { free: candidates, power: counts, share })
}

fn window(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["rule", "nx", "weights", "issued"])?;
    let nx = fields.integer("nx", 1..=u64::MAX)?;
    let weights = weights(fields)?;
    let issued = fields.rows("issued")?;
    let history = History::new(nx, weights.as_slice().len());
    let mut history = history.map_err(|error| located(&error, &fields.pointer("nx")))?;
    let mut scores = Vec::with_capacity(issued.len());
    for (cycle, row) in (0..).zip(&issued) {
        // After this cycle means: before the next one.
        let score = history.issue(cycle, row).and_then(|()| history.power(cycle + 1, &weights));
        let at = || format!("{}/{cycle}", fields.pointer("issued"));
        scores.push(score.map_err(|error| located(&error, &at()))?);
    }
    Ok(Question::Window { nx, weights, issued, scores })
}
