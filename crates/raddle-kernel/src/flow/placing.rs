//! How is the address of an access to memory computed from what is known at a launch?

use std::collections::BTreeMap;

use rspirv::spirv::Op;

use super::graph::Loop;
use super::rows::{Form, sides};
use super::{Access, Analysis};
use crate::ir::{BlockId, PointerOrigin};
use crate::places::{Expression, Rounds, Width};
use crate::value::{Meaning, Value};

/// Largest nesting depth of the operations in an address.
const DEEPEST: usize = 64;

/// Most address formulas that are kept for one kernel; addresses beyond that count as unknown.
const MOST: usize = 4096;

/// Search for the expressions (formulas over a launch's arguments and sizes) of addresses.
struct Placing<'a, 'b> {
    analysis: &'a mut Analysis<'b>,
    forms: Vec<Option<Form>>,
    expressions: Vec<Expression>,
    numbers: BTreeMap<Expression, usize>,
    /// Index of the expression (formula over a launch's arguments and sizes) of a value at an
    /// access in a basic block; `None` while it is looked for, and where the value has none.
    known: BTreeMap<(BlockId, Value), Option<usize>>,
}

impl Analysis<'_> {
    /// Sets the expression (formula over a launch's arguments and sizes) of the address of each
    /// access to the memory of one argument, and returns the expressions, each after its operands.
    pub(super) fn placing(
        &mut self,
        by_block: &mut BTreeMap<BlockId, Vec<Access>>,
    ) -> Vec<Expression> {
        if self.body.widths.types.is_empty() {
            return Vec::new();
        }
        let forms = self.graph.loops.iter().map(|each| Form::of(self, each)).collect();
        let (expressions, numbers, known) = Default::default();
        let mut placing = Placing { analysis: self, forms, expressions, numbers, known };
        for (&block, accesses) in by_block {
            for access in accesses.iter_mut().filter(|access| !access.covered) {
                let one = matches!(access.origins.as_slice(), [PointerOrigin::Argument(_)]);
                if let Some((address, _)) = access.place.filter(|_| one) {
                    access.expression = placing.of(address.moving, block, 0);
                }
            }
        }
        placing.expressions
    }
}

impl Placing<'_, '_> {
    /// Returns the index of the expression of `value` at the basic block `block`; `None` where it
    /// has none. `depth` is the number of levels of operations visited until now.
    fn of(&mut self, value: Value, block: BlockId, depth: usize) -> Option<usize> {
        if let Some(known) = self.known.get(&(block, value)) {
            return *known;
        }
        if depth > DEEPEST {
            return None;
        }
        self.known.insert((block, value), None);
        let expression = self.expression(value, block, depth + 1);
        let found = expression.and_then(|expression| self.number(expression));
        self.known.insert((block, value), found);
        found
    }

    fn number(&mut self, expression: Expression) -> Option<usize> {
        if let Some(known) = self.numbers.get(&expression) {
            return Some(*known);
        }
        let number = Some(self.expressions.len()).filter(|number| *number < MOST)?;
        self.numbers.insert(expression.clone(), number);
        self.expressions.push(expression);
        Some(number)
    }

    fn expression(&mut self, value: Value, block: BlockId, depth: usize) -> Option<Expression> {
        match self.analysis.values.meaning(value).clone() {
            Meaning::Int(int) => Some(Expression::Int(int)),
            Meaning::Origin(PointerOrigin::Argument(index)) => Some(Expression::Memory(index)),
            Meaning::Sum { base, terms, bytes } => {
                let parts = base.into_iter().map(|base| (base, 1)).chain(terms);
                self.sum(parts.collect(), bytes, block, depth)
            }
            Meaning::Joined(usize::MAX, register) => {
                let body = self.analysis.body;
                let (_, index) = body.scalars.iter().find(|(scalar, _)| *scalar == register)?;
                Some(Expression::Argument(*index, *body.widths.arguments.get(&register)?))
            }
            Meaning::Operation(operation, of) => {
                if let Some((number, dimension)) = self.analysis.number(value) {
                    let number = u32::try_from(number?).ok()?;
                    return Some(Expression::BuiltIn(number, usize::try_from(dimension).ok()?));
                }
                self.operation(Op::from_u32(operation)?, &of, block, depth)
            }
            Meaning::Joined(header, _) | Meaning::JoinedCell(header, _) => {
                self.counter(value, header, block, depth)
            }
            _ => None,
        }
    }

    fn sum(
        &mut self,
        parts: Vec<(Value, i64)>,
        bytes: i64,
        block: BlockId,
        depth: usize,
    ) -> Option<Expression> {
        let parts = parts.into_iter();
        let parts = parts.map(|(part, factor)| Some((self.of(part, block, depth)?, factor)));
        Some(Expression::Sum(parts.collect::<Option<_>>()?, bytes))
    }

    fn operation(
        &mut self,
        op: Op,
        of: &[Value],
        block: BlockId,
        depth: usize,
    ) -> Option<Expression> {
        let bits = self.result_bits(op, of)?;
        let width = |signed| Width { bits, signed };
        if let (Op::SConvert | Op::UConvert, &[from, ..]) = (op, of) {
            let from_width = Width { bits: self.bits(from)?, signed: op == Op::SConvert };
            return Some(Expression::Convert(self.of(from, block, depth)?, from_width));
        }
        let &[a, b, ..] = of else { return None };
        let (a, b) = (self.of(a, block, depth)?, self.of(b, block, depth)?);
        Some(match op {
            Op::IAdd => Expression::Sum(vec![(a, 1), (b, 1)], 0),
            Op::ISub => Expression::Sum(vec![(a, 1), (b, -1)], 0),
            Op::IMul => Expression::Multiply(a, b),
            Op::ShiftLeftLogical => Expression::Shift(a, b),
            Op::UDiv => Expression::Divide(a, b, width(false)),
            Op::SDiv => Expression::Divide(a, b, width(true)),
            Op::UMod => Expression::Remainder(a, b, width(false)),
            Op::SRem | Op::SMod => Expression::Remainder(a, b, width(true)),
            _ => return None,
        })
    }

