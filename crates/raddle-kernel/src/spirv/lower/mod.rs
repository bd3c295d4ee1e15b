//! How does a SPIR-V function become a body without calls?

mod arguments;
pub(super) mod calls;

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{Function, Instruction as Code, Module, Operand as Part};
use rspirv::spirv::{Op, StorageClass, Word};
use smallvec::smallvec;

use super::Lowered;
use super::operations::{exchanges, is_atomic, is_pipe, is_pure};
use super::types::{ById, Types, id_at, word};
use super::vectors::NeededLanes;
use crate::ir::{
    BasicBlock, BlockId, Body, Construct, Instruction, LinedStep, Operand, PointerOrigin, Reg,
};

/// Most levels of nested calls in a SPIR-V kernel; a kernel with more is not judged.
const DEEPEST: usize = 64;
/// Most instructions and basic blocks of a kernel with all calls inlined; a larger kernel is not
/// judged.
const MOST_STEPS: usize = 200_000;

pub(crate) fn body(module: &Module, entry: Word) -> Lowered {
    let mut lower = SpirvLowering::new(module);
    let function = lower.functions.get(&entry).copied().ok_or((Construct::Large, 0))?;
    let (arguments, operands) = lower.arguments(function);
    let first = lower.block();
    lower.here = first;
    for (register, origin) in operands.places {
        lower.push(Instruction::Place { to: register, origin });
    }
    lower.function(function, &operands.values, None)?;
    let meets = lower.meets;
    Ok(Body {
        arguments,
        widths: lower.widths(&operands.scalars, function),
        scalars: operands.scalars,
        blocks: lower.blocks,
        registers: lower.registers,
        handed: operands.handed,
        addressable: BTreeSet::new(),
        meets,
    })
}

#[derive(Default)]
struct GivenArguments {
    values: Vec<Operand>,
    places: Vec<(Reg, PointerOrigin)>,
    /// Variables that hold the structures which the host passes by value to the kernel.
    handed: Vec<PointerOrigin>,
    /// Registers that hold the kernel's arguments of numeric types, each as (register, index of the
    /// argument).
    scalars: Vec<(Reg, u32)>,
}

pub(super) struct SpirvLowering<'m> {
    pub(super) module: &'m Module,
    pub(super) types: Types<'m>,
    pub(super) functions: BTreeMap<Word, &'m Function>,
    pub(super) names: BTreeMap<Word, &'m str>,
    pub(super) opencl: Option<Word>,
    pub(super) blocks: Vec<BasicBlock>,
    pub(super) registers: u32,
    pub(super) places: u32,
    /// Operand that each SPIR-V id stands for in the functions that are being inlined. One entry
    /// for each id is enough: a function is never inlined within itself.
    pub(super) held: ById<Operand>,
    /// Registers that stand for the variables and constants outside of functions, by SPIR-V id.
    pub(super) globals: BTreeMap<Word, Reg>,
    pub(super) calls: Vec<Word>,
    pub(super) here: BlockId,
    pub(super) line: u32,
    pub(super) steps: usize,
    pub(super) meets: bool,
}

/// Incoming values of a phi (an instruction that picks a value by the preceding basic block), each
/// as (value, label of that block).
type Sides = Vec<(Word, Word)>;

/// State of one inlined copy of a SPIR-V function while it is translated.
pub(super) struct SpirvFrame<'m> {
    /// First basic block of each labelled block of the function, by the label's id.
    pub(super) begins: BTreeMap<Word, BlockId>,
    /// Last basic block of each labelled block, by the label's id: inlined calls split a block into
    /// several.
    pub(super) ends: BTreeMap<Word, BlockId>,
    /// Phis that have no operands yet, as (basic block, index of the instruction, incoming values).
    /// The operands are set when all other instructions have been translated.
    pub(super) phis: Vec<(BlockId, usize, Sides)>,
    pub(super) lanes: NeededLanes,
    pub(super) function: &'m Function,
}

impl<'m> SpirvLowering<'m> {
    fn new(module: &'m Module) -> Self {
        let functions = module
            .functions
            .iter()
            .filter_map(|function| Some((function.def_id()?, function)))
            .collect();
        let names = module
            .debug_names
            .iter()
            .filter_map(|name| match name.operands.as_slice() {
                [Part::IdRef(id), Part::LiteralString(text)] => Some((*id, text.as_str())),
                _ => None,
            })
            .collect();
        let opencl = module
            .ext_inst_imports
            .iter()
            .find(|import| import.operands.contains(&Part::LiteralString("OpenCL.std".to_owned())))
            .and_then(|import| import.result_id);
        Self {
            module,
            types: Types::of(module),
            functions,
            names,
            opencl,
            blocks: Vec::new(),
            registers: 0,
            places: 0,
            held: ById::of(module),
            globals: BTreeMap::new(),
            calls: Vec::new(),
            here: 0,
            line: 0,
            steps: 0,
            meets: false,
        }
    }

