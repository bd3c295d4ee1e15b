//! Which tasks are chosen to run next, and for how long does each run (seed 004)?
//!
//! `{"t0":40,"capacity":3,"rule":"claim","tasks":[{"name":"a","level":3,"created":0,"ran":5}],
//! "now":60}`: levels count from 1, the best. With the key `run` the question also asks for a run
//! of the tasks on a GPU, one at a time.

mod exact;
mod exclusive;
mod explain;

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{Level, Tick, Ticks};
use raddle_read::{FaultKind, pointer};
use raddle_timeslice::{
    LoadOrder, LoadedProcess, PoolEntry, Reload, Shares, SliceConfig, SliceRule, StageOne,
    StageTwo, TakeOver,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use exclusive::{Exclusive, GpuStretch, GpuTask, TaskId};

use crate::explanation::Story;
use crate::fault::{Fault, check, fault, given, positive, read_at, within};
use crate::{Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "slices",
    // 60 minutes alive, of which 3 and 10 were run, in milliseconds.
    example: r#"{"t0":40,"capacity":3,"rule":"claim","tasks":[{"name":"a","level":3,"created":0,"ran":180000},{"name":"b","level":3,"created":0,"ran":600000},{"name":"c","level":5,"created":0,"ran":1}],"now":3600000}"#,
    solve,
};

/// Most slices of a simulated run of tasks; a longer run would take minutes.
const MOST_SLICES: u64 = 100_000_000;

#[derive(Debug, Deserialize)]
struct SlicesQuestion {
    #[serde(deserialize_with = "positive")]
    t0: u64,
    #[serde(deserialize_with = "positive")]
    capacity: u64,
    rule: SliceRule,
    #[serde(default, deserialize_with = "given")]
    longest: Option<u64>,
    #[serde(default)]
    shares: Shares,
    /// Order in which the tasks that were chosen to run get their slices; it matters only where the
    /// question asks for a run.
    #[serde(default)]
    order: LoadOrder,
    #[serde(default)]
    reload: Reload,
    #[serde(default)]
    take_over: TakeOver,
    tasks: Vec<SlicesTask>,
    now: u64,
    #[serde(default, deserialize_with = "given")]
    run: Option<AskedRun>,
}

#[derive(Debug, Deserialize)]
struct SlicesTask {
    name: String,
    /// Level of urgency of the task, counted from 1, the most urgent; the patent (seed 004) has 16
    /// levels.
    #[serde(deserialize_with = "within::<_, _, 1, 16>")]
    level: u8,
    created: u64,
    ran: u64,
    #[serde(default = "one", deserialize_with = "positive")]
    share: u64,
}

const fn one() -> u64 {
    1
}

#[derive(Debug, Deserialize)]
struct AskedRun {
    until: u64,
    /// Ticks of work left of each task, by name; a task that is missing, or `None`, is endless.
    #[serde(default)]
    work: BTreeMap<String, Option<u64>>,
    /// Ticks after `now` at which tasks are created, by name.
    #[serde(default)]
    arrives: BTreeMap<String, u64>,
}

impl AskedRun {
    fn work(&self, task: &SlicesTask) -> Option<u64> {
        self.work.get(&task.name).copied().flatten()
    }

    /// Returns how many ticks after `now` a task arrives; `None` for a task that is present at
    /// `now`.
    fn arrives(&self, task: &SlicesTask) -> Option<u64> {
        self.arrives.get(&task.name).copied()
    }
}

/// Decisions of both stages of patent 004: which tasks are chosen to run, and for how long
/// each runs.
#[derive(Debug)]
struct DecidedSlices {
    /// Indices, in the question's list of tasks, of the candidates: the tasks of the most urgent
    /// level, from which the tasks to run are chosen.
    candidates: Vec<usize>,
    loaded: Vec<LoadedProcess>,
    weights: Vec<String>,
    slices: Vec<String>,
    ticks: Vec<u128>,
}

/// Result of a run of tasks on the GPU: how long each task ran, and which completed when.
#[derive(Debug)]
struct SlicesRun {
    until: u64,
    ran: Vec<u64>,
    rounds: u64,
    /// Completed tasks, each as (index in the question's list of tasks, tick of completion).
    completed: Vec<(usize, u64)>,
}

#[derive(Serialize)]
struct SlicesAnswer<'q> {
    candidates: Vec<&'q str>,
    loaded: Vec<&'q str>,
    weights: &'q [String],
    slices: &'q [String],
    ticks: &'q [u128],
    #[serde(flatten)]
    run: Option<RunAnswer<'q>>,
}

#[derive(Serialize)]
struct RunAnswer<'q> {
    ran: RanByName<'q>,
    rounds: u64,
    completed: Vec<(&'q str, u64)>,
}

