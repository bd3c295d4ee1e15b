//! For which ops did the host wait, and for which did ops of other streams?
//!
//! A call waits for what was issued before it (or before an event was recorded), to one stream or to
//! all. A stream takes its ops in order, so its last one stands for them. What a wait names was
//! issued since the wait before it that named all streams: what is older that one waited for.

use super::Renumber;
use crate::profile::{HostWait, Op, StreamWait, unsigned_time};

/// A wait as an importer reads it, with times of the source's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftWait {
    pub(crate) begin: i64,
    pub(crate) end: i64,
    pub(crate) waiter: Waiter,
    pub(crate) awaits: Awaited,
}

/// The host or the stream that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiter {
    /// The host, until the call returns.
    Host,
    /// A stream of the draft: the first op of it that is issued after the call.
    Stream(u32),
}

/// The work that a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// All work that was issued to a stream of the draft up to a time.
    Stream(u32, i64),
    /// Everything that was issued to the device.
    Device,
    /// One stream, of which the file does not say which: that of the last op issued, if all that
    /// was issued to it had ended when the call returned.
    Last,
    /// Work that the file does not name.
    Unknown,
}

impl DraftWait {
    /// Returns the work that a copying call waits for: the copy, if the call returned after its
    /// end.
    pub(crate) fn of_copy(&self, copy: &Op) -> Option<Awaited> {
        (unsigned_time(self.end) >= copy.end_ns())
            .then_some(Awaited::Stream(copy.stream, self.begin))
    }
}

/// The order in which ops were issued, by their arrivals.
struct IssueOrder<'o> {
    ops: &'o [Op],
    /// All ops by arrival.
    all: Vec<u32>,
    /// The ops of each stream by arrival: the arrival, the largest position of an op so far, the
    /// op.
    streams: Vec<Vec<(u64, u32, u32)>>,
}

impl<'o> IssueOrder<'o> {
    fn new(ops: &'o [Op], streams: usize) -> Self {
        let mut all: Vec<u32> = (0u32..).zip(ops).map(|(at, _)| at).collect();
        all.sort_by_key(|&at| ops[at as usize].arrival_ns);
        let mut of_streams: Vec<Vec<(u64, u32, u32)>> = vec![Vec::new(); streams];
        for &at in &all {
            let Op { stream, arrival_ns, .. } = ops[at as usize];
            let of = &mut of_streams[stream as usize];
            let last = of.last().map_or(at, |&(_, last, _)| last.max(at));
            of.push((arrival_ns, last, at));
        }
        Self { ops, all, streams: of_streams }
    }

    fn arrival(&self, at: u32) -> u64 {
        self.ops[at as usize].arrival_ns
    }

    /// Counts the ops that were issued up to a time.
    fn issued(&self, by: u64) -> usize {
        self.all.partition_point(|&at| self.arrival(at) <= by)
    }

    /// Returns the last op of a stream, in stream order, among those issued up to a time.
    fn last(&self, stream: u32, by: u64) -> Option<u32> {
        let of = self.streams.get(stream as usize)?;
        of.get(of.partition_point(|&(arrival, ..)| arrival <= by).checked_sub(1)?).map(|it| it.1)
    }

    /// Finds the wait of the first op of a stream that is issued after a time. The op waits for the
    /// last op of the named stream issued by then, or if none is named, for the op of all other
    /// streams that had ended last when it started; in both cases among ops issued before the wait.
    fn between(
        &self,
        stream: u32,
        begin: u64,
        awaits: Option<(u32, u64)>,
        resolution_ns: u64,
    ) -> Option<StreamWait> {
        let of = self.streams.get(stream as usize)?;
        let first = of.get(of.partition_point(|&(arrival, ..)| arrival < begin))?;
        let op = first.2;
        let limit = self.ops[op as usize].start_ns.saturating_add(resolution_ns);
        let ended = |source: &u32| *source < op && self.ops[*source as usize].end_ns() <= limit;
        let source = match awaits {
            Some((source, by)) => self.last(source, by.min(begin)).filter(ended),
            None => {
                let others = (0..self.streams.len() as u32).filter(|&other| other != stream);
                let last = others.filter_map(|other| self.last_ended(other, begin, ended));
                last.max_by_key(|&source| (self.ops[source as usize].end_ns(), source))
            }
        };
        let source = source.filter(|&source| self.ops[source as usize].stream != stream)?;
        Some(StreamWait { op, source, inferred: awaits.is_none() })
    }

    /// Returns the last op of a stream that was issued up to a time and had ended.
    fn last_ended(&self, stream: u32, by: u64, ended: impl Fn(&u32) -> bool) -> Option<u32> {
        /// The number of ops that are looked at: ops that were issued earlier have long ended.
        const MOST: usize = 64;
        let of = self.streams.get(stream as usize)?;
        let issued = of.partition_point(|&(arrival, ..)| arrival <= by);
        of[..issued].iter().rev().take(MOST).map(|&(.., op)| op).find(ended)
    }
}

/// Resolves waits to ops: the waits of the host by their ends, without those for nothing, and the
/// waits of streams.
pub(super) fn resolve(
    mut waits: Vec<DraftWait>,
    ops: &[Op],
    lanes: &Renumber,
    zero: u64,
    resolution_ns: u64,
) -> (Vec<HostWait>, Vec<StreamWait>) {
    if waits.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let order = IssueOrder::new(ops, lanes.order.len());
    let since_zero = |at: i64| unsigned_time(at).saturating_sub(zero);
    let stream_of = |stream: u32| lanes.new.get(stream as usize).copied().flatten();
    waits.sort_by_key(|wait| (wait.begin, wait.end));
    // Ops before this position in the order of arrival were named by some wait for all streams.
    let mut named = 0;
    let mut found: Vec<HostWait> = Vec::new();
    let mut between = Vec::new();
    for wait in waits {
        let (begin_ns, end_ns) = (since_zero(wait.begin), since_zero(wait.end));
        let issued = order.issued(begin_ns);
        if unsigned_time(wait.begin) < zero || issued == 0 {
            continue;
        }
        if let Waiter::Stream(stream) = wait.waiter {
            between.extend(stream_of(stream).and_then(|stream| {
                let awaits = match wait.awaits {
                    Awaited::Stream(source, by) => Some((stream_of(source)?, since_zero(by))),
                    _ => None,
                };
                order.between(stream, begin_ns, awaits, resolution_ns)
            }));
            continue;
        }
        let ops = match wait.awaits {
            Awaited::Stream(stream, by) => {
                let last = stream_of(stream).and_then(|it| order.last(it, since_zero(by)));
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
    // A wait that the file states sorts before an equal one that was inferred from times.
    between.sort_unstable_by_key(|wait| (wait.op, wait.source, wait.inferred));
    between.dedup_by_key(|wait| (wait.op, wait.source));
    (found, between)
}

/// Returns the last op of each stream among the given ops, rising.
fn last_of_each(these: &[u32], ops: &[Op]) -> Vec<u32> {
    let mut these = these.to_vec();
    these.sort_unstable_by_key(|&at| (ops[at as usize].stream, std::cmp::Reverse(at)));
    these.dedup_by_key(|at| ops[*at as usize].stream);
    these.sort_unstable();
    these
}
