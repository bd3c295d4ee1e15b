//! Which kernels of a profile may be stopped and run again, as far as their sources say?

use serde::Serialize;

/// The verdict of the sources on a kernel of a profile.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SourceVerdict {
    /// The name of the kernel, as in the profile.
    pub kernel: String,
    /// The answer to whether the kernel may be stopped and run again: `idempotent`, `conditional`,
    /// `not` or `unknown`.
    pub verdict: &'static str,
    /// The condition under which it may, or the reason why not.
    pub why: String,
    /// The source file of the verdict, and its line.
    pub source: String,
}
