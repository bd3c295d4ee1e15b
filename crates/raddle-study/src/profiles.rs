//! Which profiles does a study replay, under which names, from which start time on and with which
//! share?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use raddle_policy::{Hint, Level};
use raddle_sim::{ProcessPlan, WaitRule, Workload, meet};
use raddle_trace::{
    CommRule, Communication, IdempotenceRule, ImportConfig, LevelTarget, OpKind, PriorityRule,
    Profile, Ranks, level_of,
};

use crate::answer::{Goal, JudgedBy};
use crate::arrivals::ProfileRequests;
use crate::error::{StudyError, meant as meant_by};
use crate::fidelity::ModelError;
use crate::files::{Files, base_name};
use crate::fitted::Fitted;
use crate::result::ReplayedProfile;
use crate::rules::{IdempotenceClaim, Named, NeedClaim, Rule, SaidHint};
use crate::unique::UniqueNames;
use crate::units::{counted, plain};
use crate::verdicts;

/// One process of a study: a profile that was read, with all that the user and fits add to it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Content of the profile. All processes that run one file share it, until a rule of the user
    /// changes the profile of one of them.
    pub profile: Arc<Profile>,
    /// Name of the process in results: that of the profile, made unique.
    pub name: String,
    /// Name of the profile's file, without folders.
    pub(crate) file: String,
    /// Path of the file as the user gave it; only messages show it.
    pub given: String,
    /// Time in the replay at which the process begins, in nanoseconds.
    pub(crate) start_ns: u64,
    /// Share of the process, 1 by default: its weight where policies divide turns or the device
    /// among processes.
    pub(crate) share: u32,
    /// Device memory in bytes that the program needs, as the user says; `None` where the user says
    /// nothing.
    pub(crate) given_memory: Option<u64>,
    /// Time that the host takes between two steps or requests as the user says, in nanoseconds;
    /// `None` where the user says nothing.
    pub(crate) think_ns: Option<u64>,
    /// Hints that the program gives the scheduler about itself.
    pub(crate) hints: Vec<Hint>,
    /// Number and time of the communication kernels (which move data between devices) in the
    /// profile.
    pub communication: Communication,
    /// Requests each of which runs the whole profile once; `None` where the profile has no
    /// requests.
    pub(crate) requests: Option<ProfileRequests>,
    /// True if the work of the profile is less urgent than all requests, unless a rule or the
    /// profile gives it another level.
    pub(crate) background: bool,
    /// True if the host waits where the recording waited (closed loop); false if it keeps the
    /// recorded launch times.
    pub(crate) closed: bool,
    /// Errors of a replay of the profile alone on its own device; `None` where there was no such
    /// replay.
    pub(crate) self_replay: Option<ModelError>,
    /// Launch latency and workgroup times that were fitted to the recording.
    pub(crate) fitted: Fitted,
}

