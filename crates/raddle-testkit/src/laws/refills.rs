//! Does a policy that says that refills do not matter to it answer as if there had been none?
//!
//! A refill: workgroups of a launch end and are followed at once, on the same compute units, by as
//! many of that launch, so that as much is free as before. From the first refill of a scenario on,
//! a clone of the policy that was not told of the refill is asked the same questions.

use std::ops::Range;

use raddle_policy::{
    Allocate, Answer, CuId, Cus, Fact, LaunchId, Piece, ProcessId, ReadyView, Round, Tick, WaveSpan,
};

use super::render::told;
use crate::builders::launch;

/// Numbers of workgroups on neighbouring compute units: (range of units, workgroups on each).
type Units = Vec<(Range<usize>, u32)>;

/// Test that refills do not change a policy's answers. In a refill, workgroups end and are replaced
/// at once by as many of the same launch. A clone that is not told of the refills must give the
/// same answers as the policy.
pub(super) struct RefillCheck<P> {
    /// Clone of the policy that was not told of any refill; `None` before the first refill.
    without: Option<P>,
    /// Free resources when the policy last answered that it waits; `None` where something has
    /// happened since, or where its last answer was not to wait.
    rested: Option<Cus>,
    begun: Option<Begun<P>>,
}

/// Refill (workgroups end and are replaced at once by as many of the same launch) that has begun
/// and is not complete.
struct Begun<P> {
    /// Clone of the policy in its state before the refill.
    before: P,
    free: Cus,
    launch: LaunchId,
    units: Units,
    stage: Stage,
}

/// Latest part of a refill that has happened: old workgroups ended, the policy answered, or new
/// workgroups started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Ended,
    Answered,
    Started,
}

impl<P> Default for RefillCheck<P> {
    fn default() -> Self {
        Self { without: None, rested: None, begun: None }
    }
}

fn units(pieces: &[Piece]) -> Units {
    Piece::by_units(pieces).collect()
}

/// Calls `tell` with the facts of an example refill: a workgroup of a launch of this process ends,
/// and another one starts in its place.
pub(super) fn refill(process: ProcessId, mut tell: impl FnMut(&Fact<'_>)) {
    let launch = launch(0).process(process.0).workgroups(8).build();
    let waves = WaveSpan::All;
    tell(&Fact::Ended { launch: &launch, waves, pieces: &[Piece::one(0, CuId(0))] });
    let pieces = &[Piece::one(1, CuId(0))];
    tell(&Fact::Started { launch: &launch, waves, pieces, places: &[] });
}

impl<P: Allocate + Clone> RefillCheck<P> {
    /// Notes a fact before the policy under test observes it, to see whether a refill happens.
    pub(super) fn observe(&mut self, policy: &P, fact: &Fact<'_>, now: Tick) {
        self.begun = match (*fact, self.rested.take(), self.begun.take()) {
            (Fact::Ended { launch, waves: WaveSpan::All, pieces }, Some(free), None) => {
                let before = self.without.as_ref().unwrap_or(policy).clone();
                let (launch, units) = (launch.id, units(pieces));
                Some(Begun { before, free, launch, units, stage: Stage::Ended })
            }
            (Fact::Started { launch, .. }, _, Some(begun))
                if begun.stage == Stage::Answered && begun.launch == launch.id =>
            {
                Some(Begun { stage: Stage::Started, ..begun })
            }
            _ => None,
        };
        if let Some(without) = &mut self.without {
            without.observe(fact, now);
        }
    }

    /// Notes an answer that the policy gave when it was asked what to start. Returns a description
    /// of the difference if the clone that was not told of refills answers differently.
    pub(super) fn asked(
        &mut self,
        ready: &ReadyView<'_>,
        now: Tick,
        (answer, round): (Answer, &Round),
    ) -> Option<String> {
        let waits = matches!(answer, Answer::Wait { .. });
        if let Some(begun) = self.begun.take() {
            let waves = WaveSpan::All;
            let starts = answer == Answer::Start { launch: begun.launch, waves };
            let follows = || round.parts.is_empty() && units(&round.pieces) == begun.units;
            match begun.stage {
                Stage::Ended if starts && follows() => {
                    self.begun = Some(Begun { stage: Stage::Answered, ..begun });
                }
                Stage::Started if waits && *ready.cus() == begun.free => {
                    self.without = Some(begun.before);
                }
                _ => {}
            }
        }
        self.rested = waits.then(|| ready.cus().clone());
        let mut other = Round::default();
        let again = self.without.as_mut()?.allocate_round(ready, now, &mut other);
        (again != answer || other != *round).then(|| {
            let (lived, not) = (told(answer, round), told(again, &other));
            format!("at t={now} after a refill it answers {lived}, without it {not}")
        })
    }
}
