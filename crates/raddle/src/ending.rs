//! How does a verb end that has shown an answer: with which warnings and which exit code?

use crate::Console;
use crate::error::CliError;

/// The end of a verb that answers: the reasons to doubt the answer, and what it lacks.
#[derive(Debug, Default)]
pub(crate) struct Ending<'e> {
    /// The facts that can overturn the answer, a line each.
    pub(crate) overturning: &'e [String],
    /// The cases without an answer, and why.
    pub(crate) unanswered: Option<String>,
    /// The launches that never ended, and why.
    pub(crate) stuck: Option<String>,
    /// True if launches never ended by a fault of raddle.
    pub(crate) has_fault: bool,
    /// The launches that can never run.
    pub(crate) never_ran: Option<String>,
    /// The place that says what those launches lacked.
    pub(crate) lacked: &'static str,
    /// The sentence that the goals are missed.
    pub(crate) missed_goals: Option<String>,
}

/// The place that says what launches lacked, where the verb does not say it itself.
pub(crate) const OF_A_REPLAY: &str = "`raddle replay -v` under those values says what lacked";

impl Ending<'_> {
    /// Ends a verb. A `quiet` one has printed no page with the warnings, so they go to the error
    /// stream. Who accepts a part of the work (`partial`) knows that some of it cannot run.
    pub(crate) fn end(
        self,
        quiet: bool,
        partial: bool,
        console: &mut Console,
    ) -> Result<(), CliError> {
        for line in self.overturning.iter().filter(|_| quiet) {
            console.warn(line);
        }
        let Self { unanswered, stuck, has_fault, never_ran, lacked, missed_goals, .. } = self;
        match (unanswered, stuck) {
            (_, Some(stuck)) if has_fault => return Err(CliError::Fault(stuck)),
            (Some(cases), _) => return Err(CliError::Unanswered(cases)),
            (None, Some(stuck)) => return Err(CliError::Stuck(stuck)),
            (None, None) => {}
        }
        match (never_ran.filter(|_| !partial), missed_goals) {
            (Some(launches), _) => Err(CliError::NeverRan { launches, lacked }),
            (None, Some(missed)) => Err(CliError::Goals(missed)),
            (None, None) => Ok(()),
        }
    }
}
