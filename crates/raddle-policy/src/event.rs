//! What does a device or a host tell the dispatcher?

use crate::{
    Hint, Launch, LaunchId, Level, Piece, Preemption, ProcessId, StreamId, Ticks, WaveSpan,
};

/// An event on the device or on a host, which is reported to the dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Event<'a> {
    /// A process has joined, and may issue launches from now on.
    ProcessJoined {
        process: ProcessId,
        /// The share of the process, 1 or more: a factor of its weight where the device is divided
        /// fairly among processes.
        share: u32,
    },
    /// A process is gone: it issues nothing more.
    ProcessLeft { process: ProcessId },
    /// A launch was issued by its host and still waits for the end of other launches;
    /// [`Event::LaunchReady`] follows when it no longer waits. Only a dispatcher with a window (a
    /// limit for submitted launches of a process) gets this event. The events of a process come in
    /// the order of issue.
    LaunchIssued { launch: Launch },
    /// A launch was issued by its host, and every launch for which it waits has ended.
    LaunchReady {
        /// The launch, as it was issued.
        launch: Launch,
    },
    /// A copy or a fill was issued by its host. Only a dispatcher with a window (a limit for
    /// submitted launches of a process) gets the events of copies. It submits copies like launches,
    /// in the order of their streams, and starts each with
    /// [`Action::StartCopy`](crate::Action::StartCopy).
    ///
    /// A copy that waits for work of another stream is reported when that work has ended.
    CopyIssued {
        copy: LaunchId,
        process: ProcessId,
        stream: StreamId,
        level: Level,
        /// The time that the copy takes, in ticks.
        lasts: Ticks,
    },
    /// Everything that a copy waits for has ended.
    CopyReady { copy: LaunchId },
    /// A copy or a fill has ended.
    CopyEnded { copy: LaunchId },
    /// Workgroups of a launch ended, or some waves of each of these workgroups.
    WavesEnded { launch: LaunchId, waves: WaveSpan, pieces: &'a [Piece] },
    /// A launch has left the device, as the dispatcher asked by
    /// [`Action::TakeOff`](crate::Action::TakeOff).
    TakenOff {
        launch: LaunchId,
        how: Preemption,
        /// The number of workgroups of the launch that have ended; a killed launch starts again
        /// from workgroup 0.
        done: u64,
    },
    /// A launch that was taken off may continue: its saved workgroups have been restored.
    Restored { launch: LaunchId },
    /// The raised preemption flag of a process is visible: every launch of the process that starts
    /// from now on sees it.
    Raised { process: ProcessId },
    /// The reset of a process's compute units is over.
    ResetOver { process: ProcessId },
    /// A program gives a hint about a process, or about one of its streams; `stream` is `None` for
    /// the process as a whole.
    Hint { process: ProcessId, stream: Option<StreamId>, hint: Hint },
    /// The tick has come at which the dispatcher wanted to be called again.
    Woke,
}
