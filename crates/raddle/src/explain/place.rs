//! How do scores come about, and which candidate is taken (seed 000, E9, E10, and both)?
//!
//! The steps have the names of the seed: i1 to i4 for free amounts, j1 to j4 for power.

use serde_json::value::RawValue;

use super::{Step, Told, few, step};
use crate::golden::fault::Fault;
use crate::golden::place::{Question, Scored, answer_of, pick, question};
use crate::golden::read::Fields;
use crate::units::counted;

/// The worked example of the spec.
pub(super) const EXAMPLE: &str = r#"{"rule":"mix","free":{"weights":[2,6,1,3],"candidates":[[20,10,6,8],[12,12,8,9],[26,6,2,12]]},"power":{"weights":[4,12,10,64,2,3],"counts":[[300,40,20,2,60,30],[100,20,10,28,40,20],[500,10,5,0,10,5]]},"share":[1,1]}"#;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    let taken = pick(&question)?;
    let mut steps = Vec::new();
    match &question {
        Question::MostFree(scored) => {
            steps.extend(free(scored));
            steps.push(choice("i4", "the largest TA", taken));
        }
        Question::LeastPower(scored) => {
            steps.extend(power(scored));
            steps.push(choice("j4", "the smallest TB", taken));
        }
        Question::Mix { free: first, power: second, share } => {
            steps.extend(free(first));
            steps.extend(power(second));
            steps.push(mixed(first, second, *share));
            steps.push(choice("i4, j4", "the largest mix", taken));
        }
        Question::Window { nx, weights, issued, scores } => {
            steps.push(window(*nx, weights.as_slice(), issued, scores));
        }
    }
    // An object of integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question)?).unwrap_or_default();
    Ok(Told { steps, answer })
}

fn free(scored: &Scored) -> [Step; 2] {
    let lines = sums("TA", &scored.rows, scored.weights.as_slice(), &scored.scores);
    let weights = format!("A = {}", joined(scored.weights.as_slice(), " "));
    [
        step(
            "i1, i2: candidates, what is free of each resource, and weights",
            vec![candidates(scored), weights],
        ),
        step("i3: TA_f, the sum of R_h x A_h", lines),
    ]
}

fn power(scored: &Scored) -> [Step; 2] {
    let lines = sums("TB", &scored.rows, scored.weights.as_slice(), &scored.scores);
    let weights = format!("B = {}", joined(scored.weights.as_slice(), " "));
    [
        step(
            "j1, j2: candidates, how often each instruction was issued, and weights",
            vec![candidates(scored), weights],
        ),
        step("j3: TB_f, the sum of C_s x B_s", lines),
    ]
}

fn candidates(scored: &Scored) -> String {
    counted(scored.rows.len() as u64, "candidate", "candidates")
}

/// `TA_0 = 20 x 2 + 10 x 6 = 100`, one a row.
fn sums(name: &str, rows: &[Vec<u64>], weights: &[u64], scores: &[u64]) -> Vec<String> {
    let line = |(f, (row, score)): (usize, (&Vec<u64>, &u64))| {
        format!("{name}_{f} = {} = {score}", products(row, weights))
    };
    few(rows.iter().zip(scores).enumerate().map(line).collect())
}

fn products(row: &[u64], weights: &[u64]) -> String {
    let products = row.iter().zip(weights).take(16);
    let products: Vec<String> =
        products.map(|(amount, weight)| format!("{amount} x {weight}")).collect();
    let more = if row.len() > products.len() { " + .." } else { "" };
    products.join(" + ") + more
}

fn joined(values: &[u64], between: &str) -> String {
    let shown: Vec<String> = values.iter().take(16).map(ToString::to_string).collect();
    let more = if values.len() > shown.len() { " .." } else { "" };
    shown.join(between) + more
}

fn mixed(free: &Scored, power: &Scored, [a, b]: [u64; 2]) -> Step {
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

fn choice(label: &str, rule: &str, taken: Option<usize>) -> Step {
    let line = match taken {
        Some(f) => format!("{rule} is that of candidate {f}; ties go to the lowest index"),
        None => "there is no candidate, so none is taken".to_owned(),
    };
    step(format!("{label}: the choice"), vec![line])
}

fn window(nx: u64, weights: &[u64], issued: &[Vec<u64>], scores: &[u64]) -> Step {
    let line = |(cycle, (row, score)): (usize, (&Vec<u64>, &u64))| {
        format!("cycle {cycle}: {} issued, TB = {score}", joined(row, " "))
    };
    let mut lines = vec![
        format!("B = {}", joined(weights, " ")),
        "each TB counts the cycle beside it and those before it, as a decision in the next cycle sees it".to_owned(),
    ];
    lines.extend(few(issued.iter().zip(scores).enumerate().map(line).collect()));
    step(format!("j2, j3: the last {}", counted(nx, "cycle", "cycles")), lines)
}
