//! Which chore shall run? The repository's own commands: `cargo xtask VERB`.
//!
//! Std only: a chore that must build before anything else can be checked has no dependencies.
//! Exit code 0 when the chore is done, 1 when it failed or the verb is unknown.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what a chore does")]

mod bench;
mod bless;
mod browse;
mod ci;
mod colocate;
mod fuzz;
mod help;
mod miri;
mod nostd;
mod shell;
mod soak;
mod tidy;
mod workspace;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> =
        std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let (verb, rest) = match args.split_first() {
        Some((verb, rest)) => (verb.as_str(), rest),
        None => ("help", &[][..]),
    };
    match run(verb, rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask {verb}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(verb: &str, rest: &[String]) -> Result<(), String> {
    match verb {
        "bench" => bench::run(rest),
        "bless" => bless::run(rest),
        "browse" => browse::run(rest),
        "ci" => ci::run(rest),
        "colocate" => colocate::run(rest),
        "fuzz" => fuzz::run(rest),
        "help" | "-h" | "--help" => help::run(),
        "miri" => miri::run(rest),
        "nostd" => nostd::run(rest),
        "soak" => soak::run(rest),
        "tidy" => tidy::run(rest),
        _ => Err(format!("no such verb. There are:\n{}", help::VERBS)),
    }
}