impl Loaded {
    /// Returns the parts of the profile from which the facts in results are made.
    pub(crate) fn replayed(&self) -> ReplayedProfile<'_> {
        ReplayedProfile {
            name: &self.name,
            profile: &self.profile,
            start_ns: self.start_ns,
            share: self.share,
            communication: self.communication,
            requests: self.requests.as_ref().map(|requests| &requests.facts),
            closed: self.closed,
            self_replay: self.self_replay,
            latency: self.fitted.latency,
            waits: WaitRule::default(),
            scaled: None,
        }
    }

    /// Returns the device memory that the program needs, in bytes: as the user says, else as it was
    /// recorded; `None` where neither is known.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.given_memory.or(self.profile.memory_bytes)
    }

    fn new(profile: Arc<Profile>, given: &str, names: &mut UniqueNames) -> Self {
        Self {
            name: names.give(&profile.name),
            file: base_name(given),
            given: given.to_owned(),
            communication: Communication::of(&profile),
            profile,
            start_ns: 0,
            share: 1,
            given_memory: None,
            think_ns: None,
            hints: Vec::new(),
            requests: None,
            background: false,
            closed: false,
            self_replay: None,
            fitted: Fitted::default(),
        }
    }

    /// Returns whether `wanted` names this profile: by its name, its file or its path.
    pub(crate) fn is(&self, wanted: &str) -> bool {
        [&self.name, &self.file, &self.given, &self.profile.name]
            .into_iter()
            .any(|name| name == wanted)
    }

    /// Returns a function that gives the urgency level of an op (launch, copy or fill). The user's
    /// rules decide first, then the level of the requests, then the priorities in the profile.
    pub(crate) fn levels<'l>(
        &'l self,
        rules: &'l [PriorityRule],
    ) -> impl Fn(&raddle_trace::Op) -> Level + 'l {
        let ranks = Ranks::of(&self.profile);
        let requested = self.requests.as_ref().and_then(|requests| requests.level);
        let requested = requested.or(self.background.then_some(Level(u8::MAX)));
        move |op| level_of(rules, self.target(op.stream), requested.or(ranks.level(op)))
    }

    /// Returns the urgency level of the most urgent op (launch, copy or fill) of the profile, 0
    /// being the most urgent; 0 where the profile has no op.
    pub(crate) fn most_urgent(&self, rules: &[PriorityRule]) -> u8 {
        let level = self.levels(rules);
        self.profile.ops.iter().map(|op| level(op).0).min().unwrap_or_default()
    }

    fn target(&self, stream: u32) -> LevelTarget<'_> {
        let stream = self.profile.streams.get(stream as usize);
        LevelTarget {
            profile: &self.name,
            file: &self.file,
            stream: stream.map_or("", |stream| &stream.label),
        }
    }

    /// Lists the names by which a priority rule can mean this profile: its name, its file, and its
    /// streams.
    fn targets(&self) -> impl Iterator<Item = String> {
        let streams = self.profile.streams.iter();
        let streams = streams.map(|stream| format!("{}:stream {}", self.name, stream.label));
        [self.name.clone(), self.file.clone()].into_iter().chain(streams)
    }

    fn concerns(&self, rule: &PriorityRule) -> bool {
        let rule = std::slice::from_ref(rule);
        // A rule that applies overrules any other level, so that both tries give the same level.
        let given = |target, level| level_of(rule, target, Some(Level(level)));
        (0..self.profile.streams.len() as u32)
            .map(|stream| self.target(stream))
            .any(|target| given(target, 0) == given(target, 1))
    }
}

/// Reads the profiles of these names, in order; `serve.csv*3` gives three processes.
///
/// # Errors
/// When a profile cannot be read, or there are too many.
pub fn open(
    names: &[String],
    options: &ImportConfig,
    files: &dyn Files,
) -> Result<Vec<Loaded>, StudyError> {
    let read = |name: &str| Ok(Arc::new(files.profile(name, options)?));
    open_by(names, files, read)
}

/// Opens the profiles of these names by the function `read`, in order; `serve.csv*3` gives three
/// processes.
pub(crate) fn open_by(
    names: &[String],
    files: &dyn Files,
    read: impl Fn(&str) -> Result<Arc<Profile>, StudyError>,
) -> Result<Vec<Loaded>, StudyError> {
    names.iter().try_for_each(|name| check_times(name, files))?;
    let times: Vec<(&str, u16)> = names.iter().map(|name| times(name, files)).collect();
    if times.iter().map(|&(_, times)| u64::from(times)).sum::<u64>() > u64::from(u16::MAX) {
        let text = "more than 65535 profiles: replay fewer together".to_owned();
        return Err(StudyError::Usage(text));
    }
    let mut names = UniqueNames::default();
    let mut all = Vec::new();
    for (name, times) in times {
        let profile = read(name)?;
        let copies = std::iter::repeat_n(profile, times.into());
        all.extend(copies.map(|profile| Loaded::new(profile, name, &mut names)));
    }
    Ok(all)
}

/// Returns (path that the user gave, profile) for each profile.
pub fn given(profiles: &[Loaded]) -> Vec<(&str, &Profile)> {
    profiles.iter().map(|loaded| (&*loaded.given, &*loaded.profile)).collect()
}

