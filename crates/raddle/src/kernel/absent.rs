//! What does a program report about kernels if it was built without raddle-kernel?

use std::path::Path;

use super::args::Build;
use super::{KernelVerdict, PrologueReport};
use crate::error::CliError;

/// Reason why this build of raddle can judge no kernel: it was built without the analysis of kernel
/// sources.
pub(super) const ABSENT: Option<&str> = Some(
    "this raddle was built without the analysis of kernels; with it: \
     cargo build --release --features kernel",
);

pub(super) fn judge(_: &Path, _: &Build) -> Result<Vec<KernelVerdict>, CliError> {
    Err(CliError::Refused(ABSENT.unwrap_or_default().to_owned()))
}

pub(super) fn instrument(_: &Path, _: &str, _: &Build) -> Result<PrologueReport, CliError> {
    Err(CliError::Refused(ABSENT.unwrap_or_default().to_owned()))
}
