//! Which ways through a kernel are never taken where a number that the host hands over is zero?
//!
//! `if (beta == 0) c[i] = sum; else c[i] = sum + beta * c[i];`: whether `c` is read is known at the
//! launch. A number counts as zero if all of its bytes are, so that each comparison has one answer,
//! in floating-point numbers too.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::Op;

use super::Analysis;
use super::graph::graph;
use super::once::assigned_once;
use crate::ir::{BlockId, Body, Construct, Reg};
use crate::value::{Meaning, Value};

/// Most passes over a kernel. Each pass removes branches that are not taken where an argument is
/// zero; this may decide further conditions in the next pass.
const MOST_ROUNDS: u32 = 4;

/// Largest nesting depth of the operations in a condition that is evaluated.
const DEEPEST: u32 = 16;

/// Largest number of values that the analysis visits to find out whether the conditions of a kernel
/// depend on one argument.
const MOST_LOOKS: usize = 100_000;

/// Range of numbers that have the same bits in integers of every width, signed or unsigned.
const PLAIN: std::ops::RangeInclusive<i64> = 0..=127;

/// Returns the bodies that the kernel has where one numeric argument is zero, each as (index of the
/// argument, body without the branches that are then not taken). Arguments that decide no condition
/// by being zero are left out.
pub(crate) fn where_zero(body: &Body) -> impl Iterator<Item = (u32, Body)> {
    let numbers: Vec<_> = body.scalars.iter().map(|&number| Some(number)).collect();
    let found = decided(body, &numbers).into_iter().zip(&body.scalars);
    found.filter_map(|(ways, &number)| Some((number.1, without(body, ways, Some(number))?)))
}

/// Returns the body without the branches that constants of the program decide, such as a constant
/// that a kernel hands on to a function; `None` where constants decide no branch, and for PTX,
/// whose constants need not have the sign of their type.
pub(crate) fn where_decided(body: &Body) -> Option<Body> {
    if body.widths.types.is_empty() {
        return None;
    }
    without(body, decided(body, &[None]).pop()?, None)
}

/// Returns the body in which only the branches `ways` are taken, and those branches that are
/// decided as a result; `None` where `ways` is empty. `number` is the argument that is zero, as
/// (register, index); `None` where no argument is assumed to be zero.
fn without(body: &Body, mut ways: TakenWays, number: Option<(Reg, u32)>) -> Option<Body> {
    if ways.is_empty() {
        return None;
    }
    let mut body = body.clone();
    for _ in 0..MOST_ROUNDS {
        for &(block, taken) in &ways {
            let block = &mut body.blocks[block];
            block.next.retain(|to| *to == taken);
            block.condition = None;
        }
        ways = decided(&body, &[number]).pop().unwrap_or_default();
        if ways.is_empty() {
            break;
        }
    }
    Some(body)
}

/// Branches that are taken, each as (basic block with the condition, the one of its two successors
/// to which control goes).
type TakenWays = Vec<(BlockId, BlockId)>;

/// Returns, for each entry of `numbers`, the branches that are taken where that argument is zero.
/// An entry is (register, index of the argument), or `None` for the branches that are taken
/// whatever the arguments are.
fn decided(body: &Body, numbers: &[Option<(Reg, u32)>]) -> Vec<TakenWays> {
    let Ok(graph) = graph(body) else { return Vec::new() };
    let mut analysis = Analysis::new(body, &graph, None, assigned_once(body, &graph));
    let (_, refusals) = analysis.run();
    // Values that are not settled tell nothing.
    if refusals.contains(&(Construct::Large, 0)) {
        return Vec::new();
    }
    let mut conditions = Vec::new();
    for &block in &graph.order {
        let (&[yes, no], Some(condition)) =
            (body.blocks[block].next.as_slice(), body.blocks[block].condition)
        else {
            continue;
        };
        if let Some(state) = analysis.ends[block].take() {
            conditions.push((block, yes, no, analysis.value(condition, &state)));
        }
    }
    let mut found = Vec::new();
    for &number in numbers {
        let zero = number
            .map(|(register, _)| analysis.values.number(Meaning::Joined(usize::MAX, register)));
        let (from, mut looks) = (BTreeSet::from_iter(zero), MOST_LOOKS);
        let mut known = BTreeMap::new();
        let ways = conditions.iter().filter_map(|&(block, yes, no, condition)| {
            // A condition without the argument is no reason to name it.
            let about = from.is_empty() || analysis.values.depends(condition, &from, &mut looks);
            let holds =
                about.then(|| analysis.where_zero(condition, zero, DEEPEST, &mut known))??;
            Some((block, if holds == 0 { no } else { yes }))
        });
        found.push(ways.collect());
    }
    found
}

