//! What did the GPU do, in terms that every importer can provide?
//!
//! Times are nanoseconds since the earliest arrival or start in the profile; grids are in
//! workgroups; registers are 32-bit, per work-item; shared memory is in bytes per workgroup.

pub use raddle_device::SourceDevice;
use raddle_policy::{Activity, Barrier, Dim3, Footprint, Idempotence};

use crate::config::BarrierRule;
use crate::format::ProfileFormat;
use crate::provenance::{Field, Origin, Provenance};
use crate::report::ImportReport;
use crate::work::OpWork;

/// The work of one device in a profiler's file: kernels, copies and fills with their streams, times
/// and resources. A replay is built from it.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Name of the profile: the file's name without folders, and without endings that only say how
    /// it is stored, such as `.pt.trace.json.gz`.
    pub name: String,
    /// Format of the file that the profile came from.
    pub format: ProfileFormat,
    /// The device that the profile was recorded on; `None` where the file does not describe it.
    pub device: Option<SourceDevice>,
    /// Names of kernels, copies and fills; [`Op::kernel`] is an index in this list.
    pub kernels: Vec<String>,
    /// Streams of the device, in order of first use; the ops of a stream run in order.
    /// [`Op::stream`] is an index in this list.
    pub streams: Vec<StreamLabel>,
    /// Ops of the device, sorted by start time, then in the order of the file.
    pub ops: Vec<Op>,
    /// Time from time 0 of the profile to the end of its last op, in nanoseconds.
    pub span_ns: u64,
    /// Precision of the profile's time stamps, in nanoseconds: times that differ by no more than
    /// this may be equal.
    pub resolution_ns: u64,
    /// Time that the host takes between two repetitions of the profile's work, in nanoseconds: the
    /// median over the repetitions in the profile, or the value in a launch table; `None` if
    /// unknown.
    pub between_ns: Option<u64>,
    /// Largest amount of device memory that the recorded program held at once, in bytes: what
    /// PyTorch's allocator reserved, or the allocations that Nsight Systems saw. Memory of contexts
    /// and libraries is not included; `None` where the file does not give it.
    pub memory_bytes: Option<u64>,
    /// Calls in which the host waited for the device, sorted by their ends; empty where the file
    /// has no such calls.
    pub host_waits: Vec<HostWait>,
    /// Waits of ops for an op of another stream, sorted by the waiting op; empty where the file has
    /// no waits between streams.
    pub stream_waits: Vec<StreamWait>,
    /// Numbers of bytes moved and arithmetic operations done, for the kernels of which the shapes
    /// of tensors are known, sorted by op. Empty unless
    /// [`ImportConfig::op_shapes`](crate::ImportConfig::op_shapes) was set.
    pub works: Vec<OpWork>,
    /// Kernels that end together with their peers (the same kernel on other devices), sorted by
    /// index in `ops`; empty unless [`CommRule::Peers`](crate::CommRule::Peers) was applied.
    pub collectives: Vec<Collective>,
    /// Warnings and errors that Nsight Systems wrote about its own recording, those about the GPU
    /// first; paths are removed.
    pub diagnostics: Vec<String>,
    /// Counts of the records that were read, and of those that were corrected, left out or
    /// completed by assumptions.
    pub report: ImportReport,
}

/// A call in which the host waited for work of the device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HostWait {
    /// Time at which the host began the call, in nanoseconds since time 0 of the profile.
    pub begin_ns: u64,
    /// Time at which the call returned, in nanoseconds since time 0 of the profile.
    pub end_ns: u64,
    /// Last op of each stream that the call waited for, as indices in [`Profile::ops`]; `None` if
    /// unknown.
    pub ops: Option<Vec<u32>>,
}

