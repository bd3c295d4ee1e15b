//! What does the analysis need to know of a kernel, whatever language it was written in?
//!
//! A control-flow graph over registers that may be assigned more than once. Every call has been
//! inlined. What decides about memory is explicit (places, loads, stores, regions); all arithmetic is
//! `Pure`: equal operation on equal values gives an equal value.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use smallvec::SmallVec;

/// Number of a register of the analysed kernel. Each SPIR-V id or PTX register becomes one register
/// for each inlined copy of its function.
pub(crate) type Reg = u32;

/// Index of a basic block in [`Body::blocks`].
pub(crate) type BlockId = usize;

/// Body of a kernel as the analysis sees it, with all calls inlined.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) arguments: Vec<Argument>,
    /// Registers that hold the arguments passed as numbers or vectors, each as (register, index of
    /// the argument); no instruction sets them. Empty for kernels from PTX.
    pub(crate) scalars: Vec<(Reg, u32)>,
    pub(crate) blocks: Vec<BasicBlock>,
    pub(crate) registers: u32,
    pub(crate) widths: IntegerWidths,
    /// Private variables that hold the structures which the host passes by value.
    pub(crate) handed: Vec<PointerOrigin>,
    /// Variables of the program whose address the host can pass to a kernel as an argument.
    pub(crate) addressable: BTreeSet<PointerOrigin>,
    /// True if work-items wait for each other at a barrier or exchange values.
    pub(crate) meets: bool,
}

/// Numbers of bits of integers, by which the arithmetic of addresses is followed at a launch; empty
/// for kernels from PTX.
#[derive(Clone, Debug, Default)]
pub(crate) struct IntegerWidths {
    /// Number of bits of each integer type, by the type's number (last operand of an operation).
    pub(crate) types: BTreeMap<i64, u32>,
    /// Number of bits of each integer argument by value, by the register that holds it.
    pub(crate) arguments: BTreeMap<Reg, u32>,
}

/// Argument of a kernel, by its name and its kind.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Argument {
    /// Name of the argument in the source, or `argument N` where the code does not give it.
    pub name: String,
    /// Kind of the argument: value, buffer, image and so on.
    pub kind: ArgumentKind,
}

/// Kind of argument of a kernel, by the memory to which it may lead.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ArgumentKind {
    /// A number or a structure, copied at the launch.
    Value,
    /// A pointer to memory of the device, which other arguments may share.
    Buffer,
    /// An image, whose memory other arguments may share.
    Image,
    /// Local memory, empty at the start of each workgroup.
    Local,
    /// A sampler of images.
    Sampler,
    /// An argument of another kind, without contents that a kernel can change.
    Other,
}

/// Basic block: instructions without a jump between them, and the blocks to which control goes from
/// their end.
#[derive(Clone, Debug, Default)]
pub(crate) struct BasicBlock {
    pub(crate) steps: Vec<LinedStep>,
    pub(crate) next: SmallVec<[BlockId; 2]>,
    /// Condition at the end of a basic block that leads to two blocks: to the first if it is true,
    /// else to the second; `None` for other blocks.
    pub(crate) condition: Option<Operand>,
}

/// Instruction of the analysed kernel with its line in the source, 0 where the line is unknown.
#[derive(Clone, Debug)]
pub(crate) struct LinedStep {
    pub(crate) line: u32,
    pub(crate) instruction: Instruction,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Operand {
    Reg(Reg),
    Int(i64),
}

/// Memory to which a pointer can lead: an argument's or a variable's.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum PointerOrigin {
    /// The memory or the image to which the argument with this index (from 0 among the kernel's
    /// arguments) points.
    Argument(u32),
    /// A variable of the program in global or constant memory, numbered by the analysis.
    Program(u32),
    /// Local memory of the workgroup, a variable or an argument, numbered by the analysis.
    Local(u32),
    /// A private variable of the work-item, numbered by the analysis.
    Private(u32),
    /// Unknown memory: the pointer was itself read from memory, or made from a number.
    Unknown,
}

#[derive(Clone, Debug)]
pub(crate) enum Instruction {
    /// Sets `to` to the result of an operation on the operands `of`, which is equal for equal
    /// operands.
    Pure {
        to: Reg,
        operation: u32,
        of: Vec<Operand>,
    },
    /// Sets `to` to a value of which nothing is known.
    Fresh {
        to: Reg,
    },
    Copy {
        to: Reg,
        from: Operand,
    },
    /// Sets `to` to a pointer to the beginning of the memory `origin`.
    Place {
        to: Reg,
        origin: PointerOrigin,
    },
    /// `to = base + bytes + sum of count * bytes each`: sets `to` to a pointer at a distance from
    /// the pointer `base`; `terms` are (count, bytes each).
    Offset {
        to: Reg,
        base: Operand,
        bytes: i64,
        terms: SmallVec<[(Operand, i64); 2]>,
    },
    /// Sets `to` to the operand that belongs to the basic block from which control comes.
    Phi {
        to: Reg,
        from: Vec<(BlockId, Operand)>,
    },
    /// Reads a value of `size` bytes into `to`, from the byte ranges `spans` counted from the
    /// pointer `at`. `pointer` is true if the value may hold pointers.
    Load {
        to: Reg,
        pointer: bool,
        at: Operand,
        size: u32,
        spans: Spans,
    },
    /// Writes the value `value` of `size` bytes to the byte ranges `spans` counted from the pointer
    /// `at`.
    Store {
        at: Operand,
        value: Operand,
        size: u32,
        spans: Spans,
    },
    /// Reads, or writes if `write` is true, unknown bytes of the memory to which `at` leads.
    Touch {
        at: Operand,
        write: bool,
    },
    /// Atomic operation on the memory to which `at` leads. `repeatable` is true if the operation
    /// commutes and its result is not used, so that the order of work-items does not matter.
    Atomic {
        at: Operand,
        repeatable: bool,
    },
    /// Volatile access to memory at `at`, which other work-items or the host may see while the
    /// kernel runs.
    Volatile {
        at: Operand,
    },
    /// Marks a construct for which the kernel is refused: a second run is not known to be harmless.
    Refuse(Construct),
}

