//! Which shape (grid and workgroup) and footprint has each kernel of a trace, and which kernels
//! have none?
//!
//! On NVIDIA each kernel's event gives shape and footprint. On AMD they come from several records:
//!
//! - The grid is counted in workgroups or in work-items, depending on the call that launched the
//!   kernel. Before 2024 only the call gives grid and workgroup.
//! - Where the file lacks that call, or a graph was launched, the grid has the unit that most other
//!   launches of the same kernel have (workgroups, if both units are equally frequent). Without
//!   other launches it is in work-items for kernels of Tensile and MIOpen, else in workgroups.
//! - A kernel without a grid (launched before the recording, or by a graph) gets the shape of its
//!   launch in a capture, if the caller gave captures of graphs ([`GraphCaptures`]). Else it gets
//!   the shape and the shared memory that most other launches of the kernel have, of equally
//!   frequent ones those that came first in the file. Without other launches it stays opaque.
//! - The shared memory is what the launch call asks for dynamically. No such file gives the static
//!   shared memory or the registers.

use std::collections::BTreeMap;

use super::super::calls::count_before;
use super::batch::BatchRanges;
use super::collect::{AskedLaunch, KinetoCall, KinetoOp};
use super::shape::{GridUnit, KernelExtents};
use crate::captures::{AlikeLaunches, Found, GraphCaptures, KernelShape, Launched};
use crate::config::BarrierRule;
use crate::profile::OpKind;
use crate::provenance::{Field, Origin};
use crate::report::{ImportReport, Quirk};

/// Prefixes of the names of kernels of Tensile and MIOpen, which are launched with grids in
/// work-items.
const IN_WORK_ITEMS: [&str; 14] = [
    "Cijk_",
    "igemm_",
    "batched_transpose_",
    "transpose_NCHW2CNHW",
    "transpose_CNHW2NCHW",
    "SubTensorOp",
    "OpTensor",
    "Op1dTensor",
    "Op2dTensor",
    "Op3dTensor",
    "miopen",
    "MIOpen",
    "gcnAsm",
    "naive_conv_",
];

/// Data from which the kernels of a trace get their shapes (grid and workgroup), and the import
/// report in which kernels without a shape are counted.
pub(super) struct Settler<'a> {
    /// Launch calls, sorted by correlation number, which a call shares with the op that it
    /// launched.
    pub(super) calls: &'a [KinetoCall],
    /// Descriptions of the launches that calls asked for; [`KinetoCall::asked`] is an index in this
    /// list.
    pub(super) asked: &'a [AskedLaunch],
    pub(super) extents: &'a [KernelExtents],
    pub(super) names: &'a [String],
    pub(super) barriers: BarrierRule,
    /// (known shapes of kernels in captured graphs, ranges of the host's time that tell the batch
    /// size of a graph launch); `None` where the caller gave no captures.
    pub(super) captures: Option<(&'a GraphCaptures, &'a BatchRanges)>,
    pub(super) report: &'a mut ImportReport,
}

/// Launches of one kernel whose shape (grid and workgroup) is known: how many give their grid in
/// workgroups, how many in work-items, and the shapes. The most frequent shape is given to the
/// kernel's launches without one.
#[derive(Default)]
struct SettledLaunches {
    in_workgroups: u64,
    in_work_items: u64,
    alike: AlikeLaunches,
}

