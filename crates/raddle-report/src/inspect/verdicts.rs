//! How is it shown which kernels of a profile may be stopped and run again, as their sources say?

use raddle_study::inspect::SourceVerdict;
use raddle_study::units::count;

use super::{KERNEL, LISTED};
use crate::document::{Column, Document, Table};

const NO_SOURCES: &str = "their sources are not here; with --kernels FOLDER, or a folder `kernels` beside the profile, of .ptx, .cl or .spv files such as Triton's cache, it is said here which may be stopped and run again";

/// Adds to the document the verdicts on whether kernels may be stopped and run again, for the
/// kernels whose source code was found; `kernels` is the number of all kernels of the profile.
pub(super) fn fill(document: &mut Document, verdicts: &[SourceVerdict], kernels: usize) {
    if verdicts.is_empty() {
        document.paragraph("Verdicts", NO_SOURCES);
        return;
    }
    let columns = [
        Column::name("kernel", KERNEL),
        Column::text("verdict"),
        Column::text("why"),
        Column::text("where"),
    ];
    let mut table = Table::new("Verdicts", columns);
    for verdict in verdicts.iter().take(LISTED) {
        let SourceVerdict { kernel, verdict, why, source } = verdict.clone();
        table.row([kernel, verdict.to_owned(), why, source]);
    }
    document.table(table);
    let text = format!(
        "{} of {} kernels have a source; what each answer means: docs/kernels.md",
        count(verdicts.len() as u64),
        count(kernels as u64)
    );
    document.paragraph("Verdicts", text);
}