impl Analysis<'_> {
    /// Returns the number that `value` is if all bytes of the value `zero`, if there is one, are 0;
    /// `None` where it cannot be told. A condition that holds is 1. `depth` limits the nesting of
    /// values that are visited; `known` has the results for values that were visited before.
    fn where_zero(
        &self,
        value: Value,
        zero: Option<Value>,
        depth: u32,
        known: &mut BTreeMap<Value, Option<i64>>,
    ) -> Option<i64> {
        if Some(value) == zero {
            return Some(0);
        }
        if let Some(found) = known.get(&value) {
            return *found;
        }
        let depth = depth.checked_sub(1)?;
        let mut number = |value: Value| self.where_zero(value, zero, depth, known);
        let found = match self.values.meaning(value) {
            Meaning::Int(int) => Some(*int),
            Meaning::Sum { base: None, terms, bytes } => {
                terms.iter().try_fold(*bytes, |sum, &(term, count)| {
                    Some(sum.wrapping_add(number(term)?.wrapping_mul(count)))
                })
            }
            Meaning::Part(whole, ..) => number(*whole).filter(|number| *number == 0),
            Meaning::Operation(operation, of) => {
                let parts: Vec<Option<i64>> = of.iter().take(4).map(|&part| number(part)).collect();
                let part = |at: usize| parts.get(at).copied().flatten();
                Op::from_u32(*operation).and_then(|op| result(op, part))
            }
            _ => None,
        };
        known.insert(value, found);
        found
    }
}

/// Returns the result of the SPIR-V operation `op` on numbers; `None` where it cannot be told.
/// `part` returns the operand with an index, if it is known. For the index behind the last operand,
/// it returns the number of the type, which is negative for a vector.
fn result(op: Op, part: impl Fn(usize) -> Option<i64>) -> Option<i64> {
    let is_scalar = |at: usize| part(at).is_none_or(|ty| ty >= 0);
    let both = || part(0).zip(part(1)).filter(|_| is_scalar(2));
    let plain = || both().filter(|(a, b)| PLAIN.contains(a) && PLAIN.contains(b));
    let zeros = || both().filter(|of| *of == (0, 0));
    let either_zero = || part(0) == Some(0) || part(1) == Some(0);
    let holds = match op {
        Op::IEqual | Op::LogicalEqual => both().map(|(a, b)| a == b),
        Op::INotEqual | Op::LogicalNotEqual => both().map(|(a, b)| a != b),
        Op::SLessThan => both().map(|(a, b)| a < b),
        Op::SLessThanEqual => both().map(|(a, b)| a <= b),
        Op::SGreaterThan => both().map(|(a, b)| a > b),
        Op::SGreaterThanEqual => both().map(|(a, b)| a >= b),
        Op::ULessThan => plain().map(|(a, b)| a < b),
        Op::ULessThanEqual => plain().map(|(a, b)| a <= b),
        Op::UGreaterThan => plain().map(|(a, b)| a > b),
        Op::UGreaterThanEqual => plain().map(|(a, b)| a >= b),
        Op::FOrdEqual
        | Op::FUnordEqual
        | Op::FOrdLessThanEqual
        | Op::FUnordLessThanEqual
        | Op::FOrdGreaterThanEqual
        | Op::FUnordGreaterThanEqual => zeros().map(|_| true),
        Op::FOrdNotEqual
        | Op::FUnordNotEqual
        | Op::FOrdLessThan
        | Op::FUnordLessThan
        | Op::FOrdGreaterThan
        | Op::FUnordGreaterThan => zeros().map(|_| false),
        // Without a set bit in one, and so in both.
        Op::LogicalAnd | Op::BitwiseAnd | Op::IMul if either_zero() => Some(false),
        Op::BitwiseAnd => return plain().map(|(a, b)| a & b),
        Op::LogicalAnd => both().map(|(a, b)| a != 0 && b != 0),
        Op::LogicalOr => both().map(|(a, b)| a != 0 || b != 0),
        Op::LogicalNot => part(0).filter(|_| is_scalar(1)).map(|a| a == 0),
        Op::Select if is_scalar(3) => return part(if part(0)? == 0 { 2 } else { 1 }),
        Op::UConvert | Op::SConvert => {
            return part(0).filter(|a| *a == 0 || is_scalar(1) && PLAIN.contains(a));
        }
        // Without a set bit before, and so behind.
        Op::FConvert
        | Op::ConvertFToS
        | Op::ConvertFToU
        | Op::ConvertSToF
        | Op::ConvertUToF
        | Op::CompositeExtract
        | Op::VectorExtractDynamic => part(0).filter(|a| *a == 0).map(|_| false),
        _ => None,
    };
    holds.map(i64::from)
}
