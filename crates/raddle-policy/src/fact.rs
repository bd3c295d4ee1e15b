//! What has happened, as policies hear it?

use crate::{CuId, Launch, LaunchId, Piece, Place, Preemption, ProcessId, WaveSpan};

/// Something that happened: an event, or an answer that was carried out.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Fact<'a> {
    /// A process appeared.
    ProcessJoined {
        process: ProcessId,
        /// Its share, 1 or more.
        share: u32,
    },
    /// A process is gone; all its launches have ended.
    ProcessLeft { process: ProcessId },
    /// A launch was given to the device.
    Submitted { launch: &'a Launch },
    /// Workgroups, or waves of them, started.
    Started {
        launch: &'a Launch,
        waves: WaveSpan,
        pieces: &'a [Piece],
        /// At which addresses, if the answer gave any.
        places: &'a [Place],
    },
    /// A workgroup was bound to a compute unit.
    Assigned { launch: &'a Launch, workgroup: u64, cu: CuId },
    /// Workgroups, or waves of them, ended and gave back what they held.
    Ended { launch: &'a Launch, waves: WaveSpan, pieces: &'a [Piece] },
    /// A launch has ended as a whole.
    LaunchEnded { launch: LaunchId },
    /// A launch was asked to leave. From now on nothing of it runs that is to be killed or saved; it
    /// keeps its place until it has been taken off.
    Leaving { launch: &'a Launch, how: Preemption },
    /// A launch was taken off; after `Reset` and `Switch` what it held is free again, and workgroups
    /// that were assigned and had not started are not assigned any more.
    TakenOff { launch: &'a Launch, how: Preemption },
    /// A launch taken off is on its way back: what was saved takes its place again from now on.
    Returning { launch: &'a Launch },
    /// A launch taken off may go on.
    Restored { launch: &'a Launch },
}

impl Fact<'_> {
    /// Whose fact it is, where it says so: the end of a launch does not.
    #[must_use]
    pub const fn process(&self) -> Option<ProcessId> {
        match self {
            Self::ProcessJoined { process, .. } | Self::ProcessLeft { process } => Some(*process),
            Self::Submitted { launch }
            | Self::Started { launch, .. }
            | Self::Assigned { launch, .. }
            | Self::Ended { launch, .. }
            | Self::Leaving { launch, .. }
            | Self::TakenOff { launch, .. }
            | Self::Returning { launch }
            | Self::Restored { launch } => Some(launch.process),
            Self::LaunchEnded { .. } => None,
        }
    }
}
