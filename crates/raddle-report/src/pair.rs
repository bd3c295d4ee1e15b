//! How is it shown how far replays are from measurements of two programs that ran together?

use raddle_study::pair::{AloneError, FittedFigure, PairFit, WayError};
use raddle_study::units::{count, duration, plain};

use crate::document::{Block, Cell, Column, Document, Table};

/// Error of the replay of a program alone, in thousandths (a tenth), from which on the user is told
/// to record the program's profile anew.
const FAR_PERMILLE: i64 = 100;

/// Makes the document that shows how far replays are from measurements of two programs that ran
/// together, and which figures of the device were fitted to these measurements.
#[must_use]
pub fn document(fit: &PairFit) -> Document {
    let mut document = Document::default();
    document.title = "Replays against both programs measured together".to_owned();
    document.add(Block::Note(sentence(fit)));
    document.table(table(fit));
    document.list("Alone", fit.alone.iter().map(alone).collect());
    let fitted: Vec<String> = fit.fitted.iter().map(figure).collect();
    document.list("Fitted", fitted);
    if !fit.untold.is_empty() {
        let keys = fit.untold.join(", ");
        document.paragraph("No way tells", format!("{keys}: they stay as they are"));
    }
    document.paragraph("Reading", "Errors are replayed over measured, less 1, of p50 and p99 of the requests and of the mean step; of repetitions the median counts. `held out`: by a fit to the ways of all other recipes. A `*` marks more requests than were served, to which nothing is fitted. Alone, a program is judged by its median request or its mean step. In brackets are the next values that fit worse by more than a tenth, or the ends of what was tried.");
    document
}

/// Says how large the largest errors of the p99 of requests, and of the mean step (one repetition
/// of a program), are in a test of the fit: each way of sharing the device is predicted by a fit
/// that did not use the measurements under it.
fn sentence(fit: &PairFit) -> String {
    let held = fit.held_out.iter().flat_map(|held| &held.errors);
    let held: Vec<&WayError> = held.filter(|error| !error.overloaded).collect();
    let worst = |at: usize| {
        let all = held.iter().map(|error| error.permille()[at].map(i64::unsigned_abs));
        all.collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().max())
    };
    match (worst(1), worst(2)) {
        (Some(p99), Some(step)) => format!(
            "Of ways that a fit did not see p99 is off by {} at most, the step by {}.",
            percent(p99 as i64).trim_start_matches('+'),
            percent(step as i64).trim_start_matches('+')
        ),
        _ => {
            "No way was held out: one recipe was measured, or nothing of a replay ended.".to_owned()
        }
    }
}

fn table(fit: &PairFit) -> Table {
    let columns = [Column::text("way"), Column::text("load")];
    let figures = ["p50", "p99", "step", "off, before", "fitted", "held out"];
    let mut table = Table::new("Measured, and how far off replays are", columns).figures(figures);
    let held = |error: &WayError| {
        let all = fit.held_out.iter().flat_map(|held| &held.errors);
        all.clone().find(|it| it.way == error.way && it.load == error.load)
    };
    for (before, after) in fit.before.iter().zip(&fit.after) {
        let mark = if before.overloaded { "*" } else { "" };
        let mut cells =
            vec![Cell::from(plain(&before.way, 24)), Cell::from(plain(&before.load, 12) + mark)];
        let spread = |at: usize| {
            let ([least, most], middle) = (before.between_ns[at], duration(before.measured_ns[at]));
            match before.repetitions {
                1 => middle,
                _ => format!("{middle} ({} to {})", duration(least), duration(most)),
            }
        };
        cells.extend([0, 1, 2].map(|at| Cell::from(spread(at))));
        cells.extend(
            [Some(before), Some(after), held(before)]
                .map(|error| Cell::from(error.map_or_else(|| "-".to_owned(), off))),
        );
        table.row(cells);
    }
    table
}

/// Returns as text the errors (replayed over measured, less 1) of the median request, of the p99 of
/// requests and of the mean step (one repetition of a program): `+3 %, -2 %, +1 %`; `-` for an
/// unknown error.
fn off(error: &WayError) -> String {
    error.permille().map(|off| off.map_or_else(|| "-".to_owned(), percent)).join(", ")
}

/// Writes thousandths as whole percent with a sign.
fn percent(permille: i64) -> String {
    format!("{:+.0} %", permille as f64 / 10.0)
}

/// Says how long a program alone took when measured, and how far off its replay is; from an error
/// of a tenth on, also that the profile should be recorded anew.
fn alone(error: &AloneError) -> String {
    let AloneError { program, repetitions, measured_ns, between_ns, replayed_ns } = error;
    let [least, most] = between_ns.map(duration);
    let between = if *repetitions > 1 { format!(" ({least} to {most})") } else { String::new() };
    let off = error.permille();
    let doubt = "; record the profile anew, as the program was measured";
    let doubt = if off.abs() >= FAR_PERMILLE { doubt } else { "" };
    let (program, off) = (plain(program, 24), percent(off));
    let [measured, replayed] = [*measured_ns, *replayed_ns].map(duration);
    format!("{program}: {measured}{between} measured, {replayed} replayed ({off}){doubt}")
}

fn figure(found: &FittedFigure) -> String {
    let word = if found.key.ends_with("-ns") { duration } else { count };
    let [least, most] = found.between.map(word);
    format!("{} {} -> {} ({least} to {most})", found.key, word(found.before), word(found.value))
}
