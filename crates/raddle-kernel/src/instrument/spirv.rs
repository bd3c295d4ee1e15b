//! How does a SPIR-V module get the prologue?
//!
//! As words: each kernel gets a first block of its own, and the four arguments of the prologue behind its
//! own. All that was there stays as it was, but for the variables of the first block, which must stand
//! in the first one.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::{
    Capability, Decoration, ExecutionModel, MemoryAccess, Op, Scope, StorageClass, Word,
};

use super::{KILLED, LEAVES, Look, Opaque, RUNS, UNDECIDED};
use crate::Error;
use crate::spirv::{HEADER, instructions, is, text, words};

/// Most ids that a module may have, by the limits of the specification.
const MOST_IDS: u32 = 4_194_303;

/// SPIR-V module whose kernels have a prologue that tests the preemption flag at the start of a launch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InstrumentedModule {
    /// Bytes of the module with the prologues in it.
    pub bytes: Vec<u8>,
    /// Names of the kernels that have got a prologue.
    pub kernels: Vec<String>,
    /// (name, reason) of the kernels that stay without a prologue.
    pub opaque: Vec<(String, Opaque)>,
}

/// Returns a SPIR-V module with the prologue in each kernel, with the arguments of the prologue in
/// [OpenCL C](super::opencl). `look` returns, for the name of a kernel, by which test the kernel may be
/// stopped part-way. `None` for a module of which a second one would not be alike: it has variables that
/// outlive a launch, constants that the host sets, or enqueues kernels.
///
/// # Errors
/// Where the bytes are no SPIR-V module.
pub fn spirv(
    bytes: &[u8],
    mut look: impl FnMut(&str) -> Look,
) -> Result<Option<InstrumentedModule>, Error> {
    let refused = |why: &str| Error::SpirV { why: why.to_owned() };
    let words = words(bytes).map_err(refused)?;
    let code = instructions(&words[HEADER..]).map_err(refused)?;
    if words[3] > MOST_IDS {
        return Err(refused("it has more ids than a module may have"));
    }
    if code.iter().any(|code| is_its_own(code)) {
        return Ok(None);
    }
    let mut module = Module::new(words[3], &code);
    let (mut kernels, mut opaque) = (Vec::new(), Vec::new());
    let entries = code.iter().filter(|code| is(code, Op::EntryPoint));
    let entries: Vec<(u32, String)> = entries.filter_map(|entry| kernel(entry)).collect();
    for (function, name) in &entries {
        let call = |code: &&[u32]| is(code, Op::FunctionCall) && code.get(3) == Some(function);
        let names = entries.iter().filter(|(other, _)| other == function).count();
        if names > 1 || code.iter().any(call) {
            opaque.push((name.clone(), Opaque::Called));
        } else {
            module.kernels.insert(*function, look(name));
            module.names.insert(name.clone());
            kernels.push(name.clone());
        }
    }
    let mut out = module.written(&code);
    let mut whole = words[..HEADER].to_vec();
    whole[3] = module.bound;
    whole.append(&mut out);
    let bytes = whole.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(Some(InstrumentedModule { bytes, kernels, opaque }))
}

/// Returns (id of the function, name) of the kernel that an entry point is.
fn kernel(entry: &[u32]) -> Option<(Word, String)> {
    let is_kernel = entry.get(1) == Some(&(ExecutionModel::Kernel as u32));
    is_kernel.then_some((*entry.get(2)?, text(entry.get(3..)?)))
}

/// Returns whether an instruction makes a module one that has no second one beside it.
fn is_its_own(code: &[u32]) -> bool {
    let at = |index: usize| code.get(index).copied();
    let variable = |class: StorageClass| is(code, Op::Variable) && at(3) == Some(class as u32);
    variable(StorageClass::CrossWorkgroup)
        || is(code, Op::Capability) && at(1) == Some(Capability::DeviceEnqueue as u32)
        || is(code, Op::Decorate) && at(2) == Some(Decoration::SpecId as u32)
}

/// Words that are added to a module, and where.
struct Module<'w> {
    /// Number that is larger than all ids so far.
    bound: Word,
    code: &'w [&'w [u32]],
    /// Types and constants that were not there.
    added: Vec<u32>,
    /// Types of functions that were added, by their operands.
    functions: BTreeMap<Vec<u32>, Word>,
    /// Tests of the functions that are kernels.
    kernels: BTreeMap<Word, Look>,
    /// Names of these kernels.
    names: BTreeSet<String>,
}

/// Ids of types and constants that a prologue uses.
#[derive(Clone, Copy)]
struct Known {
    bool: Word,
    uint: Word,
    pointer: Word,
    /// Numbers from 0 to 3.
    numbers: [Word; 4],
}

