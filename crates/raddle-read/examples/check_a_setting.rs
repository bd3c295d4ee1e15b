//! What does a user read who made a mistake in a file of settings?
//!
//! `cargo run -p raddle-read --example check_a_setting`, or with settings of your own as JSON:
//! `cargo run -p raddle-read --example check_a_setting '{"order": "rank", "capacity": "0x10"}'`
#![allow(clippy::print_stdout, reason = "an example prints")]

use raddle_read::read;
use serde::Deserialize;
use serde_json::Value;

/// Settings of a queue, as an example of a type that is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct QueueSettings {
    #[allow(dead_code, reason = "only printed")]
    order: QueueOrder,
    #[allow(dead_code, reason = "only printed")]
    capacity: u16,
}

/// Order in which the example's queue is served.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum QueueOrder {
    FirstIn,
    Rank,
}

const MISTAKES: [&str; 4] = [
    r#"{"order": "first_in", "capacity": 4}"#,
    r#"{"order": "frist-in", "capacity": 4}"#,
    r#"{"order": "rank", "capcity": 4}"#,
    r#"{"order": "rank", "capacity": 70000}"#,
];

fn main() -> Result<(), serde_json::Error> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let documents = match given.as_slice() {
        [] => MISTAKES.map(str::to_owned).to_vec(),
        given => given.to_vec(),
    };
    for document in documents {
        let value: Value = serde_json::from_str(&document)?;
        match read::<QueueSettings>(&value) {
            Ok(settings) => println!("{document}\n    {settings:?}"),
            Err(error) => println!("{document}\n    at `{}`: {error}", error.at),
        }
    }
    Ok(())
}
