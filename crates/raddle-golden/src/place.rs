//! Which candidate (compute unit that fits) gets a workgroup, by scores of free resources (seed
//! 000, E9), of power (E10), or of both?
//!
//! `{"rule":"most-free","weights":[..],"candidates":[[..],..]}` asks for E9,
//! `{"rule":"least-power","weights":[..],"counts":[[..],..]}` for E10, `{"rule":"mix",..}` for both
//! in given shares, and `{"rule":"window",..}` for the scores of a sliding window after each cycle.
//! A pick is a position in the list of candidates, from 0. The steps have the names of the seed: i1
//! to i4 for free amounts, j1 to j4 for power.

use num_bigint::BigInt;
use raddle_read::FaultKind;
use raddle_workgroup::place::{History, LeastPower, Mix, MostFree, Weights};
use raddle_workgroup::{Error, ErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::{Story, counted, listed};
use crate::fault::{Fault, fault, has, positive, read_at};
use crate::{Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "place",
    example: r#"{"rule":"mix","free":{"weights":[2,6,1,3],"candidates":[[20,10,6,8],[12,12,8,9],[26,6,2,12]]},"power":{"weights":[4,12,10,64,2,3],"counts":[[300,40,20,2,60,30],[100,20,10,28,40,20],[500,10,5,0,10,5]]},"share":[1,1]}"#,
    solve,
};

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ScoreRule {
    MostFree,
    LeastPower,
    Mix,
    Window,
}

/// Weights of resources, and for each candidate (compute unit that fits) its free amount of each
/// resource.
#[derive(Deserialize)]
struct FreeScores {
    weights: Vec<u64>,
    candidates: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
struct PowerScores {
    weights: Vec<u64>,
    counts: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
struct MixQuestion {
    free: FreeScores,
    power: PowerScores,
    share: [u64; 2],
}

#[derive(Deserialize)]
struct WindowQuestion {
    #[serde(deserialize_with = "positive")]
    nx: u64,
    weights: Vec<u64>,
    issued: Vec<Vec<u64>>,
}

/// Amounts of the candidates (compute units that fit), one row for each candidate, with the weights
/// and the weighted sum of each row.
struct ScoredRows {
    weights: Weights,
    rows: Vec<Vec<u64>>,
    scores: Vec<u64>,
}

#[derive(Default, Serialize)]
struct PlaceAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    power: Option<Vec<u64>>,
    /// Index of the candidate (compute unit that fits) that the rule takes. `Some(None)`, written
    /// as `null`, means that there are no candidates; `None`, left out of the JSON, means that the
    /// question asks for no choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pick: Option<Option<usize>>,
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    if !has(value, "rule") {
        return Err(Fault::new(FaultKind::MissingField, "", "`rule` is missing"));
    }
    let mut rest = value.clone();
    let rule = rest.as_object_mut().and_then(|object| object.remove("rule")).unwrap_or_default();
    let misfit = fault(FaultKind::Inconsistent, "");
    let answer = match read_at(&rule, "/rule")? {
        ScoreRule::MostFree => {
            let free = free(read_at(&rest, "")?, "", story)?;
            let pick = MostFree::new(free.weights).pick(&free.rows).map_err(misfit)?;
            choice("i4", "the largest TA", pick, story);
            PlaceAnswer { scores: Some(free.scores), pick: Some(pick), ..PlaceAnswer::default() }
        }
        ScoreRule::LeastPower => {
            let power = power(read_at(&rest, "")?, "", story)?;
            let pick = LeastPower::new(power.weights).pick(&power.rows).map_err(misfit)?;
            choice("j4", "the smallest TB", pick, story);
            PlaceAnswer { scores: Some(power.scores), pick: Some(pick), ..PlaceAnswer::default() }
        }
        ScoreRule::Mix => mix(read_at(&rest, "")?, story)?,
        ScoreRule::Window => window(read_at(&rest, "")?, story)?,
    };
    Ok(json(&answer))
}

fn weights(weights: &[u64], at: &str) -> Result<Weights, Fault> {
    Weights::new(weights).map_err(fault(FaultKind::OutOfRange, &format!("{at}/weights")))
}

/// Scores the free amounts of the candidates (compute units that fit); `at` is the place of the
/// amounts in the question, which a fault names.
fn free(asked: FreeScores, at: &str, story: &mut Story) -> Result<ScoredRows, Fault> {
    let scored = scored(&asked.weights, asked.candidates, [at, "/candidates"])?;
    let given = "i1, i2: candidates, what is free of each resource, and weights";
    explain(&scored, [given, "A", "i3: TA_f, the sum of R_h x A_h", "TA"], story);
    Ok(scored)
}

/// Scores how often the candidates (compute units that fit) issued each kind of instruction; `at`
/// is the place of these counts in the question, which a fault names.
fn power(asked: PowerScores, at: &str, story: &mut Story) -> Result<ScoredRows, Fault> {
    let scored = scored(&asked.weights, asked.counts, [at, "/counts"])?;
    let given = "j1, j2: candidates, how often each instruction was issued, and weights";
    explain(&scored, [given, "B", "j3: TB_f, the sum of C_s x B_s", "TB"], story);
    Ok(scored)
}

/// Computes the score of each candidate (compute unit that fits): the sum of its row of amounts,
/// each times the weight of `given`. A fault names the place: `at` is (place of weights and rows,
/// key of the rows).
fn scored(given: &[u64], rows: Vec<Vec<u64>>, at: [&str; 2]) -> Result<ScoredRows, Fault> {
    let weights = weights(given, at[0])?;
    let score = |(n, row): (usize, &Vec<u64>)| {
        let at = format!("{}{}/{n}", at[0], at[1]);
        weights.score(row).map_err(|error| located(&error, (row.len(), given.len()), &at))
    };
    let scores = rows.iter().enumerate().map(score).collect::<Result<_, _>>()?;
    Ok(ScoredRows { weights, rows, scores })
}

/// Converts an error in scoring one candidate (compute unit that fits) to a fault. The candidate
/// has `amounts` amounts, and there are `weights` weights; `at` is the place of the amounts in the
/// question.
fn located(error: &Error, (amounts, weights): (usize, usize), at: &str) -> Fault {
    let (kind, message) = match error.kind() {
        ErrorKind::Overflow => (FaultKind::Overflow, "this score is beyond 64 bits".to_owned()),
        _ if amounts != weights => {
            let message = format!("{amounts} amounts for {weights} weights: give one each");
            (FaultKind::Inconsistent, message)
        }
        _ => (FaultKind::Inconsistent, error.to_string()),
    };
    Fault::new(kind, at, message)
}

/// Adds the scores to the explanation, one line for each candidate of the question, such as `TA_0 =
/// 20 x 2 + 10 x 6 = 100`. `given` and `sums` are the headings of the two steps, `letter` names the
/// weights, and `name` the score.
fn explain(scored: &ScoredRows, [given, letter, sums, name]: [&str; 4], story: &mut Story) {
    if !story.shows() {
        return;
    }
    story.step(given);
    story.note(counted(scored.rows.len() as u64, "candidate", "candidates"));
    story.note(format!("{letter} = {}", listed(scored.weights.as_slice(), " ")));
    story.step(sums);
    for (f, (row, score)) in scored.rows.iter().zip(&scored.scores).enumerate() {
        let products = row.iter().zip(scored.weights.as_slice());
        let products = products.map(|(amount, weight)| format!("{amount} x {weight}"));
        story.line(format!("{name}_{f} = {} = {score}", listed(products, " + ")));
    }
}

fn choice(label: &str, rule: &str, pick: Option<usize>, story: &mut Story) {
    story.step(format!("{label}: the choice"));
    story.note(match pick {
        Some(f) => format!("{rule} is that of candidate {f}; ties go to the lowest index"),
        None => "there is no candidate, so none is taken".to_owned(),
    });
}

fn mix(asked: MixQuestion, story: &mut Story) -> Result<PlaceAnswer, Fault> {
    let [a, b] = asked.share;
    let free = free(asked.free, "/free", story)?;
    let power = power(asked.power, "/power", story)?;
    let (have, wanted) = (power.rows.len(), free.rows.len());
    if have != wanted {
        let message = format!("{have} rows for {wanted} candidates: give one each");
        return Err(Fault::new(FaultKind::Inconsistent, "/power/counts", message));
    }
    let rule = Mix::new(a, b).map_err(fault(FaultKind::OutOfRange, "/share"))?;
    let pick = rule.pick(&free.scores, &power.scores);
    let pick = pick.map_err(fault(FaultKind::Inconsistent, ""))?;
    let largest = |scores: &[u64]| scores.iter().copied().max().unwrap_or_default().max(1);
    let (most, worst) = (largest(&free.scores), largest(&power.scores));
    story.step("a x TA / max TA - b x TB / max TB, without fractions");
    story.note(format!(
        "a = {a}, b = {b}; the largest TA is {most}, the largest TB {worst} (0 counts as 1)"
    ));
    for (f, (&ta, &tb)) in free.scores.iter().zip(&power.scores).enumerate() {
        let product = |factors: [u64; 3]| factors.map(BigInt::from).iter().product::<BigInt>();
        let value = product([a, ta, worst]) - product([b, tb, most]);
        story.line(format!("{f}: {a} x {ta} x {worst} - {b} x {tb} x {most} = {value}"));
    }
    choice("i4, j4", "the largest mix", pick, story);
    let (free, power) = (Some(free.scores), Some(power.scores));
    Ok(PlaceAnswer { free, power, pick: Some(pick), ..PlaceAnswer::default() })
}

fn window(asked: WindowQuestion, story: &mut Story) -> Result<PlaceAnswer, Fault> {
    let weights = weights(&asked.weights, "")?;
    let history = History::new(asked.nx, weights.as_slice().len());
    let mut history = history.map_err(|error| located(&error, (0, 0), "/nx"))?;
    story.step(format!("j2, j3: the last {}", counted(asked.nx, "cycle", "cycles")));
    story.note(format!("B = {}", listed(weights.as_slice(), " ")));
    story.note(
        "each TB counts its own cycle and those before it, as a decision in the next cycle sees it",
    );
    let mut scores = Vec::with_capacity(asked.issued.len());
    for (cycle, row) in (0..).zip(&asked.issued) {
        // A score after this cycle is the score before the next one.
        let score = history.issue(cycle, row).and_then(|()| history.power(cycle + 1, &weights));
        let score = score.map_err(|error| {
            let lengths = (row.len(), asked.weights.len());
            located(&error, lengths, &format!("/issued/{cycle}"))
        })?;
        if story.shows() {
            story.line(format!("cycle {cycle}: {} issued, TB = {score}", listed(row, " ")));
        }
        scores.push(score);
    }
    Ok(PlaceAnswer { scores: Some(scores), ..PlaceAnswer::default() })
}
