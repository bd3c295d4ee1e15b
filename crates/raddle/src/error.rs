//! Why did the tool stop, and with which exit code does it end?

use std::io;

use raddle_dispatch::log::check::LogRule;
use raddle_dispatch::{DispatchError, RecipeError};
use raddle_golden::twin::Finding;
use raddle_study::StudyError;

/// An error that stops a verb. Its text says what went wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The command line asks for something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// A study (a question about profiles) stopped with this error.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A recipe cannot be used; the error says why.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// A decision log cannot be read or replayed.
    #[error("{file}: {error}")]
    Log { file: String, error: DispatchError },
    /// A decision log has an answer that differs from the one that this version of raddle gives.
    #[error(
        "{file}, line {line}: the log says `{logged}`, this raddle answers `{answered}`. The events up to there are the same, so the policy has changed: replay with the version that wrote the log, or compare the two versions"
    )]
    Differs { file: String, line: usize, logged: String, answered: String },
    /// A decision log breaks a rule that every log of the dispatcher keeps.
    #[error(
        "{file}, line {line}: {rule} is broken: {what}. docs/policies/preempt.md says the rules; a log of today's raddle that breaks one is a fault of raddle"
    )]
    RuleBroken { file: String, line: usize, rule: LogRule, what: String },
    /// A decision log has an answer that differs from the answer of the naive model (twin) of its
    /// policy.
    #[error(
        "{file}, line {}: `{}` does not answer as {} asks: expected {}; found {}. docs/policies says the rules; a log of today's raddle that differs from them is a fault of raddle",
        .first.line, .first.policy, .first.rule, .first.expected, .first.found
    )]
    TwinDiffers { file: String, first: Box<Finding> },
    /// A file cannot be read that a verb needs.
    #[error("{file} cannot be read ({cause}): check the path and its permissions")]
    Unreadable { file: String, cause: io::Error },
    /// A result, such as a file, cannot be written.
    #[error(
        "{what} cannot be written ({cause}): check the free space and the rights of the folder"
    )]
    Unwritable { what: String, cause: io::Error },
    /// A file or folder stands at the path of a result and may not be replaced, since raddle did
    /// not write it.
    #[error("{what} is there already and stays as it is ({reason}): give another name")]
    NotOurs { what: String, reason: String },
    /// The program that reads the standard output has ended, so that the verb stops without a
    /// message.
    #[error("the reader of the output has gone")]
    ReaderGone,
    /// Launches of a replay never ended; the results of all others are printed.
    #[error(
        "{0}. Nothing more could happen, so the figures are of the rest; the list `Stuck` says which launches"
    )]
    Stuck(String),
    /// Launches of a replay can never run on the device; the results of all others are printed.
    #[error(
        "{launches} can never run here, so the figures are of the rest; {lacked}. Replay on a device that has it (--device), or accept the rest with --partial"
    )]
    NeverRan { launches: String, lacked: &'static str },
    /// Launches of a replay never ended because of a fault of raddle.
    #[error(
        "{0}. Please report it with the command; `--log answers` keeps the decisions up to there"
    )]
    Fault(String),
    /// No recipe meets all goals of the user, or none that the driver of the device offers; the
    /// results are printed.
    #[error("{0}")]
    Goals(String),
    /// Cases of a sweep or a search have no answer; the answers of all others are written.
    #[error(
        "{0}. Nothing is said of these cases: mend the cause and give the same command again, which runs them once more"
    )]
    Unanswered(String),
    /// A figure of a comparison is worse than its limit (a gate), or the check of a table of
    /// workgroup placements has findings.
    #[error("{0}")]
    Gate(String),
    /// The input is refused. Where it was questions to a golden model (reference model of a
    /// patent), each refused question has already been answered with an error.
    #[error("{0}")]
    Refused(String),
}

impl CliError {
    /// Returns the exit code of the error. 1: the input is refused, or a file cannot be read or
    /// written; 2: the command line, or a key of a recipe or a name in it, is wrong; 3: launches
    /// never ended, or can never run; 4: a comparison fails, or cases of a sweep or a search did;
    /// 5: no recipe that can be switched on meets the goals; 70: a fault of raddle, so there is no
    /// verdict.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Study(error) if error.is_usage() => 2,
            Self::Stuck(_) | Self::NeverRan { .. } => 3,
            Self::Gate(_) | Self::Unanswered(_) => 4,
            Self::Goals(_) => 5,
            Self::Fault(_) | Self::Study(StudyError::Fault { .. }) => 70,
            Self::ReaderGone => 0,
            _ => 1,
        }
    }

    /// Returns a function that makes the error for a failed write to `what`.
    pub(crate) fn writing(what: &str) -> impl Fn(io::Error) -> Self + '_ {
        move |cause| Self::Unwritable { what: what.to_owned(), cause }
    }

    /// Returns the error for a failed write to the standard output; if its reader has ended, that
    /// is `ReaderGone`.
    pub(crate) fn printing(cause: io::Error) -> Self {
        if cause.kind() == io::ErrorKind::BrokenPipe {
            return Self::ReaderGone;
        }
        Self::Unwritable { what: "the standard output".to_owned(), cause }
    }
}

#[cfg(test)]
mod tests {
    use raddle_policy::Tick;
    use raddle_sim::SimError;

    use super::*;

    #[test]
    fn a_fault_of_raddle_has_a_code_of_its_own() {
        let error = Box::new(SimError::NotGivenBack { at: Tick(9) });
        assert!(error.is_fault());
        let (recipe, what) = ("mine".to_owned(), "all processes together".to_owned());
        let log = "Its decisions up to there are in raddle-fault-mine-1.jsonl".to_owned();
        let fault = CliError::Study(StudyError::Fault { recipe, what, error, log });
        assert_eq!(fault.exit_code(), 70);
        let text = fault.to_string();
        for said in ["at 9 ns: every launch has ended", "fault of the simulator", "mine-1.jsonl"] {
            assert!(text.contains(said), "{text}");
        }
        assert_eq!(CliError::Fault("2 launches never ended".to_owned()).exit_code(), 70);
        assert!(!SimError::Livelock { at: Tick(9) }.is_fault());
    }
}
