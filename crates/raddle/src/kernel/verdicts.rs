//! In which form do verdicts on kernels reach a replay?
//!
//! They are a file of rules: a table `[[kernel]]` for each verdict, with a pattern of names, the
//! verdict and its reason. Profiles name C++ kernels in readable form, so a mangled name stands
//! beside that form.

use raddle_study::{VerdictFile, VerdictRule, VerdictWord};

use super::KernelVerdict;
use crate::error::CliError;

/// Beginning of every file of rules that raddle writes about which kernels a replay may kill and
/// run again. Raddle recognises its own files by it.
pub(super) const HEAD: &str = "\
# Which kernels may be stopped and run again; for `raddle replay --idempotent-from`.
# `conditional` holds where the named arguments share no byte: a replay takes them to lie apart.
";

/// Returns the text of a file of rules for replays, with one rule for each verdict in `all`:
/// whether the kernel may be killed and run again.
pub(super) fn text(all: &[KernelVerdict]) -> Result<String, CliError> {
    let rule = |kernel: &KernelVerdict| VerdictRule {
        names: std::iter::once(kernel.name.clone()).chain(readable(&kernel.name)).collect(),
        verdict: match kernel.verdict {
            // A profile does not say which numbers a kernel was given.
            _ if kernel.needs_numbers().is_some() => VerdictWord::Unknown,
            "idempotent" => VerdictWord::Idempotent,
            "conditional" => VerdictWord::Conditional,
            "not" => VerdictWord::Not,
            _ => VerdictWord::Unknown,
        },
        apart: kernel.apart.clone(),
        reason: kernel.reason.clone().or_else(|| kernel.needs_numbers()),
    };
    let file = VerdictFile { kernel: all.iter().map(rule).collect() };
    let text = toml::to_string(&file)
        .map_err(|error| CliError::Refused(format!("the verdicts cannot be written: {error}")))?;
    Ok(format!("{HEAD}\n{text}"))
}

/// Returns the readable form of a mangled C++ name; `None` for a name that is not mangled.
pub(super) fn readable(name: &str) -> Option<String> {
    cpp_demangle::Symbol::new(name).ok()?.demangle().ok()
}
