//! How are events read and actions written in JSON, for a device outside this program?

use raddle_policy::{
    Action, Actions, CuId, Event, FlagCut, LaunchId, Piece, Place, Preemption, ProcessId, Refusal,
    StreamId, Tick, Ticks,
};
use serde::Serialize;

use crate::DispatchError;
use crate::answer::runs::PieceRun;
use crate::answer::{TakenOff, WrittenPieces, as_lists};
use crate::error::DispatchReason;
use crate::line::{LoggedEvent, spelled};

/// Reads an event from JSON as in a line of a log, but without its time: `{"event":"woke"}`. The
/// device has `cus` compute units. For an event that ends waves, `pieces` gets their workgroups, in
/// groups of equal ones on one compute unit.
///
/// ```
/// use raddle_policy::{Event, ProcessId};
///
/// let text = r#"{"event":"process-joined","process":0,"share":1}"#;
/// let mut pieces = Vec::new();
/// let event = raddle_dispatch::log::event_of(text, 80, &mut pieces)?;
/// assert_eq!(event, Event::ProcessJoined { process: ProcessId(0), share: 1 });
/// # Ok::<(), raddle_dispatch::DispatchError>(())
/// ```
///
/// # Errors
/// When the text is no event for a dispatcher, or names a compute unit that the device does not
/// have.
#[doc(hidden)]
pub fn event_of<'p>(
    text: &str,
    cus: u16,
    pieces: &'p mut Vec<Piece>,
) -> Result<Event<'p>, DispatchError> {
    let bad = |what: String| DispatchError(DispatchReason::BadEvent { what });
    let read: LoggedEvent<Vec<PieceRun>> = serde_json::from_str(text).map_err(|error| {
        let told = error.to_string();
        // The text is one line, so its place in a file tells nothing.
        bad(told.rsplit_once(" at line ").map_or(&*told, |(message, _)| message).to_owned())
    })?;
    pieces.clear();
    read.event(cus, pieces).map_err(|what| bad(what.to_owned()))
}

/// Returns the actions of a decision as a JSON list. Each action has the keys that its answer has
/// in the decision log.
///
/// Some have further keys for the device: a submission has its `sequence`, a raised preemption flag
/// has the `cuts` as `[stream, from, to]`, and a complete preemption has the ticks `after` which it
/// was complete. The addresses of a start are given in full, not as a hash.
///
/// ```
/// use raddle_policy::{Action, Actions, LaunchId};
///
/// let mut actions = Actions::default();
/// actions.push(Action::Restore { launch: LaunchId(3) });
/// assert_eq!(raddle_dispatch::log::spelled_actions(&actions), r#"[{"action":"restore","launch":3}]"#);
/// ```
#[must_use]
#[doc(hidden)]
pub fn spelled_actions(actions: &Actions) -> String {
    let spelled: Vec<SpelledAction<'_>> =
        actions.list.iter().map(|action| SpelledAction::of(action, actions)).collect();
    serde_json::to_string(&spelled).expect("numbers and words in lists are JSON")
}

/// An action in the JSON form in which a device outside this program reads it.
#[derive(Serialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
enum SpelledAction<'a> {
    Submit {
        launch: LaunchId,
        sequence: u64,
        packets: u32,
        bytes: u64,
        cost: Ticks,
        cleanup: Ticks,
    },
    Start {
        launch: LaunchId,
        #[serde(skip_serializing_if = "Option::is_none")]
        waves: Option<(u16, u16)>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cut: Option<(u16, u16)>,
        pieces: WrittenPieces<'a>,
        #[serde(skip_serializing_if = "<[_]>::is_empty", serialize_with = "as_lists")]
        places: &'a [Place],
    },
    StartCopy {
        copy: LaunchId,
    },
    Assign {
        launch: LaunchId,
        workgroup: u64,
        cu: CuId,
    },
    TakeOff {
        launch: LaunchId,
        #[serde(with = "TakenOff")]
        how: Preemption,
    },
    Restore {
        launch: LaunchId,
    },
    Raise {
        process: ProcessId,
        cuts: Vec<(StreamId, u64, u64)>,
    },
    Lower {
        process: ProcessId,
    },
    Reset {
        process: ProcessId,
    },
    Drained {
        process: ProcessId,
        how: &'static str,
        after: Ticks,
    },
    Refuse(Refusal),
    WakeAt {
        at: Tick,
    },
    /// An action that this version of the format of decision logs cannot spell.
    Unknown,
}

impl<'a> SpelledAction<'a> {
    fn of(action: &Action, lists: &'a Actions) -> Self {
        match *action {
            Action::Submit { launch, sequence, via } => {
                let raddle_policy::Submission { packets, bytes, cost, cleanup } = via;
                Self::Submit { launch, sequence, packets, bytes, cost, cleanup }
            }
            Action::Start { launch, waves, ref pieces, ref places } => {
                let (waves, cut) = spelled(waves);
                let pieces = WrittenPieces { pieces: lists.pieces(pieces), from: 0 };
                Self::Start { launch, waves, cut, pieces, places: lists.places(places) }
            }
            Action::StartCopy { copy } => Self::StartCopy { copy },
            Action::Assign { launch, workgroup, cu } => Self::Assign { launch, workgroup, cu },
            Action::TakeOff { launch, how } => Self::TakeOff { launch, how },
            Action::Restore { launch } => Self::Restore { launch },
            Action::Raise { process, ref cuts } => {
                let cuts = lists.cuts(cuts).iter();
                let cuts = cuts.map(|&(stream, FlagCut { from, to })| (stream, from, to)).collect();
                Self::Raise { process, cuts }
            }
            Action::Lower { process } => Self::Lower { process },
            Action::Reset { process } => Self::Reset { process },
            Action::Drained { process, how, after } => {
                Self::Drained { process, how: how.name(), after }
            }
            Action::Refuse { refusal } => Self::Refuse(refusal),
            Action::WakeAt(at) => Self::WakeAt { at },
            _ => Self::Unknown,
        }
    }
}