/// A wait of an op of one stream for an op of another stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamWait {
    /// Op that waits, as an index in [`Profile::ops`].
    pub op: u32,
    /// Op that is waited for, as an index in [`Profile::ops`]: it comes before `op`, was issued no
    /// later, and had ended when `op` started.
    pub source: u32,
    /// True if the file says only that the stream waited, but not for which op; `source` is then
    /// the op of another stream that had ended last.
    pub inferred: bool,
}

/// A kernel that waits for its peers, the same kernel on other devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Collective {
    /// Index of the kernel in [`Profile::ops`].
    pub op: u32,
    /// Time that the kernel takes when it waits for no peer, in nanoseconds.
    pub work_ns: u64,
}

impl Profile {
    /// Returns the time in nanoseconds for which the op with the index `position` in
    /// [`Profile::ops`] did its own work: its duration, without the time in which the op in
    /// [`Op::after`] had not ended yet. 0 for an index out of range.
    #[must_use]
    pub fn own_ns(&self, position: usize) -> u64 {
        let Some(op) = self.ops.get(position) else { return 0 };
        let before = op.after.and_then(|before| self.ops.get(before as usize));
        let overlap = before.map_or(0, |before| before.end_ns().saturating_sub(op.start_ns));
        // An overlap within a step of the clock may be none, so it does not count.
        let waited = if overlap > self.resolution_ns { overlap } else { 0 };
        op.duration_ns.saturating_sub(waited)
    }

    /// Returns the fraction, 0 to 1, of the host's waiting time that belongs to calls with known
    /// [`HostWait::ops`]; `None` where the profile has no waits of the host.
    #[must_use]
    pub fn known_waits(&self) -> Option<f64> {
        // The least time of a call is 1 ns, so that one that returned within the clock's step
        // counts too.
        let ns = |wait: &HostWait| u128::from(wait.end_ns.saturating_sub(wait.begin_ns).max(1));
        let all: u128 = self.host_waits.iter().map(ns).sum();
        let known = self.host_waits.iter().filter(|wait| wait.ops.is_some());
        let known: u128 = known.map(ns).sum();
        (all > 0).then(|| known as f64 / all as f64)
    }
}

/// Label of a stream (whose ops run in order) in the profiler's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamLabel {
    /// Number or name of the stream in the profiler's file, as text.
    pub label: String,
    /// Number that tells streams of several CUDA contexts or processes apart; `None` where the file
    /// gives none or one is enough.
    pub context: Option<u64>,
}

impl StreamLabel {
    /// Returns the number of the process that owns the stream, counted from 1 in order of first
    /// use; `None` where the file has one process, or names none. The number is at the end of the
    /// label: `7 (process 2)`.
    ///
    /// ```
    /// use raddle_trace::StreamLabel;
    /// let of = |label: &str| StreamLabel { label: label.to_owned(), context: None }.process();
    /// assert_eq!((of("7 (process 2)"), of("7")), (Some(2), None));
    /// ```
    #[must_use]
    pub fn process(&self) -> Option<u32> {
        let (_, last) = self.label.rsplit_once(" (process ")?;
        last.strip_suffix(')')?.parse().ok()
    }
}

/// Kind of an op: kernel, copy or fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// A launch that runs workgroups on compute units.
    Kernel,
    /// A copy of memory, which runs in its stream's order like a kernel.
    Copy,
    /// A fill of memory, which runs in its stream's order like a kernel.
    Set,
}

impl OpKind {
    /// Returns the word for this kind of op in a launch table (profile as CSV), such as `kernel`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Copy => "copy",
            Self::Set => "set",
        }
    }
}

