//! Does a decision log keep the rules of the preemption controller?
//!
//! The log is read alone, without a dispatcher: its submissions, starts, ends and preemptions are
//! compared with the rules of [`LogRule`]. Times are ticks.

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

/// Checks a decision log against the rules of [`LogRule`]. The registry must have all policies that
/// the log names.
///
/// # Errors
/// When the log cannot be read, breaks off, or names a policy that the registry does not have.
/// Broken rules are not errors: the result lists them.
pub fn check(registry: &Registry, log: impl BufRead) -> Result<CheckedLog, DispatchError> {
    check_beside(registry, log, |_, _| Ok(()))
}

/// Checks a log as [`check`] does. Also calls `also` with the number of each line, from 1, and its
/// text; parts that a short log leaves out are filled in.
///
/// # Errors
/// When [`check`] would return an error, or when `also` returns one.
#[doc(hidden)]
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
    // If a rule is broken, the log was perhaps changed, and the rule tells where: counts are not
    // checked.
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
