//! How are the decisions of a policy in a scenario printed as a table?

use std::fmt::Write as _;

use super::{Breach, Deed, RunLine, Scenario, World};
use raddle_policy::{Allocate, Answer, Piece, Place, Round, WaveSpan};

/// Largest number of lines of a table of decisions, its heading included.
pub const LINES: usize = 40;

/// Returns the decisions of a policy in a scenario as a table for a snapshot. Each answer is a
/// line, and so are workgroups that end between two answers. An answer by which the policy waits
/// has a line only if it names a refusal or a tick at which to ask again.
///
/// The column `t` is in ticks, `/` stands before a refusal, and an address is `simd:vgpr:sgpr:lds`.
/// A table longer than [`LINES`] ends with the number of lines left out.
///
/// # Errors
/// Where the policy breaks law 1, 2, 6, 7, 8 or 9.
pub fn render(policy: &mut dyn Allocate, scenario: &Scenario) -> Result<String, Breach> {
    let run = World::play(scenario, policy)?;
    let mut rows = Vec::from([["t", "launch", "answer", "pieces / refusals"].map(String::from)]);
    let mute =
        |line: &RunLine| line.refusals.is_empty() && line.deed == Deed::Waited { retry_at: None };
    rows.extend(run.lines.iter().filter(|line| !mute(line)).map(row));
    let left_out = rows.len().saturating_sub(LINES);
    if left_out > 0 {
        // The note takes a line too.
        rows.truncate(LINES - 1);
    }
    let mut table = aligned(rows);
    if left_out > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(table, "... {} further lines", left_out + 1);
    }
    Ok(table)
}

/// Writes rows as a text table whose first column is aligned to the right, and all others to the
/// left.
pub(super) fn aligned<const N: usize>(rows: impl IntoIterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = rows.into_iter().collect();
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let mut table = String::new();
    for row in &rows {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            let width = width(at);
            let padded = match at {
                0 => format!("{cell:>width$}"),
                _ => format!("  {cell:<width$}"),
            };
            line.push_str(&padded);
        }
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}

fn row(RunLine { at, deed, refusals }: &RunLine) -> [String; 4] {
    let (launch, answer, mut what) = match deed {
        Deed::Started { launch, waves, pieces, places } => (
            launch.to_string(),
            "start",
            format!("{}{}{}", listed(pieces), span(*waves), addresses(places)),
        ),
        Deed::Assigned { launch, workgroup, cu } => {
            (launch.to_string(), "assign", format!("w{workgroup}@{cu}"))
        }
        Deed::Waited { retry_at } => (
            String::from("-"),
            "wait",
            retry_at.map_or_else(String::new, |at| format!("until t={at}")),
        ),
        Deed::Never { refusal } => (refusal.launch.to_string(), "never", refusal.to_string()),
        Deed::Ended { launch, waves, pieces } => {
            (launch.to_string(), "(ended)", format!("{}{}", listed(pieces), span(*waves)))
        }
    };
    for refusal in refusals {
        let gap = if what.is_empty() { "" } else { " " };
        what = format!("{what}{gap}/ {refusal}");
    }
    [at.to_string(), launch, String::from(answer), what]
}

fn listed(pieces: &[Piece]) -> String {
    let pieces: Vec<String> = pieces.iter().map(Piece::to_string).collect();
    pieces.join(" ")
}

fn span(waves: WaveSpan) -> String {
    match waves {
        WaveSpan::All => String::new(),
        WaveSpan::Range { first, count } => format!(" waves {first}+{count}"),
        WaveSpan::Cut { first, count } => format!(" cut {first}+{count}"),
    }
}

/// Returns the address of each wave as text: `simd:vgpr:sgpr:lds`.
fn addresses(places: &[Place]) -> String {
    let places: Vec<String> =
        places.iter().map(|it| format!("{}:{}:{}:{}", it.simd, it.vgpr, it.sgpr, it.lds)).collect();
    if places.is_empty() { String::new() } else { format!(" at {}", places.join(" ")) }
}

/// Describes a policy's answer in words for an error, with the workgroups that it starts (as
/// pieces, each on one compute unit) and its refusals.
pub(super) fn told(answer: Answer, round: &Round) -> String {
    let list = |items: Vec<String>| items.join(" ");
    let pieces = list(round.pieces.iter().map(Piece::to_string).collect());
    let refusals = list(round.refusals.iter().map(ToString::to_string).collect());
    format!("{answer:?} [{pieces}] [{refusals}]")
}
