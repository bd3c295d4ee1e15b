//! Which profiles are run by requests, and when do those arrive?
//!
//! Times are nanoseconds of the run. A request runs its profile once, whole.

mod args;
mod bind;
mod requests;
mod schedule;
mod words;

pub(crate) use args::{ArrivalArgs, milliseconds};
pub(crate) use requests::ProfileRequests;

use raddle_trace::arrivals::ArrivalFormat;

use crate::error::CliError;
use crate::profiles::Loaded;

/// Gives profiles the requests that the options name.
pub(crate) fn give(profiles: &mut [Loaded], args: &ArrivalArgs) -> Result<(), CliError> {
    if args.arrivals.is_empty() && args.requests.is_empty() {
        let ArrivalArgs { until, seed, jitter, time_unit, .. } = args;
        let idle = until.is_some() || seed.is_some() || jitter.is_some() || time_unit.is_some();
        return if idle { Err(no_requests()) } else { Ok(()) };
    }
    let (files, bound) = bind::all(profiles, args)?;
    let schedule = schedule::Schedule::new(profiles, &files, &bound, args);
    let requests = bound.iter().map(|one| schedule.requests(one)).collect::<Result<Vec<_>, _>>()?;
    schedule.check(&requests)?;
    for (one, requests) in bound.iter().zip(requests) {
        profiles[one.profile].requests = Some(requests);
    }
    let said = bound.iter().any(|one| files[one.file].file.format == ArrivalFormat::Words);
    for profile in profiles.iter_mut().filter(|profile| profile.requests.is_none()) {
        profile.background = said;
    }
    Ok(())
}

fn no_requests() -> CliError {
    CliError::Usage(
        "--until, --seed, --jitter and --time-unit say when requests arrive, and there are none: add --requests or --arrivals"
            .to_owned(),
    )
}
