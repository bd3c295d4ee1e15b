//! Which ops and which launch calls do the tables of a database hold?

use crate::assemble::{Interner, OP_LIMIT, push};
use crate::config::BarrierRule;
use crate::error::TraceError;
use crate::import::Watch;
use crate::import::devices::Devices;
use crate::import::nsys::work::{KernelNotes, Lds, NsysKernel};
use crate::import::sqlite::RowMeter;
use crate::import::sqlite::database::{Database, DatabaseRow};
use crate::profile::{Op, OpKind};
use crate::report::{ImportReport, Quirk};

use super::device::{Gpu, Gpus};
use super::ops::{CudaCall, NsysLane, NsysName, NsysOp, NsysUse, pid, process};
use super::waits::NsysWaits;

pub(super) const KERNELS: &str = "CUPTI_ACTIVITY_KIND_KERNEL";
pub(super) const COPIES: &str = "CUPTI_ACTIVITY_KIND_MEMCPY";
pub(super) const SETS: &str = "CUPTI_ACTIVITY_KIND_MEMSET";
/// Table of calls of the CUDA runtime and driver.
pub(super) const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";
pub(super) const GRAPHS: &str = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";

/// Columns that the tables of kernels, copies and fills have in common, in the order in which they
/// are read.
const PLACE: [&str; 9] = [
    "start",
    "end",
    "deviceId",
    "contextId",
    "greenContextId",
    "streamId",
    "correlationId",
    "globalPid",
    "graphNodeId",
];

/// Index of the column with the correlation number, which an op shares with its launch call, in
/// [`PLACE`].
const CORRELATION: usize = 6;

/// Columns of an Nsight Systems export that only the table of kernels has.
const KERNEL: [&str; 15] = [
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "demangledName",
    "shortName",
    "mangledName",
    "registersPerThread",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "clusterX",
    "clusterY",
    "clusterZ",
];

/// Index in a row of the first column that is not common to all tables of ops; the columns of
/// [`PLACE`] come before it.
const OWN: usize = PLACE.len();

/// Reader of the tables of an Nsight Systems export, with the records that it has found so far.
#[derive(Debug)]
pub(super) struct NsysCollector {
    pub(super) ops: Vec<NsysOp>,
    pub(super) calls: Vec<CudaCall>,
    pub(super) waits: NsysWaits,
    pub(super) names: Interner<NsysName>,
    pub(super) lanes: Interner<NsysLane>,
    pub(super) uses: Interner<NsysUse>,
    pub(super) devices: Devices<Gpu>,
    pub(super) gpus: Gpus,
    pub(super) report: ImportReport,
    /// Number of kernels in the database, including those that were left out.
    pub(super) kernels_seen: u64,
    barriers: BarrierRule,
}

impl NsysCollector {
    pub(super) fn new(database: &Database, barriers: BarrierRule) -> Self {
        Self {
            ops: Vec::new(),
            calls: Vec::new(),
            waits: NsysWaits::read(database),
            names: Interner::default(),
            lanes: Interner::default(),
            uses: Interner::default(),
            devices: Devices::new(),
            gpus: Gpus::read(database),
            report: ImportReport::default(),
            kernels_seen: 0,
            barriers,
        }
    }

    /// Reads the ops and the calls from the tables, and calls `watch` with the progress.
    ///
    /// # Errors
    /// When the file has more records than an import accepts.
    pub(super) fn read(
        &mut self,
        file: &str,
        database: &Database,
        watch: Watch<'_>,
    ) -> Result<(), TraceError> {
        let mut meter = RowMeter::new(database, [KERNELS, COPIES, SETS, CALLS, GRAPHS], watch);
        let columns = [PLACE.as_slice(), KERNEL.as_slice()].concat();
        self.kernels_seen = database.scan(KERNELS, &columns, |row| meter.row() && self.kernel(row));
        let columns = [PLACE.as_slice(), &["copyKind"]].concat();
        let copies = database.scan(COPIES, &columns, |row| {
            meter.row() && self.simple(row, OpKind::Copy, NsysName::Copy(row.number(OWN)))
        });
        let sets = database
            .scan(SETS, &PLACE, |row| meter.row() && self.simple(row, OpKind::Set, NsysName::Set));
        let columns = ["start", "correlationId", "globalTid", "end", "nameId"];
        let calls = database.scan(CALLS, &columns, |row| meter.row() && self.call(row));
        let columns = [PLACE.as_slice(), &["graphId"]].concat();
        let graphs = database.scan(GRAPHS, &columns, |row| meter.row() && self.graph(row));
        for rows in [self.kernels_seen, copies, sets, calls, graphs] {
            self.report.events = self.report.events.saturating_add(rows);
        }
        meter.end(file, self.ops.len().max(self.calls.len()))
    }

