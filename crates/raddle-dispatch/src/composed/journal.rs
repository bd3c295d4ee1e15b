//! Who is told of the events and answers of a dispatcher: a log, an observer, or the check of
//! rules?

use alloc::boxed::Box;

use raddle_policy::{Event, Launch, Piece, Place, Tick, WaveSpan};
use raddle_preempt::Abilities;

use super::Checker;
use crate::answer::LoggedAnswer;
#[cfg(feature = "recipes")]
use crate::error::{DispatchError, DispatchReason};
#[cfg(feature = "recipes")]
use crate::log::LogWriter;
use crate::told::ToldLine;

/// A callback that is called with each event and each answer of a dispatcher.
pub(super) type ToldFn = Box<dyn FnMut(&ToldLine<'_>) + Send>;

/// The listeners that are told of a dispatcher's events and answers: a decision log, an observer,
/// both, or none.
#[derive(Default)]
pub(super) struct Listeners {
    #[cfg(feature = "recipes")]
    pub(super) writer: LogWriter,
    pub(super) observer: Option<ToldFn>,
}

impl Listeners {
    /// Returns whether there is neither a log nor an observer, so that nobody is told anything.
    pub(super) const fn is_off(&self) -> bool {
        #[cfg(feature = "recipes")]
        if !self.writer.is_off() {
            return false;
        }
        self.observer.is_none()
    }

    /// Writes the header of the decision log, for a device with these preemption methods.
    #[cfg_attr(
        not(feature = "recipes"),
        expect(clippy::unused_self, clippy::missing_const_for_fn, reason = "the log has them")
    )]
    pub(super) fn open(&mut self, abilities: Abilities) {
        #[cfg(feature = "recipes")]
        self.writer.open(abilities);
        #[cfg(not(feature = "recipes"))]
        let _ = abilities;
    }

    #[cfg(feature = "recipes")]
    pub(super) fn finish(&mut self) -> std::io::Result<()> {
        self.writer.finish()
    }
}

/// The log and the observer of a dispatcher, the checker of the rules of its decisions, and the
/// number of decisions so far.
pub(super) struct Journal {
    pub(super) log: Listeners,
    pub(super) rules: Checker,
    pub(super) step: u64,
}

impl Journal {
    pub(super) fn event(&mut self, now: Tick, event: &Event<'_>) {
        self.rules.event(event);
        if let Some(observer) = &mut self.log.observer {
            observer(&ToldLine::event(now, self.step, event));
        }
        #[cfg(feature = "recipes")]
        self.log.writer.event(now, self.step, event);
    }

    #[cfg_attr(
        not(feature = "recipes"),
        expect(clippy::needless_pass_by_value, reason = "the log takes it")
    )]
    pub(super) fn answer(&mut self, now: Tick, answer: LoggedAnswer<'_>) {
        self.rules.answer(&answer);
        if let Some(observer) = &mut self.log.observer {
            observer(&ToldLine::answer(now, self.step, &answer));
        }
        #[cfg(feature = "recipes")]
        self.log.writer.answer(now, self.step, answer);
    }

    pub(super) fn start(
        &mut self,
        now: Tick,
        launch: &Launch,
        waves: WaveSpan,
        pieces: &[Piece],
        places: &[Place],
    ) {
        let (first, _) = waves.bounds(launch.demand.waves);
        self.rules.starts(launch.id, first == 0);
        if let Some(observer) = &mut self.log.observer {
            observer(&ToldLine::start((now, self.step), launch, waves, pieces, places));
        }
        #[cfg(feature = "recipes")]
        self.log.writer.start(now, self.step, launch, waves, pieces, places);
    }

    /// Returns an error if the dispatcher has broken a rule of the preemption controller; no event
    /// and no policy can cause that.
    #[cfg(feature = "recipes")]
    pub(super) fn kept(&self, at: Tick) -> Result<(), DispatchError> {
        match self.rules.broken() {
            None => Ok(()),
            Some((rule, what)) => Err(DispatchError(DispatchReason::Rule {
                rule: rule.number(),
                at,
                what: what.into(),
            })),
        }
    }
}
