//! What does a database of rocmProfileData hold (`.rpd`, written by `runTracer.sh`)?
//!
//! Rows of `rocpd_op` are work of a GPU, rows of `rocpd_api` calls of HIP; `rocpd_api_ops` ties them.
//! What a launch asked for stands beside the call, and nothing says the device or registers. There are
//! two sources, which no table names:
//!
//! - roctracer writes the grid as the call takes it, in workgroups or in work-items, and the shared
//!   memory asked for dynamically, so kernels are settled as those of a PyTorch trace of an AMD GPU.
//! - rocprofiler-sdk (since 2025) writes every grid in work-items, all shared memory, and copies as
//!   `MEMORY_COPY_...`. Of the kernels of a graph, which share a call, it keeps the shape of one.
//!
//! Without a copy, grids tell: in work-items all are whole numbers of workgroups. Names are numbers of
//! strings, of which only those in use are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::blocking::Blocking;
use super::kineto::collect::{KinetoCall, KinetoCollector, KinetoOp, TraceMaker};
use super::kineto::event::Api;
use super::kineto::plain::work_of_rpd;
use super::kineto::shape::KernelExtents;
use super::sqlite::database::{Database, DatabaseRow};
use super::sqlite::{RowMeter, SqliteSource};
use crate::assemble::{Draft, Interner, OP_LIMIT};
use crate::error::TraceError;
use crate::options::ImportOptions;
use crate::profile::{Op, OpKind, StreamLabel};
use crate::provenance::{Field, Origin};
use crate::report::Quirk;

const OPS: &str = "rocpd_op";
const CALLS: &str = "rocpd_api";
const TIES: &str = "rocpd_api_ops";
const LAUNCHES: &str = "rocpd_kernelapi";
const COPIES: &str = "rocpd_copyapi";
const STRINGS: &str = "rocpd_string";

/// Whether this is such a database.
pub(super) fn looks_like(database: &Database) -> bool {
    database.has(OPS)
}

/// Imports such a database.
pub(super) fn import(
    source: &SqliteSource<'_>,
    options: &ImportOptions,
) -> Result<Draft, TraceError> {
    let SqliteSource { file, database, watch, .. } = source;
    let mut meter = RowMeter::new(database, [LAUNCHES, COPIES, CALLS, TIES, OPS], *watch);
    let mut reader = RpdReader::new(database);
    reader.launches(database, &mut meter);
    reader.calls(database, &mut meter);
    reader.ops(database, &mut meter);
    let RpdReader { mut found, names, .. } = reader;
    meter.end(file, found.ops.len().max(found.calls.len()))?;
    rename(database, &names.into_items(), &mut found);
    let (kernels, calls) = (found.kernels_seen, found.calls.len());
    if let Some(draft) = found.draft(file, options)? {
        return Ok(draft);
    }
    let broken = source.broken().filter(|_| kernels == 0);
    let (file, reasons) = (file.clone(), [Quirk::Malformed]);
    Err(broken.unwrap_or_else(|| match kernels {
        0 => TraceError::OtherFile {
            file,
            what: format!("a database of rocmProfileData without kernels ({calls} launches of HIP)"),
            advice: "record a program that uses the GPU with `runTracer.sh -o trace.rpd APPLICATION`",
        },
        _ => TraceError::NothingUsable { file, kernels, reasons: found.report.reasons(&reasons) },
    }))
}

/// What a launch call asked for.
struct RpdLaunch {
    stream: Option<String>,
    extents: Option<u32>,
    lds_bytes: Option<u32>,
    /// The name of the kernel.
    name: Option<i64>,
}

/// What strings mean that decide what a row is.
enum RpdWord {
    Call(Option<Api>, Option<Blocking>),
    /// Work, and whether rocprofiler-sdk calls it so; nobody knows of kernels.
    Work(OpKind, Option<bool>),
    Empty,
}

impl RpdWord {
    fn of(text: &str) -> Option<Self> {
        if text.starts_with("hip") {
            return Some(Self::Call(Api::of(text), Blocking::of(text)));
        }
        if text.is_empty() {
            return Some(Self::Empty);
        }
        let kind = work_of_rpd(text)?;
        let of_sdk = (kind == OpKind::Copy).then(|| text.starts_with("MEMORY_"));
        Some(Self::Work(kind, of_sdk))
    }
}

/// Everything of interest in the tables so far.
struct RpdReader {
    found: KinetoCollector,
    words: BTreeMap<i64, RpdWord>,
    /// By the number of the call.
    launches: BTreeMap<i64, RpdLaunch>,
    /// The processes of calls that launch, in order of first use.
    processes: Interner<i64>,
    of_calls: BTreeMap<i64, u32>,
    /// Calls that launch graphs.
    graphs: BTreeSet<i64>,
    /// The names of work, as numbers of strings.
    names: Interner<i64>,
    /// Whether rocprofiler-sdk is the source.
    of_sdk: bool,
}

