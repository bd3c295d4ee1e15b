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
    /// Gives a launch to the device, which may start it from then on.
    Submit {
        launch: LaunchId,
        /// The number of the submission; each process counts its own. A launch leaves the device at
        /// its start if this number is within the raised [`FlagCut`] of its stream.
        sequence: u64,
        /// The cost of giving the launch to the device: packets, bytes and time in ticks.
        via: Submission,
    },
    /// Starts workgroups of a launch, or some waves of each of them.
    Start {
        launch: LaunchId,
        waves: WaveSpan,
        /// The range of this action in the list [`Actions::pieces`]. Each piece is equal workgroups
        /// on one compute unit that start.
        pieces: Range<usize>,
        /// The range of this action in the list [`Actions::places`]: the addresses of the starting
        /// waves, where the registers and the LDS of each wave begin. The range is empty if the
        /// policy gives no addresses or the device ignores them.
        places: Range<usize>,
    },
    /// Starts a copy that was submitted and is ready; [`crate::Event::CopyEnded`] reports its end.
    StartCopy { copy: LaunchId },
    /// Binds one workgroup of a launch to a compute unit; its waves start later.
    Assign { launch: LaunchId, workgroup: u64, cu: CuId },
    /// Takes a launch off the device by the preemption method `how`.
    TakeOff { launch: LaunchId, how: Preemption },
    /// Lets a launch that was taken off the device continue.
    Restore { launch: LaunchId },
    /// Raises the preemption flags of a process, one for each stream: each is a range of submission
    /// numbers. A launch that starts from then on leaves the device if the number of its submission
    /// is in the range of its stream. [`crate::Event::Raised`] says when launches see the flags.
    Raise {
        process: ProcessId,
        /// The range of this action in the list [`Actions::cuts`]: for each stream, which of its
        /// submissions leave the device.
        cuts: Range<usize>,
    },
    /// Lowers the preemption flags of a process, which each launch tests at its start. This is done
    /// before any launch that is submitted later starts. No event reports it.
    Lower { process: ProcessId },
    /// Resets the compute units of a process, which kills launches on them. For each killed launch
    /// there is a [`Action::TakeOff`]. [`crate::Event::ResetOver`] reports the end of the reset.
    Reset { process: ProcessId },
    /// Reports to the host that the preemption of a process is complete: its work has left the
    /// device, or stays there without running. The host need not act on it.
    Drained {
        process: ProcessId,
        /// The method of preempting that the preempt policy chose.
        how: Preemption,
        /// The time from the moment at which the process lost the turn (the right to issue
        /// launches) to the end of the preemption, in ticks.
        after: Ticks,
    },
    /// Reports that a launch will never run. Launches that wait for its end need not wait any more.
    Refuse { refusal: Refusal },
    /// Asks for the event [`crate::Event::Woke`] at this tick.
    WakeAt(Tick),
}

/// A raised preemption flag of one stream: the range of the stream's submissions whose launches
/// leave the device when they start.
///
/// Launches before `from` must run to their end. Submissions from `to` on came after the flag was
/// raised: even if their launches still see it, they do not leave (seed 001, a patent).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct FlagCut {
    /// The number of the first submission whose launch leaves.
    pub from: u64,
    /// The number of the first submission after those whose launches leave; its own launch stays.
    pub to: u64,
}

impl FlagCut {
    /// Returns whether the submission with the number `sequence` is in this range, so that its
    /// launch leaves the device when it starts.
    #[must_use]
    pub const fn holds(self, sequence: u64) -> bool {
        self.from <= sequence && sequence < self.to
    }
}

/// The actions of one decision, with three lists to which ranges in the actions refer: pieces
/// (equal workgroups on one compute unit), addresses, and submissions that leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Actions {
    /// The actions of the decision, in the order in which they are carried out.
    pub list: Vec<Action>,
    pieces: Vec<Piece>,
    places: Vec<Place>,
    cuts: Vec<(StreamId, FlagCut)>,
    leaves_places_out: bool,
}

impl Actions {
    /// Returns an empty list of actions for a device that ignores the addresses of waves;
    /// [`Actions::start`] then stores none.
    #[must_use]
    #[doc(hidden)]
    pub fn without_places() -> Self {
        Self { leaves_places_out: true, ..Self::default() }
    }

    /// Removes all actions and the contents of their lists, and keeps the memory for the next
    /// decision.
    pub fn clear(&mut self) {
        self.list.clear();
        self.pieces.clear();
        self.places.clear();
        self.cuts.clear();
    }

    /// Adds an action that has no range in any of the lists.
    pub fn push(&mut self, action: Action) {
        self.list.push(action);
    }

    /// Adds the start of workgroups (or waves) of a launch, with the pieces (equal workgroups on
    /// one compute unit) that name them and the addresses of their waves.
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

    /// Adds the action that raises a process's preemption flags (tested by each launch at its
    /// start). `cuts` has, for each stream, which of its submissions leave.
    pub fn raise(
        &mut self,
        process: ProcessId,
        cuts: impl IntoIterator<Item = (StreamId, FlagCut)>,
    ) {
        let first = self.cuts.len();
        self.cuts.extend(cuts);
        self.list.push(Action::Raise { process, cuts: first..self.cuts.len() });
    }

    /// Returns the pieces (equal workgroups on one compute unit) of one [`Action::Start`], given
    /// the range that the action has.
    #[must_use]
    pub fn pieces(&self, range: &Range<usize>) -> &[Piece] {
        self.pieces.get(range.clone()).unwrap_or(&[])
    }

    /// Returns the addresses of the waves (where their registers and LDS begin) of one
    /// [`Action::Start`], given the range that the action has: one for each wave, or none.
    #[must_use]
    pub fn places(&self, range: &Range<usize>) -> &[Place] {
        self.places.get(range.clone()).unwrap_or(&[])
    }

    /// Returns the cuts (ranges of submissions that leave) of one [`Action::Raise`], given the
    /// range that the action has, as (stream, its cut).
    #[must_use]
    pub fn cuts(&self, range: &Range<usize>) -> &[(StreamId, FlagCut)] {
        self.cuts.get(range.clone()).unwrap_or(&[])
    }
}
