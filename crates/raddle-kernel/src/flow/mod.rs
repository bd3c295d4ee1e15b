//! Which memory does a kernel read and write, and what has the same work-item written before it
//! reads?
//!
//! Two passes over the control-flow graph. The first finds what registers and the variables of a
//! work-item hold at the start of each basic block: a value, or unknown where the ways to the block
//! differ. The second finds what has certainly been written on every way to a read.

mod assumed;
mod covered;
mod graph;
mod guards;
mod memory;
mod once;
mod placing;
mod rows;
mod waits;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

pub(crate) use self::assumed::{where_decided, where_zero};
pub(crate) use self::waits::waits;

use self::graph::{Graph, before, graph};
use self::once::assigned_once;
use crate::ir::{BlockId, Body, Construct, Instruction, LinedStep, Operand, PointerOrigin, Reg};
use crate::places::Expression;
use crate::value::{Address, Meaning, Origins, Value, Values, VariableCell};

/// Read or write of memory that outlives the work-item, such as a buffer.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) write: bool,
    pub(crate) origins: Origins,
    /// (address, number of bytes) of the access; `None` where it may be anywhere in the memory of
    /// `origins`.
    pub(crate) place: Option<(Address, u32)>,
    pub(crate) line: u32,
    /// Index of the expression (formula over a launch's arguments and sizes) of the address without
    /// its constant bytes; `None` where it has no expression, or none was asked for.
    pub(crate) expression: Option<usize>,
    /// Value that is read or written; `None` where there is no single value.
    pub(crate) value: Option<Value>,
    /// True for a read of bytes that the same work-item has written earlier in the same run,
    /// whichever path it took.
    pub(crate) covered: bool,
    /// True for the last write of a work-item if that write turns off a guard, the value that an
    /// earlier condition tests, so that the work-item would write nothing in a second run.
    pub(crate) last: bool,
}

/// Constructs that forbid a second run of the kernel or cannot be judged, each as (construct, line
/// in the source).
type FlowRefusals = BTreeSet<(Construct, u32)>;

/// Effects of a kernel on memory: its reads and writes, and the constructs for which the kernel is
/// refused as not repeatable.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) accesses: Vec<Access>,
    pub(crate) refusals: FlowRefusals,
    pub(crate) values: Values,
    /// Expressions of addresses (formulas over a launch's arguments and sizes), operands first.
    pub(crate) expressions: Vec<Expression>,
}

/// Values of registers and private memory at the start or end of a basic block. Registers that only
/// one instruction sets are left out.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct BlockState {
    registers: BTreeMap<Reg, Value>,
    cells: BTreeMap<VariableCell, Value>,
}

/// Analyses a kernel, and returns its effects on memory, from which the verdict is derived whether
/// it may be run again. With `placed`, the effects have the expressions of addresses.
pub(crate) fn effects(body: &Body, placed: bool) -> Effects {
    let graph = match graph(body) {
        Ok(graph) => graph,
        Err(why) => {
            let refusals = BTreeSet::from([why]);
            return Effects { refusals, ..Effects::default() };
        }
    };
    // The first run takes all memory to change, and learns which memory the kernel writes. The
    // second run relies on the rest.
    let fixed = assigned_once(body, &graph);
    let mut analysis = Analysis::new(body, &graph, None, fixed.clone());
    let (mut by_block, mut refusals) = analysis.run();
    let written = analysis.written_by(&by_block);
    // Equal places count only where memory is both read and written.
    let both = |access: &Access| {
        !access.write && access.origins.iter().any(|origin| written.contains(origin))
    };
    if by_block.values().flatten().any(both) {
        if analysis.loaded.iter().any(|origins| stays(origins, &written)) {
            analysis = Analysis::new(body, &graph, Some(written), fixed);
            (by_block, refusals) = analysis.run();
        }
        analysis.cover(&mut by_block);
        analysis.guards(&mut by_block);
    }
    let expressions = if placed { analysis.placing(&mut by_block) } else { Vec::new() };
    let accesses = by_block.into_values().flatten().collect();
    Effects { accesses, refusals, values: analysis.values, expressions }
}

/// Returns whether the kernel, which writes the memory `written`, writes none of the memory
/// `origins`, so that all reads of one address give the same value. Local and unknown memory count
/// as written.
fn stays(origins: &[PointerOrigin], written: &BTreeSet<PointerOrigin>) -> bool {
    let known = |origin: &PointerOrigin| {
        !matches!(origin, PointerOrigin::Local(_) | PointerOrigin::Unknown)
    };
    origins.iter().all(|origin| known(origin) && !written.contains(origin))
}

