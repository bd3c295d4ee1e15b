//! Which values of the varied options of a study suit best, and how sure is that?

mod bounded;
mod minimise;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

pub use minimise::Minimise;
use raddle_dispatch::Recipe;
use serde::Serialize;

use crate::answer::{
    GoalMetric, JudgedProcess, Offered, PolicyFigures, PolicyRow, TODAY, mean_within,
};
use crate::error::StudyError;
use crate::parallel;
use crate::result::{LostLaunches, NotOffered};
use crate::search;
use crate::study::{FileNames, Study};
use crate::sweep::{Bench, CaseBounds, FailedCase, JudgedRun};
use crate::units::shell_posix;

/// Result of a search for the best values of varied options.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tuned {
    /// Name of the figure that the search minimised: `train step`, for instance, or `slowdowns`,
    /// the product of the slowdowns of all processes.
    pub minimised: String,
    /// Number of candidates, which are combinations of values of the varied options.
    pub candidates: u64,
    /// Number of candidates (combinations of values) of which a simulation ended with an error.
    pub failed: u64,
    /// Combinations of values that failed, and why; they count in no figure and no conclusion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<FailedCase>,
    /// Number of simulations that the search made.
    pub runs: u64,
    /// Number of random seeds with which each candidate in `best` was simulated.
    pub seeds: u64,
    /// Names of the processes, each with the figure (p99, step or end) that judges it: `train
    /// step`.
    pub processes: Vec<String>,
    /// Figures under the device's default recipe; all other varied options have the values of the
    /// best candidate (combination of values).
    pub base: TunedRow,
    /// Combinations of values that were simulated with all random seeds, the best first.
    pub best: Vec<TunedRow>,
    /// Facts about the profiles that can make the study's answer wrong, one line each.
    pub overturning: Vec<String>,
    /// Sentences on the memory that the processes need together, and on how much the device has.
    pub memory: Vec<String>,
    /// Launches that can run neither under the device's default recipe nor under any candidate in
    /// `best`, in words; `None` where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub never_ran: Option<String>,
    /// Figures of the device's default recipe and of the candidates in `best`, with a
    /// recommendation.
    pub answer: PolicyFigures,
    /// Sharing that the driver of the device offers and that is most similar to the recipe of the
    /// best candidate; `None` where it offers that recipe itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_driver: Option<NotOffered>,
    /// Sentence that all goals are met by candidates alone that the driver of the device does not
    /// offer, though it offers others; else `None`.
    #[serde(skip)]
    pub by_no_driver: Option<String>,
    /// Recipe (set of scheduling policies) of the best candidate, as TOML.
    pub recipe: String,
    /// Study of the best candidate without its recipe. The command that the user may run next is
    /// made from it.
    #[serde(skip)]
    asked: Study,
    /// Words of the command that the user may run next.
    #[serde(skip)]
    pub next: Vec<String>,
}

/// Figures of one candidate (combination of values of the varied options), as means over the random
/// seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TunedRow {
    /// Values of the varied options that make the candidate, such as `recipe=mps share.serve=2`.
    pub case: String,
    /// True if all launches ended with every random seed.
    pub complete: bool,
    /// True if the means over the random seeds meet all goals that were set.
    pub goals_met: bool,
    /// True if `goals_met` is certain: it stays the same even if each figure is wrong by the full
    /// error that its bounds allow. For the baseline and the best candidates the bounds cover all
    /// unknown costs, for other candidates only the randomness of requests.
    pub goals_sure: bool,
    /// Value that the search minimises, as a mean over the random seeds: a figure in nanoseconds,
    /// or the product of all slowdowns; `None` if nothing ended.
    pub objective: Option<f64>,
    /// Distance of `objective` to that of the best candidate, from pairs of equal random seeds:
    /// (mean, half of its 95 % confidence interval). `None` for the best candidate itself, and
    /// where there is one seed.
    pub behind: Option<(f64, f64)>,
    /// Figure by which each process is judged (p99, step or end), in nanoseconds; `None` for a
    /// process of which nothing ended.
    pub figures: Vec<Option<u64>>,
}

