//! What does the database of rocprof v1 hold (results.db)?
//!
//! Its table of kernels has the columns of the table in CSV, so it is written as CSV and read like
//! that table. A database of a trace alone has kernels without grids, and is refused.

use std::io::Cursor;

use crate::assemble::Draft;
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::import::ImportSource;
use crate::import::sqlite::SqliteSource;
use crate::import::sqlite::database::{Database, DatabaseRow};

/// Names that rocprof v1's table of kernels may have: the one that the script of rocprof gives it
/// (`tblextr.py`, ROCm/rocprofiler), and another one that occurs in files.
const KERNELS: [&str; 2] = ["A", "KERN"];

/// Columns of rocprof v1's table of kernels that are read.
const COLUMNS: [&str; 17] = [
    "Index",
    "KernelName",
    "gpu-id",
    "queue-id",
    "grd",
    "wgr",
    "wgp",
    "lds",
    "vgpr",
    "arch_vgpr",
    "accum_vgpr",
    "sgpr",
    "DispatchNs",
    "BeginNs",
    "EndNs",
    "CompleteNs",
    "stream-id",
];

/// Returns whether a database is one of rocprof v1.
pub(in crate::import) fn looks_like(database: &Database) -> bool {
    kernels(database).is_some() || has(database, "OPS", &["BeginNs", "EndNs", "dev-id"])
}

/// Returns the name of the table of kernels in a database of rocprof v1; `None` where the database
/// has none.
fn kernels(database: &Database) -> Option<&'static str> {
    KERNELS.into_iter().find(|table| has(database, table, &["KernelName", "BeginNs", "EndNs"]))
}

fn has(database: &Database, table: &str, columns: &[&str]) -> bool {
    database.has(table) && database.lacks(table, columns).is_empty()
}

/// Imports a database of rocprof v1; an error where no kernel in it can be used.
pub(in crate::import) fn import(
    source: &SqliteSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let SqliteSource { file, database, watch, .. } = source;
    let kernels = kernels(database).unwrap_or(KERNELS[0]);
    let lacks = database.lacks(kernels, &COLUMNS);
    let there: Vec<&str> = COLUMNS.into_iter().filter(|column| !lacks.contains(column)).collect();
    let has = |column: &&str| there.contains(column);
    let shaped = has(&"grd") && (has(&"wgr") || has(&"wgp"));
    if !database.has(kernels) || !shaped {
        let what = "a database of rocprof v1 without the grids of its kernels".to_owned();
        let advice = "give the results.csv or results.json of the same run, or record again with \
                      `rocprofv3 --kernel-trace --hip-trace --output-format json -- APPLICATION`";
        return Err(TraceError::OtherFile { file: file.clone(), what, advice });
    }
    let mut text = there.join(",");
    database.scan(kernels, &there, |row| {
        text.push('\n');
        for at in 0..there.len() {
            if at > 0 {
                text.push(',');
            }
            text.push_str(&cell(row, at));
        }
        true
    });
    text.push('\n');
    let (file, reader) = (file.clone(), Box::new(Cursor::new(text)));
    let table = ImportSource { file, reader, gzip: false, lines: 0, watch: *watch };
    super::csv::import(table, options)
}

/// Writes the cell `at` of a row of the database as a cell of a CSV table; an empty cell becomes an
/// empty text. Names that the script of rocprof keeps in quotes lose them first.
fn cell(row: &DatabaseRow<'_>, at: usize) -> String {
    let bare = |text: &str| {
        let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        inside.unwrap_or(text).replace('"', "\"\"")
    };
    let text = row.text(at).map(|text| format!("\"{}\"", bare(&text)));
    let number = || row.number(at).map(|number| number.to_string());
    text.or_else(number).unwrap_or_default()
}