/// An operation of a stream: a kernel launch, a copy or a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    /// Name of the op, as an index in [`Profile::kernels`].
    pub kernel: u32,
    /// Stream of the op, as an index in [`Profile::streams`].
    pub stream: u32,
    /// Grid of the kernel in workgroups; all 0 for copies and fills.
    pub grid: Dim3,
    /// Number of workgroups of the kernel: the volume of the grid, or 0 where the grid or the
    /// workgroup is empty.
    pub workgroups: u64,
    /// Time at which the host issued the op, in nanoseconds since time 0 of the profile; at most
    /// [`Op::start_ns`].
    pub arrival_ns: u64,
    /// Time at which the device began the op, in nanoseconds since time 0 of the profile.
    pub start_ns: u64,
    /// Time that the device took for the op, in nanoseconds, at least 1.
    pub duration_ns: u64,
    /// Resources that one workgroup of the kernel needs.
    pub footprint: Footprint,
    /// Op of the same stream that must end before this op does its work, as an index in
    /// [`Profile::ops`]; `None` where there is none. An op of CUDA's programmatic dependent launch
    /// may start earlier and wait on the device, see [`Profile::own_ns`].
    pub after: Option<u32>,
    /// Priority of the op's stream, as numbered in the profiler's file; in CUDA a lower number is
    /// more urgent. `None` where the file gives none.
    pub priority: Option<i32>,
    /// Kind of the op: kernel, copy or fill.
    pub kind: OpKind,
    /// Number of workgroups in a cluster, which must run at the same time; 1 where the kernel has
    /// no clusters. A launch table cannot hold this number.
    pub cluster: u16,
    /// Verdict on whether the kernel may be killed and run again.
    pub idempotent: Idempotence,
    /// Instructions that one wave of the kernel issues, counted or assumed by the kernel's name;
    /// all 0 for copies and fills.
    pub activity: Activity,
    /// Occupancy that the profiler claims for the kernel, in percent (PyTorch). Profilers write
    /// whole percents, and 0 also where they do not know; `None` without a claim. A launch table
    /// cannot hold this number.
    pub claimed_percent: Option<u8>,
    /// Origin of each field of the op: measured, joined or assumed.
    pub provenance: Provenance,
}

impl Op {
    /// Builds an op from its kind, its start (in nanoseconds on the source's clock; may be
    /// negative) and its duration. The importer still has to set its name and stream. The time at
    /// which the host issued it counts as assumed until it is set.
    ///
    /// A kernel counts as opaque until its grid and workgroup are set.
    pub(crate) fn at(kind: OpKind, start: i64, duration_ns: u64) -> Self {
        let barrier = if kind == OpKind::Kernel { Barrier::Assumed } else { Barrier::No };
        let known = Provenance::MEASURED.with(Field::Arrival, Origin::Assumed);
        Self {
            kernel: 0,
            stream: 0,
            grid: Dim3::default(),
            workgroups: 0,
            arrival_ns: 0,
            start_ns: unsigned_time(start),
            duration_ns,
            footprint: Footprint { barrier, ..Footprint::default() },
            after: None,
            priority: None,
            kind,
            cluster: 1,
            idempotent: Idempotence::Unknown,
            activity: Activity::UNKNOWN,
            claimed_percent: None,
            provenance: match kind {
                OpKind::Kernel => known.with(Field::Shape, Origin::Unknown),
                OpKind::Copy | OpKind::Set => known,
            },
        }
    }

