//! How is a circuit written, statement by statement, with its gates counted?
//!
//! Every statement is as wide as the wires that can change: no gate has a constant input, and no
//! two gates are equal. So the counted gates are those that synthesis keeps; synthesis also removes
//! the gates of windows (tested runs of blocks) that a sampled search computes and does not use.

use std::fmt::{self, Display, Write};

/// Numbers of two-input gates of a circuit, counted while it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RtlGates {
    /// Number of AND gates with two inputs.
    pub and_gates: u64,
    /// Number of OR gates with two inputs.
    pub or_gates: u64,
    /// Number of inverters, which do not count as gates.
    pub inverters: u64,
    /// Number of gates on the longest path from an input to an output. Each step of the circuit
    /// counts as beginning only when all gates of the step before it are done.
    pub depth: u32,
}

impl RtlGates {
    /// Returns the number of all two-input gates, without inverters.
    #[must_use]
    pub const fn gates(&self) -> u64 {
        self.and_gates + self.or_gates
    }
}

/// Kinds of two-input gates of which the circuits are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    And,
    Or,
}

impl Gate {
    /// Returns the Verilog operator of this kind of gate.
    pub(super) const fn sign(self) -> char {
        match self {
            Self::And => '&',
            Self::Or => '|',
        }
    }

    pub(super) const fn other(self) -> Self {
        match self {
            Self::And => Self::Or,
            Self::Or => Self::And,
        }
    }
}

/// A vector of wires in a Verilog module, with the number of gates on the longest path from an
/// input of the circuit to these wires.
#[derive(Clone, Debug)]
pub(super) struct Wires {
    pub(super) name: String,
    /// Index of the lowest of the wires, in the Verilog vector that has the name `name`.
    pub(super) low: u32,
    pub(super) width: u32,
    pub(super) level: u32,
}

/// Neighbouring wires of a vector: `width` wires from the index `low` on.
#[derive(Clone, Debug)]
pub(super) struct Part {
    of: Wires,
    low: u32,
    width: u32,
}

impl Wires {
    pub(super) fn new(name: impl Into<String>, low: u32, width: u32, level: u32) -> Self {
        Self { name: name.into(), low, width, level }
    }

    pub(super) fn part(&self, low: u32, width: u32) -> Part {
        Part { of: self.clone(), low, width }
    }

    pub(super) fn whole(&self) -> Part {
        self.part(self.low, self.width)
    }
}

impl Part {
    pub(super) const fn width(&self) -> u32 {
        self.width
    }

    pub(super) const fn level(&self) -> u32 {
        self.of.level
    }

    /// Returns `width` neighbouring wires of this part of a vector from `low` on, counted from the
    /// part's lowest wire.
    pub(super) fn within(&self, low: u32, width: u32) -> Self {
        Self { of: self.of.clone(), low: self.low + low, width }
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, low, width } = self;
        let high = low + width - 1;
        match width {
            _ if of.width == *width => f.write_str(&of.name),
            1 => write!(f, "{}[{low}]", of.name),
            _ => write!(f, "{}[{high}:{low}]", of.name),
        }
    }
}

/// An amount of blocks that a search tests, and one wire for each possible start: 1 where that many
/// blocks are free from the start on.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) amount: u32,
    pub(super) starts: Part,
}

impl Column {
    pub(super) const fn new(amount: u32, starts: Part) -> Self {
        Self { amount, starts }
    }
}

/// Returns ceil(log2 n), the depth of a tree of two-input gates over n wires.
pub(super) const fn log(n: u32) -> u32 {
    if n <= 1 { 0 } else { u32::BITS - (n - 1).leading_zeros() }
}

/// Returns the Verilog range of a vector of `width` wires from the index `low` on, as a declaration
/// has it, with a space behind it; empty for one wire.
pub(super) fn range(low: u32, width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:{low}] ", low + width - 1) }
}

/// Returns the Verilog concatenation of parts of vectors; the first of `parts` has the lowest
/// digits.
pub(super) fn joined(parts: &[Part]) -> String {
    match parts {
        [one] => one.to_string(),
        _ => {
            let high_first: Vec<String> = parts.iter().rev().map(Part::to_string).collect();
            format!("{{{}}}", high_first.join(", "))
        }
    }
}

/// Returns the Verilog expression of a balanced tree of gates over single wires, the `parts`.
fn balanced(parts: &[Part], gate: Gate) -> String {
    match parts {
        [one] => one.to_string(),
        [one, other] => format!("{one} {} {other}", gate.sign()),
        _ => {
            let (low, high) = parts.split_at(parts.len().div_ceil(2));
            format!("({}) {} ({})", balanced(low, gate), gate.sign(), balanced(high, gate))
        }
    }
}

/// Statements of a Verilog module, with the gates that they contain.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) gates: RtlGates,
}

impl Body {
    /// Adds `gates` gates of one kind to the counts. `level` is the number of gates on the longest
    /// path from the circuit's inputs to the outputs of these gates.
    pub(super) fn count(&mut self, gate: Gate, gates: u32, level: u32) {
        match gate {
            Gate::And => self.gates.and_gates += u64::from(gates),
            Gate::Or => self.gates.or_gates += u64::from(gates),
        }
        self.gates.depth = self.gates.depth.max(level);
    }

    pub(super) fn line(&mut self, line: impl Display) {
        // A text takes every line.
        let _ = writeln!(self.text, "  {line}");
    }

    /// Declares wires that later assignments drive.
    pub(super) fn declare(&mut self, wires: &Wires) {
        self.line(format_args!("wire {}{};", range(wires.low, wires.width), wires.name));
    }

    /// Writes the gates that combine the operands `left` and `right` of equal width, wire by wire,
    /// and declares the result: a vector `name` whose lowest index is `low`.
    pub(super) fn both(
        &mut self,
        (name, low): (&str, u32),
        gate: Gate,
        left: &[Part],
        right: &[Part],
    ) -> Wires {
        let width = left.iter().map(Part::width).sum();
        let level = left.iter().chain(right).map(Part::level).max().unwrap_or(0) + 1;
        self.count(gate, width, level);
        let (range, sign) = (range(low, width), gate.sign());
        let (left, right) = (joined(left), joined(right));
        self.line(format_args!("wire {range}{name} = {left} {sign} {right};"));
        Wires::new(name, low, width, level)
    }

    /// Writes a tree of gates that reduces all wires of `parts` to the wire `to`, inverted where
    /// `invert` is true. Returns the number of gates on the longest path to that wire.
    pub(super) fn reduce(&mut self, to: &str, gate: Gate, parts: &[Part], invert: bool) -> u32 {
        let width: u32 = parts.iter().map(Part::width).sum();
        let level = parts.iter().map(Part::level).max().unwrap_or(0) + log(width);
        self.count(gate, width.saturating_sub(1), level);
        self.gates.inverters += u64::from(invert && width > 0);
        let not = if invert { "~" } else { "" };
        match width {
            0 => self.line(format_args!("assign {to} = 1'b0;")),
            1 => self.line(format_args!("assign {to} = {not}{};", joined(parts))),
            // Single wires are often results of trees, with which Yosys would join this one, and so
            // double their gates.
            _ if !invert && parts.iter().all(|part| part.width == 1) => {
                self.line(format_args!("assign {to} = {};", balanced(parts, gate)));
            }
            _ => self.line(format_args!("assign {to} = {not}{}{};", gate.sign(), joined(parts))),
        }
        level
    }
}
