//! Which profiles are run by requests, and when do those arrive?
//!
//! Times are nanoseconds of the run. A request runs its profile once, whole.

mod args;
mod bind;
mod schedule;

use raddle_policy::Level;
use raddle_report::replay::RequestFacts;
use raddle_sim::Repetition;
use raddle_trace::arrivals::{ArrivalFile, TimeUnit};

pub(crate) use args::ArrivalArgs;

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
    pub(crate) facts: RequestFacts,
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
