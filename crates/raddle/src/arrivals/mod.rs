//! Which profiles are run by requests, and when do those arrive?
//!
//! Times are nanoseconds of the run. A request runs its profile once, whole.

mod args;
mod bind;
mod requests;
mod schedule;

pub(crate) use args::{ArrivalArgs, milliseconds};
pub(crate) use requests::ProfileRequests;

use crate::error::CliError;
use crate::profiles::Loaded;

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
