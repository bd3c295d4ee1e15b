//! `matching`: every channel's head against every compute unit, the best level that fits first.
//!
//! Seed 000, E1 to E10. A round takes the head of every channel (a1) and what is free on every
//! compute unit (a2), finds the heads that fit somewhere (a3), takes the best level of those, by
//! marks where several channels tie (a4: a41, a42), chooses a compute unit, and hands out one run
//! of each resource (a43 to a45). A large urgent workgroup that fits nowhere does not block others.
//!
//! One answer goes on until nothing fits: a part of it is as many rounds as choose one launch and no other.

mod channels;
mod choose;
mod config;
mod cutting;
mod fit;
mod head;
mod heads;
mod levels;
mod places;
mod power;
mod round;
mod scores;
mod search;

use alloc::vec::Vec;

use raddle_policy::{
    Allocate, Answer, CuShape, Fact, Launch, Piece, Preemption, ReadyView, Round, Tick, WaveSpan,
};

pub use config::{
    Amounts, Balance, Choice, Fit, FreeWeights, LevelOrder, LevelWindows, MatchingConfig,
    PlaceRule, PowerWeights, SplitRule,
};
pub use fit::ResourceSearch;
pub use search::{ByResource, EachResource, Excluded, Primes, SearchRule};

use crate::Error;
use crate::order::Marks;
use channels::Channels;
use cutting::Cutting;
use fit::{Matcher, Name, WHOLE};
use head::{ChannelHead, SeenChannel};
use levels::{LevelRanks, Picker};
use places::Places;

/// Every channel's head against every compute unit.
#[derive(Clone, Debug)]
pub struct Matching {
    config: MatchingConfig,
    matcher: Matcher,
    levels: LevelRanks,
    pick: Picker,
    marks: Marks,
    /// How many channels there are marks for.
    marked: usize,
    channels: Channels,
    places: Places,
    cutting: Option<Cutting>,
    heads: Vec<ChannelHead>,
    seen: Vec<SeenChannel>,
    question: u64,
    tied: Vec<usize>,
}

impl Matching {
    /// For a device of `cus` compute units of this shape.
    ///
    /// # Errors
    /// When a resource of the shape cannot be searched so; for windows that are none or empty, for
    /// weights that are all 0 or too large, for a history of 0 ticks, shares that are both 0, 0
    /// channels, and cutting with no time between rounds.
    pub fn new(config: MatchingConfig, shape: CuShape, cus: u16) -> Result<Self, Error> {
        let levels = LevelRanks::new(&config.order)?;
        if config.channels == Some(0) {
            return Err(Error::NoChannels);
        }
        let cutting = config.split.map(Cutting::new).transpose()?;
        let matcher =
            Matcher::new(shape, cus, &config.search, config.balance)?.with_fit(config.fit);
        Ok(Self {
            cutting,
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
            config,
        })
    }

    /// The parameters.
    #[must_use]
    pub const fn config(&self) -> &MatchingConfig {
        &self.config
    }

    /// How many levels are told apart; those beyond share the last one.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels.count()
    }
}

impl Matching {
    fn ended(&mut self, launch: &Launch, waves: WaveSpan, pieces: &[Piece], now: Tick) {
        let wave = match waves {
            WaveSpan::All => WHOLE,
            WaveSpan::Cut { first, count: 1 } => first,
            // This policy starts nothing of the kind.
            _ => return,
        };
        let Self { matcher, places, .. } = self;
        for piece in pieces {
            if wave == WHOLE && matcher.release_all(piece, launch.id) {
                piece.workgroups().for_each(|_| places.left(piece.cu, launch, wave, now));
                places.changed(matcher, piece.cu);
                continue;
            }
            for workgroup in piece.workgroups() {
                let name = Name { launch: launch.id, workgroup, wave };
                // What does not lie there was not placed by this policy.
                if matcher.release(piece.cu, launch, name).is_ok() {
                    places.left(piece.cu, launch, wave, now);
                }
            }
            places.changed(matcher, piece.cu);
        }
    }
}

impl Allocate for Matching {
    fn allocate(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.place(ready, now, false, round)
    }

    fn allocate_round(&mut self, ready: &ReadyView<'_>, now: Tick, round: &mut Round) -> Answer {
        self.place(ready, now, true, round)
    }

    fn cuts(&self) -> bool {
        self.cutting.is_some()
    }

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        let Self { matcher, places, cutting, .. } = self;
        if let Some(cutting) = cutting {
            cutting.heard();
            match fact {
                Fact::LaunchEnded { launch } => cutting.forget(*launch),
                Fact::TakenOff { launch, how: Preemption::Reset } => cutting.forget(launch.id),
                _ => {}
            }
        }
        match fact {
            Fact::Ended { launch, waves, pieces } => self.ended(launch, *waves, pieces, now),
            Fact::TakenOff { launch, how } => {
                let left = |cu, wave| places.left(cu, launch, wave, now);
                match how {
                    Preemption::Reset => matcher.kill(launch, left),
                    Preemption::Switch => matcher.save(launch, left),
                    _ => return,
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
