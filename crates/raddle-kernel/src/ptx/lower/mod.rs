//! How does a PTX function become a body without calls?
//!
//! Pointers and numbers are both 64-bit registers in PTX. A parameter counts as a pointer unless the
//! code multiplies, compares or converts it, which nobody does with a pointer.

mod calls;
mod known;
mod memory;
mod names;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::Op;
use smallvec::smallvec;

use self::calls::numbers;
use self::names::{PURE, integer, is_special, is_unsteady, number};
use super::text::{Function, PtxInstruction as Code, PtxModule, Statement};
use crate::ir::{
    Argument, ArgumentKind, BasicBlock, BlockId, Body, Construct, Instruction, LinedStep, Operand,
    PointerOrigin, Reg,
};

/// Most levels of nested calls in a PTX kernel; a kernel with more is not judged.
const DEEPEST: usize = 32;
/// Most instructions and basic blocks of a kernel with all calls inlined; a larger kernel is not
/// judged.
const MOST_STEPS: usize = 200_000;

pub(crate) fn body(module: &PtxModule<'_>, entry: &Function<'_>) -> Result<Body, (Construct, u32)> {
    let mut lower = PtxLowering {
        module,
        blocks: vec![BasicBlock::default()],
        registers: 0,
        places: 0,
        addressable: BTreeSet::new(),
        globals: BTreeMap::new(),
        operations: BTreeMap::new(),
        calls: Vec::new(),
        here: 0,
        line: entry.line,
        steps: 0,
        meets: false,
    };
    let numbers = numbers(entry);
    let mut arguments = Vec::new();
    let mut parameters = BTreeMap::new();
    for (index, parameter) in entry.parameters.iter().enumerate() {
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        let pointer = parameter.pointer
            || (parameter.size == 8 && !parameter.array && !numbers.contains(parameter.name));
        let register = lower.register();
        let kind = if pointer { ArgumentKind::Buffer } else { ArgumentKind::Value };
        if pointer {
            let origin = PointerOrigin::Argument(number);
            lower.push(Instruction::Place { to: register, origin });
        }
        if !parameter.array {
            let key = (parameter.name.to_owned(), 0, parameter.size);
            parameters.insert(key, Operand::Reg(register));
        }
        arguments.push(Argument { name: parameter.name.to_owned(), kind });
    }
    let end = lower.block();
    lower.function(entry, parameters, end)?;
    let meets = lower.meets;
    let (handed, scalars, widths) = Default::default();
    let PtxLowering { blocks, registers, addressable, .. } = lower;
    Ok(Body { arguments, scalars, blocks, registers, widths, handed, addressable, meets })
}

struct PtxLowering<'m, 't> {
    module: &'m PtxModule<'t>,
    blocks: Vec<BasicBlock>,
    registers: u32,
    places: u32,
    /// Variables of the module whose address the host can pass to a kernel as an argument.
    addressable: BTreeSet<PointerOrigin>,
    globals: BTreeMap<String, Reg>,
    /// Number given to each operation of PTX, by its words joined with dots (`ld.global.u32`).
    operations: BTreeMap<String, u32>,
    calls: Vec<&'t str>,
    here: BlockId,
    line: u32,
    steps: usize,
    meets: bool,
}

/// Part of a PTX parameter: (name of the parameter, offset in bytes, number of bytes).
type Part = (String, i64, u32);

/// State of one inlined copy of a PTX function while it is translated.
struct PtxFrame<'t> {
    /// Registers that are visible at this point, by name: one map for each scope (text between
    /// braces), the innermost last.
    scopes: Vec<BTreeMap<&'t str, Reg>>,
    labels: BTreeMap<&'t str, BlockId>,
    /// Size in bytes of the registers of each family, by the register's name without its number
    /// (`%rd` for `%rd7`).
    widths: BTreeMap<&'t str, u32>,
    /// Operands for the parameters of this function and of the calls that it makes, by the part of
    /// the parameter.
    parameters: BTreeMap<Part, Operand>,
    /// True for the frame of the kernel itself, whose parameters do not change during the launch;
    /// false for that of a called function.
    entry: bool,
    back: BlockId,
    /// True if control can reach the next statement; false behind an unconditional jump.
    reached: bool,
}

impl<'m, 't> PtxLowering<'m, 't> {
    fn register(&mut self) -> Reg {
        self.registers += 1;
        self.registers - 1
    }

