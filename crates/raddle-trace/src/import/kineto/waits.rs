//! In which calls did the host wait, or was a stream told to wait, and for which work?
//!
//! A call has only a name and a time. An event of the category `cuda_sync` with the same
//! correlation number tells the stream, or the recording of a CUDA event, that is waited for.
//! Without such an event, the stream that is told to wait is that of the next op that the same
//! thread launches.

use std::collections::BTreeMap;

use super::event::{KinetoEvent, tie, times};
use crate::assemble::Interner;
use crate::assemble::waits::{Awaited, DraftWait, Waiter};
use crate::decimal::{natural, unquote};
use crate::import::blocking::Blocking;
use crate::import::document::string;
use crate::profile::{Op, StreamLabel};

/// Calls in which the host or a stream may have waited, and the trace's records of what they waited
/// for; collected while the trace is read.
#[derive(Debug, Default)]
pub(in crate::import) struct KinetoWaits {
    calls: Vec<(DraftWait, Blocking, Option<u64>)>,
    syncs: BTreeMap<u64, KinetoSync>,
    /// Time in nanoseconds at which each CUDA event was recorded in a stream, by the correlation
    /// number of the call that recorded it.
    records: BTreeMap<u64, i64>,
    /// Calls by which the host made a stream wait for a CUDA event, each as (time in nanoseconds,
    /// thread, correlation number or `None` where the call has none).
    told: Vec<(i64, u64, Option<u64>)>,
}

/// A call by which the host made a stream wait for an event, in a trace that does not name the
/// stream.
#[derive(Clone, Copy, Debug)]
struct GuessedWait {
    thread: u64,
    begin: i64,
    /// First launch of the same thread after the call, as (time in nanoseconds, stream); `None`
    /// until one is found.
    next: Option<(i64, u32)>,
}

/// The trace's record of one call that waited: the stream or event that was waited for, and whether
/// the host or a stream waited.
#[derive(Debug)]
struct KinetoSync {
    stream: Option<u32>,
    /// (stream that waits, time in nanoseconds at which its wait begins); `None` where the host
    /// waits.
    waiter: Option<(u32, i64)>,
    /// Correlation number of the call that recorded the awaited event; `None` where the record
    /// names none.
    record: Option<u64>,
}

impl KinetoWaits {
    pub(super) fn len(&self) -> usize {
        self.calls.len().max(self.syncs.len()).max(self.records.len()).max(self.told.len())
    }

    /// Stores a call of the host if it may have waited, recorded an event, or made a stream wait;
    /// other calls are ignored.
    pub(super) fn call(&mut self, event: &KinetoEvent<'_>, name: &str) {
        let blocking = Blocking::of(name);
        let records = name.contains("EventRecord");
        let tells = name.contains("StreamWaitEvent");
        if blocking.is_none() && !records && !tells {
            return;
        }
        let Some((start, lasts)) = times(event) else { return };
        let [correlation] = event.args(&["correlation"]);
        let correlation = tie(correlation);
        if let Some(blocking) = blocking {
            let span = (start.nanos, start.nanos.saturating_add(lasts.nanos));
            self.add(blocking, span, correlation);
        } else if tells {
            self.told.push((start.nanos, event.thread(), correlation));
        } else if let Some(correlation) = correlation {
            self.records.insert(correlation, start.nanos);
        }
    }

    /// Adds a call of the host that may have waited, from `begin` to `end` in nanoseconds. The
    /// correlation number is `None` where the call has none.
    pub(in crate::import) fn add(
        &mut self,
        blocking: Blocking,
        (begin, end): (i64, i64),
        correlation: Option<u64>,
    ) {
        let (waiter, awaits) = (Waiter::Host, Awaited::Unknown);
        self.calls.push((DraftWait { begin, end, waiter, awaits }, blocking, correlation));
    }

    /// Reads the trace's record of a call that waited; `None` where the record lacks the call's
    /// correlation number.
    pub(super) fn sync(
        &mut self,
        event: &KinetoEvent<'_>,
        streams: &mut Interner<StreamLabel>,
    ) -> Option<()> {
        let [own, context, waited, record, correlation] = event.args(&[
            "stream",
            "context",
            "wait_on_stream",
            "wait_on_cuda_event_record_corr_id",
            "correlation",
        ]);
        let context = context.and_then(natural);
        let mut number = |text: Option<&str>| {
            // The value -1, signed or not, stands for no stream.
            let is_one = |text: &&str| natural(text).is_some_and(|n| n < u64::from(u32::MAX));
            let label = text.map(unquote).filter(is_one)?.to_owned();
            Some(streams.number(&StreamLabel { label, context }))
        };
        let tells = event.name.and_then(string).is_some_and(|name| name == "Stream Wait Event");
        let waiter = if tells { number(own).zip(times(event).map(|it| it.0.nanos)) } else { None };
        let stream = number(if tells { waited } else { waited.or(own) });
        self.syncs.insert(tie(correlation)?, KinetoSync { stream, waiter, record: tie(record) });
        Some(())
    }