impl Settler<'_> {
    /// Sets the shape (grid and workgroup) of each kernel of a trace; `amd` is true where the
    /// kernels ran on an AMD GPU, false for NVIDIA.
    pub(super) fn all(&mut self, ops: &mut [KinetoOp], amd: bool) {
        match amd {
            true => self.amd(ops),
            false => self.nvidia(ops),
        }
    }

    /// Sets the shapes (grid and workgroup) of kernels that ran on a GPU of NVIDIA: from their own
    /// events, or else from captures of graphs.
    fn nvidia(&mut self, ops: &mut [KinetoOp]) {
        let mut without_grid = Vec::new();
        for (at, work) in kernels(ops) {
            let extents = self.of(work.extents());
            let Some(shape) = extents.and_then(|it| it.shape(GridUnit::Workgroups)) else {
                extents.into_iter().for_each(|it| self.report.note(it.fault()));
                without_grid.push(at);
                continue;
            };
            let known = work.op.provenance.of(Field::SharedMemory) != Origin::Assumed;
            let lds = known.then_some(work.op.footprint.lds_bytes);
            work.op.footprint.barrier = self.barriers.barrier(lds);
            self.report.add(Quirk::NoSharedMemory, u64::from(!known));
            settle(work, shape, Origin::Measured);
        }
        self.by_captures(ops, without_grid);
    }

    /// Sets the shapes (grid and workgroup) of kernels that ran on an AMD GPU, where an event alone
    /// does not give them.
    fn amd(&mut self, ops: &mut [KinetoOp]) {
        let mut others: BTreeMap<u32, SettledLaunches> = BTreeMap::new();
        let (mut without_unit, mut without_grid) = (Vec::new(), Vec::new());
        let mut near = 0;
        for (at, work) in kernels(ops) {
            let call = call_of(work.correlation(), self.calls, &mut near);
            let asked = call.and_then(|call| self.asked.get(call.asked as usize)).copied();
            let unit = asked.and_then(|asked| asked.api.unit());
            let extents = self.of(work.extents()).or_else(|| asked?.extents);
            let (Some(extents), Some(unit)) = (extents, unit) else {
                let rest = if extents.is_some() { &mut without_unit } else { &mut without_grid };
                rest.push(at);
                continue;
            };
            let others = others.entry(work.op.kernel).or_default();
            match unit {
                GridUnit::Workgroups => others.in_workgroups += 1,
                GridUnit::WorkItems => others.in_work_items += 1,
            }
            let lds = asked.and_then(|asked| asked.lds_bytes);
            let Some(shape) = extents.shape_of_hip(unit) else {
                self.report.note(extents.fault());
                continue;
            };
            others.alike.add(at, (shape, lds));
            self.settle_from_elsewhere(work, (shape, lds), Origin::Joined);
        }
        self.by_unit_of_others(ops, &without_unit, &mut others);
        let without_grid = self.by_captures(ops, without_grid);
        self.by_shape_of_others(ops, &without_grid, &others);
    }

    /// Sets the shapes (grid and workgroup) of the kernels at the positions `these`, of which the
    /// grid is known, but not whether it counts workgroups or work-items. The unit is that of most
    /// other launches of the kernel, or else follows from its name. `others` has the other launches
    /// by kernel, and gets the new shapes too.
    fn by_unit_of_others(
        &mut self,
        ops: &mut [KinetoOp],
        these: &[usize],
        others: &mut BTreeMap<u32, SettledLaunches>,
    ) {
        for &at in these {
            let work = &mut ops[at];
            let Some(extents) = self.of(work.extents()) else {
                continue;
            };
            let others = others.entry(work.op.kernel).or_default();
            let unit = match others.in_workgroups.cmp(&others.in_work_items) {
                std::cmp::Ordering::Less => GridUnit::WorkItems,
                std::cmp::Ordering::Equal if others.in_workgroups == 0 => {
                    unit_by_name(self.names.get(work.op.kernel as usize))
                }
                _ => GridUnit::Workgroups,
            };
            let Some(shape) = extents.shape_of_hip(unit) else {
                self.report.note(extents.fault());
                continue;
            };
            others.alike.add(at, (shape, None));
            self.report.note(Quirk::GridUnitAssumed);
            self.settle_from_elsewhere(work, (shape, None), Origin::Assumed);
        }
    }

    /// Sets the shapes (grid and workgroup) of kernels without a grid, at the positions `these`,
    /// from the captures of graphs that the caller gave. Returns the positions of the kernels that
    /// still have no shape.
    fn by_captures(&mut self, ops: &mut [KinetoOp], these: Vec<usize>) -> Vec<usize> {
        let Some((captures, ranges)) = self.captures else { return these };
        let mut graphs: BTreeMap<Option<u64>, Vec<usize>> = BTreeMap::new();
        for at in these {
            graphs.entry(ops[at].correlation()).or_default().push(at);
        }
        let mut left = Vec::new();
        for (correlation, mut graph) in graphs {
            graph.sort_by_key(|&at| (ops[at].op.start_ns, at));
            let batch =
                call_of(correlation, self.calls, &mut 0).and_then(|call| ranges.at(call.start));
            let all = self.names;
            let names = graph.iter().map(|&at| &*all[ops[at].op.kernel as usize]);
            let names: Vec<&str> = names.collect();
            for (at, found) in graph.iter().copied().zip(captures.shapes(&names, batch)) {
                let Some((launched, how)) = found else {
                    left.push(at);
                    continue;
                };
                let work = &mut ops[at];
                self.report.captured(how == Found::InOrder, work.op.duration_ns);
                let origin = match how {
                    Found::InOrder => Origin::Joined,
                    Found::ByName => Origin::Assumed,
                };
                self.settle_from_elsewhere(work, launched, origin);
            }
        }
        left
    }

    /// Sets the shapes (grid and workgroup) of kernels without a grid, at the positions `these`, to
    /// the shape that most other launches of the same kernel have, which `others` has by kernel.
    fn by_shape_of_others(
        &mut self,
        ops: &mut [KinetoOp],
        these: &[usize],
        others: &BTreeMap<u32, SettledLaunches>,
    ) {
        for &at in these {
            let work = &mut ops[at];
            let commonest = others.get(&work.op.kernel).and_then(|it| it.alike.commonest());
            if let Some(launched) = commonest {
                self.report.note(Quirk::ShapeOfOthers);
                self.settle_from_elsewhere(work, launched, Origin::Assumed);
            }
        }
    }

    /// Sets the shape (grid and workgroup) of a kernel whose own event does not give all of it.
    /// Also sets the shared memory of its workgroups to `lds`, in bytes and `None` if unknown,
    /// unless the event gives that. `origin` tells where both values come from.
    fn settle_from_elsewhere(
        &mut self,
        work: &mut KinetoOp,
        (shape, lds): Launched,
        origin: Origin,
    ) {
        // If an event gives the shared memory itself, that is all of it.
        if work.op.provenance.of(Field::SharedMemory) == Origin::Assumed {
            let origin = if lds.is_some() { origin } else { Origin::Assumed };
            let quirk = if lds.is_some() { Quirk::DynamicLdsOnly } else { Quirk::NoSharedMemory };
            work.op.provenance = work.op.provenance.with(Field::SharedMemory, origin);
            work.op.footprint.lds_bytes = lds.unwrap_or(0);
            self.report.note(quirk);
        }
        // A kernel that asks for no dynamic shared memory may still have static, so 0 counts as
        // unknown.
        let lds = Some(work.op.footprint.lds_bytes).filter(|&bytes| bytes > 0);
        work.op.footprint.barrier = self.barriers.barrier(lds);
        self.report.add(Quirk::UnevenGrid, u64::from(shape.uneven));
        settle(work, shape, origin);
    }

    fn of(&self, extents: Option<u32>) -> Option<KernelExtents> {
        self.extents.get(extents? as usize).copied()
    }
}

