//! With which warnings and which exit code does a verb end that has printed an answer?

use crate::Console;
use crate::error::CliError;

/// Facts about an answer that a verb has printed: the reasons to doubt it, and the parts that it
/// lacks, by which the exit code is chosen.
#[derive(Debug, Default)]
pub(crate) struct VerbEnding<'e> {
    /// Facts that can make the answer wrong, each as one line.
    pub(crate) overturning: &'e [String],
    /// Cases of a sweep or a search that have no answer, with the reason, as text; `None` where all
    /// have one.
    pub(crate) unanswered: Option<String>,
    /// Launches that never ended, with the reason, as text; `None` where all ended.
    pub(crate) stuck: Option<String>,
    /// True if launches never ended because of a fault of raddle.
    pub(crate) has_fault: bool,
    /// Launches that can never run on the device, as text; `None` where there are none.
    pub(crate) never_ran: Option<String>,
    /// Sentence that says where the user finds which resources the launches in `never_ran` lacked.
    pub(crate) lacked: &'static str,
    /// Sentence that says which goals are missed; `None` where none is.
    pub(crate) missed_goals: Option<String>,
}

/// Sentence that tells the user which command shows the resources that launches lacked. It is for
/// verbs that do not show them.
pub(crate) const OF_A_REPLAY: &str = "`raddle replay -v` under those values says what lacked";

impl VerbEnding<'_> {
    /// Ends a verb that has printed an answer: returns an error, which decides the exit code, for
    /// what the answer lacks. If `quiet`, no page with the warnings was printed, so they go to the
    /// error stream. If `partial`, the user accepts that some launches cannot run.
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
