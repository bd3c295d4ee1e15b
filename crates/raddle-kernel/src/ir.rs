//! What does the analysis need to know of a kernel, whatever language it was written in?
//!
//! A control-flow graph over registers that may be assigned more than once. Every call has been
//! inlined. What decides about memory is explicit (places, loads, stores, regions); all arithmetic is
//! `Pure`: equal operation on equal values gives an equal value.

use std::collections::BTreeSet;
use std::fmt;

use smallvec::SmallVec;

/// A register. SPIR-V ids and PTX registers become registers, one for each inlined copy.
pub(crate) type Reg = u32;

/// An index into [`Body::blocks`].
pub(crate) type BlockId = usize;

/// A kernel as the analysis sees it.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) arguments: Vec<Argument>,
    pub(crate) blocks: Vec<BasicBlock>,
    pub(crate) registers: u32,
    /// Variables of the work-item that the host fills: structures handed over by value.
    pub(crate) handed: Vec<Origin>,
    /// Variables of the program whose address the host can hand over as an argument.
    pub(crate) addressable: BTreeSet<Origin>,
    /// True if work-items wait for each other.
    pub(crate) meets: bool,
}

/// An argument of a kernel.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Argument {
    /// The name of the argument in the source, or `argument N` where the code does not say.
    pub name: String,
    /// The kind of the argument.
    pub kind: ArgumentKind,
}

/// A kind of argument of a kernel.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ArgumentKind {
    /// A number or a structure, copied at the launch.
    Value,
    /// A pointer to memory of the device that other arguments may share.
    Buffer,
    /// An image.
    Image,
    /// Local memory, empty at the start of each workgroup.
    Local,
    /// A sampler, or anything else without contents that a kernel can change.
    Other,
}

/// Straight-line code and where it leads.
#[derive(Debug, Default)]
pub(crate) struct BasicBlock {
    pub(crate) steps: Vec<LinedStep>,
    pub(crate) next: SmallVec<[BlockId; 2]>,
    /// The condition of a block that leads to two: to the first if it is true, else to the second.
    pub(crate) condition: Option<Operand>,
}

/// One instruction and its line in the source, 0 where unknown.
#[derive(Debug)]
pub(crate) struct LinedStep {
    pub(crate) line: u32,
    pub(crate) instruction: Instruction,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Operand {
    Reg(Reg),
    Int(i64),
}

/// The beginning of memory that a pointer can lead to.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Origin {
    /// The memory or the image that argument `n` points to.
    Argument(u32),
    /// A variable of the program in global or constant memory, by its id.
    Program(u32),
    /// Memory of the workgroup: a variable, or an argument.
    Local(u32),
    /// A variable of the work-item.
    Private(u32),
    /// A pointer that was itself read from memory, or made from a number.
    Unknown,
}

#[derive(Debug)]
pub(crate) enum Instruction {
    /// `to = operation(of)`: equal for equal operands.
    Pure {
        to: Reg,
        operation: u32,
        of: Vec<Operand>,
    },
    /// A value that nothing is known of.
    Fresh {
        to: Reg,
    },
    Copy {
        to: Reg,
        from: Operand,
    },
    /// A pointer to the beginning of `origin`.
    Place {
        to: Reg,
        origin: Origin,
    },
    /// `to = base + bytes + sum of count * bytes each`.
    Offset {
        to: Reg,
        base: Operand,
        bytes: i64,
        terms: SmallVec<[(Operand, i64); 2]>,
    },
    /// Takes the operand that belongs to the block from which control comes.
    Phi {
        to: Reg,
        from: Vec<(BlockId, Operand)>,
    },
    /// Reads `spans`, byte ranges counted from `at`; `size` bytes are the whole value. `pointer`:
    /// true if the value may hold pointers.
    Load {
        to: Reg,
        pointer: bool,
        at: Operand,
        size: u32,
        spans: Spans,
    },
    /// Writes `spans`.
    Store {
        at: Operand,
        value: Operand,
        size: u32,
        spans: Spans,
    },
    /// Reads or writes somewhere in the memory that `at` leads to.
    Touch {
        at: Operand,
        write: bool,
    },
    /// An atomic operation. `repeatable`: true if it commutes, and nothing uses its result.
    Atomic {
        at: Operand,
        repeatable: bool,
    },
    /// An access at `at` that others can see while the kernel runs.
    Volatile {
        at: Operand,
    },
    /// A construct that keeps the kernel from being run again.
    Refuse(Construct),
}

impl Instruction {
    /// Gives back the register that the instruction sets.
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

    /// Gives back the operands that the instruction uses, but for those of a phi, which are used
    /// where control comes from.
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

/// Byte ranges: (offset, length).
pub(crate) type Spans = SmallVec<[(u32, u32); 2]>;

/// A construct in a kernel that forbids a second run, or that cannot be judged.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Construct {
    /// An atomic operation on memory that outlives the kernel.
    Atomic,
    /// An atomic operation on workgroup memory whose result depends on the order of work-items.
    OrderedAtomic,
    /// A volatile access.
    Volatile,
    /// A call that prints.
    Print,
    /// An access to a pipe.
    Pipe,
    /// A call that enqueues another kernel.
    Enqueue,
    /// A call of a function whose code is not here.
    Call(String),
    /// A function that calls itself.
    Recursion(String),
    /// Memory is read, and later overwritten, at the same place: argument or variable.
    InPlace(String),
    /// Memory is read and overwritten at places that cannot be told apart.
    Places(String),
    /// An argument and a variable of the program, one read and the other written: the host may have
    /// handed over the address of the variable.
    Variable(String),
    /// An access through a pointer that was read from memory.
    PointerFromMemory,
    /// Control flow that is not made of nested loops.
    Irreducible,
    /// The kernel is too large to be judged.
    Large,
    /// An instruction that the analysis does not know.
    Instruction(String),
    /// A macro that the device's compiler may define otherwise decides what is compiled; or a file of
    /// this name, which cannot be read, is included.
    Undecided(String),
    /// A source that could not be compiled, with the reason.
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
