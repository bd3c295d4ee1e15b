//! How does a host in C tell a dispatcher what has happened?

use raddle_policy::{
    Event, Hint, LaunchId, Level, Piece, Preemption, ProcessId, StreamId, Ticks, WaveSpan,
};

use crate::launch::{RaddleLaunch, RaddlePiece, RaddleWaves, preemption, unknown};
use crate::memory::{Plain, list, read};
use crate::status::Failure;

/// Kinds of events that a host reports to a dispatcher. The text of each kind names the fields of
/// `RaddleEvent` that it uses.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleEventKind {
    /// A process has joined. Fields: `process`, `share` (1 or more).
    ProcessJoined = 1,
    /// A process is gone. Field: `process`.
    ProcessLeft = 2,
    /// A launch was issued and waits for the end of another launch. Field: `issued`, the launch.
    /// The event `LaunchReady` follows.
    LaunchIssued = 3,
    /// A launch was issued and waits for no other launch. Field: `issued`, the launch.
    LaunchReady = 4,
    /// A copy was issued. Fields: `launch` (the id of the copy), `process`, `stream`, `level`,
    /// `lasts`.
    CopyIssued = 5,
    /// A copy waits for no other work any more. Field: `launch`, the id of the copy.
    CopyReady = 6,
    /// A copy has ended. Field: `launch`, the id of the copy.
    CopyEnded = 7,
    /// Workgroups ended, or some waves of each. Fields: `launch`, `waves`, `pieces`, `piece_count`.
    WavesEnded = 8,
    /// A launch was taken off the device as the dispatcher asked. Fields: `launch`, `how`, `done`.
    TakenOff = 9,
    /// A launch that was taken off the device may continue. Field: `launch`.
    Restored = 10,
    /// Every launch of a process that starts from now on sees the raised preemption flag of the
    /// process. Field: `process`.
    Raised = 11,
    /// The reset of a process's compute units is over. Field: `process`.
    ResetOver = 12,
    /// A program gives a hint. Fields: `process`, `hint`, `value`, and `stream` if `of_stream` is
    /// not 0.
    Hint = 13,
    /// The tick has come that an action `WakeAt` named. No fields.
    Woke = 14,
}

/// Kinds of hints of a program about its work; the field `value` of the event has the number.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleHint {
    /// The hint is the urgency of the work, as a level: 0 is the most urgent, 255 best effort.
    Priority = 0,
    /// The hint is the time in ticks after which the work should have ended, counted from when the
    /// work became ready.
    Deadline = 1,
    /// The hint is the time in ticks for which the work may wait before it becomes urgent, counted
    /// from when the work became ready.
    Laxity = 2,
    /// The hint is the part of the device that the work is to have, in percent of the whole.
    Utilisation = 3,
    /// The hint is a number that a policy and its programs agree on.
    Custom = 4,
}

/// Event that a host reports to a dispatcher. Fields that the kind does not name are not read.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RaddleEvent {
    /// Kind of the event, one of `RaddleEventKind`.
    pub kind: u32,
    /// Id of the launch or copy that the event concerns.
    pub launch: u32,
    /// Id of the stream of the process that the event concerns.
    pub stream: u32,
    /// Share of a process that joined, 1 or more: a factor of its weight where the device is
    /// divided fairly among processes.
    pub share: u32,
    /// Id of the process that the event concerns.
    pub process: u16,
    /// Urgency of a copy: 0 is the most urgent, 255 is best effort.
    pub level: u8,
    /// Any number but 0 for a hint about the one stream `stream`, 0 for a hint about the process.
    pub of_stream: u8,
    /// Method by which the launch was taken off, one of `RaddlePreemption`.
    pub how: u32,
    /// Waves that ended, of each workgroup that the pieces name.
    pub waves: RaddleWaves,
    /// Launch that was issued or is ready; not read for other kinds of events.
    pub issued: *const RaddleLaunch,
    /// Workgroups that ended, as pieces: equal workgroups of the launch on one compute unit each.
    pub pieces: *const RaddlePiece,
    /// Number of pieces in the list `pieces`.
    pub piece_count: usize,
    /// Time that an issued copy takes, in ticks.
    pub lasts: u64,
    /// Number of workgroups of the launch that had ended when it was taken off.
    pub done: u64,
    /// Kind of the hint, one of `RaddleHint`.
    pub hint: u32,
    /// Value of the hint, whose meaning its kind gives.
    pub value: u64,
}