fn settle(work: &mut KinetoOp, shape: KernelShape, origin: Origin) {
    let op = &mut work.op;
    op.grid = shape.grid;
    op.workgroups = shape.workgroups;
    op.footprint.threads = shape.threads;
    op.provenance = op.provenance.with(Field::Shape, origin);
}

fn kernels(ops: &mut [KinetoOp]) -> impl Iterator<Item = (usize, &mut KinetoOp)> {
    ops.iter_mut().enumerate().filter(|(_, work)| work.op.kind == OpKind::Kernel)
}

/// Finds the launch call with the correlation number `correlation`; `None` where there is none. The
/// search begins at the index `near`, where the previous search ended, and stores there where it
/// ends itself.
pub(in crate::import) fn call_of<'c>(
    correlation: Option<u64>,
    calls: &'c [KinetoCall],
    near: &mut usize,
) -> Option<&'c KinetoCall> {
    let correlation = correlation?;
    *near = count_before(calls, *near, |call| call.correlation < correlation);
    calls.get(*near).filter(|call| call.correlation == correlation)
}

fn unit_by_name(name: Option<&String>) -> GridUnit {
    let work_items = name.is_some_and(|name| IN_WORK_ITEMS.iter().any(|p| name.starts_with(p)));
    if work_items { GridUnit::WorkItems } else { GridUnit::Workgroups }
}
