//! Command line of raddle with three policies that are not raddle's own.
//!
//! `cargo run --release -p outside-policy --example mine -- replay PROFILE.. --recipe leftover
//! --recipe mine.toml`

use std::process::ExitCode;

use outside_policy::{Considerate, LeastServed, SmallestFirst};
use raddle::{App, Registry};
use raddle_policy::Ranked;

fn main() -> ExitCode {
    let registry = Registry::bundled()
        .allocate::<Ranked<SmallestFirst>>()
        .turn::<LeastServed>()
        .preempt::<Considerate>();
    App::new(registry).main()
}
