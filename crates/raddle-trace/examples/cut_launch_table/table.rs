//! How is a profile written as a launch table? (docs/launch-table.md)

use std::io::{self, Write};

use raddle_policy::{Barrier, Idempotence};
use raddle_trace::{Field, LAUNCH_TABLE_COLUMNS, Op, OpKind, Origin, Profile};

/// Number of columns that each op has in a launch table; those of rates of instructions come behind
/// them.
const OF_EACH_OP: usize = 18;
const RATES: usize = 6;

/// Comment lines above the rows of a launch table.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TableComments<'a> {
    /// Id of the device in raddle's device table; for `None` the name that the profile gives is
    /// written.
    pub(crate) device: Option<&'a str>,
    /// Further comment lines, such as source, licence and the part of it that was cut.
    pub(crate) lines: &'a [String],
}

/// Writes a profile as a launch table that reads back as the same profile.
///
/// A workgroup's shape is written as its work-items in x. What the profile assumed is left blank,
/// so that a reader assumes it anew by its own rule.
///
/// # Errors
/// The errors of `out`.
pub(crate) fn write_launch_table(
    profile: &Profile,
    comments: &TableComments<'_>,
    mut out: impl Write,
) -> io::Result<()> {
    writeln!(out, "# raddle launch table 1")?;
    let named = profile.device.as_ref().map(|device| device.name.as_str());
    if let Some(device) = comments.device.or(named).filter(|name| !name.is_empty()) {
        writeln!(out, "# device = {}", one_line(device))?;
    }
    writeln!(out, "# resolution_ns = {}", profile.resolution_ns)?;
    for line in comments.lines {
        writeln!(out, "# {}", one_line(line))?;
    }
    let mut rows = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(out);
    let counted = profile.ops.iter().any(|op| rates(op).is_some());
    // The rates are left out where no op has one.
    let count = OF_EACH_OP + if counted { RATES } else { 0 };
    rows.write_record(&LAUNCH_TABLE_COLUMNS[..count])?;
    for op in &profile.ops {
        let rates = rates(op).map_or_else(Default::default, |rates| rates.map(|n| n.to_string()));
        rows.write_record(cells(profile, op).into_iter().chain(rates).take(count))?;
    }
    for wait in profile.host_waits.iter().filter(|wait| wait.ops.is_some()) {
        let mut row = [const { String::new() }; OF_EACH_OP];
        row[0] = "wait".to_owned();
        row[1] = "wait".to_owned();
        row[14] = wait.begin_ns.to_string();
        row[15] = wait.end_ns.saturating_sub(wait.begin_ns).to_string();
        rows.write_record(row.iter().map(String::as_str).chain(["0"; RATES]).take(count))?;
    }
    rows.flush()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Returns the cells of an op's row in a launch table, blank where the profile assumed the value.
fn cells(profile: &Profile, op: &Op) -> [String; OF_EACH_OP] {
    let known = |field, text: String| match op.provenance.of(field) {
        Origin::Assumed => String::new(),
        _ => text,
    };
    let shaped = op.kind == OpKind::Kernel && !op.is_opaque();
    let kernel = |n: u32| if shaped { n.to_string() } else { String::new() };
    let stream = profile.streams.get(op.stream as usize);
    let idempotent = match op.idempotent {
        Idempotence::Idempotent => "yes",
        Idempotence::Not => "no",
        Idempotence::Unknown => "",
    };
    // A duration below the clock's step is written as it was measured.
    let assumed = op.provenance.of(Field::Duration) == Origin::Assumed;
    let duration = if assumed { 0 } else { op.duration_ns };
    [
        profile.kernels.get(op.kernel as usize).cloned().unwrap_or_default(),
        op.kind.name().to_owned(),
        stream.map(|stream| stream.label.clone()).unwrap_or_default(),
        kernel(op.grid.x),
        kernel(op.grid.y),
        kernel(op.grid.z),
        kernel(op.footprint.threads),
        kernel(1),
        kernel(1),
        known(Field::Registers, kernel(op.footprint.vgprs_per_thread)),
        kernel(op.footprint.sgprs_per_wave),
        known(Field::SharedMemory, kernel(op.footprint.lds_bytes)),
        barrier(op).to_owned(),
        known(Field::Arrival, op.arrival_ns.to_string()),
        op.start_ns.to_string(),
        duration.to_string(),
        op.priority.map(|p| p.to_string()).unwrap_or_default(),
        idempotent.to_owned(),
    ]
}

/// Returns the rates that were counted for a kernel's waves; `None` where they were assumed.
fn rates(op: &Op) -> Option<[u32; RATES]> {
    let counted = op.kind == OpKind::Kernel && op.provenance.of(Field::Activity) != Origin::Assumed;
    counted.then_some(op.activity.0)
}

fn barrier(op: &Op) -> &'static str {
    match (op.footprint.barrier, op.provenance.of(Field::Barrier)) {
        _ if op.kind != OpKind::Kernel || op.is_opaque() => "",
        (Barrier::Assumed, _) => "assumed",
        (_, Origin::Assumed) => "",
        (Barrier::Yes, _) => "yes",
        (Barrier::No, _) => "no",
    }
}
