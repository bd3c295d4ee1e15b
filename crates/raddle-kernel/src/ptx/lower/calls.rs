//! How are the parameters of PTX translated, those of a call and those of the kernel?

use std::collections::{BTreeMap, BTreeSet};

use super::names::address;
use super::{PtxFrame, PtxLowering};
use crate::ir::{Construct, Instruction};
use crate::ptx::text::{Function, PtxInstruction as Code, Statement};

impl<'m, 't> PtxLowering<'m, 't> {
    /// Translates a call in PTX, `call (results), function, (parameters)`: a copy of the function
    /// is inlined. The error is (reason why the kernel cannot be judged, line).
    pub(super) fn call(
        &mut self,
        frame: &mut PtxFrame<'t>,
        code: &'m Code<'t>,
    ) -> Result<(), (Construct, u32)> {
        let lists: Vec<&'t str> = code.operands.to_vec();
        let name = lists.iter().find(|part| !part.starts_with('(')).copied().unwrap_or("");
        let inside = |part: &&'t str| -> Vec<&'t str> {
            part.trim_matches(['(', ')'])
                .split(',')
                .map(str::trim)
                .filter(|p| !p.is_empty())
                .collect()
        };
        let at = lists.iter().position(|part| *part == name).unwrap_or(0);
        let results: Vec<&'t str> = lists[..at].iter().flat_map(inside).collect();
        let given: Vec<&'t str> = lists.get(at + 1).map(inside).unwrap_or_default();
        let function = self.module.functions.iter().find(|f| f.name == name && f.defined);
        let Some(function) = function else {
            let construct = match name {
                "vprintf" => Construct::Print,
                name => Construct::Call(name.to_owned()),
            };
            self.push(Instruction::Refuse(construct));
            return Ok(());
        };
        let mut parameters = BTreeMap::new();
        for (parameter, name) in function.parameters.iter().zip(given) {
            for (key, value) in &frame.parameters {
                if key.0 == name {
                    parameters.insert((parameter.name.to_owned(), key.1, key.2), *value);
                }
            }
        }
        let (line, back) = (self.line, self.block());
        let returned = self.function(function, parameters, back)?;
        self.line = line;
        for (result, name) in function.results.iter().zip(results) {
            for (key, value) in &returned {
                if key.0 == result.name {
                    frame.parameters.insert((name.to_owned(), key.1, key.2), *value);
                }
            }
        }
        Ok(())
    }
}

/// Returns the parameters of a kernel that are used as numbers, not as pointers.
pub(super) fn numbers<'t>(entry: &Function<'t>) -> BTreeSet<&'t str> {
    let mut held: BTreeMap<&str, &'t str> = BTreeMap::new();
    let mut pointers = BTreeSet::new();
    let mut numbers = BTreeSet::new();
    for statement in &entry.statements {
        let Statement::Instruction(code) = statement else { continue };
        let Some((&op, operands)) = code.words.first().zip(Some(&code.operands)) else { continue };
        match (op, operands.as_slice()) {
            ("ld", [to, from]) if code.words.contains(&"param") => {
                let (name, _) = address(from);
                if let Some(parameter) = entry.parameters.iter().find(|p| p.name == name) {
                    held.insert(to, parameter.name);
                }
            }
            ("mov", [to, from]) => {
                if let Some(&parameter) = held.get(from) {
                    held.insert(to, parameter);
                }
            }
            ("cvta", [_, from]) => pointers.extend(held.get(from)),
            (
                "mul" | "shl" | "shr" | "setp" | "cvt" | "div" | "rem" | "min" | "max" | "neg"
                | "and" | "or" | "xor" | "not" | "abs" | "popc" | "clz" | "set",
                operands,
            ) => {
                numbers.extend(operands.iter().skip(1).filter_map(|part| held.get(part)));
            }
            ("mad", [_, a, b, _]) => {
                numbers.extend([a, b].iter().filter_map(|part| held.get(*part)))
            }
            _ => {}
        }
    }
    numbers.difference(&pointers).copied().collect()
}
