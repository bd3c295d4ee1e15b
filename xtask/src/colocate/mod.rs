//! What does each way of taking work off cost beside urgent work, under each allocation policy?
//!
//! Replays a training profile at a low level beside an inference request that is repeated at a high
//! one, and writes the figures between the marks of `docs/policies/preempt.md`, with the commit at
//! which they were measured. Simulated: the machine on which it runs changes nothing but the minutes.

mod json;
mod recipes;
mod tables;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{shell, workspace};
use json::Json;
use recipes::{ALLOCATE, WAYS};
use tables::{Beside, Cell};

/// The page with the marks.
const PAGE: &str = "docs/policies/preempt.md";
/// How the name of the training profile begins.
const TRAINING: &str = "hta_trace_diff_test_v100";
/// The bundled request.
const REQUEST: &str = "crates/raddle/data/profile/infer.csv";
/// The device, and who is urgent: what every replay here is told.
const COMMON: [&str; 10] = [
    "--device",
    "b200",
    "--comm",
    "fixed",
    "--priority",
    "hta*=5",
    "--priority",
    "infer*=0",
    "--idempotent",
    "*=yes",
];
/// What may not be killed in the run that asks how much a verdict matters.
const NOT_KILLED: [&str; 4] = ["--idempotent", "*backward*=no", "--idempotent", "*nccl*=no"];
/// The request again when the one before has ended.
const ARRIVALS: &str = r#"{"tasks": [{"id": "infer", "load": {"type": "continuous"}}]}"#;

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    shell::no_arguments(rest)?;
    let Some(training) = training() else {
        println!("skipped: no profile {TRAINING}* in ../shared/traces or RADDLE_SAMPLES");
        return Ok(());
    };
    // Before the build and the minutes that follow: whatever is committed meanwhile was not measured.
    let commit = commit();
    let mut cargo = shell::cargo();
    shell::run(cargo.args(["build", "--release", "-p", "raddle"]))?;
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace::root().join("target"), PathBuf::from);
    let folder = target.join("colocate");
    let run = Replays { raddle: target.join("release/raddle"), training, folder };
    run.prepare()?;
    let mut columns = Vec::new();
    for allocate in ALLOCATE {
        columns.push(run.column(allocate)?);
    }
    let beside = run.beside(&columns)?;
    let page = workspace::root().join(PAGE);
    let there = fs::read_to_string(&page).map_err(|why| format!("{PAGE}: {why}"))?;
    let filled = tables::fill(&there, &commit, &columns, &beside)?;
    fs::write(&page, filled).map_err(|why| format!("{PAGE}: {why}"))?;
    println!("written into {PAGE}; read its prose against the tables");
    Ok(())
}

/// The training profile, wherever below the samples it lies.
fn training() -> Option<PathBuf> {
    let samples = env::var_os("RADDLE_SAMPLES")
        .map_or_else(|| workspace::root().join("../shared/traces"), PathBuf::from);
    let mut folders = vec![samples];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if entry.file_name().to_string_lossy().starts_with(TRAINING) {
                found.push(path);
            }
        }
    }
    found.into_iter().min()
}

/// The commit, and whether anything but documentation differs from it.
fn commit() -> String {
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(args).current_dir(workspace::root());
        shell::output(&mut git).map(|text| text.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    let changed =
        git(&["status", "--porcelain", "--", "crates", "xtask", "Cargo.toml", "Cargo.lock"]);
    let clean = changed.is_some_and(|changed| changed.is_empty());
    if clean { commit } else { format!("{commit} with changes") }
}

/// The replays.
struct Replays {
    raddle: PathBuf,
    training: PathBuf,
    /// Where recipes lie.
    folder: PathBuf,
}

impl Replays {
    /// Writes every recipe and the arrivals.
    fn prepare(&self) -> Result<(), String> {
        let write = |name: &str, text: &str| {
            let path = self.folder.join(name);
            fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))
        };
        fs::create_dir_all(&self.folder)
            .map_err(|why| format!("{}: {why}", self.folder.display()))?;
        write("load.json", ARRIVALS)?;
        for allocate in ALLOCATE {
            for way in WAYS {
                write(&way.file(allocate), &way.recipe(allocate))?;
            }
        }
        Ok(())
    }

    /// One allocation policy, one cell a way.
    fn column(&self, allocate: &str) -> Result<Vec<Cell>, String> {
        let files: Vec<String> = WAYS.iter().map(|way| way.file(allocate)).collect();
        println!("{allocate}: {} runs and each process alone", files.len());
        let report = self.together(&files, &[])?;
        (0..files.len()).map(|at| Cell::read(&report, at)).collect()
    }

    /// Training and requests under these recipes.
    fn together(&self, recipes: &[String], more: &[&str]) -> Result<Json, String> {
        let arrivals = format!("infer={}", self.folder.join("load.json").display());
        let mut command = self.replay(&[&self.training, Path::new(REQUEST)], recipes);
        command.args(more).args(["--arrivals", &arrivals]);
        answer(&mut command)
    }

    fn replay(&self, profiles: &[&Path], recipes: &[String]) -> Command {
        let mut command = Command::new(&self.raddle);
        command.current_dir(workspace::root()).arg("replay").args(profiles).args(COMMON);
        for recipe in recipes {
            command.arg("--recipe").arg(self.folder.join(recipe));
        }
        command.args(["--no-files", "--format", "json"]);
        command
    }

    /// The figures of the prose that stand in no table.
    fn beside(&self, columns: &[Vec<Cell>]) -> Result<Beside, String> {
        let file = |name: &str| {
            let way = WAYS.iter().find(|way| way.name == name);
            way.map(|way| way.file(ALLOCATE[0])).ok_or_else(|| format!("no way {name}"))
        };
        let alone = answer(&mut self.replay(&[Path::new(REQUEST)], &[file("`switch`")?]))?;
        let verdict = self.together(&[file("`reset`")?], &NOT_KILLED)?;
        Beside::read(&alone, &Cell::read(&verdict, 0)?, columns)
    }
}

/// What raddle prints.
fn answer(command: &mut Command) -> Result<Json, String> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|why| format!("raddle could not be started: {why}"))?;
    if !output.status.success() {
        return Err(format!("raddle replay failed ({}); its own message is above", output.status));
    }
    Json::parse(&String::from_utf8_lossy(&output.stdout))
}