    /// Returns all waits of the host and of streams, once all ops are known. `launches` has
    /// (thread, time in nanoseconds, stream) of each launch; `ops` has (correlation number or
    /// `None`, op) of each op.
    pub(in crate::import) fn draft(
        self,
        launches: impl Iterator<Item = (u64, i64, u32)>,
        ops: impl Iterator<Item = (Option<u64>, Op)>,
    ) -> Vec<DraftWait> {
        let between = self.between(launches);
        let copies = self.calls.iter().filter(|(_, blocking, _)| *blocking == Blocking::Copy);
        let mut copies: BTreeMap<u64, Option<Op>> =
            copies.filter_map(|&(.., tie)| Some((tie?, None))).collect();
        let wanted = !copies.is_empty();
        for (correlation, op) in ops.take_while(|_| wanted) {
            if let Some(copy) = correlation.and_then(|tie| copies.get_mut(&tie)) {
                *copy = Some(op);
            }
        }
        let told = |(wait, blocking, tie): &(DraftWait, Blocking, Option<u64>)| {
            let sync = tie.and_then(|tie| self.syncs.get(&tie));
            let stream = sync.and_then(|sync| sync.stream);
            let awaits = match blocking {
                Blocking::Device => Awaited::Device,
                Blocking::Stream => {
                    stream.map_or(Awaited::Last, |stream| Awaited::Stream(stream, wait.begin))
                }
                Blocking::Event => {
                    let record = sync.and_then(|sync| self.records.get(&sync.record?));
                    let event = stream.zip(record);
                    event.map_or(Awaited::Unknown, |(stream, &at)| Awaited::Stream(stream, at))
                }
                Blocking::Copy => {
                    let copy = copies.get(&(*tie)?).copied().flatten()?;
                    wait.of_copy(&copy)?
                }
            };
            Some(DraftWait { awaits, ..*wait })
        };
        self.calls.iter().filter_map(told).chain(between).collect()
    }

    /// Returns the waits of streams for other streams. `launches` are the launches of the host as
    /// (thread, time in nanoseconds, stream).
    fn between(&self, launches: impl Iterator<Item = (u64, i64, u32)>) -> Vec<DraftWait> {
        let known = |tie: &Option<u64>| {
            tie.and_then(|tie| self.syncs.get(&tie)).is_some_and(|sync| sync.waiter.is_some())
        };
        let mut waits: Vec<DraftWait> =
            self.syncs.values().filter_map(|it| self.said(it)).collect();
        let guessed = self.told.iter().filter(|(.., tie)| !known(tie));
        let mut guessed: Vec<GuessedWait> =
            guessed.map(|&(begin, thread, _)| GuessedWait { thread, begin, next: None }).collect();
        guessed.sort_unstable_by_key(|wait| (wait.thread, wait.begin));
        let wanted = !guessed.is_empty();
        for (thread, at, stream) in launches.take_while(|_| wanted) {
            let behind = guessed.partition_point(|wait| (wait.thread, wait.begin) <= (thread, at));
            let last = behind.checked_sub(1).and_then(|last| guessed.get_mut(last));
            if let Some(wait) = last.filter(|wait| wait.thread == thread)
                && wait.next.is_none_or(|(first, _)| at <= first)
            {
                wait.next = Some((at, stream));
            }
        }
        // The launch behind the last of several waits in a row follows all of them.
        let mut next = None;
        for &GuessedWait { thread, begin, next: own } in guessed.iter().rev() {
            let same = next.filter(|&(by, _)| by == thread).map(|(_, launch)| launch);
            let launch = own.or(same);
            next = launch.map(|launch| (thread, launch));
            waits.extend(launch.map(|(_, stream)| {
                let (waiter, awaits) = (Waiter::Stream(stream), Awaited::Unknown);
                DraftWait { begin, end: begin, waiter, awaits }
            }));
        }
        waits
    }

    /// Returns the wait of a stream that a record of the trace describes; `None` where the record
    /// describes a wait of the host.
    fn said(&self, sync: &KinetoSync) -> Option<DraftWait> {
        let (waiter, begin) = sync.waiter?;
        let record = sync.record.and_then(|record| self.records.get(&record));
        let awaits = sync.stream.zip(record);
        let awaits = awaits.map_or(Awaited::Unknown, |(from, &at)| Awaited::Stream(from, at));
        Some(DraftWait { begin, end: begin, waiter: Waiter::Stream(waiter), awaits })
    }
}
