//! Which work do events without a category describe, as other profilers than PyTorch's write them?
//!
//! XLA's profiler (JAX, TensorFlow) writes the grid, workgroup and footprint of a kernel in one
//! text; rocmProfileData writes only the kind of the work. A process in the trace stands for a
//! device, which its name tells.

use super::collect::{KinetoCollector, KinetoOp, LAUNCH_TABLE, TraceMaker};
use super::event::{Api, KinetoEvent, tie, times};
use super::shape::KernelExtents;
use crate::assemble::push;
use crate::decimal::{natural, unquote};
use crate::import::device_side::is_launch;
use crate::import::document::string;
use crate::profile::{Op, OpKind, StreamLabel};
use crate::report::Quirk;

/// (name of the trace's process that stands for an NPU of Huawei, description of such a file for an
/// error message).
const ASCEND: (&str, &str) =
    ("Ascend Hardware", "a trace of an Ascend NPU of Huawei, which is no GPU");

/// Largest number of processes of a trace whose names are stored, as each may stand for a device.
const NAME_LIMIT: usize = 1 << 12;

/// An op of the device, read from an event of a tool that gives its events no categories.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) struct PlainWork<'a> {
    pub(in crate::import) kind: OpKind,
    pub(in crate::import) name: &'a str,
    /// (start, duration) of the op, in nanoseconds.
    pub(in crate::import) span: (i64, u64),
    pub(in crate::import) device: Option<u64>,
    pub(in crate::import) stream: &'a str,
    pub(in crate::import) correlation: Option<u64>,
    /// Text in which XLA describes the grid, workgroup and footprint of a kernel; `None` where the
    /// event has none.
    pub(in crate::import) details: Option<&'a str>,
}

/// Grid, workgroup and footprint of a kernel in XLA's words:
/// `regs:32 static_shared:0 dynamic_shared:0 grid:4,1,1 block:32,1,1 occ_pct:50` on NVIDIA,
/// `grid:4,1,1 block:64,1,1 private_mem:0 group_mem:512 occ_pct:0` on AMD.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct XlaKernel {
    grid: Option<[u32; 3]>,
    block: Option<[u32; 3]>,
    registers: Option<u32>,
    lds_bytes: Option<u32>,
}

impl XlaKernel {
    fn of(details: &str) -> Self {
        let mut kernel = Self::default();
        for (word, value) in details.split_ascii_whitespace().filter_map(|w| w.split_once(':')) {
            let number = || value.parse().ok();
            match word {
                "grid" => kernel.grid = three(value),
                "block" => kernel.block = three(value),
                "regs" => kernel.registers = number(),
                "static_shared" | "dynamic_shared" | "group_mem" => {
                    let sum =
                        number().map(|n: u32| n.saturating_add(kernel.lds_bytes.unwrap_or(0)));
                    kernel.lds_bytes = sum.or(kernel.lds_bytes);
                }
                _ => {}
            }
        }
        kernel
    }
}

