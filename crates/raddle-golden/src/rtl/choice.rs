//! How is the choice among channels by level (seed 000, E1, a4) written as a combinational block?
//!
//! Among the channels whose heads (first workgroups) fit, the best level wins; among several of
//! that level the lowest channel without a mark, or the lowest of all (a42: the choice that the
//! seed leaves to chance is the lowest channel here, as in `raddle golden match`).

use std::io::{self, Write};

use serde_json::{Value, json};

use super::bench::{self, Port};
use super::draw::{Draw, write_lines};
use super::read_out::digits;
use super::vectors::hex;
use super::{RtlCircuit, RtlGates, Source};
use crate::explanation::Story;
use crate::{ModelError, frame, matching};

/// Most channels, and most levels, that a circuit which chooses among channels may have.
const MOST: u32 = 64;

/// Size of a circuit that chooses among channels: its numbers of channels and of levels of urgency.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChoiceSpec {
    channels: u32,
    levels: u32,
}

/// Writes a circuit that chooses one of the channels (queues of workgroups) whose head, the first
/// workgroup, fits a compute unit. It chooses the head of the best level; of equal ones, that of
/// the lowest channel that is not marked (was not chosen lately).
///
/// Inputs: `fits` (the head of channel i fits some compute unit), `level` (of each channel's head,
/// 0 is the best), `marks` (one bit for each level and channel). Outputs: `any` (some head fits),
/// `channel` (the chosen one), and `next_marks` (the marks after the decision).
///
/// ```
/// let circuit = raddle_golden::rtl::choice(8, 4)?;
/// assert!(circuit.module.contains("module raddle_choice_8_4 ("));
/// # Ok::<(), raddle_golden::ModelError>(())
/// ```
///
/// # Errors
/// With fewer than two channels, without a level, or with more than 64 channels or levels.
pub fn choice(channels: u32, levels: u32) -> Result<RtlCircuit, ModelError> {
    for (what, given, least) in [("channels", channels, 2), ("levels", levels, 1)] {
        if !(least..=MOST).contains(&given) {
            return Err(ModelError::RtlSize { what, given, least, most: MOST });
        }
    }
    let (wide, name) = (digits(levels - 1), format!("raddle_choice_{channels}_{levels}"));
    let ports = [
        Port::input("fits", channels),
        Port::input("level", channels * wide),
        Port::input("marks", channels * levels),
        Port::output("any", 1),
        Port::output("channel", digits(channels - 1)),
        Port::output("next_marks", channels * levels),
    ];
    let head = [
        "Seed 000: E1 a4, the priority choice among the heads of channels. Written by raddle."
            .to_owned(),
        format!(
            "level[{wide} * c +: {wide}]: the level of channel c, 0 = best; marks[{channels} * l + c]: its mark for level l."
        ),
    ];
    let body = decided(channels, levels);
    Ok(RtlCircuit {
        module: bench::module(&name, &head, &ports, &body),
        bench: bench::bench(&name, &ports),
        name,
        gates: RtlGates::default(),
        source: Source::Choice(ChoiceSpec { channels, levels }),
    })
}