    fn block(&mut self) -> BlockId {
        self.steps += 1;
        self.blocks.push(BasicBlock::default());
        self.blocks.len() - 1
    }

    fn push(&mut self, instruction: Instruction) {
        self.steps += 1;
        let line = self.line;
        self.blocks[self.here].steps.push(LinedStep { line, instruction });
    }

    fn operation(&mut self, words: &[&str]) -> u32 {
        // The numbers of PTX operations begin behind the opcodes of SPIR-V, which have 16 bits.
        let next = u32::try_from(self.operations.len())
            .map_or(u32::MAX, |next| next.saturating_add(0x1_0000));
        *self.operations.entry(words.join(".")).or_insert(next)
    }

    /// Translates an inlined copy of a PTX function, from the current basic block on; afterwards
    /// the block `back` is the current one. Returns the values of the function's parameters and
    /// results. The error is (reason why the kernel cannot be judged, line).
    fn function(
        &mut self,
        function: &'m Function<'t>,
        parameters: BTreeMap<Part, Operand>,
        back: BlockId,
    ) -> Result<BTreeMap<Part, Operand>, (Construct, u32)> {
        if self.calls.contains(&function.name) {
            return Err((Construct::Recursion(function.name.to_owned()), self.line));
        }
        if self.calls.len() >= DEEPEST {
            return Err((Construct::Large, self.line));
        }
        self.calls.push(function.name);
        let mut frame = PtxFrame {
            scopes: vec![BTreeMap::new()],
            labels: BTreeMap::new(),
            widths: BTreeMap::new(),
            parameters,
            entry: function.entry,
            back,
            reached: true,
        };
        for statement in &function.statements {
            if let Statement::Label(label) = statement {
                let block = self.block();
                frame.labels.insert(label, block);
            }
        }
        for statement in &function.statements {
            self.statement(&mut frame, statement)?;
            if self.steps > MOST_STEPS {
                return Err((Construct::Large, self.line));
            }
        }
        if frame.reached {
            self.blocks[self.here].next.push(back);
        }
        self.calls.pop();
        self.here = back;
        Ok(frame.parameters)
    }

    fn statement(
        &mut self,
        frame: &mut PtxFrame<'t>,
        statement: &'m Statement<'t>,
    ) -> Result<(), (Construct, u32)> {
        match statement {
            Statement::Label(label) => {
                let Some(&block) = frame.labels.get(label) else { return Ok(()) };
                if frame.reached {
                    self.blocks[self.here].next.push(block);
                }
                self.here = block;
                frame.reached = true;
            }
            Statement::Open => frame.scopes.push(BTreeMap::new()),
            Statement::Close => {
                frame.scopes.pop();
            }
            Statement::Declare(declared) => {
                for each in declared {
                    self.declare(frame, each);
                }
            }
            Statement::Instruction(code) => {
                self.line = code.line;
                if !frame.reached {
                    // Behind a jump, up to the next label, nothing is executed.
                    let block = self.block();
                    self.here = block;
                    frame.reached = true;
                }
                self.instruction(frame, code)?;
            }
        }
        Ok(())
    }

    /// Returns the register with the name `name` in the innermost scope (text between braces) that
    /// has it; where none has it, a new register of the function.
    fn named(&mut self, frame: &mut PtxFrame<'t>, name: &'t str) -> Reg {
        if let Some(&register) = frame.scopes.iter().rev().find_map(|scope| scope.get(name)) {
            return register;
        }
        let register = self.register();
        if let Some(scope) = frame.scopes.first_mut() {
            scope.insert(name, register);
        }
        register
    }

