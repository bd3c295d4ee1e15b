//! Which options does `raddle tune` have?

use std::path::PathBuf;

use clap::Args;
use raddle_study::Minimise;

use crate::arrivals::ArrivalArgs;
use crate::replay::StudyArgs;

#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    /// Profiles, as `raddle replay` takes them
    #[arg(value_name = "PROFILE", required = true)]
    pub(crate) profiles: Vec<PathBuf>,
    /// A key to search and its values: KEY=VALUE,VALUE or KEY=FROM..TO, as `raddle sweep` takes it:
    /// keys of recipes (turn.t0-us=1000..16000:*2, window=4,8), share.NAME, priority.NAME; may be
    /// repeated
    #[arg(long, value_name = "KEY=VALUES", required = true)]
    pub(crate) vary: Vec<String>,
    /// The figure that is minimised among candidates that meet the goals: NAME.p50|p90|p95|p99|mean|max|step|end
    /// [default: the product, over all processes, of the time divided by the time alone]
    #[arg(long, value_name = "NAME.FIGURE")]
    pub(crate) minimise: Option<Minimise>,
    /// The file for the best recipe, which is written even if it meets no goal, and says so
    /// [default: raddle-out/tuned.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Runs at the same time [default: one a core]; results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Print one sentence, and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) asked: StudyArgs,
    // Last, because its heading holds for what follows.
    #[command(flatten)]
    pub(crate) load: ArrivalArgs,
}
