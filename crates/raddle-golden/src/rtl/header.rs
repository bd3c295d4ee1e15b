//! How is the search for the headers in a condensed packet (seed 002) written as a combinational
//! block?
//!
//! The places of the headers depend on the headers before them: each header is followed by the
//! half-words (16 bits) of the fields that its vector names. The block finds all headers of a
//! packet at once, in the default packet format.

use std::io::{self, Write};

use serde_json::json;

use super::bench::{self, Port};
use super::draw::{Draw, write_lines};
use super::{RtlCircuit, RtlGates, Source};
use crate::explanation::Story;
use crate::{frame, packet};

/// Number of half-words (16 bits each) of a packet that hold headers and values; a packet has
/// `BYTES` bytes in all.
const HALF_WORDS: usize = 31;
const BYTES: usize = 64;
/// Number of half-words (16 bits each) of each field of a launch (patent 002, table 1). The fields
/// are in the order of the bits of a diff vector, the lowest first; a diff vector has one bit for
/// each field that differs.
const FIELDS: [u32; 13] = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 4, 4, 4];
/// Number of the packet type "condensed packet", which holds several launches as differences.
const CONDENSED: u8 = 6;

/// Writes a circuit that finds the headers of all launches in a condensed packet at once. A
/// condensed packet holds several launches.
///
/// Input: `packet`, in which byte i begins at bit 8 i. Outputs: `is_header` has one bit for each
/// half-word (16 bits) of the packet's field diff_values, 1 where it is the header of a kernel.
/// `ok` is 0 where a decoder refuses the packet, whatever is in the reference table.
///
/// ```
/// assert!(raddle_golden::rtl::headers().module.contains("module raddle_headers ("));
/// ```
#[must_use]
pub fn headers() -> RtlCircuit {
    let name = "raddle_headers".to_owned();
    let ports = [
        Port::input("packet", 8 * BYTES as u32),
        Port::output("is_header", HALF_WORDS as u32),
        Port::output("ok", 1),
    ];
    let head = [
        "Seed 002: the headers in a condensed packet. Written by raddle.".to_owned(),
        "A header: 3 digits of the entry, 13 of the fields that follow; values low half-word first.".to_owned(),
    ];
    let sum: Vec<String> = FIELDS
        .iter()
        .enumerate()
        .map(|(bit, words)| format!("(header[{bit}] ? 6'd{words} : 6'd0)"))
        .collect();
    let body = format!(
        "  reg [30:0] found;
  reg fine;
  reg [12:0] header;
  reg [5:0] next;
  reg [7:0] left;
  integer p;
  always @* begin
    found = 0;
    next = 0;
    header = 0;
    left = packet[15:8];
    fine = packet[7:0] == 8'd{CONDENSED} && left != 0;
    for (p = 0; p < 31; p = p + 1) if (left != 0 && next == p[5:0]) begin
      // The lowest three digits are the entry.
      header = packet[19 + 16 * p +: 13];
      found[p] = 1;
      left = left - 1;
      next = next + 6'd1 + {};
      // The half-word of synch_scopes has no high byte.
      if (header[0] && p < 30 && packet[(p < 30 ? 40 + 16 * p : 0) +: 8] != 0) fine = 0;
    end
    if (left != 0 || next > 31) fine = 0;
  end
  assign is_header = found;
  assign ok = fine;
",
        sum.join(" + ")
    );
    RtlCircuit {
        module: bench::module(&name, &head, &ports, &body),
        bench: bench::bench(&name, &ports),
        name,
        gates: RtlGates::default(),
        source: Source::Headers,
    }
}

/// Writes `lines` lines for the test bench: random packets, the places of their headers, and
/// whether `raddle golden packet` accepts the packet. `seed` is the seed of the random numbers.
/// Returns an error where the lines cannot be written.
pub(super) fn vectors(lines: u64, seed: u64, to: &mut dyn Write) -> io::Result<()> {
    write_lines(lines, seed, to, |draw| {
        let packet = drawn(draw);
        let (found, ok) = (walked(&packet), taken(&packet));
        let high_first: String = packet.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        Ok::<_, io::Error>(format!("{high_first} {found:x} {:x}", u8::from(ok)))
    })
}

fn drawn(draw: &mut Draw) -> [u8; BYTES] {
    let mut packet = [0; BYTES];
    packet.iter_mut().for_each(|byte| *byte = draw.next() as u8);
    if draw.below(8) == 0 {
        return packet;
    }
    packet[0] = if draw.below(16) == 0 { draw.next() as u8 } else { CONDENSED };
    packet[1] = draw.below(9) as u8;
    // Few fields a kernel, so that several fit; small scopes, so that most packets are taken.
    let mut at = 0;
    while at < HALF_WORDS {
        let vector = (draw.next() & draw.next() & draw.next()) as u16 & 0x1fff;
        let header = vector << 3 | draw.below(8) as u16;
        packet[2 + 2 * at..4 + 2 * at].copy_from_slice(&header.to_le_bytes());
        if vector & 1 == 1 && at + 1 < HALF_WORDS && draw.below(8) > 0 {
            packet[5 + 2 * at] = 0;
        }
        at += 1 + words(vector);
    }
    packet
}

/// Returns the number of half-words (16 bits each) that the fields named by a diff vector (one bit
/// for each field) take.
fn words(vector: u16) -> usize {
    let named = FIELDS.iter().enumerate().filter(|(bit, _)| vector >> bit & 1 == 1);
    named.map(|(_, &words)| words as usize).sum()
}

/// Returns a mask of the half-words of a condensed packet that are headers, bit i for half-word i,
/// by going from one header to the next.
fn walked(packet: &[u8; BYTES]) -> u32 {
    let (mut at, mut found) = (0, 0);
    for _ in 0..packet[1] {
        if at >= HALF_WORDS {
            break;
        }
        found |= 1 << at;
        let header = u16::from_le_bytes([packet[2 + 2 * at], packet[3 + 2 * at]]);
        at += 1 + words(header >> 3);
    }
    found
}

/// Returns whether the golden model accepts a condensed packet, with every entry of the reference
/// table filled.
fn taken(packet: &[u8; BYTES]) -> bool {
    let hex: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
    let entries = (0..8).map(|entry| (entry.to_string(), json!({})));
    let table: serde_json::Map<String, serde_json::Value> = entries.collect();
    let question = json!({"decode": [hex], "table": table}).to_string();
    // Other types are packets of their own, which this block does not search.
    packet[0] == CONDENSED && frame::solve(&packet::TOPIC, &question, &mut Story::default()).is_ok()
}
