//! Which candidate takes the workgroup (seed 000, E9, E10, and both)?
//!
//! `{"rule":"most-free","weights":[..],"candidates":[[..],..]}` asks for E9,
//! `{"rule":"least-power","weights":[..],"counts":[[..],..]}` for E10, `{"rule":"mix",..}` for both
//! in given shares, and `{"rule":"window",..}` for the scores of a sliding window after each cycle.
//! A pick is an index into the list given, from 0. The steps have the names of the seed: i1 to i4
//! for free amounts, j1 to j4 for power.

use raddle_dispatch::read::FaultKind;
use raddle_workgroup::Error;
use raddle_workgroup::place::{History, LeastPower, Mix, MostFree, Weights};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::explanation::{ExplainedStep, counted, few, listed, step};
use crate::fault::{Fault, fault, has, positive, read_at};
use crate::{Explained, Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "place",
    example: r#"{"rule":"mix","free":{"weights":[2,6,1,3],"candidates":[[20,10,6,8],[12,12,8,9],[26,6,2,12]]},"power":{"weights":[4,12,10,64,2,3],"counts":[[300,40,20,2,60,30],[100,20,10,28,40,20],[500,10,5,0,10,5]]},"share":[1,1]}"#,
    answer: |value| answer_of(&question(value)?),
    explain,
};

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ScoreRule {
    MostFree,
    LeastPower,
    Mix,
    Window,
}

/// Weights with free amounts, or with counts of instructions.
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

/// One question, read and scored.
enum PlaceQuestion {
    MostFree(ScoredRows),
    LeastPower(ScoredRows),
    Mix { free: ScoredRows, power: ScoredRows, share: [u64; 2] },
    Window { nx: u64, scored: ScoredRows },
}

struct ScoredRows {
    weights: Weights,
    rows: Vec<Vec<u64>>,
    scores: Vec<u64>,
}

#[derive(Serialize)]
struct PickAnswer<'q> {
    scores: &'q [u64],
    pick: Option<usize>,
}

#[derive(Serialize)]
struct MixAnswer<'q> {
    free: &'q [u64],
    power: &'q [u64],
    pick: Option<usize>,
}

#[derive(Serialize)]
struct WindowAnswer<'q> {
    scores: &'q [u64],
}

fn question(value: &Value) -> Result<PlaceQuestion, Fault> {
    if !has(value, "rule") {
        return Err(Fault::new(FaultKind::MissingField, "", "`rule` is missing"));
    }
    let mut rest = value.clone();
    let rule = rest.as_object_mut().and_then(|object| object.remove("rule")).unwrap_or_default();
    match read_at(&rule, "/rule")? {
        ScoreRule::MostFree => {
            let FreeScores { weights, candidates } = read_at(&rest, "")?;
            scored(&weights, candidates, ["", "/candidates"]).map(PlaceQuestion::MostFree)
        }
        ScoreRule::LeastPower => {
            let PowerScores { weights, counts } = read_at(&rest, "")?;
            scored(&weights, counts, ["", "/counts"]).map(PlaceQuestion::LeastPower)
        }
        ScoreRule::Mix => mix(read_at(&rest, "")?),
        ScoreRule::Window => window(read_at(&rest, "")?),
    }
}

fn weights(weights: &[u64], at: &str) -> Result<Weights, Fault> {
    Weights::new(weights).map_err(fault(FaultKind::OutOfRange, &format!("{at}/weights")))
}

/// Rows with their scores; `at` is where the weights and the rows lie.
fn scored(given: &[u64], rows: Vec<Vec<u64>>, at: [&str; 2]) -> Result<ScoredRows, Fault> {
    let weights = weights(given, at[0])?;
    let score = |(n, row): (usize, &Vec<u64>)| {
        let at = format!("{}{}/{n}", at[0], at[1]);
        weights.score(row).map_err(|error| located(&error, &at))
    };
    let scores = rows.iter().enumerate().map(score).collect::<Result<_, _>>()?;
    Ok(ScoredRows { weights, rows, scores })
}

