//! Which traces of a job, one for each rank (process of the job), does a folder or a tar archive
//! hold, and which of them are wanted?

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use raddle_trace::{archive_members, rank_of_trace};

use crate::Console;
use crate::error::CliError;

/// The options for folders with the traces of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct RankArgs {
    /// Where PROFILE is a folder or a tar archive with the traces of one job (`rank0.json.gz`,
    /// ...): this rank, or `all`, each as a process; may be repeated
    #[arg(long = "rank", value_name = "N|all")]
    pub(crate) ranks: Vec<RankChoice>,
}

/// Choice of ranks (the numbered processes of one distributed job): all of a job, or one by its
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankChoice {
    All,
    One(u32),
}

impl fmt::Display for RankChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::One(rank) => write!(f, "{rank}"),
        }
    }
}

impl FromStr for RankChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rank = || text.parse().map(Self::One);
        if text == "all" { Ok(Self::All) } else { rank() }
            .map_err(|_| "it is neither a rank, from 0, nor `all`".to_owned())
    }
}

impl RankArgs {
    /// Returns the files to which the paths lead: a file itself, or, for a folder or an archive,
    /// the traces of the wanted ranks (processes of one job) in it.
    ///
    /// # Errors
    /// If a folder holds no trace, or none of a wanted rank, or no rank was named.
    pub(crate) fn files(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
        let (mut files, mut several) = (Vec::new(), false);
        for path in paths {
            match members(path)? {
                Some(members) => {
                    several = true;
                    files.extend(self.chosen(path, members)?.into_iter().map(|(_, file)| file));
                }
                None => files.push(path.clone()),
            }
        }
        if !self.ranks.is_empty() && !several {
            let text = "--rank chooses among the traces in a folder or a tar archive, and no profile is one";
            return Err(CliError::Usage(text.to_owned()));
        }
        Ok(files)
    }

    /// Returns the files to which the paths lead, and prints on the error stream which traces
    /// without a rank are left out.
    ///
    /// # Errors
    /// As [`Self::files`], and if nothing can be printed.
    pub(crate) fn told_files(
        &self,
        paths: &[PathBuf],
        console: &mut Console,
    ) -> Result<Vec<PathBuf>, CliError> {
        let files = self.files(paths)?;
        for path in paths {
            let Some(members) = members(path)? else { continue };
            let others = without_ranks(path, members);
            let Some(first) = others.first() else { continue };
            let (shown, first) = (path.display(), first.display());
            let who = match others.len() {
                1 => format!("{first} names no rank and is left out"),
                all => format!("{first} and {} more name no rank and are left out", all - 1),
            };
            console.warn(&format!(
                "{shown}: {who} beside the traces of ranks: name the files to take all"
            ));
        }
        Ok(files)
    }

    fn chosen(
        &self,
        folder: &Path,
        members: Vec<PathBuf>,
    ) -> Result<Vec<(u32, PathBuf)>, CliError> {
        let traces = traces(folder, members)?;
        let shown = folder.display();
        if let [a, b] = traces.windows(2).find(|pair| pair[0].0 == pair[1].0).unwrap_or_default() {
            let (rank, a, b) = (a.0, a.1.display(), b.1.display());
            let text =
                format!("{shown} holds two traces of rank {rank}, {a} and {b}: name the files");
            return Err(CliError::Refused(text));
        }
        let ranks: Vec<String> = traces.iter().map(|(rank, _)| rank.to_string()).collect();
        let ranks = ranks.join(", ");
        if self.ranks.is_empty() {
            return match traces.len() {
                1 => Ok(traces),
                _ => Err(CliError::Usage(format!(
                    "{shown} holds the traces of ranks {ranks}: choose one with --rank {}, or take each as a process with --rank all",
                    traces[0].0
                ))),
            };
        }
        let mut chosen = Vec::new();
        for choice in &self.ranks {
            let before = chosen.len();
            let wanted = |(rank, _): &&(u32, PathBuf)| match choice {
                RankChoice::All => true,
                RankChoice::One(wanted) => rank == wanted,
            };
            chosen.extend(traces.iter().filter(wanted).cloned());
            if let (true, RankChoice::One(rank)) = (chosen.len() == before, choice) {
                let text = format!("{shown} holds no trace of rank {rank}, only of {ranks}");
                return Err(CliError::Usage(text));
            }
        }
        Ok(chosen)
    }
}

/// Lists the files in a folder or a tar archive; `None` if the path is neither.
fn members(path: &Path) -> Result<Option<Vec<PathBuf>>, CliError> {
    if !path.is_dir() {
        return Ok(archive_members(path));
    }
    let (mut files, mut folders) = listed(path)?;
    folders.retain(|folder| rank_of(&lower_case_name(folder)).is_some());
    for folder in folders {
        files.extend(listed(&folder)?.0);
    }
    Ok(Some(files))
}

/// Lists the files and the subfolders of a folder, as two lists.
fn listed(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), CliError> {
    let unreadable = |cause| CliError::Unreadable { file: folder.display().to_string(), cause };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let entries: Result<Vec<PathBuf>, _> = entries.map(|entry| Ok(entry?.path())).collect();
    let (folders, mut files): (Vec<_>, Vec<_>) =
        entries.map_err(unreadable)?.into_iter().partition(|path| path.is_dir());
    files.retain(|file| file.is_file());
    Ok((files, folders))
}