    fn operand(&mut self, frame: &mut PtxFrame<'t>, text: &'t str) -> Operand {
        if let Some(int) = integer(text) {
            return Operand::Int(int);
        }
        if let Some(variable) = self.module.variables.iter().find(|v| v.name == text)
            && !frame.scopes.iter().any(|scope| scope.contains_key(text))
        {
            if let Some(&register) = self.globals.get(text) {
                return Operand::Reg(register);
            }
            let register = self.register();
            self.globals.insert(text.to_owned(), register);
            self.places += 1;
            let origin = match variable.space {
                "shared" => PointerOrigin::Local(self.places),
                "local" => PointerOrigin::Private(self.places),
                _ => PointerOrigin::Program(self.places),
            };
            self.addressed(variable.space, origin);
            let step =
                LinedStep { line: 0, instruction: Instruction::Place { to: register, origin } };
            self.blocks[0].steps.insert(0, step);
            return Operand::Reg(register);
        }
        if text.starts_with('%') && is_special(text) {
            if let Some((number, dimension)) = number(text) {
                // The number is lowered as in SPIR-V: a vector of numbers, and one component of it.
                let of = vec![Operand::Int(i64::from(number as u32))];
                let vector = self.pure_value(Op::Load, of);
                let of = vec![vector, Operand::Int(dimension)];
                return self.pure_value(Op::CompositeExtract, of);
            }
            let operation = self.operation(&[text]);
            let to = self.register();
            if is_unsteady(text) {
                self.push(Instruction::Refuse(Construct::Instruction(text.to_owned())));
            }
            self.push(Instruction::Pure { to, operation, of: Vec::new() });
            return Operand::Reg(to);
        }
        if !text.starts_with(|c: char| c == '%' || c == '_' || c == '$' || c.is_ascii_alphabetic())
        {
            // A floating-point constant: equal text is an equal value.
            let operation = self.operation(&[text]);
            let to = self.register();
            self.push(Instruction::Pure { to, operation, of: Vec::new() });
            return Operand::Reg(to);
        }
        Operand::Reg(self.named(frame, text))
    }

    /// Translates an instruction of PTX. An instruction with a predicate gets a basic block of its
    /// own, which is skipped where the predicate is false. The error is (reason why the kernel
    /// cannot be judged, line).
    fn instruction(
        &mut self,
        frame: &mut PtxFrame<'t>,
        code: &'m Code<'t>,
    ) -> Result<(), (Construct, u32)> {
        let op = code.words[0];
        if code.predicate.is_none() || op == "bra" {
            return self.plain(frame, code);
        }
        let (then, on) = (self.block(), self.block());
        self.blocks[self.here].next.extend([then, on]);
        self.here = then;
        self.plain(frame, code)?;
        if frame.reached {
            self.blocks[self.here].next.push(on);
        }
        self.here = on;
        frame.reached = true;
        Ok(())
    }

    fn plain(
        &mut self,
        frame: &mut PtxFrame<'t>,
        code: &'m Code<'t>,
    ) -> Result<(), (Construct, u32)> {
        let has = |word: &str| code.words.contains(&word);
        match code.words[0] {
            "bra" => self.branch(frame, code),
            "ret" | "exit" | "trap" => {
                let back = frame.back;
                self.blocks[self.here].next.push(back);
                frame.reached = false;
            }
            "ld" | "ldu" if has("param") => self.load_parameter(frame, code),
            "st" if has("param") => self.store_parameter(frame, code),
            "ld" | "ldu" | "st" => self.access(frame, code),
            "atom" | "red" => self.atomic(frame, code),
            "cp" if has("async") && !has("bulk") => self.copy(frame, code),
            "call" => return self.call(frame, code),
            "mov"
                if code.operands.len() == 2
                    && !code.operands.iter().any(|part| part.starts_with('{')) =>
            {
                let from = self.operand(frame, code.operands[1]);
                let to = self.named(frame, code.operands[0]);
                self.push(Instruction::Copy { to, from });
            }
            "cvta" => {
                if let [to, from] = code.operands[..] {
                    let from = self.operand(frame, from);
                    let to = self.named(frame, to);
                    self.push(Instruction::Copy { to, from });
                }
            }
            "add" | "sub" | "mul" | "mad" | "shl" if self.sum(frame, code) => {}
            "add" | "mul" | "mad" | "cvt" | "setp" if self.known(frame, code) => {}
            "bar" | "barrier" => self.meets = true,
            "membar" | "fence" | "prefetch" | "prefetchu" | "nanosleep" | "griddepcontrol"
            | "pmevent" | "applypriority" | "setmaxnreg" => {}
            "discard" => self.discard(frame, code),
            "vote" if !has("sync") => self.unsteady(frame, code),
            "activemask" => self.unsteady(frame, code),
            "ldmatrix" | "shfl" | "vote" | "match" | "redux" | "elect" => {
                self.meets = true;
                self.fresh(frame, code);
            }
            // The carry is no operand, so equal operands need not give equal values.
            "addc" | "subc" | "madc" => self.fresh(frame, code),
            op if PURE.contains(&op) => self.pure(frame, code),
            _ => self.unsteady(frame, code),
        }
        Ok(())
    }