    /// Returns whether the op is an opaque kernel: one of unknown grid or workgroup size, like most
    /// kernels that a graph launched. It has its times and its stream, but 0 workgroups.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.provenance.of(Field::Shape) == Origin::Unknown
    }

    /// Removes the grid and the workgroup, so that the op is an opaque kernel.
    pub(crate) fn forget_shape(&mut self) {
        (self.grid, self.workgroups) = (Dim3::default(), 0);
        self.provenance = self.provenance.with(Field::Shape, Origin::Unknown);
    }

    /// Removes the resource needs of a workgroup, which mean nothing where the size of the
    /// workgroup is unknown.
    pub(crate) fn forget_footprint(&mut self) {
        self.footprint = Footprint { barrier: Barrier::Assumed, ..Footprint::default() };
        [Field::Registers, Field::SharedMemory, Field::Barrier]
            .into_iter()
            .for_each(|field| self.assume(field));
    }

    /// Sets the time at which the host issued the op, in nanoseconds of the source's clock, and the
    /// origin of that time.
    pub(crate) fn set_arrival(&mut self, at: i64, origin: Origin) {
        self.arrival_ns = unsigned_time(at);
        self.provenance = self.provenance.with(Field::Arrival, origin);
    }

    /// Sets the grid in workgroups, and the workgroup in work-items along x, y and z. Returns
    /// `None`, and leaves the op opaque, where a product is too large to count.
    pub(crate) fn set_shape(&mut self, grid: Dim3, block: [u64; 3]) -> Option<()> {
        let threads = block.into_iter().try_fold(1, u64::checked_mul)?;
        let (threads, volume) = (u32::try_from(threads).ok()?, grid.volume()?);
        self.footprint.threads = threads;
        self.workgroups = if threads == 0 { 0 } else { volume };
        self.grid = grid;
        self.provenance = self.provenance.with(Field::Shape, Origin::Measured);
        Some(())
    }

    /// Sets the number of 32-bit vector registers that a work-item of the kernel takes; `None` and
    /// 0 count as unknown.
    pub(crate) fn set_registers(&mut self, registers: Option<u32>) {
        self.footprint.vgprs_per_thread = registers.unwrap_or(0);
        if self.footprint.vgprs_per_thread == 0 {
            self.assume(Field::Registers);
        }
    }

    /// Sets the size in bytes of a workgroup's shared memory (`None` if unknown). By that size, the
    /// rule `barriers` decides whether the workgroup has a barrier.
    pub(crate) fn set_shared_memory(&mut self, bytes: Option<u32>, barriers: BarrierRule) {
        self.footprint.lds_bytes = bytes.unwrap_or(0);
        self.footprint.barrier = barriers.barrier(bytes);
        self.assume(Field::Barrier);
        if bytes.is_none() {
            self.assume(Field::SharedMemory);
        }
    }

    /// Marks a field of the op as assumed: its value follows from a rule, as no record has it.
    pub(crate) fn assume(&mut self, field: Field) {
        self.provenance = self.provenance.with(field, Origin::Assumed);
    }

    /// Returns the time at which the op ended, in nanoseconds since time 0 of the profile.
    #[must_use]
    pub const fn end_ns(&self) -> u64 {
        self.start_ns.saturating_add(self.duration_ns)
    }
}

/// Converts a time of the source's clock, in nanoseconds, to an unsigned number, keeping the order
/// of times.
pub(crate) fn unsigned_time(ns: i64) -> u64 {
    ns.cast_unsigned() ^ (1 << 63)
}

/// Returns a profile's name from a file name: without folders, and without endings that only say
/// how the file is stored.
///
/// ```
/// assert_eq!(raddle_trace::profile_name("runs/worker0.pt.trace.json.gz"), "worker0");
/// ```
#[must_use]
pub fn profile_name(file: &str) -> String {
    let mut name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    for ending in [".gz", ".json", ".csv", ".sqlite", ".db", ".rpd", ".pb", ".xplane", ".pt.trace"]
    {
        name = match name.strip_suffix(ending) {
            Some(stem) if !stem.is_empty() => stem,
            _ => name,
        };
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_op_stays_compact() {
        assert!(size_of::<Op>() <= 120, "{} bytes", size_of::<Op>());
    }

    #[test]
    fn names_lose_only_their_endings() {
        assert_eq!(profile_name("a/b/train.json"), "train");
        assert_eq!(profile_name("train.gz"), "train");
        assert_eq!(profile_name(".json"), ".json");
        assert_eq!(profile_name("v1.5.csv"), "v1.5");
        assert_eq!(profile_name("run.sqlite.gz"), "run");
        assert_eq!(profile_name("C:\\runs\\x.pt.trace.json.gz"), "x");
    }
}
