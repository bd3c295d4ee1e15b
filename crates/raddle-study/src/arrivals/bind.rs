//! Which task (entry) of which arrival file says when which profile runs?
//!
//! `[NAME=]FILE[:TASK]`: NAME is a profile, by its name or file, and may be left out for the only
//! one. Without TASK, it is the file's only task, or the task with the profile's name. Without NAME
//! and TASK, each profile that has the name of a task is driven by that task.

use raddle_read::nearest;
use raddle_trace::arrivals::{ArrivalConfig, ArrivalFile, TimesCount};

use super::{Load, words};
use crate::error::{StudyError, meant};
use crate::files::Files;
use crate::profiles::Loaded;
use crate::units::plain;

/// Link of a profile to the source of its requests: three indices, of the profile, of an opened
/// arrival file, and of the task (an entry) in that file.
pub(super) struct BoundTask {
    pub(super) profile: usize,
    pub(super) file: usize,
    pub(super) task: usize,
}

/// Opened arrival file (which says when requests arrive), with its path as the user wrote it.
pub(super) struct OpenedArrivals {
    pub(super) given: String,
    pub(super) file: ArrivalFile,
}

impl OpenedArrivals {
    /// Returns words for the unit in which the duration of the load (`time` in the arrival file)
    /// was read, and why; `None` where the file gives no duration.
    pub(super) fn time_unit(&self) -> Option<String> {
        let time = self.file.time?;
        Some(format!("{}, because {}", time.unit.name(), time.why))
    }

    /// Returns words for the unit in which the times of an arrival trace were read, and why.
    pub(super) fn counts(&self) -> String {
        match self.file.counts {
            TimesCount::Dates => "dates".to_owned(),
            TimesCount::AsAsked(unit) => format!("{}, as asked", unit.name()),
            TimesCount::ByFormat(unit) => {
                format!("{}, as in a file of {}", unit.name(), self.file.format)
            }
        }
    }
}

/// Opens the arrival files and finds for each profile the task (an entry of an arrival file) that
/// says when its requests arrive. Returns (files, tasks in the order of the profiles), or an error
/// where a value of an option fits no file or profile. Requests that the user described in words,
/// such as `40/s`, count as a file of their own.
pub(super) fn all(
    profiles: &[Loaded],
    args: &Load,
    from: &dyn Files,
) -> Result<(Vec<OpenedArrivals>, Vec<BoundTask>), StudyError> {
    let options = ArrivalConfig { time_unit: args.time_unit };
    let (mut files, mut bound): (Vec<OpenedArrivals>, Vec<BoundTask>) = (Vec::new(), Vec::new());
    if let Some(text) = args.arrivals.iter().find(|text| words::is_said(text)) {
        return Err(usage(format!(
            "--arrivals {text} is no file: did you mean --requests {text}?"
        )));
    }
    let mut recorded: Vec<&String> = args.arrivals.iter().collect();
    for text in &args.requests {
        if let Some(why) = words::wrong(text) {
            return Err(usage(format!("--requests {text}: {why}")));
        }
        let (name, words) = said(text, profiles);
        let Some(process) = words::process(words) else {
            recorded.push(text);
            continue;
        };
        for profile in said_of(profiles, name, text)? {
            check_free(&bound, profiles, profile, text)?;
            let file = words::load(&profiles[profile].name, profile as u32, process.clone());
            bound.push(BoundTask { profile, file: files.len(), task: 0 });
            files.push(OpenedArrivals { given: text.clone(), file });
        }
    }
    for text in recorded {
        let (name, rest) = named(text, profiles, from)?;
        let (path, task) = file_and_task(rest, from);
        let position = files.iter().position(|file| file.given == path);
        let position = position.map_or_else(
            || {
                let file = from.arrivals(path, &options)?;
                files.push(OpenedArrivals { given: path.to_owned(), file });
                Ok::<_, StudyError>(files.len() - 1)
            },
            Ok,
        )?;
        for (profile, task) in pairs(profiles, name, &files[position], task)? {
            check_free(&bound, profiles, profile, text)?;
            bound.push(BoundTask { profile, file: position, task });
        }
    }
    bound.sort_by_key(|one| one.profile);
    Ok((files, bound))
}