/// Returns the Verilog statements that choose one of the heads (first workgroups) of `channels`
/// channels, with `levels` levels.
fn decided(channels: u32, levels: u32) -> String {
    let (top, last, wide) = (channels - 1, levels - 1, digits(levels - 1));
    let (best, picked) = (digits(levels), digits(channels - 1) - 1);
    format!(
        "  reg [{top}:0] tied, at, old, unmarked, from, chosen;
  reg [{best}:0] best;
  reg [{picked}:0] picked;
  reg [{marks}:0] next;
  integer l, c;
  always @* begin
    // The best level with a head that fits, and the channels that share it.
    tied = 0;
    best = 0;
    for (l = {last}; l >= 0; l = l - 1) begin
      for (c = 0; c < {channels}; c = c + 1) at[c] = fits[c] && level[{wide} * c +: {wide}] == l[{level}:0];
      if (|at) begin
        tied = at;
        best = l[{best}:0];
      end
    end
    // a42: the lowest channel without a mark, else the lowest of all.
    old = 0;
    for (l = 0; l < {levels}; l = l + 1) if (best == l[{best}:0]) old = marks[{channels} * l +: {channels}];
    unmarked = tied & ~old;
    from = |unmarked ? unmarked : tied;
    chosen = 0;
    picked = 0;
    for (c = {top}; c >= 0; c = c - 1) if (from[c]) begin
      chosen = 0;
      chosen[c] = 1;
      picked = c[{picked}:0];
    end
    // a41: a single best head sets no mark. The last mark of a tie clears those of the others.
    if (tied != chosen) old = |unmarked ? old | chosen : old & ~(tied & ~chosen);
    next = marks;
    for (l = 0; l < {levels}; l = l + 1) if (best == l[{best}:0]) next[{channels} * l +: {channels}] = old;
  end
  assign any = |tied;
  assign channel = picked;
  assign next_marks = next;
",
        level = wide - 1,
        marks = channels * levels - 1,
    )
}

/// Writes `lines` lines for the test bench: random heads (first workgroups of channels), and the
/// answers of `raddle golden match`. `seed` is the seed of the random numbers. Returns an error
/// where the lines cannot be written.
pub(super) fn vectors(
    spec: &ChoiceSpec,
    lines: u64,
    seed: u64,
    to: &mut dyn Write,
) -> io::Result<()> {
    write_lines(lines, seed, to, |draw| line(spec, draw))
}

fn line(spec: &ChoiceSpec, draw: &mut Draw) -> Result<String, crate::Fault> {
    let ChoiceSpec { channels, levels } = *spec;
    let few = draw.below(levels) + 1;
    let fits: Vec<bool> = (0..channels).map(|_| draw.below(3) > 0).collect();
    let level: Vec<u32> = (0..channels).map(|_| draw.below(few)).collect();
    let marked = draw.below(5);
    let marks: Vec<bool> = (0..channels * levels).map(|_| draw.below(4) < marked).collect();
    // A head fits if it wants one wave, and not if it wants two.
    let heads: Vec<Value> = level
        .iter()
        .zip(&fits)
        .map(|(level, fits)| {
            let waves = if *fits { 1 } else { 2 };
            json!({"level": level + 1, "demand": {"shared": {}, "simds": [{"waves": waves}]}})
        })
        .collect();
    let of_level = |level: u32| {
        let marked = (0..channels).filter(|c| marks[(level * channels + c) as usize]);
        ((level + 1).to_string(), json!(marked.collect::<Vec<u32>>()))
    };
    let given: serde_json::Map<String, Value> = (0..levels).map(of_level).collect();
    let cus = json!([{"shared": {}, "simds": [{"waves": 1}]}]);
    let question = json!({"cus": cus, "channels": heads, "marks": given}).to_string();
    let answer = frame::solve(&matching::TOPIC, &question, &mut Story::default())?;
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    let target = answer["target"]["channel"].as_u64();
    let next: Vec<bool> = (0..levels)
        .flat_map(|level| (0..channels).map(move |channel| (level, channel)))
        .map(|(level, channel)| {
            let marked = answer["marks"][(level + 1).to_string()].as_array();
            marked.is_some_and(|all| all.contains(&json!(channel)))
        })
        .collect();
    let wide = digits(levels - 1);
    let level: Vec<bool> = level
        .iter()
        .flat_map(|level| (0..wide).map(move |digit| level >> digit & 1 == 1))
        .collect();
    let (any, channel) = (u8::from(target.is_some()), target.unwrap_or(0));
    Ok(format!("{} {} {} {any:x} {channel:x} {}", hex(&fits), hex(&level), hex(&marks), hex(&next)))
}
