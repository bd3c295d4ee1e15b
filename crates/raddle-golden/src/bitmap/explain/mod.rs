//! How does a circuit of seed 000 find the longest free run, step by step?
//!
//! The sequences have the names of the seed, and so have the steps: d1 to d4 for the full search,
//! e1 to e3 grouped, f1 to f4 sampled, g1 to g4 for a finder that several resources share.

mod fit;
mod methods;
mod rows;
mod shared;

use crate::Explained;
use raddle_dispatch::read::FaultKind;
use serde_json::Value;

use super::{BitmapQuestion, SearchMethod, answer_of, question};
use crate::fault::{Fault, fault};

pub(super) fn explain(value: &Value) -> Result<Explained, Fault> {
    let question = question(value)?;
    let steps = match &question {
        BitmapQuestion::Longest { map, form, method } => match method {
            SearchMethod::Full => methods::full(map, *form),
            SearchMethod::Grouped(search) => methods::grouped(map, *form, search),
            SearchMethod::Sampled(search) => methods::sampled(map, *form, search),
        },
        BitmapQuestion::Fit { map, form, want, fit } => Ok(fit::steps(map, *form, *want, *fit)),
        BitmapQuestion::Shared(round) => shared::steps(round),
    };
    Ok((steps.map_err(fault(FaultKind::OutOfRange, ""))?, answer_of(&question)?))
}