struct Analysis<'b> {
    body: &'b Body,
    graph: &'b Graph,
    before: Vec<Vec<BlockId>>,
    /// Memory that the kernel writes; `None` in the first pass of the analysis, in which any memory
    /// may be written.
    written: Option<BTreeSet<PointerOrigin>>,
    values: Values,
    /// For each private or local variable in which the kernel stores pointers, the memory to which
    /// these pointers lead.
    stored: BTreeMap<PointerOrigin, BTreeSet<PointerOrigin>>,
    ends: Vec<Option<BlockState>>,
    joined: BTreeSet<(BlockId, JoinedSlot)>,
    /// Private variables of the work-item to which the kernel stores anything.
    variables: BTreeSet<PointerOrigin>,
    /// Memory whose loads have unknown values until it is known which memory is written.
    loaded: BTreeSet<Origins>,
    /// Value of each register. The outer `None` is a register that several instructions set, the
    /// inner `None` a value that is not known yet.
    fixed: Vec<Option<Option<Value>>>,
    /// True if the last pass over the kernel changed anything beside the states of basic blocks, so
    /// that another pass is needed.
    changed: bool,
}

/// Most passes over all basic blocks: nested loops need as many as their depth and a few more.
const MOST_PASSES: usize = 60;

/// Register or memory cell that may have different values where control flow from several blocks
/// joins.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum JoinedSlot {
    Register(Reg),
    VariableCell(VariableCell),
}

impl<'b> Analysis<'b> {
    fn new(
        body: &'b Body,
        graph: &'b Graph,
        written: Option<BTreeSet<PointerOrigin>>,
        fixed: Vec<Option<Option<Value>>>,
    ) -> Self {
        let before = before(&body.blocks, &graph.order);
        let ends = vec![None; body.blocks.len()];
        let unknown = BTreeSet::from([PointerOrigin::Unknown]);
        let stored = body.handed.iter().map(|&origin| (origin, unknown.clone())).collect();
        let (values, joined, variables, loaded) = Default::default();
        Self {
            body,
            graph,
            before,
            written,
            values,
            stored,
            ends,
            joined,
            variables,
            loaded,
            fixed,
            changed: false,
        }
    }

    /// Returns the memory that the kernel writes, by its accesses.
    fn written_by(&self, by_block: &BTreeMap<BlockId, Vec<Access>>) -> BTreeSet<PointerOrigin> {
        let writes = by_block.values().flatten().filter(|access| access.write);
        let origins = writes.flat_map(|access| access.origins.iter().copied());
        origins.chain(self.variables.iter().copied()).collect()
    }

    /// Returns (accesses to memory of each basic block, constructs for which the kernel is
    /// refused).
    fn run(&mut self) -> (BTreeMap<BlockId, Vec<Access>>, FlowRefusals) {
        let (mut by_block, mut refusals) = (BTreeMap::new(), BTreeSet::new());
        // Without loops all that a block builds on is played before it.
        if !self.graph.loops.is_empty() && !self.settle() {
            refusals.insert((Construct::Large, 0));
            return (by_block, refusals);
        }
        for &block in &self.graph.order {
            let mut state = self.start(block);
            let mut seen = BlockFindings::default();
            self.play(block, &mut state, Some(&mut seen));
            self.ends[block] = Some(state);
            by_block.insert(block, seen.accesses);
            refusals.extend(seen.refusals);
        }
        (by_block, refusals)
    }

    /// Evaluates all basic blocks again and again until no value changes. Returns false if values
    /// still change after the limit of passes.
    fn settle(&mut self) -> bool {
        let mut position = vec![usize::MAX; self.body.blocks.len()];
        for (at, &block) in self.graph.order.iter().enumerate() {
            position[block] = at;
        }
        let mut plays = MOST_PASSES.saturating_mul(self.graph.order.len());
        for _ in 0..MOST_PASSES {
            self.changed = false;
            let mut at = 0;
            while let Some(&block) = self.graph.order.get(at) {
                let Some(left) = plays.checked_sub(1) else { return false };
                plays = left;
                let mut state = self.start(block);
                self.play(block, &mut state, None);
                if self.ends[block].as_ref() != Some(&state) {
                    self.ends[block] = Some(state);
                    self.changed = true;
                }
                at = self.repeated_from(block, at, &position).unwrap_or(at + 1);
            }
            if !self.changed & !self.values.take_grown() {
                return true;
            }
        }
        false
    }

