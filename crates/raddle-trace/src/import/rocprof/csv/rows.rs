//! What do the rows of rocprof's table of kernels say, each by itself and all together?

use std::collections::BTreeSet;

use super::row::{DispatchRow, small};
use super::table::RocprofColumns;
use crate::assemble::{Draft, Interner, push};
use crate::config::BarrierRule;
use crate::csv_table::{CellFault, CsvRow};
use crate::decimal::is_rounded;
use crate::import::devices::Devices;
use crate::import::rocprof::lanes::{QueuePlace, RocprofLanes, jitter};
use crate::import::rocprof::registers::{Registers, are_halved};
use crate::import::rocprof::{CLOCK_NS, kernel_name};
use crate::profile::Op;
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};
use crate::work::DraftWorks;

/// Names of the columns with times, in lower case.
const TIMES: [&str; 4] = ["start_timestamp", "end_timestamp", "beginns", "endns"];
/// Largest number of bytes of LDS that a workgroup can have on devices before gfx950.
const LDS_BEFORE_GFX950: u32 = 64 * 1024;
/// Number of SGPRs that rocprof writes for every kernel on devices from gfx10 on.
const SGPRS_OF_GFX10: u32 = 128;

/// Queue, device and registers of dispatches (launches of kernels); many dispatches share one such
/// entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RowKind {
    place: QueuePlace,
    device: Option<u64>,
    registers: Option<Registers>,
}

/// Reader of the rows of rocprof's table of kernels, with the dispatches (launches of kernels) that
/// it has read so far.
#[derive(Debug)]
pub(super) struct RocprofRows {
    columns: RocprofColumns,
    /// Dispatches that were read so far; the `stream` of each is an index in `kinds`.
    pub(super) found: Vec<Op>,
    kinds: Interner<RowKind>,
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
            kinds: Interner::default(),
            report: ImportReport::default(),
            barriers,
            names: Interner::default(),
            processes: Interner::default(),
            dispatches: BTreeSet::new(),
        }
    }

    /// Reads a row of rocprof's table of kernels, or counts it in the import report where it cannot
    /// be used.
    ///
    /// # Errors
    /// The column and the text of a time that was rounded: no time in the file can be trusted.
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
        op.stream = self.kinds.number(&RowKind {
            place: QueuePlace { process, queue, stream },
            device: row.device(),
            registers: small(row.vgpr_count)?.map(|arch| Registers { arch, accum }),
        });
        if self.columns.counters {
            let dispatch = row.dispatch_id.ok_or(Quirk::Malformed)?.0;
            if !self.dispatches.insert((process, dispatch)) {
                return Err(Quirk::RepeatedRow);
            }
        }
        push(&mut self.found, op);
        Ok(())
    }

    /// Counts the dispatches by the number of the device that ran them; `None` stands for a device
    /// without a number.
    pub(super) fn devices(&self) -> Devices<Option<u64>> {
        let kinds = self.kinds.items();
        let mut devices = Devices::new();
        for op in &self.found {
            let device = kinds[op.stream as usize].device;
            devices.kernel(&device, device);
        }
        devices
    }

    /// Builds the profile's records from the dispatches of one device; `None` is the device without
    /// a number.
    pub(super) fn draft(self, device: Option<u64>) -> Draft {
        let Self { columns, mut found, kinds, names, mut report, .. } = self;
        let all = found.len();
        let kinds = kinds.into_items();
        found.retain(|op| kinds[op.stream as usize].device == device);
        report.add(Quirk::OtherDevice, (all - found.len()) as u64);
        report.note(Quirk::NoDevice);
        for (quirk, holds) in [
            (Quirk::StaticLds, columns.static_lds),
            (Quirk::FlatGrid, columns.flat),
            (Quirk::Serialised, columns.serialised),
        ] {
            report.add(quirk, if holds { found.len() as u64 } else { 0 });
        }
        let kind = |op: &Op| kinds[op.stream as usize];
        let registers = || found.iter().filter_map(|op| kind(op).registers);
        let halved = is_gfx950(&columns, &found) && are_halved(registers());
        let doubtful = !halved && is_gfx9(&found) && (!columns.accum || are_halved(registers()));
        let places = found.iter().map(|op| kind(op).place);
        let mut lanes = RocprofLanes::decide(places, &mut report);
        for op in &mut found {
            let RowKind { place, registers, .. } = kinds[op.stream as usize];
            op.stream = lanes.of(place);
            finish(op, registers, halved, doubtful, &mut report);
        }
        report.add(Quirk::ClockJitter, jitter(&found));
        Draft {
            ops: found,
            kernels: names.into_items(),
            streams: lanes.into_labels(),
            device: None,
            between_ns: None,
            memory_bytes: None,
            resolution_ns: CLOCK_NS,
            waits: Vec::new(),
            works: DraftWorks::default(),
            report,
        }
    }
}

/// Returns whether the SGPRs of some kernel show that the device is of the gfx9 family.
fn is_gfx9(found: &[Op]) -> bool {
    found.iter().any(|op| !matches!(op.footprint.sgprs_per_wave, 0 | SGPRS_OF_GFX10))
}

/// Returns whether the device must be a gfx950. No table names the device, but no other device of
/// the gfx9 family has so much LDS. On a gfx950, register counts that look halved certainly are.
fn is_gfx950(columns: &RocprofColumns, found: &[Op]) -> bool {
    columns.accum
        && found.iter().any(|op| op.footprint.lds_bytes > LDS_BEFORE_GFX950)
        && is_gfx9(found)
}

/// Sets the vector registers of a kernel launch, `None` if unknown, and counts in the import report
/// how certain they are. `halved` is true where the profiler counted only half of them, `doubtful`
/// where it may have.
fn finish(
    op: &mut Op,
    registers: Option<Registers>,
    halved: bool,
    doubtful: bool,
    report: &mut ImportReport,
) {
    let registers = registers.and_then(|registers| registers.budget(halved));
    op.set_registers(registers);
    report.add(Quirk::HalvedRegisters, u64::from(halved && registers.is_some()));
    report.add(Quirk::DoubtfulRegisters, u64::from(doubtful && registers.is_some()));
    let no_lds = op.provenance.of(Field::SharedMemory) == Origin::Assumed;
    report.add(Quirk::NoSharedMemory, u64::from(no_lds));
}
