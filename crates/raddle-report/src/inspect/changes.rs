//! How are two recordings of one program shown side by side?

use std::cmp::Ordering;

use raddle_study::inspect::{FamilyChange, ProfileChanges, RecordedCause, RecordedTotals};
use raddle_study::units::{count, counted as counted_in, duration, percent, plain, share};

use super::KERNEL;
use crate::document::{Block, Column, Document, Table};

/// Fraction of the kernel time that is spent in kernel families which both recordings have; from
/// this fraction on, both count as recordings of one program.
const ALIKE: f64 = 0.5;
/// Largest number of rows of the table that shows by how much the time of kernels changed.
const FAMILIES: usize = 15;
/// Largest number of characters that a table shows of the name of a family (kernels alike in name).
const FAMILY: usize = 28;
/// Largest number of characters that the result shows of the name of a profile.
const PROFILE: usize = 40;

/// Makes the document that shows the differences of two recordings, beginning with how much longer
/// one is than the other and why.
#[must_use]
pub fn document(changes: &ProfileChanges) -> Document {
    let mut document = Document::default();
    document.full = "with --format json";
    document.add(Block::Note(sentence(changes)));
    document.warn(&changes.overturning);
    for (label, at) in [("A", 0), ("B", 1)] {
        document.paragraph(label, recording(changes, at));
    }
    document.table(figures(changes));
    document.table(families(changes));
    document.paragraph("Kernels", families_note(changes));
    document
}

/// Describes one of the two recordings (`at` 0 or 1): its name, its device, and how much it holds.
fn recording(changes: &ProfileChanges, at: usize) -> String {
    let totals = &changes.totals[at];
    let device = totals.device.as_ref().map_or("a device that its file does not name", |it| it);
    let launches = counted_in(totals.launches, "launch", "launches");
    let held = match totals.repetitions {
        0 | 1 => launches,
        many => format!("{launches}, which are {} equal repetitions", count(many)),
    };
    let name = plain(&changes.profiles[at], PROFILE);
    format!("{name}, on {}: {held}", plain(device, PROFILE + PROFILE))
}

/// Says in a sentence by how much the second recording is longer than the first, and which parts of
/// the time differ most.
fn sentence(changes: &ProfileChanges) -> String {
    let mut text = length(changes);
    let [busy, idle] = [both(changes, |it| it.busy_ns), both(changes, |it| it.idle.idle_ns)];
    let [a, b] = both(changes, |it| it.span_ns);
    let is_split = a != b || busy[0] != busy[1];
    if is_split {
        text += &format!(
            ": kernels ran for {}, and none ran for {}",
            more_or_less(busy),
            more_or_less(idle)
        );
    }
    let by_cause = RecordedCause::ALL.map(|cause| (cause, caused_by(changes, cause)));
    let most = by_cause.into_iter().max_by_key(|(_, [a, b])| a.abs_diff(*b));
    if let Some((cause, [a, b])) = most.filter(|(_, [a, b])| a != b) {
        let is_part = (b > a) == (idle[1] > idle[0]) && a.abs_diff(b) <= idle[0].abs_diff(idle[1]);
        let most = match (is_split, is_part) {
            (true, true) => ", most of it",
            (true, false) => "; idle time changed most",
            (false, _) => ": idle time changed most",
        };
        text += &format!("{most} while {} ({})", cause.told(), difference([a, b]));
    }
    if changes.common() < ALIKE {
        return text
            + &format!(
                ". These look like two programs: kernels of both are {} of the time of all kernels.",
                percent(changes.common())
            );
    }
    let is_in_both = |it: &&FamilyChange| it.launches.iter().all(Option::is_some);
    let mut told: Vec<&FamilyChange> = changes.families.iter().collect();
    let mut which = "kernels";
    if let (Some(first), Some([a, b])) = (told.first(), changes.of_one_alone())
        && !is_in_both(first)
    {
        text += &format!(
            ". Kernels of A alone took {} (the longest `{}`), those of B alone {} (`{}`), perhaps for the same work",
            duration(a.total_ns),
            plain(a.largest, KERNEL),
            duration(b.total_ns),
            plain(b.largest, KERNEL),
        );
        told.retain(is_in_both);
        which = "kernels of both";
    }
    if let Some(largest) = told.first().filter(|it| it.totals()[0] != it.totals()[1]) {
        text += &format!(
            ". Of the {which} `{}` changed most ({})",
            plain(&largest.family, KERNEL),
            difference(largest.totals())
        );
        text += &along(changes, largest.totals(), &told);
    }
    text + "."
}

/// Says by how much the second recording is longer than the first, and names devices that differ.
fn length(changes: &ProfileChanges) -> String {
    let [first, second] = changes.profiles.each_ref().map(|name| plain(name, PROFILE));
    let [a, b] = both(changes, |it| it.span_ns);
    let times = format!("{} -> {}", duration(a), duration(b));
    let than = match a.cmp(&b) {
        Ordering::Equal => format!("as long as {first} ({})", duration(a)),
        Ordering::Less => format!("{} longer than {first} ({times})", relative(a, b)),
        Ordering::Greater => format!("{} shorter than {first} ({times})", relative(a, b)),
    };
    match changes.totals.each_ref().map(|it| it.device.as_ref()) {
        [Some(a), Some(b)] if a != b => {
            let [a, b] = [a, b].map(|device| plain(device, PROFILE + PROFILE));
            format!("On {b} instead of {a}, {second} is {than}")
        }
        _ => format!("{second} is {than}"),
    }
}

