//! How does a head of a channel come to its compute unit (seed 000, E1)?
//!
//! The steps have the names of the seed: a1 to a4, h2 to h5 where waves are balanced.

use std::collections::BTreeMap;

use raddle_bitmap::Full;
use raddle_golden::matching::model::{
    Candidate, Decision, Left, Piece, Target, Wants, by, record, split,
};
use serde_json::value::RawValue;

use super::{Step, Told, few, step};
use crate::golden::fault::{Fault, Kind};
use crate::golden::matching::{Question, answer_of, decide, moved, question};
use crate::golden::read::Fields;
use crate::units::{counted, plain};

/// The worked example of the spec.
pub(super) const EXAMPLE: &str = r#"{"cus":[{"shared":{"lds":"1111111111"},"simds":[{"vgpr":"11111111","waves":2},{"vgpr":"00001111","waves":2}]},{"shared":{"lds":"0011110000"},"simds":[{"vgpr":"01111110","waves":1},{"vgpr":"11111101","waves":3}]}],"channels":[{"level":1,"demand":{"shared":{"lds":2},"simds":[{"vgpr":12,"waves":2},{"vgpr":6,"waves":1}]}},{"level":2,"demand":{"shared":{"lds":4},"simds":[{"vgpr":6,"waves":1},{"vgpr":6,"waves":1}]}},{"level":2,"demand":{"shared":{"lds":8},"simds":[{"vgpr":8,"waves":2},{"vgpr":4,"waves":2}]}},{"level":3,"demand":{"shared":{"lds":0},"simds":[{"vgpr":1,"waves":1},{"vgpr":1,"waves":1}]}},null],"marks":{"2":[1]}}"#;

/// Explains one question.
pub(super) fn explain(fields: &Fields<'_>) -> Result<Told, Fault> {
    let question = question(fields)?;
    let decision = decide(&question)?;
    let mut steps = vec![heads(&question), records(&question)?];
    steps.extend(balanced(&question));
    steps.push(compared(&decision));
    steps.push(chosen(&question, &decision));
    if let Some(target) = &decision.target {
        steps.push(taken(target));
        steps.extend(pointer(&question, target));
    }
    // An object of strings and integers: always JSON.
    let answer = RawValue::from_string(answer_of(&question, &decision)).unwrap_or_default();
    Ok(Told { steps, answer })
}

fn heads(question: &Question) -> Step {
    let line = |(channel, head): (usize, &Option<_>)| match head {
        None => format!("channel {channel}: empty"),
        Some(head) => {
            let head: &raddle_golden::matching::model::Head<String> = head;
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

fn records(question: &Question) -> Result<Step, Fault> {
    let mut lines = Vec::new();
    for (index, cu) in question.model.cus().iter().enumerate() {
        let record = record(cu, by(Full))
            .map_err(|error| Fault::new(Kind::Inconsistent, "", error.to_string()))?;
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
    let shown =
        of.iter().take(8).map(|(name, amount)| format!("{} {}", plain(name, 20), say(amount)));
    let shown: Vec<String> = shown.collect();
    let more = if of.len() > shown.len() { ", .." } else { "" };
    shown.join(", ") + more
}

/// How heads that come as a number of waves are split, CU by CU.
fn balanced(question: &Question) -> Option<Step> {
    let mut lines = Vec::new();
    for (channel, head) in question.heads.iter().enumerate() {
        let Some(head) = head else { continue };
        for (index, cu) in question.model.cus().iter().enumerate() {
            let target = split((channel, &head.wants), (index, cu)).ok()?.target;
            let (Some(target), Some(pointer)) = (target, &cu.pointer) else { continue };
            let entries = target.entries().take(16).map(|waves| waves.to_string());
            lines.push(format!(
                "channel {channel}, CU {index}: {} turned by su = {}: {}{}",
                counted(target.waves(), "wave", "waves"),
                pointer.turn(),
                entries.collect::<Vec<_>>().join(" "),
                if target.entries().len() > 16 { " .." } else { "" }
            ));
        }
    }
    let title = "a31, h2, h3: waves by SIMD, as the pointer of each CU has it";
    (!lines.is_empty()).then(|| step(title, few(lines)))
}

fn compared(decision: &Decision<String>) -> Step {
    let mut lines: Vec<String> = decision
        .refusals
        .chunk_by(|a, b| (a.channel, a.cu) == (b.channel, b.cu))
        .map(|refusals| {
            let lack = |it: &raddle_golden::matching::model::Refusal<String>| {
                let place = it.simd.map_or_else(String::new, |simd| format!("SIMD {simd} "));
                let left = match it.left {
                    Left::Longest(longest) => format!("longest {longest}"),
                    Left::Free(free) => format!("free {free}"),
                };
                format!("{place}{} (wants {}, {left})", plain(&it.resource, 20), it.wanted)
            };
            let lacks: Vec<String> = refusals.iter().take(8).map(lack).collect();
            let more = if refusals.len() > lacks.len() { ", .." } else { "" };
            let (channel, cu) = (refusals[0].channel, refusals[0].cu);
            format!("channel {channel}, CU {cu}: lacks {}{more}", lacks.join(", "))
        })
        .collect();
    lines = few(lines);
    let fits = |it: &Candidate| format!("channel {} fits CU {}", it.channel, joined(&it.cus));
    lines.extend(few(decision.candidates.iter().map(fits).collect()));
    step("a3, a31, a32: each wave group against its own SIMD, what is shared against the CU", lines)
}

fn joined(of: &[usize]) -> String {
    let shown: Vec<String> = of.iter().take(16).map(ToString::to_string).collect();
    let more = if of.len() > shown.len() { " .." } else { "" };
    shown.join(", ") + more
}

fn chosen(question: &Question, decision: &Decision<String>) -> Step {
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
            joined(&tied)
        ),
        _ => format!(
            "a42: channels {} tie, not marked for level {given}: {}; the lowest of these, {channel}, is taken and marked",
            joined(&tied),
            joined(&open)
        ),
    });
    let fit = decision.candidates.iter().find(|it| it.channel == channel);
    let fit = fit.map_or(&[][..], |it| &it.cus);
    lines.push(format!("it fits CU {}: the lowest, {}, is taken", joined(fit), target.cu));
    lines.push("every other head stays at the head of its channel".to_owned());
    step("a4: the target", lines)
}

fn taken(target: &Target<String>) -> Step {
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

fn pointer(question: &Question, target: &Target<String>) -> Option<Step> {
    let (_, after) = moved(question, target)?;
    let before = question.model.cus()[target.cu].pointer.as_ref()?.at();
    let line = format!("CU {}: from {before} to {after}; those of the other CUs stay", target.cu);
    Some(step("h5: the pointer", vec![line]))
}