fn lower_case_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Returns those files that may be traces of a job, each as (name in lower case, path).
fn candidates(members: Vec<PathBuf>) -> Vec<(String, PathBuf)> {
    let mut files: Vec<(String, PathBuf)> = members
        .into_iter()
        .filter(|path| !of_macos(path))
        .map(|path| (lower_case_name(&path), path))
        .collect();
    // A trace of the capture of graphs holds no runs; `--shapes-from` takes such a trace.
    files.retain(|(name, _)| !name.contains("capture"));
    files.sort();
    files
}

/// Returns the rank (number of a process of a job) that stands in the name of a file, or else in
/// the name of a subfolder of `folder` around it; `None` where neither has one.
fn named_rank(folder: &Path, (name, path): &(String, PathBuf)) -> Option<u32> {
    let around = || path.parent().filter(|parent| *parent != folder && is_json(name));
    rank_of(name).or_else(|| rank_of(&lower_case_name(around()?)))
}

fn is_json(name: &str) -> bool {
    name.trim_end_matches(".gz").ends_with(".json")
}

/// Returns the JSON files whose names have no rank (number of a process of a job), if the names of
/// other files have one; else none.
fn without_ranks(folder: &Path, members: Vec<PathBuf>) -> Vec<PathBuf> {
    let (named, others): (Vec<_>, Vec<_>) =
        candidates(members).into_iter().partition(|file| named_rank(folder, file).is_some());
    let json = others.into_iter().filter(|(name, _)| is_json(name)).map(|(_, path)| path);
    if named.is_empty() { Vec::new() } else { json.collect() }
}

/// Returns the traces among the files of a folder, each as (rank, path). Traces are files that have
/// a rank in their own name or in that of their subfolder. If there are none, traces are the JSON
/// files whose content names a rank; a single JSON file has rank 0.
fn traces(folder: &Path, members: Vec<PathBuf>) -> Result<Vec<(u32, PathBuf)>, CliError> {
    let files = candidates(members);
    let named = files.iter().filter_map(|file| Some((named_rank(folder, file)?, file.1.clone())));
    let mut traces: Vec<(u32, PathBuf)> = named.collect();
    traces.sort();
    if !traces.is_empty() {
        return Ok(traces);
    }
    let files: Vec<PathBuf> =
        files.into_iter().filter(|(name, _)| is_json(name)).map(|(_, path)| path).collect();
    let shown = folder.display();
    match files.as_slice() {
        [] => {
            let kind = if folder.is_dir() { "folder" } else { "tar archive" };
            Err(CliError::Refused(format!(
                "{shown} is a {kind} without traces: name the profile file, or a folder or tar archive with those of one job (rank0.json.gz, ...)"
            )))
        }
        [only] => Ok(vec![(0, only.clone())]),
        [first, ..] => told_ranks(&files).ok_or_else(|| {
            CliError::Usage(format!(
                "{shown} holds {} traces, and neither their names nor their `distributedInfo` say that they are ranks of one job: name one, such as {}",
                files.len(),
                first.display()
            ))
        }),
    }
}

/// Returns the files, each with the rank that its content names, in the order of the ranks; `None`
/// where a file names none, or two files name one rank.
fn told_ranks(files: &[PathBuf]) -> Option<Vec<(u32, PathBuf)>> {
    let rank = |file: &PathBuf| Some((rank_of_trace(file)?, file.clone()));
    let mut traces: Vec<(u32, PathBuf)> = files.iter().map(rank).collect::<Option<_>>()?;
    traces.sort();
    let distinct = traces.windows(2).all(|pair| pair[0].0 != pair[1].0);
    distinct.then_some(traces)
}

/// Returns whether a file is an AppleDouble file, which macOS adds for each real file when it packs
/// a folder.
fn of_macos(path: &Path) -> bool {
    lower_case_name(path).starts_with("._")
        || path.components().any(|part| part.as_os_str() == "__MACOSX")
}

/// Returns the rank (number of a process of a job) in a file's name, which is in lower case:
/// `rank0`, `rank-1`, `rank_2`, `x-tp-3`. `None` where the name has none.
fn rank_of(name: &str) -> Option<u32> {
    let behind = |word: &str| {
        let mut parts = name.match_indices(word);
        parts.find_map(|(at, _)| {
            let rest = name[at + word.len()..].trim_start_matches(['-', '_', '.', '=']);
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            rest[..digits].parse().ok()
        })
    };
    behind("rank").or_else(|| behind("-tp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_ranks() {
        for (name, rank) in [
            ("rank0.json.gz", Some(0)),
            ("rank-12.json.gz", Some(12)),
            ("trace_rank_3_step_100.json", Some(3)),
            ("rank7.1773709742341309550.pt.trace.json.gz", Some(7)),
            ("1753-tp-1.trace.json.gz", Some(1)),
            ("worker0.pt.trace.json.gz", None),
            ("rank.json", None),
            ("http-1.json", None),
        ] {
            assert_eq!(rank_of(name), rank, "{name}");
        }
    }
}
