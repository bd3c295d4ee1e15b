//! How does a running kernel learn that it should stop?
//!
//! By a prologue, the first thing that is executed. Each launch has a number and a *word* that the host
//! and the device share: [`UNDECIDED`], [`RUNS`], [`LEAVES`] or [`KILLED`]. The first work-item to come
//! compares the number with the *cut*, two numbers that the host stores, and decides for all by
//! compare-and-swap, so a launch leaves as a whole. The host claims a launch that has not begun by the
//! same compare-and-swap. Where the verdict allows a kill, each workgroup also looks at a second cut when
//! it begins.

mod opencl;
mod ptx;
mod variables;

pub use opencl::opencl;
pub use ptx::ptx;
pub use variables::variable;

/// The word of a launch that nobody has decided on.
pub const UNDECIDED: u32 = 0;
/// The word of a launch that runs.
pub const RUNS: u32 = 1;
/// The word of a launch that left without having begun.
pub const LEAVES: u32 = 2;
/// The word of a launch that stopped part-way.
pub const KILLED: u32 = 3;

/// The way in which a kernel looks at the second cut, by which it stops part-way.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Look {
    /// No look: a second run is not known to be harmless.
    #[default]
    Never,
    /// A look by each work-item for itself: the kernel has no barrier.
    WorkItem,
    /// One look for a workgroup, so that its work-items agree before a barrier.
    Workgroup,
}

/// A source with prologues.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Instrumented {
    /// The new source.
    pub source: String,
    /// Kernels that have a prologue, in the order of the source, each once.
    pub kernels: Vec<String>,
    /// Kernels that stay as they are, with the reason.
    pub opaque: Vec<(String, Opaque)>,
}

/// Why a kernel got no prologue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Opaque {
    /// A kernel that other code calls, which does not know the arguments of the prologue.
    Called,
    /// A kernel whose head is made by a macro.
    Macro,
    /// A kernel whose list of arguments has no end, or whose body was not found.
    Head,
}

impl std::fmt::Display for Opaque {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Called => "other code calls it",
            Self::Macro => "its head is made by a macro",
            Self::Head => "its head or its body was not found",
        })
    }
}
