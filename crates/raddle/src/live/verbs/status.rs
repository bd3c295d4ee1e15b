//! How are the programs of a daemon shown?

use raddle_live::{Inquiry, LiveStatus, ProgramStanding, ProgramStatus};
use raddle_report::{Block, Column, Document, Table, json};

use crate::Console;
use crate::args::Format;
use crate::error::CliError;

/// Carries out `live status`: prints the programs that the daemon schedules.
pub(super) fn show(
    daemon: &mut Inquiry,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let status = daemon.status()?;
    let text = match format {
        Format::Json => json(&status),
        Format::Text => told(&status).text(console.stdout_colour),
    };
    console.print(&text)
}

fn told(status: &LiveStatus) -> Document {
    let mut document = Document::default();
    let (turn, preempt) = &status.policies;
    let seconds = status.uptime_ms / 1000;
    document.add(Block::Note(format!(
        "daemon {}, {turn} and {preempt}, up {seconds} s; levels from {} on",
        status.pid, status.most_urgent.0
    )));
    let numbers =
        ["waiting", "running", "done", "left", "killed", "preempted", "overdue", "held back"];
    let titles = [Column::figure("pid"), Column::figure("level"), Column::text("standing")];
    let mut columns = titles.to_vec();
    columns.extend(numbers.map(Column::figure));
    columns.push(Column::text("notes"));
    let mut table = Table::new("Programs", columns);
    for program in &status.programs {
        table.row(row(program));
    }
    document.table(table);
    for (why, count) in &status.refused {
        document.add(Block::Note(format!("refused, {}: {count}", why.words())));
    }
    document
}

fn row(program: &ProgramStatus) -> [String; 12] {
    let it = &program.summary;
    let standing = match program.standing {
        ProgramStanding::Turn => "has the turn",
        ProgramStanding::Paused if !program.runnable => "idle",
        ProgramStanding::Paused => "paused",
        ProgramStanding::Leaving => "leaving",
        ProgramStanding::Away => "away",
        ProgramStanding::Held => "held",
    };
    let notes: Vec<String> =
        it.counted.iter().map(|(what, count)| format!("{what} {count}")).collect();
    let numbers = [it.waiting, it.in_flight, it.finished, it.exited, it.killed, program.ordered];
    let [waiting, running, done, left, killed, ordered] = numbers.map(|number| number.to_string());
    [
        program.pid.to_string(),
        program.level.0.to_string(),
        standing.to_owned(),
        waiting,
        running,
        done,
        left,
        killed,
        ordered,
        program.overdue.to_string(),
        program.held_back.to_string(),
        notes.join(", "),
    ]
}