impl Tuned {
    /// Sets the command that the verdict proposes to run next: a replay of the device's default
    /// recipe and of the best candidate. `recipe` is the file in which the recipe of the best
    /// candidate was saved.
    pub fn saved_as(&mut self, recipe: &str) {
        let recipes = vec![TODAY.to_owned(), recipe.to_owned()];
        let study = Study { recipes, ..self.asked.clone() };
        let command = study.command("replay", &FileNames::Given);
        self.answer.verdict.next_command = shell_posix(&command);
        self.next = command;
    }

    /// Returns whether the search recommends its best candidate.
    #[must_use]
    pub fn is_recommended(&self) -> bool {
        let recommended = self.answer.recommended();
        recommended.is_some() && recommended == self.best.first().map(|best| &*best.case)
    }

    /// Returns whether the lead of the best candidate over the second is more than chance: only the
    /// best one meets all goals, or the 95 % confidence interval of the difference lies above 0.
    /// `None` if there is no second candidate, or only one random seed.
    #[must_use]
    pub fn is_sure(&self) -> Option<bool> {
        let second = self.best.get(1)?;
        let equal = self.best.first()?.goals_met == second.goals_met;
        second.behind.map(|(mean, within)| !equal || mean > within)
    }
}

/// Result of the simulation of one candidate with one random seed: (figures, launches that never
/// ran), or the reason why it failed.
type CandidateRun = Result<(PolicyRow, LostLaunches), String>;
/// Figures of each simulation, or the reason why it failed: one list for each candidate, with one
/// entry for each random seed.
type SeedRows = Vec<Vec<Result<PolicyRow, String>>>;

struct Tuning<'t, 'b> {
    bench: &'t Bench<'b>,
    /// Name of the device's default recipe.
    today: &'static str,
    seeds: usize,
    judged: Vec<JudgedProcess>,
    minimise: Option<(usize, GoalMetric)>,
    /// Figures under the device's default recipe, one entry for each random seed; all other varied
    /// options have the values of the first candidate.
    base: Vec<PolicyRow>,
    rows: SeedRows,
    /// Launches that never ran, for each candidate; the random seed does not matter for them.
    lost: Vec<LostLaunches>,
    /// Candidates that were also simulated with the bounds of unknown costs, each as (index of the
    /// candidate, figures with bounds for the first random seed). The index `None` stands for the
    /// device's default recipe.
    bounded: Vec<(Option<usize>, PolicyRow)>,
    runs: u64,
}

impl Bench<'_> {
    /// Searches the best values of the varied options. Candidates (combinations of values) that
    /// meet all goals rank first. Equal ones are ranked by the smaller figure `minimise`, or for
    /// `None` by the smaller product of all slowdowns. Each round simulates the better half with
    /// further random seeds.
    ///
    /// # Errors
    /// When no candidate can be simulated, or the watcher cancels the search.
    pub fn tune(&self, minimise: Option<&Minimise>) -> Result<Tuned, StudyError> {
        let seeds = self.cases().seeds()?;
        let first = self.cases().get(0)?.study;
        let today = self.today(&first)?;
        let JudgedRun { judged, lost: lost_today, .. } =
            self.judged_run(&base_of(&first), today, CaseBounds::Not)?;
        let (judged, overturning) = self.believed(&first, judged)?;
        let minimise = minimise.map(|it| it.of(&judged)).transpose()?;
        let candidates = self.cases().len() / seeds;
        let rows = vec![Vec::new(); candidates];
        let lost = vec![LostLaunches::new(); candidates];
        let base = Vec::new();
        let bounded = Vec::new();
        let mut tuning = Tuning {
            bench: self,
            today,
            seeds,
            judged,
            minimise,
            base,
            rows,
            lost,
            bounded,
            runs: 0,
        };
        let kinds = vec![0; candidates];
        let ranking = search::halve(&kinds, seeds, |left, more| tuning.round(left, more))?;
        tuning.tuned(&ranking, lost_today, overturning)
    }
}

/// Returns a study under the device's default recipe, without values of the user for its keys.
fn base_of(study: &Study) -> Study {
    Study { recipes: vec![TODAY.to_owned()], settings: Vec::new(), ..study.clone() }
}

