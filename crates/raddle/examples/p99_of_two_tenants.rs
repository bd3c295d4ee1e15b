//! How long do 99 of 100 requests of a server take beside training, under two ways of sharing?
//!
//! `cargo run -p raddle --example p99_of_two_tenants`
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Duration;

use raddle::{Load, Rate, Study, StudyError};

fn main() -> Result<(), StudyError> {
    let files = ["decode.csv", "train.csv"]
        .map(|name| format!("{}/data/demo/{name}", env!("CARGO_MANIFEST_DIR")));
    // Without the end, a run draws as many requests as the bounds of p99 need.
    let load = Load::requests("decode", Rate::per_second(40)).until(Duration::from_secs(1));
    let study = Study::of(files).load(load).recipe("time-slice").recipe("partition");
    let outcome = raddle::ask(&study)?;
    for recipe in outcome.recipes() {
        let (decode, train) = (recipe.process("decode")?, recipe.process("train")?);
        println!("{}: p99 {}, a step {}", recipe.name(), decode.p99()?, train.step()?);
    }
    println!("{}", outcome.verdict().text);
    Ok(())
}
