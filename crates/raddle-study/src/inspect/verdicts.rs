//! Which kernels of a profile may be stopped and run again, according to their sources?

use serde::Serialize;

/// Verdict that a source file gives on a kernel of a profile.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourceVerdict {
    /// Name of the kernel, as in the profile.
    pub kernel: String,
    /// Answer whether the kernel may be stopped and run again: `idempotent`, `conditional`, `not`
    /// or `unknown`.
    pub verdict: &'static str,
    /// Condition under which the kernel may be run again, or the reason why it may not.
    pub why: String,
    /// Source file of the verdict, and the line in it.
    pub source: String,
}
