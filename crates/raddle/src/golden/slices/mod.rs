//! Which tasks are loaded, and for how long does each run (seed 004)?
//!
//! `{"t0":40,"capacity":3,"rule":"claim","tasks":[{"name":"a","level":3,"created":0,"ran":5}],
//! "now":60}`: levels count from 1, the best. With `"run"` the GPU runs them, one at a time.

mod exact;

use std::collections::BTreeSet;

use raddle_golden::slices::{Exclusive, GpuTask, TaskId};
use raddle_policy::{Level, Tick, Ticks};
use raddle_timeslice::{
    LoadedProcess, PoolEntry, SliceError, SliceRule, SliceSettings, StageOne, StageTwo,
};
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::Value;

use super::fault::{Fault, Kind};
use super::json;
use super::read::{Fields, integer, list, wrong_type};

/// The levels of the seed.
const LEVELS: u64 = 16;
/// More slices than this are not run: that would take minutes.
const MOST_SLICES: u64 = 100_000_000;

/// One question, read.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) t0: u64,
    pub(crate) capacity: usize,
    pub(crate) rule: SliceRule,
    pub(crate) longest: Option<u64>,
    pub(crate) now: u64,
    pub(crate) tasks: Vec<Asked>,
    /// Until when it is run, if at all.
    pub(crate) until: Option<u64>,
}

/// A task.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) name: String,
    /// From 1.
    pub(crate) level: u8,
    pub(crate) created: u64,
    pub(crate) ran: u64,
    pub(crate) share: u64,
    /// What is left of it in a run; `None` = endless.
    work: Option<u64>,
}

/// What both stages decide.
#[derive(Debug)]
pub(crate) struct Decided {
    /// Positions of the candidates.
    pub(crate) candidates: Vec<usize>,
    pub(crate) loaded: Vec<LoadedProcess>,
    pub(crate) weights: Vec<String>,
    pub(crate) slices: Vec<String>,
    pub(crate) ticks: Vec<u128>,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) ran: Vec<u64>,
    pub(crate) rounds: u64,
    /// Position and time.
    pub(crate) completed: Vec<(usize, u64)>,
}

#[derive(Serialize)]
struct Answer<'q> {
    candidates: Vec<&'q str>,
    loaded: Vec<&'q str>,
    weights: &'q [String],
    slices: &'q [String],
    ticks: &'q [u128],
    #[serde(flatten)]
    run: Option<Run<'q>>,
}

#[derive(Serialize)]
struct Run<'q> {
    ran: RanByName<'q>,
    rounds: u64,
    completed: Vec<(&'q str, u64)>,
}

/// Run times by name, in the order of the tasks.
struct RanByName<'q>(&'q [Asked], &'q [u64]);

impl Serialize for RanByName<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (task, ran) in self.0.iter().zip(self.1) {
            map.serialize_entry(&task.name, ran)?;
        }
        map.end()
    }
}

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    let question = question(fields)?;
    let decided = decide(&question)?;
    let ran = run(&question)?;
    Ok(answer_of(&question, &decided, ran.as_ref()))
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question, decided: &Decided, ran: Option<&Ran>) -> String {
    let name = |index: usize| question.tasks[index].name.as_str();
    let run = ran.map(|ran| Run {
        ran: RanByName(&question.tasks, &ran.ran),
        rounds: ran.rounds,
        completed: ran.completed.iter().map(|&(index, at)| (name(index), at)).collect(),
    });
    json(&Answer {
        candidates: decided.candidates.iter().map(|&index| name(index)).collect(),
        loaded: decided.loaded.iter().map(|loaded| name(loaded.index)).collect(),
        weights: &decided.weights,
        slices: &decided.slices,
        ticks: &decided.ticks,
        run,
    })
}

/// What was read is within range, so this is only ever an overflow.
fn overflow(error: &SliceError, at: &str) -> Fault {
    Fault::new(Kind::Overflow, at, error.to_string())
}