impl<'w> Module<'w> {
    fn new(bound: Word, code: &'w [&'w [u32]]) -> Self {
        let (functions, kernels, names) = Default::default();
        Self { bound, code, added: Vec::new(), functions, kernels, names }
    }

    fn id(&mut self) -> Word {
        self.bound += 1;
        self.bound - 1
    }

    /// Returns the id of the type with these operands, which is added where there is none: no type of
    /// these stands twice in a module.
    fn ty(&mut self, op: Op, operands: &[u32]) -> Word {
        let known = self.code.iter().find(|code| is(code, op) && code.get(2..) == Some(operands));
        if let Some(&id) = known.and_then(|code| code.get(1)) {
            return id;
        }
        let id = self.id();
        let all: Vec<u32> = std::iter::once(id).chain(operands.iter().copied()).collect();
        push(&mut self.added, op, &all);
        id
    }

    fn known(&mut self) -> Known {
        let (bool, uint) = (self.ty(Op::TypeBool, &[]), self.ty(Op::TypeInt, &[32, 0]));
        let pointer = self.ty(Op::TypePointer, &[StorageClass::CrossWorkgroup as u32, uint]);
        let numbers = [0, 1, 2, 3].map(|number| {
            let id = self.id();
            push(&mut self.added, Op::Constant, &[uint, id, number]);
            id
        });
        Known { bool, uint, pointer, numbers }
    }

    /// Returns the type of a function with the four arguments of the prologue behind its own.
    fn function_type(&mut self, before: Word, known: Known) -> Option<Word> {
        let found = self
            .code
            .iter()
            .find(|code| is(code, Op::TypeFunction) && code.get(1) == Some(&before));
        let mut operands = found?.get(2..)?.to_vec();
        operands.extend([known.pointer, known.pointer, known.uint, known.uint]);
        if let Some(&id) = self.functions.get(&operands) {
            return Some(id);
        }
        let id = self.ty(Op::TypeFunction, &operands);
        self.functions.insert(operands, id);
        Some(id)
    }

    /// Returns the instructions of the module with the prologues.
    fn written(&mut self, code: &[&[u32]]) -> Vec<u32> {
        let known = self.known();
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        if self.kernels.values().any(|look| *look == Look::Workgroup) {
            push(&mut before, Op::Capability, &[Capability::Groups as u32]);
        }
        let first = code.iter().position(|code| is(code, Op::Function)).unwrap_or(code.len());
        let kept = code[..first].iter().filter(|code| !self.names_as_kernel(code));
        kept.for_each(|code| before.extend_from_slice(code));
        let (mut open, mut moved) = (None, BTreeSet::new());
        for (index, words) in code.iter().enumerate().skip(first) {
            if is(words, Op::Function) {
                open = self.head(words, known, &mut behind);
                if open.is_some() {
                    continue;
                }
            }
            if let Some(look) = open.filter(|_| is(words, Op::Label)) {
                open = None;
                let variables = variables(code, index);
                let prologue = Prologue::new(self, known, look, words.get(1).copied().unwrap_or(0));
                prologue.write(&mut behind, variables.iter().map(|&at| code[at]));
                moved = variables;
            }
            if !moved.contains(&index) {
                behind.extend_from_slice(words);
            }
        }
        before.append(&mut self.added);
        before.append(&mut behind);
        before
    }

    /// Returns whether an instruction names a function as a kernel that only calls it: translators take that
    /// function for the kernel, which has more arguments now.
    fn names_as_kernel(&self, code: &[u32]) -> bool {
        let name = match code.get(2) {
            Some(_) if is(code, Op::Name) => code.get(2..),
            Some(&what)
                if is(code, Op::Decorate) && what == Decoration::LinkageAttributes as u32 =>
            {
                code.get(3..)
            }
            _ => None,
        };
        let of_other = code.get(1).is_some_and(|id| !self.kernels.contains_key(id));
        of_other && name.is_some_and(|name| self.names.contains(&text(name)))
    }

    /// Writes the head of a kernel with its new type. Returns its test; `None`, having written nothing, for
    /// another function.
    fn head(&mut self, words: &[u32], known: Known, out: &mut Vec<u32>) -> Option<Look> {
        let &[_, result, id, control, ty] = words else { return None };
        let look = self.kernels.get(&id).copied()?;
        let ty = self.function_type(ty, known)?;
        push(out, Op::Function, &[result, id, control, ty]);
        Some(look)
    }
}

/// Returns the indices of the variables in the block that begins with the label at the index `label`.
fn variables(code: &[&[u32]], label: usize) -> BTreeSet<usize> {
    let ends = |code: &[u32]| is(code, Op::Label) || is(code, Op::FunctionEnd);
    let block = code.iter().enumerate().skip(label + 1).take_while(|(_, code)| !ends(code));
    block.filter(|(_, code)| is(code, Op::Variable)).map(|(index, _)| index).collect()
}

fn push(out: &mut Vec<u32>, op: Op, operands: &[u32]) {
    let length = u32::try_from(operands.len() + 1).unwrap_or(0);
    out.push(length << 16 | op as u32);
    out.extend_from_slice(operands);
}