fn three(text: &str) -> Option<[u32; 3]> {
    let mut parts = text.split(',').map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

impl KinetoCollector {
    /// Reads an event without a category, as tools other than PyTorch write them; `None` where the
    /// event has no name, or is an op or a launch call without a time.
    pub(super) fn plain(&mut self, event: &KinetoEvent<'_>) -> Option<()> {
        let phase = event.ph.and_then(string).unwrap_or_default();
        if phase == "M" {
            self.process(event);
        }
        // If the trace names categories, its kernels are among the events that have one.
        if phase != "X" || self.maker == TraceMaker::Kineto && self.kernels_seen > 0 {
            return Some(());
        }
        let name = event.name.and_then(string)?;
        let [kernel, copy, set, correlation, desc] = event.args(&[
            "kernel_details",
            "memcpy_details",
            "memset_details",
            "correlation_id",
            "desc",
        ]);
        let correlation = tie(correlation);
        self.waits.call(event, &name);
        self.launches += u64::from(is_launch(&name));
        self.hip_calls |= name.starts_with("hip");
        match self.rocprof_v1(event, &name) {
            Some(true) => return Some(()),
            Some(false) => return None,
            None => {}
        }
        if let Some(api) = Api::of(&name) {
            let Some(correlation) = correlation else { return Some(()) };
            let (start, _) = times(event)?;
            self.launch(correlation, start.nanos, api);
            return Some(());
        }
        let kind = match (kernel, copy, set) {
            (Some(_), ..) => Some(OpKind::Kernel),
            (_, Some(_), _) => Some(OpKind::Copy),
            (.., Some(_)) => Some(OpKind::Set),
            _ => None,
        };
        let made = desc.and_then(string).and_then(|desc| work_of_rpd(&desc));
        let (Some(kind), device) = (kind.or(made), event.pid.and_then(natural)) else {
            return Some(());
        };
        self.maker = if made.is_some() { TraceMaker::Rpd } else { TraceMaker::Xla };
        self.kernels_seen += u64::from(kind == OpKind::Kernel);
        let (start, duration) = times(event)?;
        self.fine |= start.fine || duration.fine;
        let lane = event.tid.map_or("", unquote);
        let stream = if made.is_some() { format!("queue {lane}") } else { lane.to_owned() };
        let details = kernel.and_then(string);
        self.plain_work(PlainWork {
            kind,
            name: &name,
            span: (start.nanos, duration.nanos.unsigned_abs()),
            device,
            stream: &stream,
            correlation,
            details: details.as_deref(),
        });
        Some(())
    }

    /// Adds a kernel, copy or fill that a tool other than PyTorch recorded to the ops of the trace.
    pub(in crate::import) fn plain_work(&mut self, work: PlainWork<'_>) {
        let (start, duration) = work.span;
        let mut op = Op::at(work.kind, start, duration);
        let told = work.details.map(XlaKernel::of).unwrap_or_default();
        let mut extents = None;
        if work.kind == OpKind::Kernel {
            super::collect::set_footprint(&mut op, told.registers, told.lds_bytes);
            if let Some((mut grid, block)) = told.grid.zip(told.block) {
                // On AMD the grid is a quotient of work-items, rounded down; still at least one
                // workgroup ran.
                let rounded = grid.contains(&0) && !block.contains(&0);
                grid = if rounded { grid.map(|axis| axis.max(1)) } else { grid };
                self.report.add(Quirk::UnevenGrid, u64::from(rounded));
                extents = Some(self.extents.number(&KernelExtents { grid, block }));
            }
        }
        op.kernel = self.names.number(crate::import::rocprof::kernel_name(work.name));
        let label = StreamLabel { label: work.stream.to_owned(), context: None };
        op.stream = self.lane(&label, work.device, self.maker == TraceMaker::Rpd);
        push(&mut self.ops, KinetoOp::new(op, work.correlation, extents));
    }

    /// Stores the name of a process of the trace, if the process stands for a device.
    fn process(&mut self, event: &KinetoEvent<'_>) {
        let [name] = event.args(&["name"]);
        let named = event.name.and_then(string).is_some_and(|name| name == "process_name");
        let (Some(pid), Some(name)) = (event.pid.and_then(natural), name.and_then(string)) else {
            return;
        };
        if !named || self.gpus.len() + self.other_devices.len() >= NAME_LIMIT {
            return;
        }
        if name == ASCEND.0 {
            self.foreign = Some((ASCEND.1, LAUNCH_TABLE));
        } else if let Some(number) = gpu_of_plane(&name) {
            self.gpus.insert(pid, number);
        } else if name.starts_with("/device:") {
            self.other_devices.insert(name.chars().take(40).collect());
        }
    }
}

/// Returns the number of the GPU from the name that XLA gives its plane, such as `/device:GPU:0`;
/// `None` for any other name.
pub(in crate::import) fn gpu_of_plane(name: &str) -> Option<u64> {
    let rest = name.strip_prefix("/device:GPU:")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// Returns the kind of op (kernel, copy or fill) for a kind of work in rocmProfileData; `None`
/// where the kind is not one of these.
pub(in crate::import) fn work_of_rpd(kind: &str) -> Option<OpKind> {
    let word = kind.len() < 40 && kind.bytes().all(|b| b.is_ascii_alphanumeric());
    match kind {
        "KernelExecution" => Some(OpKind::Kernel),
        _ if word && kind.starts_with("Copy") => Some(OpKind::Copy),
        // Names that begin so are those of rocprofiler-sdk.
        _ if kind.starts_with("MEMORY_COPY_") => Some(OpKind::Copy),
        _ if word && kind.starts_with("Fill") => Some(OpKind::Set),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_both_makers() {
        let nvidia =
            "regs:32 static_shared:1024 dynamic_shared:16 grid:4,2,1 block:32,1,1 occ_pct:50";
        let (grid, block) = (Some([4, 2, 1]), Some([32, 1, 1]));
        let wanted = XlaKernel { grid, block, registers: Some(32), lds_bytes: Some(1040) };
        assert_eq!(XlaKernel::of(nvidia), wanted);
        let amd = " grid:4,2,1 block:32,1,1 private_mem:0 group_mem:512 occ_pct:0";
        let wanted = XlaKernel { registers: None, lds_bytes: Some(512), ..wanted };
        assert_eq!(XlaKernel::of(amd), wanted);
        for text in ["", "grid:1,1", "grid:-1,1,1", "grid", "grid:1,1,x block:", "regs:99999999999"]
        {
            assert_eq!(XlaKernel::of(text), XlaKernel::default(), "{text}");
        }
    }

    #[test]
    fn names_of_planes_and_kinds_of_work() {
        assert_eq!(gpu_of_plane("/device:GPU:13"), Some(13));
        assert_eq!(gpu_of_plane("/device:GPU:0 (extra)"), Some(0));
        for name in
            ["/device:TPU:0", "/device:GPU:", "/host:CPU", "/device:GPU:99999999999999999999"]
        {
            assert_eq!(gpu_of_plane(name), None, "{name}");
        }
        assert_eq!(work_of_rpd("CopyHostToDevice"), Some(OpKind::Copy));
        assert_eq!(work_of_rpd("FillBuffer"), Some(OpKind::Set));
        for kind in ["", "Barrier", "hipMalloc", "Copy of a text | with more"] {
            assert_eq!(work_of_rpd(kind), None, "{kind}");
        }
    }
}
