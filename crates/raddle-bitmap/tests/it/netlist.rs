//! How many gates, registers and levels does a circuit really have, and does it compute the answer?
//!
//! Circuits built gate by gate, so that the formulas can be counted after.

use raddle_bitmap::circuit::{Counting, Jump, Timing};
use raddle_bitmap::{Grouped, Sampled, Shared};

/// A wire of a circuit, by the number of the node that drives it.
pub(crate) type Wire = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Constant(bool),
    Input(usize),
    And(Wire, Wire),
    Or(Wire, Wire),
    /// A node that passes a wire on: a register, or a level of gates to wait for.
    Same(Wire),
}

/// Step of the search circuit to which a gate counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Before,
    Chain,
    Tree,
}

pub(crate) struct Netlist {
    nodes: Vec<Node>,
    levels: Vec<u32>,
    inputs: usize,
    folds: bool,
    clocked: bool,
    step: Step,
    /// Number of gates of each step of the circuit.
    pub(crate) gates: [u64; 3],
    /// Number of bits in registers between the first clock and the second, and between the second
    /// and the third.
    pub(crate) registers: Vec<u64>,
    /// Output of the circuit: the sequence under test, or one for each slot (range for one map).
    pub(crate) outputs: Vec<Vec<Wire>>,
}

const OCCUPIED: Wire = 0;

impl Netlist {
    fn new(counting: Counting, timing: Timing) -> Self {
        Self {
            nodes: vec![Node::Constant(false)],
            levels: vec![0],
            inputs: 0,
            folds: counting == Counting::Folded,
            clocked: timing != Timing::OneClock,
            step: Step::Before,
            gates: [0; 3],
            registers: Vec::new(),
            outputs: Vec::new(),
        }
    }

    pub(crate) fn depth(&self) -> u32 {
        self.levels.iter().copied().max().unwrap_or(0)
    }

    fn node(&mut self, node: Node, level: u32) -> Wire {
        self.nodes.push(node);
        self.levels.push(level);
        self.nodes.len() - 1
    }

    fn input(&mut self) -> Wire {
        self.inputs += 1;
        self.node(Node::Input(self.inputs - 1), 0)
    }

    fn gate(&mut self, node: Node, a: Wire, b: Wire) -> Wire {
        self.gates[self.step as usize] += 1;
        let level = self.levels[a].max(self.levels[b]) + 1;
        self.node(node, level)
    }

    fn and(&mut self, a: Wire, b: Wire) -> Wire {
        if self.folds && (a == OCCUPIED || b == OCCUPIED) {
            return OCCUPIED;
        }
        self.gate(Node::And(a, b), a, b)
    }

    fn or(&mut self, a: Wire, b: Wire) -> Wire {
        match (self.folds, a, b) {
            (true, OCCUPIED, other) | (true, other, OCCUPIED) => other,
            _ => self.gate(Node::Or(a, b), a, b),
        }
    }

    /// Builds a balanced tree of gates over these wires, and returns its output.
    fn tree(&mut self, wires: &[Wire], gate: fn(&mut Self, Wire, Wire) -> Wire) -> Wire {
        match wires {
            [] => OCCUPIED,
            [one] => *one,
            _ => {
                let (left, right) = wires.split_at(wires.len().div_ceil(2));
                let (left, right) = (self.tree(left, gate), self.tree(right, gate));
                gate(self, left, right)
            }
        }
    }

    fn any(&mut self, wires: &[Wire]) -> Wire {
        let live = |wire: &Wire| !self.folds || *wire != OCCUPIED;
        let wires: Vec<Wire> = wires.iter().copied().filter(live).collect();
        self.tree(&wires, Self::or)
    }

    /// Builds registers that hold sequences of digits from one clock to the next. If the circuit is
    /// folded (constants removed), a constant needs no register and equal wires share one.
    fn clock(&mut self, sequences: &mut [Vec<Wire>]) {
        let mut all: Vec<Wire> = sequences.iter().flatten().copied().collect();
        if self.folds {
            all.sort_unstable();
            all.dedup();
            all.retain(|&wire| wire != OCCUPIED);
        }
        self.registers.push(all.len() as u64);
        if self.clocked {
            let mut held: Vec<(Wire, Wire)> = Vec::new();
            for wire in sequences.iter_mut().flatten().filter(|wire| **wire != OCCUPIED) {
                let known = held.iter().find(|(from, _)| from == wire).map(|(_, to)| *to);
                let to = known.unwrap_or_else(|| self.node(Node::Same(*wire), 0));
                held.push((*wire, to));
                *wire = to;
            }
        }
    }

