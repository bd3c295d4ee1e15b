//! How are the actions of a dispatcher handed to a host in C?

use raddle_policy::{
    Action, Actions, FlagCut, LaunchId, Piece, Place, ProcessId, Refusal, StreamId,
};

use crate::launch::{RaddlePiece, RaddleWaves, preemption_number};
use crate::nouns::{RaddlePlace, RaddleResource};

/// Kinds of actions that the host carries out. The text of each kind names the fields of
/// `RaddleAction` that it uses; all others are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleActionKind {
    /// Gives a launch to the device, which may start it from then on. Fields: `launch`, `sequence`,
    /// `packets`, `bytes`, `cost`, `cleanup`. No event reports that it is done.
    Submit = 1,
    /// Starts workgroups, or some waves of each. Fields: `launch`, `waves`, `first_piece`,
    /// `piece_count`, `first_place`, `place_count`. The event `WavesEnded` reports the end of each.
    Start = 2,
    /// Starts a copy. Field: `launch`. The event `CopyEnded` reports its end.
    StartCopy = 3,
    /// Assigns a workgroup to a compute unit before its waves start. Fields: `launch`, `workgroup`,
    /// `cu`.
    Assign = 4,
    /// Takes a launch off the device. Fields: `launch`, `how`. The event `TakenOff` reports when
    /// the launch is off.
    TakeOff = 5,
    /// Lets a launch that was taken off the device continue. Field: `launch`. The event `Restored`
    /// reports when it continues.
    Restore = 6,
    /// Raises the preemption flags of a process. Fields: `process`, `first_cut`, `cut_count`. A
    /// launch leaves at its start if its `sequence` is in the range (cut) of its stream. The event
    /// `Raised` reports that launches see the flags.
    Raise = 7,
    /// Resets the compute units of a process. Field: `process`. The event `ResetOver` reports the
    /// end; each launch that is killed has its own action `TakeOff`.
    Reset = 8,
    /// Says that the preemption of a process is complete; the host has nothing to do. Fields:
    /// `process`, `how`, and `ticks`, the time since the process lost the turn (the right to issue
    /// launches).
    Drained = 9,
    /// Says that a launch will never run; work that waits for it may go on. Fields: `launch`, `cu`,
    /// `resource`, `wanted`, `available`.
    Refuse = 10,
    /// Asks for the event `Woke` at a tick. Field: `ticks`, that tick.
    WakeAt = 11,
    /// Lowers the preemption flags (tested by each launch at its start) of a process, before any
    /// launch that is submitted later starts. Field: `process`. No event reports it.
    Lower = 12,
    /// An action that this version of the C interface does not know.
    Other = 255,
}

/// Action that the host carries out. Fields that the kind does not name are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleAction {
    /// Kind of the action, one of `RaddleActionKind`.
    pub kind: u32,
    /// Id of the launch or copy that the action concerns.
    pub launch: u32,
    /// Id of the process that the action concerns.
    pub process: u16,
    /// Method by which work leaves the device, one of `RaddlePreemption`.
    pub how: u32,
    /// Compute unit that the action concerns; -1 where a refusal concerns all compute units.
    pub cu: i32,
    /// Resource of which a refused launch needs more than there is, one of `RaddleResource`.
    pub resource: u32,
    /// Waves that start, of each workgroup in the pieces of the action.
    pub waves: RaddleWaves,
    /// Index in `RaddleActions.pieces` of the first piece (equal workgroups on one compute unit)
    /// that starts.
    pub first_piece: usize,
    /// Number of pieces (equal workgroups on one compute unit each) that start, from `first_piece`
    /// on.
    pub piece_count: usize,
    /// Index in `RaddleActions.places` of the address (SIMD and granules) of the first wave that
    /// starts. There is one address for each wave, in the order of the pieces.
    pub first_place: usize,
    /// Number of addresses of waves, from `first_place` on; 0 where the policy gives no addresses.
    pub place_count: usize,
    /// Index in `RaddleActions.cuts` of the first cut, the range of submission numbers that leave,
    /// for an action that raises preemption flags. There is one cut for each stream that has
    /// launches to leave.
    pub first_cut: usize,
    /// Number of cuts (ranges of submission numbers that leave, one for each stream), from
    /// `first_cut` on.
    pub cut_count: usize,
    /// Number of the submission among the submissions of its process.
    pub sequence: u64,
    /// Workgroup that is assigned to a compute unit, by its number in the launch.
    pub workgroup: u64,
    /// Number of packets that the submission writes to the queue of the device.
    pub packets: u32,
    /// Number of bytes that the submission writes to the queue of the device.
    pub bytes: u64,
    /// Ticks until the device can start the submitted launch.
    pub cost: u64,
    /// Ticks from the end of the submitted launch until its end is known.
    pub cleanup: u64,
    /// Ticks since the process lost the turn, for `Drained`; tick at which `Woke` is due, for
    /// `WakeAt`.
    pub ticks: u64,
    /// Amount of the lacking resource that one workgroup needs, in granules or slots of that
    /// resource.
    pub wanted: u64,
    /// Amount of the lacking resource that was available, in granules or slots of that resource.
    pub available: u64,
}

