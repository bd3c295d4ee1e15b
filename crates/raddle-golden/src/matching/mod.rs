//! Which head (first workgroup) of a channel goes to which compute unit (seed 000, E1)?
//!
//! `{"cus":[..],"channels":[..],"marks":{..},"order":[..]}` is answered with the compute units that
//! each head fits, the workgroup that is dispatched with its first blocks, the marks of channels
//! after it, and every resource that lacks. Levels count from 1, everything else from 0; amounts
//! are blocks. The keys of a recipe choose other rules: `search`, `order`, `pick`, `fit`,
//! `balance`, `place`, `decision`, `split`; its `channels` is `fold`.

mod clocks;
mod cutting;
mod demand;
mod explain;
mod heads;
pub mod model;
mod place;
mod question;
mod search;
mod shape;

use std::collections::{BTreeMap, BTreeSet};

use raddle_bitmap::View;
use raddle_read::FaultKind;
use raddle_workgroup::order::{Fixed, Order, Pick, Seeded};
use raddle_workgroup::{Balance, Choice, Error, SearchRule, balance};
use serde::Serialize;
use serde_json::Value;

use self::clocks::MatchClocks;
use self::cutting::{MatchCutting, MatchRound};
use self::model::{
    Candidate, Cu, LackingResource, MatchDecision, MatchHead, MatchModel, MatchTarget, TakenPiece,
};
use self::place::MatchPlace;
pub(crate) use self::question::number;
use self::question::{CuPointer, question};
use self::search::reported;
use crate::explanation::Story;
use crate::fault::{Fault, fault};
use crate::{Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "match",
    example: r#"{"cus":[{"shared":{"lds":"1111111111"},"simds":[{"vgpr":"11111111","waves":2},{"vgpr":"00001111","waves":2}]},{"shared":{"lds":"0011110000"},"simds":[{"vgpr":"01111110","waves":1},{"vgpr":"11111101","waves":3}]}],"channels":[{"level":1,"demand":{"shared":{"lds":2},"simds":[{"vgpr":12,"waves":2},{"vgpr":6,"waves":1}]}},{"level":2,"demand":{"shared":{"lds":4},"simds":[{"vgpr":6,"waves":1},{"vgpr":6,"waves":1}]}},{"level":2,"demand":{"shared":{"lds":8},"simds":[{"vgpr":8,"waves":2},{"vgpr":4,"waves":2}]}},{"level":3,"demand":{"shared":{"lds":0},"simds":[{"vgpr":1,"waves":1},{"vgpr":1,"waves":1}]}},null],"marks":{"2":[1]}}"#,
    solve,
};

/// Marked channels (queues of workgroups), by level of urgency. A channel is marked when it was
/// chosen among equally good ones; unmarked channels are chosen first (step a42 of patent 000).
type MarkedChannels = BTreeMap<u64, BTreeSet<usize>>;

#[derive(Debug)]
struct MatchQuestion {
    model: MatchModel<String>,
    /// For each compute unit the pointer that the question gives, `None` where it gives none. The
    /// pointer names the SIMD that gets the next of the surplus waves, which the SIMDs cannot share
    /// equally.
    pointers: Vec<Option<CuPointer>>,
    heads: Vec<Option<MatchHead<String>>>,
    levels: HeadLevels,
    /// Channels that the question gives as marked (chosen lately among tied channels), by level.
    marks: MarkedChannels,
    search: SearchRule,
    /// True if the question asks for all steps of a decision; then the free runs and the scores of
    /// compute units are explained too.
    is_chain: bool,
    balance: Balance,
    pick: Choice,
    place: MatchPlace,
    /// For each channel the index of its head (first workgroup) in the question's list of waiting
    /// workgroups; `None` where each of these has a channel of its own.
    entries: Option<Vec<usize>>,
    /// Tick at which the decision begins. The question gives the first workgroups of the channels
    /// as they are at this tick.
    now: u64,
    clocks: Option<MatchClocks>,
    /// Levels of urgency at the tick of the decision, the most urgent first; `None` unless windows
    /// of time order them.
    order: Option<Vec<u64>>,
    cutting: Option<MatchCutting>,
}

/// Levels of urgency of the heads (first workgroups of channels), as the question gives them, with
/// the rank of each level.
#[derive(Debug)]
struct HeadLevels {
    /// Levels of urgency that the question gives, ascending; the model knows a level by its index
    /// in this list, from 0.
    given: Vec<u64>,
    /// Rank in the order of urgency, 0 for the most urgent, of each level in the list `given`.
    ranks: Vec<usize>,
}

impl Order for HeadLevels {
    fn levels(&self) -> usize {
        self.given.len()
    }

    fn rank(&self, level: usize, now: u64) -> Result<usize, Error> {
        let given = Fixed::new(self.ranks.len())?.rank(level, now)?;
        Ok(self.ranks.get(given).copied().unwrap_or(given))
    }
}

#[derive(Serialize)]
struct MatchAnswer<'q> {
    candidates: &'q [Candidate],
    target: Option<Dispatched<'q>>,
    marks: MarkedChannels,
    refusals: &'q [LackingResource<String>],
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<MatchClocks>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<MatchRound>,
}