/// Splits a name into (file, number of processes): `serve.csv*3` is the file `serve.csv` and 3,
/// unless a file has the whole name.
pub(crate) fn times<'n>(name: &'n str, files: &dyn Files) -> (&'n str, u16) {
    let said = if files.has(name) { None } else { name.rsplit_once('*') };
    let said = said.and_then(|(file, times)| Some((file, times.parse().ok()?)));
    said.filter(|&(_, times)| times > 0).unwrap_or((name, 1))
}

/// Checks the number of processes in a name such as `serve.csv*3`: it must be from 1 to 65535.
fn check_times(name: &str, files: &dyn Files) -> Result<(), StudyError> {
    let said = name.rsplit_once('*').filter(|(file, _)| !files.has(name) && files.has(file));
    let Some((file, count)) = said else { return Ok(()) };
    if count.parse().is_ok_and(|count: u16| count > 0) {
        return Ok(());
    }
    let text =
        format!("{name}: `{count}` is no number of processes, 1 to 65535, such as `{file}*2`");
    Err(StudyError::Usage(text))
}

/// Checks that each goal limits a figure that its process has: a percentile, for instance, needs
/// requests. The error names the first goal for which this does not hold.
pub(crate) fn check_figures(goals: &[Goal], workload: &Workload) -> Result<(), StudyError> {
    for goal in goals {
        let own = workload.processes.iter().position(|process| process.name == goal.process);
        let Some(judged) = own.map(|at| JudgedBy::of(workload, at)) else { continue };
        if goal.metric.is_of(judged) {
            continue;
        }
        let has = match judged {
            JudgedBy::Requests => {
                "is run by requests, so its goals are of p50, p90, p95, p99, mean or max"
            }
            JudgedBy::Steps => {
                "repeats, so its goals are of a step; --requests gives it p50, p90, p95, p99, mean and max"
            }
            JudgedBy::End => {
                "runs once, so its goals are of its end; --requests gives it p50, p90, p95, p99, mean and max"
            }
        };
        return Err(StudyError::Usage(format!(
            "--goal '{goal}': {} has no {}: it {has}",
            goal.process,
            goal.metric.name()
        )));
    }
    Ok(())
}

/// Checks that each goal names one of the profiles; the error names the first goal that does not.
pub(crate) fn check_goals(goals: &[Goal], profiles: &[Loaded]) -> Result<(), StudyError> {
    let known = |goal: &&Goal| !profiles.iter().any(|profile| profile.name == goal.process);
    let Some(goal) = goals.iter().find(known) else { return Ok(()) };
    Err(StudyError::Usage(format!(
        "--goal '{goal}': none of the profiles is called {}; {}",
        goal.process,
        they_are(profiles, &goal.process)
    )))
}

/// Applies the options `--start`, `--share`, `--hint` and `--memory` to the profiles that they
/// name.
pub(crate) fn place(
    profiles: &mut [Loaded],
    starts: &[Named<u64>],
    shares: &[Named<u32>],
    hints: &[Named<SaidHint>],
    memory: &[Named<u64>],
) -> Result<(), StudyError> {
    for held in memory {
        for profile in meant(profiles, "--memory", &held.file)? {
            profile.given_memory = Some(held.value);
        }
    }
    for start in starts {
        for profile in meant(profiles, "--start", &start.file)? {
            profile.start_ns = start.value;
        }
    }
    for share in shares {
        for profile in meant(profiles, "--share", &share.file)? {
            profile.share = share.value;
        }
    }
    for hint in hints {
        for profile in meant(profiles, "--hint", &hint.file)? {
            profile.hints.push(hint.value.hint);
        }
    }
    Ok(())
}

/// Sets the time, in nanoseconds, that hosts take between two steps or requests.
pub(crate) fn think(profiles: &mut [Loaded], thinks: &[Named<u64>]) -> Result<(), StudyError> {
    for think in thinks {
        for profile in meant(profiles, "--think", &think.file)? {
            profile.think_ns = Some(think.value);
        }
    }
    Ok(())
}

/// Least fraction of a host's recorded waits whose reason must be known. With fewer, the host
/// issues at the recorded times in a replay; else it waits for the device there too.
const KNOWN_WAITS: f64 = 0.95;