    /// Lets a whole sequence wait for its slowest wire, as a drawing in steps counts levels of
    /// gates.
    fn wait(&mut self, sequence: &mut [Wire], level: u32) {
        for wire in sequence.iter_mut().filter(|wire| **wire != OCCUPIED) {
            if self.levels[*wire] < level {
                *wire = self.node(Node::Same(*wire), level);
            }
        }
    }

    /// Builds the chain and the trees of the full search.
    fn search(&mut self, first: &[Wire]) {
        let mut shifted: Vec<Vec<Wire>> = (0..first.len()).map(|by| shift(first, by)).collect();
        self.clock(&mut shifted);
        let mut combined = self.chain(&shifted);
        self.clock(&mut combined);
        self.step = Step::Tree;
        let reduced = combined.iter().map(|sequence| self.any(sequence)).collect();
        self.outputs.push(reduced);
    }

    fn chain(&mut self, shifted: &[Vec<Wire>]) -> Vec<Vec<Wire>> {
        self.step = Step::Chain;
        let mut combined: Vec<Vec<Wire>> = vec![shifted[0].clone()];
        for sequence in &shifted[1..] {
            let last = combined.last().expect("the first is there").clone();
            combined.push(self.both(&last, sequence));
        }
        combined
    }

    fn both(&mut self, a: &[Wire], b: &[Wire]) -> Vec<Wire> {
        a.iter().zip(b).map(|(&a, &b)| self.and(a, b)).collect()
    }

    fn map(&mut self, blocks: u32) -> Vec<Wire> {
        (0..blocks).map(|_| self.input()).collect()
    }

    pub(crate) fn full(blocks: u32, counting: Counting, timing: Timing) -> Self {
        let mut netlist = Self::new(counting, timing);
        let map = netlist.map(blocks);
        netlist.search(&map);
        netlist
    }

    pub(crate) fn grouped(search: &Grouped, counting: Counting, timing: Timing) -> Self {
        let mut netlist = Self::new(counting, timing);
        let map = netlist.map(search.blocks());
        let groups = map.chunks(search.size() as usize);
        let groups: Vec<Wire> = groups.map(|group| netlist.tree(group, Self::and)).collect();
        netlist.search(&groups);
        netlist
    }

    pub(crate) fn sampled(search: &Sampled, counting: Counting, timing: Timing) -> Self {
        let mut netlist = Self::new(counting, timing);
        let mut at = vec![netlist.map(search.blocks())];
        netlist.clock(&mut at);
        let mut at = at.swap_remove(0);
        netlist.step = Step::Chain;
        let mut samples = Vec::new();
        if search.amounts()[0] == 1 {
            samples.push(at.clone());
        }
        for jump in Jump::all(search) {
            let moved = shift(&at, (jump.to - jump.from) as usize);
            at = netlist.both(&at, &moved);
            if jump.sampled {
                samples.push(at.clone());
            }
        }
        netlist.clock(&mut samples);
        netlist.step = Step::Tree;
        let reduced = samples.iter().map(|sequence| netlist.any(sequence)).collect();
        netlist.outputs.push(reduced);
        netlist
    }

