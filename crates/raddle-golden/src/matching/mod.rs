//! Which head of a channel goes to which compute unit (seed 000, E1)?
//!
//! `{"cus":[..],"channels":[..],"marks":{..},"order":[..]}` is answered with who fits where, what is
//! dispatched with its start addresses, the marks after it, and every resource that lacks. HeadLevels
//! count from 1, everything else from 0; amounts are blocks.

mod explain;
pub mod model;
mod question;
mod shape;

use std::collections::{BTreeMap, BTreeSet};

use raddle_bitmap::Full;
use raddle_dispatch::read::FaultKind;
use raddle_workgroup::order::{Lowest, Order};
use raddle_workgroup::{Error, balance};
use serde::Serialize;

use self::model::{Decision, Head, Left, Model, Piece, Refusal, Target, by, lowest};
pub(crate) use self::question::number;
use self::question::{CuPointer, question};
use crate::fault::{Fault, fault};
use crate::{Topic, json};

pub(crate) const TOPIC: Topic = Topic {
    name: "match",
    example: r#"{"cus":[{"shared":{"lds":"1111111111"},"simds":[{"vgpr":"11111111","waves":2},{"vgpr":"00001111","waves":2}]},{"shared":{"lds":"0011110000"},"simds":[{"vgpr":"01111110","waves":1},{"vgpr":"11111101","waves":3}]}],"channels":[{"level":1,"demand":{"shared":{"lds":2},"simds":[{"vgpr":12,"waves":2},{"vgpr":6,"waves":1}]}},{"level":2,"demand":{"shared":{"lds":4},"simds":[{"vgpr":6,"waves":1},{"vgpr":6,"waves":1}]}},{"level":2,"demand":{"shared":{"lds":8},"simds":[{"vgpr":8,"waves":2},{"vgpr":4,"waves":2}]}},{"level":3,"demand":{"shared":{"lds":0},"simds":[{"vgpr":1,"waves":1},{"vgpr":1,"waves":1}]}},null],"marks":{"2":[1]}}"#,
    answer: |value| {
        let question = question(value)?;
        Ok(answer_of(&question, &decide(&question)?))
    },
    explain: explain::explain,
};

/// Channels that are marked, by level.
type MarkedChannels = BTreeMap<u64, BTreeSet<usize>>;

/// One question, read.
#[derive(Debug)]
struct MatchQuestion {
    model: Model<String>,
    /// What the pointer of each compute unit is, where it has one.
    pointers: Vec<Option<CuPointer>>,
    heads: Vec<Option<Head<String>>>,
    levels: HeadLevels,
    /// As they were given.
    marks: MarkedChannels,
}

/// The levels of the heads, as they were given, and their order.
#[derive(Debug)]
struct HeadLevels {
    /// Ascending; the model knows their positions here.
    given: Vec<u64>,
    /// The place of each in the order, 0 for the best.
    ranks: Vec<usize>,
}

impl Order for HeadLevels {
    fn levels(&self) -> usize {
        self.given.len()
    }

    fn rank(&self, level: usize, _now: u64) -> Result<usize, Error> {
        let levels = self.ranks.len();
        self.ranks.get(level).copied().ok_or(Error::LevelOutside { level, levels })
    }
}

#[derive(Serialize)]
struct MatchAnswer<'q> {
    candidates: Vec<FittingHead<'q>>,
    target: Option<MatchTarget<'q>>,
    marks: MarkedChannels,
    refusals: Vec<LackingResource<'q>>,
}

#[derive(Serialize)]
struct FittingHead<'q> {
    channel: usize,
    cus: &'q [usize],
}

#[derive(Serialize)]
struct MatchTarget<'q> {
    channel: usize,
    cu: usize,
    shared_starts: BTreeMap<&'q str, u32>,
    starts: Vec<BTreeMap<&'q str, u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<CuPointer>,
}

#[derive(Serialize)]
struct LackingResource<'q> {
    channel: usize,
    cu: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    simd: Option<usize>,
    resource: &'q str,
    wanted: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free: Option<u64>,
}

/// What is decided. The question has been checked, so it can be.
fn decide(question: &MatchQuestion) -> Result<Decision<String>, Fault> {
    let MatchQuestion { model, heads, levels, .. } = question;
    let decision = model.decide(heads, by(Full), (levels, 0), &mut Lowest, lowest);
    decision.map_err(fault(FaultKind::Inconsistent, ""))
}

/// The answer as JSON.
fn answer_of(question: &MatchQuestion, decision: &Decision<String>) -> String {
    let candidates = decision.candidates.iter();
    json(&MatchAnswer {
        candidates: candidates
            .map(|it| FittingHead { channel: it.channel, cus: &it.cus })
            .collect(),
        target: decision.target.as_ref().map(|target| goes(question, target)),
        marks: marks_after(question, decision),
        refusals: decision.refusals.iter().map(lacks).collect(),
    })
}

fn goes<'q>(question: &MatchQuestion, target: &'q Target<String>) -> MatchTarget<'q> {
    MatchTarget {
        channel: target.channel,
        cu: target.cu,
        shared_starts: starts(&target.pieces.shared),
        starts: target.pieces.simds.iter().map(starts).collect(),
        pointer: moved(question, target),
    }
}

/// The pointer of the compute unit of a target that came as a number of waves, after the dispatch.
fn moved(question: &MatchQuestion, target: &Target<String>) -> Option<CuPointer> {
    let given = (*question.pointers.get(target.cu)?)?;
    let pointer: &balance::Pointer = question.model.cus()[target.cu].pointer.as_ref()?;
    let at = pointer.after(target.balanced()?).ok()?;
    Some(CuPointer { at: at.into(), ..given })
}

/// The starts of runs; what is counted has none.
fn starts(pieces: &BTreeMap<String, Piece>) -> BTreeMap<&str, u32> {
    let mut starts = BTreeMap::new();
    for (name, piece) in pieces {
        if let Piece::Run { start, .. } = piece {
            starts.insert(name.as_str(), *start);
        }
    }
    starts
}

/// The marks after a decision: those of its level as it leaves them, the others as they were.
fn marks_after(question: &MatchQuestion, decision: &Decision<String>) -> MarkedChannels {
    let mut marks = question.marks.clone();
    for (position, level) in question.levels.given.iter().enumerate() {
        marks.insert(*level, decision.marks.of_level(position).collect());
    }
    // A level without marks is not listed.
    marks.retain(|_, channels| !channels.is_empty());
    marks
}

fn lacks(refusal: &Refusal<String>) -> LackingResource<'_> {
    let Refusal { channel, cu, simd, ref resource, wanted, left } = *refusal;
    let (longest, free) = match left {
        Left::Longest(longest) => (Some(longest), None),
        Left::Free(free) => (None, Some(free)),
    };
    LackingResource { channel, cu, simd, resource, wanted, longest, free }
}