impl Tuning<'_, '_> {
    /// Simulates the candidates `left` (combinations of values) with the random seeds `more`, and
    /// returns those of which no simulation failed, ranked by all seeds so far, the best first.
    fn round(&mut self, left: &[usize], more: Range<usize>) -> Result<Vec<usize>, StudyError> {
        let jobs: Vec<(usize, usize)> =
            left.iter().flat_map(|&at| more.clone().map(move |seed| (at, seed))).collect();
        let done: Mutex<Vec<Option<CandidateRun>>> = Mutex::new(vec![None; jobs.len()]);
        let base: Mutex<Vec<Option<PolicyRow>>> = Mutex::new(vec![None; more.len()]);
        let (bench, today) = (self.bench, self.today);
        let watcher = bench.around().watcher;
        watcher.begin_cases((jobs.len() + more.len()) as u64);
        parallel::each(bench.jobs(), jobs.len() + more.len(), |job| {
            // The recipe of today, by which goals are measured, is run by the same seeds.
            let Some(&(at, seed)) = jobs.get(job) else {
                let seed = job - jobs.len();
                let study = base_of(&bench.cases().get(more.start + seed)?.study);
                let row = bench.judged_run(&study, today, CaseBounds::Not)?.row;
                base.lock().unwrap_or_else(PoisonError::into_inner)[seed] = Some(row);
                watcher.add(1);
                return Ok(());
            };
            let case = bench.cases().get(at * self.seeds + seed)?;
            let row = match bench.judged_run(&case.study, &case.id, CaseBounds::Not) {
                Err(StudyError::Cancelled) => return Err(StudyError::Cancelled),
                run => run.map(|run| (run.row, run.lost)).map_err(|error| error.to_string()),
            };
            done.lock().unwrap_or_else(PoisonError::into_inner)[job] = Some(row);
            watcher.add(1);
            Ok(())
        })?;
        watcher.done();
        self.runs += jobs.len() as u64;
        self.base.extend(
            base.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten(),
        );
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (&(at, _), run) in jobs.iter().zip(done) {
            let row = run.map(|run| {
                run.map(|(row, lost)| {
                    self.lost[at] = lost;
                    row
                })
            });
            self.rows[at].extend(row);
        }
        let mut ranking = order(&self.figures(&self.base, left), left);
        // A candidate that fails by one seed is not run by another.
        ranking.retain(|&at| self.rows[at].iter().all(Result::is_ok));
        if ranking.is_empty() {
            let why = FailedCase::told(&self.failures()).join("; ");
            return Err(StudyError::Refused(format!("every candidate failed: {why}")));
        }
        Ok(ranking)
    }

    /// Returns the candidates (combinations of values) that failed, each with the reason.
    fn failures(&self) -> Vec<FailedCase> {
        let of = |(at, rows): (usize, &Vec<Result<PolicyRow, String>>)| {
            let error = rows.iter().find_map(|row| row.as_ref().err())?.clone();
            Some(FailedCase { case: self.bench.cases().group_id(at * self.seeds), error })
        };
        self.rows.iter().enumerate().filter_map(of).collect()
    }

    /// Returns figures as means over all random seeds so far, and judges the goals. The first row
    /// is that of the device's default recipe (`base` has its figures for each seed); the
    /// candidates `left` follow.
    fn figures(&self, base: &[PolicyRow], left: &[usize]) -> PolicyFigures {
        let of = |rows: &[Result<PolicyRow, String>]| {
            PolicyRow::over_seeds(rows.iter().flatten().cloned().collect())
                .unwrap_or_else(|| self.empty())
        };
        let named = |at: usize| {
            let recipe = self.bench.cases().group_id(at * self.seeds);
            let case = self.bench.cases().get(at * self.seeds);
            let own = case.and_then(|case| self.bench.recipe(&case.study)).ok().flatten();
            let offered = own.map_or(Offered::Here, |(_, offered)| offered);
            let row = PolicyRow { recipe, asked: true, ..of(&self.rows[at]) }.offered_by(offered);
            self.with_bounds(Some(at), row)
        };
        let base = PolicyRow::over_seeds(base.to_vec()).unwrap_or_else(|| self.empty());
        let base = self.with_bounds(None, PolicyRow { asked: true, ..base });
        let rows = std::iter::once(base).chain(left.iter().map(|&at| named(at)));
        let goals = self.bench.cases().goals().to_vec();
        PolicyFigures::of_search(
            self.minimise,
            self.today,
            self.judged.clone(),
            rows.collect(),
            goals,
        )
    }

