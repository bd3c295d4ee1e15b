//! How does a head of a channel come to its compute unit (seed 000, E1)?
//!
//! The steps have the names of the seed: a1 to a4, h2 to h5 where waves are balanced.

use crate::Explained;
use std::collections::BTreeMap;

use raddle_bitmap::Full;
use raddle_dispatch::read::{FaultKind, shown};
use serde_json::Value;

use super::model::{
    Candidate, Decision, Head, Left, Piece, Refusal, Target, Wants, by, record, split,
};
use super::{MatchQuestion, answer_of, decide, moved, question};
use crate::explanation::{ExplainedStep, counted, few, listed, step};
use crate::fault::{Fault, fault};

pub(super) fn explain(value: &Value) -> Result<Explained, Fault> {
    let question = question(value)?;
    let decision = decide(&question)?;
    let mut steps = vec![heads(&question), records(&question)?];
    steps.extend(balanced(&question));
    steps.push(compared(&decision));
    steps.push(chosen(&question, &decision));
    if let Some(target) = &decision.target {
        steps.push(taken(target));
        steps.extend(pointer(&question, target));
    }
    Ok((steps, answer_of(&question, &decision)))
}

fn heads(question: &MatchQuestion) -> ExplainedStep {
    let line = |(channel, head): (usize, &Option<_>)| match head {
        None => format!("channel {channel}: empty"),
        Some(head) => {
            let head: &Head<String> = head;
            let level = question.levels.given[head.level];
            let wants = match &head.wants {
                Wants::Groups { shared, groups } => {
                    parts(shared, groups.iter(), |amount| amount.to_string())
                }
                Wants::Waves { shared, waves, each } => {
                    let each = amounts(each, |amount| amount.to_string());
                    let shared = parts(shared, [].iter(), |amount| amount.to_string());
                    let waves = counted(*waves, "wave", "waves");
                    format!("{waves} of {each}; {shared}")
                }
            };
            format!("channel {channel}: level {level} wants {wants}")
        }
    };
    step("a1: the head of each channel", few(question.heads.iter().enumerate().map(line).collect()))
}

fn records(question: &MatchQuestion) -> Result<ExplainedStep, Fault> {
    let mut lines = Vec::new();
    for (index, cu) in question.model.cus().iter().enumerate() {
        let record = record(cu, by(Full)).map_err(fault(FaultKind::Inconsistent, ""))?;
        let left = |left: &Left| match left {
            Left::Longest(longest) => format!("{longest} in a row"),
            Left::Free(free) => format!("{free} free"),
        };
        lines.push(format!("CU {index}: {}", parts(&record.shared, record.simds.iter(), left)));
    }
    Ok(step("a2: what is left of each CU, read once for all heads", few(lines)))
}

/// `lds 4; SIMD 0: vgpr 6, waves 1; SIMD 1: ..`, some of it.
fn parts<'a, T: 'a>(
    shared: &BTreeMap<String, T>,
    simds: impl Iterator<Item = &'a BTreeMap<String, T>>,
    say: impl Fn(&T) -> String,
) -> String {
    let mut parts = vec![amounts(shared, &say)];
    let simds = simds.enumerate().take(9);
    parts.extend(simds.map(|(simd, of)| format!("SIMD {simd}: {}", amounts(of, &say))));
    if parts.len() > 9 {
        parts[9] = "..".to_owned();
    }
    parts.join("; ")
}

fn amounts<T>(of: &BTreeMap<String, T>, say: impl Fn(&T) -> String) -> String {
    if of.is_empty() {
        return "nothing".to_owned();
    }
    listed(of.iter().map(|(name, amount)| format!("{} {}", shown(name), say(amount))), ", ")
}

/// How heads that come as a number of waves are split, CU by CU.
fn balanced(question: &MatchQuestion) -> Option<ExplainedStep> {
    let mut lines = Vec::new();
    for (channel, head) in question.heads.iter().enumerate() {
        let Some(head) = head else { continue };
        for (index, cu) in question.model.cus().iter().enumerate() {
            let target = split((channel, &head.wants), (index, cu)).ok()?.target;
            let (Some(target), Some(pointer)) = (target, &cu.pointer) else { continue };
            lines.push(format!(
                "channel {channel}, CU {index}: {} turned by su = {}: {}",
                counted(target.waves(), "wave", "waves"),
                pointer.turn(),
                listed(target.entries(), " ")
            ));
        }
    }
    let title = "a31, h2, h3: waves by SIMD, as the pointer of each CU has it";
    (!lines.is_empty()).then(|| step(title, few(lines)))
}

