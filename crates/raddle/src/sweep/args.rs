//! Which options does `raddle sweep` have?

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use raddle_read::nearest;
use raddle_study::{Shard, meant};

use crate::arrivals::ArrivalArgs;
use crate::replay::StudyArgs;

#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    /// Profiles, as `raddle replay` takes them
    #[arg(value_name = "PROFILE", required = true)]
    pub(crate) profiles: Vec<PathBuf>,
    /// A key to vary and its values: KEY=VALUE,VALUE or KEY=FROM..TO, eight values unless a step
    /// follows (10..80:5/s, 1..64:*2). KEY is an option (device, share.NAME), a key of recipes
    /// (turn.t0-us), or load, the requests per second; may be repeated, and the first varies
    /// slowest
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) vary: Vec<String>,
    /// The file of rows, JSON Lines; cases that it holds already are not run again, unless they
    /// failed (exit code 4). The page is written beside it, with the same name
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    pub(crate) out: Option<PathBuf>,
    /// Run only every Nth case, from the Ith on
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Run nothing: print the ids of the cases, or the job for --engine
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Where cases run: local, the cores of this machine; slurm, an array job, which is printed;
    /// ray, the cluster that RAY_ADDRESS names, else one on this machine; ray://HOST:PORT, that
    /// cluster
    #[arg(long, value_name = "ENGINE", default_value = "local")]
    pub(crate) engine: SweepEngine,
    /// The number of tasks of the Slurm job
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tasks: u32,
    /// Cases that run at the same time [default: one per core]; rows do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Print nothing
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) asked: StudyArgs,
    // Last, because its heading holds for what follows.
    #[command(flatten)]
    pub(crate) load: ArrivalArgs,
}

/// Engine that runs the cases of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SweepEngine {
    /// Cases run on the cores of this machine.
    Local,
    /// Cases run as an array job of Slurm, whose script is printed.
    Slurm,
    /// Cases run on a cluster of Ray at this address; with `None` on the one that `RAY_ADDRESS`
    /// names, else one on this machine.
    Ray(Option<String>),
}

impl FromStr for SweepEngine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "local" => Ok(Self::Local),
            "slurm" => Ok(Self::Slurm),
            "ray" => Ok(Self::Ray(None)),
            _ if text.starts_with("ray://") => Ok(Self::Ray(Some(text.to_owned()))),
            _ => {
                let near = meant(nearest(text, ["local", "slurm", "ray"]));
                Err(format!("it is none of local, slurm, ray and ray://HOST:PORT.{near}"))
            }
        }
    }
}
