//! How are the programs of a daemon shown?

use std::io::IsTerminal;
use std::time::Duration;

use raddle_live::{Inquiry, LiveStatus, OffReason, ProgramStanding, ProgramStatus};
use raddle_policy::Ticks;
use raddle_report::{Block, Column, Document, Table, json};
use raddle_study::units::{duration, plain};

use crate::Console;
use crate::args::Format;
use crate::error::CliError;

/// Largest number of characters that the printed status shows of the name of a device.
const DEVICE: usize = 40;
/// Terminal escape sequence that moves the cursor to the first line and clears the screen below it.
const CLEAR: &str = "\u{1b}[H\u{1b}[J";

/// Carries out `live status`: prints the programs that the daemon schedules, once or, with `every`,
/// again after each time of that length. On a terminal each print replaces the one before.
pub(super) fn show(
    daemon: &mut Inquiry,
    every: Option<Duration>,
    format: Format,
    console: &mut Console,
) -> Result<(), CliError> {
    let clears = every.is_some() && format == Format::Text && std::io::stdout().is_terminal();
    loop {
        let status = daemon.status()?;
        let text = match format {
            Format::Json => json(&status),
            Format::Text => told(&status).text(console.stdout_colour),
        };
        console.print(&format!("{}{text}", if clears { CLEAR } else { "" }))?;
        let Some(every) = every else { return Ok(()) };
        std::thread::sleep(every);
    }
}

fn told(status: &LiveStatus) -> Document {
    let mut document = Document::default();
    let (turn, preempt) = &status.policies;
    let seconds = status.uptime_ms / 1000;
    document.add(Block::Note(format!(
        "daemon {}, {turn} and {preempt}, up {seconds} s; levels from {} on",
        status.pid, status.most_urgent.0
    )));
    if let Some(why) = &status.fell_back {
        document.add(Block::Note(format!("everyone has the turn: {}", plain(why, 400))));
    }
    let numbers =
        ["waiting", "running", "done", "left", "killed", "preempted", "overdue", "held back"];
    let titles = [
        Column::figure("pid"),
        Column::figure("level"),
        Column::text("standing"),
        Column::figure("for"),
        Column::text("because"),
    ];
    let mut columns = titles.to_vec();
    columns.extend(numbers.map(Column::figure));
    columns.extend(["device", "notes"].map(Column::text));
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

fn row(program: &ProgramStatus) -> [String; 15] {
    let it = &program.summary;
    let standing = match program.standing {
        ProgramStanding::Turn => "has the turn",
        ProgramStanding::Paused => "paused",
        ProgramStanding::Leaving => "leaving",
        ProgramStanding::Away => "away",
        ProgramStanding::Held => "held",
    };
    let counted = it.counted.iter().map(|(what, count)| format!("{what} {count}"));
    let notes: Vec<String> = hints(program).into_iter().chain(counted).collect();
    let numbers = [it.waiting, it.in_flight, it.finished, it.exited, it.killed, program.ordered];
    let [waiting, running, done, left, killed, ordered] = numbers.map(|number| number.to_string());
    [
        program.pid.to_string(),
        program.level.0.to_string(),
        standing.to_owned(),
        duration(program.since_ms.saturating_mul(1_000_000)),
        because(program),
        waiting,
        running,
        done,
        left,
        killed,
        ordered,
        program.overdue.to_string(),
        program.held_back.to_string(),
        plain(&program.device, DEVICE),
        notes.join(", "),
    ]
}

/// Returns the number of shares of the device that a program has, if it is not 1, and the hints
/// about the program, such as its deadline. Each is spelled as on the command line.
fn hints(program: &ProgramStatus) -> Vec<String> {
    let hints = program.hints;
    let time = |kind, it: Option<Ticks>| it.map(|it| format!("{kind}:{}", duration(it.0)));
    let all = [
        (program.share != 1).then(|| format!("share:{}", program.share)),
        hints.priority().map(|level| format!("priority:{}", level.0)),
        time("deadline", hints.deadline()),
        time("laxity", hints.laxity()),
        hints.utilisation().map(|percent| format!("utilisation:{percent}")),
        hints.custom().map(|number| format!("custom:{number}")),
    ];
    all.into_iter().flatten().collect()
}

/// Returns a text that says why a program may not use the device now, with the ids of the processes
/// that caused this.
fn because(program: &ProgramStatus) -> String {
    let pids: Vec<String> = program.by.iter().map(ToString::to_string).collect();
    let pids = pids.join(", ");
    match program.because {
        None => String::new(),
        Some(OffReason::NoWork) => "it has no work".to_owned(),
        Some(OffReason::Others) if pids.is_empty() => "nobody has the turn yet".to_owned(),
        Some(OffReason::Others) => format!("{pids} has the turn"),
        Some(OffReason::Order) => format!("ordered by process {pids}"),
        Some(OffReason::Storm) => "the daemon's storm".to_owned(),
    }
}