    /// Records that the kernel is refused because of an instruction that is unknown, or whose
    /// result may differ from run to run.
    fn unsteady(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        self.push(Instruction::Refuse(Construct::Instruction(code.words.join("."))));
        self.fresh(frame, code);
    }

    fn branch(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        let to = code.operands.first().and_then(|label| frame.labels.get(label)).copied();
        if let Some(to) = to {
            self.blocks[self.here].next.push(to);
        }
        if let Some((predicate, wanted)) = code.predicate {
            let on = self.block();
            let condition = self.operand(frame, predicate);
            let block = &mut self.blocks[self.here];
            block.next.push(on);
            if !wanted {
                block.next.reverse();
            }
            block.condition = Some(condition);
            self.here = on;
        } else {
            frame.reached = false;
        }
    }

    /// Returns the registers that an instruction of PTX sets: its first operand, one or several in
    /// braces, or `a|p`.
    fn targets(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) -> Vec<Reg> {
        let first = code.operands.first().copied().unwrap_or("");
        first
            .split(['{', '}', ',', '|'])
            .map(str::trim)
            .filter(|name| !name.is_empty() && *name != "_")
            .map(|name| self.named(frame, name))
            .collect()
    }

    fn fresh(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        for to in self.targets(frame, code) {
            self.push(Instruction::Fresh { to });
        }
    }

    fn pure(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) {
        let mut of = Vec::new();
        for part in code.operands.iter().skip(1) {
            for name in part.split(['{', '}', ',', '|']).map(str::trim) {
                if name.starts_with('!') {
                    of.push(Operand::Int(-1));
                }
                if !name.is_empty() && name != "_" {
                    of.push(self.operand(frame, name.trim_start_matches('!')));
                }
            }
        }
        for (index, to) in self.targets(frame, code).into_iter().enumerate() {
            let part = index.to_string();
            let mut words = code.words.clone();
            words.push(&part);
            let operation = self.operation(&words);
            self.push(Instruction::Pure { to, operation, of: of.clone() });
        }
    }

    /// Translates a 64-bit addition, multiplication or shift of PTX, which may compute an address.
    /// Returns whether `code` is such an instruction.
    fn sum(&mut self, frame: &mut PtxFrame<'t>, code: &'m Code<'t>) -> bool {
        let wide = code.words.contains(&"wide");
        let long = code.words.iter().any(|word| matches!(*word, "s64" | "u64" | "b64"));
        let narrow = ["s32", "u32"].iter().find(|ty| code.words.contains(ty)).copied();
        let parts = code.operands.as_slice();
        let whole = long || (wide && narrow.is_some());
        if !whole || code.words.contains(&"hi") {
            return false;
        }
        let int = |part: &str| integer(part);
        let (base, value, count) = match (code.words[0], parts) {
            ("add", [_, a, b]) => (Some(*a), Some(*b), 1),
            ("sub", [_, a, b]) => (Some(*a), Some(*b), -1),
            ("mul", [_, a, b]) => match (int(a), int(b)) {
                (_, Some(by)) => (None, Some(*a), by),
                (Some(by), _) => (None, Some(*b), by),
                _ => return false,
            },
            ("mad", [_, a, b, c]) => match (int(a), int(b)) {
                (_, Some(by)) => (Some(*c), Some(*a), by),
                (Some(by), _) => (Some(*c), Some(*b), by),
                _ => return false,
            },
            ("shl", [_, a, b]) => match int(b) {
                Some(by @ 0..=62) => (None, Some(*a), 1 << by),
                _ => return false,
            },
            _ => return false,
        };
        let base = base.map_or(Operand::Int(0), |base| self.operand(frame, base));
        let Some(value) = value else { return false };
        let mut value = self.operand(frame, value);
        if let (true, Some(ty)) = (wide, narrow) {
            // A wide product converts its operand to 64 bits first.
            let to = if ty == "s32" { "s64" } else { "u64" };
            value = self.converted(value, to, ty);
        }
        let to = self.named(frame, parts[0]);
        let terms = smallvec![(value, count)];
        self.push(Instruction::Offset { to, base, bytes: 0, terms });
        true
    }
}
