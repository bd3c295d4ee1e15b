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

use raddle_sim::Repetition;
use raddle_trace::arrivals::ArrivalFormat;

use crate::error::CliError;
use crate::profiles::Loaded;

/// When the requests of profiles arrive by one more seed: positions of profiles, and their times.
pub(crate) type SeedDraw = Vec<(usize, Repetition)>;

/// Gives profiles the requests that the options name; what the seeds after the first draw.
pub(crate) fn give(profiles: &mut [Loaded], args: &ArrivalArgs) -> Result<Vec<SeedDraw>, CliError> {
    if args.arrivals.is_empty() && args.requests.is_empty() {
        let ArrivalArgs { until, seed, seeds, jitter, time_unit, .. } = args;
        let drawn = seed.is_some() || seeds.is_some() || jitter.is_some();
        let idle = until.is_some() || drawn || time_unit.is_some();
        return if idle { Err(no_requests()) } else { Ok(Vec::new()) };
    }
    let (files, bound) = bind::all(profiles, args)?;
    let draw = |args: &ArrivalArgs| -> Result<Vec<ProfileRequests>, CliError> {
        let schedule = schedule::Schedule::new(profiles, &files, &bound, args);
        let requests = bound.iter().map(|one| schedule.requests(one));
        let requests = requests.collect::<Result<Vec<_>, _>>()?;
        schedule.check(&requests)?;
        Ok(requests)
    };
    let requests = draw(args)?;
    if args.seeds.is_some() && requests.iter().all(|it| it.facts.seed.is_none()) {
        let text =
            "--seeds: no request arrives at random; give a rate, such as serve=40/s, or --jitter";
        return Err(CliError::Usage(text.to_owned()));
    }
    let more = (1..args.seeds.map_or(1, u64::from)).map(|more| {
        let seed = args.seed.unwrap_or(0).wrapping_add(more);
        let requests = draw(&ArrivalArgs { seed: Some(seed), ..args.clone() })?;
        let times = requests.into_iter().map(|it| it.repetition);
        Ok(bound.iter().map(|one| one.profile).zip(times).collect())
    });
    let more = more.collect::<Result<Vec<SeedDraw>, CliError>>()?;
    for (one, requests) in bound.iter().zip(requests) {
        profiles[one.profile].requests = Some(requests);
    }
    let said = bound.iter().any(|one| files[one.file].file.format == ArrivalFormat::Words);
    for profile in profiles.iter_mut().filter(|profile| profile.requests.is_none()) {
        profile.background = said;
    }
    Ok(more)
}

fn no_requests() -> CliError {
    CliError::Usage(
        "--until, --seed, --seeds, --jitter and --time-unit say when requests arrive, and there are none: add --requests or --arrivals"
            .to_owned(),
    )
}