/// Makes hosts wait for the device in the replay where they waited in the recording (a closed
/// loop). This is done only for profiles in which the reason of enough waits is known.
pub(crate) fn close(profiles: &mut [Loaded]) {
    for loaded in profiles {
        loaded.closed = loaded.profile.known_waits().is_some_and(|known| known >= KNOWN_WAITS);
    }
}

/// Changes the plans of ranks (the processes of one distributed job) so that a communication
/// kernel, which runs in all ranks, ends in all at the same time. Profiles are ranks of one job if
/// their traces come from the same one of the given folders.
pub(crate) fn let_ranks_meet(profiles: &[Loaded], given: &[String], processes: &mut [ProcessPlan]) {
    let mut jobs: BTreeMap<&str, Vec<(&Profile, &mut ProcessPlan)>> = BTreeMap::new();
    for (loaded, process) in profiles.iter().zip(processes) {
        let folder = loaded.given.rsplit_once(['/', '\\']).map(|(folder, _)| folder);
        let of_job = folder.filter(|_| !given.contains(&loaded.given));
        if let Some(folder) = of_job {
            jobs.entry(folder).or_default().push((&loaded.profile, process));
        }
    }
    jobs.values_mut().fold(0, |first, ranks| meet(ranks, first));
}

/// Applies `--comm`, the rule for communication kernels (which move data between devices), to all
/// profiles.
pub fn communicate(profiles: &mut [Loaded], rule: CommRule) -> Result<(), StudyError> {
    for loaded in profiles {
        // A profile that the rule leaves unchanged stays shared between processes.
        if rule != CommRule::Keep {
            loaded.communication = rule.apply(Arc::make_mut(&mut loaded.profile));
        }
        if loaded.profile.report.kernels == 0 {
            return Err(StudyError::Refused(format!(
                "every kernel of {} is communication, so `--comm drop` leaves nothing of it: give `--comm fixed` or leave the profile out",
                loaded.given
            )));
        }
    }
    Ok(())
}

/// Applies files of verdicts on which launches may be killed. Returns a sentence about the effect
/// of each file.
pub(crate) fn judge_from(
    profiles: &mut [Loaded],
    named: &[String],
    files: &dyn Files,
) -> Result<Vec<String>, StudyError> {
    let one = |file: &String| {
        let unreadable = |cause| StudyError::Unreadable { file: file.clone(), cause };
        let text = files.text(file).map_err(unreadable)?;
        let (rules, conditional) = verdicts::rules(file, &text)?;
        let launches = profiles.iter().map(|loaded| loaded.profile.ops.len() as u64);
        let all = launches.fold(0, u64::saturating_add);
        let apply = |rule: &IdempotenceRule| {
            let met = profiles.iter_mut();
            let met = met.map(|loaded| rule.apply(Arc::make_mut(&mut loaded.profile)));
            met.fold(0, u64::saturating_add)
        };
        let met = rules.iter().map(apply).fold(0, u64::saturating_add).min(all);
        let met = counted(met, "launch", "launches");
        Ok(format!(
            "idempotent by {file}: {met}; {conditional} of its kernels only if arguments lie apart, which is taken to be so"
        ))
    };
    named.iter().map(one).collect()
}

/// Applies the user's rules on which launches may be killed. Returns in words how many launches
/// each rule concerned; a rule that concerned none is an error.
pub(crate) fn judge(
    profiles: &mut [Loaded],
    rules: &[IdempotenceClaim],
) -> Result<Vec<String>, StudyError> {
    let one = |rule: &IdempotenceClaim| {
        let met = profiles.iter_mut();
        let met = met.map(|loaded| rule.rule.apply(Arc::make_mut(&mut loaded.profile)));
        let launches = met.fold(0, u64::saturating_add);
        if launches == 0 {
            return Err(no_kernel(profiles, "--idempotent", &rule.text));
        }
        let met = counted(launches, "launch", "launches");
        Ok(format!("idempotent by the rule `{}`, which is a claim: {met}", rule.text))
    };
    rules.iter().map(one).collect()
}

