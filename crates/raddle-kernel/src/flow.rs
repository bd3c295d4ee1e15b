//! Which memory does a kernel read and write, and what has the same work-item written before it reads?
//!
//! Two passes over the control-flow graph. The first finds what registers and the variables of a
//! work-item hold at the start of each block: a value, or unknown where two sides differ. The second
//! finds what has certainly been written on every way to a read.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Block, BlockId, Body, Construct, Instruction, Operand, Origin, Reg, Step};
use crate::value::{Address, Cell, Meaning, Value, Values};

/// A read or a write of memory that outlives the work-item.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) write: bool,
    pub(crate) origins: BTreeSet<Origin>,
    /// Where, and how many bytes; `None`: anywhere in what the origins hold.
    pub(crate) place: Option<(Address, u32)>,
    pub(crate) line: u32,
    /// What was read or is written, where that is one value.
    pub(crate) value: Option<Value>,
    /// A read of what the same work-item has written in this run on every way to it.
    pub(crate) covered: bool,
}

/// What a kernel does to memory.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    pub(crate) accesses: Vec<Access>,
    pub(crate) refusals: BTreeSet<(Construct, u32)>,
    pub(crate) values: Values,
    /// Variables of the work-item that are ever stored to.
    variables: BTreeSet<Origin>,
}

/// What a work-item holds at one point, beside registers that are assigned in one place only.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct State {
    registers: BTreeMap<Reg, Value>,
    cells: BTreeMap<Cell, Value>,
}

/// Bytes that have certainly been written: where, how many.
type Written = BTreeSet<(Value, i64, u32)>;

/// What a kernel does to memory.
pub(crate) fn effects(body: &Body) -> Effects {
    let Some((order, dominators)) = order(body) else {
        let refusals = BTreeSet::from([(Construct::Irreducible, 0)]);
        return Effects { refusals, ..Effects::default() };
    };
    // Once with all memory taken to change, to learn what is written; then again with what is not.
    let fixed = assigned_once(body, &order, &dominators);
    let changed = Analysis::new(body, &order, None, fixed.clone()).run();
    let written: BTreeSet<Origin> = changed
        .accesses
        .iter()
        .filter(|access| access.write)
        .flat_map(|access| access.origins.iter().copied())
        .chain(changed.variables)
        .collect();
    Analysis::new(body, &order, Some(written), fixed).run()
}

/// Registers that are assigned in one place, which comes before all uses on every way.
fn assigned_once(
    body: &Body,
    order: &[BlockId],
    dominators: &[Option<BlockId>],
) -> Vec<Option<Option<Value>>> {
    let mut places: Vec<Option<(BlockId, usize)>> = vec![None; body.registers as usize];
    let mut fixed = vec![Some(None); body.registers as usize];
    let steps = |block: BlockId| body.blocks[block].steps.iter().enumerate();
    for &block in order {
        for (index, step) in steps(block) {
            if let Some(to) = step.instruction.sets() {
                let before = places[to as usize].replace((block, index));
                if before.is_some() {
                    fixed[to as usize] = None;
                }
            }
        }
    }
    let intervals = intervals(order, dominators);
    for &block in order {
        for (index, step) in steps(block) {
            for of in step.instruction.uses() {
                let Operand::Reg(register) = of else { continue };
                let Some((set, at)) = places[register as usize] else { continue };
                let ((begin, end), (here, _)) = (intervals[set], intervals[block]);
                let before = if set == block { at < index } else { (begin..end).contains(&here) };
                if !before {
                    fixed[register as usize] = None;
                }
            }
        }
    }
    fixed
}

