//! Which command does raddle propose to a user after an answer?
//!
//! Words in capitals, such as DEVICE, are for the user to fill in; a command with an unfilled word
//! is refused.

use std::path::Path;

use crate::answer::{JudgedBy, VerdictKind};
use crate::check::{Check, CheckedTenant};
use crate::files::{Files, base_name};
use crate::inspect::{InspectedProfile, Inspection};
use crate::pair::way_of;
use crate::replay::{Prepared, Studied};
use crate::result::{DeviceFound, ReplayResult};
use crate::shapes::MUCH;
use crate::study::{FileNames, Study, Ways, operand};
use crate::units::{Shell, shell_posix};

/// Word that stands for a device in a proposed command, for the user to replace.
const DEVICE: &str = "DEVICE";
/// Word that stands for an amount of memory in a proposed command, for the user to replace.
const SIZE: &str = "SIZE";

/// Number of characters after which a proposed command is broken into a further line; only a line
/// of one longer word is longer.
const COLUMNS: usize = 100;

/// Word that stands for the name of another profile in a proposed command, for the user to replace.
const OTHER: &str = "OTHER";
/// Word that stands for the file of a later result in a proposed command, for the user to replace.
const AFTER: &str = "AFTER";
/// Word that stands for a program with its arguments in a proposed command, for the user to
/// replace.
const PROGRAM: &str = "PROGRAM";
/// Word that stands for a recording in a proposed command, for the user to replace.
const RECORDING: &str = "RECORDING";

/// Command that raddle proposes to run next, and its purpose.
#[derive(Clone, Debug)]
pub struct NextCommand {
    /// Words of the command, with the paths of files as the user wrote them.
    given: Vec<String>,
    /// Words of the command, with the names of files without their folders.
    bare: Vec<String>,
    purpose: &'static str,
}

impl NextCommand {
    fn new(words: Vec<String>, purpose: &'static str) -> Self {
        Self { bare: words.clone(), given: words, purpose }
    }

    /// Makes the command `raddle VERB FILES MORE`, with its purpose in words.
    fn about(verb: &str, files: &[&str], more: Vec<String>, purpose: &'static str) -> Self {
        let words = |name: &dyn Fn(&str) -> String| {
            let mut words = vec!["raddle".to_owned(), verb.to_owned()];
            words.extend(files.iter().map(|file| operand(name(file))));
            words.extend(more.iter().cloned());
            words
        };
        Self { given: words(&str::to_owned), bare: words(&base_name), purpose }
    }

    /// Returns the command to run after a check of the file `prediction` against recordings. It
    /// inspects the recording of the first tenant (process) that was predicted wrong; if all were
    /// predicted right, it compares results and fails where a later one is worse. `recordings`
    /// holds (tenant, file).
    #[must_use]
    pub fn after_check(check: &Check, prediction: &str, recordings: &[(String, String)]) -> Self {
        let file = |tenant: &str| recordings.iter().find(|(of, _)| of == tenant);
        // Without an interval, a twentieth counts: as much as the gate below lets pass.
        let far = |of: &&CheckedTenant| of.error.is_some_and(|error| error.abs() > 0.05);
        let off = |of: &&CheckedTenant| of.within.map_or(far(of), |within| !within);
        match check.tenants.iter().filter(off).find_map(|of| file(&of.name)) {
            Some((_, file)) => {
                let purpose = "says what the recording holds, and why the device was idle in it";
                Self::about("inspect", &[file], Vec::new(), purpose)
            }
            None => {
                let figure = |judged: JudgedBy| match judged {
                    JudgedBy::Requests => "p99",
                    JudgedBy::Steps | JudgedBy::End => judged.word(),
                };
                let gate = check.tenants.first();
                let gate =
                    gate.map(|of| format!("--fail-if={} {} +5%", of.name, figure(of.judged)));
                let purpose = "fails where a later result is worse";
                Self::about("compare", &[prediction, AFTER], gate.into_iter().collect(), purpose)
            }
        }
    }

    /// Returns the command to run after results of replays were compared: one that checks the last
    /// result, in the file `path`, against recordings of its `processes`.
    #[must_use]
    pub fn after_compare(path: &str, recipe: Option<&str>, processes: &[&str]) -> Self {
        let recordings = processes.iter().map(|name| format!("{name}={RECORDING}"));
        let mut more: Vec<String> = recipe.iter().map(|of| format!("--recipe={of}")).collect();
        more.extend(processes.iter().any(|name| name.starts_with('-')).then(|| "--".to_owned()));
        more.extend(recordings);
        Self::about("check", &[path], more, "holds it against recordings")
    }

    /// Returns the command to run after two profiles were compared: one that inspects the second
    /// profile, in the file `other`.
    #[must_use]
    pub fn after_changes(other: &str) -> Self {
        Self::about("inspect", &[other], Vec::new(), "says why the device is idle in it")
    }