/// Checks that each claim of the user on the resource that a kernel needs most concerns at least
/// one kernel that the profiles launch.
///
/// # Errors
/// Returns an error for the first claim that concerns no kernel; its message names the kernel that
/// was probably meant, or examples of kernels.
pub fn check_needs(profiles: &[Loaded], claims: &[NeedClaim]) -> Result<(), StudyError> {
    let idle = |claim: &&NeedClaim| !kernels(profiles).any(|it| claim.rule.need_of(it).is_some());
    let idle = claims.iter().find(idle);
    idle.map_or(Ok(()), |claim| Err(no_kernel(profiles, "--kernel-class", &claim.text)))
}

/// Returns the names of the kernels that the profiles launch. A kernel that several profiles launch
/// comes once for each of them.
fn kernels(profiles: &[Loaded]) -> impl Iterator<Item = &str> {
    profiles.iter().flat_map(|loaded| {
        let ops = loaded.profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        let used: BTreeSet<u32> = ops.map(|op| op.kernel).collect();
        used.into_iter()
            .filter_map(|at| loaded.profile.kernels.get(at as usize))
            .map(String::as_str)
    })
}

const SOME: usize = 3;

/// Makes the error for a rule `GLOB=WORD` of an option whose pattern fits the name of no kernel.
fn no_kernel(profiles: &[Loaded], option: &str, rule: &str) -> StudyError {
    let wanted = rule.rsplit_once('=').map_or(rule, |(kernel, _)| kernel);
    let near = raddle_read::nearest(wanted.trim_matches('*'), kernels(profiles));
    let near = match near {
        Some(near) => meant_by(Some(&plain(near, 80))),
        None => {
            let some = kernels(profiles).collect::<BTreeSet<_>>().into_iter().take(SOME);
            let some: Vec<String> = some.map(|name| format!("`{}`", plain(name, 80))).collect();
            format!(" There are kernels such as {}", some.join(", "))
        }
    };
    let names: Vec<&str> = profiles.iter().map(|profile| &*profile.name).collect();
    StudyError::Usage(format!(
        "{option} {rule}: it fits no kernel of {}, so it would change nothing.{near}",
        names.join(", "),
    ))
}

fn meant<'p>(
    profiles: &'p mut [Loaded],
    option: &str,
    file: &str,
) -> Result<Vec<&'p mut Loaded>, StudyError> {
    if !profiles.iter().any(|profile| profile.is(file)) {
        return Err(StudyError::Usage(format!(
            "{option} {file}=...: none of the profiles is called so; {}",
            they_are(profiles, file)
        )));
    }
    Ok(profiles.iter_mut().filter(|profile| profile.is(file)).collect())
}

/// Writes the end of an error message: the names of all profiles, and the one that is spelled most
/// like `wanted`.
fn they_are(profiles: &[Loaded], wanted: &str) -> String {
    let names: Vec<&str> = profiles.iter().map(|profile| &*profile.name).collect();
    let near = raddle_read::nearest(wanted, names.iter().copied());
    format!("they are {}.{}", names.join(", "), meant_by(near))
}

/// Checks that each priority rule applies to at least one stream of the profiles; an error names
/// the first rule that does not.
pub(crate) fn check_priorities(rules: &[Rule], profiles: &[Loaded]) -> Result<(), StudyError> {
    let idle = |rule: &&Rule| !profiles.iter().any(|profile| profile.concerns(&rule.rule));
    let Some(rule) = rules.iter().find(idle) else { return Ok(()) };
    let wanted = rule.text.rsplit_once('=').map_or(&*rule.text, |(target, _)| target);
    let targets: Vec<String> = profiles.iter().flat_map(Loaded::targets).collect();
    let near = raddle_read::nearest(wanted, targets.iter().map(String::as_str));
    let names: Vec<&str> = profiles.iter().map(|profile| &*profile.name).collect();
    Err(StudyError::Usage(format!(
        "--priority {}: it fits no stream of {}, so it would change nothing.{}",
        rule.text,
        names.join(", "),
        meant_by(near)
    )))
}
