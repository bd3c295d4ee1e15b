//! Does a decision log keep the rules of the controller?
//!
//! The log is read alone, without a dispatcher: what it says of submissions, starts, ends and of what
//! left is held against [`LogRule`]. Times are ticks.

mod answers;
mod checker;
mod events;
mod fault;
mod seen;

use std::io::BufRead;

use raddle_policy::Cus;

pub use checker::Checker;
pub use fault::{BrokenRule, CheckedLog, LogRule};

use super::header::LogHeader;
use super::lines::LogLines;
use crate::{DispatchError, Registry};

/// Holds a decision log against the rules. Its policies are in the registry.
///
/// # Errors
/// When the log cannot be read, breaks off, or names a policy that the registry does not have. What it
/// does against a rule is in the answer.
pub fn check(registry: &Registry, log: impl BufRead) -> Result<CheckedLog, DispatchError> {
    check_beside(registry, log, |_, _| Ok(()))
}

/// As [`check`], and in the same pass each line is given to somebody else too, with its number, from 1: the
/// header as it stands, the others spelled in full.
///
/// # Errors
/// As [`check`], and those of whoever gets the lines.
pub fn check_beside(
    registry: &Registry,
    log: impl BufRead,
    mut also: impl FnMut(usize, &str) -> Result<(), DispatchError>,
) -> Result<CheckedLog, DispatchError> {
    let mut lines = LogLines::new(log);
    let mut checker = checker_of(&lines.header(registry)?);
    also(1, &lines.first)?;
    while let Some(line) = lines.next()? {
        checker.take(lines.number, &line)?;
        also(lines.number, &line)?;
    }
    checker.line = lines.number;
    checker.the_end();
    // A log that breaks a rule was changed, perhaps: the rule says where.
    if checker.found.broken.is_empty() {
        lines.check_counts(checker.found.events, checker.found.answers)?;
    }
    Ok(checker.found)
}

fn checker_of(header: &LogHeader) -> Checker {
    let (recipe, empty) = (&header.recipe, Cus::new(header.shape, 1));
    let live = Checker::live(recipe.window, recipe.most_kills(), recipe.scope());
    Checker::of_dispatcher(recipe.cuts(&empty), empty, live)
}