/// For each block the numbers of those that it dominates, itself first: a range.
fn intervals(order: &[BlockId], dominators: &[Option<BlockId>]) -> Vec<(usize, usize)> {
    let mut below = vec![1; dominators.len()];
    // A dominator stands before all that it dominates.
    for &block in order.iter().skip(1).rev() {
        if let Some(up) = dominators[block] {
            below[up] += below[block];
        }
    }
    let mut ranges = vec![(0, 0); dominators.len()];
    let mut free = vec![0; dominators.len()];
    for (at, &block) in order.iter().enumerate() {
        let begin = match dominators[block] {
            Some(up) if at > 0 => {
                let begin = free[up];
                free[up] += below[block];
                begin
            }
            _ => 0,
        };
        ranges[block] = (begin, begin + below[block]);
        free[block] = begin + 1;
    }
    ranges
}

/// Blocks in reverse post-order and their immediate dominators; `None` where a loop has several entries.
fn order(body: &Body) -> Option<(Vec<BlockId>, Vec<Option<BlockId>>)> {
    let blocks = &body.blocks;
    let (post, position) = walk(blocks, &vec![0; blocks.len()]);
    let dominators = dominators(blocks, &post, &position);
    let mut backwards = Vec::new();
    for &from in &post {
        for &to in &blocks[from].next {
            if position[to] <= position[from] {
                if !dominates(&dominators, to, from) {
                    return None;
                }
                backwards.push((from, to));
            }
        }
    }
    // Again, with each loop as a whole before what follows it.
    let (post, _) = walk(blocks, &depths(blocks, &post, &backwards));
    Some((post, dominators))
}

/// Blocks in reverse post-order, and where each stands in it. Ways to blocks of fewer loops are gone first.
fn walk(blocks: &[Block], depths: &[u32]) -> (Vec<BlockId>, Vec<usize>) {
    let sorted = |block: BlockId| {
        let mut next = blocks[block].next.clone();
        next.sort_by_key(|&to| depths[to]);
        next.into_iter()
    };
    let mut post = Vec::with_capacity(blocks.len());
    let mut seen = vec![false; blocks.len()];
    let mut path = Vec::new();
    if !blocks.is_empty() {
        seen[0] = true;
        path.push((0, sorted(0)));
    }
    while let Some((block, next)) = path.last_mut() {
        match next.next() {
            Some(to) if !seen[to] => {
                seen[to] = true;
                path.push((to, sorted(to)));
            }
            Some(_) => {}
            None => {
                post.push(*block);
                path.pop();
            }
        }
    }
    post.reverse();
    let mut position = vec![usize::MAX; blocks.len()];
    for (at, &block) in post.iter().enumerate() {
        position[block] = at;
    }
    (post, position)
}

/// In how many loops each block lies; `backwards`: the ways back to the beginning of a loop.
fn depths(blocks: &[Block], order: &[BlockId], backwards: &[(BlockId, BlockId)]) -> Vec<u32> {
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); blocks.len()];
    for &from in order {
        for &to in &blocks[from].next {
            before[to].push(from);
        }
    }
    let mut depths = vec![0; blocks.len()];
    let headers: BTreeSet<BlockId> = backwards.iter().map(|&(_, header)| header).collect();
    for header in headers {
        let ends = backwards.iter().filter(|&&(_, to)| to == header).map(|&(from, _)| from);
        let mut inside = BTreeSet::from([header]);
        let mut pending: Vec<BlockId> = ends.collect();
        while let Some(block) = pending.pop() {
            if inside.insert(block) {
                pending.extend(&before[block]);
            }
        }
        for block in inside {
            depths[block] += 1;
        }
    }
    depths
}

/// The immediate dominator of each block (Cooper, Harvey and Kennedy 2001).
fn dominators(blocks: &[Block], order: &[BlockId], position: &[usize]) -> Vec<Option<BlockId>> {
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); blocks.len()];
    for &from in order {
        for &to in &blocks[from].next {
            before[to].push(from);
        }
    }
    let mut found: Vec<Option<BlockId>> = vec![None; blocks.len()];
    if let Some(&entry) = order.first() {
        found[entry] = Some(entry);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let mut nearest: Option<BlockId> = None;
            for &from in &before[block] {
                if found[from].is_some() {
                    nearest = Some(match nearest {
                        Some(other) => meet(&found, position, from, other),
                        None => from,
                    });
                }
            }
            if found[block] != nearest {
                found[block] = nearest;
                changed = true;
            }
        }
    }
    found
}