/// Returns a clause about a second kernel family, for the case that all kernels together took
/// longer but the family with the largest change (`largest`) became shorter, or the reverse: the
/// family of `told` that changed most in the direction of all kernels. Empty in any other case.
fn along(changes: &ProfileChanges, largest: [u64; 2], told: &[&FamilyChange]) -> String {
    let way = |[a, b]: [u64; 2]| a.cmp(&b);
    let all = way(both(changes, |it| it.kernel_ns));
    if all == Ordering::Equal || way(largest) == all {
        return String::new();
    }
    let found = told.iter().find(|it| way(it.totals()) == all);
    let verb = if all == Ordering::Less { "grew" } else { "shrank" };
    found.map_or_else(String::new, |it| {
        format!(", `{}` {verb} most ({})", plain(&it.family, KERNEL), difference(it.totals()))
    })
}

fn figures(changes: &ProfileChanges) -> Table {
    let mut table = Table::new("Figures", [Column::text("figure")]).figures(["A", "B", "change"]);
    let row = |name: &str, values: [u64; 2]| {
        let [a, b] = values.map(duration);
        (values, [name.to_owned(), a, b, difference(values)])
    };
    let number = |name: &str, values: [u64; 2]| {
        let [a, b] = values.map(count);
        (values, [name.to_owned(), a, b, counted(values)])
    };
    let mut rows = vec![
        row("span", both(changes, |it| it.span_ns)),
        row("kernels ran", both(changes, |it| it.busy_ns)),
        row("no kernel ran", both(changes, |it| it.idle.idle_ns)),
    ];
    rows.extend(RecordedCause::ALL.map(|cause| row(cause.told(), caused_by(changes, cause))));
    rows.extend([
        row("time of all kernels", both(changes, |it| it.kernel_ns)),
        number("launches", both(changes, |it| it.launches)),
        row("time of copies and fills", both(changes, |it| it.copy_ns)),
        number("copies and fills", both(changes, |it| it.copies)),
    ]);
    rows.into_iter().filter(|(values, _)| *values != [0, 0]).for_each(|(_, row)| table.row(row));
    table
}

/// Returns a figure of both recordings, as [of the first, of the second].
fn both(changes: &ProfileChanges, figure: impl FnMut(&RecordedTotals) -> u64) -> [u64; 2] {
    changes.totals.each_ref().map(figure)
}

/// Returns the time in ns in which no kernel ran because of `cause`, as [in the first recording, in
/// the second].
fn caused_by(changes: &ProfileChanges, cause: RecordedCause) -> [u64; 2] {
    both(changes, |it| it.idle.caused_by(cause))
}

fn families(changes: &ProfileChanges) -> Table {
    let titles =
        ["launches A", "launches B", "total A", "total B", "change", "median A", "median B"];
    let columns = [Column::name("kernels", FAMILY)];
    let titles = titles.map(|title| Column::figure(title).kept());
    let mut table = Table::new("Kernels", columns).more(titles);
    for change in changes.families.iter().take(FAMILIES) {
        table.row(cells(change));
    }
    table
}

fn cells(change: &FamilyChange) -> [String; 8] {
    let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let [a, b] = change.launches;
    [
        change.family.clone(),
        shown(a.map(|times| count(times.launches))),
        shown(b.map(|times| count(times.launches))),
        shown(a.map(|times| duration(times.total_ns))),
        shown(b.map(|times| duration(times.total_ns))),
        difference(change.totals()),
        shown(a.map(|times| duration(times.median_ns))),
        shown(b.map(|times| duration(times.median_ns))),
    ]
}

fn families_note(changes: &ProfileChanges) -> String {
    let all = changes.families.len();
    let only = |at: usize| {
        let own = changes.families.iter().filter(|it| it.launches[1 - at].is_none());
        let (families, ns) = own.fold((0_u64, 0_u64), |(families, ns), it| {
            (families + 1, ns.saturating_add(it.totals()[at]))
        });
        match families {
            0 => "none".to_owned(),
            some => format!("{} ({})", count(some), duration(ns)),
        }
    };
    format!(
        "the {} of {} families whose time changed most; a family is a name without parameters, template arguments and a number at its end; {} only in A, {} only in B",
        count(all.min(FAMILIES) as u64),
        count(all as u64),
        only(0),
        only(1),
    )
}

/// Writes in words how much longer the second of two times in ns is than the first: "5.00 ms more".
fn more_or_less([a, b]: [u64; 2]) -> String {
    if a == b {
        return "as long".to_owned();
    }
    format!("{} {}", duration(a.abs_diff(b)), if b > a { "more" } else { "less" })
}

const fn sign([a, b]: [u64; 2]) -> &'static str {
    if b < a {
        "-"
    } else if b > a {
        "+"
    } else {
        ""
    }
}

/// Returns a difference of two times in ns, the second less the first, as text with its sign.
fn difference(values: [u64; 2]) -> String {
    format!("{}{}", sign(values), duration(values[0].abs_diff(values[1])))
}

/// Returns a difference of two counts, the second less the first, as text with its sign.
fn counted(values: [u64; 2]) -> String {
    format!("{}{}", sign(values), count(values[0].abs_diff(values[1])))
}

fn relative(a: u64, b: u64) -> String {
    format!("{:.1} %", 100.0 * share(a.abs_diff(b).into(), a.into()))
}
