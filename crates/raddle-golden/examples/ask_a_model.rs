//! What does a golden model answer, and by which steps?
//!
//! `cargo run -p raddle-golden --example ask_a_model` asks each topic its own worked example, and
//! shows the first characters of both.
//! `cargo run -p raddle-golden --example ask_a_model windows '{"windows": [8, 4, 3, 1], "count": 12}'` asks one question
//! and prints the steps to its answer.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use raddle_golden::{TOPICS, answer_all, explain, topic};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, question] = arguments.as_slice() {
        let topic = topic(name).ok_or_else(|| format!("there is no topic {name}"))?;
        let explanation = explain(topic, question)?;
        for step in &explanation.steps {
            println!("{}\n  {}", step.title, step.lines.join("\n  "));
        }
        println!("answer  {}", explanation.answer);
        return Ok(());
    }
    for topic in &TOPICS {
        let mut answers = Vec::new();
        answer_all(topic, &mut topic.example.as_bytes(), &mut answers)?;
        println!(
            "{}\n  question  {:.120}\n  answer    {:.120}",
            topic.name,
            topic.example,
            String::from_utf8(answers)?.trim()
        );
    }
    Ok(())
}
