//! `matching`: every channel's head against every compute unit, the best level that fits first.
//!
//! Seed 000, E1 to E10. A round takes the head of every channel (a1) and what is free on every
//! compute unit (a2), finds the heads that fit somewhere (a3), takes the best level of those, by
//! marks where several channels tie (a4: a41, a42), chooses a compute unit, and hands out one run
//! of each resource (a43 to a45). A large urgent workgroup that fits nowhere holds nobody up.
//!
//! One answer places workgroups of one launch: as many rounds as choose that launch and no other.

mod channels;
mod choose;
mod config;
mod cutting;
mod places;
mod power;

use alloc::vec::Vec;

use raddle_policy::{
    Allocate, Answer, CuId, CuShape, Fact, Launch, LaunchId, Piece, ReadyLaunch, ReadyView,
    Refusal, Round, TakeOff, Tick, WaveSpan,
};

pub use config::{
    Amounts, Balance, Choice, FreeWeights, LevelOrder, MatchingConfig, PlaceRule, PowerWeights,
    Search, SplitRule,
};

use super::{EXPLAINED, start};
use crate::Error;
use crate::matching::{Matcher, Name, Plan, WHOLE, part};
use crate::order::{Fixed, Lowest, Marks, Order, Pick, Seeded, Windows};
use channels::Channels;
use cutting::Cutting;
use places::Places;

/// Levels that a launch can have.
const LEVELS: usize = 256;
const TICKS_PER_US: u64 = 1_000;

/// Every channel's head against every compute unit.
#[derive(Clone, Debug)]
pub struct Matching {
    config: MatchingConfig,
    matcher: Matcher,
    levels: Levels,
    pick: Picker,
    marks: Marks,
    /// How many channels there are marks for.
    marked: usize,
    channels: Channels,
    places: Places,
    cutting: Option<Cutting>,
    heads: Vec<Head>,
    seen: Vec<Seen>,
    question: u64,
    tied: Vec<usize>,
}

/// The next workgroup of a channel.
#[derive(Clone, Copy, Debug)]
struct Head {
    /// Which entry of the view.
    entry: usize,
    channel: usize,
    level: usize,
    class: usize,
    /// Which wave goes, where the workgroup is cut into its waves; else [`WHOLE`].
    wave: u16,
}

/// What is remembered of a channel.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The question in which it was last seen.
    question: u64,
    /// Its head, and since when it is.
    head: Option<(LaunchId, u64)>,
    since: Tick,
}

#[derive(Clone, Debug)]
enum Levels {
    Fixed(Fixed),
    Windows(Windows),
}

#[derive(Clone, Debug)]
enum Picker {
    Lowest(Lowest),
    Seeded(Seeded),
}

impl Pick for Picker {
    fn pick(&mut self, choices: usize) -> usize {
        match self {
            Self::Lowest(pick) => pick.pick(choices),
            Self::Seeded(pick) => pick.pick(choices),
        }
    }
}

impl Levels {
    fn count(&self) -> usize {
        match self {
            Self::Fixed(order) => order.levels(),
            Self::Windows(order) => order.levels(),
        }
    }

    /// Folded levels are always within the order.
    #[inline]
    fn rank(&self, level: usize, now: Tick) -> usize {
        let rank = match self {
            Self::Fixed(_) => Ok(level),
            Self::Windows(order) => order.rank(level, now.0),
        };
        rank.unwrap_or(level)
    }
}

