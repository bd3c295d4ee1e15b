//! How does a program read the result of a study: figures by recipe and process, with bounds?

use std::fmt;

use raddle_read::nearest;

use crate::answer::{FigureBounds, GoalMetric, JudgedBy, PolicyFigures, PolicyVerdict};
use crate::error::{StudyError, meant};
use crate::replay::Studied;
use crate::units::duration;

impl Studied {
    /// Returns the recommendation: its kind, the recipe that it names, its reason, and how far it
    /// may be believed.
    #[must_use]
    pub const fn verdict(&self) -> &PolicyVerdict {
        &self.result.answer.verdict
    }

    /// Returns the outcome under each recipe, the best recipe first.
    pub fn recipes(&self) -> impl Iterator<Item = RecipeOutcome<'_>> {
        let figures = &self.result.answer;
        figures.ranking.iter().map(move |&row| RecipeOutcome { figures, row })
    }

    /// Returns the outcome under the recipe of this name.
    ///
    /// # Errors
    /// Where no recipe of that name was replayed to its end; the text names those that were.
    pub fn recipe(&self, name: &str) -> Result<RecipeOutcome<'_>, StudyError> {
        let found = self.recipes().find(|recipe| recipe.name() == name);
        let names = self.result.answer.rows.iter().map(|row| &*row.recipe);
        found.ok_or_else(|| unknown("recipe", name, names.collect()))
    }
}

/// Outcome of all processes under one recipe.
#[derive(Clone, Copy, Debug)]
pub struct RecipeOutcome<'s> {
    figures: &'s PolicyFigures,
    row: usize,
}

impl<'s> RecipeOutcome<'s> {
    /// Returns the name of the recipe.
    #[must_use]
    pub fn name(&self) -> &'s str {
        &self.figures.rows[self.row].recipe
    }

    /// Returns whether every launch ended under the recipe.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.figures.rows[self.row].complete
    }

    /// Returns whether the recipe meets all goals; true where there are none.
    #[must_use]
    pub fn meets_goals(&self) -> bool {
        self.figures.meets_all(self.row)
    }

    /// Returns the outcome of each process, in the order of the profiles.
    pub fn processes(&self) -> impl Iterator<Item = ProcessOutcome<'s>> + use<'s> {
        let recipe = *self;
        (0..recipe.figures.processes.len()).map(move |process| ProcessOutcome { recipe, process })
    }

    /// Returns the outcome of the process of this name.
    ///
    /// # Errors
    /// Where no process has that name; the text names those that there are.
    pub fn process(&self, name: &str) -> Result<ProcessOutcome<'s>, StudyError> {
        let found = self.processes().find(|process| process.name() == name);
        let names = self.figures.processes.iter().map(|process| &*process.name);
        found.ok_or_else(|| unknown("process", name, names.collect()))
    }
}

/// Outcome of one process under one recipe.
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
    /// time of a step, or the time of its end.
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

    /// Returns the median of the times of requests.
    ///
    /// # Errors
    /// As [`Self::figure`].
    pub fn p50(&self) -> Result<Figure, StudyError> {
        self.figure(GoalMetric::P50)
    }

    /// Returns the 99th percentile of the times of requests.
    ///
    /// # Errors
    /// As [`Self::figure`].
    pub fn p99(&self) -> Result<Figure, StudyError> {
        self.figure(GoalMetric::P99)
    }

    /// Returns the mean time of one step of a process that repeats.
    ///
    /// # Errors
    /// As [`Self::figure`].
    pub fn step(&self) -> Result<Figure, StudyError> {
        self.figure(GoalMetric::Step)
    }

    /// Returns a figure of the process, with its bounds.
    ///
    /// # Errors
    /// Where the process has no such figure, as it has no requests or does not repeat; and where
    /// nothing of it ended.
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

    /// Returns the time in nanoseconds that the process takes alone on the device: that of one
    /// request, of one step, or until its end. `None` where nothing of it ended.
    #[must_use]
    pub fn alone_ns(&self) -> Option<u64> {
        self.recipe.figures.processes[self.process].alone_ns
    }

    /// Returns the slowdown: the figure by which the process is judged over the same figure of the
    /// process alone. `None` where one of the two is not known.
    #[must_use]
    pub fn slowdown(&self) -> Option<f64> {
        self.recipe.figures.slowdown(self.recipe.row, self.process)
    }
}

/// A time, and the bounds in ns between which its true value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Time in nanoseconds.
    pub ns: u64,
    /// Bounds of the true value, by the sample of requests, unknown contention, the unknown cost of
    /// turns and the device of the recording. `None` where the figure is exact, or is not the one by
    /// which the process is judged.
    pub bounds: Option<FigureBounds>,
}

impl fmt::Display for Figure {
    /// Writes the time with its bounds in brackets: `12.0 ms (11.2 to 13.1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&duration(self.ns))?;
        self.bounds.map_or(Ok(()), |bounds| write!(f, " ({})", bounds.in_unit_of(self.ns)))
    }
}

/// Makes the error that a name is not among `names`; `what` is the kind of thing that it should
/// name.
fn unknown(what: &str, name: &str, names: Vec<&str>) -> StudyError {
    let near = meant(nearest(name, names.iter().copied()));
    StudyError::Usage(format!("there is no {what} {name} in it, only {}.{near}", names.join(", ")))
}