/// Run times of the tasks in ticks, written as a JSON object by name in the order of the tasks.
struct RanByName<'q>(&'q [SlicesTask], &'q [u64]);

impl Serialize for RanByName<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|task| &task.name).zip(self.1))
    }
}

fn question(value: &Value) -> Result<SlicesQuestion, Fault> {
    let question: SlicesQuestion = read_at(value, "")?;
    let SlicesQuestion { t0, now, ref tasks, .. } = question;
    if let Some(longest) = question.longest {
        check(longest, &(t0..=u64::MAX), "/longest")?;
    }
    if tasks.is_empty() || u32::try_from(tasks.len()).is_err() {
        let message = "`tasks` must hold 1 task or more";
        return Err(Fault::new(FaultKind::OutOfRange, "/tasks", message));
    }
    let mut names = BTreeSet::new();
    for (n, task) in tasks.iter().enumerate() {
        let at = |key| format!("/tasks/{n}/{key}");
        check(task.created, &(0..=now), &at("created"))?;
        check(task.ran, &(0..=now - task.created), &at("ran"))?;
        if !names.insert(&*task.name) {
            let message = "two tasks have this name: give each its own";
            return Err(Fault::new(FaultKind::Inconsistent, &at("name"), message));
        }
    }
    if let Some(run) = &question.run {
        if let Some(unknown) = run.work.keys().find(|name| !names.contains(&***name)) {
            let at = format!("/run/work{}", pointer(unknown));
            let message = "there is no task of this name";
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
        let refused = |kind, message: String| Err(Fault::new(kind, "/run/until", message));
        if now.checked_add(run.until).is_none() {
            return refused(FaultKind::Overflow, "`now` + `until` is beyond 64 bits".to_owned());
        }
        arrivals(run, tasks, now)?;
        let works = tasks.iter().map(|task| run.work(task).map(u128::from));
        let work = works.sum::<Option<u128>>().unwrap_or(u128::MAX);
        if work.min(run.until.into()) / u128::from(t0) > MOST_SLICES.into() {
            let message = format!(
                "the run has more than {MOST_SLICES} slices: give a shorter one or a longer `t0`"
            );
            return refused(FaultKind::OutOfRange, message);
        }
    }
    Ok(question)
}

/// Checks the tasks that arrive later: the question must give each of them `now` as its creation
/// and 0 as its run time. At least one task must be present at the tick `now`. Returns a fault
/// where that does not hold.
fn arrivals(run: &AskedRun, tasks: &[SlicesTask], now: u64) -> Result<(), Fault> {
    let inconsistent = |at: &str, message: &str| {
        Err(Fault::new(FaultKind::Inconsistent, &format!("/run/arrives{at}"), message))
    };
    if let Some(name) = run.arrives.keys().find(|name| !tasks.iter().any(|it| it.name == **name)) {
        return inconsistent(&pointer(name), "there is no task of this name");
    }
    for (n, task) in tasks.iter().enumerate().filter(|(_, task)| run.arrives(task).is_some()) {
        check(task.created, &(now..=now), &format!("/tasks/{n}/created"))?;
        check(task.ran, &(0..=0), &format!("/tasks/{n}/ran"))?;
    }
    if run.arrives.len() == tasks.len() {
        return inconsistent("", "one task at least must be there at `now`");
    }
    Ok(())
}

impl SlicesQuestion {
    /// Returns the indices of the tasks that are present at the question's tick `now`.
    fn present(&self) -> Vec<usize> {
        let later =
            |task: &SlicesTask| self.run.as_ref().and_then(|run| run.arrives(task)).is_some();
        (0..self.tasks.len()).filter(|&index| !later(&self.tasks[index])).collect()
    }

    fn capacity(&self) -> usize {
        usize::try_from(self.capacity).unwrap_or(usize::MAX)
    }
}

/// Makes both decisions of patent 004 once: the tasks that are chosen to run, and their
/// slices. All numbers were checked when they were read, so the only error is an overflow.
fn decide(question: &SlicesQuestion) -> Result<DecidedSlices, Fault> {
    let SlicesQuestion { rule, longest, now, tasks, .. } = question;
    let overflow = |at| fault(FaultKind::Overflow, at);
    let t0 = Ticks(question.t0);
    let mut loaded = Vec::new();
    let one = StageOne::new(t0, question.capacity()).map_err(overflow("/capacity"))?;
    let present = question.present();
    let entries = present.iter().map(|&index| &tasks[index]).map(|task| PoolEntry {
        level: Level(task.level - 1),
        share: task.share,
        alive: Ticks(now - task.created),
        ran: Ticks(task.ran),
    });
    let found = one.load(entries, &mut loaded);
    for it in &mut loaded {
        *it = LoadedProcess::new(present[it.index()], it.weight(), it.share());
    }
    let level = found.map_or(0, |found| found.0 + 1);
    let candidates = present.into_iter().filter(|&index| tasks[index].level == level).collect();
    let weights = loaded.iter().map(|loaded| exact::weight(loaded).to_string()).collect();
    if question.shares == Shares::Time {
        for it in &mut loaded {
            let weight = it.weight().times_share(it.share());
            *it = LoadedProcess::new(it.index(), weight, it.share());
        }
    }
    let mut ticks = Vec::new();
    let two = StageTwo::new(t0, *rule, longest.map(Ticks)).map_err(overflow("/longest"))?;
    two.slices(&loaded, &mut ticks).map_err(|error| {
        let at = error.task().and_then(|at| loaded.get(at)).map_or(0, |loaded| loaded.index());
        Fault::new(FaultKind::Overflow, &format!("/tasks/{at}"), error.to_string())
    })?;
    let slices = exact::slices(*rule, question.t0, *longest, &loaded);
    Ok(DecidedSlices {
        candidates,
        weights,
        slices: slices.iter().map(ToString::to_string).collect(),
        loaded,
        ticks,
    })
}

/// Returns the exact sum of the weights of the tasks that were chosen to run, as a fraction.
fn sum(loaded: &[LoadedProcess]) -> String {
    let parts = loaded.iter().map(|l| (l.weight().over(), u128::from(l.weight().under())));
    exact::total(parts).to_string()
}

/// Runs the tasks on a GPU; `None` where the question asks for no run. The error is a fault of the
/// question.
fn run(question: &SlicesQuestion) -> Result<Option<SlicesRun>, Fault> {
    let Some(asked) = &question.run else { return Ok(None) };
    let settings = SliceConfig::new(Ticks(question.t0), question.capacity(), question.rule)
        .with_longest(question.longest.map(Ticks))
        .with_shares(question.shares)
        .with_order(question.order)
        .with_reload(question.reload)
        .with_take_over(question.take_over);
    let mut gpu = Exclusive::new(&settings).map_err(fault(FaultKind::Overflow, "/run"))?;
    let until = Tick(question.now.saturating_add(asked.until));
    let mut ran: Vec<u64> = question.tasks.iter().map(|task| task.ran).collect();
    let mut completed = Vec::new();
    let mut each = |stretch: GpuStretch| {
        let index = stretch.id.0 as usize;
        ran[index] += stretch.to.since(stretch.from).0;
        if stretch.completed {
            completed.push((index, stretch.to.0));
        }
    };
    let mut comers: Vec<(u64, u32, &SlicesTask)> = (0..)
        .zip(&question.tasks)
        .map(|(id, task)| (asked.arrives(task).unwrap_or(0), id, task))
        .collect();
    comers.sort_unstable_by_key(|&(after, id, _)| (after, id));
    for (after, id, task) in comers {
        let (work, now) = (asked.work(task), Tick(question.now) + Ticks(after));
        gpu.advance(now.min(until), &mut each);
        if work == Some(0) || now > until {
            continue;
        }
        let created = asked.arrives(task).map_or(Tick(task.created), |_| now);
        let (level, share, ran) = (Level(task.level - 1), task.share, Ticks(task.ran));
        gpu.add(GpuTask { id: TaskId(id), level, share, created, ran }, work.map(Ticks), now);
    }
    gpu.advance(until, &mut each);
    if gpu.overflows() > 0 {
        let message = "a slice of this run is beyond 128 bits: give smaller shares or times";
        return Err(Fault::new(FaultKind::Overflow, "/run", message));
    }
    Ok(Some(SlicesRun { until: until.0, ran, rounds: gpu.loads(), completed }))
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let question = question(value)?;
    let decided = decide(&question)?;
    let ran = run(&question)?;
    if story.is_told() {
        explain::tell(&question, &decided, ran.as_ref(), story);
    }
    let name = |index: usize| question.tasks[index].name.as_str();
    let run = ran.as_ref().map(|ran| RunAnswer {
        ran: RanByName(&question.tasks, &ran.ran),
        rounds: ran.rounds,
        completed: ran.completed.iter().map(|&(index, at)| (name(index), at)).collect(),
    });
    Ok(json(&SlicesAnswer {
        candidates: decided.candidates.iter().map(|&index| name(index)).collect(),
        loaded: decided.loaded.iter().map(|loaded| name(loaded.index())).collect(),
        weights: &decided.weights,
        slices: &decided.slices,
        ticks: &decided.ticks,
        run,
    }))
}