    /// Returns a row without any figures, for a recipe whose simulation failed.
    fn empty(&self) -> PolicyRow {
        PolicyRow {
            offered: true,
            processes: vec![Default::default(); self.judged.len()],
            ..PolicyRow::default()
        }
    }

    /// Returns the value to be minimised: a figure in nanoseconds, or the product of all slowdowns;
    /// `None` where a figure is missing.
    fn value(&self, row: &PolicyRow) -> Option<f64> {
        match self.minimise {
            Some((at, metric)) => row.processes[at].figure(metric).map(|ns| ns as f64),
            None => {
                let ratio = |(own, judged): (&crate::answer::ProcessFigures, &JudgedProcess)| {
                    Some(own.decisive_ns? as f64 / judged.alone_ns?.max(1) as f64)
                };
                let all = row.processes.iter().zip(&self.judged).map(ratio);
                all.collect::<Option<Vec<f64>>>().map(|all| all.into_iter().product())
            }
        }
    }

    /// Returns the figures under the device's default recipe for each of `seeds` seeds; all other
    /// varied options have the values of the candidate with the index `candidate`.
    fn base_of(&self, candidate: usize, seeds: usize) -> Result<Vec<PolicyRow>, StudyError> {
        let study = |at: usize| Ok::<_, StudyError>(base_of(&self.bench.cases().get(at)?.study));
        let first = candidate * self.seeds;
        if study(first)? == study(0)? {
            return Ok(self.base.clone());
        }
        (0..seeds)
            .map(|seed| {
                let study = study(first + seed)?;
                Ok(self.bench.judged_run(&study, self.today, CaseBounds::Not)?.row)
            })
            .collect()
    }

    /// Judges the candidates (combinations of values) a last time. For goals relative to the
    /// device's default recipe, the other options now have the values of the best candidate, no
    /// longer those of the first. Returns (indices of the candidates, the best first; figures;
    /// sentence that all goals are met by candidates alone that the driver does not offer).
    fn judged_last(
        &mut self,
        ranking: &[usize],
        seeds: usize,
    ) -> Result<(Vec<usize>, PolicyFigures, Option<String>), StudyError> {
        let mut ranking = ranking.to_vec();
        let mut figures = self.figures(&self.base_of(ranking[0], seeds)?, &ranking);
        for _ in 1..ranking.len() {
            let again = order(&figures, &ranking);
            if again[0] == ranking[0] {
                break;
            }
            ranking = again;
            figures = self.figures(&self.base_of(ranking[0], seeds)?, &ranking);
        }
        let others = self.other_than_today(&ranking)?;
        let base = self.base_of(ranking[0], seeds)?;
        self.bound(&ranking)?;
        figures = self.figures(&base, &ranking);
        if others.len() < ranking.len() {
            figures.verdict = self.figures(&base, &others).verdict;
        }
        let by_no_driver = self.goals_met_by_no_driver(&base);
        Ok((ranking, figures, by_no_driver))
    }

    /// Says that the driver of the device offers none of the candidates that meet all goals, by the
    /// seeds that each ran. `None` where it offers one of these, or no candidate at all: then the
    /// search is one of policies.
    fn goals_met_by_no_driver(&self, base: &[PolicyRow]) -> Option<String> {
        let ran =
            |at: &usize| !self.rows[*at].is_empty() && self.rows[*at].iter().all(Result::is_ok);
        let all: Vec<usize> = (0..self.rows.len()).filter(ran).collect();
        let figures = self.figures(base, &all);
        let is_offered = figures.rows.iter().skip(1).any(|row| row.offered);
        figures.goals_met_by_no_driver().filter(|_| is_offered)
    }