    /// Returns the position, in the order of basic blocks, at which evaluation starts again: the
    /// first block of a loop that ends with `block`, if the loop changes further values; else
    /// `None`. `at` is the position of `block`. The states from the loop's first block on are
    /// dropped.
    fn repeated_from(&mut self, block: BlockId, at: usize, position: &[usize]) -> Option<usize> {
        let body = self.body;
        for &header in body.blocks[block].next.iter().filter(|&&to| position[to] <= at) {
            let known = self.joined.len();
            let mut state = self.start(header);
            // Phis are joined where they stand.
            self.play(header, &mut state, None);
            if self.joined.len() > known {
                for &behind in &self.graph.order[position[header]..] {
                    self.ends[behind] = None;
                }
                return Some(position[header]);
            }
        }
        None
    }

    /// Returns the values of registers and memory at the start of a basic block.
    fn start(&mut self, block: BlockId) -> BlockState {
        let ends = std::mem::take(&mut self.ends);
        let sides = self.before[block].iter().filter_map(|&from| ends[from].as_ref());
        let state = self.met(block, &sides.collect::<Vec<_>>());
        self.ends = ends;
        state
    }

    /// Returns the values of registers and memory at the start of `block`, merged from `sides`, the
    /// states at the ends of its predecessors.
    fn met(&mut self, block: BlockId, sides: &[&BlockState]) -> BlockState {
        let Some((&first, others)) = sides.split_first() else { return BlockState::default() };
        if others.is_empty() && self.before[block].len() == 1 {
            return first.clone();
        }
        let mut state = BlockState::default();
        let registers: BTreeSet<Reg> =
            sides.iter().flat_map(|side| side.registers.keys().copied()).collect();
        for register in registers {
            let unset = self.values.number(Meaning::Joined(usize::MAX, register));
            let mut held = sides.iter().map(|side| side.registers.get(&register).unwrap_or(&unset));
            let value = held.next().copied().unwrap_or(unset);
            let slot = JoinedSlot::Register(register);
            if let Some(value) = self.join(block, slot, value, held.map(|value| Some(*value))) {
                state.registers.insert(register, value);
            }
        }
        for (&cell, &value) in &first.cells {
            let sides = others.iter().map(|other| other.cells.get(&cell).copied());
            if let Some(value) = self.join(block, JoinedSlot::VariableCell(cell), value, sides) {
                state.cells.insert(cell, value);
            }
        }
        state
    }

    /// Returns the value of a register or memory cell at the start of the basic block `block`: the
    /// common value of all predecessors, an unknown one if they differ, `None` if one lacks a
    /// value.
    fn join(
        &mut self,
        block: BlockId,
        slot: JoinedSlot,
        first: Value,
        others: impl Iterator<Item = Option<Value>>,
    ) -> Option<Value> {
        let others: SmallVec<[Value; 4]> = others.collect::<Option<_>>()?;
        let differ = others.iter().any(|other| *other != first);
        if differ {
            self.joined.insert((block, slot));
        }
        if !self.joined.contains(&(block, slot)) {
            return Some(first);
        }
        let joined = self.values.number(match slot {
            JoinedSlot::Register(register) => Meaning::Joined(block, register),
            JoinedSlot::VariableCell(cell) => Meaning::JoinedCell(block, cell),
        });
        for side in std::iter::once(first).chain(others) {
            let origins = self.values.origins(side).clone();
            self.changed |= self.values.leads(joined, origins);
        }
        Some(joined)
    }

    fn play(
        &mut self,
        block: BlockId,
        state: &mut BlockState,
        mut seen: Option<&mut BlockFindings>,
    ) {
        let body = self.body;
        for (index, step) in body.blocks[block].steps.iter().enumerate() {
            self.step((block, index), step, state, seen.as_deref_mut());
        }
    }

    fn set(&mut self, register: Reg, value: Value, state: &mut BlockState) {
        match &mut self.fixed[register as usize] {
            Some(held) => {
                self.changed |= *held != Some(value);
                *held = Some(value);
            }
            None => {
                state.registers.insert(register, value);
            }
        }
    }

