//! Which profiles are run by requests, and when do those arrive?
//!
//! Times are nanoseconds of the run. A request runs its profile once, whole.

mod bind;
mod requests;
mod schedule;
pub(crate) mod words;

pub(crate) use requests::{OpenRequests, ProfileRequests};

use raddle_sim::Repetition;
use raddle_trace::arrivals::{ArrivalProcess, TimeUnit};
use serde::{Deserialize, Serialize};

use crate::error::StudyError;
use crate::files::{Files, base_name};
use crate::profiles::Loaded;

/// Requests to replay: where their arrival times come from, and for how long requests arrive. Each
/// request runs its profile once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Load {
    /// True if a launch without a recorded issue time is assumed to have been issued together with
    /// the launch before it, so that the recorded idle gap between them vanishes; false keeps the
    /// gap.
    pub queued: bool,
    /// Files that say when requests arrive, each as `[NAME=]FILE[:TASK]`: the profile that each
    /// request runs, the file, and a task (an entry) of the file.
    pub arrivals: Vec<String>,
    /// Requests described in words, or arrival files, each as `[NAME=]RATE/s|burst:N|FILE`, where
    /// NAME is the profile that each request runs.
    pub requests: Vec<String>,
    /// End of all arrivals, in nanoseconds of the replay (exclusive); `None` where each source of
    /// requests has its own end.
    pub until: Option<u64>,
    /// Seed of the random numbers that draw arrival times; `None` means 0.
    pub seed: Option<u64>,
    /// Number of random seeds with which arrival times are drawn, one replay for each; `None` means
    /// 1.
    pub seeds: Option<u16>,
    /// Largest random delay that is added to each arrival, in nanoseconds and exclusive; `None`
    /// delays no request.
    pub jitter: Option<u64>,
    /// Unit of the times in arrival files; `None` where the format of each file decides.
    pub time_unit: Option<TimeUnit>,
}

impl Load {
    /// Word by which a user asks for [`Self::queued`] on the command line.
    pub const QUEUED: &str = "queued";

    /// Returns this load with requests at `percent` percent of their rate; only rates that are
    /// given in words such as `40/s` change.
    pub(crate) fn scaled(&self, percent: u32) -> Self {
        let requests = self.requests.iter().map(|text| words::scaled(text, percent)).collect();
        Self { requests, ..self.clone() }
    }

    /// Returns whether requests at a rate such as `40/s` have no fixed number, as the user gave no
    /// end, no number of seeds and no jitter. Each replay then draws as many requests as its
    /// figures need.
    const fn is_open(&self) -> bool {
        self.until.is_none() && self.seeds.is_none() && self.jitter.is_none()
    }

    /// Returns (this load with all files named without their folders, for a command that is
    /// printed; the full paths of these files).
    pub(crate) fn bare(&self, from: &dyn Files) -> (Self, Vec<String>) {
        let mut files = Vec::new();
        let mut bare = |texts: &[String]| -> Vec<String> {
            let one = |text: &String| match bind::file_in(text, from) {
                Some(path) => {
                    files.push(path.to_owned());
                    text.replacen(path, &base_name(path), 1)
                }
                None => text.clone(),
            };
            texts.iter().map(one).collect()
        };
        let (arrivals, requests) = (bare(&self.arrivals), bare(&self.requests));
        (Self { arrivals, requests, ..self.clone() }, files)
    }
}

/// Checks a value of the option `--requests` and returns it unchanged. A value that begins with a
/// number counts as a rate, even a wrong one, and never as the name of a file.
///
/// # Errors
/// Returns what is wrong with the value, and what was likely meant.
pub fn requests(text: &str) -> Result<String, String> {
    said_wrong(text).map(|()| text.to_owned())
}

pub(crate) fn said_wrong(text: &str) -> Result<(), String> {
    words::wrong(text).map_or(Ok(()), Err)
}

/// Requests that one further random seed draws: for each profile, (its index, the arrival times,
/// the number of its first requests that figures leave out).
pub(crate) type SeedDraw = Vec<(usize, Repetition, u32)>;

/// Gives each profile the requests that the options ask for; an error where the options do not fit.
/// Returns the requests of all further random seeds, where the user asked for several seeds.
pub(crate) fn give(
    profiles: &mut [Loaded],
    args: &Load,
    from: &dyn Files,
) -> Result<Vec<SeedDraw>, StudyError> {
    if args.arrivals.is_empty() && args.requests.is_empty() {
        let Load { until, seed, seeds, jitter, time_unit, .. } = args;
        let drawn = seed.is_some() || seeds.is_some() || jitter.is_some();
        let idle = until.is_some() || drawn || time_unit.is_some();
        return if idle { Err(no_requests()) } else { Ok(Vec::new()) };
    }
    let (files, bound) = bind::all(profiles, args, from)?;
    let draw = |args: &Load| -> Result<Vec<ProfileRequests>, StudyError> {
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
        return Err(StudyError::Usage(text.to_owned()));
    }
    let more = (1..args.seeds.map_or(1, u64::from)).map(|more| {
        let seed = args.seed.unwrap_or(0).wrapping_add(more);
        let requests = draw(&Load { seed: Some(seed), ..args.clone() })?;
        let times = requests.into_iter().map(|it| it.repetition);
        Ok(bound.iter().zip(times).map(|(one, times)| (one.profile, times, 0)).collect())
    });
    let more = more.collect::<Result<Vec<SeedDraw>, StudyError>>()?;
    for (one, requests) in bound.iter().zip(requests) {
        profiles[one.profile].requests = Some(requests);
    }
    let said = bound.iter().any(|one| files[one.file].file.format == words::FORMAT);
    for profile in profiles.iter_mut().filter(|profile| profile.requests.is_none()) {
        profile.background = said;
    }
    Ok(more)
}

/// Returns the profiles whose requests arrive at random at a rate that the user gave in the text of
/// an option, not in a file: (index of the profile, requests per second).
pub(crate) fn rated(
    profiles: &[Loaded],
    args: &Load,
    from: &dyn Files,
) -> Result<Vec<(usize, f64)>, StudyError> {
    let (files, bound) = bind::all(profiles, args, from)?;
    let rated = bound.iter().filter_map(|one| {
        let file = &files[one.file].file;
        let ArrivalProcess::Poisson { rate } = &file.tasks[one.task].process else { return None };
        let per_s = rate.to_string().parse().ok()?;
        (file.format == words::FORMAT).then_some((one.profile, per_s))
    });
    Ok(rated.collect())
}

fn no_requests() -> StudyError {
    StudyError::Usage(
        "--until, --seed, --seeds, --jitter and --time-unit say when requests arrive, and there are none: add --requests or --arrivals"
            .to_owned(),
    )
}
