//! Which ops of a trace are kept, and which facts of their launch calls are joined to them?

use std::collections::BTreeSet;

use super::collect::{AskedLaunch, KinetoCall, KinetoCollector, KinetoLane, KinetoOp, TraceMaker};
use super::device;
use super::event::Api;
use super::settle::{Settler, call_of};
use crate::assemble::waits::DraftWait;
use crate::assemble::{Draft, sort_in_place};
use crate::config::ImportConfig;
use crate::error::TraceError;
use crate::import::calls::sort_calls;
use crate::import::devices::Devices;
use crate::profile::{Op, OpKind, SourceDevice};
use crate::provenance::Origin;
use crate::report::{ImportReport, Quirk};
use crate::work::DraftWorks;

impl KinetoCollector {
    /// Builds the profile's records from the ops of one device, with the grid, workgroup and issue
    /// time of each kernel; `None` where no kernel can be used. Kernels that cannot be used are
    /// left out.
    ///
    /// # Errors
    /// When no kernel ran on the wanted device.
    pub(in crate::import) fn draft(
        &mut self,
        file: &str,
        options: &ImportConfig,
    ) -> Result<Option<Draft>, TraceError> {
        let amd = self.is_amd();
        if self.maker != TraceMaker::Kineto {
            // Lanes and tables are no sequence: in which order work comes is nothing to report.
            sort_in_place(&mut self.ops, |work| work.op.start_ns);
        }
        let names = core::mem::take(&mut self.names).into_items();
        let extents = core::mem::take(&mut self.extents).into_items();
        let asked = core::mem::take(&mut self.asked).into_items();
        sort_calls(&mut self.calls, |call| call.correlation, &mut self.report);
        let mut ranges = core::mem::take(&mut self.ranges);
        ranges.sort();
        let mut settler = Settler {
            calls: &self.calls,
            asked: &asked,
            extents: &extents,
            names: &names,
            barriers: options.barriers,
            captures: options.captures.as_deref().map(|captures| (captures, &ranges)),
            report: &mut self.report,
        };
        settler.all(&mut self.ops, amd);
        let lanes = self.lanes();
        let threads = core::mem::take(&mut self.threads).into_items();
        let waits = self.host_waits(&lanes, &threads);
        let devices = self.devices_of_kernels(&lanes);
        if devices.is_empty() {
            return Ok(None);
        }
        let device = devices.choose(file, options.device)?;
        let mut report = self.report;
        let mut source = source_device(core::mem::take(&mut self.devices), device, &mut report);
        if let Some(source) = source.as_mut().filter(|_| amd) {
            source.arch = device::arch(&names);
        }
        let is_on = |work: &KinetoOp| lanes[work.op.stream as usize].device == device;
        let works = self.works(&threads, is_on);
        let (all, mut near) = (self.ops.len(), 0);
        let found = core::mem::take(&mut self.ops).into_iter();
        // Collecting from `into_iter` reuses the memory of the list that was read, the largest of
        // an import.
        let ops: Vec<Op> = found
            .filter(is_on)
            .map(|work| {
                let lane = lanes[work.op.stream as usize];
                report.add(Quirk::QueueLanes, u64::from(amd && lane.on_queue));
                let op = join(work, (&self.calls, &mut near), &asked, &mut report);
                Op { stream: lane.stream, ..op }
            })
            .collect();
        report.add(Quirk::OtherDevice, (all - ops.len()) as u64);
        Ok(Some(Draft {
            ops,
            kernels: names,
            streams: core::mem::take(&mut self.streams).into_items(),
            device: source,
            between_ns: None,
            memory_bytes: self.memory.on(device),
            resolution_ns: if self.fine { 1 } else { 1000 },
            waits,
            works,
            report,
        }))
    }

    /// Returns the works (bytes and arithmetic) of the ops for which `is_on` is true, where the
    /// PyTorch ops that launched them determine these.
    fn works(&mut self, threads: &[u64], is_on: impl Fn(&KinetoOp) -> bool) -> DraftWorks {
        let mut near = 0;
        let launches = (0..).zip(&self.ops).filter_map(|(at, work)| {
            let call = call_of(work.correlation(), &self.calls, &mut near)?;
            let is_kernel = work.op.kind == OpKind::Kernel;
            is_kernel.then(|| (threads[call.thread as usize], call.start, at))
        });
        let host_ops = core::mem::take(&mut self.host_ops);
        let mut works = host_ops.launched(self.ops.len(), launches);
        let mut on_device = self.ops.iter().map(is_on);
        works.retain(|| on_device.next().unwrap_or(false));
        works
    }

    fn devices_of_kernels(&self, lanes: &[KinetoLane]) -> Devices<Option<u64>> {
        let mut devices = Devices::new();
        for work in self.ops.iter().filter(|work| work.op.kind == OpKind::Kernel) {
            let device = lanes[work.op.stream as usize].device;
            devices.kernel(&device, device);
        }
        devices
    }

    /// Takes the list of lanes (each a stream of one device) out of the reader, after setting the
    /// number of each lane's GPU.
    fn lanes(&mut self) -> Vec<KinetoLane> {
        let mut lanes = core::mem::take(&mut self.lanes).into_items();
        for lane in &mut lanes {
            let gpu = lane.device.and_then(|process| self.gpus.get(&process));
            lane.device = gpu.copied().or(lane.device);
        }
        if self.maker == TraceMaker::RocprofV1 {
            // Copies name no device there; with one device they are its own.
            let devices: BTreeSet<u64> = lanes.iter().filter_map(|lane| lane.device).collect();
            let only = devices.first().copied().filter(|_| devices.len() == 1);
            lanes.iter_mut().for_each(|lane| lane.device = lane.device.or(only));
        }
        lanes
    }

    /// Returns the waits of the host for work of the device, and those of streams that the host
    /// told to wait for an event.
    fn host_waits(&mut self, lanes: &[KinetoLane], threads: &[u64]) -> Vec<DraftWait> {
        let stream = |op: &Op| lanes[op.stream as usize].stream;
        let ops = self
            .ops
            .iter()
            .map(|work| (work.correlation(), Op { stream: stream(&work.op), ..work.op }));
        let mut near = 0;
        let launches = self.ops.iter().filter_map(|work| {
            let call = call_of(work.correlation(), &self.calls, &mut near)?;
            Some((threads[call.thread as usize], call.start, stream(&work.op)))
        });
        core::mem::take(&mut self.waits).draft(launches, ops)
    }
}

fn join(
    work: KinetoOp,
    (calls, near): (&[KinetoCall], &mut usize),
    asked: &[AskedLaunch],
    report: &mut ImportReport,
) -> Op {
    let mut op = Op { arrival_ns: 0, after: None, ..work.op };
    if let Some(call) = call_of(work.correlation(), calls, near) {
        op.set_arrival(call.start, Origin::Joined);
        let graph = asked.get(call.asked as usize).is_some_and(|asked| asked.api == Api::Graph);
        report.add(Quirk::GraphLaunch, u64::from(graph));
    }
    op
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
