//! What would the hardware have to answer to a question, and by which steps does it find the
//! answer?
//!
//! Each [`Topic`] answers questions that are JSON objects. [`answer_all`] answers one question per
//! line; [`explain`] returns the steps from a question to its answer. The models that only the
//! topics need are in this crate too.
//!
//! ```
//! let question = r#"{"windows":[8,4,3,1],"count":12}"#;
//! let topic = raddle_golden::topic("windows").expect("a topic");
//! let mut answers = Vec::new();
//! let refused = raddle_golden::answer_all(topic, &mut question.as_bytes(), &mut answers)?;
//! assert_eq!((refused, &*answers), (0, &b"{\"order\":[3,1,2,4]}\n"[..]));
//! assert_eq!(raddle_golden::explain(topic, question)?.answer.get(), "{\"order\":[3,1,2,4]}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

pub mod allocation;
mod balance;
pub mod bitmap;
mod error;
mod explanation;
mod fault;
mod frame;
pub mod matching;
pub mod packet;
mod place;
pub mod placement;
pub mod preempt;
pub mod rtl;
pub mod slices;
pub mod sm;
mod split;
pub mod twin;
mod windows;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub use error::ModelError;
use explanation::Story;
pub use explanation::{ExplainedStep, Explanation};
pub use fault::Fault;
pub use frame::answer_all;

/// Most numbers in an answer of a golden model; an answer with more would be far larger than its
/// question.
const MOST_FIGURES: u64 = 10_000_000;

/// A kind of question that a golden model answers, such as `windows`; tools compare hardware or a
/// simulator with the answers.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// Name of the topic (kind of question) on the command line, such as `windows`.
    pub name: &'static str,
    /// An example of a question of this kind, as a JSON object.
    pub example: &'static str,
    /// Function that returns the answer to a question as JSON, or a fault, and records the steps to
    /// the answer for its explanation.
    solve: fn(&Value, &mut Story) -> Result<String, Fault>,
}

/// All topics (kinds of questions) of the golden models, in the order in which lists show them.
pub const TOPICS: [Topic; 11] = [
    bitmap::TOPIC,
    windows::TOPIC,
    split::TOPIC,
    balance::TOPIC,
    place::TOPIC,
    matching::TOPIC,
    placement::TOPIC,
    sm::TOPIC,
    slices::TOPIC,
    preempt::TOPIC,
    packet::TOPIC,
];

/// Finds the topic (kind of question) with this name; `None` where there is none.
#[must_use]
pub fn topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// Answers one question as the hardware would have to. Question and answer are JSON objects.
///
/// # Errors
/// When the question cannot be answered.
pub fn answer(topic: &Topic, question: &str) -> Result<String, Fault> {
    frame::solve(topic, question, &mut Story::default())
}

/// Answers one question to a golden model, and explains the answer step by step.
///
/// # Errors
/// When the question cannot be answered.
pub fn explain(topic: &Topic, question: &str) -> Result<Explanation, Fault> {
    let mut story = Story::told();
    let answer = frame::solve(topic, question, &mut story)?;
    // Every answer is an object of JSON.
    let answer = RawValue::from_string(answer).unwrap_or_default();
    Ok(Explanation { steps: story.into_steps(), answer })
}

/// Formats the answer of a golden model as JSON, which cannot fail for strings and integers.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}
