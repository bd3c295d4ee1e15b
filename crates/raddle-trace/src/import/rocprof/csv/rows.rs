//! What do the rows of a table of kernels say, one by one and together?

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::Footprint;

use super::row::{RocprofRow, RowFault};
use super::table::{RocprofColumn, RocprofColumns};
use crate::assemble::{Draft, Interner};
use crate::import::rocprof::lanes::{QueuePlace, RocprofLanes, jitter};
use crate::import::rocprof::registers::{Registers, are_halved};
use crate::import::rocprof::{CLOCK_NS, kernel_name};
use crate::options::BarrierRule;
use crate::profile::{Op, OpKind};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};

/// More LDS than this, in bytes, a workgroup has only from gfx950 on.
const LDS_BEFORE_GFX950: u32 = 64 * 1024;
/// What the tools write as SGPRs of every kernel from gfx10 on.
const SGPRS_OF_GFX10: u32 = 128;

/// A dispatch, before its lane and its registers are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowOp {
    op: Op,
    place: QueuePlace,
    pub(super) device: Option<u64>,
    registers: Option<Registers>,
}

/// Everything that the rows so far say.
#[derive(Debug)]
pub(super) struct RocprofRows {
    pub(super) columns: RocprofColumns,
    pub(super) found: Vec<RowOp>,
    pub(super) report: ImportReport,
    barriers: BarrierRule,
    names: Interner<String>,
    processes: BTreeMap<String, u32>,
    dispatches: BTreeSet<(u32, u64)>,
}

impl RocprofRows {
    pub(super) fn new(columns: RocprofColumns, barriers: BarrierRule) -> Self {
        Self {
            columns,
            found: Vec::new(),
            report: ImportReport::default(),
            barriers,
            names: Interner::default(),
            processes: BTreeMap::new(),
            dispatches: BTreeSet::new(),
        }
    }

    /// Takes the cells of a row, as many as there are columns.
    pub(super) fn take(&mut self, cells: &csv::StringRecord) -> Result<(), RowFault> {
        let row = RocprofRow { cells, columns: &self.columns };
        let process = match row.text(RocprofColumn::Guid) {
            Some(guid) => {
                let next = u32::try_from(self.processes.len()).unwrap_or(u32::MAX);
                *self.processes.entry(guid.to_owned()).or_insert(next)
            }
            None => 0,
        };
        let (queue, stream) =
            (row.number(RocprofColumn::Queue)?, row.number(RocprofColumn::Stream)?);
        let found = RowOp {
            op: op(&row, self.barriers, &mut self.names)?,
            place: QueuePlace { process, queue: queue.unwrap_or(0), stream },
            device: row.device(),
            registers: row.registers()?,
        };
        if row.columns.has(RocprofColumn::Counter) {
            let dispatch = row.wanted(RocprofColumn::Dispatch)?;
            if !self.dispatches.insert((process, dispatch)) {
                return Err(RowFault::Quirk(Quirk::RepeatedRow));
            }
        }
        self.found.push(found);
        Ok(())
    }

    /// The work of one device.
    pub(super) fn draft(mut self, device: Option<u64>) -> Draft {
        let all = self.found.len();
        self.found.retain(|found| found.device == device);
        let Self { columns, found, names, mut report, .. } = self;
        report.add(Quirk::OtherDevice, (all - found.len()) as u64);
        report.note(Quirk::NoDevice);
        note_columns(&columns, found.len() as u64, &mut report);
        let halved = is_halved(&columns, &found);
        let doubtful = !halved && is_doubtful(&columns, &found);
        let mut lanes = RocprofLanes::decide(found.iter().map(|found| found.place), &mut report);
        let ops: Vec<Op> = found
            .into_iter()
            .map(|found| {
                let lane = lanes.of(found.place);
                finish(found, lane, halved, doubtful, &mut report)
            })
            .collect();
        report.add(Quirk::ClockJitter, jitter(&ops));
        Draft {
            ops,
            kernels: names.into_items(),
            streams: lanes.into_labels(),
            device: None,
            resolution_ns: CLOCK_NS,
            waits: Vec::new(),
            report,
        }
    }
}