/// Prologue of one kernel that is being written.
struct Prologue<'m, 'w> {
    module: &'m mut Module<'w>,
    known: Known,
    look: Look,
    /// Label of the kernel's own first block.
    body: Word,
    words: Word,
    cuts: Word,
    number: Word,
    slot: Word,
    /// Pointer to the word of the launch.
    word: Word,
}

impl<'m, 'w> Prologue<'m, 'w> {
    fn new(module: &'m mut Module<'w>, known: Known, look: Look, body: Word) -> Self {
        let [words, cuts, slot, number, word] = [(); 5].map(|()| module.id());
        Self { module, known, look, body, words, cuts, number, slot, word }
    }

    /// Writes the arguments, and the blocks in which work-items leave or go on to the kernel's own first
    /// one. `variables` are those of that block.
    fn write<'v>(mut self, out: &mut Vec<u32>, variables: impl Iterator<Item = &'v [u32]>) {
        let Known { bool, uint, pointer, numbers: [zero, one, two, three] } = self.known;
        for (ty, id) in [pointer, pointer, uint, uint].into_iter().zip([
            self.words,
            self.cuts,
            self.slot,
            self.number,
        ]) {
            push(out, Op::FunctionParameter, &[ty, id]);
        }
        let [begin, decide, leave, run, kill] = [(); 5].map(|()| self.module.id());
        push(out, Op::Label, &[begin]);
        variables.for_each(|variable| out.extend_from_slice(variable));
        push(out, Op::PtrAccessChain, &[pointer, self.word, self.words, self.slot]);
        let state = self.load(out, self.word);
        let runs = self.compare(out, Op::IEqual, state, one);
        push(out, Op::BranchConditional, &[runs, run, decide]);
        push(out, Op::Label, &[decide]);
        let is_cut = self.in_cut(out, [zero, one]);
        let answer = self.module.id();
        push(out, Op::Select, &[uint, answer, is_cut, two, one]);
        self.swap(out, zero, answer);
        let state = self.load(out, self.word);
        let leaves = match self.look {
            Look::WorkItem => self.compare(out, Op::INotEqual, state, one),
            Look::Never | Look::Workgroup => self.compare(out, Op::IEqual, state, two),
        };
        push(out, Op::BranchConditional, &[leaves, leave, run]);
        push(out, Op::Label, &[leave]);
        push(out, Op::Return, &[]);
        push(out, Op::Label, &[run]);
        let stops = match self.look {
            Look::Never => {
                push(out, Op::Branch, &[self.body]);
                return;
            }
            Look::WorkItem => self.in_cut(out, [two, three]),
            Look::Workgroup => {
                let is_cut = self.in_cut(out, [two, three]);
                let state = self.load(out, self.word);
                let is_killed = self.compare(out, Op::IEqual, state, three);
                let [either, all] = [(); 2].map(|()| self.module.id());
                push(out, Op::LogicalOr, &[bool, either, is_cut, is_killed]);
                // The number of this scope is that of the constant.
                debug_assert_eq!(Scope::Workgroup as u32, 2);
                push(out, Op::GroupAny, &[bool, all, two, either]);
                all
            }
        };
        push(out, Op::BranchConditional, &[stops, kill, self.body]);
        push(out, Op::Label, &[kill]);
        self.swap(out, one, three);
        push(out, Op::Return, &[]);
    }

    fn compare(&mut self, out: &mut Vec<u32>, op: Op, a: Word, b: Word) -> Word {
        let to = self.module.id();
        push(out, op, &[self.known.bool, to, a, b]);
        to
    }

    /// Reads a number that the host may change.
    fn load(&mut self, out: &mut Vec<u32>, at: Word) -> Word {
        let to = self.module.id();
        let access = (MemoryAccess::VOLATILE | MemoryAccess::ALIGNED).bits();
        push(out, Op::Load, &[self.known.uint, to, at, access, 4]);
        to
    }

    /// Compares the number of the launch with the cut whose first number and length have these indices.
    fn in_cut(&mut self, out: &mut Vec<u32>, indices: [Word; 2]) -> Word {
        let [first, length] = indices.map(|index| {
            let at = self.module.id();
            push(out, Op::PtrAccessChain, &[self.known.pointer, at, self.cuts, index]);
            self.load(out, at)
        });
        let distance = self.module.id();
        push(out, Op::ISub, &[self.known.uint, distance, self.number, first]);
        self.compare(out, Op::ULessThan, distance, length)
    }

    /// Exchanges the word of the launch where it is `from`.
    fn swap(&mut self, out: &mut Vec<u32>, from: Word, to: Word) {
        let [zero, device, ..] = self.known.numbers;
        debug_assert_eq!((Scope::Device as u32, UNDECIDED, RUNS, LEAVES, KILLED), (1, 0, 1, 2, 3));
        let before = self.module.id();
        let operands = [self.known.uint, before, self.word, device, zero, zero, to, from];
        push(out, Op::AtomicCompareExchange, &operands);
    }
}
