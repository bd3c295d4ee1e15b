//! Which events, and which answers that were carried out, are policies told?

use crate::{CuId, Launch, LaunchId, Piece, Place, Preemption, ProcessId, WaveSpan};

/// An event, or an answer that was carried out, in the form in which policies observe it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Fact<'a> {
    /// A process has joined, and may issue launches from now on.
    ProcessJoined {
        process: ProcessId,
        /// The share of the process, 1 or more: a factor of its weight where the device is divided
        /// fairly among processes.
        share: u32,
    },
    /// A process is gone; all its launches have ended.
    ProcessLeft { process: ProcessId },
    /// A launch was given to the device.
    Submitted { launch: &'a Launch },
    /// Workgroups of a launch started, or some waves of each of these workgroups.
    Started {
        launch: &'a Launch,
        waves: WaveSpan,
        pieces: &'a [Piece],
        /// The addresses of the waves that started, one for each wave; empty if the answer gave
        /// none.
        places: &'a [Place],
    },
    /// A workgroup was assigned to a compute unit, before its waves can start.
    Assigned { launch: &'a Launch, workgroup: u64, cu: CuId },
    /// Workgroups of a launch, or some waves of each of these workgroups, ended and freed their
    /// resources.
    Ended { launch: &'a Launch, waves: WaveSpan, pieces: &'a [Piece] },
    /// A launch has ended: all its workgroups have.
    LaunchEnded { launch: LaunchId },
    /// A launch was asked to leave the device. Workgroups that are killed or saved do not run any
    /// more, but they hold their resources until the launch has been taken off.
    Leaving { launch: &'a Launch, how: Preemption },
    /// A launch was taken off the device. After the methods `Reset` and `Switch` its resources are
    /// free again, and its assigned workgroups that had not started are no longer assigned.
    TakenOff { launch: &'a Launch, how: Preemption },
    /// A launch that was taken off is being restored: from now on its saved workgroups hold their
    /// resources again.
    Returning { launch: &'a Launch },
    /// A launch that was taken off runs again: its saved workgroups have been restored.
    Restored { launch: &'a Launch },
}

impl Fact<'_> {
    /// Returns the process that the fact is about; `None` for a fact that does not name a process,
    /// such as the end of a launch.
    #[must_use]
    pub(crate) const fn process(&self) -> Option<ProcessId> {
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