fn op(
    row: &RocprofRow<'_>,
    barriers: BarrierRule,
    names: &mut Interner<String>,
) -> Result<Op, RowFault> {
    let (start, duration) = row.span()?;
    let shape = row.shape()?;
    let lds = row.lds()?;
    let mut op = Op::at(OpKind::Kernel, start, duration);
    op.assume(Field::Barrier);
    if lds.is_none() {
        op.assume(Field::SharedMemory);
    }
    op.footprint = Footprint {
        threads: shape.threads,
        vgprs_per_thread: 0,
        sgprs_per_wave: row.small(RocprofColumn::Sgprs)?.unwrap_or(0),
        lds_bytes: lds.unwrap_or(0),
        barrier: barriers.barrier(lds),
    };
    let issued = row.number(RocprofColumn::Issued)?.and_then(|ns| i64::try_from(ns).ok());
    if let Some(issued) = issued.filter(|&ns| ns > 0) {
        op.set_arrival(issued, Origin::Measured);
    }
    op.kernel = names.number(kernel_name(row.text(RocprofColumn::Name).unwrap_or_default()));
    op.grid = shape.grid;
    op.workgroups = shape.workgroups;
    Ok(op)
}

/// Counts what holds for every row of such a table.
fn note_columns(columns: &RocprofColumns, kernels: u64, report: &mut ImportReport) {
    let counts = [
        (
            Quirk::NoSharedMemory,
            !columns.has(RocprofColumn::Lds) && !columns.has(RocprofColumn::BlockLds),
        ),
        (Quirk::StaticLds, columns.is_lds_static()),
        (Quirk::FlatGrid, columns.is_flat()),
        (Quirk::Serialised, columns.serialised),
    ];
    for (quirk, holds) in counts {
        report.add(quirk, if holds { kernels } else { 0 });
    }
}

fn registers(found: &[RowOp]) -> impl Iterator<Item = Registers> + '_ {
    found.iter().filter_map(|found| found.registers)
}

/// Whether some kernel shows that the device is of the gfx9 family.
fn is_gfx9(found: &[RowOp]) -> bool {
    found.iter().any(|found| !matches!(found.op.footprint.sgprs_per_wave, 0 | SGPRS_OF_GFX10))
}

/// Whether registers were surely counted by half: the counts look so, and the device must be a
/// gfx950. No table says the device, but none other of its family has so much LDS.
fn is_halved(columns: &RocprofColumns, found: &[RowOp]) -> bool {
    columns.has(RocprofColumn::Accum)
        && found.iter().any(|found| found.op.footprint.lds_bytes > LDS_BEFORE_GFX950)
        && is_gfx9(found)
        && are_halved(registers(found))
}

/// Whether registers may be twice as many: the table has no column for accumulation registers, or
/// the counts look as if made by half.
fn is_doubtful(columns: &RocprofColumns, found: &[RowOp]) -> bool {
    is_gfx9(found) && (!columns.has(RocprofColumn::Accum) || are_halved(registers(found)))
}

fn finish(found: RowOp, lane: u32, halved: bool, doubtful: bool, report: &mut ImportReport) -> Op {
    let mut op = found.op;
    op.stream = lane;
    report.add(Quirk::EmptyShape, u64::from(op.workgroups == 0));
    match found.registers.and_then(|registers| registers.budget(halved)) {
        Some(registers) => {
            op.footprint.vgprs_per_thread = registers;
            report.add(Quirk::HalvedRegisters, u64::from(halved));
            report.add(Quirk::DoubtfulRegisters, u64::from(doubtful));
        }
        None => {
            report.note(Quirk::NoRegisters);
            op.assume(Field::Registers);
        }
    }
    op
}