/// Splits a value of the option `--requests` at its last `=` into (name of a profile, words for its
/// requests), such as `serve=40/s`. Returns `None` and the whole text where the part before the `=`
/// names no profile and the part behind it describes no requests.
fn said<'t>(text: &'t str, profiles: &[Loaded]) -> (Option<&'t str>, &'t str) {
    match text.rsplit_once('=') {
        Some((name, words)) if profiles.iter().any(|profile| profile.is(name)) => {
            (Some(name), words)
        }
        Some((name, words)) if words::process(words).is_some() => (Some(name), words),
        _ => (None, text),
    }
}

/// Returns the indices of the profiles, at least one, to which a value of the option `--requests`
/// gives requests. `name` is the profile that the value names; `None` stands for the only profile.
/// `text` is the value, for error messages.
fn said_of(profiles: &[Loaded], name: Option<&str>, text: &str) -> Result<Vec<usize>, StudyError> {
    let all = 0..profiles.len();
    let found: Vec<usize> = match name {
        Some(name) => all.filter(|&at| profiles[at].is(name)).collect(),
        None if profiles.len() == 1 => vec![0],
        None => Vec::new(),
    };
    if let (Some(name), true) = (name, found.is_empty()) {
        let near = nearest(name, profiles.iter().map(|profile| &*profile.name));
        return Err(usage(format!(
            "--requests {text}: none of the profiles is called {}; they are {}.{}",
            plain(name, 60),
            names(profiles),
            meant(near)
        )));
    }
    if found.is_empty() {
        return Err(usage(format!(
            "--requests {text}: which profile? Put its name and `=` in front; they are {}",
            names(profiles)
        )));
    }
    Ok(found)
}

/// Checks that no task in `bound` drives the profile with the index `profile` already; `text` is
/// the option value that would give it requests again, for the error message.
fn check_free(
    bound: &[BoundTask],
    profiles: &[Loaded],
    profile: usize,
    text: &str,
) -> Result<(), StudyError> {
    if bound.iter().any(|one| one.profile == profile) {
        return Err(usage(format!(
            "--arrivals {text}: {} has its requests from an earlier --arrivals",
            profiles[profile].name
        )));
    }
    Ok(())
}

fn usage(text: String) -> StudyError {
    StudyError::Usage(text)
}

fn names(profiles: &[Loaded]) -> String {
    let names: Vec<&str> = profiles.iter().map(|profile| &*profile.name).collect();
    names.join(", ")
}

/// Splits a value of the option `--arrivals` at the first `=` that follows the name of a profile.
/// Returns (name, text behind the `=`), or (`None`, the whole text) where the value is a file
/// alone; an error where it names a profile that does not exist.
fn named<'t>(
    text: &'t str,
    profiles: &[Loaded],
    from: &dyn Files,
) -> Result<(Option<&'t str>, &'t str), StudyError> {
    let mut splits = text.match_indices('=').map(|(at, _)| (&text[..at], &text[at + 1..]));
    if let Some((name, rest)) = splits.find(|(name, _)| profiles.iter().any(|p| p.is(name))) {
        return Ok((Some(name), rest));
    }
    let (path, _) = file_and_task(text, from);
    match text.split_once('=') {
        Some((name, _)) if !from.has(path) => Err(usage(format!(
            "--arrivals {name}=...: none of the profiles is called so; they are {}",
            names(profiles)
        ))),
        _ => Ok((None, text)),
    }
}

