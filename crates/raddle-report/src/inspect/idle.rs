//! How is the time in which no kernel of a recording ran shown?

use raddle_study::inspect::{IdlePlace, RecordedIdle};
use raddle_study::units::{count, duration, percent};

use crate::document::{Column, Document, Table};

/// Largest number of characters that the table of idle places shows of the name of a kernel.
const KERNEL: usize = 30;

/// Adds to the document the causes of the idle time of a recording, as parts of its length, and the
/// at most `most` pairs of kernels between which most of it lies.
pub(super) fn fill(document: &mut Document, idle: &RecordedIdle, most: usize) {
    if idle.idle_ns == 0 {
        return;
    }
    // A cause below this fraction would be shown as 0.0%.
    let causes = idle.causes.iter().filter(|part| part.share >= 0.0005);
    let causes = causes.map(|part| format!("{} {}", percent(part.share), part.cause.told()));
    document.paragraph("Idle", causes.collect::<Vec<_>>().join(", "));
    let columns = [Column::name("idle after", KERNEL), Column::name("and before", KERNEL)];
    let figures = ["times", "total", "longest"];
    let mut table = Table::new("Idle", columns).figures(figures).more([Column::text("mostly")]);
    for place in idle.places.iter().take(most) {
        let IdlePlace { after, before, times, total_ns, longest_ns, mostly } = place;
        let [after, before] = [(after, "(the begin)"), (before, "(the end)")]
            .map(|(name, none)| name.as_deref().unwrap_or(none).to_owned());
        let figures = [count(*times), duration(*total_ns), duration(*longest_ns)];
        let [times, total, longest] = figures;
        table.row([after, before, times, total, longest, mostly.word().to_owned()]);
    }
    document.table(table);
}
