//! How long does a decision take, and which ends of workgroups does it not see yet (seed 000, E4 to
//! E7)?
//!
//! A round of the matching takes as many clock cycles as the slowest search of a resource; rounds
//! follow each other without a gap while something is placed, else the next begins when something
//! has happened. A finder that serves the resources in turn reads each once in its round. So
//! granules that are given back during a round count as taken until the next round begins.
//!
//! Units: ps within, ticks of 1,000 ps outside.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use raddle_policy::{CuShape, Launch, Piece, Tick, WaveSpan};

use super::config::DecisionTime;
use super::cost::SearchCost;
use super::search::SearchRule;
use crate::Error;
use crate::error::Reason;

const PS_PER_TICK: u64 = 1_000;
const PS_PER_US: u64 = 1_000_000;

/// Workgroups that have ended, but whose resources the search circuit sees as free only from the
/// tick `seen` on.
#[derive(Clone, Debug)]
pub(super) struct LateEnd {
    seen: Tick,
    pub(super) launch: Launch,
    pub(super) waves: WaveSpan,
    pub(super) pieces: Vec<Piece>,
}

/// The timing of a dispatcher whose decisions (rounds) take time. `round` is the length of one
/// decision in picoseconds; `late` has the ends of workgroups that the search circuit has not seen
/// yet.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    round: u64,
    /// The time at which the decision (round) under way is over, in picoseconds since tick 0;
    /// `None` where none is under way.
    over: Option<u64>,
    /// True if one search circuit serves all resources in turn. Then the decision under way when a
    /// workgroup ends does not see the freed resources yet; only the next one does.
    shared: bool,
    late: VecDeque<LateEnd>,
}

impl Pace {
    /// Returns the timing of the decisions (rounds) of a dispatcher with this search, before its
    /// first decision.
    ///
    /// # Errors
    /// Without a clock rate, without the circuit model, and where the search cannot spread its
    /// steps over clock cycles as the settings say.
    pub(super) fn new(
        time: DecisionTime,
        search: &SearchRule,
        shape: &CuShape,
    ) -> Result<Self, Error> {
        let clocks = SearchCost::new(search, time.timing, shape)?.clocks;
        let mhz = time.clock_mhz.filter(|mhz| *mhz > 0).ok_or(Error(Reason::NoClock))?;
        let round = (u64::from(clocks) * PS_PER_US).div_ceil(mhz.into()).max(1);
        let shared = matches!(search, SearchRule::Shared { .. });
        Ok(Self { round, over: None, shared, late: VecDeque::new() })
    }

    /// Returns the tick at which the decision (round) under way is over, before which no workgroup
    /// starts; `None` where it is over now. If no decision is under way, one begins.
    pub(super) fn not_before(&mut self, now: Tick) -> Option<Tick> {
        let begins = now.0.saturating_mul(PS_PER_TICK);
        // A round that was over more than a tick ago had nothing to decide, so a new one begins
        // now.
        let goes_on = self.over.filter(|over| over.saturating_add(PS_PER_TICK) > begins);
        let over = goes_on.unwrap_or_else(|| begins.saturating_add(self.round));
        self.over = Some(over);
        let at = Tick(over.div_ceil(PS_PER_TICK));
        (at > now).then_some(at)
    }

    /// Begins the next decision (round) at the end of the present one, as a workgroup was placed.
    pub(super) const fn placed(&mut self) {
        if let Some(over) = &mut self.over {
            *over = over.saturating_add(self.round);
        }
    }

    /// Stops the decisions (rounds), as no workgroup fitted; the next one begins at the next event.
    /// Returns the tick at which the search circuit next notices that a workgroup has ended; `None`
    /// where it knows of all ends.
    pub(super) fn rests(&mut self) -> Option<Tick> {
        self.over = None;
        self.late.front().map(|end| end.seen)
    }

    /// Stores the end of workgroups, if the search circuit sees it only later. Returns `false`, and
    /// stores nothing, where the circuit sees ends when they happen.
    pub(super) fn hears(
        &mut self,
        launch: &Launch,
        waves: WaveSpan,
        pieces: &[Piece],
        now: Tick,
    ) -> bool {
        if !self.shared {
            return false;
        }
        let begun = now.0.saturating_mul(PS_PER_TICK).div_ceil(self.round);
        let seen = begun.saturating_add(1).saturating_mul(self.round).div_ceil(PS_PER_TICK);
        self.late.push_back(LateEnd {
            seen: Tick(seen),
            launch: *launch,
            waves,
            pieces: pieces.to_vec(),
        });
        true
    }

    /// Removes and returns the next stored end of workgroups, if the search circuit sees it by
    /// `now`; `None` if there is none.
    pub(super) fn seen(&mut self, now: Tick) -> Option<LateEnd> {
        if self.late.front()?.seen > now {
            return None;
        }
        self.late.pop_front()
    }
}
