//! Which write of a work-item is its last, and turns off the guard (a tested value) that let the
//! work-item write?
//!
//! `if (todo[i]) { done[i] = 1; todo[i] = 0; }`: a work-item that is stopped before its last write
//! finds the guard as it was. One that is stopped behind that write has done all, and the guard
//! keeps it from a second run. So reads of the guard do no harm, where no other work-item shares
//! it, and where it does not matter which work-item writes last, as those that are done write no
//! second time.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::{BuiltIn, Op};

use super::graph::intervals;
use super::{Access, Analysis};
use crate::ir::BlockId;
use crate::value::{Meaning, Origins, Value};

/// Range of numbers that conversions between integers of any width leave unchanged. A guard is a
/// value that a condition tests and that a later write changes so that the condition fails. The
/// analysis recognises it only if the written number is in this range.
const KEPT: std::ops::RangeInclusive<i64> = 0..=127;

/// Smallest size in bytes of an integer type that can hold the global id of any work-item.
const NUMBERED: i64 = 4;

/// Largest nesting depth of the operations in a condition that is evaluated.
const DEEPEST: u32 = 8;

impl Analysis<'_> {
    /// Sets `last` on each write that is the last one of its work-item and turns off a guard, a
    /// value that an earlier condition tests. If the kernel is run again, the condition fails, and
    /// the work-item writes nothing.
    pub(super) fn guards(&mut self, by_block: &mut BTreeMap<BlockId, Vec<Access>>) {
        // Where work-items wait for each other, another may have read the guard before.
        if self.body.meets {
            return;
        }
        let writes = |(_, accesses): &(&BlockId, &Vec<Access>)| accesses.iter().any(|a| a.write);
        let writing: BTreeSet<BlockId> =
            by_block.iter().filter(writes).map(|(block, _)| *block).collect();
        let mut last = Vec::new();
        for &block in writing.difference(&self.leading_to(&writing)) {
            let Some(at) = by_block[&block].iter().rposition(|access| access.write) else {
                continue;
            };
            let write = &by_block[&block][at];
            let reads = by_block.iter().flat_map(|(&from, all)| all.iter().map(move |r| (from, r)));
            let mut guards = reads.filter(|(_, read)| !read.write && read.place == write.place);
            if guards.any(|(from, read)| self.turns_off(from, read, write, &writing)) {
                last.push((block, at));
            }
        }
        if last.is_empty() || !self.in_any_order(by_block, &last) {
            return;
        }
        for (block, at) in last {
            if let Some(write) = by_block.get_mut(&block).and_then(|all| all.get_mut(at)) {
                write.last = true;
            }
        }
    }

    /// Returns the basic blocks from which some path leads to one of `blocks`.
    fn leading_to(&self, blocks: &BTreeSet<BlockId>) -> BTreeSet<BlockId> {
        let mut found = BTreeSet::new();
        let mut pending: Vec<BlockId> = blocks.iter().copied().collect();
        while let Some(block) = pending.pop() {
            pending.extend(self.before[block].iter().filter(|&&from| found.insert(from)));
        }
        found
    }

    /// Returns whether `write` turns off a guard. `read` reads the guard, and the end of the basic
    /// block `from` tests it. Once the guard has the value that `write` stores, control goes where
    /// no write follows.
    fn turns_off(
        &mut self,
        from: BlockId,
        read: &Access,
        write: &Access,
        writing: &BTreeSet<BlockId>,
    ) -> bool {
        let Some(on) = self.on(from, read, write) else { return false };
        let intervals = intervals(&self.graph.order, &self.graph.dominators);
        let (begin, end) = intervals[on];
        self.before[on] == [from]
            && writing.iter().all(|&block| (begin..end).contains(&intervals[block].0))
            && !self.graph.loops.iter().any(|each| each.inside.contains(&from))
    }

    /// Returns the successor of the basic block `from` to which control no longer goes once `write`
    /// has stored its number in place of the value of `read`, which the end of the block tests;
    /// `None` where it is not known.
    fn on(&mut self, from: BlockId, read: &Access, write: &Access) -> Option<BlockId> {
        let block = &self.body.blocks[from];
        let &[yes, no] = block.next.as_slice() else { return None };
        let number = self.decided(write.value?, None, DEEPEST)?;
        let state = self.ends[from].clone()?;
        let condition = self.value(block.condition?, &state);
        let holds = self.decided(condition, Some((read.value?, number)), DEEPEST)?;
        KEPT.contains(&number).then_some(if holds == 0 { yes } else { no })
    }

    /// Returns the number that `value` certainly is; `None` where it cannot be told. `known` is a
    /// value whose number is known already, as (value, number). `depth` limits the nesting of
    /// values that are visited.
    fn decided(&self, value: Value, known: Option<(Value, i64)>, depth: u32) -> Option<i64> {
        if let Some((_, number)) = known.filter(|(known, _)| *known == value) {
            return Some(number);
        }
        let depth = depth.checked_sub(1)?;
        match self.values.meaning(value) {
            Meaning::Int(int) => Some(*int),
            Meaning::Operation(operation, of) => {
                let part = |at: usize| self.decided(*of.get(at)?, known, depth);
                let is = |op: Op| *operation == op as u32;
                if is(Op::UConvert) || is(Op::SConvert) {
                    part(0).filter(|number| KEPT.contains(number))
                } else if is(Op::IEqual) || is(Op::INotEqual) {
                    Some(i64::from((part(0)? == part(1)?) == is(Op::IEqual)))
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Returns whether the order in which work-items write does not matter. A guard, a value that a
    /// condition tests and a later write turns off, must belong to one work-item. Any other written
    /// memory must too, or it gets the same number from all work-items.
    fn in_any_order(
        &self,
        by_block: &BTreeMap<BlockId, Vec<Access>>,
        guards: &[(BlockId, usize)],
    ) -> bool {
        let mut dimensions = self.values.all().filter_map(|value| Some(self.number(value)?.1));
        let Some(dimension) = dimensions.next() else { return false };
        if dimensions.any(|other| other != dimension) {
            return false;
        }
        let guards: BTreeSet<&Origins> =
            guards.iter().map(|(block, at)| &by_block[block][*at].origins).collect();
        let mut writes: BTreeMap<&Origins, Vec<&Access>> = BTreeMap::new();
        for write in by_block.values().flatten().filter(|access| access.write) {
            writes.entry(&write.origins).or_default().push(write);
        }
        writes.iter().all(|(to, writes)| {
            let equal = !guards.contains(to) && self.equal(writes);
            to.len() == 1 && (equal || self.own(writes))
        })
    }

    /// Returns whether each work-item does all of these writes within a range of bytes that no
    /// other work-item writes.
    fn own(&self, writes: &[&Access]) -> bool {
        let steps: Option<BTreeSet<i64>> =
            writes.iter().map(|write| self.distance(write)).collect();
        let Some(steps) = steps else { return false };
        let places = || writes.iter().filter_map(|write| write.place);
        let begin = places().map(|(address, _)| address.bytes).min();
        let end = places().map(|(address, size)| address.bytes.saturating_add(size.into())).max();
        let length = end.zip(begin).and_then(|(end, begin)| end.checked_sub(begin));
        steps.len() == 1 && length.is_some_and(|length| steps.iter().all(|step| length <= *step))
    }

    /// Returns the distance in bytes between the addresses that two neighbouring work-items write;
    /// `None` where the address is not a base plus a multiple of the global id.
    fn distance(&self, write: &Access) -> Option<i64> {
        let Meaning::Sum { base: Some(_), terms, .. } = self.values.meaning(write.place?.0.moving)
        else {
            return None;
        };
        let &[(mut index, count)] = terms.as_slice() else { return None };
        while let Meaning::Operation(operation, of) = self.values.meaning(index)
            && [Op::UConvert as u32, Op::SConvert as u32].contains(operation)
            && let &[from, _, bytes] = of.as_slice()
            && matches!(self.values.meaning(bytes), Meaning::Int(NUMBERED..))
        {
            index = from;
        }
        (self.is_number(index, BuiltIn::GlobalInvocationId) || self.is_summed(index))
            .then_some(count)
    }

    fn is_number(&self, value: Value, number: BuiltIn) -> bool {
        self.number(value).is_some_and(|(found, _)| found == Some(i64::from(number as u32)))
    }

    /// Returns whether a value is the global id of the work-item as PTX computes it: block index
    /// times block size, plus thread index.
    fn is_summed(&self, value: Value) -> bool {
        let operands = |value, op: Op| match self.values.meaning(value) {
            Meaning::Operation(operation, of) if *operation == op as u32 => Some(of.as_slice()),
            _ => None,
        };
        let Some(&[product, local]) = operands(value, Op::IAdd) else { return false };
        let Some(&[a, b]) = operands(product, Op::IMul) else { return false };
        let is_product = |group, size| {
            self.is_number(group, BuiltIn::WorkgroupId)
                && self.is_number(size, BuiltIn::WorkgroupSize)
        };
        self.is_number(local, BuiltIn::LocalInvocationId) && (is_product(a, b) || is_product(b, a))
    }

    /// Returns whether all of these writes store one known number at one address expression. If the
    /// address differs between work-items, it does so by multiples of the number's size; two writes
    /// then never overlap in part.
    fn equal(&self, writes: &[&Access]) -> bool {
        let first = writes.first().and_then(|write| write.place.zip(write.value));
        let Some(((address, size), value)) = first else { return false };
        let counted = self.values.strides(address.moving).is_some_and(|(_, terms)| {
            terms.iter().all(|(_, count)| count.checked_rem(size.into()) == Some(0))
        });
        counted
            && self.decided(value, None, DEEPEST).is_some()
            && writes.iter().all(|write| write.place.zip(write.value) == first)
    }

    /// Returns (number of a SPIR-V built-in variable, such as the global id; dimension) if `value`
    /// is one component of that variable. The number is `None` where it is not known. Returns
    /// `None` for any other value.
    pub(super) fn number(&self, value: Value) -> Option<(Option<i64>, i64)> {
        let Meaning::Operation(operation, of) = self.values.meaning(value) else { return None };
        let &[vector, dimension, ..] = of.as_slice() else { return None };
        let Meaning::Operation(load, from) = self.values.meaning(vector) else { return None };
        let int = |value: Value| match self.values.meaning(value) {
            Meaning::Int(int) => Some(*int),
            _ => None,
        };
        let is = *operation == Op::CompositeExtract as u32 && *load == Op::Load as u32;
        is.then_some((int(*from.first()?), int(dimension)?))
    }
}