/// Both stages, once.
pub(crate) fn decide(question: &Question) -> Result<Decided, Fault> {
    let Question { rule, longest, now, tasks, .. } = question;
    let t0 = Ticks(question.t0);
    let mut loaded = Vec::new();
    let one =
        StageOne::new(t0, question.capacity).map_err(|error| overflow(&error, "/capacity"))?;
    let entries = tasks.iter().map(|task| PoolEntry {
        level: Level(task.level - 1),
        share: task.share,
        alive: Ticks(now - task.created),
        ran: Ticks(task.ran),
    });
    let found = one.load(entries, &mut loaded);
    let level = found.map_or(0, |found| found.level.0 + 1);
    let candidates = (0..tasks.len()).filter(|&index| tasks[index].level == level).collect();
    let mut ticks = Vec::new();
    let two = StageTwo::new(t0, *rule, longest.map(Ticks));
    let two = two.map_err(|error| overflow(&error, "/longest"))?;
    two.slices(&loaded, &mut ticks).map_err(|error| {
        let at = match error {
            SliceError::Overflow { at } => loaded.get(at).map_or(0, |loaded| loaded.index),
            _ => 0,
        };
        overflow(&error, &format!("/tasks/{at}"))
    })?;
    let slices = exact::slices(*rule, question.t0, *longest, &loaded);
    Ok(Decided {
        candidates,
        weights: loaded.iter().map(|loaded| exact::weight(loaded).to_string()).collect(),
        slices: slices.iter().map(ToString::to_string).collect(),
        loaded,
        ticks,
    })
}

/// The exact sum of the weights.
pub(crate) fn sum(loaded: &[LoadedProcess]) -> String {
    let parts = loaded.iter().map(|l| (l.weight.over(), u128::from(l.weight.under())));
    exact::total(parts).to_string()
}

/// Runs the tasks on a GPU, if that is asked.
pub(crate) fn run(question: &Question) -> Result<Option<Ran>, Fault> {
    let Some(until) = question.until else { return Ok(None) };
    let settings = SliceSettings {
        longest: question.longest.map(Ticks),
        ..SliceSettings::new(Ticks(question.t0), question.capacity, question.rule)
    };
    let refused = |error: SliceError| overflow(&error, "/run");
    let mut gpu = Exclusive::new(&settings).map_err(refused)?;
    let now = Tick(question.now);
    gpu.advance(now, &mut |_| {});
    for (id, task) in (0..).zip(&question.tasks).filter(|(_, task)| task.work != Some(0)) {
        let (created, ran) = (Tick(task.created), Ticks(task.ran));
        let (level, share) = (Level(task.level - 1), task.share);
        let added = GpuTask { id: TaskId(id), level, share, created, ran };
        gpu.add(added, task.work.map(Ticks), now);
    }
    let mut ran: Vec<u64> = question.tasks.iter().map(|task| task.ran).collect();
    let mut completed = Vec::new();
    let mut see = |stretch: raddle_golden::slices::GpuStretch| {
        let index = stretch.id.0 as usize;
        ran[index] += stretch.to.since(stretch.from).0;
        if stretch.completed {
            completed.push((index, stretch.to.0));
        }
    };
    gpu.advance(Tick(until), &mut see);
    if gpu.overflows() > 0 {
        let message = "a slice of this run is beyond 128 bits: give smaller shares or times";
        return Err(Fault::new(Kind::Overflow, "/run", message));
    }
    Ok(Some(Ran { ran, rounds: gpu.loads(), completed }))
}

const RULES: [(&str, SliceRule); 5] = [
    ("claim", SliceRule::Claim),
    ("equal", SliceRule::Equal),
    ("mean", SliceRule::Mean),
    ("inverse", SliceRule::Inverse),
    ("min-one", SliceRule::MinOne),
];

