//! How does a circuit of seed 000 find the longest free run, step by step?
//!
//! The sequences have the names of the seed, and so have the steps: d1 to d4 for the full search,
//! e1 to e3 grouped, f1 to f4 sampled, g1 to g4 for a finder that several resources share.

mod cost;
mod fit;
mod methods;
mod rows;
mod shared;

use serde_json::value::RawValue;

use super::Told;
use crate::golden::bitmap::{Method, Question, answer_of, question};
use crate::golden::fault::{Fault, Kind};
use crate::golden::read::Fields;

pub(super) use cost::{EXAMPLE as COST_EXAMPLE, cost};

/// The worked example of the spec.
pub(super) const EXAMPLE: &str = r#"{"bits":"01101110","free":1,"shift":"left","method":"full"}"#;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    let steps = match &question {
        Question::Longest { map, form, method } => match method {
            Method::Full => methods::full(map, *form),
            Method::Grouped(search) => methods::grouped(map, *form, search),
            Method::Sampled(search) => methods::sampled(map, *form, search),
        },
        Question::Fit { map, form, want, fit } => Ok(fit::steps(map, *form, *want, *fit)),
        Question::Shared(round) => shared::steps(round),
    };
    let steps = steps.map_err(|error| Fault::new(Kind::OutOfRange, "", error.to_string()))?;
    // An object of strings and integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question)?).unwrap_or_default();
    Ok(Told { steps, answer })
}
