//! Which kernels of a profile may be stopped and run again, as far as their sources say?

use serde::Serialize;

use super::{KERNEL, LISTED};
use crate::document::{Column, Document, Table};
use crate::units::count;

/// The verdict of the sources on a kernel of a profile.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourceVerdict {
    /// The name of the kernel, as in the profile.
    pub kernel: String,
    /// The answer to whether the kernel may be stopped and run again: `idempotent`, `conditional`,
    /// `not` or `unknown`.
    pub verdict: &'static str,
    /// The condition under which it may, or the reason why not.
    pub why: String,
    /// The source file of the verdict, and its line.
    pub source: String,
}

const NO_SOURCES: &str = "their sources are not here; with --kernels FOLDER, or a folder `kernels` beside the profile, of .ptx, .cl or .spv files such as Triton's cache, it is said here which may be stopped and run again";

/// Adds the verdicts of the kernels that have a source, out of `kernels` kernels.
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
