//! May this kernel be stopped and run again, and how does it learn that it should stop?
//!
//! Seed 001 preempts a GPU by stopping kernels and running them again later. That is correct only
//! if a second run leaves the same memory. This crate decides that from the compiled kernel, and
//! adds the test of the flag to its source.
//!
//! | part | question |
//! |---|---|
//! | [`judge_file`], [`Kernel::verdict`] | may it be stopped after any instruction and run again? |
//! | [`launch::may_run_again`] | does that hold for the arguments of this launch? |
//! | [`Kernel::ranges`] | may its launches be cut into ranges of workgroups? |
//! | [`instrument`] | how does a running kernel learn that it should stop? |
//!
//! A kernel is *idempotent* if any of its work-items, each stopped after any of its instructions,
//! followed by the whole launch, leave the memory that the whole launch leaves once.
#![forbid(unsafe_code)]

/// Test that the example in the README of this crate compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod branches;
mod compiler;
mod error;
mod flow;
pub mod instrument;
mod ir;
mod judged;
pub mod launch;
mod lines;
mod macros;
mod places;
mod ptx;
mod ranges;
mod spirv;
mod value;
mod verdict;

pub use branches::Branches;
pub use compiler::Compiler;
pub use error::Error;
pub use instrument::Look;
pub use ir::{Argument, ArgumentKind, Construct};
pub use judged::{Judged, judge_file};
pub use macros::undecided_macros;
pub use places::Places;
pub use ranges::Ranges;
pub use verdict::{Conditions, Reason, Verdict};

/// Kernel as its compiled code (SPIR-V or PTX) describes it, on which a verdict is found.
#[derive(Debug)]
pub struct Kernel {
    name: String,
    line: u32,
    body: Result<ir::Body, (Construct, u32)>,
}

impl Kernel {
    /// Reads the kernels of a SPIR-V module for OpenCL.
    ///
    /// # Errors
    /// Where the bytes are no SPIR-V module.
    pub fn from_spirv(bytes: &[u8]) -> Result<Vec<Self>, Error> {
        spirv::kernels(bytes)
    }

    /// Reads the kernels (`.entry`) of PTX text. Line numbers of kernels are those of that text.
    ///
    /// # Errors
    /// Where the text is not PTX, with its line.
    pub fn from_ptx(text: &str) -> Result<Vec<Self>, Error> {
        ptx::kernels(text)
    }

    /// Returns the name of the kernel, as in the compiled code.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the line in the source where the kernel begins, from 1; 0 where the code does not
    /// give it.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the arguments of the kernel; empty where its code could not be read.
    #[must_use]
    pub fn arguments(&self) -> &[Argument] {
        self.body.as_ref().map_or(&[], |body| &body.arguments)
    }

    /// Returns the kind of test of the preemption flag that may be put into the kernel, so that a
    /// running launch can be stopped part-way. The kind is `Never` where the verdict does not allow
    /// a stop, `Workgroup` where work-items wait for each other, else `WorkItem`.
    #[must_use]
    pub fn look(&self) -> Look {
        self.look_by(&self.verdict())
    }

    /// Returns whether launches of the kernel may be cut into ranges of workgroups that run one
    /// after the other. Results that depend on the order of workgroups, such as sums by
    /// floating-point atomics, depend on it in a cut launch too.
    #[must_use]
    pub fn ranges(&self) -> Ranges {
        self.body.as_ref().map_or(Ranges::Never, ranges::ranges)
    }

    pub(crate) fn look_by(&self, verdict: &Verdict) -> Look {
        let meets = self.body.as_ref().is_ok_and(|body| body.meets);
        match verdict {
            Verdict::Idempotent | Verdict::Conditional(_) if meets => Look::Workgroup,
            Verdict::Idempotent | Verdict::Conditional(_) => Look::WorkItem,
            Verdict::Not(_) | Verdict::Unknown(_) => Look::Never,
        }
    }

    /// Returns the verdict on whether the kernel may be stopped after any instruction and run
    /// again.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let mut verdict = match &self.body {
            Ok(body) => verdict::judge(body),
            Err((construct, line)) => {
                Verdict::Unknown(Reason { construct: construct.clone(), line: *line })
            }
        };
        // A reason without a line concerns the whole kernel, which begins at this line.
        if let Verdict::Not(reason) | Verdict::Unknown(reason) = &mut verdict
            && reason.line == 0
        {
            reason.line = self.line;
        }
        verdict
    }
}
