//! Which of the work in a trace is kept, and with what joined to it?

use std::collections::{BTreeMap, BTreeSet};

use super::collect::{Call, Collector, Found};
use super::device;
use super::event::Api;
use super::settle::{Settler, call_of};
use crate::assemble::{Draft, DraftOp};
use crate::claims::{Claims, OccupancyObject};
use crate::error::TraceError;
use crate::options::BarrierRule;
use crate::profile::{OpKind, SourceDevice, StreamLabel};
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};

/// Everything that was found and can be used, each kernel with its shape.
#[derive(Debug)]
pub(super) struct Work {
    /// The ops of all devices, in the order of the file.
    pub(super) ops: Vec<Found>,
    /// Whether the GPU is AMD's.
    pub(super) amd: bool,
    /// Kernel events, also those left out.
    pub(super) kernels_seen: u64,
    /// Categories seen before the first kernel.
    pub(super) categories: BTreeSet<String>,
    pub(super) report: ImportReport,
    calls: Vec<Call>,
    names: Vec<String>,
    streams: Vec<StreamLabel>,
    objects: Vec<OccupancyObject>,
    devices: Vec<(Option<u64>, SourceDevice)>,
    fine: bool,
}

impl Work {
    /// Settles what was collected and leaves out what cannot be settled.
    pub(super) fn of(found: Collector, barriers: BarrierRule) -> Self {
        let amd = found.is_amd();
        let Collector { mut ops, mut calls, names, extents, mut report, .. } = found;
        let names = names.into_items();
        sort_calls(&mut calls, &mut report);
        let extents = extents.into_items();
        let mut settler = Settler {
            calls: &calls,
            extents: &extents,
            names: &names,
            barriers,
            report: &mut report,
        };
        if amd {
            settler.amd(&mut ops);
        } else {
            settler.nvidia(&mut ops);
        }
        ops.retain(|op| op.settled);
        Self {
            ops,
            amd,
            kernels_seen: found.kernels_seen,
            categories: found.categories,
            report,
            calls,
            names,
            streams: found.streams.into_items(),
            objects: found.objects.into_items(),
            devices: found.devices,
            fine: found.fine,
        }
    }

    /// The work of one device, with arrivals joined, and what the file claims of it.
    pub(super) fn of_device(self, device: Option<u64>) -> (Draft, Claims) {
        let Self { ops, calls, names, mut report, .. } = self;
        let mut source = source_device(self.devices, device, &mut report);
        if let Some(source) = source.as_mut().filter(|_| self.amd) {
            source.arch = device::arch(&names);
        }
        let all = ops.len();
        let mut claims = Claims::over(self.objects);
        let kept = ops.into_iter().filter(|op| op.device == device);
        let ops: Vec<DraftOp> = (0..)
            .zip(kept)
            .map(|(at, op)| {
                claims.push(at, op.percent, op.object);
                report.add(Quirk::QueueLanes, u64::from(self.amd && op.on_queue));
                join(&op, &calls, &mut report)
            })
            .collect();
        report.add(Quirk::OtherDevice, (all - ops.len()) as u64);
        let draft = Draft {
            ops,
            kernels: names,
            streams: self.streams,
            device: source,
            resolution_ns: if self.fine { 1 } else { 1000 },
            report,
        };
        (draft, claims)
    }
}

/// The device whose work is kept: the one asked for, or the one with the most kernels.
pub(super) fn choose_device(
    file: &str,
    ops: &[Found],
    wanted: Option<u32>,
) -> Result<Option<u64>, TraceError> {
    let mut kernels_of: BTreeMap<Option<u64>, u64> = BTreeMap::new();
    for op in ops.iter().filter(|op| op.draft.kind == OpKind::Kernel) {
        *kernels_of.entry(op.device).or_default() += 1;
    }
    let most = kernels_of.iter().max_by_key(|&(&id, &n)| (n, std::cmp::Reverse(id)));
    let Some(wanted) = wanted else {
        return Ok(most.and_then(|(&id, _)| id));
    };
    let id = Some(u64::from(wanted));
    if kernels_of.contains_key(&id) {
        return Ok(id);
    }
    let seen: Vec<_> = kernels_of
        .keys()
        .map(|id| id.map_or("an unnamed device".to_owned(), |id| format!("device {id}")))
        .collect();
    let (file, seen) = (file.to_owned(), seen.join(", "));
    Err(TraceError::NoSuchDevice { file, wanted, seen })
}

/// Orders launch calls by correlation, the earliest of equal ones alone.
fn sort_calls(calls: &mut Vec<Call>, report: &mut ImportReport) {
    let all = calls.len();
    calls.sort_unstable_by_key(|call| (call.correlation, call.start, call.api, call.extents));
    calls.dedup_by_key(|call| call.correlation);
    report.add(Quirk::RepeatedCorrelation, (all - calls.len()) as u64);
}

fn join(op: &Found, calls: &[Call], report: &mut ImportReport) -> DraftOp {
    let mut draft = op.draft;
    if let Some(call) = call_of(op.correlation, calls) {
        draft.arrival = Some(call.start);
        draft.provenance = draft.provenance.with(Field::Arrival, Origin::Joined);
        report.add(Quirk::GraphLaunch, u64::from(call.api == Api::Graph));
    }
    draft
}

fn source_device(
    devices: Vec<(Option<u64>, SourceDevice)>,
    id: Option<u64>,
    report: &mut ImportReport,
) -> Option<SourceDevice> {
    if devices.is_empty() {
        report.note(Quirk::NoDevice);
        return None;
    }
    let at = devices.iter().position(|(number, _)| number.is_some() && *number == id);
    if at.is_none() {
        report.note(Quirk::DeviceNotListed);
    }
    devices.into_iter().nth(at.unwrap_or(0)).map(|(_, device)| device)
}
