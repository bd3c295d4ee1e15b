//! Which profiles are run by requests, and when do those arrive?
//!
//! Times are nanoseconds of the run. A request runs its profile once, whole.

mod args;
mod bind;
mod schedule;
mod text;

use raddle_policy::Level;
use raddle_sim::Repetition;
use raddle_trace::arrivals::{ArrivalFile, TimeUnit};
use serde::Serialize;

pub(crate) use args::ArrivalArgs;
pub(crate) use text::{assumptions, reading, repeating, table};

use crate::error::CliError;
use crate::profiles::Loaded;

/// The requests of one profile.
#[derive(Clone, Debug)]
pub(crate) struct Requests {
    /// When they begin.
    pub(crate) repetition: Repetition,
    /// How urgent the file says that they are.
    pub(crate) level: Option<Level>,
    /// What a reader should know of them.
    pub(crate) told: Told,
}

/// What results say of the requests of one profile.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Told {
    /// The kind of file.
    format: &'static str,
    /// The task of the file.
    task: String,
    /// How its requests arrive: periodic, poisson, trace, continuous or dependent.
    process: &'static str,
    /// The requests replayed, where their times are known before.
    replayed: Option<u64>,
    /// The requests that there are, where their times are known before.
    of: Option<u64>,
    /// Where the requests end; absent where nothing but the file or the company ends them.
    until_ns: Option<u64>,
    /// What made random numbers, where there were any.
    seed: Option<u64>,
    /// By how much requests were moved at most.
    jitter_ns: Option<u64>,
    /// What `time` was taken to count, and why, where it mattered.
    time_unit: Option<String>,
    /// Steps back in time in the file, which were sorted.
    unsorted: u64,
}

/// One profile and the task that says when its requests arrive.
struct Bound {
    profile: usize,
    file: usize,
    task: usize,
}

/// Gives profiles the requests that the options name.
pub(crate) fn give(profiles: &mut [Loaded], args: &ArrivalArgs) -> Result<(), CliError> {
    if args.arrivals.is_empty() {
        return Ok(());
    }
    let (files, bound) = bind::all(profiles, args)?;
    let schedule = schedule::Schedule::new(profiles, &files, &bound, args);
    let requests = bound.iter().map(|one| schedule.requests(one)).collect::<Result<Vec<_>, _>>()?;
    schedule.check(&requests)?;
    for (one, requests) in bound.iter().zip(requests) {
        profiles[one.profile].requests = Some(requests);
    }
    Ok(())
}

/// A file with arrivals and its path as it was given.
struct Opened {
    given: String,
    file: ArrivalFile,
}

impl Opened {
    fn time_unit(&self) -> Option<String> {
        let time = self.file.time?;
        let unit = match time.unit {
            TimeUnit::Seconds => "seconds",
            TimeUnit::Minutes => "minutes",
        };
        Some(format!("{unit}, because {}", time.why))
    }
}