// SAFETY: integers, pointers, and structs of integers.
unsafe impl Plain for RaddleEvent {}

impl RaddleEvent {
    /// Checks the fields and returns the event that they describe; an error where a field has no
    /// valid value. The pieces (equal workgroups on one compute unit) that ended are put into
    /// `pieces`.
    ///
    /// # Safety
    /// Pointers that the kind names are null, misaligned, or have the stated values behind them.
    pub(crate) unsafe fn checked<'p>(
        &self,
        pieces: &'p mut Vec<Piece>,
    ) -> Result<Event<'p>, Failure> {
        let (process, launch) = (ProcessId(self.process), LaunchId(self.launch));
        Ok(match self.kind {
            1 => Event::ProcessJoined { process, share: self.share },
            2 => Event::ProcessLeft { process },
            3 | 4 => {
                // SAFETY: the caller promises it.
                let launch = unsafe { read("event.issued", self.issued)? }.checked()?;
                match self.kind {
                    3 => Event::LaunchIssued { launch },
                    _ => Event::LaunchReady { launch },
                }
            }
            5 => Event::CopyIssued {
                copy: launch,
                process,
                stream: StreamId(self.stream),
                level: Level(self.level),
                lasts: Ticks(self.lasts),
            },
            6 => Event::CopyReady { copy: launch },
            7 => Event::CopyEnded { copy: launch },
            8 => {
                // SAFETY: the caller promises it.
                let waves = unsafe { self.ended(pieces)? };
                Event::WavesEnded { launch, waves, pieces }
            }
            9 => Event::TakenOff { launch, how: self.how()?, done: self.done },
            10 => Event::Restored { launch },
            11 => Event::Raised { process },
            12 => Event::ResetOver { process },
            13 => {
                let stream = (self.of_stream != 0).then_some(StreamId(self.stream));
                Event::Hint { process, stream, hint: self.hint()? }
            }
            14 => Event::Woke,
            other => return Err(unknown("event.kind", other, "RaddleEventKind")),
        })
    }

    /// Puts the pieces (equal workgroups on one compute unit) that ended into `pieces`, and returns
    /// which waves of each workgroup ended; an error where a field has no valid value.
    ///
    /// # Safety
    /// The pointer to the pieces is null, misaligned, or has the stated number of pieces behind it.
    unsafe fn ended(&self, pieces: &mut Vec<Piece>) -> Result<WaveSpan, Failure> {
        // SAFETY: the caller promises it.
        let given = unsafe { list("event.pieces", self.pieces, self.piece_count)? };
        pieces.clear();
        for piece in given {
            pieces.push(piece.checked()?);
        }
        self.waves.checked()
    }

    fn how(&self) -> Result<Preemption, Failure> {
        preemption("event.how", self.how)
    }

    fn hint(&self) -> Result<Hint, Failure> {
        let wide = || Failure::argument(format!("`event.value` is {}: too much", self.value));
        Ok(match self.hint {
            0 => Hint::Priority(Level(u8::try_from(self.value).map_err(|_| wide())?)),
            1 => Hint::Deadline(Ticks(self.value)),
            2 => Hint::Laxity(Ticks(self.value)),
            3 => Hint::Utilisation(u16::try_from(self.value).map_err(|_| wide())?),
            4 => Hint::Custom(self.value),
            other => return Err(unknown("event.hint", other, "RaddleHint")),
        })
    }
}