    /// Returns the command to run after the profiles of `study` were inspected: one that compares
    /// ways in which their programs can share a device. For a single profile the command names a
    /// second one, which the user has to fill in. Profiles of which too much is unknown, or can
    /// never run, for a replay without `--partial`, get that option.
    #[must_use]
    pub fn after_inspect(inspection: &Inspection, study: &Study, files: &dyn Files) -> Self {
        let mut study = Study { ways: Ways::Modes, ..study.clone() };
        let alone = inspection.profiles.len() < 2;
        for names in [&mut study.profiles, &mut study.given] {
            names.extend((alone && !names.is_empty()).then(|| OTHER.to_owned()));
        }
        let device = inspection.profiles.first().and_then(|of| of.device.as_ref());
        // A replay refuses profiles of which this much can never run.
        let too_large = |of: &InspectedProfile| {
            let all: u64 = of.by_kernel.iter().map(|kernel| kernel.times.total_ns).sum();
            let unfit = of.limits.as_ref().map_or(0, |it| it.unfit.total_ns);
            u128::from(unfit) * MUCH > u128::from(all)
        };
        study.shapes.partial |= inspection.profiles.iter().any(too_large);
        if study.device.is_none() && device.is_none_or(|of| is_unnamed(of.found)) {
            study.device = Some(DEVICE.to_owned());
        }
        let [given, bare] =
            [FileNames::Given, FileNames::Bare(files)].map(|names| study.command("share", &names));
        Self { given, bare, purpose: "asks which way of sharing the device suits them" }
    }

    /// Returns the command as one line, quoted for a POSIX shell; files are named without their
    /// folders.
    #[must_use]
    pub fn command(&self) -> String {
        shell_posix(&self.bare)
    }

    /// Returns the command and a comment with its purpose as lines for these shells, of at most 100
    /// characters where no word is longer and a POSIX shell reads them. Paths of files are as the
    /// user wrote them.
    #[must_use]
    pub fn lines(&self, of: Shell) -> Vec<String> {
        let purpose = format!("    # {}", self.purpose);
        // Neither `cmd` nor PowerShell knows a backslash at the end of a line, nor `cmd` a comment.
        if of == Shell::Windows {
            return vec![of.line(&self.given), purpose];
        }
        let mut lines = Vec::new();
        let mut line = String::new();
        for word in &self.given {
            let word = of.quoted(word);
            if !line.is_empty() && line.chars().count() + word.chars().count() > COLUMNS {
                lines.push(format!("{line} \\"));
                line = format!("  {word}");
            } else {
                line += if line.is_empty() { "" } else { " " };
                line += &word;
            }
        }
        if line.chars().count() + purpose.chars().count() > COLUMNS {
            lines.extend([line, purpose]);
        } else {
            lines.push(line + &purpose);
        }
        lines
    }
}

impl Studied {
    /// Returns the command that the study's verdict (recommendation) proposes to run next, with a
    /// comment on its purpose, as lines for a shell. Paths of files are as the user wrote them.
    /// `folder` is the folder with the files of this result; `None` where none were written.
    #[must_use]
    pub fn next_command(&self, folder: Option<&Path>) -> Vec<String> {
        let folder = folder.map(|folder| folder.display().to_string());
        self.prepared.next(&self.result, folder.as_deref(), &FileNames::Given).lines(Shell::HERE)
    }

    /// Returns the command that tells, on the device, which of two ways is better between which the
    /// verdict cannot decide, as lines for a shell. Paths of files are as the user wrote them.
    /// Empty where the verdict decides, its doubt has another cure, or the command needs files of
    /// this result. `folder` is the folder with these files; `None` where none were written.
    #[must_use]
    pub fn settling_command(&self, folder: Option<&Path>) -> Vec<String> {
        let verdict = &self.result.answer.verdict;
        let is_open = verdict.kind == VerdictKind::Either && verdict.by_trial;
        let folder = folder.map(|folder| folder.display().to_string());
        let settles = settles(&self.prepared, &self.result, folder.as_deref(), &FileNames::Given);
        settles.filter(|_| is_open).map_or_else(Vec::new, |next| next.lines(Shell::HERE))
    }
}

