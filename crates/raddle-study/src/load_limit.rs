//! Up to which load (rate of requests) does a recipe meet all goals?
//!
//! The rates of all processes are scaled by one factor, in percent of the rates that the user asked
//! for, and replayed. The factor is doubled or halved, at most twice; then the interval that holds
//! the limit is cut into thirds, until it is a fifth of the load, or a twenty-fifth where there are
//! as many requests as a percentile needs. Which loads are replayed depends only on the results of
//! the loads before.

use raddle_sim::{Summary, Workload};

use crate::answer::{GoalLimit, GoalsJudged, PolicyFigures, PolicyRow, VerdictKind};
use crate::arrivals::{self, Load, SeedDraw};
use crate::error::StudyError;
use crate::open_load::{FEWEST, OpenLoad};
use crate::recipes::NamedRecipe;
use crate::replay::{Prepared, Surroundings};
use crate::result::{LoadLimit, LoadLimitLeftOut, RatedProcess, RecipeRun, ReplayResult};
use crate::runs::{Runner, RunsPlan};
use crate::study::{FileNames, Study, Ways};

/// Largest number of decisions of a replay for which the highest load that meets all goals is
/// searched. The search replays every load that it tries, up to ten, and a decision takes about a
/// microsecond. Decisions that are skipped with whole periods take no time and do not count.
const MOST_DECISIONS: u64 = 4_000_000;

/// Divisor that sets the precision of a search for the highest load (rate of requests) that meets
/// all goals: 5 stands for a fifth of the load. It is used where percentiles rest on few requests.
const NEAR: u32 = 5;
/// Divisor that sets the precision of a search for the highest load (rate of requests) that meets
/// all goals: 25 stands for 1/25 of the load. It is used where there are as many requests as
/// percentiles need.
const CLOSE: u32 = 25;

/// Bounds of the highest load (rate of requests) that meets all goals, in percent of the load that
/// the user asked for. `met` is the highest load known to meet all goals, `missed` the lowest known
/// to miss one; `None` where no such load is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Between {
    met: Option<u32>,
    missed: Option<u32>,
}

