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
            if KernelNeed::of_word(rule.trim()).is_some() {
                return Err(fail(&format!(
                    "it names no kernel: write `*gemm*={0}`, or `*={0}` for every one",
                    rule.trim()
                )));
            }
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
    /// Returns the resource that the kernel `kernel` needs most by this rule; `None` where its name
    /// does not fit the rule.
    #[must_use]
    pub fn need_of(&self, kernel: &str) -> Option<KernelNeed> {
        WildMatch::new(&self.glob).matches(kernel).then_some(self.need)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_fits_what_is_missing() {
        let told = |rule: &str| rule.parse::<NeedRule>().unwrap_err().to_string();
        assert!(told("memory").contains("`*gemm*=memory`, or `*=memory`"), "{}", told("memory"));
        assert!(told("gemm").contains("did you mean `gemm=memory`?"), "{}", told("gemm"));
    }
}
