//! By which steps does the head (first workgroup) of a channel get its compute unit (seed 000, E1)?
//!
//! The steps have the names of the seed: a1 to a4, h2 to h5 where waves are balanced over SIMDs,
//! b44 where windows of time order the levels.

use std::collections::BTreeMap;

use raddle_read::{FaultKind, shown};
use raddle_workgroup::{Balance, Choice, Fit};

use super::model::{
    LackingResource, Left, MatchDecision, MatchTarget, Stock, TakenPiece, Wants, record, split,
};
use super::search::found;
use super::{MatchQuestion, moved};
use crate::explanation::{Story, counted, listed};
use crate::fault::{Fault, fault};

pub(super) fn tell(
    question: &MatchQuestion,
    decision: &MatchDecision<String>,
    story: &mut Story,
) -> Result<(), Fault> {
    story.step("a1: the head of each channel");
    heads(question, story);
    story.step("a2: what is left of each CU, read once for all heads");
    records(question, story)?;
    if question.is_chain {
        searches(question, story)?;
    }
    if let Some(clocks) = &question.clocks {
        clocks.tell(&question.search, &question.model.cus, question.now, story);
    }
    balanced(question, story);
    compared(decision, story);
    if let Some(order) = &question.order {
        story.step(format!("b44: the order of levels at tick {}", question.tick()));
        story.note(format!("{}, by the window of the first", listed(order, " ")));
    }
    let Some(target) = &decision.target else {
        story.step("a4: no target");
        story.note("no head fits any CU: nothing is dispatched, the marks stay");
        return Ok(());
    };
    story.step("a4: the target");
    chosen(question, decision, target, story)?;
    let cu = target.cu;
    story.step(format!(
        "a43 to a45: {} that fits on CU {cu}, and what is handed out",
        match question.model.fit {
            Fit::First => "the lowest start",
            Fit::Best => "the start of the shortest run",
            Fit::Worst => "the start of the longest run",
            Fit::Next => "the lowest start from where the run before ended, around the end,",
        }
    ));
    taken(target, story);
    if let (Some(after), Some(pointer)) = (moved(question, target), &question.model.cus[cu].pointer)
    {
        let (before, after) = (pointer.at(), after.at);
        story.step("h5: the pointer");
        story.note(match question.balance {
            Balance::Tail => {
                format!("CU {cu}: from {before} to {after}; those of the other CUs stay")
            }
            Balance::Fixed => format!("CU {cu}: {after}, as every pointer stays"),
        });
    }
    Ok(())
}

fn heads(question: &MatchQuestion, story: &mut Story) {
    for (channel, head) in question.heads.iter().enumerate() {
        let Some(head) = head else {
            story.line(format!("channel {channel}: empty"));
            continue;
        };
        let level = question.levels.given[head.level];
        let wants = match &head.wants {
            Wants::Groups { shared, groups } => parts(shared, groups, u64::to_string),
            Wants::Waves { shared, waves, each } => {
                let each = amounts(each, u64::to_string);
                let waves = counted(*waves, "wave", "waves");
                format!("{waves} of {each}; shared: {}", amounts(shared, u64::to_string))
            }
        };
        story.line(format!("channel {channel}: level {level} wants {wants}"));
    }
}

fn records(question: &MatchQuestion, story: &mut Story) -> Result<(), Fault> {
    for (index, cu) in question.model.cus.iter().enumerate() {
        let record = record(cu, question.longest()).map_err(fault(FaultKind::Inconsistent, ""))?;
        let left = |left: &Left| match left {
            Left::Longest(longest) => format!("{longest} in a row"),
            Left::Free(free) => format!("{free} free"),
        };
        story.line(format!("CU {index}: {}", parts(&record.shared, &record.simds, left)));
    }
    Ok(())
}

/// Adds to the explanation which run of free blocks the search finds of each resource, and where;
/// returns a fault where the search does not suit a map.
fn searches(question: &MatchQuestion, story: &mut Story) -> Result<(), Fault> {
    story.end_list();
    for (index, cu) in question.model.cus.iter().enumerate() {
        let runs = |stocks: &BTreeMap<String, Stock>| {
            let found = |(name, stock): (&String, &Stock)| match stock {
                Stock::Run { map, .. } => {
                    Some(found(&question.search, name, map).map(|text| (name.clone(), text)))
                }
                Stock::Count(_) => None,
            };
            stocks.iter().filter_map(found).collect::<Result<BTreeMap<_, _>, _>>()
        };
        let simds = cu.simds.iter().map(runs).collect::<Result<Vec<_>, _>>();
        let refused = fault(FaultKind::Inconsistent, "");
        let (shared, simds) = (runs(&cu.shared).map_err(&refused)?, simds.map_err(&refused)?);
        story.line(format!("found on CU {index}: {}", parts(&shared, &simds, String::clone)));
    }
    Ok(())
}

/// Formats amounts of resources, by SIMD, as `shared: lds 4; SIMD 0: vgpr 6, waves 1; SIMD 1: ..`,
/// for the first eight SIMDs.
fn parts<T>(
    shared: &BTreeMap<String, T>,
    simds: &[BTreeMap<String, T>],
    say: impl Fn(&T) -> String,
) -> String {
    let mut parts = vec![format!("shared: {}", amounts(shared, &say))];
    let shown = simds.iter().enumerate().take(8);
    parts.extend(shown.map(|(simd, of)| format!("SIMD {simd}: {}", amounts(of, &say))));
    if simds.len() > 8 {
        parts.push("..".to_owned());
    }
    parts.join("; ")
}

