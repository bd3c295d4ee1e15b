//! The policy `matching`: which heads (next workgroups of channels) fit on which compute units, and
//! which of them goes first?
//!
//! Seed 000, E1 to E10. A round takes the head of every channel (a1) and what is free on every
//! compute unit (a2), finds the heads that fit somewhere (a3), takes the best level of those, by
//! marks where several channels tie (a4: a41, a42), chooses a compute unit, and hands out one run
//! of each resource (a43 to a45). A large urgent workgroup that fits nowhere does not block others.
//!
//! An answer for many workgroups makes rounds until nothing fits. A part of the answer holds the
//! rounds in a row that choose one launch.

mod channels;
mod choose;
mod config;
mod cost;
mod cutting;
mod fit;
mod head;
mod heads;
mod levels;
mod pace;
mod place_config;
mod places;
mod power;
mod refused;
mod round;
mod scores;
mod search;

use alloc::vec::Vec;

use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Fact, FreeRun, Launch, Piece, ReadyView, Round, Tick,
    WaitTally, WaveSpan,
};

pub use config::{
    Balance, Choice, DecisionTime, Fit, LevelOrder, LevelWindows, MatchingConfig, SearchTiming,
    SplitRule,
};
pub use cost::SearchCost;
pub use fit::ResourceSearch;
pub use place_config::{Amounts, FreeWeights, PlaceRule, PowerWeights};
pub use search::{ByResource, EachResource, Excluded, Primes, SearchRule};

use crate::Error;
use crate::error::Reason;
use crate::order::Marks;
use channels::Channels;
use cutting::Cutting;
use fit::{Matcher, Name, WHOLE};
use head::{ChannelHead, SeenChannel};
use levels::{LevelRanks, Picker};
use pace::Pace;
use places::Places;

/// The number of pairs (resource, reason) for which a workgroup can wait; each pair has a counter.
const WAITS: usize = 24;

/// A policy that compares the head (next workgroup) of every channel with every compute unit, and
/// starts the heads that fit, the best level first.
#[derive(Clone, Debug)]
pub struct Matching {
    matcher: Matcher,
    levels: LevelRanks,
    pick: Picker,
    marks: Marks,
    /// The number of channels for which `marks` has room.
    marked: usize,
    channels: Channels,
    places: Places,
    cutting: Option<Cutting>,
    pace: Option<Pace>,
    waits: Vec<WaitTally>,
    heads: Vec<ChannelHead>,
    seen: Vec<SeenChannel>,
    question: u64,
    tied: Vec<usize>,
}

impl Matching {
    /// Returns the policy with these settings, for a device of `cus` compute units of this shape.
    ///
    /// # Errors
    /// When a resource of the shape cannot be searched by the rule `search`; for an empty list of
    /// windows or a window of 0 ticks; for weights that are all 0 or too large; for a history of 0
    /// ticks; for factors of the mix that are both 0; for 0 channels; and for cutting workgroups
    /// with no time between two decisions.
    pub fn new(config: MatchingConfig, shape: CuShape, cus: u16) -> Result<Self, Error> {
        let levels = LevelRanks::new(&config.order)?;
        if config.channels == Some(0) {
            return Err(Error(Reason::NoChannels));
        }
        let cutting = config.split.map(Cutting::new).transpose()?;
        let pace =
            config.decision.map(|time| Pace::new(time, &config.search, &shape)).transpose()?;
        let matcher =
            Matcher::new(shape, cus, &config.search, config.balance)?.with_fit(config.fit);
        Ok(Self {
            cutting,
            pace,
            waits: Vec::with_capacity(WAITS),
            places: Places::new(&config.place, &matcher)?,
            marks: Marks::new(levels.count(), 0)?,
            marked: 0,
            channels: Channels::new(config.channels),
            heads: Vec::new(),
            seen: Vec::new(),
            question: 0,
            tied: Vec::new(),
            matcher,
            levels,
            pick: Picker::new(config.pick),
        })
    }
}

impl Matching {
    /// Answers a question to the policy. Where decisions take time, it makes at most one decision,
    /// which is ready once its time is over and places one workgroup. Otherwise it makes one
    /// decision or, with `bulk`, decisions until one places nothing.
    fn paced(&mut self, ready: &ReadyView<'_>, now: Tick, bulk: bool, round: &mut Round) -> Answer {
        let Some(pace) = &mut self.pace else { return self.place(ready, now, bulk, round) };
        if let Some(at) = pace.not_before(now) {
            return Answer::Wait { retry_at: Some(at) };
        }
        self.see(now);
        let answer = self.place(ready, now, false, round);
        let Some(pace) = &mut self.pace else { return answer };
        match answer {
            Answer::Wait { retry_at } => {
                let unseen = pace.rests();
                Answer::Wait { retry_at: unseen.into_iter().chain(retry_at).min() }
            }
            Answer::Start { .. } => {
                pace.placed();
                answer
            }
            _ => answer,
        }
    }

