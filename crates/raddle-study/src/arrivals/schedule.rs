//! When does each request begin, and which requests are left out of a replay?

use raddle_policy::Ticks;
use raddle_sim::Repetition;
use raddle_trace::arrivals::{ArrivalProcess, ArrivalTask, jitter};

use crate::result::RequestFacts;

use super::Load;
use super::bind::{BoundTask, OpenedArrivals};
use super::requests::{OpenRequests, ProfileRequests};
use super::words;
use crate::error::StudyError;
use crate::profiles::Loaded;
use crate::units::{count, duration, plain};

/// Largest number of launches that all requests of a replay may make together. A replay keeps about
/// 80 bytes for each launch, and several replays run at the same time.
const MOST_LAUNCHES: u64 = 1 << 22;
/// Smallest number of requests whose 99th percentile is not just the slowest request.
const ENOUGH: usize = 100;
/// Largest number of arrivals of one profile that are read from a file or drawn at random.
const MOST_REQUESTS: usize = 1 << 24;

/// Inputs that decide when requests begin: the profiles, the opened files, the task of each
/// profile, and the options of the load.
pub(super) struct Schedule<'s> {
    profiles: &'s [Loaded],
    files: &'s [OpenedArrivals],
    bound: &'s [BoundTask],
    args: &'s Load,
    /// Latest end of all profiles without requests, in nanoseconds of the replay; `None` where
    /// every profile has requests.
    others: Option<u64>,
    /// True if a profile without requests, or requests at given times, end the replay. Closed
    /// loops, in which each request begins when the one before has ended, then repeat until that
    /// end.
    is_led: bool,
}

impl<'s> Schedule<'s> {
    pub(super) fn new(
        profiles: &'s [Loaded],
        files: &'s [OpenedArrivals],
        bound: &'s [BoundTask],
        args: &'s Load,
    ) -> Self {
        let others = profiles.iter().enumerate();
        let others = others.filter(|(at, _)| bound.iter().all(|one| one.profile != *at));
        let end = |profile: &Loaded| profile.start_ns.saturating_add(profile.profile.span_ns);
        let others = others.map(|(_, profile)| end(profile)).max();
        let has_times = |one: &BoundTask| files[one.file].file.tasks[one.task].times(0).is_some();
        let is_led = others.is_some() || bound.iter().any(has_times);
        Self { profiles, files, bound, args, others, is_led }
    }

