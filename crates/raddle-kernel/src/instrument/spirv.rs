//! How does a SPIR-V module get the prologue?
//!
//! As words: each kernel gets a new first block, and the four arguments of the prologue behind its
//! own arguments. All else stays as it was, but for the variables of the block that was the first:
//! SPIR-V has variables in the first block alone, so they move to the new one.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::spirv::{
    Capability, Decoration, ExecutionModel, MemoryAccess, Op, Scope, StorageClass, Word,
};

use super::{KILLED, LEAVES, Look, Opaque, RUNS, UNDECIDED};
use crate::Error;
use crate::spirv::{HEADER, instructions, is, text, words};

/// Largest number of ids in a SPIR-V module, by the limits of the specification.
const MOST_IDS: u32 = 4_194_303;

/// SPIR-V module whose kernels have a prologue: it tests the preemption flag at the start of a
/// launch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InstrumentedModule {
    /// Bytes of the module with the prologues in it.
    pub bytes: Vec<u8>,
    /// Names of the kernels that have got a prologue (code at their start that tests whether the
    /// launch is to leave the device).
    pub kernels: Vec<String>,
    /// (name, reason) of the kernels that stay without a prologue (code at their start that tests
    /// whether the launch is to leave the device).
    pub opaque: Vec<(String, Opaque)>,
}

/// Adds the prologue, a test of the preemption flag, to each kernel of a SPIR-V module, with the
/// same added arguments as in [OpenCL C](super::opencl). `look` gets the name of a kernel, and
/// returns the kind of test by which the kernel may also be stopped part-way.
///
/// Returns `None` for a module that cannot be used beside its original: it has variables that
/// outlive a launch or constants that the host sets, or it enqueues kernels.
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

/// Returns (id of the function, name) of the kernel that an entry-point instruction declares;
/// `None` for another kind of entry point.
fn kernel(entry: &[u32]) -> Option<(Word, String)> {
    let is_kernel = entry.get(1) == Some(&(ExecutionModel::Kernel as u32));
    is_kernel.then_some((*entry.get(2)?, text(entry.get(3..)?)))
}

/// Returns whether an instruction forbids two copies of its module side by side: it declares a
/// variable that outlives a launch or a constant that the host sets, or lets the device enqueue
/// kernels.
fn is_its_own(code: &[u32]) -> bool {
    let at = |index: usize| code.get(index).copied();
    let variable = |class: StorageClass| is(code, Op::Variable) && at(3) == Some(class as u32);
    variable(StorageClass::CrossWorkgroup)
        || is(code, Op::Capability) && at(1) == Some(Capability::DeviceEnqueue as u32)
        || is(code, Op::Decorate) && at(2) == Some(Decoration::SpecId as u32)
}

/// SPIR-V module that is being rewritten: its instructions, and what is added to them.
struct Module<'w> {
    /// Smallest SPIR-V id that the module does not use yet (its bound).
    bound: Word,
    code: &'w [&'w [u32]],
    /// Instructions of the types and constants that are added to the module.
    added: Vec<u32>,
    /// Ids of the function types made for kernels with the prologue's arguments, by the operands of
    /// the type.
    functions: BTreeMap<Vec<u32>, Word>,
    /// Kind of test that each kernel gets, by the id of the kernel's function.
    kernels: BTreeMap<Word, Look>,
    /// Names of the kernels that get a prologue.
    names: BTreeSet<String>,
}

/// Ids of the types and constants that every prologue uses.
#[derive(Clone, Copy)]
struct Known {
    bool: Word,
    uint: Word,
    pointer: Word,
    /// Ids of the constants 0, 1, 2 and 3.
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

    /// Returns the id of the type with the opcode `op` and these operands. The type is added if the
    /// module lacks it: SPIR-V allows no two equal types of these kinds.
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

    /// Returns the id of the function type `before` with the four arguments of the prologue added
    /// at the end; `None` where `before` is no function type.
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

    /// Returns the words of all instructions of the module, with the prologues added to its
    /// kernels.
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

    /// Returns whether an instruction gives the name of a kernel to another function, one that only
    /// calls the kernel. Translators would take that function, which lacks the added arguments, for
    /// the kernel itself.
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

    /// Writes the function instruction of a kernel, with its new type, to `out`. Returns the kind
    /// of test that the kernel gets; `None`, with nothing written, for a function that is no
    /// kernel.
    fn head(&mut self, words: &[u32], known: Known, out: &mut Vec<u32>) -> Option<Look> {
        let &[_, result, id, control, ty] = words else { return None };
        let look = self.kernels.get(&id).copied()?;
        let ty = self.function_type(ty, known)?;
        push(out, Op::Function, &[result, id, control, ty]);
        Some(look)
    }
}

/// Returns the indices of the variable instructions in the basic block whose label has the index
/// `label`.
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

/// Writer of the prologue (test of the preemption flag) of one kernel.
struct Prologue<'m, 'w> {
    module: &'m mut Module<'w>,
    known: Known,
    look: Look,
    /// Label of the first basic block of the kernel as it was, which follows the prologue.
    body: Word,
    words: Word,
    cuts: Word,
    number: Word,
    slot: Word,
    /// Id of the pointer to the word of the launch (its state in memory that host and device
    /// share).
    word: Word,
}

impl<'m, 'w> Prologue<'m, 'w> {
    fn new(module: &'m mut Module<'w>, known: Known, look: Look, body: Word) -> Self {
        let [words, cuts, slot, number, word] = [(); 5].map(|()| module.id());
        Self { module, known, look, body, words, cuts, number, slot, word }
    }

    /// Writes the added arguments and the basic blocks of the prologue, which end the kernel or go
    /// on to the block that was its first. `variables` are the variable instructions of that block,
    /// which must move into the new first block.
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

    /// Writes a volatile load of the number at the address `at`, which the host may change, and
    /// returns its id.
    fn load(&mut self, out: &mut Vec<u32>, at: Word) -> Word {
        let to = self.module.id();
        let access = (MemoryAccess::VOLATILE | MemoryAccess::ALIGNED).bits();
        push(out, Op::Load, &[self.known.uint, to, at, access, 4]);
        to
    }

    /// Writes a test whether the launch's number is within a cut, a range of numbers in shared
    /// memory, and returns the id of the result. `indices` are the positions there of the range's
    /// first number and of its length.
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

    /// Writes an atomic compare-and-exchange that sets the word of the launch (its state) to `to`
    /// if it is `from`.
    fn swap(&mut self, out: &mut Vec<u32>, from: Word, to: Word) {
        let [zero, device, ..] = self.known.numbers;
        debug_assert_eq!((Scope::Device as u32, UNDECIDED, RUNS, LEAVES, KILLED), (1, 0, 1, 2, 3));
        let before = self.module.id();
        let operands = [self.known.uint, before, self.word, device, zero, zero, to, from];
        push(out, Op::AtomicCompareExchange, &operands);
    }
}