impl RpdReader {
    fn new(database: &Database) -> Self {
        let mut words = BTreeMap::new();
        database.scan(STRINGS, &["id", "string"], |row| {
            let word = row.text(1).and_then(|text| RpdWord::of(&text));
            words.extend(row.number(0).zip(word));
            true
        });
        let found = KinetoCollector::of(TraceMaker::Rpd);
        let (launches, of_calls) = (BTreeMap::new(), BTreeMap::new());
        let (processes, names) = (Interner::default(), Interner::default());
        let (graphs, of_sdk) = (BTreeSet::new(), false);
        Self { found, words, launches, processes, of_calls, graphs, names, of_sdk }
    }

    /// What launches and copies asked for.
    fn launches(&mut self, database: &Database, meter: &mut RowMeter<'_>) {
        let columns = [
            "api_ptr_id",
            "stream",
            "gridX",
            "gridY",
            "gridZ",
            "workgroupX",
            "workgroupY",
            "workgroupZ",
            "groupSegmentSize",
            "kernelName_id",
        ];
        let extents = &mut self.found.extents;
        let launches = &mut self.launches;
        database.scan(LAUNCHES, &columns, |row| {
            let shape = three(row, 2).zip(three(row, 5));
            let shape = shape.map(|(grid, block)| KernelExtents { grid, block });
            let launch = RpdLaunch {
                stream: row.text(1).map(String::from),
                extents: shape.map(|shape| extents.number(&shape)),
                lds_bytes: small(row, 8),
                name: row.number(9),
            };
            launches.extend(row.number(0).map(|call| (call, launch)));
            meter.row() && launches.len() <= OP_LIMIT
        });
        database.scan(COPIES, &["api_ptr_id", "stream"], |row| {
            let stream = row.text(1).map(String::from);
            let copy = RpdLaunch { stream, extents: None, lds_bytes: None, name: None };
            launches.extend(row.number(0).map(|call| (call, copy)));
            meter.row() && launches.len() <= OP_LIMIT
        });
    }

    fn calls(&mut self, database: &Database, meter: &mut RowMeter<'_>) {
        database.scan(CALLS, &["id", "start", "end", "apiName_id", "pid"], |row| {
            self.found.report.events += 1;
            let id = row.number(0).and_then(|id| u64::try_from(id).ok()).filter(|&id| id > 0);
            let word = row.number(3).and_then(|name| self.words.get(&name));
            let (Some(RpdWord::Call(api, blocking)), Some(id), Some(start)) =
                (word, id, row.number(1))
            else {
                return meter.row();
            };
            let end = row.number(2).filter(|&end| end >= start);
            if let Some((blocking, end)) = blocking.zip(end) {
                self.found.waits.add(blocking, (start, end), Some(id));
            }
            if let Some(api) = *api {
                let launch = self.launches.get(&id.cast_signed());
                let (extents, lds_bytes) =
                    launch.map_or((None, None), |launch| (launch.extents, launch.lds_bytes));
                self.found.calls.push(KinetoCall {
                    correlation: id,
                    start,
                    api,
                    extents,
                    lds_bytes,
                    thread: 0,
                });
                self.graphs.extend((api == Api::Graph).then_some(id.cast_signed()));
                let process = self.processes.number(&row.number(4).unwrap_or(0));
                // All but the first are rare.
                self.of_calls.extend((process > 0).then_some((id.cast_signed(), process)));
            }
            meter.row() && self.found.calls.len() <= OP_LIMIT
        });
        let told = self.words.values().find_map(|word| match word {
            RpdWord::Work(_, of_sdk) => *of_sdk,
            _ => None,
        });
        self.of_sdk = told.unwrap_or_else(|| self.is_in_work_items());
        if self.of_sdk {
            self.convert();
        }
    }

    /// Whether all grids are whole numbers of workgroups, also those of calls that take workgroups.
    fn is_in_work_items(&self) -> bool {
        let extents = self.found.extents.items();
        let of_calls = self.found.calls.iter().filter(|call| call.api == Api::HipWorkgroups);
        let mut shapes = of_calls.filter_map(|call| extents.get(call.extents? as usize).copied());
        let whole = |shape: &KernelExtents| {
            let mut axes = shape.grid.into_iter().zip(shape.block);
            axes.all(|(grid, block)| block > 0 && grid.is_multiple_of(block))
        };
        shapes.next().is_some_and(|first| whole(first) && shapes.all(whole))
    }

