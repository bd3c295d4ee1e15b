//! How do verdicts reach a replay?
//!
//! As a file of rules: a table `[[kernel]]` for each, with a pattern of names, the verdict and its
//! reason. Profiles name C++ kernels in readable form, so a mangled name stands beside that form.

use std::path::Path;

use raddle_policy::Idempotence;
use raddle_trace::IdempotenceRule;
use serde::{Deserialize, Serialize};

use super::KernelVerdict;
use crate::error::CliError;

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct VerdictFile {
    #[serde(default)]
    kernel: Vec<VerdictRule>,
}

/// What is said of the kernels of some names.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct VerdictRule {
    /// Patterns with `*` and `?`.
    names: Vec<String>,
    verdict: Word,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    apart: Vec<[String; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Idempotent,
    Conditional,
    Not,
    Unknown,
}

const HEAD: &str = "\
# Which kernels may be stopped and run again; for `raddle replay --idempotent-from`.
# `conditional` holds where the named arguments share no byte: a replay takes them to lie apart.
";

/// The file of rules.
pub(super) fn text(all: &[KernelVerdict]) -> Result<String, CliError> {
    let rule = |kernel: &KernelVerdict| VerdictRule {
        names: std::iter::once(kernel.name.clone()).chain(readable(&kernel.name)).collect(),
        verdict: match kernel.verdict {
            "idempotent" => Word::Idempotent,
            "conditional" => Word::Conditional,
            "not" => Word::Not,
            _ => Word::Unknown,
        },
        apart: kernel.apart.clone(),
        reason: kernel.reason.clone(),
    };
    let file = VerdictFile { kernel: all.iter().map(rule).collect() };
    let text = toml::to_string(&file)
        .map_err(|error| CliError::Refused(format!("the verdicts cannot be written: {error}")))?;
    Ok(format!("{HEAD}\n{text}"))
}

/// The readable form of a mangled C++ name.
pub(super) fn readable(name: &str) -> Option<String> {
    cpp_demangle::Symbol::new(name).ok()?.demangle().ok()
}

/// The rules of a file, and how many of them are conditional.
pub(crate) fn rules(file: &Path) -> Result<(Vec<IdempotenceRule>, usize), CliError> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file)
        .map_err(|cause| CliError::Unreadable { file: shown.clone(), cause })?;
    let read: VerdictFile = toml::from_str(&text).map_err(|error| {
        CliError::Refused(format!(
            "{shown} is no file of verdicts, as `raddle kernel verdict --save` writes it: {error}"
        ))
    })?;
    let mut rules = Vec::new();
    for rule in &read.kernel {
        let verdict = match rule.verdict {
            Word::Idempotent | Word::Conditional => Idempotence::Idempotent,
            Word::Not => Idempotence::Not,
            Word::Unknown => Idempotence::Unknown,
        };
        rules.extend(rule.names.iter().map(|name| IdempotenceRule::new(name.clone(), verdict)));
    }
    let conditional = read.kernel.iter().filter(|rule| rule.verdict == Word::Conditional).count();
    Ok((rules, conditional))
}
