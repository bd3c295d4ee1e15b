//! Which kernels does a SPIR-V module hold, and what do they do to memory?

mod lower;
mod memory;
mod operations;
mod types;
mod vectors;

use std::collections::BTreeSet;

use rspirv::dr::{Loader, Module, Operand};
use rspirv::spirv::{Decoration, ExecutionModel, Op, Word};

use crate::ir::{Body, Construct};
use crate::{Error, Kernel};

/// Returns the kernels of a SPIR-V module for OpenCL; an error where the bytes are no such module.
pub(crate) fn kernels(bytes: &[u8]) -> Result<Vec<Kernel>, Error> {
    let mut loader = Loader::new();
    let words = without_debug(bytes).map_err(|why| Error::SpirV { why: why.to_owned() })?;
    rspirv::binary::parse_words(words, &mut loader)
        .map_err(|state| Error::SpirV { why: state.to_string() })?;
    let module = loader.module();
    let bound = module.header.as_ref().map_or(0, |header| header.bound);
    let mut ids = module.all_inst_iter().filter_map(|instruction| instruction.result_id);
    // Tables by id must not be larger than what they are about.
    if ids.any(|id| id >= bound) || bound as usize > bytes.len() {
        return Err(Error::SpirV { why: format!("its ids are not counted up to {bound}") });
    }
    let mut kernels = Vec::new();
    for entry in &module.entry_points {
        let (
            Some(Operand::ExecutionModel(ExecutionModel::Kernel)),
            Some(Operand::IdRef(function)),
            Some(Operand::LiteralString(name)),
        ) = (entry.operands.first(), entry.operands.get(1), entry.operands.get(2))
        else {
            continue;
        };
        let body = lower::body(&module, *function);
        kernels.push(Kernel { name: name.clone(), line: line_of(&module, *function), body });
    }
    Ok(kernels)
}

/// Number of words before the first instruction of a SPIR-V module.
pub(crate) const HEADER: usize = 5;
const MAGIC: u32 = 0x0723_0203;

/// Returns the words of a SPIR-V module in the order of this machine. The error says why the bytes
/// are no module.
pub(crate) fn words(bytes: &[u8]) -> Result<Vec<u32>, &'static str> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() || chunks.len() < HEADER {
        return Err("its length is not that of a module");
    }
    let little: Vec<u32> = chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect();
    match little[0] {
        MAGIC => Ok(little),
        other if other.swap_bytes() == MAGIC => {
            Ok(little.iter().map(|word| word.swap_bytes()).collect())
        }
        _ => Err("it does not begin with the magic number 0x07230203"),
    }
}

/// Returns the words of a SPIR-V module without those that the analysis does not use: debug
/// information, repeated line numbers, most decorations, and names other than those of functions
/// and parameters. The error says why the bytes are no module.
fn without_debug(bytes: &[u8]) -> Result<Vec<u32>, &'static str> {
    let words = words(bytes)?;
    let code = instructions(&words[HEADER..])?;
    let named: BTreeSet<u32> = code
        .iter()
        .filter(|code| is(code, Op::Function) || is(code, Op::FunctionParameter))
        .filter_map(|code| code.get(2).copied())
        .collect();
    let mut kept = words[..HEADER].to_vec();
    let (mut debug, mut line) = (Vec::new(), None);
    for code in code {
        let second = code.get(2).copied();
        if is(code, Op::ExtInstImport) && text(code.get(2..).unwrap_or_default()) != "OpenCL.std" {
            debug.extend(code.get(1));
        }
        if is(code, Op::SpecConstantOp) && code.get(3).is_some_and(|op| NO_OPERATIONS.contains(op))
        {
            return Err("a constant is made by an instruction that is no operation");
        }
        if is(code, Op::Function) || is(code, Op::NoLine) {
            line = None;
        }
        let idle = (is(code, Op::Name) && code.get(1).is_some_and(|id| !named.contains(id)))
            || (is(code, Op::Line) && std::mem::replace(&mut line, second) == second)
            || (is(code, Op::Decorate) && second.is_some_and(|what| !DECORATIONS.contains(&what)))
            || (is(code, Op::ExtInst) && code.get(3).is_some_and(|set| debug.contains(set)));
        if !idle {
            kept.extend_from_slice(code);
        }
    }
    Ok(kept)
}

/// SPIR-V instructions that the loader (rspirv) does not accept as the operation of a constant.
const NO_OPERATIONS: [u32; 4] =
    [Op::Constant as u32, Op::SpecConstant as u32, Op::SpecConstantOp as u32, Op::Switch as u32];

/// Decorations of SPIR-V (facts about an id) that the analysis uses.
const DECORATIONS: [u32; 6] = [
    Decoration::CPacked as u32,
    Decoration::BuiltIn as u32,
    Decoration::FuncParamAttr as u32,
    Decoration::LinkageAttributes as u32,
    Decoration::FPRoundingMode as u32,
    Decoration::SaturatedConversion as u32,
];

/// Returns whether the words of an instruction begin with this opcode.
pub(crate) fn is(code: &[u32], op: Op) -> bool {
    code.first().is_some_and(|first| first & 0xffff == op as u32)
}

/// Returns the words of each SPIR-V instruction in `rest`; an error for an instruction of
/// impossible length.
pub(crate) fn instructions(mut rest: &[u32]) -> Result<Vec<&[u32]>, &'static str> {
    let mut found = Vec::new();
    while let Some(&first) = rest.first() {
        let length = (first >> 16) as usize;
        if length == 0 || length > rest.len() {
            return Err("an instruction is longer than the module");
        }
        let (instruction, behind) = rest.split_at(length);
        found.push(instruction);
        rest = behind;
    }
    Ok(found)
}

/// Returns the literal string with which words of SPIR-V begin.
pub(crate) fn text(words: &[u32]) -> String {
    let text: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// Returns the source line of the first instruction of a function that has one; 0 where none has.
fn line_of(module: &Module, function: Word) -> u32 {
    let found = module.functions.iter().find(|f| f.def_id() == Some(function));
    found
        .into_iter()
        .flat_map(|function| &function.blocks)
        .flat_map(|block| &block.instructions)
        .find(|instruction| instruction.class.opcode == Op::Line)
        .and_then(|line| types::word(line, 1))
        .unwrap_or(0)
}

/// Body of a kernel as the analysis reads it, or (reason why the code could not be translated,
/// line).
pub(crate) type Lowered = Result<Body, (Construct, u32)>;
