//! How is a profile written as a launch table? (docs/launch-table.md)

use std::io::{self, Write};

use raddle_policy::{Barrier, Idempotence};

use crate::profile::{Op, OpKind, Profile};
use crate::provenance::{Field, Origin};

/// The comment that names the format and its version.
pub(crate) const FIRST_LINE: &str = "# raddle launch table 1";

macro_rules! columns {
    ($($variant:ident $name:literal)*) => {
        /// The columns of a launch table, in the order in which they are written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Column { $($variant,)* }

        impl Column {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

columns! {
    Name "name"
    Kind "kind"
    Stream "stream"
    GridX "grid_x"
    GridY "grid_y"
    GridZ "grid_z"
    BlockX "block_x"
    BlockY "block_y"
    BlockZ "block_z"
    Vgprs "vgprs_per_thread"
    Sgprs "sgprs_per_wave"
    Lds "lds_bytes"
    Barrier "barrier"
    Arrival "arrival_ns"
    Start "start_ns"
    Duration "duration_ns"
    End "end_ns"
    Priority "priority"
    Idempotent "idempotent"
    Moves "move_rate"
    Loads "load_rate"
    Stores "store_rate"
    Matrices "matrix_rate"
    Compares "compare_rate"
    Jumps "jump_rate"
}

impl Column {
    /// The columns of an activity, in the order of its kinds.
    pub(crate) const RATES: [Self; 6] =
        [Self::Moves, Self::Loads, Self::Stores, Self::Matrices, Self::Compares, Self::Jumps];
}

/// What stands above the rows of a launch table.
#[derive(Clone, Copy, Debug, Default)]
pub struct TableComments<'a> {
    /// The device's id in raddle's device table; by default the name that the profile gives.
    pub device: Option<&'a str>,
    /// Further lines: source, licence, which part of it.
    pub lines: &'a [String],
}

/// Writes a profile as a launch table that reads back as the same profile.
///
/// A workgroup's shape is written as its work-items in x. What the profile assumed is left blank,
/// so that a reader assumes it anew by its own rule.
///
/// # Errors
/// Those of `out`.
pub fn write_launch_table(
    profile: &Profile,
    comments: &TableComments<'_>,
    mut out: impl Write,
) -> io::Result<()> {
    writeln!(out, "{FIRST_LINE}")?;
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
    let written =
        |column: &&Column| **column != Column::End && (counted || !Column::RATES.contains(column));
    let columns = || Column::ALL.iter().filter(written);
    rows.write_record(columns().map(|column| column.name()))?;
    for op in &profile.ops {
        rows.write_record(columns().map(|&column| cell(profile, op, column)))?;
    }
    rows.flush()
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn cell(profile: &Profile, op: &Op, column: Column) -> String {
    let item = |items: &[String], at: u32| items.get(at as usize).cloned().unwrap_or_default();
    let known = |field, text: String| {
        if op.provenance.of(field) == Origin::Assumed { String::new() } else { text }
    };
    let kernel = op.kind == OpKind::Kernel;
    let shape = |n: u32| if kernel { n.to_string() } else { String::new() };
    let stream = || profile.streams.get(op.stream as usize);
    match column {
        Column::Name => item(&profile.kernels, op.kernel),
        Column::Kind => op.kind.name().to_owned(),
        Column::Stream => stream().map(|stream| stream.label.clone()).unwrap_or_default(),
        Column::GridX => shape(op.grid.x),
        Column::GridY => shape(op.grid.y),
        Column::GridZ => shape(op.grid.z),
        Column::BlockX => shape(op.footprint.threads),
        Column::BlockY | Column::BlockZ => shape(1),
        Column::Vgprs => known(Field::Registers, shape(op.footprint.vgprs_per_thread)),
        Column::Sgprs => shape(op.footprint.sgprs_per_wave),
        Column::Lds => known(Field::SharedMemory, shape(op.footprint.lds_bytes)),
        Column::Barrier if kernel => barrier(op).to_owned(),
        Column::Barrier => String::new(),
        Column::Arrival => known(Field::Arrival, op.arrival_ns.to_string()),
        Column::Start => op.start_ns.to_string(),
        // A duration below the clock's step is written as it was measured.
        Column::Duration if op.provenance.of(Field::Duration) == Origin::Assumed => "0".to_owned(),
        Column::Duration => op.duration_ns.to_string(),
        Column::End => op.end_ns().to_string(),
        Column::Priority => op.priority.map(|p| p.to_string()).unwrap_or_default(),
        Column::Idempotent => match op.idempotent {
            Idempotence::Idempotent => "yes".to_owned(),
            Idempotence::Not => "no".to_owned(),
            Idempotence::Unknown => String::new(),
        },
        Column::Moves
        | Column::Loads
        | Column::Stores
        | Column::Matrices
        | Column::Compares
        | Column::Jumps => {
            let kind = Column::RATES.iter().position(|&rate| rate == column);
            let rate = rates(op).zip(kind).map(|(rates, kind)| rates[kind].to_string());
            rate.unwrap_or_default()
        }
    }
}

/// What was counted of the waves of a kernel.
fn rates(op: &Op) -> Option<[u32; 6]> {
    let counted = op.kind == OpKind::Kernel && op.provenance.of(Field::Activity) != Origin::Assumed;
    counted.then_some(op.activity.0)
}

fn barrier(op: &Op) -> &'static str {
    match (op.footprint.barrier, op.provenance.of(Field::Barrier)) {
        (Barrier::Assumed, _) => "assumed",
        (_, Origin::Assumed) => "",
        (Barrier::Yes, _) => "yes",
        (Barrier::No, _) => "no",
    }
}
