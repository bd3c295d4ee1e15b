//! Which launches and copies did the host ask for, by the tables of rocmProfileData?

use std::collections::BTreeMap;

use super::{CALLS, COPIES, LAUNCHES, RpdWord};
use crate::assemble::{Interner, OP_LIMIT, push};
use crate::import::calls::count_before;
use crate::import::kineto::collect::{KinetoCall, KinetoCollector, TraceMaker};
use crate::import::kineto::event::Api;
use crate::import::kineto::shape::KernelExtents;
use crate::import::sqlite::RowMeter;
use crate::import::sqlite::database::{Database, DatabaseRow};

/// A launch or a copy that a call of the host asked for: its stream, grid, workgroup and name, as
/// far as the call gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RpdLaunch {
    /// Stream of the launch, as an index in [`RpdCalls::streams`]; `None` where the call names
    /// none.
    pub(super) stream: Option<u32>,
    pub(super) extents: Option<KernelExtents>,
    pub(super) lds_bytes: Option<u32>,
    /// Name of the kernel, as a number in the table of strings; `None` where the call names none.
    pub(super) name: Option<i64>,
}

/// A call of the host: the kind of work that it starts, its process, and the launch that it asked
/// for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RpdCall {
    pub(super) api: Api,
    /// Process of the call, as an index among the processes whose calls launch work, in order of
    /// their first such calls.
    pub(super) process: u32,
    /// Launch or copy that the call asked for, as an index in [`RpdCalls::launches`]; `None` where
    /// the call asked for none.
    pub(super) launch: Option<u32>,
}

impl RpdCall {
    /// Returns the launch or copy that the call asked for; `None` where it asked for none.
    pub(super) fn of(&self, launches: &[RpdLaunch]) -> Option<RpdLaunch> {
        launches.get(self.launch? as usize).copied()
    }
}

/// Calls of the host, as read from the tables of rocmProfileData.
pub(super) struct RpdCalls {
    /// Launch calls, and calls of the host that may have waited.
    pub(super) found: KinetoCollector,
    /// Labels of the streams that calls name; [`RpdLaunch::stream`] is an index in this list.
    pub(super) streams: Interner<String>,
    /// Distinct launches and copies that calls asked for, each stored once, since few differ.
    pub(super) launches: Vec<RpdLaunch>,
    /// Kinds of launch calls, each once; [`KinetoCall::asked`] is an index in this list.
    pub(super) kinds: Interner<RpdCall>,
}

impl RpdCalls {
    pub(super) fn read(
        words: &BTreeMap<i64, RpdWord>,
        database: &Database,
        meter: &mut RowMeter<'_>,
    ) -> Self {
        let found = KinetoCollector::of(TraceMaker::Rpd);
        let (streams, launches, kinds) = Default::default();
        let mut calls = Self { found, streams, launches, kinds };
        calls.calls(words, database, meter);
        calls
    }

    /// Reads which launch or copy each call of the host asked for; the result lists them by the
    /// number of the call.
    fn launches(&mut self, database: &Database, meter: &mut RowMeter<'_>) -> RpdLaunches {
        let mut launches = RpdLaunches::default();
        let streams = &mut self.streams;
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
        database.scan(LAUNCHES, &columns, |row| {
            let shape = three(row, 2).zip(three(row, 5));
            let launch = RpdLaunch {
                stream: row.text(1).map(|stream| streams.number(&*stream)),
                extents: shape.map(|(grid, block)| KernelExtents { grid, block }),
                lds_bytes: small(row, 8),
                name: row.number(9),
            };
            launches.add(row.number(0), &launch);
            meter.row() && launches.of_calls.len() < OP_LIMIT
        });
        database.scan(COPIES, &["api_ptr_id", "stream"], |row| {
            let stream = row.text(1).map(|stream| streams.number(&*stream));
            let copy = RpdLaunch { stream, extents: None, lds_bytes: None, name: None };
            launches.add(row.number(0), &copy);
            meter.row() && launches.of_calls.len() < OP_LIMIT
        });
        launches.sort();
        launches
    }

    fn calls(
        &mut self,
        words: &BTreeMap<i64, RpdWord>,
        database: &Database,
        meter: &mut RowMeter<'_>,
    ) {
        let RpdLaunches { kinds, of_calls } = self.launches(database, meter);
        self.launches = kinds.into_items();
        let mut processes: Interner<i64> = Interner::default();
        let (thread, mut next) = (self.found.threads.number(&0), 0);
        database.scan(CALLS, &["id", "start", "end", "apiName_id", "pid"], |row| {
            self.found.report.events += 1;
            let id = row.number(0).and_then(|id| u64::try_from(id).ok()).filter(|&id| id > 0);
            let word = row.number(3).and_then(|name| words.get(&name));
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
                let launch = of_call(&of_calls, id.cast_signed(), &mut next);
                let process = processes.number(&row.number(4).unwrap_or(0));
                let asked = self.kinds.number(&RpdCall { api, process, launch });
                let call = KinetoCall { correlation: id, start, asked, thread };
                push(&mut self.found.calls, call);
            }
            meter.row() && self.found.has_room()
        });
    }
}

/// Launches and copies that calls asked for, by the number of the call. Equal ones are stored once,
/// since few differ.
#[derive(Default)]
struct RpdLaunches {
    kinds: Interner<RpdLaunch>,
    of_calls: Vec<(i64, u32)>,
}

impl RpdLaunches {
    fn add(&mut self, call: Option<i64>, launch: &RpdLaunch) {
        if let Some(call) = call {
            push(&mut self.of_calls, (call, self.kinds.number(launch)));
        }
    }

    /// Sorts the launches by the number of the call; of several of one call, the last counts.
    fn sort(&mut self) {
        self.of_calls.sort_by_key(|&(call, _)| call);
    }
}

/// Finds the launch that a call asked for, as an index among the distinct launches; `None` where it
/// asked for none. The search begins at the index `next`, where the previous search ended, and
/// updates `next`.
fn of_call(of_calls: &[(i64, u32)], call: i64, next: &mut usize) -> Option<u32> {
    *next = count_before(of_calls, *next, |&(other, _)| other <= call);
    let &(found, kind) = of_calls.get(next.checked_sub(1)?)?;
    (found == call).then_some(kind)
}

fn small(row: &DatabaseRow<'_>, at: usize) -> Option<u32> {
    row.number(at).and_then(|n| u32::try_from(n).ok())
}

fn three(row: &DatabaseRow<'_>, at: usize) -> Option<[u32; 3]> {
    Some([small(row, at)?, small(row, at + 1)?, small(row, at + 2)?])
}