    /// Frees the resources of ended workgroups, as far as the search circuit (the finder of free
    /// runs) has noticed their end by the tick `now`.
    fn see(&mut self, now: Tick) {
        while let Some(end) = self.pace.as_mut().and_then(|pace| pace.seen(now)) {
            self.ended(&end.launch, end.waves, &end.pieces, None);
        }
    }

    /// Subtracts the power of ended workgroups from that of their compute units. Their resources
    /// are freed later, when the search circuit (the finder of free runs) notices the end.
    fn draws_no_more(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece], now: Tick) {
        let wave = if let WaveSpan::Cut { first, .. } = waves { first } else { WHOLE };
        for piece in pieces {
            self.places.left(piece.cu, launch, (piece.count, wave), now);
            self.places.changed(&self.matcher, piece.cu);
        }
    }

    /// Frees the resources of ended workgroups, and subtracts their power from that of their
    /// compute units; where `now` is `None`, the power was subtracted before.
    fn ended(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece], now: Option<Tick>) {
        let wave = match waves {
            WaveSpan::All => WHOLE,
            WaveSpan::Cut { first, count: 1 } => first,
            // This policy starts whole workgroups and single waves only.
            _ => return,
        };
        let Self { matcher, places, .. } = self;
        let mut rest = pieces;
        while !rest.is_empty() {
            // Pieces that hold all workgroups of their compute units are released together.
            let all = if wave == WHOLE { matcher.release_all(rest, launch.id) } else { 0 };
            let (gone, behind) = rest.split_at(all.max(1));
            for piece in gone {
                let mut count = piece.count;
                if all == 0 {
                    let name = |workgroup| Name { launch: launch.id, workgroup, wave };
                    let released = |&workgroup: &u64| {
                        matcher.release(piece.cu, launch, name(workgroup)).is_ok()
                    };
                    // A workgroup that does not lie there was not placed by this policy.
                    count = piece.workgroups().filter(released).count() as u32;
                }
                if let Some(now) = now {
                    places.left(piece.cu, launch, (count, wave), now);
                }
                places.changed(matcher, piece.cu);
            }
            rest = behind;
        }
    }
}

impl Allocate for Matching {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.paced(ready, now, false, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.paced(ready, now, true, round)
    }

    fn cuts(&self) -> bool {
        self.cutting.is_some()
    }

    fn free_runs(&self, cu: CuId) -> Option<[FreeRun; 3]> {
        self.matcher.free_runs(cu.index())
    }

    fn waits(&self) -> &[WaitTally] {
        &self.waits
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        if let (Fact::Ended { launch, waves, pieces }, Some(pace)) = (fact, &mut self.pace)
            && pace.hears(launch, *waves, pieces, now)
        {
            if let Some(cutting) = &mut self.cutting {
                cutting.heard();
            }
            self.draws_no_more(launch, *waves, pieces, now);
            return;
        }
        if matches!(fact, Fact::TakenOff { .. } | Fact::Returning { .. } | Fact::Restored { .. }) {
            // Earlier ends are carried out first, so that places are released and taken in order.
            self.see(Tick(u64::MAX));
        }
        let Self { matcher, places, cutting, .. } = self;
        if let Some(cutting) = cutting {
            cutting.heard();
            match fact {
                Fact::LaunchEnded { launch } => cutting.forget(*launch),
                Fact::TakenOff { launch, how } if how.begins_again() => cutting.forget(launch.id),
                _ => {}
            }
        }
        match fact {
            Fact::Ended { launch, waves, pieces } => self.ended(launch, *waves, pieces, Some(now)),
            Fact::TakenOff { launch, how } if how.frees_places() => {
                let left = |cu, wave| places.left(cu, launch, (1, wave), now);
                match how.saves() {
                    true => matcher.save(launch, left),
                    false => matcher.kill(launch, left),
                }
                places.all_changed(matcher);
            }
            Fact::Returning { launch } | Fact::Restored { launch } => {
                matcher.restore(launch, |cu, wave| places.back(cu, launch, wave, now));
                places.all_changed(matcher);
            }
            _ => {}
        }
    }
}