impl Prepared {
    /// Returns the command to run after a study, chosen by its verdict: a study with another device
    /// or other recipes, a test of the answer on a real device, or an inspection of the profiles.
    /// `prediction` names the file or folder of the result; `None` where it was not written.
    pub(crate) fn next(
        &self,
        result: &ReplayResult,
        prediction: Option<&str>,
        names: &FileNames<'_>,
    ) -> NextCommand {
        let asked = self.asked();
        let verdict = &result.answer.verdict;
        if asked.device.is_none() && result.profiles.iter().any(|of| is_unnamed(of.device.found)) {
            return elsewhere(asked, names, "names the device of the profiles");
        }
        match verdict.kind {
            VerdictKind::OtherVendor => {
                elsewhere(asked, names, "replays on a device of that vendor")
            }
            VerdictKind::OneRecipe if !asked.recipes.is_empty() => {
                let study = Study { recipes: Vec::new(), ..asked.clone() };
                NextCommand::new(study.command("replay", names), "compares it with others")
            }
            VerdictKind::NoGoalMet => match &result.load_limit_left_out {
                Some(left_out) => {
                    let given = matches!(names, FileNames::Given);
                    let words = if given { &left_out.given } else { &left_out.command };
                    NextCommand::new(words.clone(), "finds the load at which the goals hold")
                }
                None => elsewhere(asked, names, "tries another device"),
            },
            VerdictKind::Use
            | VerdictKind::NoDriver
            | VerdictKind::Stay
            | VerdictKind::Either
            | VerdictKind::BelowError
                if self.profiles().len() > 1 =>
            {
                tried(self, result, prediction, names)
            }
            _ => {
                let words = inspect(asked, names);
                NextCommand::new(words, "says what is in the profiles, and why the device is idle")
            }
        }
    }
}

/// Returns whether the device of a profile is not really known: it was guessed, or the profile
/// counts as recorded on the device that the replay simulates.
const fn is_unnamed(found: DeviceFound) -> bool {
    matches!(found, DeviceFound::Guessed | DeviceFound::StandIn | DeviceFound::Strange)
}

/// Returns the command that runs the study again on another device, which the user has to fill in.
fn elsewhere(asked: &Study, names: &FileNames<'_>, purpose: &'static str) -> NextCommand {
    let study = Study { device: Some(DEVICE.to_owned()), ..asked.clone() };
    NextCommand::new(study.command("replay", names), purpose)
}

fn inspect(asked: &Study, names: &FileNames<'_>) -> Vec<String> {
    let study = Study {
        profiles: asked.profiles.clone(),
        given: asked.given.clone(),
        ranks: asked.ranks.clone(),
        shapes: asked.shapes.clone(),
        ..Study::default()
    };
    study.command("inspect", names)
}

/// Returns the command that measures on the device which of two ways of sharing it is better.
/// `None` where the verdict does not leave two ways open, or `raddle calibrate pair` cannot measure
/// both.
fn measured(asked: &Study, result: &ReplayResult, names: &FileNames<'_>) -> Option<Vec<String>> {
    let answer = &result.answer;
    let [one, other] = [answer.verdict.recipe.as_ref()?, answer.verdict.or.as_ref()?];
    let row = |name: &String| answer.rows.iter().position(|row| row.recipe == *name);
    let given = if asked.given.is_empty() { &asked.profiles } else { &asked.given };
    let (true, [a, b]) = (answer.is_measurable([row(one)?, row(other)?]), &given[..]) else {
        return None;
    };
    // `calibrate pair` calls the program with requests A.
    let is_a = answer.processes.first().is_some_and(|it| it.judged == JudgedBy::Requests);
    let way = |recipe: &String| {
        let way = way_of(recipe)?;
        let percents = way.strip_prefix("mps-").and_then(|of| of.split_once('-'));
        let turned = percents.filter(|_| !is_a).map(|(one, other)| format!("mps-{other}-{one}"));
        Some(format!("--way={}", turned.unwrap_or(way)))
    };
    let [a, b] = if is_a { [a, b] } else { [b, a] };
    let profiles =
        [("a", a), ("b", b)].map(|(at, file)| format!("--profile-{at}={}", names.file(file)));
    let mut words = ["raddle", "calibrate", "pair"].map(str::to_owned).to_vec();
    words.extend(profiles);
    words.extend([way(one)?, way(other)?]);
    words.extend(["--", PROGRAM, "--", PROGRAM].map(str::to_owned));
    Some(words)
}

/// Returns the command that tests the study's answer on the real device, by recordings of the
/// processes side by side. If something is missing for that test, it is the command that provides
/// it. What tells two ways apart comes before the question whether they fit into the memory.
fn tried(
    prepared: &Prepared,
    result: &ReplayResult,
    prediction: Option<&str>,
    names: &FileNames<'_>,
) -> NextCommand {
    let asked = prepared.asked();
    let verdict = &result.answer.verdict;
    if verdict.kind == VerdictKind::Either
        && verdict.by_trial
        && let Some(settles) = settles(prepared, result, prediction, names)
    {
        return settles;
    }
    let unknown = prepared.profiles().iter().filter(|of| of.memory().is_none());
    let unknown: Vec<String> = unknown.map(|of| format!("--memory={}={SIZE}", of.name)).collect();
    if !unknown.is_empty() {
        let mut words = asked.command("replay", names);
        words.extend(unknown);
        return NextCommand::new(words, "tells whether they fit into the memory");
    }
    if result.no_driver.as_ref().is_some_and(|it| it.nearest.is_some()) {
        let (recipes, settings) = (Vec::new(), Vec::new());
        let study = Study { ways: Ways::Modes, recipes, settings, ..asked.clone() };
        let purpose = "compares the ways that a driver offers";
        return NextCommand::new(study.command("share", names), purpose);
    }
    settles(prepared, result, prediction, names).unwrap_or_else(|| {
        NextCommand::new(asked.command("replay", names), "keeps the answer in files")
    })
}