    /// Returns the number of bits of the integer that an operation gives; `None` where that is not
    /// known, and for vectors.
    fn result_bits(&self, op: Op, of: &[Value]) -> Option<u32> {
        let ty = match (op, of) {
            // Operations on 64 bits that compute addresses have no type.
            (Op::IMul | Op::ShiftLeftLogical, [_, _]) => return Some(64),
            // A conversion with a mode, such as saturation, has a further part.
            (Op::SConvert | Op::UConvert, &[_, ty, _]) => ty,
            (Op::SConvert | Op::UConvert, _) => return None,
            (_, &[_, _, ty]) => ty,
            _ => return None,
        };
        match self.analysis.values.meaning(ty) {
            Meaning::Int(ty) => self.analysis.body.widths.types.get(ty).copied(),
            _ => None,
        }
    }

    /// Returns the number of bits of the integer `value`; `None` where it is not known.
    fn bits(&self, value: Value) -> Option<u32> {
        match self.analysis.values.meaning(value) {
            // Constants have their sign in all bits.
            Meaning::Int(_) | Meaning::Sum { base: None, .. } => Some(64),
            Meaning::Joined(usize::MAX, register) => {
                self.analysis.body.widths.arguments.get(register).copied()
            }
            Meaning::JoinedCell(_, (_, _, bytes)) => bytes.checked_mul(8),
            Meaning::Operation(operation, of) => self.result_bits(Op::from_u32(*operation)?, of),
            _ => None,
        }
    }

    /// Returns the expression (formula over a launch's arguments and sizes) of a value that grows
    /// by equal steps in the loop that begins with the basic block `header`, at an access in
    /// `block`; `None` where the value does not, or the loop's number of rounds is unknown.
    fn counter(
        &mut self,
        value: Value,
        header: BlockId,
        block: BlockId,
        depth: usize,
    ) -> Option<Expression> {
        let graph = self.analysis.graph;
        let at = graph.loops.iter().position(|each| each.header == header)?;
        let (each, form) = (&graph.loops[at], self.forms[at]?);
        if !form.before || !form.on {
            return None;
        }
        let Meaning::Operation(test, of) = self.analysis.values.meaning(form.condition).clone()
        else {
            return None;
        };
        let (counter, bound, signed, inclusive) = match (Op::from_u32(test)?, &*of) {
            (Op::SLessThan, &[a, b, _]) | (Op::SGreaterThan, &[b, a, _]) => (a, b, true, false),
            (Op::ULessThan, &[a, b, _]) | (Op::UGreaterThan, &[b, a, _]) => (a, b, false, false),
            (Op::SLessThanEqual, &[a, b, _]) | (Op::SGreaterThanEqual, &[b, a, _]) => {
                (a, b, true, true)
            }
            (Op::ULessThanEqual, &[a, b, _]) | (Op::UGreaterThanEqual, &[b, a, _]) => {
                (a, b, false, true)
            }
            _ => return None,
        };
        let is_joined = matches!(
            self.analysis.values.meaning(counter),
            Meaning::JoinedCell(of, _) | Meaning::Joined(of, _) if *of == header
        );
        let (first, step) = self.grows(counter, each, depth).filter(|_| is_joined)?;
        let width = Width { bits: self.bits(counter)?, signed };
        let bound = self.of(bound, header, depth)?;
        let rounds = Rounds { first, step, bound, inclusive, width };
        let (first, step) = self.grows(value, each, depth)?;
        let within = block != header && each.inside.contains(&block);
        Some(Expression::Counter { first, step, rounds, within })
    }

    /// Returns the indices of two expressions: of the value that `value`, a counter, has before the
    /// loop `each`, and of its growth in each round; `None` where one is unknown.
    fn grows(&mut self, value: Value, each: &Loop, depth: usize) -> Option<(usize, usize)> {
        let inside = *each.ends.first()?;
        let (first, then) = sides(self.analysis, each, value)?;
        let step = self.step(value, then, inside, depth)?;
        Some((self.of(first, each.header, depth)?, step))
    }

    /// Returns the index of the expression of `then - value`, where `then` is a sum with the term
    /// `value`; `None` where it is no such sum.
    fn step(&mut self, value: Value, then: Value, block: BlockId, depth: usize) -> Option<usize> {
        match self.analysis.values.meaning(then).clone() {
            Meaning::Operation(operation, of) if operation == Op::IAdd as u32 => {
                self.result_bits(Op::IAdd, &of)?;
                match *of {
                    [a, b, _] if a == value => self.of(b, block, depth),
                    [a, b, _] if b == value => self.of(a, block, depth),
                    _ => None,
                }
            }
            Meaning::Sum { base: None, mut terms, bytes } => {
                let own = terms.iter().position(|term| *term == (value, 1))?;
                terms.remove(own);
                let expression = self.sum(terms, bytes, block, depth)?;
                self.number(expression)
            }
            _ => None,
        }
    }
}
