//! What does the dispatcher tell a device?

use alloc::vec::Vec;
use core::ops::Range;

use crate::{
    CuId, LaunchId, Piece, Place, Preemption, ProcessId, Refusal, Submission, Tick, Ticks, WaveSpan,
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
    /// Raise the flag of a process; [`crate::Event::Raised`] says when launches see it.
    Raise { process: ProcessId },
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

/// The actions of one decision, with the lists they point into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub struct Actions {
    /// The actions, in the order in which they are carried out.
    pub list: Vec<Action>,
    pieces: Vec<Piece>,
    places: Vec<Place>,
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
}