    /// Returns the candidates that differ from the device's default recipe in a policy or an
    /// option; the default has a row of its own in the figures.
    fn other_than_today(&self, ranking: &[usize]) -> Result<Vec<usize>, StudyError> {
        let policies = |study: &Study| -> Result<Option<Recipe>, StudyError> {
            let mut recipe = self.bench.recipe(study)?.map(|(named, _)| named.recipe);
            recipe.iter_mut().for_each(|recipe| recipe.description = None);
            Ok(recipe)
        };
        let base = base_of(&self.bench.cases().get(ranking[0] * self.seeds)?.study);
        let today = policies(&base)?;
        let mut others = Vec::new();
        for &at in ranking {
            let own = self.bench.cases().get(at * self.seeds)?.study;
            if base_of(&own) != base || policies(&own)? != today {
                others.push(at);
            }
        }
        Ok(others)
    }

    /// Returns the name of the figure that the search minimises, such as `train step`.
    fn minimised(&self) -> String {
        self.minimise.map_or_else(
            || "slowdowns".to_owned(),
            |(at, metric)| format!("{} {}", self.judged[at].name, metric.name()),
        )
    }

    fn tuned(
        &mut self,
        ranking: &[usize],
        lost_today: LostLaunches,
        mut overturning: Vec<String>,
    ) -> Result<Tuned, StudyError> {
        let seeds = ranking.first().map_or(0, |&best| self.rows[best].len());
        let (ranking, mut figures, by_no_driver) = self.judged_last(ranking, seeds)?;
        let values = |at: usize| -> Vec<Option<f64>> {
            self.rows[at].iter().flatten().map(|row| self.value(row)).collect()
        };
        let behind = |at: usize| {
            let pairs = values(at).into_iter().zip(values(ranking[0]));
            let all: Option<Vec<f64>> = pairs.map(|(own, best)| Some(own? - best?)).collect();
            all.filter(|all| all.len() > 1 && at != ranking[0]).map(|all| mean_within(&all))
        };
        let row = |row: &PolicyRow, case: String, behind| TunedRow {
            case,
            complete: row.complete,
            goals_met: row.goals_judged().is_met(),
            goals_sure: row.goals_judged().is_sure(),
            objective: self.value(row),
            behind,
            figures: row.processes.iter().map(|own| own.decisive_ns).collect(),
        };
        let name = |at: usize| self.bench.cases().group_id(at * self.seeds);
        let best = ranking.iter().zip(&figures.rows[1..]);
        let best: Vec<TunedRow> = best.map(|(&at, own)| row(own, name(at), behind(at))).collect();
        let under = best.iter().zip(&ranking);
        let under = under.map(|(best, &at)| (&*best.case, self.lost[at].clone()));
        let under: Vec<_> = under.chain([(self.today, lost_today)]).collect();
        let lost = self.bench.lost(&under)?;
        let chosen = self.bench.cases().get(ranking[0] * self.seeds)?.study;
        let (recipe, no_driver) = self.bench.recipe_text(&chosen)?;
        let never_ran = lost.tell(&mut figures);
        overturning.extend(lost.overturning.map(|found| found.line));
        let failures = self.failures();
        if !failures.is_empty() {
            figures.of_those_that_ran();
        }
        let mut asked = Study { recipes: Vec::new(), settings: Vec::new(), ..chosen.clone() };
        asked.load.seeds = u16::try_from(seeds).ok().filter(|&seeds| seeds > 1);
        Ok(Tuned {
            minimised: self.minimised(),
            candidates: self.rows.len() as u64,
            failed: failures.len() as u64,
            failures,
            runs: self.runs,
            seeds: seeds as u64,
            processes: self
                .judged
                .iter()
                .map(|it| format!("{} {}", it.name, it.judged.word()))
                .collect(),
            base: row(&figures.rows[0], self.today.to_owned(), None),
            best,
            no_driver,
            by_no_driver,
            recipe,
            // A last candidate that does not fit into memory is among the failures.
            memory: self.bench.memory().unwrap_or_default(),
            overturning,
            never_ran,
            answer: figures,
            asked,
            next: Vec::new(),
        })
    }
}

/// Returns the candidates in the order in which `figures` ranks them. The first row of `figures` is
/// the device's default recipe, the further rows are `candidates`.
fn order(figures: &PolicyFigures, candidates: &[usize]) -> Vec<usize> {
    let places = figures.ranking.iter().filter_map(|place| place.checked_sub(1));
    places.map(|place| candidates[place]).collect()
}
