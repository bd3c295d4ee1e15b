//! How is what condensing saves told to a person?

use super::args::{Shared, StatsArgs};
use super::stats::{Report, Row, Saved};
use crate::table::Table;
use crate::units::{count, counted, duration, percent, share};

/// Everything as text.
pub(super) fn render(report: &Report, args: &StatsArgs, colour: bool) -> String {
    let mut text = String::new();
    for saved in &report.profiles {
        text += &profile(saved, colour);
        text.push('\n');
    }
    text + &assumed(args)
}

fn profile(saved: &Saved, colour: bool) -> String {
    let mut text = format!(
        "{} ({}): {} of {} on {}, {} between them\n",
        saved.name,
        saved.format,
        counted(saved.launches, "launch", "launches"),
        counted(saved.kernels, "kernel", "kernels"),
        counted(saved.streams as u64, "stream", "streams"),
        counted(saved.copies, "copy or fill", "copies and fills"),
    );
    text += &format!(
        "ordinary: {} packets, {} bytes, overhead {} beside {} of kernels\n\n",
        count(saved.launches),
        count(saved.ordinary_bytes),
        duration(saved.ordinary_overhead_ns),
        duration(saved.kernel_ns),
    );
    let header = [
        "arguments",
        "kept",
        "packets",
        "fewer",
        "bytes",
        "hit rate",
        "condensed holds",
        "overhead",
        "saved",
    ];
    let mut table = Table::new(&header, &[2, 3, 4, 5, 6, 7, 8]);
    for row in &saved.rows {
        let cells = cells(saved, row);
        table.row(&cells.iter().map(String::as_str).collect::<Vec<&str>>());
    }
    text += &table.render(colour);
    text += &samples(saved);
    text + &changes(saved)
}

fn cells(saved: &Saved, row: &Row) -> Vec<String> {
    let times = |a: u64, b: u64| {
        if b == 0 { "-".to_owned() } else { format!("{:.2}", a as f64 / b as f64) }
    };
    let less = saved.ordinary_overhead_ns.saturating_sub(row.overhead_ns);
    vec![
        row.arguments.to_owned(),
        row.keep.to_owned(),
        count(row.packets),
        format!("{}x", times(saved.launches, row.packets)),
        count(row.bytes),
        percent(share(row.hits.into(), saved.launches.into())),
        times(row.hits, row.condensed_packets),
        duration(row.overhead_ns),
        percent(share(less.into(), saved.ordinary_overhead_ns.into())),
    ]
}

fn samples(saved: &Saved) -> String {
    let mut text = String::new();
    for sample in &saved.sample {
        let rules: Vec<String> =
            sample.packets.iter().map(|(rule, packets)| format!("{rule} {packets}")).collect();
        let optimal = match sample.optimal {
            Some(packets) => format!("optimal {packets}"),
            None => "optimal unknown: too many tables to try".to_owned(),
        };
        text += &format!(
            "first {} of a stream, arguments {}: packets by {}, {optimal}\n",
            counted(sample.launches, "launch", "launches"),
            sample.arguments,
            rules.join(", "),
        );
    }
    text
}

fn changes(saved: &Saved) -> String {
    let mut fields: Vec<(&str, u64)> =
        saved.changes.iter().map(|change| (change.field, change.launches)).collect();
    fields.sort_by_key(|(_, launches)| std::cmp::Reverse(*launches));
    let told: Vec<String> = fields
        .iter()
        .map(|(field, launches)| {
            format!("{field} {}", percent(share((*launches).into(), saved.repeated.into())))
        })
        .collect();
    let told = if told.is_empty() { "nothing".to_owned() } else { told.join(", ") };
    format!(
        "changes from the launch before of the same kernel ({} of them): {told}\n",
        count(saved.repeated)
    )
}

/// What no profile says.
fn assumed(args: &StatsArgs) -> String {
    let costs = args.costs.overhead();
    let signals = if args.signals {
        "every launch has a signal of its own"
    } else {
        "no launch has a signal"
    };
    let hold = match args.hold_us {
        Some(us) => format!("for at most {us} us after the first was issued"),
        None => "however far apart they were issued".to_owned(),
    };
    let table = match args.scope {
        Shared::Queue => "Each stream has a\ntable of",
        Shared::Process | Shared::Agent => "All streams share a\ntable of",
    };
    let own = if args.scope == Shared::Queue {
        " of its own; its launches"
    } else {
        ", but no packet; launches"
    };
    format!(
        "Assumed: no profile holds kernel objects, arguments or signals. Kernels are told by name; arguments lie where they\n\
         always do (fixed) or elsewhere for every launch (new), truth lies between; {signals}. {table} {}{own} share packets up to the next copy or fill, {hold}.\n\
         Overhead in ns: packet {} + {}, kernel {} (+ {} in a condensed packet), cleanup {}.\n",
        counted(args.entries.into(), "entry", "entries"),
        costs.enqueue,
        costs.processing,
        costs.schedule,
        costs.decode,
        costs.cleanup,
    )
}
