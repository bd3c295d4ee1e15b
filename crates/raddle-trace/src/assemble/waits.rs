//! For which ops did the host wait in a recorded call, and for which did ops of other streams wait?
//!
//! A call waits for the work that was issued before it (or before an event was recorded), to one
//! stream or to all. As a stream runs its ops in order, only the last one of each stream is listed.
//! A wait for all streams lists only ops that were issued since the wait for all streams before it.

use super::Renumber;
use crate::profile::{HostWait, Op, StreamWait, unsigned_time};

/// A wait as an importer reads it: its begin and its end in nanoseconds on the clock of the
/// recording, the party that waits (the host or a stream), and the work that is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DraftWait {
    pub(crate) begin: i64,
    pub(crate) end: i64,
    pub(crate) waiter: Waiter,
    pub(crate) awaits: Awaited,
}

/// Party that waits in a recorded wait: the host or a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiter {
    /// The host waits until the call returns.
    Host,
    /// A stream waits, by its number in the importer's list of streams: its first op that is issued
    /// after the call does not start before the awaited work has ended.
    Stream(u32),
}

/// Work that the host or a stream waits for in a recorded wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// All work issued to one stream up to a time: (number of the stream in the importer's list of
    /// streams, time in nanoseconds on the clock of the recording).
    Stream(u32, i64),
    /// All work that was issued to the device before the call.
    Device,
    /// All work issued so far to one stream that the file does not name. The stream of the last
    /// issued op is taken for it, if all ops issued to that stream had ended when the call
    /// returned.
    Last,
    /// The file does not name the work that is waited for.
    Unknown,
}

impl DraftWait {
    /// Returns the awaited work of the call that made the copy `copy`, where this wait has the
    /// begin and the end of that call: the copy itself if it had ended when the call returned; else
    /// `None`.
    pub(crate) fn of_copy(&self, copy: &Op) -> Option<Awaited> {
        (unsigned_time(self.end) >= copy.end_ns())
            .then_some(Awaited::Stream(copy.stream, self.begin))
    }
}

/// Ops (kernels, copies and fills) in the order in which the host issued them.
struct IssueOrder<'o> {
    ops: &'o [Op],
    /// Indices of all ops, sorted by the time of their issue.
    all: Vec<u32>,
    /// For each stream its ops in the order of issue, each as (time of issue in nanoseconds, index
    /// of the op that starts last among this op and those issued before it, index of this op).
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

    /// Counts the ops that were issued up to the time `by`, in nanoseconds.
    fn issued(&self, by: u64) -> usize {
        self.all.partition_point(|&at| self.arrival(at) <= by)
    }

    /// Returns the index of the op that a stream runs last among those that the host issued to the
    /// stream up to the time `by`, in nanoseconds; `None` where there is none.
    fn last(&self, stream: u32, by: u64) -> Option<u32> {
        let of = self.streams.get(stream as usize)?;
        of.get(of.partition_point(|&(arrival, ..)| arrival <= by).checked_sub(1)?).map(|it| it.1)
    }

    /// Finds out which op of `stream` waited for which op of another stream, after the call at the
    /// time `begin` that made `stream` wait. The waiting op is the first one that was issued to
    /// `stream` from then on. All times are in nanoseconds.
    ///
    /// `awaits` is (stream that is waited for, time): the awaited op is the last one issued to that
    /// stream up to that time. With `None` it is the op of any other stream that ended last before
    /// the waiting op started. The awaited op must have ended at most `resolution_ns`, one tick of
    /// the clock, after the start of the waiting op, and be issued before `begin`; else `None` is
    /// returned.
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

    /// Returns the latest op of a stream for which `ended` is true, among the last 64 ops that were
    /// issued to the stream up to the time `by`; `None` where there is none.
    fn last_ended(&self, stream: u32, by: u64, ended: impl Fn(&u32) -> bool) -> Option<u32> {
        /// Largest number of ops that are tested, the latest first. Older ones have ended long
        /// before.
        const MOST: usize = 64;
        let of = self.streams.get(stream as usize)?;
        let issued = of.partition_point(|&(arrival, ..)| arrival <= by);
        of[..issued].iter().rev().take(MOST).map(|&(.., op)| op).find(ended)
    }
}

/// Returns (waits of the host, waits of streams for each other) of a profile, each with the ops
/// that are waited for. Waits for no op are dropped, and the host's waits are sorted by their ends.
/// `zero` is the time of the recording clock that is time 0 of the profile, and `resolution_ns` the
/// length of a tick of that clock.
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

/// Returns the last op of each stream among the ops with the indices `these`, in rising order of
/// index.
fn last_of_each(these: &[u32], ops: &[Op]) -> Vec<u32> {
    let mut these = these.to_vec();
    these.sort_unstable_by_key(|&at| (ops[at as usize].stream, std::cmp::Reverse(at)));
    these.dedup_by_key(|at| ops[*at as usize].stream);
    these.sort_unstable();
    these
}