impl Between {
    /// Returns the loads (rates of requests) to replay next, in percent of the load that the user
    /// asked for; empty where the bounds are at most 1/`part` of the load apart, or the load was
    /// doubled or halved twice.
    fn next(self, part: u32) -> Vec<u32> {
        match (self.met, self.missed) {
            (Some(met @ 100..400), None) => vec![2 * met],
            (None, Some(missed @ 26..=100)) => vec![missed / 2],
            (Some(met), Some(missed)) if (missed - met) * part > missed && missed - met > 1 => {
                let third = ((missed - met) / 3).max(1);
                [met + third, met + 2 * third].into_iter().filter(|&load| load < missed).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Narrows the bounds by the results of replays, each given as (load in percent of what the
    /// user asked for, true if all goals were met).
    fn learn(&mut self, mut loads: Vec<(u32, bool)>) {
        loads.sort_unstable();
        // The limit is below the least load with a goal missed, whatever comes of higher ones.
        for (load, met) in loads {
            if self.missed.is_some_and(|missed| missed <= load) {
                continue;
            }
            match met {
                true => self.met = self.met.max(Some(load)),
                false if self.met.is_none_or(|met| met < load) => self.missed = Some(load),
                false => {}
            }
        }
    }
}

impl Prepared {
    /// Finds the highest load at which all goals are met under the recommended recipe, and stores
    /// it in `result`. Nothing is done without goals or without requests at a rate, nor where
    /// figures say nothing: the recording is of another vendor's device, or most of the work cannot
    /// run. Where the search would take too long, the command that would make it is stored instead.
    pub(crate) fn load_limit(
        &self,
        result: &mut ReplayResult,
        runs: &[RecipeRun],
        around: &Surroundings<'_>,
    ) -> Result<(), StudyError> {
        let answer = result.answer();
        let (load, _, recipes) = self.replayed();
        let rated = arrivals::rated(self.profiles(), load, around.files)?;
        let Some(&best) = result.compared().last() else { return Ok(()) };
        let is_lacking = answer.verdict.says_little && !runs[best].together.refused.is_empty();
        let says_nothing = answer.verdict.kind == VerdictKind::OtherVendor || is_lacking;
        if answer.goals.is_empty() || rated.is_empty() || says_nothing {
            return Ok(());
        }
        let met = answer.rows[best].goals_met.iter().all(|&met| met);
        let met = met && answer.rows[best].complete;
        let together = &runs[best].together;
        let decisions = together.counters.decisions.saturating_sub(together.skipped);
        if decisions > MOST_DECISIONS {
            let of = (&recipes[best], met);
            result.leave_out_load_limit(self.left_out(decisions, &rated, of, around));
            return Ok(());
        }
        let mut between = match met {
            true => Between { met: Some(100), missed: None },
            false => Between { met: None, missed: Some(100) },
        };
        // A refused launch may be the last of a request and is not counted in the request's time,
        // so runs at other loads are then not ended early.
        let exact = runs[best].together.refused.is_empty();
        let count = self.open().count(&runs[best].together).unwrap_or(FEWEST);
        // Few requests tell no loads apart that are closer than a fifth.
        let part = if count > FEWEST { CLOSE } else { NEAR };
        loop {
            let loads = between.next(part);
            let known = between;
            let of = (answer, best, exact);
            between.learn(self.judge_loads(&loads, (load, count, recipes), of, around)?);
            if between == known {
                break;
            }
        }
        let judged = |at: Option<u32>| match at {
            Some(at) => {
                let draw = self.draw((&load.scaled(at), count), around)?;
                self.judge_bounds(&draw, (answer, best, &recipes[best]), around).map(Some)
            }
            None => Ok(None),
        };
        let met_surely = judged(between.met)? == Some(GoalsJudged::Met);
        let missed_surely = judged(between.missed)? == Some(GoalsJudged::Missed);
        let names = rated.into_iter().map(|(at, per_s)| {
            let name = self.profiles()[at].name.clone();
            RatedProcess { name, per_s }
        });
        let limit = LoadLimit {
            recipe: answer.rows[best].recipe.clone(),
            met_percent: between.met,
            met_surely,
            missed_percent: between.missed,
            missed_surely,
            processes: names.collect(),
            until_ns: load.until,
        };
        result.limit_load(limit);
        Ok(())
    }

    /// Returns why no load limit of the recipe `best` was searched, with a command that would
    /// search it: one replay makes too many `decisions`. `met` is true if the recipe meets all
    /// goals at the load that was asked for.
    fn left_out(
        &self,
        decisions: u64,
        rated: &[(usize, f64)],
        (best, met): (&NamedRecipe, bool),
        around: &Surroundings<'_>,
    ) -> LoadLimitLeftOut {
        let of = |names| self.sweep_of_loads(rated, (best, met), &names);
        let (command, given) = (of(FileNames::Bare(around.files)), of(FileNames::Given));
        LoadLimitLeftOut { decisions, most: MOST_DECISIONS, command, given }
    }

    /// Returns the command of a sweep that finds the highest load at which the recipe `best` meets
    /// all goals. The sweep varies the request rate of the first process that has one. It goes up
    /// to four times that rate if the goals are met at the rate (`met`), else down to a quarter.
    fn sweep_of_loads(
        &self,
        rated: &[(usize, f64)],
        (best, met): (&NamedRecipe, bool),
        names: &FileNames<'_>,
    ) -> Vec<String> {
        let asked = self.asked();
        let study =
            Study { recipes: vec![best.given().to_owned()], ways: Ways::Asked, ..asked.clone() };
        let mut command = study.command("sweep", names);
        let Some(&(at, per_s)) = rated.first() else { return command };
        let own = |text: &&String| {
            let name = text.rsplit_once('=').map(|(name, _)| name);
            name.is_some_and(|name| self.profiles()[at].is(name))
        };
        let key = match asked.load.requests.as_slice() {
            [_] if asked.load.arrivals.is_empty() => "load".to_owned(),
            several => {
                let name = several.iter().find(own).and_then(|text| text.rsplit_once('='));
                format!("load.{}", name.map_or(&*self.profiles()[at].name, |(name, _)| name))
            }
        };
        let (from, to) = if met { (per_s, 4.0 * per_s) } else { (per_s / 4.0, per_s) };
        command.push(format!("--vary={key}={}..{}/s", rate(from), rate(to)));
        command.push("--out=loads.jsonl".to_owned());
        command
    }

    /// Replays a recipe at several loads (rates of requests), given in percent of the load that the
    /// user asked for. Returns (load, true if it meets all goals) for each load; loads whose
    /// requests cannot be run are left out.
    fn judge_loads(
        &self,
        loads: &[u32],
        (load, count, recipes): (&Load, u32, &[NamedRecipe]),
        (answer, best, exact): (&PolicyFigures, usize, bool),
        around: &Surroundings<'_>,
    ) -> Result<Vec<(u32, bool)>, StudyError> {
        let draws =
            loads.iter().map(|&percent| match self.draw((&load.scaled(percent), count), around) {
                Ok(draw) => Ok(Some((percent, draw))),
                Err(StudyError::Refused(_)) => Ok(None),
                Err(error) => Err(error),
            });
        let draws: Vec<Option<(u32, SeedDraw)>> = draws.collect::<Result<_, _>>()?;
        let (loads, draws): (Vec<u32>, Vec<SeedDraw>) = draws.into_iter().flatten().unzip();
        // The baseline is replayed too if a goal is relative to it.
        let relative = answer.goals.iter().any(|goal| matches!(goal.limit, GoalLimit::Longer(_)));
        let mut rows = vec![answer.baseline, best];
        rows.dedup();
        let rows = if relative { rows } else { vec![best] };
        let recipes: Vec<NamedRecipe> = rows.iter().map(|&at| recipes[at].clone()).collect();
        let goals = if relative || !exact { &[] } else { &*answer.goals };
        let plan = RunsPlan { recipes: &recipes, draws: &draws, goals, ..self.plan(around) };
        let found = Runner::new(plan)?.seeds(0..draws.len())?;
        let is_met = |at: usize| {
            let row = |(recipe, all): (usize, &Vec<Summary>)| {
                PolicyRow::new(&answer.rows[recipe].recipe, &answer.processes, &all[at])
            };
            let rows = rows.iter().copied().zip(&found).map(row).collect();
            let all = PolicyFigures::new(
                &answer.today,
                answer.processes.clone(),
                rows,
                answer.goals.clone(),
            );
            all.rows.last().is_some_and(|row| row.complete && row.goals_met.iter().all(|&met| met))
        };
        Ok(loads.iter().enumerate().map(|(at, &load)| (load, is_met(at))).collect())
    }

    /// Judges whether a recipe surely meets all goals, surely misses one, or may miss one, by
    /// simulations of the drawn requests at each bound of unknown costs. A goal that is relative to
    /// another recipe is never sure.
    fn judge_bounds(
        &self,
        draw: &SeedDraw,
        (answer, best, named): (&PolicyFigures, usize, &NamedRecipe),
        around: &Surroundings<'_>,
    ) -> Result<GoalsJudged, StudyError> {
        if answer.goals.iter().any(|goal| matches!(goal.limit, GoalLimit::Longer(_))) {
            return Ok(GoalsJudged::MayMiss);
        }
        let (_, workload, _) = self.replayed();
        let drawn = |workload: &Workload| {
            let mut workload = workload.clone();
            for (process, repetition, warm_up) in draw {
                workload.processes[*process].repetition = repetition.clone();
                workload.processes[*process].warm_up = *warm_up;
            }
            workload
        };
        let (workload, early) = (drawn(workload), self.plan(around).queued.map(drawn));
        let recipes = std::slice::from_ref(named);
        let open = OpenLoad::default();
        let (workload, queued) = (&workload, early.as_ref());
        let plan =
            RunsPlan { workload, queued, recipes, draws: &[], open: &open, ..self.plan(around) };
        let runner = Runner::new(plan)?;
        let together = Summary::new(workload, &runner.together(named)?, &[]);
        let (bounds, queued) = runner.bounds()?;
        let row = |of: &Summary| PolicyRow::new(&answer.rows[best].recipe, &answer.processes, of);
        let bounds: Vec<PolicyRow> = bounds.iter().chain(&queued).map(row).collect();
        let rows = vec![row(&together).between(&bounds, &answer.processes)];
        let (processes, goals) = (answer.processes.clone(), answer.goals.clone());
        let all = PolicyFigures::new(&answer.today, processes, rows, goals);
        let row = all.rows.first().filter(|row| row.complete);
        Ok(row.map_or(GoalsJudged::MayMiss, PolicyRow::goals_judged))
    }

    /// Draws the random requests of a load with its first random seed. Where the number of requests
    /// is not limited, the process with the lowest rate gets `count` of them, and the others get
    /// the requests that arrive in the same time.
    fn draw(
        &self,
        (load, count): (&Load, u32),
        around: &Surroundings<'_>,
    ) -> Result<SeedDraw, StudyError> {
        let mut profiles = self.profiles().to_vec();
        profiles.iter_mut().for_each(|profile| profile.requests = None);
        let load = Load { seeds: None, ..load.clone() };
        arrivals::give(&mut profiles, &load, around.files)?;
        let open = OpenLoad::of(&profiles);
        let times = profiles.into_iter().map(|profile| Some(profile.requests?.repetition));
        let draw = times.enumerate().filter_map(|(at, times)| Some((at, times?, 0)));
        let mut draw: SeedDraw = draw.collect();
        open.redraw(&mut draw, count);
        Ok(draw)
    }
}

/// Writes a rate in requests per second as a number with at most three decimals.
fn rate(per_s: f64) -> String {
    format!("{per_s:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;
    use raddle_dispatch::Registry;

    /// Searches for the highest load (rate of requests) that meets all goals, to within 1/`part` of
    /// the load; in this test, loads below `limit` percent meet them. Returns (bounds that were
    /// found, number of loads that were tried).
    fn find(limit: u32, part: u32, mut between: Between) -> (Between, usize) {
        let mut replayed = 0;
        loop {
            let loads = between.next(part);
            replayed += loads.len();
            let known = between;
            between.learn(loads.into_iter().map(|load| (load, load < limit)).collect());
            if between == known {
                return (between, replayed);
            }
        }
    }

    #[test]
    fn a_limit_is_found_within_its_part() {
        let (met, missed) =
            (Between { met: Some(100), missed: None }, Between { met: None, missed: Some(100) });
        for (part, most) in [(NEAR, 6), (CLOSE, 10)] {
            for limit in 26..400 {
                let from = if limit > 100 { met } else { missed };
                let (found, replayed) = find(limit, part, from);
                let (below, above) = (found.met.unwrap(), found.missed.unwrap());
                assert!(below < limit && limit <= above, "{limit}: {found:?}");
                let near = (above - below) * part <= above || above - below == 1;
                assert!(near, "{limit}: {found:?}");
                assert!(replayed <= most, "{limit}: {replayed}");
            }
            let found = find(1000, part, met);
            assert_eq!(found, (Between { met: Some(400), missed: None }, 2));
            assert_eq!(find(1, part, missed), (Between { met: None, missed: Some(25) }, 2));
        }
    }

    #[test]
    fn a_search_that_is_left_out_has_its_command() {
        let table = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n\
                     k,80,1,1,256,1,1,0,1000\n";
        let names = ["big one.csv", "train.csv"];
        let files = MemoryFiles(names.map(|name| (name.to_owned(), table.into())).into());
        let question = r#"{"profiles": ["big one.csv", "train.csv"], "device": "v100",
            "recipes": ["leftover"],
            "load": {"requests": ["big one=1000/s"], "until": 100000000}}"#;
        let mut study: Study = serde_json::from_str(question).unwrap();
        study.goals = vec!["big one p99 1us".parse().unwrap()];
        let registry = Registry::bundled();
        let around =
            Surroundings { registry: &registry, files: &files, watcher: &(), jobs: Some(1) };
        let profiles = study.profiles(&files).unwrap();
        let prepared = study.prepare(profiles, &around).unwrap();
        let (_, _, recipes) = prepared.replayed();
        let of = |met| prepared.left_out(9_000_000, &[(0, 1000.0)], (&recipes[0], met), &around);
        let (missed, met) = (of(false), of(true));
        for (left_out, range) in [(&missed, "250..1000"), (&met, "1000..4000")] {
            assert_eq!(left_out.given[..4], ["raddle", "sweep", "big one.csv", "train.csv"]);
            for word in ["--recipe=leftover", "--goal=big one p99 1us", "--out=loads.jsonl"] {
                assert!(left_out.given.iter().any(|it| it == word), "{word}: {left_out:?}");
            }
            let vary = format!("--vary=load={range}/s");
            assert!(left_out.given.contains(&vary), "{vary}: {left_out:?}");
        }
        let text = "up to which load was not searched, as a run makes 9,000,000 decisions (at \
                    most 4,000,000): the command below finds it";
        assert_eq!(missed.text(), text);
    }
}
