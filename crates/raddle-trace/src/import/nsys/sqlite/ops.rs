//! How is an op or a call, as the tables describe it, kept until ops and their launch calls are
//! joined?

use super::device::Gpu;
use crate::import::nsys::work::KernelNotes;
use crate::profile::Op;

/// Number of a process in the tables of an Nsight Systems export. Its lowest 24 bits are the
/// process number of the operating system; its other bits stand for the machine and the hypervisor.
/// The tables have it as part of a longer number, which ends in 24 bits for the thread.
pub(super) type NsysProcess = u64;

/// Returns the process in a number of the tables that stands for a process and a thread; 0 for
/// `None`.
pub(super) fn process(global: Option<i64>) -> NsysProcess {
    global.map_or(0, |id| id.cast_unsigned() >> 24)
}

/// Returns the number of the process in the operating system.
pub(super) fn pid(process: NsysProcess) -> u64 {
    process & 0xff_ffff
}

/// Reference by which the name of an op is looked up in the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NsysName {
    /// The name of a kernel: the numbers of up to three strings in the table of strings, the
    /// preferred one first; `None` for each that is missing.
    Kernel([Option<i64>; 3]),
    /// The direction of a copy, by its number in the tables; `None` where it is missing.
    Copy(Option<i64>),
    Set,
    /// Graph of kernels that was recorded as one op, by the number of the graph.
    Graph(i64),
}

/// A lane whose ops run in order: one stream of one CUDA context of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NsysLane {
    pub(super) process: NsysProcess,
    pub(super) context: Option<u64>,
    /// Number of the green context (a part of the device's compute units); 0 for none.
    pub(super) green: i64,
    pub(super) stream: i64,
}

/// An op (kernel, copy or fill) of some device, before the time of its issue is known. Its `stream`
/// is an index in the list of lanes (streams).
///
/// As there may be millions of ops, two fields of `Op` that are not needed yet hold other values:
/// `arrival_ns` the correlation number, `after` the index of the op's [`NsysUse`].
#[derive(Clone, Copy, Debug)]
pub(super) struct NsysOp {
    pub(super) op: Op,
}

impl NsysOp {
    /// Stores an op with its correlation number, which it shares with its launch call, and with
    /// `used`, the index of its [`NsysUse`].
    pub(super) fn new(op: Op, correlation: i64, used: u32) -> Self {
        let arrival_ns = correlation.cast_unsigned();
        Self { op: Op { arrival_ns, after: Some(used), ..op } }
    }

    /// Returns the correlation number that the op shares with its launch call; 0 for none.
    pub(super) fn correlation(&self) -> i64 {
        self.op.arrival_ns.cast_signed()
    }

    /// Returns the properties that the op shares with many others, such as its GPU, out of the list
    /// `uses`.
    pub(super) fn used(&self, uses: &[NsysUse]) -> NsysUse {
        uses[self.op.after.unwrap_or(0) as usize]
    }

    /// Returns the op without the two numbers that were kept in unused fields of it: the
    /// correlation number and the index of its [`NsysUse`]. Called once they are no longer needed.
    pub(super) fn untied(&self) -> Op {
        Op { arrival_ns: 0, after: None, ..self.op }
    }
}

/// Properties that many ops of an export share: their GPU, whether they are parts of a graph, and
/// faults of their records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NsysUse {
    pub(super) gpu: Gpu,
    /// CUDA's number of the device; `None` where the record has none.
    pub(super) device: Option<u64>,
    /// True if the ops are nodes of a graph that was launched as a whole.
    pub(super) node: bool,
    pub(super) notes: KernelNotes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CudaCall {
    pub(super) process: NsysProcess,
    pub(super) correlation: i64,
    pub(super) start: i64,
}
