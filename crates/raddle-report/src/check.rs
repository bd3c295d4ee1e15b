//! How is a check shown: how far was a prediction from what was measured afterwards?

use raddle_study::check::{Check, CheckedTenant};
use raddle_study::units::{counted, duration, plain};

use crate::document::{Block, Cell, Column, Document, Table};

/// Largest number of characters that a table shows of the name of a tenant (a process that shares
/// the device).
const TENANT: usize = 24;

/// Makes the document that shows a check: how far the predicted figures of each tenant (a process
/// that shares the device) are from the measured ones.
#[must_use]
pub fn document(check: &Check) -> Document {
    let mut document = Document::default();
    document.title = format!("Predicted and measured under {}", plain(&check.recipe, 60));
    document.summary = counted(check.tenants.len() as u64, "tenant", "tenants");
    document.add(Block::Verdict {
        good: check.tenants.iter().all(|of| of.within != Some(false))
            && check.failures().is_empty(),
        name: String::new(),
        text: check.sentence(),
        why: None,
    });
    document.warn(&check.overturning);
    document.table(table(check));
    if !check.unmeasured.is_empty() {
        document.add(Block::Warning(format!(
            "no recording of {}, so nothing is said of {}",
            check.unmeasured.join(", "),
            if check.unmeasured.len() == 1 { "it" } else { "them" }
        )));
    }
    let any = |of: fn(&CheckedTenant) -> bool| check.tenants.iter().any(of);
    let begin = match (any(|of| of.from_issue), any(|of| of.with_queue)) {
        (_, true) => "arrival (measured: from their first launch)",
        (true, false) => "first launch issued",
        (false, false) => "arrival",
    };
    document.paragraph("Reading", format!("error = predicted over measured, less 1; p99 of requests from their {begin} to their last end, a step from the end of the one before, the end from the first launch issued."));
    document
}

fn table(check: &Check) -> Table {
    let columns = [Column::name("tenant", TENANT), Column::text("figure")];
    let figures = ["predicted", "interval", "measured", "error", "in interval", "repetitions"];
    let mut table = Table::new("Predicted and measured", columns).figures(figures);
    for of in &check.tenants {
        let dash = || "-".to_owned();
        table.row([
            Cell::from(of.name.as_str()),
            of.judged.word().into(),
            of.predicted_ns.map_or_else(dash, duration).into(),
            of.interval().map_or_else(dash, |bounds| bounds.text()).into(),
            duration(of.measured_ns).into(),
            Cell::ranked(
                of.error.map_or_else(dash, |error| format!("{:+.1}%", error * 100.0)),
                of.error,
            ),
            of.within.map_or("-", |within| if within { "yes" } else { "no" }).into(),
            of.repetitions.to_string().into(),
        ]);
    }
    table
}