/// Returns the command that settles on the real device whether the study's answer is right, the one
/// that tells most first: `calibrate pair` measures both programs under two ways that the verdict
/// leaves open, where it can; else `check` compares recordings of the programs together with the
/// answer. `None` where that needs the answer in files, and `prediction` names none.
///
/// The command is the same for every doubt (contention, kernels of unknown need, turns, chance).
fn settles(
    prepared: &Prepared,
    result: &ReplayResult,
    prediction: Option<&str>,
    names: &FileNames<'_>,
) -> Option<NextCommand> {
    if let Some(words) = measured(prepared.asked(), result, names) {
        return Some(NextCommand::new(words, "measures both programs under both ways"));
    }
    let processes: Vec<&str> = prepared.profiles().iter().map(|of| &*of.name).collect();
    let together = "with recordings of them running together";
    let prediction = prediction?;
    let recording = |(at, name): (usize, &&str)| {
        let other = match processes.as_slice() {
            [_, other] if at == 0 => other,
            [other, _] => other,
            _ => "others",
        };
        format!("{name}={name}-beside-{other}.json.gz")
    };
    let recordings: Vec<String> = processes.iter().enumerate().map(recording).collect();
    let mut words = ["raddle", "check"].map(str::to_owned).to_vec();
    words.push(operand(prediction.to_owned()));
    words.extend(recordings.iter().any(|it| it.starts_with('-')).then(|| "--".to_owned()));
    words.extend(recordings);
    Some(NextCommand::new(words, together))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of files that a shell could read as something else, each with the word that POSIX
    /// shells, and that `cmd` and PowerShell, are given.
    const HOSTILE: [(&str, &str, &str); 8] = [
        ("my runs.csv", "'my runs.csv'", "\"my runs.csv\""),
        ("$(calc)`id`.csv", "'$(calc)`id`.csv'", "\"`$(calc)``id``.csv\""),
        ("a;calc&b|c.csv", "'a;calc&b|c.csv'", "\"a;calc&b|c.csv\""),
        ("x\";calc;\".csv", "'x\";calc;\".csv'", "\"x\"\";calc;\"\".csv\""),
        ("it's.csv", "'it'\\''s.csv'", "\"it's.csv\""),
        ("%PATH%.csv", "%PATH%.csv", "\"?PATH?.csv\""),
        ("a\nrm -r b.csv", "$'a\\nrm -r b.csv'", "\"a?rm -r b.csv\""),
        ("-x.csv", "./-x.csv", "./-x.csv"),
    ];

    #[test]
    fn a_command_is_one_word_a_file_for_each_shell() {
        for (file, posix, windows) in HOSTILE {
            let next = NextCommand::after_changes(file);
            let line = format!("raddle inspect {posix}    # says why the device is idle in it");
            assert_eq!(next.lines(Shell::Posix), [line]);
            let lines = [format!("raddle inspect {windows}"), format!("    # {}", next.purpose)];
            assert_eq!(next.lines(Shell::Windows), lines);
        }
    }

    /// Checks that a long command goes on behind a backslash for POSIX shells, and for `cmd` and
    /// PowerShell stays on one line, with its purpose on a line of its own.
    #[test]
    fn a_long_command_is_broken_for_posix_shells_alone() {
        let files = HOSTILE.map(|(file, ..)| file);
        let next = NextCommand::about("inspect", &files.repeat(2), Vec::new(), "says much");
        let lines = next.lines(Shell::Posix);
        let (last, before) = lines.split_last().expect("there are lines");
        assert!(before.len() > 1 && last.ends_with("    # says much"), "{lines:#?}");
        assert!(before.iter().all(|line| line.ends_with(" \\")), "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS + 2), "{lines:#?}");
        let joined: Vec<&str> =
            lines.iter().map(|line| line.trim_end_matches('\\').trim()).collect();
        assert_eq!(joined.join(" "), format!("{}    # says much", Shell::Posix.line(&next.given)));
        let lines = next.lines(Shell::Windows);
        assert_eq!(lines, [Shell::Windows.line(&next.given), "    # says much".to_owned()]);
        assert!(lines.iter().all(|line| !line.contains(char::is_control)), "{lines:#?}");
    }
}
