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
mod spirv;
mod text;
mod told;
mod variables;

pub use opencl::{opencl, opencl_in_ranges};
pub use ptx::ptx;
pub use spirv::{InstrumentedModule, spirv};
pub use variables::variable;

/// Value of a launch's word (a number in memory that host and device share) while it is not decided
/// whether the launch runs.
pub const UNDECIDED: u32 = 0;
/// Value of a launch's word (a number in memory that host and device share) when the launch has
/// begun to run.
pub const RUNS: u32 = 1;
/// Value of a launch's word (a number in memory that host and device share) when the launch left
/// without having begun.
pub const LEAVES: u32 = 2;
/// Value of a launch's word (a number in memory that host and device share) after the launch was
/// stopped part-way.
pub const KILLED: u32 = 3;

/// Kind of test in a kernel by which the host can stop a running launch part-way. Work-items
/// compare the number of their launch with a range of launch numbers that the host wants stopped
/// (the second cut).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Look {
    /// The kernel has no test of whether to stop, so a launch of the kernel is never stopped
    /// part-way: a second run is not known to be harmless.
    #[default]
    Never,
    /// Each work-item tests for itself whether the launch is to stop, since the kernel has no
    /// barrier.
    WorkItem,
    /// One test of whether to stop for a whole workgroup, so that its work-items agree before they
    /// meet at a barrier.
    Workgroup,
}

/// Source text whose kernels have a prologue that tests the preemption flag at the start of a
/// launch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Instrumented {
    /// Text of the source, in which each kernel begins with the prologue.
    pub source: String,
    /// Names of the kernels that have got a prologue (code at their start that tests whether the
    /// launch is to leave the device), each once, in the order of the source.
    pub kernels: Vec<String>,
    /// Names of the kernels that can run as a range of a larger launch: added arguments tell them
    /// which range.
    pub told: Vec<String>,
    /// (name, reason) of the kernels that stay without a prologue (code at their start that tests
    /// whether the launch is to leave the device).
    pub opaque: Vec<(String, Opaque)>,
}

/// Reason why a kernel has no prologue that tests the preemption flag.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Opaque {
    /// Other code calls the kernel, and would not pass the arguments that the prologue (test at the
    /// kernel's start) adds.
    Called,
    /// A macro makes the head of the kernel, so the text does not show where the kernel begins.
    Macro,
    /// The kernel's list of arguments is not closed, or its body was not found.
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
