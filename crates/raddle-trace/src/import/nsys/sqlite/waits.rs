//! In which calls did the host wait, and for what?
//!
//! A call says its name and time; a row of the synchronisations with the same correlation says for
//! which stream. Which record of an event a call waited for is not told.

use std::collections::BTreeMap;

use crate::assemble::waits::{Awaited, DraftWait};
use crate::import::blocking::Blocking;
use crate::import::sqlite::database::{Database, DatabaseRow};
use crate::profile::OpKind;

use super::ops::{NsysLane, NsysOp, NsysProcess, process};

const STRINGS: &str = "StringIds";
const SYNCS: &str = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

/// What tells calls apart.
type CallKey = (NsysProcess, i64);

/// What calls waited for.
#[derive(Debug, Default)]
pub(super) struct NsysWaits {
    /// The numbers of the names of calls that may wait.
    names: BTreeMap<i64, Blocking>,
    calls: Vec<(DraftWait, Blocking, CallKey)>,
}

impl NsysWaits {
    /// Which names calls that may wait have.
    pub(super) fn read(database: &Database) -> Self {
        let mut names = BTreeMap::new();
        database.scan(STRINGS, &["id", "value"], |row| {
            let blocking = row.text(1).and_then(|name| Blocking::of(&name));
            names.extend(row.number(0).zip(blocking));
            true
        });
        Self { names, calls: Vec::new() }
    }

    /// Takes a call, if it may have waited.
    pub(super) fn call(
        &mut self,
        row: &DatabaseRow<'_>,
        (process, correlation, begin): (NsysProcess, i64, i64),
    ) {
        let (end, blocking) = (row.number(3), row.number(4).and_then(|id| self.names.get(&id)));
        if let Some((end, &blocking)) = end.filter(|&end| end >= begin).zip(blocking) {
            let wait = DraftWait { begin, end, awaits: Awaited::Unknown };
            self.calls.push((wait, blocking, (process, correlation)));
        }
    }

    /// The waits, once all ops are known.
    pub(super) fn draft(
        self,
        database: &Database,
        ops: &[NsysOp],
        lanes: &[NsysLane],
    ) -> Vec<DraftWait> {
        let streams = streams(database, lanes);
        let copies = ops.iter().filter(|op| op.op.kind == OpKind::Copy && op.correlation != 0);
        let copies: BTreeMap<CallKey, &NsysOp> =
            copies.map(|op| ((op.process, op.correlation), op)).collect();
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
        self.calls.into_iter().filter_map(told).collect()
    }
}

/// By call, the lane that it waited for.
fn streams(database: &Database, lanes: &[NsysLane]) -> BTreeMap<CallKey, u32> {
    let numbers = lanes
        .iter()
        .zip(0u32..)
        .map(|(lane, number)| ((lane.process, lane.context, lane.stream), number));
    let numbers: BTreeMap<_, u32> = numbers.collect();
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