impl Instruction {
    /// Returns the register that the instruction sets; `None` where it sets none.
    pub(crate) fn sets(&self) -> Option<Reg> {
        match self {
            Self::Pure { to, .. }
            | Self::Fresh { to }
            | Self::Copy { to, .. }
            | Self::Place { to, .. }
            | Self::Offset { to, .. }
            | Self::Phi { to, .. }
            | Self::Load { to, .. } => Some(*to),
            Self::Store { .. }
            | Self::Touch { .. }
            | Self::Atomic { .. }
            | Self::Volatile { .. }
            | Self::Refuse(_) => None,
        }
    }

    /// Returns the operands that the instruction uses. The operands of a phi are left out, as they
    /// count as used at the ends of the preceding basic blocks.
    pub(crate) fn uses(&self) -> SmallVec<[Operand; 4]> {
        match self {
            Self::Pure { of, .. } => of.iter().copied().collect(),
            Self::Copy { from, .. } => SmallVec::from_slice(&[*from]),
            Self::Offset { base, terms, .. } => {
                std::iter::once(*base).chain(terms.iter().map(|(term, _)| *term)).collect()
            }
            Self::Load { at, .. }
            | Self::Touch { at, .. }
            | Self::Atomic { at, .. }
            | Self::Volatile { at } => SmallVec::from_slice(&[*at]),
            Self::Store { at, value, .. } => SmallVec::from_slice(&[*at, *value]),
            Self::Fresh { .. } | Self::Place { .. } | Self::Phi { .. } | Self::Refuse(_) => {
                SmallVec::new()
            }
        }
    }
}

/// Byte ranges of an access to memory, as (offset from its pointer, length).
pub(crate) type Spans = SmallVec<[(u32, u32); 2]>;

/// Construct in a kernel because of which the kernel must not be run again after a stop, or cannot
/// be judged.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Construct {
    /// An atomic operation on memory that outlives the kernel.
    Atomic,
    /// An atomic operation on workgroup memory whose result depends on the order of work-items.
    OrderedAtomic,
    /// A volatile access to memory.
    Volatile,
    /// A call that prints.
    Print,
    /// An access to a pipe.
    Pipe,
    /// A call that enqueues another kernel.
    Enqueue,
    /// A call of the function with this name, whose code is missing.
    Call(String),
    /// A function with this name that calls itself.
    Recursion(String),
    /// The argument or variable with this name is read, and later overwritten in place by a value
    /// that is computed from the read one.
    InPlace(String),
    /// The argument or variable with this name is read and overwritten at addresses that may be the
    /// same.
    Places(String),
    /// An argument with this name and a variable of the program, of which the kernel reads one and
    /// writes the other: the host may have passed the address of the variable as the argument.
    Variable(String),
    /// An access through a pointer that was read from memory or made from a number.
    PointerFromMemory,
    /// Control flow that is not made of nested loops.
    Irreducible,
    /// A kernel that is too large to be judged.
    Large,
    /// The instruction with this name, which the analysis does not know.
    Instruction(String),
    /// A macro with this name decides which code is compiled, and the device's compiler may define
    /// it otherwise; or an included file with this name cannot be read.
    Undecided(String),
    /// A source that could not be compiled; the text is the reason.
    NotCompiled(String),
}

impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atomic => f.write_str("an atomic operation on global memory"),
            Self::OrderedAtomic => {
                f.write_str("an atomic operation on local memory whose result depends on the order")
            }
            Self::Volatile => f.write_str("a volatile access"),
            Self::Print => f.write_str("it prints"),
            Self::Pipe => f.write_str("it uses a pipe"),
            Self::Enqueue => f.write_str("it enqueues a kernel"),
            Self::Call(name) => write!(f, "it calls `{name}`, whose code is not there"),
            Self::Recursion(name) => write!(f, "`{name}` calls itself"),
            Self::InPlace(name) => write!(f, "`{name}` is read, changed and overwritten in place"),
            Self::Places(name) => {
                write!(f, "`{name}` is read and overwritten at places that cannot be told apart")
            }
            Self::Variable(name) => {
                write!(f, "`{name}` may lead to a variable of the program")
            }
            Self::PointerFromMemory => {
                f.write_str("an access through a pointer from memory or from a number")
            }
            Self::Irreducible => f.write_str("a jump into a loop"),
            Self::Large => f.write_str("it is too large to be judged"),
            Self::Instruction(name) => write!(f, "the instruction `{name}` is not known"),
            Self::Undecided(name) => {
                write!(
                    f,
                    "`{name}`, of which the device's compiler may know something else, decides"
                )
            }
            Self::NotCompiled(why) => f.write_str(why),
        }
    }
}
