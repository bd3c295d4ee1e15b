//! What does a user say that kernels need most?

use raddle_trace::{KernelNeed, NeedRule, TraceError};
use serde::{Deserialize, Serialize};

/// A claim on what kernels need most, and the text that makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct NeedClaim {
    /// The text as it was written: `GLOB=memory|compute|latency|unknown`.
    pub text: String,
    /// The rule that the text means.
    pub rule: NeedRule,
}

impl TryFrom<String> for NeedClaim {
    type Error = TraceError;

    fn try_from(text: String) -> Result<Self, TraceError> {
        let rule = text.parse()?;
        Ok(Self { text, rule })
    }
}

impl From<NeedClaim> for String {
    fn from(claim: NeedClaim) -> Self {
        claim.text
    }
}

impl NeedClaim {
    /// Returns what the last claim about a kernel says that it needs.
    #[must_use]
    pub fn last(claims: &[Self], kernel: &str) -> Option<KernelNeed> {
        claims.iter().rev().find_map(|claim| claim.rule.need_of(kernel))
    }
}