fn meet(found: &[Option<BlockId>], position: &[usize], a: BlockId, b: BlockId) -> BlockId {
    let (mut a, mut b) = (a, b);
    while a != b {
        let later = if position[a] > position[b] { &mut a } else { &mut b };
        match found[*later] {
            Some(up) if up != *later => *later = up,
            _ => return a.min(b),
        }
    }
    a
}

fn dominates(dominators: &[Option<BlockId>], above: BlockId, below: BlockId) -> bool {
    let mut at = below;
    loop {
        if at == above {
            return true;
        }
        match dominators[at] {
            Some(up) if up != at => at = up,
            _ => return false,
        }
    }
}

struct Analysis<'b> {
    body: &'b Body,
    order: &'b [BlockId],
    before: Vec<Vec<BlockId>>,
    /// What the kernel writes, as far as that is known.
    written: Option<BTreeSet<Origin>>,
    values: Values,
    /// Where pointers lead that were ever stored in a variable of the work-item or the workgroup.
    stored: BTreeMap<Origin, BTreeSet<Origin>>,
    ends: Vec<Option<State>>,
    joined: BTreeSet<(BlockId, Slot)>,
    variables: BTreeSet<Origin>,
    /// Registers that are assigned in one place, which comes before all uses; `None`: in several.
    fixed: Vec<Option<Option<Value>>>,
    /// Whether anything that is not part of a state has changed.
    changed: bool,
}

/// So often are all blocks played at most: nested loops need their depth and a few more.
const MOST_PASSES: usize = 60;

/// What can hold different values on different sides.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Slot {
    Register(Reg),
    Cell(Cell),
}

