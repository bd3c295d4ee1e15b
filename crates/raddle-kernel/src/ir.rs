//! What does the analysis need to know of a kernel, whatever language it was written in?
//!
//! A control-flow graph over registers that may be assigned more than once. Every call has been
//! inlined. What decides about memory is explicit (places, loads, stores, regions); all arithmetic is
//! `Pure`: equal operation on equal values gives an equal value.

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
    /// Whether work-items wait for each other.
    pub(crate) meets: bool,
}

/// An argument of a kernel.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Argument {
    /// Its name in the source, or `argument N` where the code does not say.
    pub name: String,
    /// What kind of thing it is.
    pub kind: ArgumentKind,
}

/// What an argument of a kernel is.
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
    /// Where it leads to two blocks: to the first if this is true, else to the second.
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

/// Where memory begins that a pointer can lead to.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(crate) enum Origin {
    /// What argument `n` points to, and images.
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
    /// By the block from which control comes.
    Phi {
        to: Reg,
        from: Vec<(BlockId, Operand)>,
    },
    /// Reads `spans`, byte ranges counted from `at`; `size` bytes are the whole value. `pointer`: it
    /// may hold pointers.
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
    /// Reads or writes somewhere in what `at` leads to.
    Touch {
        at: Operand,
        write: bool,
    },
    /// An atomic operation that only workgroup memory survives.
    Atomic {
        at: Operand,
        repeatable: bool,
    },
    /// An access there that others can see while the kernel runs.
    Volatile {
        at: Operand,
    },
    /// What keeps the kernel from being run again.
    Refuse(Construct),
}

impl Instruction {
    /// The register that it sets.
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

    /// The operands that it looks at; those of a phi are looked at where control comes from.
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

/// What in a kernel forbids a second run, or cannot be judged.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Construct {
    /// An atomic operation on memory that outlives the kernel.
    Atomic,
    /// An atomic operation on workgroup memory whose result depends on the order of work-items.
    OrderedAtomic,
    /// A volatile access.
    Volatile,
    /// It prints.
    Print,
    /// It reads from or writes to a pipe.
    Pipe,
    /// It enqueues another kernel.
    Enqueue,
    /// A call of a function whose code is not here.
    Call(String),
    /// A function that calls itself.
    Recursion(String),
    /// Memory is read, and later overwritten, at the same place: argument or variable.
    InPlace(String),
    /// Memory is read and overwritten at places that cannot be told apart.
    Places(String),
    /// An access through a pointer that was read from memory.
    PointerFromMemory,
    /// Control flow that is not made of nested loops.
    Irreducible,
    /// The kernel is too large to be judged.
    Large,
    /// An instruction that the analysis does not know.
    Instruction(String),
    /// The source could not be compiled: why.
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
            Self::PointerFromMemory => {
                f.write_str("an access through a pointer from memory or from a number")
            }
            Self::Irreducible => f.write_str("a jump into a loop"),
            Self::Large => f.write_str("it is too large to be judged"),
            Self::Instruction(name) => write!(f, "the instruction `{name}` is not known"),
            Self::NotCompiled(why) => f.write_str(why),
        }
    }
}
