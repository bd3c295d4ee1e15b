//! What do the rows of a table of kernels say, one by one and together?

use std::collections::BTreeSet;

use super::row::{DispatchRow, small};
use super::table::RocprofColumns;
use crate::assemble::{Draft, Interner};
use crate::csv_table::{CellFault, CsvRow};
use crate::decimal::is_rounded;
use crate::import::rocprof::lanes::{QueuePlace, RocprofLanes, jitter};
use crate::import::rocprof::registers::{Registers, are_halved};
use crate::import::rocprof::{CLOCK_NS, kernel_name};
use crate::options::BarrierRule;
use crate::profile::Op;
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};

/// The columns of times.
const TIMES: [&str; 4] = ["start_timestamp", "end_timestamp", "beginns", "endns"];
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
    columns: RocprofColumns,
    pub(super) found: Vec<RowOp>,
    pub(super) report: ImportReport,
    barriers: BarrierRule,
    names: Interner<String>,
    processes: Interner<String>,
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
            processes: Interner::default(),
            dispatches: BTreeSet::new(),
        }
    }

    /// Takes a row, or counts it where it cannot be used.
    ///
    /// # Errors
    /// The column and the text of a time that was rounded: nothing in the file can be trusted.
    pub(super) fn take(&mut self, row: &CsvRow<'_>) -> Result<(), CellFault> {
        self.report.events += 1;
        self.report.add(Quirk::NotUtf8, u64::from(row.lossy));
        let taken = match row.read() {
            Ok(cells) => self.kernel(&cells),
            Err(_) => {
                let rounded =
                    |(name, cell): &(&str, &str)| TIMES.contains(name) && is_rounded(cell);
                if let Some((column, text)) = row.columns().find(rounded) {
                    return Err(CellFault::new(column, text));
                }
                Err(Quirk::Malformed)
            }
        };
        match taken {
            Ok(()) => {}
            Err(Quirk::Malformed) => self.report.leave_out(),
            Err(quirk) => self.report.note(quirk),
        }
        Ok(())
    }

    fn kernel(&mut self, row: &DispatchRow<'_>) -> Result<(), Quirk> {
        let mut op = row.op(self.barriers)?;
        op.kernel = self.names.number(kernel_name(row.kernel_name.unwrap_or_default()));
        let process = row.guid.map_or(0, |guid| self.processes.number(guid));
        let (queue, stream) = (row.queue_id.map_or(0, |n| n.0), row.stream_id.map(|n| n.0));
        let accum = small(row.accum_vgpr_count)?.unwrap_or(0);
        let found = RowOp {
            op,
            place: QueuePlace { process, queue, stream },
            device: row.device(),
            registers: small(row.vgpr_count)?.map(|arch| Registers { arch, accum }),
        };
        if self.columns.counters {
            let dispatch = row.dispatch_id.ok_or(Quirk::Malformed)?.0;
            if !self.dispatches.insert((process, dispatch)) {
                return Err(Quirk::RepeatedRow);
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
        for (quirk, holds) in [
            (Quirk::StaticLds, columns.static_lds),
            (Quirk::FlatGrid, columns.flat),
            (Quirk::Serialised, columns.serialised),
        ] {
            report.add(quirk, if holds { found.len() as u64 } else { 0 });
        }
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
    columns.accum
        && found.iter().any(|found| found.op.footprint.lds_bytes > LDS_BEFORE_GFX950)
        && is_gfx9(found)
        && are_halved(registers(found))
}

/// Whether registers may be twice as many: the table has no column for accumulation registers, or
/// the counts look as if made by half.
fn is_doubtful(columns: &RocprofColumns, found: &[RowOp]) -> bool {
    is_gfx9(found) && (!columns.accum || are_halved(registers(found)))
}

fn finish(found: RowOp, lane: u32, halved: bool, doubtful: bool, report: &mut ImportReport) -> Op {
    let mut op = found.op;
    op.stream = lane;
    let registers = found.registers.and_then(|registers| registers.budget(halved));
    op.set_registers(registers);
    report.add(Quirk::HalvedRegisters, u64::from(halved && registers.is_some()));
    report.add(Quirk::DoubtfulRegisters, u64::from(doubtful && registers.is_some()));
    let no_lds = op.provenance.of(Field::SharedMemory) == Origin::Assumed;
    report.add(Quirk::NoSharedMemory, u64::from(no_lds));
    op
}
