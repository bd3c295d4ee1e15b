//! What does a device or a host tell the dispatcher?

use crate::{Launch, LaunchId, Piece, Preemption, ProcessId, WaveSpan};

/// Something that happened outside the dispatcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A process appeared.
    ProcessJoined {
        /// Which.
        process: ProcessId,
        /// Its share, 1 or more.
        share: u32,
    },
    /// A process is gone.
    ProcessLeft {
        /// Which.
        process: ProcessId,
    },
    /// A launch was issued by its host and waits for another one. Told only to a dispatcher that
    /// looks ahead; [`Event::LaunchReady`] follows when nothing is left that it waits for. Of one
    /// process they come in the order of issue, and never before what they wait for.
    LaunchIssued {
        /// The launch.
        launch: Launch,
    },
    /// A launch was issued by its host and everything it waits for has ended.
    LaunchReady {
        /// The launch, as it was issued.
        launch: Launch,
    },
    /// Workgroups, or waves of them, ended.
    WavesEnded {
        /// Of which launch.
        launch: LaunchId,
        /// Which waves of each.
        waves: WaveSpan,
        /// Which workgroups, where.
        pieces: &'a [Piece],
    },
    /// A launch has been taken off as asked.
    TakenOff {
        /// Which.
        launch: LaunchId,
        /// How.
        how: Preemption,
        /// Workgroups of it that have ended; a killed launch starts again from 0.
        done: u64,
    },
    /// A launch taken off may go on: what was saved is back in its place.
    Restored {
        /// Which.
        launch: LaunchId,
    },
    /// A wake that was asked for.
    Woke,
}
