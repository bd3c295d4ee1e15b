//! How are launches and parts of them written in C?

use raddle_policy::{
    Activity, Barrier, CuId, Dim3, Idempotence, KernelCall, Launch, LaunchId, Level, Piece,
    Preemption, ProcessId, StreamId, Ticks, WaveSpan,
};

use crate::memory::Plain;
use crate::nouns::RaddleDemand;
use crate::status::Failure;

/// The knowledge whether waves of a workgroup wait for each other.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleBarrier {
    /// Unknown, so a barrier is assumed.
    Assumed = 0,
    /// No wave waits for another one.
    No = 1,
    /// Waves wait for each other.
    Yes = 2,
}

/// The verdict whether a launch may be killed part-way and run again.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleIdempotence {
    /// Unknown: treated as not.
    Unknown = 0,
    /// Proven idempotent: it may be killed.
    Idempotent = 1,
    /// Known not to be.
    Not = 2,
}

/// A way of taking work off a device.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddlePreemption {
    /// All submitted launches run to their end.
    Wait = 0,
    /// Launches that have not started go back to the buffer.
    Flag = 1,
    /// Resident workgroups finish, everything else is held.
    Drain = 2,
    /// Resident workgroups are killed, and the launch starts again.
    Reset = 3,
    /// Resident workgroups are saved, and later restored.
    Switch = 4,
}

/// One kernel launch: a number of equal workgroups. A field of 0 from `barrier` on means that nothing is known.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleLaunch {
    /// The id of the launch, unique in the run.
    pub id: u32,
    /// The stream of the process.
    pub stream: u32,
    /// The process.
    pub process: u16,
    /// The urgency: 0 is the most urgent, 255 is best effort.
    pub level: u8,
    /// Workgroups of the grid, numbered from 0.
    pub workgroups: u64,
    /// The resources that each workgroup takes.
    pub demand: RaddleDemand,
    /// One of `RaddleBarrier`.
    pub barrier: u32,
    /// One of `RaddleIdempotence`.
    pub idempotent: u32,
    /// The ticks that the launch is expected to take alone on the device.
    pub estimate: u64,
    /// Instructions that one wave issues in 1,000 ticks: moves and arithmetic, loads, stores, matrix, compares, jumps.
    pub activity: [u32; 6],
    /// The number of the kernel within its process, from 1.
    pub kernel: u32,
    /// The grid, in workgroups along x, y and z; as all fields below, it counts only with a `kernel`.
    pub grid: [u32; 3],
    /// Work-items of a workgroup.
    pub threads: u32,
    /// LDS of a workgroup, in bytes.
    pub lds_bytes: u32,
    /// 1 if a copy or a fill lies between the launch and the one before it in its stream.
    pub behind_copy: u32,
}

/// The waves of each workgroup that are meant.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleWaveKind {
    /// All of them; `first` and `count` do not count.
    All = 0,
    /// `count` waves from `first` on, of a workgroup that starts in parts on one compute unit.
    Range = 1,
    /// `count` waves from `first` on, of a workgroup that was cut: they act as one of their own.
    Cut = 2,
}

/// The waves of each workgroup that start or end.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleWaves {
    /// One of `RaddleWaveKind`.
    pub kind: u32,
    /// The lowest wave.
    pub first: u16,
    /// The number of waves.
    pub count: u16,
}

/// Workgroups `first`, `first + stride`, .. of one launch on one compute unit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddlePiece {
    /// The lowest workgroup.
    pub first: u64,
    /// The distance of neighbouring workgroups, 1 or more.
    pub stride: u32,
    /// The number of workgroups, 1 or more.
    pub count: u32,
    /// The compute unit.
    pub cu: u16,
}

// SAFETY: integers and arrays of them.
unsafe impl Plain for RaddleLaunch {}
// SAFETY: integers.
unsafe impl Plain for RaddlePiece {}

/// Returns the error of a number that none of the names has.
pub(crate) fn unknown(field: &str, number: u32, names: &str) -> Failure {
    Failure::argument(format!("`{field}` is {number}: give one of `{names}`"))
}

