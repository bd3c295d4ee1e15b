//! Which addresses does a loop write in all its rounds, and does another loop visit just these?
//!
//! Two loops visit the same addresses if their counters begin with equal values and go on by equal
//! operations, equal conditions lead on, and the addresses are equal operations on the counters.
//! All of that is written with a placeholder for each counter and numbered as one value, a *row*:
//! equal values are equal rows, whatever the operations mean and however many loops are around. A
//! placeholder is named by the nesting depth of its row, not by the loops around it. A value that
//! changes in a loop and is no counter of that loop makes no row.

use std::collections::BTreeMap;

use super::graph::Loop;
use super::written::{WrittenBytes, WrittenFacts, WrittenWays};
use super::{Analysis, BlockState};
use crate::ir::{BlockId, Instruction, Reg};
use crate::value::{Meaning, Value};

/// Form of a loop that ends by a condition: where and when the condition is tested, and which
/// result ends the loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// (basic block that tests the loop's condition, block outside of the loop to which control
    /// goes when the loop ends).
    exit: (BlockId, BlockId),
    pub(super) condition: Value,
    /// True if the loop tests its condition before each iteration, as `while` does; false if after
    /// it, as `do` does.
    pub(super) before: bool,
    /// True if the loop goes on while the condition is true; false if while it is false.
    pub(super) on: bool,
}

/// Search for the rows of a kernel. A row is the set of all addresses that one access visits in the
/// iterations of a loop. `forms` has the form of each loop that ends by a condition, and `None` for
/// other loops.
pub(super) struct Rows {
    forms: Vec<Option<Form>>,
    /// Number of values that the search for rows may still visit before it gives up.
    left: usize,
}

/// Most values that the search for rows (sets of addresses that loops visit) looks at. In a larger
/// kernel, some rows are not found.
const MOST_LOOKS: usize = 400_000;

/// Largest nesting depth of the values in a loop's addresses that the search for rows follows.
const DEEPEST: usize = 64;

impl Rows {
    pub(super) fn of(analysis: &mut Analysis<'_>) -> Self {
        let loops = &analysis.graph.loops;
        let forms = loops.iter().map(|each| Form::of(analysis, each)).collect();
        Self { forms, left: MOST_LOOKS }
    }

    /// Finds the rows (each the set of all addresses that one access visits in a loop) that are
    /// certainly written when their loop ends. Returns them by the edge on which control leaves the
    /// loop.
    pub(super) fn found(
        &mut self,
        analysis: &mut Analysis<'_>,
        written: &WrittenFacts,
    ) -> WrittenWays {
        let mut ways = WrittenWays::new();
        for (at, each) in analysis.graph.loops.iter().enumerate() {
            let Some(form) = self.forms[at] else { continue };
            for (place, bytes, length) in written.since(each.header, &each.ends) {
                if let Some(row) = self.row(analysis, at, place) {
                    ways.entry(form.exit).or_default().insert((row, bytes, length) as WrittenBytes);
                }
            }
        }
        ways
    }

    /// Returns the rows of an access to the address `place` in the basic block `block`, for the
    /// loops around the block. A row is the set of all addresses that the access visits in a loop.
    pub(super) fn seen_from(
        &mut self,
        analysis: &mut Analysis<'_>,
        block: BlockId,
        place: Value,
    ) -> Vec<Value> {
        let mut seen = vec![place];
        for (at, each) in analysis.graph.loops.iter().enumerate() {
            let Some(form) = self.forms[at].filter(|_| each.inside.contains(&block)) else {
                continue;
            };
            if form.before && block == each.header {
                continue;
            }
            let outer: Vec<Value> =
                seen.iter().filter_map(|place| self.row(analysis, at, *place)).collect();
            seen.extend(outer);
        }
        seen.split_off(1)
    }

    /// Returns whether the loop with the index `at` ends after a number of iterations that does not
    /// depend on memory that may change: its condition is computed from loop counters and from
    /// values that do not change in the loop.
    pub(super) fn counts(&mut self, analysis: &mut Analysis<'_>, at: usize) -> bool {
        let condition = self.forms[at].map(|form| form.condition);
        condition.is_some_and(|condition| self.row(analysis, at, condition).is_some())
    }

    /// Returns the row of an address in the loop with the index `at`: a value that stands for all
    /// addresses that `place` has in the iterations. `None` where they are not known, or where the
    /// address does not change.
    fn row(&mut self, analysis: &mut Analysis<'_>, at: usize, place: Value) -> Option<Value> {
        let form = self.forms[at]?;
        let each = &analysis.graph.loops[at];
        let mut looking = Looking {
            rows: self,
            each,
            height: height(analysis, place) + 1,
            counters: Vec::new(),
            known: BTreeMap::new(),
        };
        let place = looking.any_round(analysis, place, 0)?;
        if looking.counters.is_empty() {
            return None;
        }
        let condition = looking.any_round(analysis, form.condition, 0)?;
        let kind = i64::from(form.before) * 2 + i64::from(form.on);
        let mut parts = vec![analysis.values.int(kind), place, condition];
        let mut next = 0;
        while let Some(&counter) = looking.counters.get(next) {
            let (first, then) = sides(analysis, each, counter)?;
            let known = looking.counters.len();
            parts.push(looking.any_round(analysis, first, 0)?);
            if looking.counters.len() > known {
                return None;
            }
            parts.push(looking.any_round(analysis, then, 0)?);
            next += 1;
        }
        Some(analysis.values.number(Meaning::Row(parts)))
    }
}