    pub(super) fn register(&mut self) -> Reg {
        self.registers += 1;
        self.registers - 1
    }

    fn place(&mut self, origin: fn(u32) -> PointerOrigin) -> PointerOrigin {
        self.places += 1;
        origin(self.places)
    }

    fn block(&mut self) -> BlockId {
        self.steps += 1;
        self.blocks.push(BasicBlock::default());
        self.blocks.len() - 1
    }

    pub(super) fn push(&mut self, instruction: Instruction) {
        self.steps += 1;
        let line = self.line;
        self.blocks[self.here].steps.push(LinedStep { line, instruction });
    }

    pub(super) fn refuse(&mut self, construct: Construct) {
        self.push(Instruction::Refuse(construct));
    }

    /// Translates an inlined copy of a SPIR-V function, from the current basic block on; afterwards
    /// the current block is the one behind the call. `given` are the arguments, `result` is the
    /// register for the returned value, `None` without one. The error is (reason why the kernel
    /// cannot be judged, line).
    fn function(
        &mut self,
        function: &'m Function,
        given: &[Operand],
        result: Option<Reg>,
    ) -> Result<(), (Construct, u32)> {
        let id = function.def_id().unwrap_or(0);
        if self.calls.contains(&id) {
            return Err((Construct::Recursion(self.name(id)), self.line));
        }
        if self.calls.len() >= DEEPEST {
            return Err((Construct::Large, self.line));
        }
        self.calls.push(id);
        let mut frame = SpirvFrame {
            begins: BTreeMap::new(),
            ends: BTreeMap::new(),
            phis: Vec::new(),
            lanes: NeededLanes::of(function, &self.types),
            function,
        };
        for (parameter, operand) in function.parameters.iter().zip(given) {
            self.held.set(parameter.result_id.unwrap_or(0), Some(*operand));
        }
        for block in &function.blocks {
            let label = block.label.as_ref().and_then(|label| label.result_id).unwrap_or(0);
            let begin = self.block();
            frame.begins.insert(label, begin);
            for code in &block.instructions {
                self.held.set(code.result_id.unwrap_or(0), None);
            }
        }
        let back = self.block();
        if let Some(first) = function.blocks.first() {
            let label = first.label.as_ref().and_then(|label| label.result_id).unwrap_or(0);
            let begin = frame.begins[&label];
            self.blocks[self.here].next.push(begin);
        }
        for (number, block) in function.blocks.iter().enumerate() {
            let label = block.label.as_ref().and_then(|label| label.result_id).unwrap_or(0);
            self.here = frame.begins[&label];
            for (index, code) in block.instructions.iter().enumerate() {
                self.code(&mut frame, (number, index), code, result, back)?;
                if self.steps > MOST_STEPS {
                    return Err((Construct::Large, self.line));
                }
            }
            frame.ends.insert(label, self.here);
        }
        self.fill_phis(&mut frame);
        self.calls.pop();
        self.here = back;
        Ok(())
    }

    fn fill_phis(&mut self, frame: &mut SpirvFrame<'m>) {
        for (block, step, sides) in std::mem::take(&mut frame.phis) {
            let sides = sides
                .into_iter()
                .filter_map(|(value, label)| Some((*frame.ends.get(&label)?, self.operand(value))))
                .collect();
            if let Instruction::Phi { from, .. } = &mut self.blocks[block].steps[step].instruction {
                *from = sides;
            }
        }
    }

