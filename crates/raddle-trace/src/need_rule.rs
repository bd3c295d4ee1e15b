//! Which resource does a kernel need most, by the user's rules?

use std::str::FromStr;

use wildmatch::WildMatch;

use crate::error::TraceError;
use crate::need::KernelNeed;

/// A rule `GLOB=memory`, `GLOB=compute`, `GLOB=latency` or `GLOB=unknown`: kernels whose names fit
/// the glob need that resource most. `*` in the glob stands for any characters, `?` for one.
///
/// ```
/// use raddle_trace::{KernelNeed, NeedRule};
/// let rule: NeedRule = "*gemm*=compute".parse()?;
/// assert_eq!(rule.need_of("my_gemm"), Some(KernelNeed::Compute));
/// assert!("*gemm*=fast".parse::<NeedRule>().is_err());
/// # Ok::<(), raddle_trace::TraceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeedRule {
    glob: String,
    need: KernelNeed,
}

impl FromStr for NeedRule {
    type Err = TraceError;

    fn from_str(rule: &str) -> Result<Self, TraceError> {
        let fail = |problem: &str| {
            let (rule, problem) = (rule.to_owned(), problem.to_owned());
            TraceError::NeedRule { rule, problem }
        };
        // Names of kernels may hold a `=`.
        let Some((glob, word)) = rule.rsplit_once('=') else {
            let meant = format!("it has no need: did you mean `{rule}=memory`?");
            return Err(fail(&meant));
        };
        if glob.trim().is_empty() {
            return Err(fail("it names no kernel; `*` means every one"));
        }
        let need = KernelNeed::of_word(word.trim())
            .ok_or_else(|| fail("it ends with none of memory, compute, latency and unknown"))?;
        Ok(Self { glob: glob.trim().to_owned(), need })
    }
}

impl NeedRule {
    /// Returns the resource that a kernel of this name needs most by the rule; `None` where the
    /// name does not fit the rule.
    #[must_use]
    pub fn need_of(&self, kernel: &str) -> Option<KernelNeed> {
        WildMatch::new(&self.glob).matches(kernel).then_some(self.need)
    }
}