    fn kernel(&mut self, row: &DatabaseRow<'_>) -> bool {
        let number = |at| row.number(OWN + at);
        // A size below 0 is more than any device has, so that it counts as one that cannot be.
        let bytes = |at| number(at).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let lds = match (bytes(10), bytes(11)) {
            (Some(fixed), Some(dynamic)) => Lds::Exact(fixed.saturating_add(dynamic)),
            _ => Lds::Unknown,
        };
        let kernel = NsysKernel {
            grid: [number(0), number(1), number(2)],
            block: [number(3), number(4), number(5)],
            registers: number(9),
            lds,
        };
        let name = NsysName::Kernel([number(6), number(7), number(8)]);
        let axis =
            |at| number(at).and_then(|n| u16::try_from(n).ok()).filter(|&n| n > 0).unwrap_or(1);
        let cluster = (12..15).map(axis).fold(1, u16::saturating_mul);
        let Some((mut op, mut used)) = self.place(row, OpKind::Kernel, name) else {
            return true;
        };
        used.notes = kernel.fill(&mut op, self.barriers);
        op.cluster = cluster;
        used.notes.add(Quirk::Clusters, cluster > 1);
        self.devices.kernel(&used.gpu, used.device);
        self.keep(row, op, &used)
    }

    /// Adds a graph launch that was recorded as a whole, as one kernel of unknown grid and
    /// workgroup. Returns `false` once the reader has more ops than an import accepts, so that
    /// reading stops.
    fn graph(&mut self, row: &DatabaseRow<'_>) -> bool {
        let name = NsysName::Graph(row.number(OWN).unwrap_or(0));
        let Some((op, used)) = self.place(row, OpKind::Kernel, name) else {
            return true;
        };
        self.report.note(Quirk::WholeGraph);
        self.devices.kernel(&used.gpu, used.device);
        self.keep(row, op, &used)
    }

    fn simple(&mut self, row: &DatabaseRow<'_>, kind: OpKind, name: NsysName) -> bool {
        match self.place(row, kind, name) {
            Some((op, used)) => self.keep(row, op, &used),
            None => true,
        }
    }

    fn keep(&mut self, row: &DatabaseRow<'_>, op: Op, used: &NsysUse) -> bool {
        let correlation = row.number(CORRELATION).unwrap_or(0);
        push(&mut self.ops, NsysOp::new(op, correlation, self.uses.number(used)));
        self.ops.len() <= OP_LIMIT
    }

    /// Reads the columns [`PLACE`] of a row. Returns (the op, properties such as its GPU that it
    /// shares with other ops); `None` where the op has no time.
    fn place(
        &mut self,
        row: &DatabaseRow<'_>,
        kind: OpKind,
        name: NsysName,
    ) -> Option<(Op, NsysUse)> {
        let [start, end, device, context, green, stream, _correlation, global, node] =
            std::array::from_fn(|at| row.number(at));
        let span = start
            .zip(end)
            .and_then(|(start, end)| Some((start, u64::try_from(end.checked_sub(start)?).ok()?)));
        let Some((start, duration)) = span else {
            match kind {
                OpKind::Kernel => self.report.leave_out(),
                OpKind::Copy | OpKind::Set => self.report.note(Quirk::Malformed),
            }
            return None;
        };
        let process = process(global);
        let device = device.and_then(|n| u64::try_from(n).ok());
        let lane = NsysLane {
            process,
            context: context.and_then(|n| u64::try_from(n).ok()),
            green: green.unwrap_or(0),
            stream: stream.unwrap_or(0),
        };
        let mut op = Op::at(kind, start, duration);
        op.kernel = self.names.number(&name);
        op.stream = self.lanes.number(&lane);
        let gpu = self.gpus.of(pid(process), device);
        let node = node.is_some_and(|n| n != 0);
        Some((op, NsysUse { gpu, device, node, notes: KernelNotes::default() }))
    }

    fn call(&mut self, row: &DatabaseRow<'_>) -> bool {
        if let (Some(start), Some(correlation)) = (row.number(0), row.number(1))
            && correlation != 0
        {
            let process = process(row.number(2));
            push(&mut self.calls, CudaCall { process, correlation, start });
            self.waits.call(row, (process, correlation, start));
        }
        self.calls.len() <= OP_LIMIT
    }
}
