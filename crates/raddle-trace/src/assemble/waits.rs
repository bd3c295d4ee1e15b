//! For which ops did the host wait?
//!
//! A call waits for what was issued before it (or before an event was recorded), to one stream or to
//! all. A stream takes its ops in order, so its last one stands for them. What a wait names was
//! issued since the wait before it that named all streams: what is older that one waited for.

use super::Renumber;
use crate::profile::{HostWait, Op, unsigned_time};

/// A wait as an importer reads it, with times of the source's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftWait {
    pub(crate) begin: i64,
    pub(crate) end: i64,
    pub(crate) awaits: Awaited,
}

/// For what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// What was issued to a stream of the draft up to a time.
    Stream(u32, i64),
    /// Everything that was issued.
    Device,
    /// One stream, of which the file does not say which: that of the last op issued, if all that
    /// was issued to it had ended when the call returned.
    Last,
    /// Nobody knows.
    Unknown,
}

impl DraftWait {
    /// What a call that copies waits for: the copy, if it returned when that had ended.
    pub(crate) fn of_copy(&self, copy: &Op) -> Option<Awaited> {
        (unsigned_time(self.end) >= copy.end_ns())
            .then_some(Awaited::Stream(copy.stream, self.begin))
    }
}

/// What is known of the order in which ops were issued.
struct IssueOrder<'o> {
    ops: &'o [Op],
    /// All ops by arrival.
    all: Vec<u32>,
    /// The ops of each stream by arrival, each with the last in the order of the stream so far.
    streams: Vec<Vec<(u64, u32)>>,
}

impl<'o> IssueOrder<'o> {
    fn new(ops: &'o [Op], streams: usize) -> Self {
        let mut all: Vec<u32> = (0u32..).zip(ops).map(|(at, _)| at).collect();
        all.sort_by_key(|&at| ops[at as usize].arrival_ns);
        let mut of_streams: Vec<Vec<(u64, u32)>> = vec![Vec::new(); streams];
        for &at in &all {
            let Op { stream, arrival_ns, .. } = ops[at as usize];
            let of = &mut of_streams[stream as usize];
            let last = of.last().map_or(at, |&(_, last)| last.max(at));
            of.push((arrival_ns, last));
        }
        Self { ops, all, streams: of_streams }
    }

    fn arrival(&self, at: u32) -> u64 {
        self.ops[at as usize].arrival_ns
    }

    /// How many ops were issued up to a time.
    fn issued(&self, by: u64) -> usize {
        self.all.partition_point(|&at| self.arrival(at) <= by)
    }

    /// The last op of a stream that was issued up to a time.
    fn last(&self, stream: u32, by: u64) -> Option<u32> {
        let of = self.streams.get(stream as usize)?;
        of.get(of.partition_point(|&(arrival, _)| arrival <= by).checked_sub(1)?).map(|it| it.1)
    }
}

/// The waits with the ops that they wait for, by their ends; those for nothing are left out.
pub(super) fn resolve(
    mut waits: Vec<DraftWait>,
    ops: &[Op],
    lanes: &Renumber,
    zero: u64,
    resolution_ns: u64,
) -> Vec<HostWait> {
    let order = IssueOrder::new(ops, lanes.order.len());
    let since_zero = |at: i64| unsigned_time(at).saturating_sub(zero);
    waits.sort_by_key(|wait| (wait.begin, wait.end));
    // Ops up to here some wait for all streams has named.
    let mut named = 0;
    let mut found: Vec<HostWait> = Vec::new();
    for wait in waits {
        let (begin_ns, end_ns) = (since_zero(wait.begin), since_zero(wait.end));
        let issued = order.issued(begin_ns);
        let ops = match wait.awaits {
            _ if unsigned_time(wait.begin) < zero || issued == 0 => continue,
            Awaited::Stream(stream, by) => {
                let stream = lanes.new.get(stream as usize).copied().flatten();
                let last = stream.and_then(|stream| order.last(stream, since_zero(by)));
                Some(last.into_iter().collect())
            }
            Awaited::Device => {
                let fresh = order.all.get(named..issued).unwrap_or_default();
                named = named.max(issued);
                Some(last_of_each(fresh, ops))
            }
            Awaited::Last => {
                let stream = ops[order.all[issued - 1] as usize].stream;
                let last = order.last(stream, begin_ns).into_iter();
                let ended =
                    |at: &u32| ops[*at as usize].end_ns() <= end_ns.saturating_add(resolution_ns);
                let last: Vec<u32> = last.collect();
                last.iter().all(ended).then_some(last)
            }
            Awaited::Unknown => None,
        };
        if ops.as_ref().is_none_or(|ops| !ops.is_empty()) {
            found.push(HostWait { begin_ns, end_ns: end_ns.max(begin_ns), ops });
        }
    }
    found.sort_by_key(|wait| wait.end_ns);
    found
}

/// The last op of each stream among these, rising.
fn last_of_each(these: &[u32], ops: &[Op]) -> Vec<u32> {
    let mut these = these.to_vec();
    these.sort_unstable_by_key(|&at| (ops[at as usize].stream, std::cmp::Reverse(at)));
    these.dedup_by_key(|at| ops[*at as usize].stream);
    these.sort_unstable();
    these
}
