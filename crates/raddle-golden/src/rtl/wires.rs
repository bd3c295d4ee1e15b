//! How is a circuit written, statement by statement, so that its gates are counted on the way?
//!
//! Every statement is as wide as the wires that can change: no gate has a constant input, and no two
//! gates are equal. So the gates that are counted are those that synthesis finds, except windows of a
//! sampled search that none of its samples reads.

use std::fmt::{self, Display, Write};

/// Two-input gates of a circuit, counted as it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RtlGates {
    /// AND gates with two inputs.
    pub and_gates: u64,
    /// OR gates with two inputs.
    pub or_gates: u64,
    /// Inverters, which are no gates here.
    pub inverters: u64,
    /// Gates on the longest way, where each step waits for the whole step before.
    pub depth: u32,
}

impl RtlGates {
    /// Returns the number of all two-input gates.
    #[must_use]
    pub const fn gates(&self) -> u64 {
        self.and_gates + self.or_gates
    }
}

/// The two gates of which everything is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    And,
    Or,
}

impl Gate {
    /// Returns the operator between two operands, or before one that is reduced.
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

/// A vector of wires, with the number of gates before it.
#[derive(Clone, Debug)]
pub(super) struct Wires {
    pub(super) name: String,
    /// The index of the lowest wire.
    pub(super) low: u32,
    pub(super) width: u32,
    pub(super) level: u32,
}

/// Some neighbouring wires of a vector, from the index `low` on.
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

    /// Returns some neighbouring wires of the part, counted from its lowest one.
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

/// An amount that a search tests, and the windows of it, by their starts.
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

/// Returns ceil(log2 n).
pub(super) const fn log(n: u32) -> u32 {
    if n <= 1 { 0 } else { u32::BITS - (n - 1).leading_zeros() }
}

/// Returns the range of a vector as it stands in a declaration, with a space behind it.
pub(super) fn range(low: u32, width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:{low}] ", low + width - 1) }
}

/// Returns parts behind each other, the lowest last.
pub(super) fn joined(parts: &[Part]) -> String {
    match parts {
        [one] => one.to_string(),
        _ => {
            let high_first: Vec<String> = parts.iter().rev().map(Part::to_string).collect();
            format!("{{{}}}", high_first.join(", "))
        }
    }
}

/// Returns a tree of gates over single wires.
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

/// The statements of a module.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) gates: RtlGates,
}

impl Body {
    /// Counts gates that end at a level.
    pub(super) fn count(&mut self, gate: Gate, gates: u32, level: u32) {
        match gate {
            Gate::And => self.gates.and_gates += u64::from(gates),
            Gate::Or => self.gates.or_gates += u64::from(gates),
        }
        self.gates.depth = self.gates.depth.max(level);
    }

    /// Writes a line as it is.
    pub(super) fn line(&mut self, line: impl Display) {
        // A text takes every line.
        let _ = writeln!(self.text, "  {line}");
    }

    /// Declares wires that are driven by single assignments.
    pub(super) fn declare(&mut self, wires: &Wires) {
        self.line(format_args!("wire {}{};", range(wires.low, wires.width), wires.name));
    }

    /// Combines two operands of one width, place by place, and declares the result.
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

    /// Drives one wire with all wires of the parts, reduced by a tree, and perhaps inverted.
    /// Returns the level behind the tree.
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