/// Splits `FILE[:TASK]` into (file, task). The file is the longest part before a colon that exists
/// as a file; the task is `None` where no colon follows.
fn file_and_task<'t>(text: &'t str, from: &dyn Files) -> (&'t str, Option<&'t str>) {
    if from.has(text) {
        return (text, None);
    }
    let mut splits = text.rmatch_indices(':').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let found = splits.find(|(path, task)| !task.is_empty() && from.has(path));
    match found.or_else(|| text.rsplit_once(':')) {
        Some((path, task)) if !path.is_empty() && !task.contains(['/', '\\']) => (path, Some(task)),
        _ => (text, None),
    }
}

/// Returns the path of the file in a text `[NAME=]FILE[:TASK]`; `None` where no part of the text
/// names a file.
pub(super) fn file_in<'t>(text: &'t str, from: &dyn Files) -> Option<&'t str> {
    let rests = text.match_indices('=').map(|(at, _)| &text[at + 1..]);
    let paths = std::iter::once(text).chain(rests).map(|rest| file_and_task(rest, from).0);
    paths.into_iter().find(|path| from.has(path))
}

/// Returns which tasks of an opened arrival file drive which profiles, as pairs (index of a
/// profile, index of a task), at least one; an error where there is none. `name` and `task` are the
/// profile and the task that the option `--arrivals` names; `None` where it names none.
fn pairs(
    profiles: &[Loaded],
    name: Option<&str>,
    opened: &OpenedArrivals,
    task: Option<&str>,
) -> Result<Vec<(usize, usize)>, StudyError> {
    let tasks = &opened.file.tasks;
    let meant: Vec<usize> = match (name, profiles) {
        (Some(name), _) => (0..profiles.len()).filter(|&at| profiles[at].is(name)).collect(),
        (None, [_]) => vec![0],
        (None, _) if task.is_none() && tasks.len() > 1 => return by_name(profiles, opened),
        (None, _) => {
            return Err(usage(format!(
                "--arrivals {}: which profile? Put its name and `=` in front; they are {}",
                opened.given,
                names(profiles)
            )));
        }
    };
    let position = |wanted: &str| tasks.iter().position(|task| task.name == wanted);
    meant
        .into_iter()
        .map(|profile| {
            let found = match (task, tasks.len()) {
                (Some(task), _) => position(task),
                (None, 1) => Some(0),
                (None, _) => position(&profiles[profile].name),
            };
            let task = found.ok_or_else(|| no_task(opened, task, &profiles[profile].name))?;
            Ok((profile, task))
        })
        .collect()
}

fn no_task(opened: &OpenedArrivals, task: Option<&str>, profile: &str) -> StudyError {
    let wanted = task.unwrap_or(profile);
    let all = &opened.file.tasks;
    let nearest =
        nearest(wanted, all.iter().map(|task| &*task.name)).or(all.first().map(|task| &*task.name));
    let names: Vec<String> = all.iter().map(|task| plain(&task.name, 60)).take(20).collect();
    let and = if all.len() > names.len() { ", ..." } else { "" };
    usage(format!(
        "{}: no task is called `{}`; name one behind a colon, such as `{}:{}`: {}{and}",
        opened.given,
        plain(wanted, 60),
        opened.given,
        nearest.unwrap_or_default(),
        names.join(", "),
    ))
}

/// Links each profile to the task of the same name in an arrival file. Returns pairs (index of a
/// profile, index of a task), at least one; an error where no name fits.
fn by_name(
    profiles: &[Loaded],
    opened: &OpenedArrivals,
) -> Result<Vec<(usize, usize)>, StudyError> {
    let tasks = || opened.file.tasks.iter().enumerate();
    let pair = |(at, profile): (usize, &Loaded)| {
        let (task, _) = tasks().find(|(_, task)| task.name == profile.name)?;
        Some((at, task))
    };
    let found: Vec<(usize, usize)> = profiles.iter().enumerate().filter_map(pair).collect();
    if found.is_empty() {
        return Err(no_task(opened, None, &names(profiles)));
    }
    Ok(found)
}
