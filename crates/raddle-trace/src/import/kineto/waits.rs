//! In which calls did the host wait, and for what?
//!
//! A call says no more than its name and time; an event of the category `cuda_sync` with the same
//! correlation says for which stream, or for which record of an event.

use std::collections::BTreeMap;

use super::event::{KinetoEvent, tie, times};
use crate::assemble::Interner;
use crate::assemble::waits::{Awaited, DraftWait};
use crate::decimal::{natural, unquote};
use crate::import::blocking::Blocking;
use crate::profile::{Op, StreamLabel};

/// What calls waited for.
#[derive(Debug, Default)]
pub(in crate::import) struct KinetoWaits {
    calls: Vec<(DraftWait, Blocking, Option<u64>)>,
    syncs: BTreeMap<u64, KinetoSync>,
    /// When events were recorded, by the correlation of the call.
    records: BTreeMap<u64, i64>,
}

/// What is said of one call.
#[derive(Debug)]
struct KinetoSync {
    stream: Option<u32>,
    /// The call that recorded the event.
    record: Option<u64>,
}

impl KinetoWaits {
    pub(super) fn len(&self) -> usize {
        self.calls.len().max(self.syncs.len()).max(self.records.len())
    }

    /// Takes a call, if it may have waited or recorded an event.
    pub(super) fn call(&mut self, event: &KinetoEvent<'_>, name: &str) {
        let blocking = Blocking::of(name);
        let records = name.contains("EventRecord");
        if blocking.is_none() && !records {
            return;
        }
        let Some((start, lasts)) = times(event) else { return };
        let [correlation] = event.args(&["correlation"]);
        let correlation = tie(correlation);
        if let Some(blocking) = blocking {
            let span = (start.nanos, start.nanos.saturating_add(lasts.nanos));
            self.add(blocking, span, correlation);
        } else if let Some(correlation) = correlation {
            self.records.insert(correlation, start.nanos);
        }
    }

    /// Takes a call that may have waited, with its correlation.
    pub(in crate::import) fn add(
        &mut self,
        blocking: Blocking,
        (begin, end): (i64, i64),
        correlation: Option<u64>,
    ) {
        let awaits = Awaited::Unknown;
        self.calls.push((DraftWait { begin, end, awaits }, blocking, correlation));
    }

    /// Takes what is said of a call; `None` where it does not say of which.
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
        let stream = waited.or(own).map(unquote);
        // -1 with and without a sign is none.
        let stream = stream.filter(|text| natural(text).is_some_and(|n| n < u64::from(u32::MAX)));
        let context = context.and_then(natural);
        let label = |text: &str| StreamLabel { label: text.to_owned(), context };
        let stream = stream.map(|text| streams.number(&label(text)));
        self.syncs.insert(tie(correlation)?, KinetoSync { stream, record: tie(record) });
        Some(())
    }

    /// The waits, once all ops are known.
    pub(super) fn draft<'o>(
        self,
        ops: impl Iterator<Item = (Option<u64>, &'o Op)>,
    ) -> Vec<DraftWait> {
        let copies = self.calls.iter().filter(|(_, blocking, _)| *blocking == Blocking::Copy);
        let mut copies: BTreeMap<u64, Option<&Op>> =
            copies.filter_map(|&(.., tie)| Some((tie?, None))).collect();
        for (correlation, op) in ops {
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
                    wait.of_copy(copy)?
                }
            };
            Some(DraftWait { awaits, ..*wait })
        };
        self.calls.iter().filter_map(told).collect()
    }
}
