//! How is it shown by how much kernels slow each other down, as learnt from recordings?

use raddle_sim::{ContentionRow, ContentionTable, Factor, NeighbourClass};
use raddle_study::contention::{ContentionFound, ContentionSource};
use raddle_study::units::{count, percent, plain};

use crate::document::{Cell, Column, Document, Table};

/// Largest number of characters of the name of a kernel family (kernels alike in name) in a table.
const FAMILY: usize = 44;

const READING: &str = "a factor is the time of a workgroup beside such a neighbour over its time alone, median of as many launches as stand behind it (and the interval that nineteen of twenty lie in); what the neighbour held of the device is taken out before, as fewer units mean more rounds. `unknown`: nobody observed it. Compute: names of matrix products and attention; memory: other names that are known; communication: NCCL, RCCL and the like, as neighbours only";

const HELD_OUT: &str = "the first half of each recording foretells the launches beside neighbours of the second: the median of |foretold - recorded| / recorded; the same where what lies within one step of the recording clock is no error; of launches of at least 20 steps; and how many launches lie in the interval that is meant for nine of ten";

/// Makes the document that shows the contention learnt from recordings: how much longer workgroups
/// take beside kernels of other kinds.
#[must_use]
pub fn document(found: &ContentionFound) -> Document {
    let mut document = Document::default();
    let ContentionTable { families, classes, alone, beside, never_alone } = &found.table;
    document.paragraph(
        "Contention",
        match found.table.is_empty() {
            true => format!(
                "unknown: {} launches ran alone, and of none that ran beside a neighbour the same kernel ran alone too. Record the processes together, with some of their kernels alone",
                count(*alone)
            ),
            false => format!(
                "learnt from {} launches beside a neighbour and {} alone; {} beside a neighbour never ran alone, and teach nothing",
                count(*beside),
                count(*alone),
                count(*never_alone)
            ),
        },
    );
    document.warn(&found.overturning);
    document.table(rows("By class", classes));
    document.table(rows("By kernel family", families));
    document.table(held_out(found));
    document.paragraph("Reading", READING);
    document.paragraph("Held out", HELD_OUT);
    document
}

fn held_out(found: &ContentionFound) -> Table {
    let figures = ["launches", "foretold", "error", "beyond clock", "long", "in interval"];
    let mut table =
        Table::new("Held out: the second half, by the first", [Column::name("recording", 40)])
            .figures(figures);
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), percent);
    for ContentionSource { name, held_out, .. } in &found.recordings {
        table.row([
            name.clone(),
            count(held_out.launches),
            count(held_out.foretold),
            share(held_out.median_error),
            share(held_out.median_error_beyond_step),
            format!("{} of {}", share(held_out.median_error_long), count(held_out.long)),
            share(held_out.within),
        ]);
    }
    table
}

fn rows(label: &str, rows: &[ContentionRow]) -> Table {
    let columns = [Column::name("kernel family", FAMILY), Column::text("class")];
    let beside = NeighbourClass::ALL.map(|class| match class {
        NeighbourClass::Unknown => "beside others",
        NeighbourClass::Compute => "beside compute",
        NeighbourClass::Memory => "beside memory",
        NeighbourClass::Communication => "beside communication",
    });
    let mut table = Table::new(label, columns).figures(beside);
    for row in rows {
        let factors = NeighbourClass::ALL.map(|class| factor(row.beside(class)));
        let names = [plain(&row.family, 200), row.class.name().to_owned()].map(Cell::from);
        table.row(names.into_iter().chain(factors));
    }
    table
}

fn factor(factor: Option<Factor>) -> Cell {
    let times = |permille: u32| f64::from(permille) / 1000.0;
    match factor {
        None => Cell::ranked("unknown", None),
        Some(Factor { permille, low, high, samples }) => {
            let text = format!(
                "{:.2} ({:.2} to {:.2}) of {samples}",
                times(permille),
                times(low),
                times(high)
            );
            Cell::ranked(text, Some(times(permille)))
        }
    }
}
