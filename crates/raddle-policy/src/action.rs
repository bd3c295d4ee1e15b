//! What does the dispatcher tell a device?

use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    CuId, LaunchId, Piece, Place, Preemption, ProcessId, Refusal, StreamId, Submission, Tick,
    Ticks, WaveSpan,
};

/// One action that the device must carry out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
#[expect(missing_docs, reason = "the variant says what its fields are")]
pub enum Action {
    /// Take over a launch.
    Submit {
        launch: LaunchId,
        /// The number of the submission among those of its process, which a raised flag compares
        /// with its [`FlagCut`].
        sequence: u64,
        /// The cost of the launch's path to the device.
        via: Submission,
    },
    /// Start workgroups, or waves of them.
    Start {
        launch: LaunchId,
        waves: WaveSpan,
        /// The range of the pieces: see [`Actions::pieces`].
        pieces: Range<usize>,
        /// The range of the addresses (empty without, or if they are not kept): see
        /// [`Actions::places`].
        places: Range<usize>,
    },
    /// Start a copy that was submitted and is ready; [`crate::Event::CopyEnded`] says when it ends.
    StartCopy { copy: LaunchId },
    /// Bind a workgroup to a compute unit.
    Assign { launch: LaunchId, workgroup: u64, cu: CuId },
    /// Take a launch off.
    TakeOff { launch: LaunchId, how: Preemption },
    /// Let a launch that was taken off continue.
    Restore { launch: LaunchId },
    /// Raise the flags of a process; [`crate::Event::Raised`] says when launches see them. A launch
    /// that starts leaves if the cut of its stream holds the number of its submission.
    Raise {
        process: ProcessId,
        /// The range of the cuts, one a stream that has launches to leave: see [`Actions::cuts`].
        cuts: Range<usize>,
    },
    /// Lower the flags of a process, before anything that is submitted later starts. Nothing is
    /// reported.
    Lower { process: ProcessId },
    /// Reset the compute units of a process; for each launch to kill there is an action of its own.
    /// [`crate::Event::ResetOver`] says when it is over.
    Reset { process: ProcessId },
    /// The preemption of a process is complete: none of its work is on the device, or none runs
    /// there.
    Drained {
        process: ProcessId,
        /// The method that the policy chose.
        how: Preemption,
        /// The time since the process lost the turn.
        after: Ticks,
    },
    /// This launch will never run; launches that wait for it need not wait any more.
    Refuse { refusal: Refusal },
    /// Send [`crate::Event::Woke`] at this tick.
    WakeAt(Tick),
}

/// A raised flag of one stream: the range of its submissions that leave when they start.
///
/// `from` excludes launches that must run to their end; `to` excludes later submissions, so that a
/// late view of the raised flag makes no later launch leave (seed 001; A9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct FlagCut {
    /// The first submission that leaves.
    pub from: u64,
    /// The first later submission that does not leave.
    pub to: u64,
}

impl FlagCut {
    /// Returns whether a submission leaves.
    #[must_use]
    pub const fn holds(self, sequence: u64) -> bool {
        self.from <= sequence && sequence < self.to
    }
}

/// The actions of one decision, with the lists they point into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Actions {
    /// The actions, in the order in which they are carried out.
    pub list: Vec<Action>,
    pieces: Vec<Piece>,
    places: Vec<Place>,
    cuts: Vec<(StreamId, FlagCut)>,
    leaves_places_out: bool,
}

impl Actions {
    /// Returns an empty list for a device that ignores addresses: [`Actions::start`] drops them.
    #[must_use]
    pub fn without_places() -> Self {
        Self { leaves_places_out: true, ..Self::default() }
    }

    /// Empties the lists and keeps their memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.pieces.clear();
        self.places.clear();
        self.cuts.clear();
    }

    /// Adds an action without lists.
    pub fn push(&mut self, action: Action) {
        self.list.push(action);
    }

    /// Adds a start of workgroups, with its pieces and addresses.
    pub fn start(&mut self, launch: LaunchId, waves: WaveSpan, pieces: &[Piece], places: &[Place]) {
        let (piece, place) = (self.pieces.len(), self.places.len());
        self.pieces.extend_from_slice(pieces);
        if !self.leaves_places_out {
            self.places.extend_from_slice(places);
        }
        self.list.push(Action::Start {
            launch,
            waves,
            pieces: piece..self.pieces.len(),
            places: place..self.places.len(),
        });
    }

    /// Adds the raise of the flags of a process, with the cuts of its streams.
    pub fn raise(
        &mut self,
        process: ProcessId,
        cuts: impl IntoIterator<Item = (StreamId, FlagCut)>,
    ) {
        let first = self.cuts.len();
        self.cuts.extend(cuts);
        self.list.push(Action::Raise { process, cuts: first..self.cuts.len() });
    }

    /// Returns the pieces of a start.
    #[must_use]
    pub fn pieces(&self, range: &Range<usize>) -> &[Piece] {
        self.pieces.get(range.clone()).unwrap_or(&[])
    }

    /// Returns the addresses of a start.
    #[must_use]
    pub fn places(&self, range: &Range<usize>) -> &[Place] {
        self.places.get(range.clone()).unwrap_or(&[])
    }

    /// Returns the cuts of raised flags, by stream.
    #[must_use]
    pub fn cuts(&self, range: &Range<usize>) -> &[(StreamId, FlagCut)] {
        self.cuts.get(range.clone()).unwrap_or(&[])
    }
}
