//! Which figure of which process does a search minimise?

use std::str::FromStr;

use crate::answer::{GoalMetric, JudgedProcess};
use crate::error::StudyError;

/// Figure of one process that a search minimises, such as `train.step`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimise {
    process: String,
    metric: GoalMetric,
}

impl FromStr for Minimise {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (process, figure) = text.rsplit_once('.').ok_or_else(|| {
            format!("it names no figure: did you mean `{text}.p99` or `{text}.step`?")
        })?;
        let goal = format!("{process} {figure} 1s").parse::<crate::answer::Goal>();
        let goal = goal.map_err(|error| error.to_string())?;
        Ok(Self { process: goal.process, metric: goal.metric })
    }
}

impl Minimise {
    /// Returns (index of the process, figure) among the processes of a search.
    ///
    /// # Errors
    /// When no process has this name, or it lacks the figure.
    pub(super) fn of(&self, judged: &[JudgedProcess]) -> Result<(usize, GoalMetric), StudyError> {
        let at = judged.iter().position(|process| process.name == self.process);
        let at = at.filter(|&at| self.metric.is_of(judged[at].judged));
        let all = judged.iter().map(|it| format!("{}.{}", it.name, it.judged.word()));
        let all: Vec<String> = all.collect();
        let text = format!(
            "--minimise {}.{}: there is no such figure; there are {}",
            self.process,
            self.metric.name(),
            all.join(", ")
        );
        at.map(|at| (at, self.metric)).ok_or(StudyError::Usage(text))
    }
}
