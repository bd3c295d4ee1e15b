//! What does a database of rocmProfileData hold (`.rpd`, written by `runTracer.sh`)?
//!
//! Rows of `rocpd_op` are work of a GPU, rows of `rocpd_api` calls of HIP, and rows of
//! `rocpd_api_ops` link both. The grid and workgroup of a launch are given with its call; the file
//! names neither the device nor registers. Two tools fill such files, and no table names the tool:
//!
//! - roctracer writes the grid as the call takes it, in workgroups or in work-items, and the
//!   dynamic shared memory, so kernels get their shapes as in a PyTorch trace of an AMD GPU.
//! - rocprofiler-sdk (since 2025) writes every grid in work-items, all shared memory, and copies as
//!   `MEMORY_COPY_...`. Of the kernels of a graph, which share a call, it keeps the shape of one.
//!
//! In a file without copies, the grids show the tool: in work-items all are whole numbers of
//! workgroups. Names are numbers of strings, of which only those in use are kept.

mod calls;

use std::collections::BTreeMap;

use self::calls::{RpdCall, RpdCalls, RpdLaunch};
use super::blocking::Blocking;
use super::calls::{count_before, sort_calls};
use super::kineto::collect::{AskedLaunch, KinetoCollector, KinetoLane, KinetoOp, TraceMaker};
use super::kineto::event::Api;
use super::kineto::plain::work_of_rpd;
use super::kineto::settle::call_of;
use super::kineto::shape::KernelExtents;
use super::sqlite::database::{Database, DatabaseRow};
use super::sqlite::{RowMeter, SqliteSource};
use crate::assemble::{Draft, Interner, push, sort_in_place};
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::profile::{Op, OpKind, StreamLabel};
use crate::provenance::{Field, Origin};
use crate::report::Quirk;

const OPS: &str = "rocpd_op";
const CALLS: &str = "rocpd_api";
const TIES: &str = "rocpd_api_ops";
const LAUNCHES: &str = "rocpd_kernelapi";
const COPIES: &str = "rocpd_copyapi";
const STRINGS: &str = "rocpd_string";

/// Returns whether a database is one of rocmProfileData.
pub(super) fn looks_like(database: &Database) -> bool {
    database.has(OPS)
}