    /// Builds the circuit of a shared finder. Inputs: the width, then one control wire for each
    /// border, 0 where the border holds. Outputs: one sequence for each slot of the round, in its
    /// order.
    pub(crate) fn shared(search: &Shared, counting: Counting, timing: Timing) -> Self {
        let mut netlist = Self::new(counting, timing);
        let first = netlist.map(search.width());
        let borders: Vec<(u32, u32, Wire)> =
            borders(search).into_iter().map(|(at, reach)| (at, reach, netlist.input())).collect();
        let mut shifted = Vec::new();
        let mut joined: Vec<(Wire, Wire, Wire)> = Vec::new();
        for by in 0..first.len() {
            let mut sequence = shift(&first, by);
            for &(at, reach, open) in &borders {
                if by >= 1 && by <= reach as usize {
                    let wire = &mut sequence[at as usize - by];
                    let known = joined.iter().find(|(from, by, _)| (*from, *by) == (*wire, open));
                    *wire = match known {
                        Some(&(_, _, gate)) if netlist.folds => gate,
                        _ => {
                            let gate = netlist.and(*wire, open);
                            joined.push((*wire, open, gate));
                            gate
                        }
                    };
                }
            }
            if by > 0 && !borders.is_empty() && !netlist.clocked {
                netlist.wait(&mut sequence, 1);
            }
            shifted.push(sequence);
        }
        if !netlist.clocked {
            // Counted as if held, before the waiting wires became nodes of their own.
            netlist.registers.clear();
        }
        netlist.clock(&mut shifted);
        let mut combined = netlist.chain(&shifted);
        netlist.clock(&mut combined);
        netlist.step = Step::Tree;
        netlist.slots(search, &combined);
        netlist
    }

    /// Builds the trees of a shared finder: each segment between borders is reduced once for each
    /// shift, then joined to slots.
    fn slots(&mut self, search: &Shared, combined: &[Vec<Wire>]) {
        let slots: Vec<(u32, u32)> = (0..search.periods())
            .flat_map(|period| search.slots(period))
            .map(|slot| (slot.start(), slot.end()))
            .collect();
        let mut cuts: Vec<u32> = slots.iter().flat_map(|&(start, end)| [start, end]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut distinct = slots.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let mut reduced: Vec<Vec<Wire>> = vec![Vec::new(); distinct.len()];
        for sequence in combined {
            let mut segments: Vec<(u32, u32, Wire)> = Vec::new();
            for pair in cuts.windows(2) {
                if distinct.iter().any(|&(start, end)| start <= pair[0] && pair[1] <= end) {
                    let wires = sequence[pair[0] as usize..pair[1] as usize].to_vec();
                    segments.push((pair[0], pair[1], self.any(&wires)));
                }
            }
            for (&(start, end), reduced) in distinct.iter().zip(&mut reduced) {
                let within = segments.iter().filter(|(from, to, _)| start <= *from && *to <= end);
                let wires: Vec<Wire> = within.map(|&(_, _, wire)| wire).collect();
                reduced.push(self.any(&wires));
            }
        }
        for slot in slots {
            let at = distinct.iter().position(|it| *it == slot).expect("it is among them");
            self.outputs.push(reduced[at].clone());
        }
    }

    /// Computes the outputs of the circuit for these inputs, as digits.
    pub(crate) fn evaluate(&self, inputs: &[bool]) -> Vec<String> {
        assert_eq!(inputs.len(), self.inputs);
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            values.push(match *node {
                Node::Constant(value) => value,
                Node::Input(input) => inputs[input],
                Node::And(a, b) => values[a] & values[b],
                Node::Or(a, b) => values[a] | values[b],
                Node::Same(a) => values[a],
            });
        }
        let digit = |&wire: &Wire| if values[wire] { '1' } else { '0' };
        self.outputs.iter().map(|wires| wires.iter().map(digit).collect()).collect()
    }
}

/// Shifts wires to the left; the vacated ones are occupied.
fn shift(wires: &[Wire], by: usize) -> Vec<Wire> {
    let moved = wires[by..].iter().copied();
    moved.chain(std::iter::repeat_n(OCCUPIED, by)).collect()
}

/// Returns the borders where two slots of a period meet, as (block of the border, width of the
/// widest slot that ends there).
pub(crate) fn borders(search: &Shared) -> Vec<(u32, u32)> {
    let mut borders: std::collections::BTreeMap<u32, u32> = std::collections::BTreeMap::new();
    for period in 0..search.periods() {
        for pair in search.slots(period).windows(2).filter(|pair| pair[0].end() == pair[1].start())
        {
            let widest = borders.entry(pair[0].end()).or_default();
            *widest = pair[0].width().max(*widest);
        }
    }
    borders.into_iter().collect()
}
