//! What does a line of a decision log say of what a policy saw or answered?
//!
//! Lines are read from the text alone: keys that no twin (naive model of a policy) needs are
//! skipped. Times are ticks.

use raddle_policy::{
    CuShape, Idempotence, Launch, LaunchId, Level, Piece, Place, Preemption, ProcessId, Refusal,
    StreamId, WaveSpan,
};
use raddle_preempt::Abilities;
use serde::Deserialize;
use serde_json::Value;

/// First line of a log: its version, the device, and the recipe (the policies of the run with their
/// settings).
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Header {
    pub(super) raddle_log: u32,
    pub(super) detail: String,
    pub(super) cus: u16,
    pub(super) shape: CuShape,
    pub(super) recipe: Value,
    /// Methods of preemption that the device has; all methods where the log does not list them.
    #[serde(default = "all")]
    pub(super) abilities: Abilities,
}

const fn all() -> Abilities {
    Abilities::ALL
}

/// Tick and step number of a line of a log.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct Moment {
    pub(super) t: u64,
    pub(super) step: u64,
}

/// Event or answer that a line of the decision log contains, with the line's tick and step number.
#[derive(Deserialize)]
pub(super) struct Said<T> {
    #[serde(flatten)]
    pub(super) at: Moment,
    #[serde(flatten)]
    pub(super) said: T,
}

/// An event of a log, in the form that the twins (naive models of the policies) get.
#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Heard {
    ProcessJoined {
        process: ProcessId,
        share: u32,
    },
    ProcessLeft {
        process: ProcessId,
    },
    LaunchIssued {
        launch: Launch,
    },
    LaunchReady {
        launch: Launch,
    },
    CopyIssued {
        copy: LaunchId,
        process: ProcessId,
        stream: StreamId,
        level: Level,
        lasts: u64,
    },
    CopyReady {
        copy: LaunchId,
    },
    CopyEnded {
        copy: LaunchId,
    },
    WavesEnded {
        launch: LaunchId,
        waves: FirstAndCount,
        cut: FirstAndCount,
        pieces: Vec<Run>,
    },
    TakenOff {
        launch: LaunchId,
        how: Off,
    },
    Restored {
        launch: LaunchId,
    },
    Judged {
        launch: LaunchId,
        idempotent: Idempotence,
    },
    ResetOver {
        process: ProcessId,
    },
    Hint {},
    Woke {},
    #[serde(other)]
    Other,
}

/// An answer in a log, given by a policy or by the dispatcher.
#[derive(Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub(super) enum Answered {
    Turn {
        may_issue: Vec<ProcessId>,
        until: Option<u64>,
        load: Option<Load>,
    },
    Streams {},
    Preempt {
        process: ProcessId,
        how: String,
    },
    Submit(Submitted),
    Start(Start),
    StartCopy {},
    Assign {
        launch: LaunchId,
        workgroup: u64,
        cu: u16,
    },
    TakeOff {
        launch: LaunchId,
        how: Off,
    },
    Restore {
        launch: LaunchId,
    },
    Reset {
        process: ProcessId,
    },
    Drained {
        process: ProcessId,
    },
    Refuse(Refusal),
    Wait {
        #[serde(default)]
        refusals: Vec<Refusal>,
        retry_at: Option<u64>,
    },
    Broke {
        slot: String,
    },
    #[serde(other)]
    Other,
}

/// Returns the waves of each workgroup that a line of the decision log names: by its key `waves`;
/// by its key `cut`, for a workgroup that was cut into waves; or, without both keys, all waves.
pub(super) const fn span(waves: FirstAndCount, cut: FirstAndCount) -> WaveSpan {
    match (waves, cut) {
        (Some((first, count)), _) => WaveSpan::Range { first, count },
        (_, Some((first, count))) => WaveSpan::Cut { first, count },
        _ => WaveSpan::All,
    }
}

/// Some waves of a workgroup, as (number of the first one, number of waves); `None` where the line
/// of the decision log names none.
pub(super) type FirstAndCount = Option<(u16, u16)>;

/// Answer of a launch path to one launch: how many packets and bytes the launch takes, and its cost
/// and cleanup in ticks.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct Submitted {
    pub(super) launch: LaunchId,
    pub(super) packets: u32,
    pub(super) bytes: u64,
    pub(super) cost: u64,
    #[serde(default)]
    pub(super) cleanup: u64,
}