impl<'b> Analysis<'b> {
    fn new(
        body: &'b Body,
        order: &'b [BlockId],
        written: Option<BTreeSet<Origin>>,
        fixed: Vec<Option<Option<Value>>>,
    ) -> Self {
        let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); body.blocks.len()];
        for &from in order {
            for &to in &body.blocks[from].next {
                if !before[to].contains(&from) {
                    before[to].push(from);
                }
            }
        }
        let ends = vec![None; body.blocks.len()];
        let unknown = BTreeSet::from([Origin::Unknown]);
        let stored = body.handed.iter().map(|&origin| (origin, unknown.clone())).collect();
        let (values, joined, variables) = Default::default();
        Self {
            body,
            order,
            before,
            written,
            values,
            stored,
            ends,
            joined,
            variables,
            fixed,
            changed: false,
        }
    }

    fn run(mut self) -> Effects {
        let mut effects = Effects::default();
        if !self.settle() {
            effects.refusals.insert((Construct::Large, 0));
            return effects;
        }
        let mut by_block: BTreeMap<BlockId, Vec<Access>> = BTreeMap::new();
        for &block in self.order {
            let mut state = self.start(block);
            let mut seen = Seen::default();
            self.play(block, &mut state, Some(&mut seen));
            by_block.insert(block, seen.accesses);
            effects.refusals.extend(seen.refusals);
        }
        self.cover(&mut by_block);
        effects.accesses = by_block.into_values().flatten().collect();
        effects.values = self.values;
        effects.variables = self.variables;
        effects
    }

    /// Plays all blocks until nothing changes; whether that came to an end.
    fn settle(&mut self) -> bool {
        let mut position = vec![usize::MAX; self.body.blocks.len()];
        for (at, &block) in self.order.iter().enumerate() {
            position[block] = at;
        }
        let mut plays = MOST_PASSES.saturating_mul(self.order.len());
        for _ in 0..MOST_PASSES {
            self.changed = false;
            let mut at = 0;
            while let Some(&block) = self.order.get(at) {
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

    /// Where to go on if a loop that ends here is found to change more than was known. What was found
    /// behind its beginning is forgotten, so that inner loops do not take the difference for their own.
    fn repeated_from(&mut self, block: BlockId, at: usize, position: &[usize]) -> Option<usize> {
        let body = self.body;
        for &header in body.blocks[block].next.iter().filter(|&&to| position[to] <= at) {
            let known = self.joined.len();
            let mut state = self.start(header);
            // Phis are joined where they stand.
            self.play(header, &mut state, None);
            if self.joined.len() > known {
                for &behind in &self.order[position[header]..] {
                    self.ends[behind] = None;
                }
                return Some(position[header]);
            }
        }
        None
    }

    /// What is held at the start of a block.
    fn start(&mut self, block: BlockId) -> State {
        let sides: Vec<State> =
            self.before[block].iter().filter_map(|&from| self.ends[from].clone()).collect();
        let Some((first, others)) = sides.split_first() else { return State::default() };
        if others.is_empty() && self.before[block].len() == 1 {
            return first.clone();
        }
        let mut state = State::default();
        let registers: BTreeSet<Reg> =
            sides.iter().flat_map(|side| side.registers.keys().copied()).collect();
        for register in registers {
            let unset = self.values.number(Meaning::Joined(usize::MAX, register));
            let mut held = sides.iter().map(|side| side.registers.get(&register).unwrap_or(&unset));
            let value = held.next().copied().unwrap_or(unset);
            let slot = Slot::Register(register);
            if let Some(value) = self.join(block, slot, value, held.map(|value| Some(*value))) {
                state.registers.insert(register, value);
            }
        }
        for (&cell, &value) in &first.cells {
            let sides = others.iter().map(|other| other.cells.get(&cell).copied());
            if let Some(value) = self.join(block, Slot::Cell(cell), value, sides) {
                state.cells.insert(cell, value);
            }
        }
        state
    }

    /// One value where all sides agree, an unknown one where they differ; nothing where one has none.
    fn join(
        &mut self,
        block: BlockId,
        slot: Slot,
        first: Value,
        others: impl Iterator<Item = Option<Value>>,
    ) -> Option<Value> {
        let others: Vec<Value> = others.collect::<Option<_>>()?;
        let differ = others.iter().any(|other| *other != first);
        if differ {
            self.joined.insert((block, slot));
        }
        if !self.joined.contains(&(block, slot)) {
            return Some(first);
        }
        let joined = self.values.number(match slot {
            Slot::Register(register) => Meaning::Joined(block, register),
            Slot::Cell(cell) => Meaning::JoinedCell(block, cell),
        });
        for side in std::iter::once(first).chain(others) {
            let origins = self.values.origins(side);
            self.changed |= self.values.leads(joined, origins);
        }
        Some(joined)
    }

    fn play(&mut self, block: BlockId, state: &mut State, mut seen: Option<&mut Seen>) {
        let body = self.body;
        for (index, step) in body.blocks[block].steps.iter().enumerate() {
            self.step((block, index), step, state, seen.as_deref_mut());
        }
    }

    fn set(&mut self, register: Reg, value: Value, state: &mut State) {
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
        step: &Step,
        state: &mut State,
        seen: Option<&mut Seen>,
    ) {
        let mut ignored = Seen::default();
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
                let inside =
                    |origin: &Origin| matches!(origin, Origin::Local(_) | Origin::Private(_));
                if !origins.iter().all(inside) {
                    seen.refusals.insert((Construct::Atomic, line));
                } else if !repeatable {
                    seen.refusals.insert((Construct::OrderedAtomic, line));
                }
                self.store(pointer, None, 0, state);
            }
            Instruction::Volatile { at: pointer } => {
                let pointer = self.value(*pointer, state);
                let inside =
                    |origin: &Origin| matches!(origin, Origin::Local(_) | Origin::Private(_));
                if !self.origins(pointer).iter().all(inside) {
                    seen.refusals.insert((Construct::Volatile, line));
                }
            }
            Instruction::Refuse(construct) => {
                seen.refusals.insert((construct.clone(), line));
            }
        }
    }

    fn value(&mut self, operand: Operand, state: &State) -> Value {
        match operand {
            Operand::Int(int) => self.values.int(int),
            Operand::Reg(register) => {
                let held = match self.fixed[register as usize] {
                    Some(held) => held,
                    None => state.registers.get(&register).copied(),
                };
                // Not set on some way to here: such a value is not used.
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
        self.join(block, Slot::Register(to), *first, others.into_iter())
    }

    /// Where a pointer may lead; `Unknown` where that is not known.
    fn origins(&self, pointer: Value) -> BTreeSet<Origin> {
        let origins = self.values.origins(pointer);
        if origins.is_empty() { BTreeSet::from([Origin::Unknown]) } else { origins }
    }

    fn access(
        &mut self,
        pointer: Value,
        span: Option<(u32, u32)>,
        write: bool,
        (line, value): (u32, Option<Value>),
        seen: &mut Seen,
    ) {
        let origins = self.origins(pointer);
        if origins.contains(&Origin::Unknown) {
            seen.refusals.insert((Construct::PointerFromMemory, line));
            return;
        }
        let outlives: BTreeSet<Origin> = origins
            .into_iter()
            .filter(|origin| matches!(origin, Origin::Argument(_) | Origin::Program(_)))
            .collect();
        if outlives.is_empty() {
            return;
        }
        let place = span.map(|(offset, length)| {
            let address = self.values.address(pointer);
            let bytes = address.bytes.wrapping_add(i64::from(offset));
            (Address { bytes, ..address }, length)
        });
        let access = Access { write, origins: outlives, place, line, value, covered: false };
        seen.accesses.push(access);
    }

    fn load(
        &mut self,
        at: (BlockId, usize),
        pointer: Value,
        (size, holds): (u32, bool),
        state: &State,
    ) -> Value {
        let origins = self.origins(pointer);
        let fresh = Meaning::Set(at.0, at.1);
        if let Some(variable) = only_private(&origins) {
            if let Some(offset) = self.fixed(pointer)
                && let Some(&value) = state.cells.get(&(variable, offset, size))
            {
                return value;
            }
            // A structure that was handed over by value, for example.
            let kept = |written: &BTreeSet<Origin>| !written.contains(&Origin::Private(variable));
            let kept = self.written.as_ref().is_some_and(kept);
            let value = self.values.number(if kept { Meaning::Held(pointer, size) } else { fresh });
            if holds {
                let held = self.held(Origin::Private(variable));
                self.changed |= self.values.leads(value, held);
            }
            return value;
        }
        let stays = self.written.as_ref().is_some_and(|written| {
            origins.iter().all(|origin| match origin {
                Origin::Argument(_) | Origin::Program(_) => !written.contains(origin),
                Origin::Local(_) | Origin::Private(_) | Origin::Unknown => false,
            })
        });
        let value = self.values.number(if stays { Meaning::Held(pointer, size) } else { fresh });
        if holds {
            let held: BTreeSet<Origin> =
                origins.iter().flat_map(|origin| self.held(*origin)).collect();
            self.changed |= self.values.leads(value, held);
        }
        value
    }

    /// Where pointers lead that memory holds.
    fn held(&self, origin: Origin) -> BTreeSet<Origin> {
        match origin {
            Origin::Local(_) | Origin::Private(_) => {
                self.stored.get(&origin).cloned().unwrap_or_default()
            }
            Origin::Argument(_) | Origin::Program(_) | Origin::Unknown => {
                BTreeSet::from([Origin::Unknown])
            }
        }
    }

    fn store(&mut self, pointer: Value, value: Option<Value>, size: u32, state: &mut State) {
        let origins = self.origins(pointer);
        for origin in &origins {
            if matches!(origin, Origin::Private(_) | Origin::Local(_)) {
                // Where it is not known what is written, it may be pointers.
                let unknown = || BTreeSet::from([Origin::Unknown]);
                let pointers = value.map_or_else(unknown, |value| self.values.origins(value));
                if !pointers.is_empty() {
                    let held = self.stored.entry(*origin).or_default();
                    let before = held.len();
                    held.extend(pointers);
                    self.changed |= held.len() > before;
                }
            }
        }
        let fixed = self.fixed(pointer);
        for origin in &origins {
            let Origin::Private(variable) = *origin else { continue };
            self.variables.insert(*origin);
            match fixed {
                Some(offset) => {
                    let end = offset.saturating_add(i64::from(size));
                    state.cells.retain(|&(of, from, length), _| {
                        let apart = from.saturating_add(i64::from(length)) <= offset || end <= from;
                        of != variable || (apart && size > 0)
                    });
                }
                None => state.cells.retain(|&(of, ..), _| of != variable),
            }
        }
        if let (Some(variable), Some(offset), Some(value)) = (only_private(&origins), fixed, value)
        {
            state.cells.insert((variable, offset, size), value);
        }
    }

    /// The constant offset of a pointer into one origin.
    fn fixed(&mut self, pointer: Value) -> Option<i64> {
        let address = self.values.address(pointer);
        matches!(self.values.meaning(address.moving), Meaning::Origin(_)).then_some(address.bytes)
    }

    /// Marks reads of what the same work-item has written before, on every way.
    fn cover(&self, by_block: &mut BTreeMap<BlockId, Vec<Access>>) {
        let mut ends: Vec<Option<Written>> = vec![None; self.body.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for &block in self.order {
                let mut written = self.written_before(block, &ends);
                for access in &by_block[&block] {
                    note(access, &mut written);
                }
                if ends[block].as_ref() != Some(&written) {
                    ends[block] = Some(written);
                    changed = true;
                }
            }
        }
        for &block in self.order {
            let mut written = self.written_before(block, &ends);
            for access in by_block.get_mut(&block).into_iter().flatten() {
                if !access.write {
                    access.covered = access.place.is_some_and(|place| holds(&written, place));
                }
                note(access, &mut written);
            }
        }
    }

    fn written_before(&self, block: BlockId, ends: &[Option<Written>]) -> Written {
        if self.order.first() == Some(&block) {
            return Written::new();
        }
        let mut sides = self.before[block].iter().filter_map(|&from| ends[from].as_ref());
        let Some(first) = sides.next() else { return Written::new() };
        sides.fold(first.clone(), |all, side| all.intersection(side).copied().collect())
    }
}

/// What one block was seen to do.
#[derive(Debug, Default)]
struct Seen {
    accesses: Vec<Access>,
    refusals: BTreeSet<(Construct, u32)>,
}

fn only_private(origins: &BTreeSet<Origin>) -> Option<u32> {
    match origins.first() {
        Some(Origin::Private(variable)) if origins.len() == 1 => Some(*variable),
        _ => None,
    }
}

fn note(access: &Access, written: &mut Written) {
    if let (true, Some((address, length))) = (access.write, access.place) {
        written.insert((address.moving, address.bytes, length));
    }
}

/// Whether all bytes of a place have been written.
fn holds(written: &Written, (address, length): (Address, u32)) -> bool {
    let end = address.bytes.saturating_add(i64::from(length));
    let mut reached = address.bytes;
    // Sorted by their first byte.
    for &(moving, from, length) in written.range((address.moving, i64::MIN, 0)..) {
        if moving != address.moving || from > reached {
            break;
        }
        reached = reached.max(from.saturating_add(i64::from(length)));
    }
    reached >= end
}
