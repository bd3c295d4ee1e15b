//! Do the properties of the policy crates also hold over a long run?
//!
//! Runs their tests optimised, with `PROPTEST_CASES` cases a property. A property that fixes its
//! own number of cases (`with_cases`) keeps it. Then come 10,000 mutations of real profiles, and 10^8
//! executions of the fuzz target `packet`.

use crate::{fuzz, shell, workspace};

/// Cases a property when none are asked for: minutes, not seconds.
const DEFAULT_CASES: u32 = 10_000;
/// Mutations of real profiles, over all of them.
const MUTATIONS: &str = "10000";
/// Executions of the target that decodes packets, of up to 4 of them each.
const PACKETS: [&str; 5] = ["packet", "--runs", "100000000", "--longest", "258"];

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    let cases = cases(rest)?;
    let mut cargo = shell::cargo();
    cargo.args(["test", "--release"]).env("PROPTEST_CASES", cases.to_string());
    for name in workspace::no_std() {
        cargo.args(["-p", name]);
    }
    shell::run(&mut cargo)?;
    let mut cargo = shell::cargo();
    cargo.args(["test", "--release", "-p", "raddle-trace", "--features", "nsys"]);
    cargo.args(["--test", "mutations", "--", "--nocapture"]).env("RADDLE_MUTATIONS", MUTATIONS);
    shell::run(&mut cargo)?;
    fuzz::run(&PACKETS.map(str::to_owned))
}

fn cases(rest: &[String]) -> Result<u32, String> {
    match rest {
        [] => Ok(DEFAULT_CASES),
        [cases] => match cases.parse() {
            Ok(cases) if cases > 0 => Ok(cases),
            _ => Err(format!("`{cases}` is no number of cases; give 1 to {}", u32::MAX)),
        },
        [_, second, ..] => Err(format!("takes one number of cases; leave out `{second}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_positive_number_is_taken() {
        let given =
            |words: &[&str]| cases(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(given(&[]), Ok(DEFAULT_CASES));
        assert_eq!(given(&["12"]), Ok(12));
        assert!(given(&["0"]).is_err());
        assert!(given(&["many"]).is_err());
        assert!(given(&["1", "2"]).is_err());
    }
}
