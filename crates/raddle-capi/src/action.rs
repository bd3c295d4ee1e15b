//! How are the actions of a dispatcher handed to a host in C?

use raddle_policy::{
    Action, Actions, FlagCut, LaunchId, Piece, Place, ProcessId, Refusal, StreamId,
};

use crate::launch::{RaddlePiece, RaddleWaves, preemption_number};
use crate::nouns::{RaddlePlace, RaddleResource};

/// An action that the host carries out. Behind each stand the fields of `RaddleAction` that count; all others are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaddleActionKind {
    /// Take over a launch: `launch`, `packets`, `bytes`, `cost`, `cleanup`. No event reports it.
    Submit = 1,
    /// Start workgroups, or waves of them: `launch`, `waves`, the pieces and the places. `WavesEnded` reports each.
    Start = 2,
    /// Start a copy: `launch`. `CopyEnded` reports its end.
    StartCopy = 3,
    /// Bind a workgroup to a compute unit: `launch`, `workgroup`, `cu`.
    Assign = 4,
    /// Take a launch off: `launch`, `how`. `TakenOff` reports it.
    TakeOff = 5,
    /// Let a launch that was taken off continue: `launch`. `Restored` reports it.
    Restore = 6,
    /// Raise the flags of a process: `process`, `first_cut`, `cut_count`. A launch that starts leaves if the cut of its
    /// stream holds its `sequence`. `Raised` reports that launches see it.
    Raise = 7,
    /// Reset the compute units of a process: `process`. `ResetOver` reports the end; each launch has its `TakeOff`.
    Reset = 8,
    /// The preemption of a process is complete: `process`, `how`, `ticks` since it lost the turn. Nothing is to do.
    Drained = 9,
    /// A launch will never run: `launch`, `cu`, `resource`, `wanted`, `available`. Work that waits for it may go on.
    Refuse = 10,
    /// Send `Woke` at the tick `ticks`.
    WakeAt = 11,
    /// Lower the flags of a process, before anything that is submitted later starts: `process`. Nothing is reported.
    Lower = 12,
    /// An action that this version does not know.
    Other = 255,
}

/// An action that the host carries out.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleAction {
    /// One of `RaddleActionKind`.
    pub kind: u32,
    /// The id of a launch or of a copy.
    pub launch: u32,
    /// The process.
    pub process: u16,
    /// One of `RaddlePreemption`.
    pub how: u32,
    /// The compute unit; -1 where a refusal concerns all of them.
    pub cu: i32,
    /// One of `RaddleResource`: the one that lacks.
    pub resource: u32,
    /// The waves that start.
    pub waves: RaddleWaves,
    /// The first of `RaddleActions.pieces` that start.
    pub first_piece: usize,
    /// The number of pieces that start.
    pub piece_count: usize,
    /// The first of `RaddleActions.places`: one a wave, in the order of the pieces.
    pub first_place: usize,
    /// The number of places; 0 where the policy keeps no addresses.
    pub place_count: usize,
    /// The first of `RaddleActions.cuts`: one a stream that has launches to leave.
    pub first_cut: usize,
    /// The number of cuts.
    pub cut_count: usize,
    /// The number of a submission among those of its process.
    pub sequence: u64,
    /// The workgroup that is bound.
    pub workgroup: u64,
    /// Packets written to the queue of the device.
    pub packets: u32,
    /// Bytes written to the queue.
    pub bytes: u64,
    /// Ticks until the device can start the launch.
    pub cost: u64,
    /// Ticks from the end of the launch until its end is known.
    pub cleanup: u64,
    /// A span of ticks, or a tick.
    pub ticks: u64,
    /// The amount that one workgroup needs, in granules.
    pub wanted: u64,
    /// The amount that is there.
    pub available: u64,
}

/// The actions of one decision, in the order in which they are carried out. The lists belong to the dispatcher, and
/// stand until its next decision, or until it is freed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RaddleActions {
    /// The actions.
    pub list: *const RaddleAction,
    /// The number of actions.
    pub count: usize,
    /// Pieces, which actions refer to.
    pub pieces: *const RaddlePiece,
    /// The number of pieces.
    pub piece_count: usize,
    /// Places, which actions refer to.
    pub places: *const RaddlePlace,
    /// The number of places.
    pub place_count: usize,
    /// The cuts of raised flags, which actions refer to.
    pub cuts: *const RaddleStreamCut,
    /// The number of cuts.
    pub cut_count: usize,
}

/// A raised flag of one stream: launches of it leave when they start if their `sequence` is `from` or more, and below `to`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RaddleStreamCut {
    /// The stream.
    pub stream: u32,
    /// The first submission that leaves.
    pub from: u64,
    /// The first later submission that does not leave.
    pub to: u64,
}

/// The memory of the actions of a decision.
#[derive(Debug, Default)]
pub(crate) struct ActionLists {
    actions: Vec<RaddleAction>,
    pieces: Vec<RaddlePiece>,
    places: Vec<RaddlePlace>,
    cuts: Vec<RaddleStreamCut>,
}

impl ActionLists {
    /// Takes over the actions of a decision, and returns where they are.
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