    /// Returns the operand that a SPIR-V id stands for: a register of this copy, a constant, or a
    /// variable outside of functions.
    pub(super) fn operand(&mut self, id: Word) -> Operand {
        if let Some(operand) = self.held.get(id) {
            return operand;
        }
        if let Some(constant) = self.types.constant(id) {
            return Operand::Int(constant);
        }
        if let Some(global) = self.types.get(id) {
            if let Some(&register) = self.globals.get(&id) {
                return Operand::Reg(register);
            }
            let register = self.register();
            self.globals.insert(id, register);
            let instruction = match (global.class.opcode, global.operands.first()) {
                (Op::Variable, Some(Part::StorageClass(class)))
                    if *class != StorageClass::Input =>
                {
                    let origin = match class {
                        StorageClass::Workgroup => self.place(PointerOrigin::Local),
                        StorageClass::Function | StorageClass::Private => {
                            self.place(PointerOrigin::Private)
                        }
                        _ => PointerOrigin::Program(id),
                    };
                    Instruction::Place { to: register, origin }
                }
                // Of built-in numbers and of other constants only their identity counts.
                _ => Instruction::Pure {
                    to: register,
                    operation: Op::Constant as u32,
                    of: vec![Operand::Int(i64::from(id))],
                },
            };
            // The register is set at the very beginning, so that it has its value at every use.
            self.blocks[0].steps.insert(0, LinedStep { line: 0, instruction });
            return Operand::Reg(register);
        }
        // The id is set further down: only a phi looks ahead, as dominators are lowered first.
        let register = self.register();
        self.held.set(id, Some(Operand::Reg(register)));
        Operand::Reg(register)
    }

