//! What is written without the feature `recipes`? Nothing.

use raddle_policy::{Event, Launch, Piece, Place, Tick, WaveSpan};

use crate::answer::LoggedAnswer;

/// Writes nothing.
#[derive(Debug)]
pub(crate) struct SilentLog(());

impl SilentLog {
    pub(crate) const fn off() -> Self {
        Self(())
    }

    #[expect(clippy::unused_self, reason = "the log that is written has a self")]
    pub(crate) const fn event(&mut self, _now: Tick, _step: u64, _event: &Event<'_>) {}

    #[expect(clippy::unused_self, reason = "the log that is written has a self")]
    pub(crate) fn answer(&mut self, _now: Tick, _step: u64, _said: LoggedAnswer<'_>) {}

    #[expect(clippy::unused_self, reason = "the log that is written has a self")]
    pub(crate) const fn start(
        &mut self,
        _now: Tick,
        _step: u64,
        _launch: &Launch,
        _waves: WaveSpan,
        _pieces: &[Piece],
        _places: &[Place],
    ) {
    }
}