/// Imports a database of rocmProfileData; an error where no kernel in it can be used.
pub(super) fn import(
    source: &SqliteSource<'_>,
    options: &ImportConfig,
) -> Result<Draft, TraceError> {
    let SqliteSource { file, database, watch, .. } = source;
    // The two halves of the tables are read side by side, as neither needs the other until both are
    // read. Calls take longer, so their rows measure the progress of both.
    let mut meter = RowMeter::new(database, [LAUNCHES, COPIES, CALLS], *watch);
    let words = words(database);
    let (mut reader, calls) = database.beside(
        |database| RpdReader::read(&words, database),
        |database| RpdCalls::read(&words, database, &mut meter),
    );
    reader.join(calls);
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

/// Meaning of a string of the file's table of strings, if the string determines what kind of record
/// a row is.
enum RpdWord {
    Call(Option<Api>, Option<Blocking>),
    /// A kind of op that the string names, and whether rocprofiler-sdk spells it so; `None` for
    /// kernels and fills, which do not show it.
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

/// Returns the meaning of the strings that decide what kind of record a row is, by the number of
/// the string.
fn words(database: &Database) -> BTreeMap<i64, RpdWord> {
    let mut words = BTreeMap::new();
    database.scan(STRINGS, &["id", "string"], |row| {
        let word = row.text(1).and_then(|text| RpdWord::of(&text));
        words.extend(row.number(0).zip(word));
        true
    });
    words
}

/// Reader of the work of the GPU in a database of rocmProfileData, with the ops that it has found
/// so far.
struct RpdReader<'w> {
    found: KinetoCollector,
    words: &'w BTreeMap<i64, RpdWord>,
    /// Names of ops, as numbers of rows in the table of strings.
    names: Interner<i64>,
    /// Lane of each hardware queue, as an index in the list of lanes, by (queue, GPU); the GPU is
    /// `None` where the file does not name it.
    queues: BTreeMap<(i64, Option<u64>), u32>,
}

impl<'w> RpdReader<'w> {
    /// Reads from a database of rocmProfileData the ops (kernels, copies and fills) of all GPUs.
    fn read(words: &'w BTreeMap<i64, RpdWord>, database: &Database) -> Self {
        let found = KinetoCollector::of(TraceMaker::Rpd);
        let (names, queues) = Default::default();
        let mut reader = Self { found, words, names, queues };
        reader.ops(database);
        reader
    }

    fn ops(&mut self, database: &Database) {
        let columns = ["id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"];
        let (mut last, mut rising) = (0, true);
        database.scan(OPS, &columns, |row| {
            self.found.report.events += 1;
            let word = row.number(6).and_then(|word| self.words.get(&word));
            if let Some(&RpdWord::Work(kind, _)) = word {
                let id = row.number(0).and_then(|id| u64::try_from(id).ok()).unwrap_or(0);
                rising &= last <= id;
                last = id;
                self.found.kernels_seen += u64::from(kind == OpKind::Kernel);
                if self.op(row, kind, id).is_none() {
                    self.found.report.note(Quirk::Malformed);
                }
            }
            self.found.has_room()
        });
        if !rising {
            sort_in_place(&mut self.found.ops, |work| work.op.workgroups);
        }
        self.tie(database);
    }

    /// Adds the op with the number `id`, on its hardware queue; `None` where it has no time. The
    /// field `workgroups` of the op, which is not needed yet, holds the number for [`Self::tie`].
    fn op(&mut self, row: &DatabaseRow<'_>, kind: OpKind, id: u64) -> Option<()> {
        let start = row.number(3)?;
        let duration = u64::try_from(row.number(4)?.checked_sub(start)?).ok()?;
        let mut op = Op::at(kind, start, duration);
        op.workgroups = id;
        let empty = |name: &i64| matches!(self.words.get(name), Some(RpdWord::Empty));
        let name = row.number(5).filter(|name| !empty(name)).or_else(|| row.number(6));
        op.kernel = self.names.number(&name.unwrap_or(0));
        let device = row.number(1).and_then(|gpu| u64::try_from(gpu).ok());
        let queue = (row.number(2).unwrap_or(0), device);
        let found = &mut self.found;
        op.stream = *self.queues.entry(queue).or_insert_with(|| {
            let label = StreamLabel { label: format!("queue {}", queue.0), context: None };
            found.lane(&label, device, true)
        });
        if kind == OpKind::Kernel {
            op.assume(Field::Barrier);
            op.assume(Field::Registers);
            op.assume(Field::SharedMemory);
        }
        push(&mut self.found.ops, KinetoOp::new(op, None, None));
        Some(())
    }

    /// Gives each op the number of its launch call, from the table that links calls and ops.
    fn tie(&mut self, database: &Database) {
        let ops = &mut self.found.ops;
        let mut next = 0;
        database.scan(TIES, &["op_id", "api_id"], |row| {
            let number = |at| row.number(at).and_then(|id| u64::try_from(id).ok());
            if let (Some(id), call) = (number(0).filter(|&id| id > 0), number(1)) {
                next = count_before(ops, next, |work| work.op.workgroups < id);
                if let Some(work) = ops.get_mut(next).filter(|work| work.op.workgroups == id) {
                    work.tie(call);
                    next += 1;
                }
            }
            true
        });
        for work in ops {
            work.op.workgroups = 0;
        }
    }

    /// Completes each op from the call that launched it: its stream, its name if the op has only a
    /// kind, and its grid and workgroup where rocprofiler-sdk wrote the records.
    fn join(&mut self, calls: RpdCalls) {
        let RpdCalls { found: calls, streams, mut launches, kinds } = calls;
        let kinds = kinds.into_items();
        (self.found.calls, self.found.waits, self.found.threads) =
            (calls.calls, calls.waits, calls.threads);
        self.found.report.events += calls.report.events;
        // In most files the calls are in order.
        sort_calls(&mut self.found.calls, |call| call.correlation, &mut self.found.report);
        let of_sdk = self.is_of_sdk(&kinds, &launches);
        if of_sdk {
            for launch in &mut launches {
                launch.extents = launch.extents.map(in_workgroups);
            }
        }
        let mut lanes = RpdLanes {
            streams: streams.into_items(),
            queues: core::mem::take(&mut self.found.lanes).into_items(),
            labels: core::mem::take(&mut self.found.streams).into_items(),
            new: BTreeMap::new(),
        };
        let names: Vec<i64> = self.names.items().into_iter().copied().collect();
        let Self { found, words, names: numbers, .. } = self;
        let mut ops = core::mem::take(&mut found.ops);
        let mut near = 0;
        for work in &mut ops {
            let call = call_of(work.correlation(), &found.calls, &mut near);
            let kind = call.and_then(|call| kinds.get(call.asked as usize)).copied();
            let launch = kind.and_then(|kind| kind.of(&launches));
            // The first process has no context; further processes are rare.
            let process = kind.map(|kind| u64::from(kind.process)).filter(|&process| process > 0);
            let stream = launch.and_then(|launch| launch.stream);
            work.op.stream = lanes.of((work.op.stream, stream, process), found);
            let mut name = names[work.op.kernel as usize];
            // If the op has no name of its own, only a kind, the name of its launch is taken.
            if let Some(of_launch) = launch.and_then(|launch| launch.name)
                && matches!(words.get(&name), Some(RpdWord::Work(..)))
            {
                name = of_launch;
                work.op.kernel = numbers.number(&name);
            }
            // A graph has one launch for all of its kernels.
            let own = kind.is_some_and(|kind| kind.api != Api::Graph);
            let own = launch.filter(|launch| of_sdk && own && launch.name == Some(name));
            let Some(own) = own.filter(|_| work.op.kind == OpKind::Kernel) else { continue };
            work.op.after = own.extents.map(|extents| found.extents.number(&extents));
            if let Some(bytes) = own.lds_bytes {
                work.op.footprint.lds_bytes = bytes;
                work.op.provenance = work.op.provenance.with(Field::SharedMemory, Origin::Joined);
            }
        }
        found.ops = ops;
        let asked: Vec<u32> =
            kinds.iter().map(|kind| found.asked.number(&asked(kind, &launches, of_sdk))).collect();
        for call in &mut found.calls {
            call.asked = asked[call.asked as usize];
        }
    }

    /// Returns whether rocprofiler-sdk wrote the records. The spelling of the copies' names shows
    /// it; in a file without copies, the unit of the grids shows it.
    fn is_of_sdk(&self, kinds: &[RpdCall], launches: &[RpdLaunch]) -> bool {
        let told = self.words.values().find_map(|word| match word {
            RpdWord::Work(_, of_sdk) => *of_sdk,
            _ => None,
        });
        told.unwrap_or_else(|| are_in_work_items(kinds, launches))
    }
}

/// Lanes, in each of which ops run in order. A lane is the stream that the launch call of an op
/// names, or else the hardware queue that the op ran on.
struct RpdLanes {
    /// Labels of streams; a stream's number is its index in this list.
    streams: Vec<String>,
    queues: Vec<KinetoLane>,
    /// Labels of hardware queues; a queue's number is its index in this list.
    labels: Vec<StreamLabel>,
    /// Index of each lane in the list of lanes, by (queue, stream, process). The stream is `None`
    /// where the call names none, the process for the first process and for ops without a call.
    new: BTreeMap<(u32, Option<u32>, Option<u64>), u32>,
}

impl RpdLanes {
    /// Returns the index of the lane (stream or queue) of an op, given as (queue, stream, process)
    /// as in `new`; a new lane is added to `found`.
    fn of(&mut self, place: (u32, Option<u32>, Option<u64>), found: &mut KinetoCollector) -> u32 {
        let Self { streams, queues, labels, new } = self;
        *new.entry(place).or_insert_with(|| {
            let (queue, stream, context) = place;
            let queue = queues[queue as usize];
            let of_queue = || labels[queue.stream as usize].label.clone();
            let label = stream.map_or_else(of_queue, |stream| streams[stream as usize].clone());
            found.lane(&StreamLabel { label, context }, queue.device, stream.is_none())
        })
    }
}

/// Returns whether all grids are multiples of the workgroup, which shows that they are counted in
/// work-items. Looks only at calls that take a grid in workgroups: for these it would be a
/// coincidence.
fn are_in_work_items(kinds: &[RpdCall], launches: &[RpdLaunch]) -> bool {
    let of_calls = kinds.iter().filter(|kind| kind.api == Api::HipWorkgroups);
    let mut shapes = of_calls.filter_map(|kind| kind.of(launches)?.extents);
    let whole = |shape: KernelExtents| {
        let mut axes = shape.grid.into_iter().zip(shape.block);
        axes.all(|(grid, block)| block > 0 && grid.is_multiple_of(block))
    };
    shapes.next().is_some_and(|first| whole(first) && shapes.all(whole))
}

/// Converts a grid in work-items to workgroups, rounded up.
fn in_workgroups(KernelExtents { grid, block }: KernelExtents) -> KernelExtents {
    let mut groups = grid;
    for (axis, block) in groups.iter_mut().zip(block) {
        *axis = axis.div_ceil(block.max(1));
    }
    KernelExtents { grid: groups, block }
}

/// Returns the launch that a call asked for, without its grid and workgroup where `of_sdk` is true:
/// rocprofiler-sdk wrote the records, and each op has its own.
fn asked(kind: &RpdCall, launches: &[RpdLaunch], of_sdk: bool) -> AskedLaunch {
    let launch = kind.of(launches);
    let lds_bytes = launch.and_then(|launch| launch.lds_bytes);
    match of_sdk {
        true => {
            let in_items = kind.api == Api::HipWorkItems;
            let api = if in_items { Api::HipWorkgroups } else { kind.api };
            AskedLaunch { api, extents: None, lds_bytes }
        }
        false => {
            let extents = launch.and_then(|launch| launch.extents);
            AskedLaunch { api: kind.api, extents, lds_bytes }
        }
    }
}

/// Replaces each op name, stored as a number in the table of strings, by its text.
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