fn amounts<T>(of: &BTreeMap<String, T>, say: impl Fn(&T) -> String) -> String {
    if of.is_empty() {
        return "nothing".to_owned();
    }
    listed(of.iter().map(|(name, amount)| format!("{} {}", shown(name), say(amount))), ", ")
}

/// Explains how the waves of the heads (first workgroups of channels) are split over the SIMDs,
/// compute unit by compute unit. Heads that are not given as a number of waves are left out.
fn balanced(question: &MatchQuestion, story: &mut Story) {
    let is_counted = |wants: &Wants<String>| matches!(wants, Wants::Waves { .. });
    let heads = question.heads.iter().enumerate();
    let heads = heads.filter_map(|(channel, head)| Some((channel, &head.as_ref()?.wants)));
    let heads: Vec<_> = heads.filter(|(_, wants)| is_counted(wants)).collect();
    if !heads.is_empty() && !question.model.cus.is_empty() {
        story.step(match question.balance {
            Balance::Tail => "a31, h2, h3: waves by SIMD, as the pointer of each CU has it",
            Balance::Fixed => "a31, h2: waves by SIMD, the surplus always from SIMD 0 on",
        });
    }
    for (channel, wants) in heads {
        for (index, cu) in question.model.cus.iter().enumerate() {
            let target = split((channel, wants), (index, cu)).ok().and_then(|it| it.target);
            let (Some(target), Some(pointer)) = (target, &cu.pointer) else { continue };
            story.line(format!(
                "channel {channel}, CU {index}: {} turned by su = {}: {}",
                counted(target.waves(), "wave", "waves"),
                pointer.turn(),
                listed(target.entries(), " ")
            ));
        }
    }
}

fn compared(decision: &MatchDecision<String>, story: &mut Story) {
    story.step("a3, a31, a32: each wave group against its own SIMD, what is shared against the CU");
    for refusals in decision.refusals.chunk_by(|a, b| (a.channel, a.cu) == (b.channel, b.cu)) {
        let lack = |it: &LackingResource<String>| {
            let place = it.simd.map_or_else(String::new, |simd| format!("SIMD {simd} "));
            let left = match it.left {
                Left::Longest(longest) => format!("longest {longest}"),
                Left::Free(free) => format!("free {free}"),
            };
            format!("{place}{} (wants {}, {left})", shown(&it.resource), it.wanted)
        };
        let (channel, cu) = (refusals[0].channel, refusals[0].cu);
        let lacks = listed(refusals.iter().map(lack), ", ");
        story.line(format!("channel {channel}, CU {cu}: lacks {lacks}"));
    }
    story.end_list();
    for it in &decision.candidates {
        story.line(format!("channel {} fits CU {}", it.channel, listed(&it.cus, ", ")));
    }
}

fn chosen(
    question: &MatchQuestion,
    decision: &MatchDecision<String>,
    target: &MatchTarget<String>,
    story: &mut Story,
) -> Result<(), Fault> {
    let level_of = |channel: usize| question.heads[channel].as_ref().map_or(0, |head| head.level);
    let (channel, level) = (target.channel, level_of(target.channel));
    let given = question.levels.given[level];
    let tied = decision.candidates.iter().map(|it| it.channel);
    let tied: Vec<usize> = tied.filter(|&channel| level_of(channel) == level).collect();
    let marked: Vec<usize> = question.model.marks.of_level(level).collect();
    let open: Vec<usize> = tied.iter().copied().filter(|it| !marked.contains(it)).collect();
    story.note(format!("the best level with a candidate is {given}"));
    let all = listed(&tied, ", ");
    let pick = match question.pick {
        Choice::Lowest => "the lowest",
        Choice::Seeded { .. } => "the one by the seed",
    };
    story.note(match (tied.len(), open.len()) {
        (1, _) => format!("a41: only channel {channel} has it, no mark changes"),
        (_, 0) => format!(
            "a42: channels {all} tie and all are marked: {pick}, {channel}, keeps its mark, the others lose theirs",
        ),
        _ => format!(
            "a42: channels {all} tie, not marked for level {given}: {}; {pick} of these, {channel}, is taken and marked",
            listed(&open, ", ")
        ),
    });
    let fit = decision.candidates.iter().find(|it| it.channel == channel);
    let fit = fit.map_or(&[][..], |it| &it.cus);
    let scores = question.place.scores(fit, &question.model.cus, &question.search);
    let (free, power) = scores.map_err(fault(FaultKind::Inconsistent, ""))?;
    for (name, scores) in [("TA", free), ("TB", power)].into_iter().filter(|_| question.is_chain) {
        let all = fit.iter().zip(scores.into_iter().flatten());
        let all: Vec<_> = all.map(|(cu, score)| format!("{score} on CU {cu}")).collect();
        if !all.is_empty() {
            story.note(format!("{name}: {}", listed(all, ", ")));
        }
    }
    let says = question.place.says();
    story.note(format!("it fits CU {}: {says}, {}, is taken", listed(fit, ", "), target.cu));
    story.note("every other head stays at the head of its channel");
    Ok(())
}

fn taken(target: &MatchTarget<String>, story: &mut Story) {
    let say = |piece: &TakenPiece| match piece {
        TakenPiece::Run { start, len } => {
            format!("{start} to {} (a44)", u64::from(*start) + u64::from(*len) - 1)
        }
        TakenPiece::Count(count) => format!("{count} (a45)"),
    };
    story.line(format!("shared: {}", amounts(&target.shared, say)));
    for (simd, pieces) in target.simds.iter().enumerate() {
        story.line(format!("SIMD {simd}: {}", amounts(pieces, say)));
    }
}
