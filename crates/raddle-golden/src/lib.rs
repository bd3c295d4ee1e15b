//! What would the hardware have to answer, and how does it come to that answer?
//!
//! Each [`Topic`] takes questions as JSON objects. [`answer_all`] answers one question per line;
//! [`explain`] returns the steps from a question to its answer. The models that only the topics
//! need are in this crate too.
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

/// The most figures of an answer; with more it would be larger than its question by far.
const MOST_FIGURES: u64 = 10_000_000;

/// A kind of question.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// Name of the topic on the command line.
    pub name: &'static str,
    /// A worked example.
    pub example: &'static str,
    /// Answers a question with JSON, and explains how.
    solve: fn(&Value, &mut Story) -> Result<String, Fault>,
}

/// All topics.
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

/// Finds the topic of a name.
#[must_use]
pub fn topic(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// Answers one question; both are objects of JSON.
///
/// # Errors
/// When the question cannot be answered.
pub fn answer(topic: &Topic, question: &str) -> Result<String, Fault> {
    frame::solve(topic, question, &mut Story::default())
}

/// Explains one question step by step.
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

/// Formats an answer of strings and integers as JSON, which cannot fail.
fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_default()
}