/// Start of workgroups of one launch, as a line of the decision log gives it: whole workgroups, or
/// only some waves of each.
#[derive(Deserialize)]
pub(super) struct Start {
    pub(super) launch: LaunchId,
    pub(super) waves: FirstAndCount,
    pub(super) cut: FirstAndCount,
    pub(super) pieces: Vec<Run>,
    /// Hash of the addresses (SIMD and first granules) of the waves; `None` where the decision log
    /// has none.
    pub(super) addresses: Option<String>,
    #[serde(default)]
    places: Vec<(u8, u16, u16, u32)>,
}

impl Start {
    /// Returns the waves of each workgroup that start, as the line of the decision log names them.
    pub(super) const fn span(&self) -> WaveSpan {
        span(self.waves, self.cut)
    }

    /// Counts the workgroups that the line of the decision log names.
    pub(super) fn workgroups(&self) -> u64 {
        self.pieces.iter().fold(0, |sum, run| sum.saturating_add(run.count()))
    }

    /// Returns (workgroup, compute unit) for each workgroup, in the order in which the line of the
    /// decision log names them.
    pub(super) fn named(&self) -> Vec<(u64, u16)> {
        self.pieces.iter().flat_map(|run| run.workgroups()).collect()
    }

    /// Returns the addresses (SIMD and first granules) of the waves; empty where the decision log
    /// has only a hash of them, or the policy gives none.
    pub(super) fn places(&self) -> Vec<Place> {
        let place = |&(simd, vgpr, sgpr, lds): &_| Place { simd, vgpr, sgpr, lds };
        self.places.iter().map(place).collect()
    }
}

/// Choice of the processes that run next, by a turn policy. The candidates are the runnable
/// processes of the most urgent level. Each chosen process has its weight, and its slice in ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Load {
    pub(super) candidates: Vec<ProcessId>,
    pub(super) loaded: Vec<(ProcessId, String, u64)>,
}

/// Method by which a launch leaves the device, as a log spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Off {
    Wait,
    Flag,
    Drain,
    Kill,
    Save,
}

impl Off {
    /// Returns the method of preemption for which the word in the decision log stands.
    pub(super) const fn how(self) -> Preemption {
        match self {
            Self::Wait => Preemption::Wait,
            Self::Flag => Preemption::Flag,
            Self::Drain => Preemption::Drain,
            Self::Kill => Preemption::Reset,
            Self::Save => Preemption::Switch,
        }
    }
}

/// One entry of a log line that names workgroups: a piece (equal workgroups on one compute unit),
/// repeated on neighbouring units. The entry is (first workgroup, stride, count, first compute
/// unit, number of compute units, step). The step leads from the first workgroup on one unit to the
/// first one on the next, and is left out where it is 1.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(super) enum Run {
    Stepped(u64, u32, u32, u16, u16, u64),
    Even(u64, u32, u32, u16, u16),
}

impl Run {
    /// Iterates over the pieces (equal workgroups on one compute unit) that this entry of a log
    /// line stands for, one piece for each compute unit.
    pub(super) fn pieces(self) -> impl Iterator<Item = Piece> {
        let (first, stride, count, cu, cus, step) = match self {
            Self::Stepped(first, stride, count, cu, cus, step) => {
                (first, stride, count, cu, cus, step)
            }
            Self::Even(first, stride, count, cu, cus) => (first, stride, count, cu, cus, 1),
        };
        (0..cus).map(move |unit| {
            let first = first.saturating_add(step.saturating_mul(unit.into()));
            Piece { first, stride, count, cu: raddle_policy::CuId(cu.saturating_add(unit)) }
        })
    }

    /// Iterates over the workgroups that this entry of a log line stands for, as (workgroup,
    /// compute unit), one compute unit after the other.
    pub(super) fn workgroups(self) -> impl Iterator<Item = (u64, u16)> {
        let named = |piece: Piece| piece.workgroups().map(move |workgroup| (workgroup, piece.cu.0));
        self.pieces().flat_map(named)
    }
}

impl Run {
    /// Counts the workgroups that this entry of a log line names.
    pub(super) fn count(self) -> u64 {
        let (Self::Stepped(_, _, count, _, cus, _) | Self::Even(_, _, count, _, cus)) = self;
        u64::from(count) * u64::from(cus)
    }
}
