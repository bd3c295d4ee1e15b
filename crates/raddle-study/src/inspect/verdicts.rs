//! Which kernels of a profile may be stopped and run again, according to their sources?

use serde::Serialize;

/// Verdict, found in a source file, on whether a launch of a kernel may be killed and run again.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourceVerdict {
    /// Name of the kernel that the verdict is about, as the profile writes it.
    pub kernel: String,
    /// Verdict whether a launch of the kernel may be killed and run again: `idempotent`,
    /// `conditional`, `not` or `unknown`.
    pub verdict: &'static str,
    /// Condition under which the kernel may be run again, or the reason why it may not.
    pub why: String,
    /// Source file on which the verdict rests, with the number of the line.
    pub source: String,
}
