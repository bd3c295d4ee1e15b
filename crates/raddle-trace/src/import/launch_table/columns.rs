//! Which columns may the header of a launch table name, and is a given header right?

use crate::error::{begin, shown};

/// Columns of a launch table, in the order in which raddle writes them. The last one, `end_ns`, is
/// never written: tables from elsewhere may have it in place of a duration.
pub const LAUNCH_TABLE_COLUMNS: [&str; 25] = [
    "name",
    "kind",
    "stream",
    "grid_x",
    "grid_y",
    "grid_z",
    "block_x",
    "block_y",
    "block_z",
    "vgprs_per_thread",
    "sgprs_per_wave",
    "lds_bytes",
    "barrier",
    "arrival_ns",
    "start_ns",
    "duration_ns",
    "priority",
    "idempotent",
    "move_rate",
    "load_rate",
    "store_rate",
    "matrix_rate",
    "compare_rate",
    "jump_rate",
    "end_ns",
];

/// Similarity, from 0 to 1, above which an unknown column name counts as a misspelt known one.
const LIKE: f64 = 0.5;

pub(super) fn is_column(name: &str) -> bool {
    LAUNCH_TABLE_COLUMNS.contains(&name)
}

/// Checks the header of a launch table; the error says what is wrong.
pub(super) fn check_header(header: &csv::StringRecord) -> Result<(), String> {
    const REQUIRED: [&str; 8] =
        ["name", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "start_ns"];
    for (at, column) in header.iter().enumerate() {
        if !is_column(column) {
            return Err(unknown(column));
        }
        if header.iter().take(at).any(|before| before == column) {
            return Err(format!("column `{column}` comes twice"));
        }
    }
    let has = |column: &str| header.iter().any(|name| name == column);
    if let Some(missing) = REQUIRED.iter().find(|column| !has(column)) {
        return Err(format!("column `{missing}` is missing"));
    }
    match (has("duration_ns"), has("end_ns")) {
        (false, false) => Err("column `duration_ns` is missing".to_owned()),
        (true, true) => Err("columns `duration_ns` and `end_ns` say the same: keep one".to_owned()),
        _ => Ok(()),
    }
}

fn unknown(column: &str) -> String {
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(begin(column), known);
    let shown = shown(column);
    if column.contains([';', '\t']) {
        return format!("column {shown} is not known: separate the cells by commas");
    }
    let nearest = LAUNCH_TABLE_COLUMNS.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|known| likeness(known) >= LIKE) {
        Some(known) => format!("column {shown} is not known; did you mean `{known}`?"),
        None => {
            format!("column {shown} is not known; there are {}", LAUNCH_TABLE_COLUMNS.join(", "))
        }
    }
}
