//! How is the time in which no kernel of a recording ran shown?

use raddle_study::inspect::{IdlePlace, RecordedIdle};
use raddle_study::units::{count, duration, percent};

use crate::document::{Column, Document, Table};

/// Largest number of characters that the table of idle places shows of the name of a kernel.
const KERNEL: usize = 30;
/// Largest number of rows of the table of idle places (pairs of kernels between which the device
/// was idle).
const PLACES: usize = 5;

/// Adds to the document the idle time of a recording that lasts `span_ns` nanoseconds, the causes
/// of that idle time, and the kernels between which most of it lies.
pub(super) fn fill(document: &mut Document, idle: &RecordedIdle, span_ns: u64) {
    if idle.idle_ns == 0 {
        return;
    }
    // A cause below this fraction would be shown as 0.0%.
    let causes = idle.causes.iter().filter(|part| part.share >= 0.0005);
    let causes = causes.map(|part| format!("{} {}", percent(part.share), part.cause.told()));
    let text = format!(
        "no kernel ran for {} of {}: {}",
        percent(idle.share),
        duration(span_ns),
        causes.collect::<Vec<_>>().join(", "),
    );
    document.paragraph("Idle", text);
    let columns = [Column::name("idle after", KERNEL), Column::name("and before", KERNEL)];
    let figures = ["times", "total", "longest"];
    let mut table = Table::new("Idle", columns).figures(figures).more([Column::text("mostly")]);
    for place in idle.places.iter().take(PLACES) {
        let IdlePlace { after, before, times, total_ns, longest_ns, mostly } = place;
        let [after, before] = [(after, "(the begin)"), (before, "(the end)")]
            .map(|(name, none)| name.as_deref().unwrap_or(none).to_owned());
        let figures = [count(*times), duration(*total_ns), duration(*longest_ns)];
        let [times, total, longest] = figures;
        table.row([after, before, times, total, longest, mostly.word().to_owned()]);
    }
    document.table(table);
}