/// A row that cannot be scored.
fn located(error: &Error, at: &str) -> Fault {
    let kind = match error {
        Error::Score { .. } | Error::Issues { .. } => FaultKind::Overflow,
        _ => FaultKind::Inconsistent,
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

fn mix(MixQuestion { free, power, share }: MixQuestion) -> Result<PlaceQuestion, Fault> {
    let free = scored(&free.weights, free.candidates, ["/free", "/candidates"])?;
    let power = scored(&power.weights, power.counts, ["/power", "/counts"])?;
    let (have, wanted) = (power.rows.len(), free.rows.len());
    if have != wanted {
        let message = format!("{have} rows for {wanted} candidates: give one each");
        return Err(Fault::new(FaultKind::Inconsistent, "/power/counts", message));
    }
    Mix::new(share[0], share[1]).map_err(fault(FaultKind::OutOfRange, "/share"))?;
    Ok(PlaceQuestion::Mix { free, power, share })
}

fn window(
    WindowQuestion { nx, weights: given, issued }: WindowQuestion,
) -> Result<PlaceQuestion, Fault> {
    let weights = weights(&given, "")?;
    let history = History::new(nx, weights.as_slice().len());
    let mut history = history.map_err(|error| located(&error, "/nx"))?;
    let mut scores = Vec::with_capacity(issued.len());
    for (cycle, row) in (0..).zip(&issued) {
        // After this cycle means: before the next one.
        let score = history.issue(cycle, row).and_then(|()| history.power(cycle + 1, &weights));
        scores.push(score.map_err(|error| located(&error, &format!("/issued/{cycle}")))?);
    }
    Ok(PlaceQuestion::Window { nx, scored: ScoredRows { weights, rows: issued, scores } })
}

/// The candidate that is taken; of none, and of a window, none.
fn pick(question: &PlaceQuestion) -> Result<Option<usize>, Fault> {
    let pick = match question {
        PlaceQuestion::MostFree(scored) => MostFree::new(scored.weights.clone()).pick(&scored.rows),
        PlaceQuestion::LeastPower(scored) => {
            LeastPower::new(scored.weights.clone()).pick(&scored.rows)
        }
        PlaceQuestion::Mix { free, power, share: [a, b] } => {
            Mix::new(*a, *b).and_then(|mix| mix.pick(&free.scores, &power.scores))
        }
        PlaceQuestion::Window { .. } => Ok(None),
    };
    pick.map_err(fault(FaultKind::Inconsistent, ""))
}

fn answer_of(question: &PlaceQuestion) -> Result<String, Fault> {
    let pick = pick(question)?;
    Ok(match question {
        PlaceQuestion::MostFree(scored) | PlaceQuestion::LeastPower(scored) => {
            json(&PickAnswer { scores: &scored.scores, pick })
        }
        PlaceQuestion::Mix { free, power, .. } => {
            json(&MixAnswer { free: &free.scores, power: &power.scores, pick })
        }
        PlaceQuestion::Window { scored, .. } => json(&WindowAnswer { scores: &scored.scores }),
    })
}

fn explain(value: &Value) -> Result<Explained, Fault> {
    let question = question(value)?;
    let mut steps = Vec::new();
    let choice = match &question {
        PlaceQuestion::MostFree(scored) => {
            steps.extend(explain_free(scored));
            Some(["i4", "the largest TA"])
        }
        PlaceQuestion::LeastPower(scored) => {
            steps.extend(explain_power(scored));
            Some(["j4", "the smallest TB"])
        }
        PlaceQuestion::Mix { free, power, share } => {
            steps.extend(explain_free(free));
            steps.extend(explain_power(power));
            steps.push(explain_mix(free, power, *share));
            Some(["i4, j4", "the largest mix"])
        }
        PlaceQuestion::Window { nx, scored } => {
            steps.push(explain_window(*nx, scored));
            None
        }
    };
    if let Some([label, rule]) = choice {
        let line = match pick(&question)? {
            Some(f) => format!("{rule} is that of candidate {f}; ties go to the lowest index"),
            None => "there is no candidate, so none is taken".to_owned(),
        };
        steps.push(step(format!("{label}: the choice"), vec![line]));
    }
    Ok((steps, answer_of(&question)?))
}

fn explain_free(scored: &ScoredRows) -> [ExplainedStep; 2] {
    [
        given(scored, "i1, i2: candidates, what is free of each resource, and weights", "A"),
        step("i3: TA_f, the sum of R_h x A_h", sums("TA", scored)),
    ]
}

fn explain_power(scored: &ScoredRows) -> [ExplainedStep; 2] {
    let title = "j1, j2: candidates, how often each instruction was issued, and weights";
    [given(scored, title, "B"), step("j3: TB_f, the sum of C_s x B_s", sums("TB", scored))]
}

fn given(scored: &ScoredRows, title: &str, letter: &str) -> ExplainedStep {
    let candidates = counted(scored.rows.len() as u64, "candidate", "candidates");
    step(title, vec![candidates, format!("{letter} = {}", listed(scored.weights.as_slice(), " "))])
}

/// `TA_0 = 20 x 2 + 10 x 6 = 100`, one a row.
fn sums(name: &str, scored: &ScoredRows) -> Vec<String> {
    let line = |(f, (row, score)): (usize, (&Vec<u64>, &u64))| {
        let products = row.iter().zip(scored.weights.as_slice());
        let products = products.map(|(amount, weight)| format!("{amount} x {weight}"));
        format!("{name}_{f} = {} = {score}", listed(products, " + "))
    };
    few(scored.rows.iter().zip(&scored.scores).enumerate().map(line).collect())
}

fn explain_mix(free: &ScoredRows, power: &ScoredRows, [a, b]: [u64; 2]) -> ExplainedStep {
    let largest = |scores: &[u64]| scores.iter().copied().max().unwrap_or_default().max(1);
    let (most, worst) = (largest(&free.scores), largest(&power.scores));
    let product = |factors: [u64; 3]| {
        factors.into_iter().try_fold(1_i128, |so_far, factor| so_far.checked_mul(factor.into()))
    };
    let line = |(f, (&ta, &tb)): (usize, (&u64, &u64))| {
        let (gain, loss) = (product([a, ta, worst]), product([b, tb, most]));
        let value = gain.zip(loss).and_then(|(gain, loss)| gain.checked_sub(loss));
        let value = value.map_or_else(String::new, |value| format!(" = {value}"));
        format!("{f}: {a} x {ta} x {worst} - {b} x {tb} x {most}{value}")
    };
    let mut lines = vec![format!(
        "a = {a}, b = {b}; the largest TA is {most}, the largest TB {worst} (0 counts as 1)"
    )];
    lines.extend(few(free.scores.iter().zip(&power.scores).enumerate().map(line).collect()));
    step("a x TA / max TA - b x TB / max TB, without fractions", lines)
}

fn explain_window(nx: u64, scored: &ScoredRows) -> ExplainedStep {
    let line = |(cycle, (row, score)): (usize, (&Vec<u64>, &u64))| {
        format!("cycle {cycle}: {} issued, TB = {score}", listed(row, " "))
    };
    let mut lines = vec![
        format!("B = {}", listed(scored.weights.as_slice(), " ")),
        "each TB counts its own cycle and those before it, as a decision in the next cycle sees it"
            .to_owned(),
    ];
    lines.extend(few(scored.rows.iter().zip(&scored.scores).enumerate().map(line).collect()));
    step(format!("j2, j3: the last {}", counted(nx, "cycle", "cycles")), lines)
}