fn compared(decision: &Decision<String>) -> ExplainedStep {
    let mut lines: Vec<String> = decision
        .refusals
        .chunk_by(|a, b| (a.channel, a.cu) == (b.channel, b.cu))
        .map(|refusals| {
            let lack = |it: &Refusal<String>| {
                let place = it.simd.map_or_else(String::new, |simd| format!("SIMD {simd} "));
                let left = match it.left {
                    Left::Longest(longest) => format!("longest {longest}"),
                    Left::Free(free) => format!("free {free}"),
                };
                format!("{place}{} (wants {}, {left})", shown(&it.resource), it.wanted)
            };
            let (channel, cu) = (refusals[0].channel, refusals[0].cu);
            format!("channel {channel}, CU {cu}: lacks {}", listed(refusals.iter().map(lack), ", "))
        })
        .collect();
    lines = few(lines);
    let fits = |it: &Candidate| format!("channel {} fits CU {}", it.channel, listed(&it.cus, ", "));
    lines.extend(few(decision.candidates.iter().map(fits).collect()));
    step("a3, a31, a32: each wave group against its own SIMD, what is shared against the CU", lines)
}

fn chosen(question: &MatchQuestion, decision: &Decision<String>) -> ExplainedStep {
    let Some(target) = &decision.target else {
        let line = "no head fits any CU: nothing is dispatched, the marks stay".to_owned();
        return step("a4: no target", vec![line]);
    };
    let level_of = |channel: usize| question.heads[channel].as_ref().map_or(0, |head| head.level);
    let level = level_of(target.channel);
    let given = question.levels.given[level];
    let tied = decision.candidates.iter().map(|it| it.channel);
    let tied: Vec<usize> = tied.filter(|&channel| level_of(channel) == level).collect();
    let marked: Vec<usize> = question.model.marks().of_level(level).collect();
    let open: Vec<usize> = tied.iter().copied().filter(|it| !marked.contains(it)).collect();
    let channel = target.channel;
    let mut lines = vec![format!("the best level with a candidate is {given}")];
    lines.push(match (tied.len(), open.len()) {
        (1, _) => format!("a41: only channel {channel} has it, no mark changes"),
        (_, 0) => format!(
            "a42: channels {} tie and all are marked: the lowest, {channel}, keeps its mark, the others lose theirs",
            listed(&tied, ", ")
        ),
        _ => format!(
            "a42: channels {} tie, not marked for level {given}: {}; the lowest of these, {channel}, is taken and marked",
            listed(&tied, ", "),
            listed(&open, ", ")
        ),
    });
    let fit = decision.candidates.iter().find(|it| it.channel == channel);
    let fit = fit.map_or(&[][..], |it| &it.cus);
    lines.push(format!("it fits CU {}: the lowest, {}, is taken", listed(fit, ", "), target.cu));
    lines.push("every other head stays at the head of its channel".to_owned());
    step("a4: the target", lines)
}

fn taken(target: &Target<String>) -> ExplainedStep {
    let say = |piece: &Piece| match piece {
        Piece::Run { start, len } => {
            format!("{start} to {} (a44)", u64::from(*start) + u64::from(*len) - 1)
        }
        Piece::Count(count) => format!("{count} (a45)"),
    };
    let line = |place: String, pieces: &BTreeMap<String, Piece>| {
        format!("{place}: {}", amounts(pieces, say))
    };
    let mut lines = vec![line("shared".to_owned(), &target.pieces.shared)];
    for (simd, pieces) in target.pieces.simds.iter().enumerate() {
        lines.push(line(format!("SIMD {simd}"), pieces));
    }
    let title = format!(
        "a43 to a45: the lowest start that fits on CU {}, and what is handed out",
        target.cu
    );
    step(title, few(lines))
}

fn pointer(question: &MatchQuestion, target: &Target<String>) -> Option<ExplainedStep> {
    let after = moved(question, target)?.at;
    let before = question.model.cus()[target.cu].pointer.as_ref()?.at();
    let line = format!("CU {}: from {before} to {after}; those of the other CUs stay", target.cu);
    Some(step("h5: the pointer", vec![line]))
}
