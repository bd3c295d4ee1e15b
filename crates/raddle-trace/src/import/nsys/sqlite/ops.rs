//! What does a piece of work, or a call, say in the tables, before anything is joined?

use super::device::Gpu;
use crate::import::nsys::work::KernelNotes;
use crate::profile::Op;

/// A process, as the upper bits of the numbers that the tables have for it and for its threads:
/// the thread takes the lowest 24, the process the next 24; machine and hypervisor the rest.
pub(super) type NsysProcess = u64;

/// Returns the process of a global number: the number of a thread takes the lowest bits of it, that
/// of the process the next.
pub(super) fn process(global: Option<i64>) -> NsysProcess {
    global.map_or(0, |id| id.cast_unsigned() >> 24)
}

/// Returns the operating system's number of a process.
pub(super) fn pid(process: NsysProcess) -> u64 {
    process & 0xff_ffff
}

/// The place where a name is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NsysName {
    /// Numbers of strings, the best first.
    Kernel([Option<i64>; 3]),
    /// The direction of a copy.
    Copy(Option<i64>),
    Set,
    /// A graph by its number.
    Graph(i64),
}

/// A lane of in-order work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NsysLane {
    pub(super) process: NsysProcess,
    pub(super) context: Option<u64>,
    /// The green context; 0 for none.
    pub(super) green: i64,
    pub(super) stream: i64,
}

/// An op of some device, before its arrival is known; its stream is a position among the lanes.
///
/// There may be millions of ops, so the correlation and the use of the device are kept in fields of
/// `Op` that are still unused: `arrival_ns` and `after`.
#[derive(Clone, Copy, Debug)]
pub(super) struct NsysOp {
    pub(super) op: Op,
}

impl NsysOp {
    /// Stores an op with its correlation, and its use of the device as a position among the uses.
    pub(super) fn new(op: Op, correlation: i64, used: u32) -> Self {
        let arrival_ns = correlation.cast_unsigned();
        Self { op: Op { arrival_ns, after: Some(used), ..op } }
    }

    /// Returns the number that the op shares with its call; 0 for none.
    pub(super) fn correlation(&self) -> i64 {
        self.op.arrival_ns.cast_signed()
    }

    /// Returns how the op used its device.
    pub(super) fn used(&self, uses: &[NsysUse]) -> NsysUse {
        uses[self.op.after.unwrap_or(0) as usize]
    }

    /// Returns the op without its correlation and its use.
    pub(super) fn untied(&self) -> Op {
        Op { arrival_ns: 0, after: None, ..self.op }
    }
}

/// The way in which ops used a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NsysUse {
    pub(super) gpu: Gpu,
    /// CUDA's number of the device.
    pub(super) device: Option<u64>,
    /// True if the ops are parts of a graph.
    pub(super) node: bool,
    pub(super) notes: KernelNotes,
}

/// A call of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CudaCall {
    pub(super) process: NsysProcess,
    pub(super) correlation: i64,
    pub(super) start: i64,
}
