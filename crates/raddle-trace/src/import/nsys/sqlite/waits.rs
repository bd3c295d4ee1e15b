//! In which calls did the host or a stream wait, and for which work?
//!
//! A call has only a name and a time. A row of the table of synchronisations with the same
//! correlation number tells the stream that is waited for. The file does not tell which recording
//! of a CUDA event a call of the host waited for.

use std::collections::BTreeMap;

use crate::assemble::OP_LIMIT;
use crate::assemble::waits::{Awaited, DraftWait, Waiter};
use crate::import::blocking::Blocking;
use crate::import::sqlite::database::{Database, DatabaseRow};
use crate::profile::OpKind;

use super::ops::{NsysLane, NsysOp, NsysProcess, process};

const STRINGS: &str = "StringIds";
const EVENTS: &str = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
const SYNCS: &str = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

/// Key of a call of the host, (process, correlation number); no two calls have equal ones.
type CallKey = (NsysProcess, i64);

/// Calls in which the host may have waited, collected while the table of CUDA calls is read.
#[derive(Debug, Default)]
pub(super) struct NsysWaits {
    /// Names of calls that may wait, as numbers in the table of strings, with the work that each
    /// waits for.
    names: BTreeMap<i64, Blocking>,
    calls: Vec<(DraftWait, Blocking, CallKey)>,
}

impl NsysWaits {
    /// Finds, in the table of strings, the names of calls that may wait.
    pub(super) fn read(database: &Database) -> Self {
        let mut names = BTreeMap::new();
        database.scan(STRINGS, &["id", "value"], |row| {
            let blocking = row.text(1).and_then(|name| Blocking::of(&name));
            names.extend(row.number(0).zip(blocking));
            true
        });
        Self { names, calls: Vec::new() }
    }

    /// Stores a call of the host, if it may have waited; other calls are ignored.
    pub(super) fn call(
        &mut self,
        row: &DatabaseRow<'_>,
        (process, correlation, begin): (NsysProcess, i64, i64),
    ) {
        let (end, blocking) = (row.number(3), row.number(4).and_then(|id| self.names.get(&id)));
        if let Some((end, &blocking)) = end.filter(|&end| end >= begin).zip(blocking) {
            let (waiter, awaits) = (Waiter::Host, Awaited::Unknown);
            let wait = DraftWait { begin, end, waiter, awaits };
            self.calls.push((wait, blocking, (process, correlation)));
        }
    }

    /// Returns the waits of the host and of streams for work of the device, after all ops are
    /// known.
    pub(super) fn draft(
        self,
        database: &Database,
        ops: &[NsysOp],
        lanes: &[NsysLane],
    ) -> Vec<DraftWait> {
        let streams = streams(database, lanes);
        let copies = ops.iter().filter(|op| op.op.kind == OpKind::Copy && op.correlation() != 0);
        let key = |op: &NsysOp| (lanes[op.op.stream as usize].process, op.correlation());
        let copies: BTreeMap<CallKey, &NsysOp> = copies.map(|op| (key(op), op)).collect();
        let told = |(wait, blocking, key): (DraftWait, Blocking, CallKey)| {
            let awaits = match blocking {
                Blocking::Device => Awaited::Device,
                Blocking::Stream => streams
                    .get(&key)
                    .map_or(Awaited::Last, |&stream| Awaited::Stream(stream, wait.begin)),
                Blocking::Event => Awaited::Unknown,
                Blocking::Copy => wait.of_copy(&copies.get(&key)?.op)?,
            };
            Some(DraftWait { awaits, ..wait })
        };
        let mut waits: Vec<DraftWait> = self.calls.into_iter().filter_map(told).collect();
        waits.extend(between(database, lanes));
        waits
    }
}

/// Finds the waits of streams for events. The awaited work is all work that the stream in which the
/// event was last recorded had before that moment. It is unknown where the export has no such
/// recording.
fn between(database: &Database, lanes: &[NsysLane]) -> Vec<DraftWait> {
    /// CUPTI's number for the wait of a stream for an event.
    const STREAM_WAIT: i64 = 2;
    let numbers = numbers(lanes);
    let lane = |row: &DatabaseRow<'_>| {
        let context = row.number(1).and_then(|n| u64::try_from(n).ok());
        let process = process(row.number(0));
        Some((process, *numbers.get(&(process, context, row.number(2).unwrap_or(-1)))?))
    };
    let mut records: BTreeMap<(NsysProcess, i64), Vec<(i64, u32)>> = BTreeMap::new();
    let columns = ["globalPid", "contextId", "streamId", "eventId", "timestamp"];
    database.scan(EVENTS, &columns, |row| {
        if let (Some((process, stream)), Some(event), Some(at)) =
            (lane(row), row.number(3), row.number(4))
        {
            records.entry((process, event)).or_default().push((at, stream));
        }
        true
    });
    records.values_mut().for_each(|of| of.sort_unstable());
    let mut waits = Vec::new();
    let columns = ["globalPid", "contextId", "streamId", "eventId", "start", "syncType"];
    database.scan(SYNCS, &columns, |row| {
        if let (Some((process, stream)), Some(begin), Some(STREAM_WAIT)) =
            (lane(row), row.number(4), row.number(5))
        {
            let of = row.number(3).and_then(|event| records.get(&(process, event)));
            let last = of
                .and_then(|of| of.get(of.partition_point(|&(at, _)| at <= begin).checked_sub(1)?));
            let awaits = last.map_or(Awaited::Unknown, |&(at, from)| Awaited::Stream(from, at));
            waits.push(DraftWait { begin, end: begin, waiter: Waiter::Stream(stream), awaits });
        }
        waits.len() <= OP_LIMIT
    });
    waits
}

/// Returns the index in `lanes` of each lane, by (process, context, stream); the context is `None`
/// where the file gives none.
fn numbers(lanes: &[NsysLane]) -> BTreeMap<(NsysProcess, Option<u64>, i64), u32> {
    let lanes = lanes.iter().zip(0u32..);
    lanes.map(|(lane, number)| ((lane.process, lane.context, lane.stream), number)).collect()
}

/// Returns the index in `lanes` of the lane (stream) for which each call waited, by call.
fn streams(database: &Database, lanes: &[NsysLane]) -> BTreeMap<CallKey, u32> {
    let numbers = numbers(lanes);
    let mut found = BTreeMap::new();
    let columns = ["globalPid", "contextId", "streamId", "correlationId"];
    database.scan(SYNCS, &columns, |row| {
        let process = process(row.number(0));
        let context = row.number(1).and_then(|n| u64::try_from(n).ok());
        let lane = (process, context, row.number(2).unwrap_or(-1));
        if let (Some(&number), Some(call)) = (numbers.get(&lane), row.number(3)) {
            found.insert((process, call), number);
        }
        true
    });
    found
}