/// Actions of one decision, in the order in which the host carries them out. The lists belong to
/// the dispatcher, and are valid until its next decision, or until it is freed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RaddleActions {
    /// Actions of the decision, in the order in which the host carries them out.
    pub list: *const RaddleAction,
    /// Number of actions in `list`.
    pub count: usize,
    /// Pieces (equal workgroups on one compute unit) of all actions that start workgroups; an
    /// action names its own by `first_piece` and `piece_count`.
    pub pieces: *const RaddlePiece,
    /// Number of pieces in the list `pieces`.
    pub piece_count: usize,
    /// Places (addresses on a compute unit) of the waves that start, of all actions; an action
    /// names its own by index and count.
    pub places: *const RaddlePlace,
    /// Number of entries in the list `places`, each the address of one wave.
    pub place_count: usize,
    /// Ranges of submission numbers that leave, one for each stream, of all actions that raise
    /// preemption flags; an action names its own by `first_cut` and `cut_count`.
    pub cuts: *const RaddleStreamCut,
    /// Number of entries in the list `cuts`, each the range of one stream.
    pub cut_count: usize,
}

/// Raised preemption flag of one stream: a launch of the stream leaves when it starts if its
/// `sequence` is `from` or more, and below `to`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleStreamCut {
    /// Id of the stream whose launches leave the device.
    pub stream: u32,
    /// Number of the first launch that leaves the device; launches of the stream are numbered in the
    /// order in which they were handed to the device.
    pub from: u64,
    /// Number of the first later submission that does not leave the device.
    pub to: u64,
}

/// Memory in which the actions of the last decision are stored for C.
#[derive(Debug, Default)]
pub(crate) struct ActionLists {
    actions: Vec<RaddleAction>,
    pieces: Vec<RaddlePiece>,
    places: Vec<RaddlePlace>,
    cuts: Vec<RaddleStreamCut>,
}

impl ActionLists {
    /// Copies the actions of a decision into this memory, and returns pointers to them.
    pub(crate) fn take(&mut self, actions: &Actions) -> RaddleActions {
        self.actions.clear();
        self.pieces.clear();
        self.places.clear();
        self.cuts.clear();
        for action in &actions.list {
            let action = self.written(action, actions);
            self.actions.push(action);
        }
        RaddleActions {
            list: self.actions.as_ptr(),
            count: self.actions.len(),
            pieces: self.pieces.as_ptr(),
            piece_count: self.pieces.len(),
            places: self.places.as_ptr(),
            place_count: self.places.len(),
            cuts: self.cuts.as_ptr(),
            cut_count: self.cuts.len(),
        }
    }

    fn start(&mut self, launch: LaunchId, pieces: &[Piece], places: &[Place]) -> RaddleAction {
        let (first_piece, first_place) = (self.pieces.len(), self.places.len());
        self.pieces.extend(pieces.iter().map(RaddlePiece::from));
        self.places.extend(places.iter().map(RaddlePlace::from));
        RaddleAction {
            kind: RaddleActionKind::Start as u32,
            launch: launch.0,
            first_piece,
            piece_count: pieces.len(),
            first_place,
            place_count: places.len(),
            ..RaddleAction::default()
        }
    }

    fn raise(&mut self, process: ProcessId, cuts: &[(StreamId, FlagCut)]) -> RaddleAction {
        let first_cut = self.cuts.len();
        self.cuts.extend(cuts.iter().map(|&(stream, FlagCut { from, to })| RaddleStreamCut {
            stream: stream.0,
            from,
            to,
        }));
        RaddleAction {
            kind: RaddleActionKind::Raise as u32,
            process: process.0,
            first_cut,
            cut_count: cuts.len(),
            ..RaddleAction::default()
        }
    }

    fn written(&mut self, action: &Action, all: &Actions) -> RaddleAction {
        let plain =
            |kind: RaddleActionKind| RaddleAction { kind: kind as u32, ..Default::default() };
        let of = |kind, launch: LaunchId| RaddleAction { launch: launch.0, ..plain(kind) };
        match action {
            Action::Submit { launch, sequence, via } => RaddleAction {
                sequence: *sequence,
                packets: via.packets,
                bytes: via.bytes,
                cost: via.cost.0,
                cleanup: via.cleanup.0,
                ..of(RaddleActionKind::Submit, *launch)
            },
            Action::Start { launch, waves, pieces, places } => RaddleAction {
                waves: (*waves).into(),
                ..self.start(*launch, all.pieces(pieces), all.places(places))
            },
            Action::StartCopy { copy } => of(RaddleActionKind::StartCopy, *copy),
            Action::Assign { launch, workgroup, cu } => RaddleAction {
                workgroup: *workgroup,
                cu: cu.0.into(),
                ..of(RaddleActionKind::Assign, *launch)
            },
            Action::TakeOff { launch, how } => RaddleAction {
                how: preemption_number(*how),
                ..of(RaddleActionKind::TakeOff, *launch)
            },
            Action::Restore { launch } => of(RaddleActionKind::Restore, *launch),
            Action::Raise { process, cuts } => self.raise(*process, all.cuts(cuts)),
            Action::Lower { process } => {
                RaddleAction { process: process.0, ..plain(RaddleActionKind::Lower) }
            }
            Action::Reset { process } => {
                RaddleAction { process: process.0, ..plain(RaddleActionKind::Reset) }
            }
            Action::Drained { process, how, after } => RaddleAction {
                process: process.0,
                how: preemption_number(*how),
                ticks: after.0,
                ..plain(RaddleActionKind::Drained)
            },
            Action::Refuse { refusal } => refused(refusal),
            Action::WakeAt(at) => RaddleAction { ticks: at.0, ..plain(RaddleActionKind::WakeAt) },
            _ => plain(RaddleActionKind::Other),
        }
    }
}

fn refused(refusal: &Refusal) -> RaddleAction {
    RaddleAction {
        kind: RaddleActionKind::Refuse as u32,
        launch: refusal.launch.0,
        cu: refusal.cu.map_or(-1, |cu| cu.0.into()),
        resource: RaddleResource::of(refusal.resource),
        wanted: refusal.wanted,
        available: refusal.available,
        ..RaddleAction::default()
    }
}
