//! How are the savings of condensed packets shown to a person?

use raddle_report::{Block, Column, Document, Table};

use super::args::{CostArgs, SharingArg, StatsArgs};
use super::play::PacketCounts;
use super::savings::{Saved, StatsReport};
use crate::units::{count, counted, duration, percent, plain, share, size};

/// Largest number of characters that the printed savings show of a profile's name.
const PROFILE: usize = 60;

const READING: &str = "fewer = ordinary packets for one of these; own, other = launches sent in condensed packets, of all launches, by an entry of their own kernel or of another one; a packet = launches of a condensed packet; saved = of the overhead of ordinary packets";

/// Makes the document, for people, that shows what condensed packets would save.
pub(super) fn document(report: &StatsReport, args: &StatsArgs) -> Document {
    let mut document = Document::default();
    document.columns = Some(80);
    document.warn(&report.overturning);
    report.profiles.iter().for_each(|saved| profile(&mut document, saved, args));
    document.paragraph("Reading", READING);
    document.paragraph("Costs", costs(&args.costs));
    document.paragraph("Assumed", assumed(args));
    document
}

fn profile(document: &mut Document, saved: &Saved, args: &StatsArgs) {
    document.add(Block::Heading(plain(&saved.name, PROFILE)));
    document.add(Block::Note(format!(
        "{}: {} of {} on {}, {} between them",
        saved.format,
        counted(saved.launches, "launch", "launches"),
        counted(saved.kernels, "kernel", "kernels"),
        counted(saved.streams as u64, "stream", "streams"),
        counted(saved.copies, "copy or fill", "copies and fills"),
    )));
    let ordinary = format!(
        "{}, {}, overhead {} (assumed) beside {} of kernels",
        counted(saved.launches, "packet", "packets"),
        counted(saved.ordinary_bytes, "byte", "bytes"),
        duration(saved.ordinary_overhead_ns),
        duration(saved.kernel_ns),
    );
    document.paragraph("Ordinary", ordinary);
    if args.hold_us.is_some() && saved.unknown_issue > 0 {
        let what = counted(saved.unknown_issue, "launch or copy", "launches and copies");
        document.add(Block::Note(format!("Of {what} it is not known when they were issued: they count as issued with what came before them, so --hold-us keeps less apart than it would")));
    }
    for (arguments, title) in [
        ("fixed", "Arguments fixed: where those of a kernel always lie"),
        ("new", "Arguments new: elsewhere for every launch"),
    ] {
        let rows = saved.rows.iter().filter(|row| row.arguments == arguments);
        document.add(Block::Heading(title.to_owned()));
        document.table(table(saved, rows));
    }
    document.paragraph("Changes", changes(saved));
}

fn table<'r>(saved: &Saved, rows: impl Iterator<Item = &'r PacketCounts>) -> Table {
    let figures = ["packets", "fewer", "bytes", "own", "other", "a packet", "overhead", "saved"];
    let columns = [Column::text("kept")].into_iter().chain(figures.map(Column::figure));
    let mut table = Table::new("Packets", columns.collect::<Vec<_>>());
    let times = |a: u64, b: u64| {
        if b == 0 { "-".to_owned() } else { format!("{:.2}", a as f64 / b as f64) }
    };
    let of = |part: u64, whole: u64| percent(share(part.into(), whole.into()));
    for row in rows {
        let less = saved.ordinary_overhead_ns.saturating_sub(row.overhead_ns);
        table.row([
            row.keep.to_owned(),
            count(row.packets),
            format!("{}x", times(saved.launches, row.packets)),
            size(row.bytes),
            of(row.own_kernel, saved.launches),
            of(row.other_kernel, saved.launches),
            times(row.condensed, row.condensed_packets),
            duration(row.overhead_ns),
            of(less, saved.ordinary_overhead_ns),
        ]);
    }
    table
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
    let repeated = count(saved.repeated);
    format!("from the launch before of the same kernel ({repeated} of them): {told}")
}

/// Returns a sentence that says which costs of launching are assumed, and where they come from.
fn costs(costs: &CostArgs) -> String {
    let from = if *costs == CostArgs::default() {
        "the proportion of the worked example as microseconds, of no device"
    } else {
        "as given"
    };
    format!(
        "assumed, not measured ({from}): a packet {} + {} ns, a kernel {} ns (and {} in a condensed packet), a cleanup {} ns. Give those of a device with --enqueue-ns, --processing-ns, --schedule-ns, --decode-ns and --cleanup-ns",
        costs.enqueue_ns, costs.processing_ns, costs.schedule_ns, costs.decode_ns, costs.cleanup_ns,
    )
}

/// Returns a sentence about the assumptions on facts that no profile holds.
fn assumed(args: &StatsArgs) -> String {
    let signals = if args.signals {
        "every launch has a signal of its own"
    } else {
        "no launch has a signal (--signals: each has)"
    };
    let hold = match args.hold_us {
        Some(us) => format!("for at most {us} us after the first of a packet was issued"),
        None => "however far apart they were issued (--hold-us: so long)".to_owned(),
    };
    let (table, own) = match args.scope {
        SharingArg::Queue => ("each stream has a table", " of its own; its launches"),
        SharingArg::Process | SharingArg::Agent => {
            ("all streams share a table", ", but no packet; launches")
        }
    };
    format!(
        "no profile holds kernel objects, arguments or signals, so kernels are told apart by name; {signals}, and none a release scope; {table} of {}{own} share packets up to the next copy or fill, {hold}. Fixed and new are bounds for arguments alone: with signals, or a limit to waiting, less is saved than they say",
        counted(args.entries.into(), "entry", "entries"),
    )
}
