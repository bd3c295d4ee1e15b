//! How does a program that uses this library read the result of a study: figures by recipe and
//! process, with bounds?

use std::fmt;

use raddle_read::nearest;

use crate::answer::{FigureBounds, GoalMetric, JudgedBy, PolicyFigures, PolicyVerdict};
use crate::error::{StudyError, meant};
use crate::replay::Studied;
use crate::units::duration;

impl Studied {
    /// Returns the recommendation of the study: its kind, the recipe that it names, its reason, and
    /// how far it may be believed.
    #[must_use]
    pub const fn verdict(&self) -> &PolicyVerdict {
        &self.result.answer.verdict
    }

    /// Returns the outcome of the study under each recipe (set of policies), the best recipe first.
    pub fn recipes(&self) -> impl Iterator<Item = RecipeOutcome<'_>> {
        let figures = &self.result.answer;
        figures.ranking.iter().map(move |&row| RecipeOutcome { figures, row })
    }

    /// Returns the outcome of the study under the recipe (set of policies) with this name.
    ///
    /// # Errors
    /// Where no recipe with this name was replayed; the error names those that were.
    pub fn recipe(&self, name: &str) -> Result<RecipeOutcome<'_>, StudyError> {
        let found = self.recipes().find(|recipe| recipe.name() == name);
        let names = self.result.answer.rows.iter().map(|row| &*row.recipe);
        found.ok_or_else(|| unknown("recipe", name, names.collect()))
    }
}

/// Outcome of a study for all processes under one recipe (set of policies).
#[derive(Clone, Copy, Debug)]
pub struct RecipeOutcome<'s> {
    figures: &'s PolicyFigures,
    row: usize,
}

impl<'s> RecipeOutcome<'s> {
    /// Returns the name of the recipe (set of policies).
    #[must_use]
    pub fn name(&self) -> &'s str {
        &self.figures.rows[self.row].recipe
    }

    /// Returns whether all launches ended under the recipe (set of policies) and every process has
    /// the figure (p99, step or end) by which it is judged.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.figures.rows[self.row].complete
    }

    /// Returns whether the recipe meets all goals that the user set; true without any goal.
    #[must_use]
    pub fn meets_goals(&self) -> bool {
        self.figures.meets_all(self.row)
    }

    /// Returns the outcome of each process, in the order of the profiles.
    pub fn processes(&self) -> impl Iterator<Item = ProcessOutcome<'s>> + use<'s> {
        let recipe = *self;
        (0..recipe.figures.processes.len()).map(move |process| ProcessOutcome { recipe, process })
    }

    /// Returns the outcome of the process with this name.
    ///
    /// # Errors
    /// Where no process has this name; the error names all processes.
    pub fn process(&self, name: &str) -> Result<ProcessOutcome<'s>, StudyError> {
        let found = self.processes().find(|process| process.name() == name);
        let names = self.figures.processes.iter().map(|process| &*process.name);
        found.ok_or_else(|| unknown("process", name, names.collect()))
    }
}

/// Outcome of a study for one process under one recipe (set of policies).
#[derive(Clone, Copy, Debug)]
pub struct ProcessOutcome<'s> {
    recipe: RecipeOutcome<'s>,
    process: usize,
}

impl<'s> ProcessOutcome<'s> {
    /// Returns the name of the process.
    #[must_use]
    pub fn name(&self) -> &'s str {
        &self.recipe.figures.processes[self.process].name
    }

    /// Returns the figure by which the process is judged: the 99th percentile of its requests, the
    /// mean time of a step, or the time of its end.
    ///
    /// # Errors
    /// As [`Self::figure`].
    pub fn judged(&self) -> Result<Figure, StudyError> {
        self.figure(match self.recipe.figures.processes[self.process].judged {
            JudgedBy::Requests => GoalMetric::P99,
            JudgedBy::Steps => GoalMetric::Step,
            JudgedBy::End => GoalMetric::End,
        })
    }

    /// Returns the median of the times of the process's requests, from arrival to end.
    ///
    /// # Errors
    /// As [`Self::figure`].
    pub fn p50(&self) -> Result<Figure, StudyError> {
        self.figure(GoalMetric::P50)
    }

    /// Returns the 99th percentile of the times of the process's requests, from arrival to end.
    ///
    /// # Errors
    /// As [`Self::figure`]: a process without requests has none, but a step or an end
    /// ([`Self::judged`]).
    pub fn p99(&self) -> Result<Figure, StudyError> {
        self.figure(GoalMetric::P99)
    }

    /// Returns the mean time of one step (whole repetition) of a process that repeats.
    ///
    /// # Errors
    /// As [`Self::figure`].
    pub fn step(&self) -> Result<Figure, StudyError> {
        self.figure(GoalMetric::Step)
    }

    /// Returns the figure `metric` of the process, with its bounds.
    ///
    /// # Errors
    /// Where the process cannot have this figure, such as a percentile without requests, or where
    /// nothing of the process ended.
    pub fn figure(&self, metric: GoalMetric) -> Result<Figure, StudyError> {
        let RecipeOutcome { figures, row } = self.recipe;
        let (name, judged) = (self.name(), figures.processes[self.process].judged);
        if !metric.is_of(judged) {
            let word = judged.word();
            let text = format!("{name} has no {}: it is judged by its {word}", metric.name());
            return Err(StudyError::Usage(text));
        }
        let ns = figures.rows[row].processes[self.process].figure(metric);
        let none = || format!("nothing of {name} ended under {}", self.recipe.name());
        let ns = ns.ok_or_else(|| StudyError::Refused(none()))?;
        let decides = metric.is_decisive_of(judged);
        let bounds = figures.bounds(row, self.process).filter(|_| decides);
        Ok(Figure { ns, bounds })
    }

    /// Returns the time that the process takes alone on the device, in nanoseconds: of one request,
    /// of one step, or until its end. `None` where nothing of the process ended.
    #[must_use]
    pub fn alone_ns(&self) -> Option<u64> {
        self.recipe.figures.processes[self.process].alone_ns
    }

    /// Returns the slowdown of the process: the figure by which it is judged (p99, step or end)
    /// divided by the same figure of the process alone. `None` where one of the two is unknown.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        self.recipe.figures.slowdown(self.recipe.row, self.process)
    }
}

/// Time that a study found for a process, with the bounds of its true value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Value of the figure in nanoseconds.
    pub ns: u64,
    /// Bounds of the true value, for the sample of requests, unknown contention, the unknown cost
    /// of time slices, and a recording on another device. `None` where the figure is exact or is
    /// not the one by which the process is judged, or where the recipe was too far behind the best
    /// one for its bounds to be simulated.
    pub bounds: Option<FigureBounds>,
}

impl fmt::Display for Figure {
    /// Writes the time, followed by its bounds in brackets: `12.0 ms (11.2 to 13.1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&duration(self.ns))?;
        self.bounds.map_or(Ok(()), |bounds| write!(f, " ({})", bounds.in_unit_of(self.ns)))
    }
}

/// Returns the error that `name` is not among `names`; `what` says what is named, such as "recipe".
fn unknown(what: &str, name: &str, names: Vec<&str>) -> StudyError {
    let near = meant(nearest(name, names.iter().copied()));
    StudyError::Usage(format!("there is no {what} {name} in it, only {}.{near}", names.join(", ")))
}
