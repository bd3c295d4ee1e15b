//! What is an observer of a dispatcher told?
//!
//! An observer gets each event and each answer, as a line of the decision log has it, even in a
//! build without the standard library, which can write no log.

use raddle_policy::{Event, Launch, Piece, Place, Tick, WaveSpan};
use serde::Serialize;

use crate::answer::{LoggedAnswer, WrittenPieces};
use crate::line::{LogLine, LoggedEvent};

/// An event that a dispatcher took, or an answer that a policy or the dispatcher gave. Serialised
/// as JSON by serde, it is a line of the decision log that leaves nothing out.
///
/// ```
/// use raddle_dispatch::{Composed, Dispatcher};
/// use raddle_policy::{Event, ProcessId, Tick};
/// # let shape = raddle_policy::CuShape { simds: 4, waves_per_simd: 16, vgpr_per_simd: 64,
/// #     sgpr: u16::MAX, lds: 384, workgroups: 32, barriers: 512 };
/// let (send, lines) = std::sync::mpsc::channel();
/// let mut dispatcher = Composed::builder(shape, 80)
///     .observe(move |told| send.send(serde_json::to_string(told).unwrap()).unwrap())
///     .build()?;
/// dispatcher.event(&Event::ProcessJoined { process: ProcessId(0), share: 1 }, Tick(7))?;
/// let line = r#"{"t":7,"step":0,"event":"process-joined","process":0,"share":1}"#;
/// assert_eq!(lines.recv().as_deref(), Ok(line));
/// # Ok::<(), raddle_dispatch::DispatchError>(())
/// ```
#[derive(Serialize)]
#[serde(transparent)]
pub struct ToldLine<'a>(LogLine<LineBody<'a>>);

/// The event or answer of a log line, without its time.
#[derive(Serialize)]
#[serde(untagged)]
enum LineBody<'a> {
    Event(LoggedEvent<WrittenPieces<'a>>),
    Answer(&'a LoggedAnswer<'a>),
    Start(LoggedAnswer<'a>),
}

impl core::fmt::Debug for ToldLine<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ToldLine")
            .field("tick", &self.tick())
            .field("is_event", &self.is_event())
            .finish_non_exhaustive()
    }
}

impl<'a> ToldLine<'a> {
    /// Returns the tick of the log line's event or answer.
    #[must_use]
    pub const fn tick(&self) -> Tick {
        self.0.t
    }

    /// Returns whether the log line is an event; if false, it is an answer of the dispatcher.
    #[must_use]
    pub const fn is_event(&self) -> bool {
        matches!(self.0.said, LineBody::Event(_))
    }

    pub(crate) fn event(t: Tick, step: u64, event: &Event<'a>) -> Self {
        Self(LogLine { t, step, said: LineBody::Event(event.into()) })
    }

    pub(crate) const fn answer(t: Tick, step: u64, answer: &'a LoggedAnswer<'a>) -> Self {
        Self(LogLine { t, step, said: LineBody::Answer(answer) })
    }

    /// Returns the line of an answer that starts workgroups of a launch, with a hash of their
    /// addresses.
    pub(crate) fn start(
        (t, step): (Tick, u64),
        launch: &Launch,
        waves: WaveSpan,
        pieces: &'a [Piece],
        places: &'a [Place],
    ) -> Self {
        let said = LoggedAnswer::start(launch.id, waves, pieces, places, (false, None));
        Self(LogLine { t, step, said: LineBody::Start(said) })
    }
}