    fn task(&self, one: &BoundTask) -> &'s ArrivalTask {
        &self.files[one.file].file.tasks[one.task]
    }

    /// Returns the end of all arrivals, in nanoseconds of the replay: the option `--until`, else
    /// the latest end of the profiles without requests; `None` without either.
    fn end(&self) -> Option<u64> {
        self.args.until.or(self.others)
    }

    /// Returns the requests of the profile in `one`, as its task (an entry of an arrival file)
    /// describes them; an error where the task cannot be replayed.
    pub(super) fn requests(&self, one: &BoundTask) -> Result<ProfileRequests, StudyError> {
        let (opened, task) = (&self.files[one.file], self.task(one));
        let recorded =
            opened.file.format != words::FORMAT && matches!(task.process, ArrivalProcess::Trace(_));
        let mut facts = RequestFacts {
            format: opened.file.format,
            task: plain(&task.name, 200),
            process: task.process.name(),
            per_s: per_s(&task.process),
            replayed: None,
            of: None,
            until_ns: None,
            seed: None,
            seeds: None,
            is_open: false,
            jitter_ns: None,
            time_unit: recorded.then(|| opened.counts()),
            unsorted: opened.file.unsorted,
        };
        let repetition = match &task.process {
            ArrivalProcess::Continuous => self.closed(one, &mut facts)?,
            ArrivalProcess::Dependent { after } => self.dependent(one, after)?,
            _ => self.at(one, &mut facts)?,
        };
        let open = facts
            .is_open
            .then(|| OpenRequests { task: task.clone(), seed: self.args.seed.unwrap_or(0) });
        Ok(ProfileRequests { repetition, open, level: opened.file.level(task), facts })
    }

    fn at(&self, one: &BoundTask, facts: &mut RequestFacts) -> Result<Repetition, StudyError> {
        let (opened, task) = (&self.files[one.file], self.task(one));
        let start = self.profiles[one.profile].start_ns;
        let in_words = opened.file.format == words::FORMAT;
        // Requests in words end only at `--until`; without it each run draws as many as it needs,
        // and with several seeds there are `ENOUGH` of each.
        let end = if in_words { self.args.until } else { self.end() };
        let end = end.map(|end| end.saturating_sub(start));
        let is_trace = matches!(task.process, ArrivalProcess::Trace(_));
        // Arrivals that are made from a rate end with the file's `time`, unless the user gave an
        // end.
        let made_until = match (is_trace, self.args.until) {
            (true, _) => None,
            _ if in_words => end,
            (false, Some(_)) => end,
            (false, None) => {
                facts.time_unit = opened.time_unit();
                Some(opened.file.time.map(|time| time.ns).or(end).ok_or_else(|| no_time(opened))?)
            }
        };
        if matches!(task.process, ArrivalProcess::Poisson { .. }) || self.args.jitter.is_some() {
            facts.seed = Some(self.args.seed.unwrap_or(0));
            facts.seeds = self.args.seeds;
        }
        let seed = self.args.seed.unwrap_or(0);
        let times = task.times(seed).into_iter().flatten();
        let times = times.take_while(|&at| made_until.is_none_or(|until| at < until));
        let most = if in_words && end.is_none() && !is_trace { ENOUGH } else { MOST_REQUESTS + 1 };
        let mut times: Vec<u64> = times.take(most).collect();
        if let Some(width) = self.args.jitter {
            jitter(&mut times, width, seed, task);
            facts.jitter_ns = Some(width);
        }
        let first = times.first().copied();
        facts.of = Some(times.len() as u64);
        if let Some(end) = end {
            times.truncate(times.partition_point(|&at| at < end));
            facts.until_ns = if in_words { self.args.until } else { self.end() };
        }
        facts.replayed = Some(times.len() as u64);
        if in_words && end.is_none() && !is_trace && self.args.is_open() {
            (facts.is_open, facts.of, facts.replayed) = (true, None, None);
        }
        if times.is_empty() {
            return Err(self.none(one, first));
        }
        Ok(Repetition::At(times.into_iter().map(Ticks).collect()))
    }

    /// Returns the error that no request of a profile arrives before the end of the replay. `first`
    /// is the first arrival, in nanoseconds, after that end; `None` where no request arrives at
    /// all.
    fn none(&self, one: &BoundTask, first: Option<u64>) -> StudyError {
        let given =
            format!("`{}` of {}", plain(&self.task(one).name, 60), self.files[one.file].given);
        let start = self.profiles[one.profile].start_ns;
        let (Some(end), Some(first)) = (self.end(), first) else {
            return StudyError::Refused(format!(
                "no request of {given} arrives within the time of the file: let requests arrive for longer with --until TIME"
            ));
        };
        let whose = if self.args.until.is_some() {
            "the time given"
        } else {
            "the end of the longest profile without requests"
        };
        StudyError::Refused(format!(
            "no request of {given} arrives before {}, {whose}; the first arrives at {}: let requests arrive for longer with --until TIME",
            duration(end),
            duration(start.saturating_add(first)),
        ))
    }

    fn closed(&self, one: &BoundTask, facts: &mut RequestFacts) -> Result<Repetition, StudyError> {
        let opened = &self.files[one.file];
        let until = match (self.args.until, self.is_led) {
            (Some(until), _) => Some(until),
            (None, true) => None,
            (None, false) => {
                facts.time_unit = opened.time_unit();
                let time = opened.file.time.ok_or_else(|| no_time(opened))?;
                Some(self.profiles[one.profile].start_ns.saturating_add(time.ns))
            }
        };
        facts.until_ns = until;
        Ok(Repetition::Closed { until: until.map(Ticks) })
    }

    /// Makes the requests of a profile depend on the profiles that the tasks named in `after`
    /// drive: each request begins when a request of each of those profiles has ended. Returns an
    /// error where a task drives no profile, or follows itself.
    fn dependent(&self, one: &BoundTask, after: &[String]) -> Result<Repetition, StudyError> {
        let given = &self.files[one.file].given;
        let name = &self.task(one).name;
        let mut others = Vec::new();
        for followed in after {
            let drives =
                |other: &&BoundTask| other.file == one.file && self.task(other).name == *followed;
            let driven: Vec<u16> = self
                .bound
                .iter()
                .filter(drives)
                .filter_map(|other| u16::try_from(other.profile).ok())
                .collect();
            if driven.is_empty() {
                return Err(StudyError::Refused(format!(
                    "`{name}` of {given} follows `{followed}`, which drives no profile: add --arrivals NAME={given}:{followed}"
                )));
            }
            others.extend(driven);
        }
        self.check_ring(one)?;
        Ok(Repetition::After(others))
    }

    /// Returns an error if a task of an arrival file follows itself, directly or through other
    /// tasks, as it would never begin.
    fn check_ring(&self, one: &BoundTask) -> Result<(), StudyError> {
        let tasks = &self.files[one.file].file.tasks;
        let mut seen = vec![one.task];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            next += 1;
            let ArrivalProcess::Dependent { after } = &tasks[at].process else {
                continue;
            };
            for (other, _) in tasks.iter().enumerate().filter(|(_, t)| after.contains(&t.name)) {
                if other == one.task {
                    return Err(StudyError::Refused(format!(
                        "`{}` of {} follows itself, through `prev_task_ids`, so it never begins: mend the file",
                        tasks[one.task].name, self.files[one.file].given
                    )));
                }
                if !seen.contains(&other) {
                    seen.push(other);
                }
            }
        }
        Ok(())
    }

    /// Returns an error if all requests together make more than [`MOST_LAUNCHES`] launches, which
    /// would not fit into memory.
    pub(super) fn check(&self, requests: &[ProfileRequests]) -> Result<(), StudyError> {
        let launches = self.bound.iter().zip(requests).map(|(one, requests)| {
            let ops = self.profiles[one.profile].profile.ops.len() as u64;
            requests.facts.replayed.unwrap_or(0).saturating_mul(ops)
        });
        let launches = launches.fold(0, u64::saturating_add);
        if launches <= MOST_LAUNCHES {
            return Ok(());
        }
        Err(StudyError::Refused(format!(
            "the requests make {} launches, and a run keeps at most {}: let requests arrive for a shorter time with --until TIME",
            count(launches),
            count(MOST_LAUNCHES)
        )))
    }
}

fn no_time(opened: &OpenedArrivals) -> StudyError {
    StudyError::Refused(format!(
        "{} does not say how long its load lasts (`time`): say for how long requests arrive with --until TIME",
        opened.given
    ))
}

/// Returns the mean number of requests per second, rounded to a tenth for recorded times; `None`
/// where all requests arrive at once, or where their times depend on the replay.
fn per_s(process: &ArrivalProcess) -> Option<f64> {
    match process {
        ArrivalProcess::Periodic { rate } | ArrivalProcess::Poisson { rate } => {
            rate.to_string().parse().ok()
        }
        ArrivalProcess::Trace(times) => {
            let span_ns = times.last()?.checked_sub(*times.first()?).filter(|&ns| ns > 0)?;
            let rate = (times.len() - 1) as f64 * 1e9 / span_ns as f64;
            Some((rate * 10.0).round() / 10.0)
        }
        _ => None,
    }
}
