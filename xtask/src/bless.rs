//! Which snapshots change? Runs the tests and writes what they show into the snapshots.
//!
//! Arguments go to `cargo test` (`cargo xtask bless -p raddle-sim`); without any, the whole
//! workspace runs. A blessed snapshot is a claim: read its diff before it is committed.

use crate::shell;

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    let mut cargo = shell::cargo();
    cargo.arg("test").env("INSTA_UPDATE", "always");
    if rest.is_empty() {
        cargo.arg("--workspace");
    }
    shell::run(cargo.args(rest))
}
