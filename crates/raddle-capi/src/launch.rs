//! How are launches and parts of them written in C?

use raddle_policy::{
    Activity, Barrier, CuId, Dim3, Idempotence, KernelCall, Launch, LaunchId, Level, Piece,
    Preemption, ProcessId, StreamId, Ticks, WaveSpan,
};

use crate::memory::Plain;
use crate::nouns::RaddleDemand;
use crate::status::Failure;

/// Knowledge whether waves of a workgroup wait for each other at a barrier.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleBarrier {
    /// Nobody knows whether waves wait for each other, so it is assumed that they do.
    Assumed = 0,
    /// No wave waits for another wave of its workgroup.
    No = 1,
    /// Waves of a workgroup wait for each other.
    Yes = 2,
}

/// Verdict whether a launch may be killed part-way and run again.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleIdempotence {
    /// Nobody knows whether the launch may be run again, so it is treated as one that may not.
    Unknown = 0,
    /// The launch is proven idempotent: it may be killed and run again.
    Idempotent = 1,
    /// The launch is known not to be idempotent: it may not be run again.
    Not = 2,
}

/// Method of taking work off a device.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddlePreemption {
    /// No work is taken off: all submitted launches run to their end.
    Wait = 0,
    /// Launches that have not started go back to the buffer of their process; launches that run go
    /// on to their end.
    Flag = 1,
    /// Workgroups that are on the device run to their end, and all that have not started are held
    /// back.
    Drain = 2,
    /// Workgroups that are on the device are killed, and their launch starts again.
    Reset = 3,
    /// Workgroups that are on the device are saved, and later restored.
    Switch = 4,
}

/// Launch of one kernel: a number of equal workgroups. In the field `barrier` and all that follow
/// it, 0 means that the value is unknown.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleLaunch {
    /// Id of the launch, which no other launch of the dispatcher has.
    pub id: u32,
    /// Id of the stream of the process in which the launch was issued.
    pub stream: u32,
    /// Id of the process that issued the launch.
    pub process: u16,
    /// Urgency of the launch: 0 is the most urgent, 255 is best effort.
    pub level: u8,
    /// Number of workgroups of the grid, which are numbered from 0.
    pub workgroups: u64,
    /// Resources that each workgroup takes.
    pub demand: RaddleDemand,
    /// Knowledge about barriers in the kernel, one of `RaddleBarrier`.
    pub barrier: u32,
    /// Verdict whether the launch may be run again, one of `RaddleIdempotence`.
    pub idempotent: u32,
    /// Time that the launch is expected to take alone on the device, in ticks.
    pub estimate: u64,
    /// Number of instructions that one wave issues in 1,000 ticks, in this order: moves and
    /// arithmetic, loads, stores, matrix, compares, jumps.
    pub activity: [u32; 6],
    /// Number of the kernel within its process, from 1; 0 if unknown.
    pub kernel: u32,
    /// Workgroups of the grid along x, y and z. The grid and all following fields count only where
    /// `kernel` is not 0.
    pub grid: [u32; 3],
    /// Number of work-items of one workgroup.
    pub threads: u32,
    /// Shared memory (LDS) of one workgroup, in bytes.
    pub lds_bytes: u32,
    /// 1 if a copy or a fill is between the launch and the launch before it in its stream, else 0.
    pub behind_copy: u32,
}

/// Choice of the waves of each workgroup that start or end.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleWaveKind {
    /// All waves of each workgroup start or end; the fields `first` and `count` are not read.
    All = 0,
    /// Only `count` waves from the wave `first` on start or end, of a workgroup whose waves start
    /// one part after the other on one compute unit.
    Range = 1,
    /// Only `count` waves from the wave `first` on start or end, of a workgroup that was cut into
    /// waves, so that these waves are placed like a workgroup of their own.
    Cut = 2,
}

/// Choice of the waves of each workgroup that start or end.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleWaves {
    /// Choice of the waves, one of `RaddleWaveKind`.
    pub kind: u32,
    /// Number, within the workgroup, of the lowest wave that starts or ends, from 0.
    pub first: u16,
    /// Number of waves that start or end; not read where `kind` is `All`.
    pub count: u16,
}

/// Workgroups `first`, `first + stride`, .. of one launch on one compute unit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddlePiece {
    /// Number of the lowest workgroup of the piece in its launch.
    pub first: u64,
    /// Difference between the numbers of neighbouring workgroups, 1 or more.
    pub stride: u32,
    /// Number of workgroups of the piece, 1 or more.
    pub count: u32,
    /// Compute unit on which the workgroups of the piece are, from 0.
    pub cu: u16,
}

// SAFETY: integers and arrays of them.
unsafe impl Plain for RaddleLaunch {}
// SAFETY: integers.
unsafe impl Plain for RaddlePiece {}

/// Returns the error for a field whose number stands for no value of the enum `names`.
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

/// Returns the method of preemption with this number; an error where no method has it.
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
    /// Checks the fields and returns the launch that they describe; an error where a number has no
    /// meaning.
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
        let (id, process) = (LaunchId(self.id), ProcessId(self.process));
        let mut launch = Launch::new(id, process, self.workgroups, self.demand.checked()?)
            .with_stream(StreamId(self.stream))
            .with_level(Level(self.level))
            .with_barrier(barrier)
            .with_idempotent(idempotence("launch.idempotent", self.idempotent)?);
        launch.activity = Activity(self.activity);
        launch.call = if call.is_unknown() { KernelCall::UNKNOWN } else { call };
        launch.estimate = (self.estimate > 0).then_some(Ticks(self.estimate));
        Ok(launch)
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
