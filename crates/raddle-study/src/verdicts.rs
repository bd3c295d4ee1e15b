//! Which kernels may be killed and run again, according to a file of verdicts?
//!
//! The file has a table `[[kernel]]` for each verdict, with patterns of kernel names, the verdict
//! and its reason.

use raddle_policy::Idempotence;
use raddle_trace::IdempotenceRule;
use serde::{Deserialize, Serialize};

use crate::error::StudyError;
use crate::written::toml_or_json;

/// File of verdicts: for each kernel, whether it may be stopped and run again. The command
/// `raddle kernel verdict --save` writes it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct VerdictFile {
    /// Verdicts in the file; each entry is about the kernels with certain names.
    #[serde(default)]
    pub kernel: Vec<VerdictRule>,
}

/// A verdict on the kernels with certain names.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct VerdictRule {
    /// Patterns of kernel names, with `*` and `?`.
    pub names: Vec<String>,
    /// Verdict on whether these kernels may be stopped and run again.
    pub verdict: VerdictWord,
    /// Pairs of arguments of the kernel; the verdict holds only where the memory of the two shares
    /// no byte.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<[String; 2]>,
    /// Reason for the verdict; `None` where the file gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Verdict on whether a kernel may be stopped and run again.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictWord {
    /// The kernel may be stopped and run again.
    Idempotent,
    /// The kernel may be stopped and run again if certain arguments share no byte.
    Conditional,
    /// The kernel may not be stopped and run again.
    Not,
    /// No source tells whether the kernel may be stopped and run again.
    Unknown,
}

/// Reads the rules in a file of verdicts. Returns (rules, number of conditional verdicts). A
/// conditional verdict becomes a rule without its condition: the kernel may be stopped and run
/// again.
pub(crate) fn rules(file: &str, text: &str) -> Result<(Vec<IdempotenceRule>, usize), StudyError> {
    let read: VerdictFile = toml_or_json(text).map_err(|error| {
        StudyError::Refused(format!(
            "{file} is no file of verdicts, as `raddle kernel verdict --save` writes it: {error}"
        ))
    })?;
    let mut rules = Vec::new();
    for rule in &read.kernel {
        let verdict = match rule.verdict {
            VerdictWord::Idempotent | VerdictWord::Conditional => Idempotence::Idempotent,
            VerdictWord::Not => Idempotence::Not,
            VerdictWord::Unknown => Idempotence::Unknown,
        };
        rules.extend(rule.names.iter().map(|name| IdempotenceRule::new(name.clone(), verdict)));
    }
    let conditional =
        read.kernel.iter().filter(|rule| rule.verdict == VerdictWord::Conditional).count();
    Ok((rules, conditional))
}