pub(crate) fn idempotence(field: &str, number: u32) -> Result<Idempotence, Failure> {
    match number {
        0 => Ok(Idempotence::Unknown),
        1 => Ok(Idempotence::Idempotent),
        2 => Ok(Idempotence::Not),
        _ => Err(unknown(field, number, "RaddleIdempotence")),
    }
}

/// Returns the method with this number.
pub(crate) fn preemption(field: &str, number: u32) -> Result<Preemption, Failure> {
    let known = Preemption::ALL.into_iter().find(|&how| preemption_number(how) == number);
    known.ok_or_else(|| unknown(field, number, "RaddlePreemption"))
}

pub(crate) const fn preemption_number(how: Preemption) -> u32 {
    let how = match how {
        Preemption::Wait => RaddlePreemption::Wait,
        Preemption::Flag => RaddlePreemption::Flag,
        Preemption::Drain => RaddlePreemption::Drain,
        Preemption::Reset => RaddlePreemption::Reset,
        Preemption::Switch => RaddlePreemption::Switch,
    };
    how as u32
}

impl RaddleLaunch {
    /// Returns the launch, if its numbers name something.
    pub(crate) fn checked(&self) -> Result<Launch, Failure> {
        let barrier = match self.barrier {
            0 => Barrier::Assumed,
            1 => Barrier::No,
            2 => Barrier::Yes,
            other => return Err(unknown("launch.barrier", other, "RaddleBarrier")),
        };
        if self.workgroups == 0 {
            return Err(Failure::argument("`launch.workgroups` is 0: give 1 or more"));
        }
        let [x, y, z] = self.grid;
        let (kernel, threads, lds_bytes) = (self.kernel, self.threads, self.lds_bytes);
        let behind_copy = self.behind_copy != 0;
        let call = KernelCall { kernel, grid: Dim3::new(x, y, z), threads, lds_bytes, behind_copy };
        Ok(Launch {
            id: LaunchId(self.id),
            process: ProcessId(self.process),
            stream: StreamId(self.stream),
            level: Level(self.level),
            workgroups: self.workgroups,
            demand: self.demand.checked()?,
            barrier,
            idempotent: idempotence("launch.idempotent", self.idempotent)?,
            activity: Activity(self.activity),
            call: if call.is_unknown() { KernelCall::UNKNOWN } else { call },
            estimate: (self.estimate > 0).then_some(Ticks(self.estimate)),
        })
    }
}

impl RaddleWaves {
    pub(crate) fn checked(self) -> Result<WaveSpan, Failure> {
        let Self { kind, first, count } = self;
        match kind {
            0 => Ok(WaveSpan::All),
            1 | 2 if count == 0 => Err(Failure::argument("`waves.count` is 0: give 1 or more")),
            1 => Ok(WaveSpan::Range { first, count }),
            2 => Ok(WaveSpan::Cut { first, count }),
            _ => Err(unknown("waves.kind", kind, "RaddleWaveKind")),
        }
    }
}

impl From<WaveSpan> for RaddleWaves {
    fn from(waves: WaveSpan) -> Self {
        let (kind, first, count) = match waves {
            WaveSpan::All => (RaddleWaveKind::All, 0, 0),
            WaveSpan::Range { first, count } => (RaddleWaveKind::Range, first, count),
            WaveSpan::Cut { first, count } => (RaddleWaveKind::Cut, first, count),
        };
        Self { kind: kind as u32, first, count }
    }
}

impl RaddlePiece {
    pub(crate) fn checked(&self) -> Result<Piece, Failure> {
        let Self { first, stride, count, cu } = *self;
        if stride == 0 || count == 0 {
            let text = "`stride` or `count` of a piece is 0: give 1 or more";
            return Err(Failure::argument(text));
        }
        Ok(Piece { first, stride, count, cu: CuId(cu) })
    }
}

impl From<&Piece> for RaddlePiece {
    fn from(&Piece { first, stride, count, cu }: &Piece) -> Self {
        Self { first, stride, count, cu: cu.0 }
    }
}