    /// Returns the register of the analysed kernel that stands for the result of a SPIR-V
    /// instruction.
    pub(super) fn result(&mut self, code: &Code) -> Reg {
        let id = code.result_id.unwrap_or(0);
        match self.held.get(id) {
            Some(Operand::Reg(register)) => register,
            _ => {
                let register = self.register();
                self.held.set(id, Some(Operand::Reg(register)));
                register
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm an instruction")]
    fn code(
        &mut self,
        frame: &mut SpirvFrame<'m>,
        at: (usize, usize),
        code: &'m Code,
        result: Option<Reg>,
        back: BlockId,
    ) -> Result<(), (Construct, u32)> {
        match code.class.opcode {
            Op::Line => self.line = word(code, 1).unwrap_or(0),
            Op::ControlBarrier | Op::GroupWaitEvents => self.meets = true,
            Op::NoLine
            | Op::Nop
            | Op::LifetimeStart
            | Op::LifetimeStop
            | Op::LoopMerge
            | Op::SelectionMerge
            | Op::MemoryBarrier
            | Op::Unreachable
            | Op::AssumeTrueKHR => {}
            Op::Variable => {
                let to = self.result(code);
                let origin = self.place(PointerOrigin::Private);
                self.push(Instruction::Place { to, origin });
                if let Some(value) = id_at(code, 1) {
                    let value = self.operand(value);
                    let size = self.size_of(code.result_type);
                    if let Some(size) = size {
                        let spans = smallvec![(0, size)];
                        self.push(Instruction::Store { at: Operand::Reg(to), value, size, spans });
                    }
                }
            }
            Op::Load => self.load(frame, code)?,
            Op::Store => self.store(frame, at, code),
            Op::CopyMemory | Op::CopyMemorySized => self.copy_memory(code),
            Op::AccessChain | Op::InBoundsAccessChain => self.chain(code, 1),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.chain(code, 2),
            Op::Phi => {
                let to = self.result(code);
                let sides = code
                    .operands
                    .chunks_exact(2)
                    .filter_map(|pair| Some((pair[0].id_ref_any()?, pair[1].id_ref_any()?)))
                    .collect();
                let step = self.blocks[self.here].steps.len();
                frame.phis.push((self.here, step, sides));
                self.push(Instruction::Phi { to, from: Vec::new() });
            }
            Op::Branch => {
                let to = id_at(code, 0).and_then(|label| frame.begins.get(&label));
                self.blocks[self.here].next.extend(to.copied());
            }
            Op::BranchConditional | Op::Switch => {
                let labels: Vec<BlockId> = code.operands[1..]
                    .iter()
                    .filter_map(|part| frame.begins.get(&part.id_ref_any()?).copied())
                    .collect();
                for label in labels {
                    if !self.blocks[self.here].next.contains(&label) {
                        self.blocks[self.here].next.push(label);
                    }
                }
                if code.class.opcode == Op::BranchConditional {
                    self.blocks[self.here].condition = Some(self.first(code));
                }
            }
            Op::Return => self.blocks[self.here].next.push(back),
            Op::ReturnValue => {
                if let (Some(to), Some(value)) = (result, id_at(code, 0)) {
                    let from = self.operand(value);
                    self.push(Instruction::Copy { to, from });
                }
                self.blocks[self.here].next.push(back);
            }
            Op::FunctionCall => self.call(code)?,
            Op::ExtInst => self.extended(code),
            Op::Undef => {
                let to = self.result(code);
                self.push(Instruction::Fresh { to });
            }
            Op::Bitcast
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::CopyObject
            | Op::GenericCastToPtrExplicit => {
                let to = self.result(code);
                let from = self.first(code);
                self.push(Instruction::Copy { to, from });
            }
            Op::IAdd | Op::ISub | Op::IMul | Op::ShiftLeftLogical
                if self.is_long(code.result_type) =>
            {
                self.long(code);
            }
            Op::ConvertUToPtr => {
                let unknown = self.register();
                self.push(Instruction::Place { to: unknown, origin: PointerOrigin::Unknown });
                let of = vec![self.first(code), Operand::Reg(unknown)];
                let to = self.result(code);
                self.push(Instruction::Pure { to, operation: Op::ConvertUToPtr as u32, of });
            }
            op if is_atomic(op) => self.atomic(frame, code),
            Op::ImageRead
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleImplicitLod
            | Op::ImageFetch => {
                let at = self.first(code);
                self.push(Instruction::Touch { at, write: false });
                let to = self.result(code);
                self.push(Instruction::Fresh { to });
            }
            Op::ImageWrite => {
                let at = self.first(code);
                self.push(Instruction::Touch { at, write: true });
            }
            Op::GroupAsyncCopy => {
                self.meets = true;
                // Scope, destination, source.
                for (index, write) in [(1, true), (2, false)] {
                    if let Some(id) = id_at(code, index) {
                        let at = self.operand(id);
                        self.push(Instruction::Touch { at, write });
                    }
                }
                let to = self.result(code);
                self.push(Instruction::Fresh { to });
            }
            other => self.other(code, other),
        }
        Ok(())
    }

    /// Translates the SPIR-V instructions that no other function translates: arithmetic, exchanges
    /// of values between work-items, and instructions that the analysis does not know.
    fn other(&mut self, code: &'m Code, op: Op) {
        if is_pure(op) {
            let to = self.result(code);
            let mut of = self.operands(&code.operands);
            // Conversions to different types give different values. The type of a vector is negative, as
            // an operation on lanes is none on one number.
            let lanes = code.result_type.and_then(|ty| self.types.lanes(ty)).is_some();
            let sign = if lanes { -1 } else { 1 };
            of.extend(code.result_type.map(|ty| Operand::Int(sign * i64::from(ty))));
            of.extend(self.types.modes(code.result_id).map(Operand::Int));
            if matches!(op, Op::UConvert | Op::SConvert) {
                let bytes = code.result_type.and_then(|ty| self.types.size(ty)).unwrap_or(0);
                of.push(Operand::Int(i64::from(bytes)));
            }
            self.push(Instruction::Pure { to, operation: op as u32, of });
            return;
        }
        if exchanges(op) {
            self.meets = true;
        } else {
            let construct = match op {
                op if is_pipe(op) => Construct::Pipe,
                Op::EnqueueKernel | Op::EnqueueMarker => Construct::Enqueue,
                op => Construct::Instruction(format!("Op{op:?}")),
            };
            self.refuse(construct);
        }
        if code.result_id.is_some() {
            let to = self.result(code);
            self.push(Instruction::Fresh { to });
        }
    }

    pub(super) fn operands(&mut self, parts: &[Part]) -> Vec<Operand> {
        parts
            .iter()
            .map(|part| match part {
                Part::LiteralBit32(value) => Operand::Int(i64::from(*value)),
                Part::LiteralBit64(value) => Operand::Int(value.cast_signed()),
                // The number of the built-in function.
                Part::LiteralExtInstInteger(number) => Operand::Int(i64::from(*number)),
                other => match other.id_ref_any() {
                    Some(id) => self.operand(id),
                    // An operand that is not known equals no other.
                    None => {
                        let to = self.register();
                        self.push(Instruction::Fresh { to });
                        Operand::Reg(to)
                    }
                },
            })
            .collect()
    }

    pub(super) fn first(&mut self, code: &Code) -> Operand {
        id_at(code, 0).map_or(Operand::Int(0), |id| self.operand(id))
    }
}

/// Returns the operands of a SPIR-V operation, sorted if their order does not matter. So `a + b`
/// and `b + a` count as one value.
pub(super) fn sorted(op: Op, mut of: Vec<Operand>) -> Vec<Operand> {
    if matches!(op, Op::IAdd | Op::IMul) {
        of.sort_unstable();
    }
    of
}