impl Form {
    pub(super) fn of(analysis: &mut Analysis<'_>, each: &Loop) -> Option<Self> {
        let outside = |block: BlockId| {
            let condition = analysis.body.blocks[block].condition?;
            let &[yes, no] = analysis.body.blocks[block].next.as_slice() else { return None };
            match (each.inside.contains(&yes), each.inside.contains(&no)) {
                (true, false) => Some((no, condition, true)),
                (false, true) => Some((yes, condition, false)),
                _ => None,
            }
        };
        let (block, (out, condition, on), before) =
            match (outside(each.header), each.ends.as_slice()) {
                // A loop of one block looks behind its round.
                (Some(found), ends) if ends != [each.header] => (each.header, found, true),
                (_, &[end]) => (end, outside(end)?, false),
                _ => return None,
            };
        let state = analysis.ends[block].clone()?;
        let condition = analysis.value(condition, &state);
        Some(Self { exit: (block, out), condition, before, on })
    }
}

/// Search for the row (set of addresses in all iterations) of one address in the loop `each`, with
/// the loop counters that were found so far.
struct Looking<'r, 'b> {
    rows: &'r mut Rows,
    each: &'b Loop,
    /// Nesting depth of the row (set of all addresses of an access in a loop) that is being built:
    /// 1 for a row of one loop, 2 for a row made of the rows of an inner loop, and so on.
    height: usize,
    counters: Vec<Value>,
    known: BTreeMap<Value, Value>,
}

impl Looking<'_, '_> {
    /// Returns `value` for any iteration of the loop, with placeholders in place of the loop's
    /// counters. `None` where it depends on anything else that changes in the loop. `depth` is the
    /// number of levels of nested values visited until now.
    fn any_round(
        &mut self,
        analysis: &mut Analysis<'_>,
        value: Value,
        depth: usize,
    ) -> Option<Value> {
        if let Some(&known) = self.known.get(&value) {
            return Some(known);
        }
        self.rows.left = self.rows.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let meaning = analysis.values.meaning(value).clone();
        let mut of = |value: Value| self.any_round(analysis, value, depth + 1);
        let meaning = match meaning {
            meaning @ (Meaning::Int(_) | Meaning::Origin(_)) => meaning,
            Meaning::Sum { base, terms, bytes } => {
                let base =
                    base.map(&mut of).map_or(Ok(None), |base| base.map(Some).ok_or(())).ok()?;
                let terms: Option<Vec<(Value, i64)>> =
                    terms.into_iter().map(|(term, count)| Some((of(term)?, count))).collect();
                let sum = analysis.values.sum(base, bytes, terms?);
                self.known.insert(value, sum);
                return Some(sum);
            }
            Meaning::Operation(operation, parts) => {
                Meaning::Operation(operation, parts.into_iter().map(of).collect::<Option<_>>()?)
            }
            Meaning::Row(parts) => Meaning::Row(parts.into_iter().map(of).collect::<Option<_>>()?),
            // Memory that the kernel does not write.
            Meaning::Held(place, size) => Meaning::Held(of(place)?, size),
            Meaning::Part(whole, from, size) => Meaning::Part(of(whole)?, from, size),
            // A placeholder of a row within this one.
            meaning @ Meaning::Counter(of, _) if of < self.height => meaning,
            Meaning::Counter(..) => return None,
            Meaning::Joined(block, _) | Meaning::JoinedCell(block, _)
                if block == self.each.header =>
            {
                self.counters.push(value);
                Meaning::Counter(self.height, self.counters.len())
            }
            Meaning::Set(block, _) | Meaning::Joined(block, _) | Meaning::JoinedCell(block, _)
                if self.each.inside.contains(&block) =>
            {
                return None;
            }
            meaning => meaning,
        };
        let found = analysis.values.number(meaning);
        self.known.insert(value, found);
        Some(found)
    }
}

/// Returns the nesting depth of the row (set of addresses in all iterations of a loop) that `place`
/// is; 0 for a single address.
fn height(analysis: &Analysis<'_>, place: Value) -> usize {
    let (mut height, mut at) = (0, place);
    while let Meaning::Row(parts) = analysis.values.meaning(at)
        && let Some(&inner) = parts.get(1)
    {
        (height, at) = (height + 1, inner);
    }
    height
}

/// Returns (value of a counter before the loop, its value after one iteration); `None` where either
/// is not known.
pub(super) fn sides(
    analysis: &mut Analysis<'_>,
    each: &Loop,
    counter: Value,
) -> Option<(Value, Value)> {
    let meaning = analysis.values.meaning(counter).clone();
    let (mut first, mut then) = (None, None);
    for from in analysis.before[each.header].clone() {
        let state = analysis.ends[from].take()?;
        let value = match &meaning {
            Meaning::JoinedCell(_, cell) => state.cells.get(cell).copied(),
            Meaning::Joined(header, register) => side(analysis, *header, *register, from, &state),
            _ => None,
        };
        analysis.ends[from] = Some(state);
        let side = if each.inside.contains(&from) { &mut then } else { &mut first };
        if side.is_some_and(|known| Some(known) != value) {
            return None;
        }
        *side = Some(value?);
    }
    Some((first?, then?))
}

/// Returns the value of a register at the start of a loop's first basic block (`header`) when
/// control comes from the block `from`; `None` where it is not known.
fn side(
    analysis: &mut Analysis<'_>,
    header: BlockId,
    register: Reg,
    from: BlockId,
    state: &BlockState,
) -> Option<Value> {
    for step in &analysis.body.blocks[header].steps {
        if let Instruction::Phi { to, from: sides } = &step.instruction
            && *to == register
        {
            let &(_, operand) = sides.iter().find(|(side, _)| *side == from)?;
            return Some(analysis.value(operand, state));
        }
    }
    state.registers.get(&register).copied()
}