#[derive(Serialize)]
struct Dispatched<'q> {
    channel: usize,
    /// Index of the dispatched workgroup in the question's list of waiting workgroups; `None` where
    /// each of these has a channel of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<usize>,
    cu: usize,
    shared_starts: BTreeMap<&'q str, u32>,
    starts: Vec<BTreeMap<&'q str, u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<CuPointer>,
}

impl MatchQuestion {
    /// Returns the question's search, which has been checked, as a function that reports the
    /// longest free run in blocks.
    fn longest(&self) -> impl FnMut(&String, View<'_>) -> Result<u32, raddle_bitmap::Error> {
        |name, map| Ok(reported(&self.search, name, map).unwrap_or_default())
    }

    /// Decides which head (first workgroup of a channel) goes to which compute unit. An error would
    /// be a fault of the question, but its numbers have been checked, so that none can occur.
    fn decide(&self) -> Result<MatchDecision<String>, Fault> {
        let place = |fit: &[usize], cus: &[Cu<String>]| self.place.pick(fit, cus, &self.search);
        let mut seeded = match self.pick {
            Choice::Lowest => None,
            Choice::Seeded { seed } => Some(Seeded::new(seed)),
        };
        let mut pick = |choices| seeded.as_mut().map_or(0, |it| Pick::pick(it, choices));
        let order = (&self.levels, 0);
        let decision = self.model.decide(&self.heads, self.longest(), order, &mut pick, place);
        decision.map_err(fault(FaultKind::Inconsistent, ""))
    }

    /// Returns the tick at which the decision is made: later than the question's tick where the
    /// search takes clocks.
    fn tick(&self) -> u64 {
        self.clocks.map_or(self.now, |clocks| clocks.t)
    }

    /// Makes the decision. If no head (first workgroup of a channel) fits, and too many decisions
    /// before found none either, one head is cut into waves, and the decision is made again with
    /// its first wave. Returns (the last decision; the result of the rule for cutting, `None` where
    /// the question has no such rule). The error is a fault of the question.
    fn decide_with_cuts(
        &mut self,
        story: &mut Story,
    ) -> Result<(MatchDecision<String>, Option<MatchRound>), Fault> {
        let (decision, tick) = (self.decide()?, self.tick());
        if story.shows() {
            explain::tell(self, &decision, story)?;
        }
        let Some(cutting) = &self.cutting else { return Ok((decision, None)) };
        let any = self.heads.iter().any(Option::is_some);
        let round = cutting.judge(any, !decision.candidates.is_empty(), tick);
        cutting.tell(round, story);
        let cut = round.channel.and_then(|channel| {
            *self.heads.get_mut(channel)? = Some(cutting.first_wave(channel)?);
            Some(())
        });
        if cut.is_none() {
            return Ok((decision, Some(round)));
        }
        let decision = self.decide()?;
        if story.shows() {
            explain::tell(self, &decision, story)?;
        }
        let in_vain = decision.target.is_none();
        let cutting = self.cutting.as_ref().filter(|_| in_vain);
        Ok((decision, Some(cutting.map_or(round, |it| it.in_vain(round, tick)))))
    }
}

fn solve(value: &Value, story: &mut Story) -> Result<String, Fault> {
    let mut question = question(value)?;
    let (decision, split) = question.decide_with_cuts(story)?;
    Ok(json(&MatchAnswer {
        candidates: &decision.candidates,
        target: decision.target.as_ref().map(|target| Dispatched {
            channel: target.channel,
            entry: question.entries.as_ref().map(|entries| entries[target.channel]),
            cu: target.cu,
            shared_starts: starts(&target.shared),
            starts: target.simds.iter().map(starts).collect(),
            pointer: moved(&question, target),
        }),
        marks: marks_after(&question, &decision),
        refusals: &decision.refusals,
        decision: question.clocks,
        split,
    }))
}

/// Returns the pointer (SIMD that gets the next surplus wave) of the target's compute unit after
/// the dispatch; `None` if the workgroup was not given as a number of waves.
fn moved(question: &MatchQuestion, target: &MatchTarget<String>) -> Option<CuPointer> {
    let given = (*question.pointers.get(target.cu)?)?;
    if question.balance == Balance::Fixed {
        return Some(given);
    }
    let pointer: &balance::Pointer = question.model.cus[target.cu].pointer.as_ref()?;
    let at = pointer.after(target.balanced.as_ref()?).ok()?;
    Some(CuPointer { at: at.into(), ..given })
}

/// Returns for each resource the first of the neighbouring blocks that the workgroup takes; counted
/// resources, such as wave slots, are left out.
fn starts(pieces: &BTreeMap<String, TakenPiece>) -> BTreeMap<&str, u32> {
    let mut starts = BTreeMap::new();
    for (name, piece) in pieces {
        if let TakenPiece::Run { start, .. } = piece {
            starts.insert(name.as_str(), *start);
        }
    }
    starts
}

/// Returns the marked channels (chosen lately among equally good ones) after a decision, by level.
/// The levels of the channels' first workgroups get the marks of the decision; all other levels
/// keep their marks.
fn marks_after(question: &MatchQuestion, decision: &MatchDecision<String>) -> MarkedChannels {
    let mut marks = question.marks.clone();
    for (position, level) in question.levels.given.iter().enumerate() {
        marks.insert(*level, decision.marks.of_level(position).collect());
    }
    // A level without marks is not listed.
    marks.retain(|_, channels| !channels.is_empty());
    marks
}
