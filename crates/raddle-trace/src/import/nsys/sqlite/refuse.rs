//! Why does a database give no profile, and what can the user do?

use crate::error::TraceError;
use crate::import::device_side::{self, OtherWork};
use crate::import::known;
use crate::import::sqlite::SqliteSource;
use crate::import::sqlite::database::Database;
use crate::profile::OpKind;
use crate::report::Quirk;

use super::collect::{CALLS, COPIES, GRAPHS, KERNELS, NsysCollector, SETS};
use super::diagnostics::severe;
use super::draft::schema;
use super::launches::launches;

/// Columns of the export's table of kernels without which a kernel cannot be read.
const NEEDED: [&str; 10] = [
    "start", "end", "deviceId", "streamId", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
];

/// Checks that a database is an export of Nsight Systems with the columns that are read.
///
/// # Errors
/// When the database is of another tool, or its table of kernels lacks a needed column.
pub(super) fn foreign(file: &str, database: &Database) -> Result<(), TraceError> {
    let file = || file.to_owned();
    if database.has("StringTable") && !database.has("StringIds") {
        let what = "an SQLite database of nvprof, which Nsight Systems has replaced".to_owned();
        let advice = "record with `nsys profile --trace=cuda --export=sqlite -o run APPLICATION`";
        return Err(TraceError::OtherFile { file: file(), what, advice });
    }
    if ["NPU_INFO", "COMPUTE_TASK_INFO", "CANN_API"].iter().any(|table| database.has(table)) {
        let what = "a database of an Ascend NPU of Huawei, which is no GPU".to_owned();
        return Err(TraceError::OtherFile { file: file(), what, advice: known::LAUNCH_TABLE });
    }
    if database.has(KERNELS) {
        let lacking = database.lacks(KERNELS, &NEEDED);
        if lacking.is_empty() {
            return Ok(());
        }
        let columns: Vec<_> = lacking.iter().map(|column| format!("`{column}`")).collect();
        let schema = schema(database).map_or("unknown".to_owned(), |v| format!("{}.{}", v.0, v.1));
        let (table, columns) = (KERNELS, columns.join(", "));
        return Err(TraceError::MissingColumns { file: file(), table, columns, schema });
    }
    let ours = |table: &str| {
        table.starts_with("cupti_activity_kind_") || table.starts_with("target_info_")
    };
    if database.tables().any(ours) {
        return Ok(());
    }
    let looks_like = match database.tables().count() {
        0 => "an SQLite database without tables".to_owned(),
        1 => "an SQLite database with one table, which is none of a profiler".to_owned(),
        more => format!("an SQLite database with {more} tables, none of them of a profiler"),
    };
    Err(TraceError::NotAProfile { file: file(), looks_like })
}

/// Returns the error for an Nsight Systems export in which no kernel can be used; `None` if one
/// can.
pub(super) fn unusable(source: &SqliteSource<'_>, found: &NsysCollector) -> Option<TraceError> {
    if found.ops.iter().any(|found| found.op.kind == OpKind::Kernel) {
        return None;
    }
    let file = source.file.clone();
    let kernels = found.kernels_seen;
    if kernels > 0 {
        let reasons = found.report.reasons(&[Quirk::Malformed]);
        return Some(TraceError::NothingUsable { file, kernels, reasons });
    }
    if let Some(error) = source.broken() {
        return Some(error);
    }
    let launched = launches(&source.database);
    let why = severe(&source.database);
    if launched > 0 {
        // No text of the tool names a cure.
        let causes = device_side::NVIDIA;
        let why = match why.as_slice() {
            [] => causes.to_owned(),
            said => format!("nsys says: {}; {causes}", said.join("; ")),
        };
        return Some(device_side::not_recorded(file, launched, why));
    }
    let work = OtherWork {
        calls: found.calls.len() as u64,
        ..OtherWork::of(found.ops.iter().map(|found| &found.op))
    };
    if let Some(error) = work.refuse(&file, &why) {
        return Some(error);
    }
    let traced = [CALLS, COPIES, SETS, GRAPHS].iter().any(|table| source.database.has(table));
    let categories = if traced {
        "its tables of CUDA are empty"
    } else {
        "it has no tables of CUDA; `nsys profile --trace=cuda` makes them"
    };
    let said =
        if why.is_empty() { String::new() } else { format!("; nsys says: {}", why.join("; ")) };
    let categories = format!("{categories}{said}");
    Some(TraceError::NoKernels { file, categories })
}
