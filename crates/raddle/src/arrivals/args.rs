//! What may be said about requests on the command line?

use clap::{Args, ValueEnum};
use raddle_trace::arrivals::TimeUnit;

use crate::args::milliseconds;

/// Options of `replay` for requests.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Requests")]
pub(crate) struct ArrivalArgs {
    /// Requests, each of which runs the profile once: when they arrive by a DISB or REEF load, or
    /// an Azure, Mooncake or BurstGPT trace (docs/arrivals.md); may be repeated
    #[arg(long, value_name = "[NAME=]FILE[:TASK]")]
    pub(crate) arrivals: Vec<String>,
    /// Requests arrive only before this, in milliseconds [default: the end of the longest profile
    /// without requests, else of the file]
    #[arg(long, value_name = "MS", requires = "arrivals", value_parser = span)]
    pub(crate) until: Option<u64>,
    /// Random arrivals are those of this number [default: 0]
    #[arg(long, value_name = "N", requires = "arrivals")]
    pub(crate) seed: Option<u64>,
    /// Move each request later by less than this, in milliseconds, at random: for traces whose
    /// clock has coarse steps
    #[arg(long, value_name = "MS", requires = "arrivals", value_parser = span)]
    pub(crate) jitter: Option<u64>,
    /// What `time` counts in a DISB or REEF load [default: by rule, which the output names]
    #[arg(long, value_enum, value_name = "UNIT", requires = "arrivals")]
    pub(crate) time_unit: Option<Unit>,
}

/// What the `time` of a load counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unit {
    /// As DISB's benchmarks
    Seconds,
    /// As REEF's
    Minutes,
}

impl From<Unit> for TimeUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Seconds => Self::Seconds,
            Unit::Minutes => Self::Minutes,
        }
    }
}

fn span(text: &str) -> Result<u64, String> {
    let span = milliseconds(text).filter(|&ns| ns > 0);
    span.ok_or_else(|| "it is no number of milliseconds above 0, such as 2.5".to_owned())
}
