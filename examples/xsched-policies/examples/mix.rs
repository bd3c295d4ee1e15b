//! Command line of raddle with the ten policies of XSched. `README.md` shows a run and its results.

use std::process::ExitCode;

use raddle::{App, Registry};
use xsched_policies::{
    ActiveWindowFirst, CompletelyFair, FeedbackQueues, FirstComeFirstServed, HighestPriority,
    KEarliestDeadlines, Laxity, ProcessPartition, StreamPartition, SystemPriority,
};

fn main() -> ExitCode {
    App::new(registry()).main()
}

/// Returns a registry (policies by name) with the policies of raddle and the ten of XSched.
pub fn registry() -> Registry {
    Registry::bundled()
        .turn::<FirstComeFirstServed>()
        .turn::<HighestPriority>()
        .turn::<SystemPriority>()
        .turn::<StreamPartition>()
        .turn::<ProcessPartition>()
        .turn::<CompletelyFair>()
        .turn::<FeedbackQueues>()
        .turn::<KEarliestDeadlines>()
        .turn::<Laxity>()
        .turn::<ActiveWindowFirst>()
}