    fn step(
        &mut self,
        at: (BlockId, usize),
        step: &LinedStep,
        state: &mut BlockState,
        seen: Option<&mut BlockFindings>,
    ) {
        let mut ignored = BlockFindings::default();
        let seen = seen.unwrap_or(&mut ignored);
        let line = step.line;
        match &step.instruction {
            Instruction::Pure { to, operation, of } => {
                let of = of.iter().map(|of| self.value(*of, state)).collect();
                let value = self.values.number(Meaning::Operation(*operation, of));
                self.set(*to, value, state);
            }
            Instruction::Fresh { to } => {
                let value = self.values.number(Meaning::Set(at.0, at.1));
                self.set(*to, value, state);
            }
            Instruction::Copy { to, from } => {
                let value = self.value(*from, state);
                self.set(*to, value, state);
            }
            Instruction::Place { to, origin } => {
                let value = self.values.number(Meaning::Origin(*origin));
                self.set(*to, value, state);
            }
            Instruction::Offset { to, base, bytes, terms } => {
                let base = self.value(*base, state);
                let terms: Vec<(Value, i64)> =
                    terms.iter().map(|(term, each)| (self.value(*term, state), *each)).collect();
                let value = self.values.sum(Some(base), *bytes, terms);
                self.set(*to, value, state);
            }
            Instruction::Phi { to, from } => {
                if let Some(value) = self.phi(at.0, *to, from) {
                    self.set(*to, value, state);
                }
            }
            Instruction::Load { to, pointer: holds, at: pointer, size, spans } => {
                let pointer = self.value(*pointer, state);
                let value = self.load(at, pointer, (*size, *holds), state);
                self.set(*to, value, state);
                for &span in spans {
                    self.access(pointer, Some(span), false, (line, Some(value)), seen);
                }
            }
            Instruction::Store { at: pointer, value, size, spans } => {
                let (pointer, value) = (self.value(*pointer, state), self.value(*value, state));
                for &span in spans {
                    self.access(pointer, Some(span), true, (line, Some(value)), seen);
                }
                let whole = spans.as_slice() == [(0, *size)];
                self.store(pointer, whole.then_some(value), *size, state);
            }
            Instruction::Touch { at: pointer, write } => {
                let pointer = self.value(*pointer, state);
                self.access(pointer, None, *write, (line, None), seen);
                if *write {
                    self.store(pointer, None, 0, state);
                }
            }
            Instruction::Atomic { at: pointer, repeatable } => {
                let pointer = self.value(*pointer, state);
                let origins = self.origins(pointer);
                let inside = |origin: &PointerOrigin| {
                    matches!(origin, PointerOrigin::Local(_) | PointerOrigin::Private(_))
                };
                if !origins.iter().all(inside) {
                    seen.refusals.insert((Construct::Atomic, line));
                } else if !repeatable {
                    seen.refusals.insert((Construct::OrderedAtomic, line));
                }
                self.store(pointer, None, 0, state);
            }
            Instruction::Volatile { at: pointer } => {
                let pointer = self.value(*pointer, state);
                let inside = |origin: &PointerOrigin| {
                    matches!(origin, PointerOrigin::Local(_) | PointerOrigin::Private(_))
                };
                if !self.origins(pointer).iter().all(inside) {
                    seen.refusals.insert((Construct::Volatile, line));
                }
            }
            Instruction::Refuse(construct) => {
                seen.refusals.insert((construct.clone(), line));
            }
        }
    }

    fn value(&mut self, operand: Operand, state: &BlockState) -> Value {
        match operand {
            Operand::Int(int) => self.values.int(int),
            Operand::Reg(register) => {
                let held = match self.fixed[register as usize] {
                    Some(held) => held,
                    None => state.registers.get(&register).copied(),
                };
                // A register that is not set on some path to here is not used: any value will do.
                held.unwrap_or_else(|| self.values.number(Meaning::Joined(usize::MAX, register)))
            }
        }
    }

    fn phi(&mut self, block: BlockId, to: Reg, from: &[(BlockId, Operand)]) -> Option<Value> {
        let mut sides = Vec::new();
        for &(side, operand) in from {
            if let Some(state) = self.ends[side].take() {
                sides.push(self.value(operand, &state));
                self.ends[side] = Some(state);
            }
        }
        let (first, others) = sides.split_first()?;
        let others: Vec<Option<Value>> = others.iter().copied().map(Some).collect();
        self.join(block, JoinedSlot::Register(to), *first, others.into_iter())
    }
}

/// Reads, writes and refused constructs that the evaluation of one basic block has found.
#[derive(Debug, Default)]
struct BlockFindings {
    accesses: Vec<Access>,
    refusals: FlowRefusals,
}