impl Matching {
    /// For a device of `cus` compute units of this shape.
    ///
    /// # Errors
    /// When a resource of the shape cannot be searched so; for windows that are none or empty, for
    /// weights that are all 0 or too large, for a history of 0 ticks, shares that are both 0, 0
    /// channels, and cutting with 0 us between rounds.
    pub fn new(config: MatchingConfig, shape: CuShape, cus: u16) -> Result<Self, Error> {
        let levels = match &config.order {
            LevelOrder::Static => Levels::Fixed(Fixed::new(LEVELS)?),
            LevelOrder::Windows { windows_us } => {
                let ticks = windows_us.iter().map(|us| us.saturating_mul(TICKS_PER_US));
                Levels::Windows(Windows::new(&ticks.collect::<Vec<_>>())?)
            }
        };
        if config.channels == Some(0) {
            return Err(Error::NoChannels);
        }
        if config.split.is_some_and(|split| split.retry_us == 0) {
            return Err(Error::NoRetry);
        }
        let pick = match config.pick {
            Choice::Lowest => Picker::Lowest(Lowest),
            Choice::Seeded { seed } => Picker::Seeded(Seeded::new(seed)),
        };
        let matcher = Matcher::new(shape, cus, &config.search, config.balance)?;
        Ok(Self {
            cutting: config.split.map(Cutting::new),
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
            pick,
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

    /// a1: the head of every channel, and its class; or a head that will never fit.
    fn collect(&mut self, ready: &ReadyView<'_>, now: Tick) -> Option<Refusal> {
        self.heads.clear();
        self.question += 1;
        self.matcher.begin();
        let last = self.levels.count() - 1;
        for (at, entry) in ready.launches.iter().enumerate() {
            if entry.undistributed() == 0 {
                continue;
            }
            let recent = self.channels.of(&entry.launch);
            let channel = recent.channel();
            if self.seen.len() <= channel {
                self.seen.resize(channel + 1, Seen::default());
            }
            let seen = &mut self.seen[channel];
            if seen.question == self.question {
                continue;
            }
            seen.question = self.question;
            let (mut level, mut wave) = (usize::from(entry.launch.level.0).min(last), WHOLE);
            if let Some(cutting) = &self.cutting {
                if seen.head != Some((entry.launch.id, entry.next)) {
                    (seen.head, seen.since) = (Some((entry.launch.id, entry.next)), now);
                }
                if cutting.is_cut(entry) {
                    // Pieces are of the least urgent level: whole workgroups go first.
                    (level, wave) = (last, entry.cut);
                }
            }
            let class = self.matcher.class(&part(&entry.launch, wave), recent.class);
            recent.class = class;
            if let Some((resource, wanted, available)) = self.matcher.never(class)
                && !self.may_fit_cut(entry)
            {
                let launch = entry.launch.id;
                return Some(Refusal { launch, cu: None, resource, wanted, available });
            }
            self.heads.push(Head { entry: at, channel, level, class, wave });
        }
        None
    }

    /// Whether a workgroup that fits nowhere could be cut into waves that do.
    fn may_fit_cut(&mut self, entry: &ReadyLaunch) -> bool {
        let may = self.cutting.as_ref().is_some_and(|cutting| cutting.may_cut(entry));
        may && {
            let class = self.matcher.class(&part(&entry.launch, 0), 0);
            self.matcher.never(class).is_none()
        }
    }

    fn place(&mut self, ready: &ReadyView<'_>, now: Tick, bulk: bool, round: &mut Round) -> Answer {
        if let Some(refusal) = self.collect(ready, now) {
            return Answer::Never { refusal };
        }
        let mut chosen = self.choose(now);
        if chosen.is_none() && self.cut_one(ready, now) {
            // Matched afresh, with the pieces in place of the workgroup (c3 to c1).
            self.collect(ready, now);
            chosen = self.choose(now);
        }
        let Some((head, plan, tied)) = chosen else {
            self.explain(ready, round);
            return Answer::Wait { retry_at: self.retry_at(ready, now) };
        };
        if let Some(cutting) = &mut self.cutting {
            cutting.fitted();
        }
        let entry = &ready.launches[head.entry];
        self.commit(entry, entry.next, head, plan, now, round);
        if head.wave != WHOLE {
            if let Some(cutting) = &mut self.cutting
                && head.wave + 1 >= entry.launch.demand.waves
            {
                cutting.done(entry.launch.id, entry.next);
            }
            let waves = WaveSpan::Cut { first: head.wave, count: 1 };
            return Answer::Start { launch: entry.launch.id, waves };
        }
        // Where channels tie the next round is another channel's.
        if bulk && !tied {
            self.go_on(entry, head, now, round);
        }
        start(entry.launch.id)
    }

    /// c2 and c3: a round in which nothing fits; whether a head has been cut.
    fn cut_one(&mut self, ready: &ReadyView<'_>, now: Tick) -> bool {
        let Some(cutting) = &mut self.cutting else { return false };
        if self.heads.is_empty() || !cutting.failed(now) {
            return false;
        }
        let may_cut = |head: &&Head| cutting.may_cut(&ready.launches[head.entry]);
        let longest = self.heads.iter().filter(may_cut);
        // The first of several that have waited equally long is of the lowest channel.
        let Some(head) = longest.min_by_key(|head| (self.seen[head.channel].since, head.channel))
        else {
            return false;
        };
        cutting.cut(&ready.launches[head.entry]);
        true
    }

    /// While something could still be cut, rounds go on by themselves.
    fn retry_at(&self, ready: &ReadyView<'_>, now: Tick) -> Option<Tick> {
        let cutting = self.cutting.as_ref()?;
        let could = |head: &Head| cutting.may_cut(&ready.launches[head.entry]);
        self.heads.iter().any(could).then(|| cutting.retry_at(now))
    }

    /// Further rounds, as long as they choose the same launch and nobody else could have been.
    fn go_on(&mut self, entry: &ReadyLaunch, head: Head, now: Tick, round: &mut Round) {
        for workgroup in entry.next + 1..entry.launch.workgroups {
            if !self.goes_again(head, now) {
                return;
            }
            let Some(plan) = self.places.plan(&mut self.matcher, head.class, now) else { return };
            self.commit(entry, workgroup, head, plan, now, round);
        }
    }

    fn commit(
        &mut self,
        entry: &ReadyLaunch,
        workgroup: u64,
        head: Head,
        plan: Plan,
        now: Tick,
        round: &mut Round,
    ) {
        let (cu, Head { class, wave, .. }) = (plan.cu, head);
        let name = Name { launch: entry.launch.id, workgroup, wave };
        let taken = self.matcher.commit(plan, class, name, &mut round.places);
        debug_assert!(taken.is_ok(), "nothing happens between plan and commit");
        match round.pieces.last_mut() {
            Some(last) if last.cu == cu => last.count += 1,
            _ => round.pieces.push(Piece::one(workgroup, cu)),
        }
        let waves = waves_of(&entry.launch, wave);
        self.places.placed(&self.matcher, cu, (&entry.launch, waves), now);
    }

    /// Why each head waits, for the compute unit asked first; one speaks for all of its demand.
    fn explain(&mut self, ready: &ReadyView<'_>, round: &mut Round) {
        // There are as many compute units as a u16 said.
        let cu = CuId(self.places.first() as u16);
        let mut explained = [usize::MAX; EXPLAINED];
        let mut count = 0;
        for head in &self.heads {
            if count == EXPLAINED || explained[..count].contains(&head.class) {
                continue;
            }
            explained[count] = head.class;
            count += 1;
            let launch = ready.launches[head.entry].launch.id;
            if let Some((resource, wanted, available)) = self.matcher.lacks(cu, head.class) {
                round.refuse(Refusal { launch, cu: Some(cu), resource, wanted, available });
            }
        }
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
        let demand = part(launch, wave);
        for piece in pieces {
            for workgroup in piece.workgroups() {
                let name = Name { launch: launch.id, workgroup, wave };
                // What does not lie there was not placed by this policy.
                if matcher.release(piece.cu, &demand, name).is_ok() {
                    places.left(piece.cu, (launch, waves_of(launch, wave)), now);
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

    fn observe(&mut self, fact: &Fact<'_>, now: Tick) {
        let Self { matcher, places, cutting, .. } = self;
        if let Some(cutting) = cutting {
            cutting.heard();
            match fact {
                Fact::LaunchEnded { launch } => cutting.forget(*launch),
                Fact::TakenOff { launch, how: TakeOff::Kill } => cutting.forget(launch.id),
                _ => {}
            }
        }
        match fact {
            Fact::Ended { launch, waves, pieces } => self.ended(launch, *waves, pieces, now),
            Fact::TakenOff { launch, how } => {
                let left = |cu, wave| places.left(cu, (*launch, waves_of(launch, wave)), now);
                match how {
                    TakeOff::Kill => matcher.kill(launch, left),
                    TakeOff::Save => matcher.save(launch, left),
                    _ => return,
                }
                places.all_changed(matcher);
            }
            Fact::Returning { launch } | Fact::Restored { launch } => {
                matcher.restore(launch, |cu, wave| {
                    places.back(cu, (*launch, waves_of(launch, wave)), now);
                });
                places.all_changed(matcher);
            }
            _ => {}
        }
    }
}

/// How many waves a whole workgroup has, or one of its waves alone.
const fn waves_of(launch: &Launch, wave: u16) -> u16 {
    if wave == WHOLE { launch.demand.waves } else { 1 }
}
