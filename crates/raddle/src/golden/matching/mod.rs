//! Which head of a channel goes to which compute unit (seed 000, E1)?
//!
//! `{"cus":[..],"channels":[..],"marks":{..},"order":[..]}` is answered with who fits where, what is
//! dispatched with its start addresses, the marks after it, and every resource that lacks. Levels
//! count from 1, everything else from 0; amounts are blocks.

mod question;
mod shape;

use std::collections::{BTreeMap, BTreeSet};

use raddle_bitmap::Full;
use raddle_golden::matching::model::{
    Decision, Head, Left, Model, Piece, Refusal, Target, by, lowest,
};
use raddle_workgroup::balance::Kind as Named;
use raddle_workgroup::order::{Lowest, Order};
use raddle_workgroup::{Error, balance};
use serde::Serialize;

use super::fault::{Fault, Kind};
use super::json;
use super::read::Fields;
pub(crate) use question::question;

/// Channels that are marked, by level.
pub(crate) type Marked = BTreeMap<u64, BTreeSet<usize>>;

/// One question, read.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) model: Model<String>,
    /// What the pointer of each compute unit is, where it has one.
    pub(crate) pointers: Vec<Option<Pointed>>,
    pub(crate) heads: Vec<Option<Head<String>>>,
    pub(crate) levels: Levels,
    /// As they were given.
    pub(crate) marks: Marked,
}

/// What a pointer names, and the most waves of a SIMD.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointed {
    pub(crate) kind: Named,
    pub(crate) limit: u64,
}

/// The levels of the heads, as they were given, and their order.
#[derive(Debug)]
pub(crate) struct Levels {
    /// Ascending; the model knows their positions here.
    pub(crate) given: Vec<u64>,
    /// The place of each in the order, 0 for the best.
    pub(crate) ranks: Vec<usize>,
}

impl Order for Levels {
    fn levels(&self) -> usize {
        self.given.len()
    }

    fn rank(&self, level: usize, _now: u64) -> Result<usize, Error> {
        let levels = self.ranks.len();
        self.ranks.get(level).copied().ok_or(Error::LevelOutside { level, levels })
    }
}

#[derive(Serialize)]
struct Answer<'q> {
    candidates: Vec<Fits<'q>>,
    target: Option<Goes<'q>>,
    marks: Marked,
    refusals: Vec<Lacks<'q>>,
}

#[derive(Serialize)]
struct Fits<'q> {
    channel: usize,
    cus: &'q [usize],
}

#[derive(Serialize)]
struct Goes<'q> {
    channel: usize,
    cu: usize,
    shared_starts: BTreeMap<&'q str, u32>,
    starts: Vec<BTreeMap<&'q str, u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<Moved>,
}

/// The pointer of the compute unit that was chosen, after the dispatch.
#[derive(Serialize)]
struct Moved {
    kind: &'static str,
    at: u32,
    limit: u64,
}

#[derive(Serialize)]
struct Lacks<'q> {
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

/// Answers one question.
pub(crate) fn answer(fields: &Fields<'_>) -> Result<String, Fault> {
    let question = question(fields)?;
    Ok(answer_of(&question, &decide(&question)?))
}

/// What is decided. The question has been checked, so it can be.
pub(crate) fn decide(question: &Question) -> Result<Decision<String>, Fault> {
    let Question { model, heads, levels, .. } = question;
    let decision = model.decide(heads, by(Full), (levels, 0), &mut Lowest, lowest);
    decision.map_err(|error| Fault::new(Kind::Inconsistent, "", error.to_string()))
}

/// The answer as JSON.
pub(crate) fn answer_of(question: &Question, decision: &Decision<String>) -> String {
    let candidates = decision.candidates.iter();
    json(&Answer {
        candidates: candidates.map(|it| Fits { channel: it.channel, cus: &it.cus }).collect(),
        target: decision.target.as_ref().map(|target| goes(question, target)),
        marks: marks_after(question, decision),
        refusals: decision.refusals.iter().map(lacks).collect(),
    })
}

fn goes<'q>(question: &Question, target: &'q Target<String>) -> Goes<'q> {
    Goes {
        channel: target.channel,
        cu: target.cu,
        shared_starts: starts(&target.pieces.shared),
        starts: target.pieces.simds.iter().map(starts).collect(),
        pointer: moved(question, target).map(|(Pointed { kind, limit }, at)| Moved {
            kind: match kind {
                Named::Tail => "tail",
                Named::Head => "head",
            },
            at,
            limit,
        }),
    }
}

/// The pointer of the compute unit of a target that came as a number of waves, and where it stands
/// after the dispatch.
pub(crate) fn moved(question: &Question, target: &Target<String>) -> Option<(Pointed, u32)> {
    let pointed = (*question.pointers.get(target.cu)?)?;
    let pointer: &balance::Pointer = question.model.cus()[target.cu].pointer.as_ref()?;
    Some((pointed, pointer.after(target.balanced()?).ok()?))
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
pub(crate) fn marks_after(question: &Question, decision: &Decision<String>) -> Marked {
    let mut marks = question.marks.clone();
    for (position, level) in question.levels.given.iter().enumerate() {
        marks.insert(*level, decision.marks.of_level(position).collect());
    }
    // A level without marks is not listed.
    marks.retain(|_, channels| !channels.is_empty());
    marks
}

fn lacks(refusal: &Refusal<String>) -> Lacks<'_> {
    let Refusal { channel, cu, simd, ref resource, wanted, left } = *refusal;
    let (longest, free) = match left {
        Left::Longest(longest) => (Some(longest), None),
        Left::Free(free) => (None, Some(free)),
    };
    Lacks { channel, cu, simd, resource, wanted, longest, free }
}