/// What a question asks for.
pub(crate) fn question(fields: &Fields<'_>) -> Result<Question, Fault> {
    fields.only(&["t0", "capacity", "rule", "longest", "tasks", "now", "run"])?;
    let t0 = fields.integer("t0", 1..=u64::MAX)?;
    let capacity = fields.integer("capacity", 1..=u64::MAX)?;
    let rule = fields.word("rule", &RULES)?;
    let longest = match fields.get("longest") {
        Ok(_) => Some(fields.integer("longest", t0..=u64::MAX)?),
        Err(_) => None,
    };
    let now = fields.integer("now", 0..=u64::MAX)?;
    let mut question = Question {
        t0,
        capacity: usize::try_from(capacity).unwrap_or(usize::MAX),
        rule,
        longest,
        now,
        tasks: tasks(fields, now)?,
        until: None,
    };
    if fields.get("run").is_ok() {
        let asked = fields.object("run")?;
        asked.only(&["until", "work"])?;
        let lasts = asked.integer("until", 0..=u64::MAX)?;
        works(&asked, &mut question.tasks)?;
        let at = asked.pointer("until");
        let until = now
            .checked_add(lasts)
            .ok_or_else(|| Fault::new(Kind::Overflow, &at, "`now` + `until` is beyond 64 bits"))?;
        let works = question.tasks.iter().map(|task| task.work.map(u128::from));
        let work = works.sum::<Option<u128>>().unwrap_or(u128::MAX);
        if work.min(lasts.into()) / u128::from(t0) > MOST_SLICES.into() {
            let message = format!(
                "the run has more than {MOST_SLICES} slices: give a shorter one or a longer `t0`"
            );
            return Err(Fault::new(Kind::OutOfRange, &at, message));
        }
        question.until = Some(until);
    }
    Ok(question)
}

fn tasks(fields: &Fields<'_>, now: u64) -> Result<Vec<Asked>, Fault> {
    let (value, at) = fields.get("tasks")?;
    let mut names = BTreeSet::new();
    let mut tasks = Vec::new();
    for (value, at) in list(value, &at)? {
        let task = task(&Fields::of(value, &at)?, now)?;
        if !names.insert(task.name.clone()) {
            let message = "two tasks have this name: give each its own";
            return Err(Fault::new(Kind::Inconsistent, &format!("{at}/name"), message));
        }
        tasks.push(task);
    }
    if tasks.is_empty() || u32::try_from(tasks.len()).is_err() {
        return Err(Fault::new(Kind::OutOfRange, &at, "`tasks` must hold 1 task or more"));
    }
    Ok(tasks)
}

fn task(fields: &Fields<'_>, now: u64) -> Result<Asked, Fault> {
    fields.only(&["name", "level", "created", "ran", "share"])?;
    let (value, at) = fields.get("name")?;
    let Value::String(name) = value else {
        return Err(wrong_type(&at, "the name of a task", value));
    };
    let level = fields.integer("level", 1..=LEVELS)?;
    let created = fields.integer("created", 0..=now)?;
    let ran = fields.integer("ran", 0..=now - created)?;
    let share = match fields.get("share") {
        Ok(_) => fields.integer("share", 1..=u64::MAX)?,
        Err(_) => 1,
    };
    let level = u8::try_from(level).unwrap_or(u8::MAX);
    Ok(Asked { name: name.clone(), level, created, ran, share, work: None })
}

/// Fills in what is left of each task. Names are taken as they are written.
fn works(run: &Fields<'_>, tasks: &mut [Asked]) -> Result<(), Fault> {
    let Ok((value, at)) = run.get("work") else { return Ok(()) };
    let Value::Object(works) = value else {
        return Err(wrong_type(&at, "an object", value));
    };
    let object = Fields::of(value, &at)?;
    for (name, value) in works {
        let at = object.pointer(name);
        let Some(task) = tasks.iter_mut().find(|task| task.name == *name) else {
            return Err(Fault::new(Kind::Inconsistent, &at, "there is no task of this name"));
        };
        if !value.is_null() {
            task.work = Some(integer(value, &at, "work", 0..=u64::MAX)?);
        }
    }
    Ok(())
}