    /// Counts grids that are in work-items in workgroups, whatever the call takes.
    fn convert(&mut self) {
        let shapes: Vec<KernelExtents> = self.found.extents.items().into_iter().copied().collect();
        for launch in self.launches.values_mut() {
            let shape = launch.extents.and_then(|at| shapes.get(at as usize));
            launch.extents = shape.map(|&KernelExtents { grid, block }| {
                let mut groups = grid;
                for (axis, block) in groups.iter_mut().zip(block) {
                    *axis = axis.div_ceil(block.max(1));
                }
                self.found.extents.number(&KernelExtents { grid: groups, block })
            });
        }
        for call in &mut self.found.calls {
            call.api = if call.api == Api::HipWorkItems { Api::HipWorkgroups } else { call.api };
            call.extents = None;
        }
    }

    fn ops(&mut self, database: &Database, meter: &mut RowMeter<'_>) {
        let mut ties = BTreeMap::new();
        database.scan(TIES, &["op_id", "api_id"], |row| {
            ties.extend(row.number(0).zip(row.number(1)));
            meter.row() && ties.len() <= OP_LIMIT
        });
        let columns = ["id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"];
        database.scan(OPS, &columns, |row| {
            self.found.report.events += 1;
            let word = row.number(6).and_then(|word| self.words.get(&word));
            if let Some(&RpdWord::Work(kind, _)) = word {
                let call = row.number(0).and_then(|id| ties.get(&id)).copied();
                self.found.kernels_seen += u64::from(kind == OpKind::Kernel);
                if self.op(row, kind, call).is_none() {
                    self.found.report.note(Quirk::Malformed);
                }
            }
            meter.row() && self.found.ops.len() <= OP_LIMIT
        });
    }

    /// Takes an op; `None` where it has no time.
    fn op(&mut self, row: &DatabaseRow<'_>, kind: OpKind, call: Option<i64>) -> Option<()> {
        let start = row.number(3)?;
        let duration = u64::try_from(row.number(4)?.checked_sub(start)?).ok()?;
        let mut op = Op::at(kind, start, duration);
        let launch = call.and_then(|call| self.launches.get(&call));
        let empty = |name: &i64| matches!(self.words.get(name), Some(RpdWord::Empty));
        let own = row.number(5).filter(|name| !empty(name));
        let name = own.or_else(|| launch?.name).or_else(|| row.number(6)).unwrap_or(0);
        op.kernel = self.names.number(&name);
        let stream = launch.and_then(|launch| launch.stream.clone());
        let on_queue = stream.is_none();
        let queue = || format!("queue {}", row.number(2).unwrap_or(0));
        let process = call.and_then(|call| self.of_calls.get(&call));
        let label = StreamLabel {
            label: stream.unwrap_or_else(queue),
            context: process.map(|&process| u64::from(process)),
        };
        op.stream = self.found.streams.number(&label);
        if kind == OpKind::Kernel {
            op.assume(Field::Barrier);
            op.assume(Field::Registers);
            op.assume(Field::SharedMemory);
        }
        // A graph has one launch for all of its kernels.
        let own = launch.filter(|launch| self.of_sdk && launch.name == Some(name));
        let own = own.filter(|_| {
            kind == OpKind::Kernel && !call.is_some_and(|call| self.graphs.contains(&call))
        });
        if let Some(bytes) = own.and_then(|launch| launch.lds_bytes) {
            op.footprint.lds_bytes = bytes;
            op.provenance = op.provenance.with(Field::SharedMemory, Origin::Joined);
        }
        self.found.ops.push(KinetoOp {
            op,
            device: row.number(1).and_then(|gpu| u64::try_from(gpu).ok()),
            correlation: call.and_then(|call| u64::try_from(call).ok()),
            extents: own.and_then(|launch| launch.extents),
            on_queue,
        });
        Some(())
    }
}

/// Puts the texts in the place of the numbers of strings.
fn rename(database: &Database, names: &[i64], found: &mut KinetoCollector) {
    let mut texts: BTreeMap<i64, Option<String>> = names.iter().map(|&id| (id, None)).collect();
    database.scan(STRINGS, &["id", "string"], |row| {
        if let Some(slot @ None) = row.number(0).and_then(|id| texts.get_mut(&id)) {
            *slot = row.text(1).map(|text| text.trim().to_owned());
        }
        true
    });
    let mut number = |id| {
        let text = texts.get(id).and_then(Option::as_deref).filter(|text| !text.is_empty());
        found.names.number(text.unwrap_or("unnamed"))
    };
    let new: Vec<u32> = names.iter().map(&mut number).collect();
    for work in &mut found.ops {
        work.op.kernel = new[work.op.kernel as usize];
    }
}

fn small(row: &DatabaseRow<'_>, at: usize) -> Option<u32> {
    row.number(at).and_then(|n| u32::try_from(n).ok())
}

fn three(row: &DatabaseRow<'_>, at: usize) -> Option<[u32; 3]> {
    Some([small(row, at)?, small(row, at + 1)?, small(row, at + 2)?])
}
