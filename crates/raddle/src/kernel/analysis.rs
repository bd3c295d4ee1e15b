//! What does raddle-kernel report about the kernels of a file?

use std::path::Path;

use raddle_kernel::{Compiler, Error, Judged, Look, Verdict, instrument as prologue, judge_file};

use super::args::Build;
use super::{KernelVerdict, OpaqueKernel, PrologueReport};
use crate::error::CliError;

/// Reason why no kernel can be judged; `None`, as this build of raddle has the analysis of kernel
/// sources.
pub(super) const ABSENT: Option<&str> = None;

/// Returns the verdicts on the kernels of a source file: which may be stopped and run again.
pub(super) fn judge(file: &Path, build: &Build) -> Result<Vec<KernelVerdict>, CliError> {
    Ok(judged(file, build)?.iter().map(|judged| KernelVerdict::of(file, judged)).collect())
}

fn judged(file: &Path, build: &Build) -> Result<Vec<Judged>, CliError> {
    let compiler = match (&build.clang, &build.translator) {
        (Some(clang), Some(translator)) => Some(Compiler::new(clang, translator)),
        _ if ending(file) == "cl" => Compiler::find(),
        _ => None,
    };
    let compiler = match compiler {
        Some(compiler) if build.lacks_others => Some(compiler.lacking_others()),
        compiler => compiler,
    };
    judge_file(file, compiler.as_ref(), &build.options).map_err(refused(file))
}

/// Adds a test of the preemption flag to the kernels of a source file, by which a running launch
/// learns that it shall stop. Returns the new source, and which kernels got the test.
pub(super) fn instrument(
    file: &Path,
    source: &str,
    build: &Build,
) -> Result<PrologueReport, CliError> {
    let judged = judged(file, build)?;
    let look = |name: &str| {
        judged.iter().find(|kernel| kernel.name == name).map_or(Look::Never, |kernel| kernel.look)
    };
    let done = match ending(file) {
        "cl" => prologue::opencl(source, look),
        "ptx" => prologue::ptx(source, look).map_err(refused(file))?,
        _ => {
            let file = file.display();
            let text = format!("{file}: only the text of OpenCL C and PTX can be instrumented");
            return Err(CliError::Refused(text));
        }
    };
    let opaque = done.opaque.into_iter();
    let opaque = opaque.map(|(name, why)| OpaqueKernel { name, reason: why.to_string() });
    Ok(PrologueReport { kernels: done.kernels, opaque: opaque.collect(), source: done.source })
}

fn refused(file: &Path) -> impl Fn(Error) -> CliError {
    move |error| CliError::Refused(format!("{}: {error}", file.display()))
}

fn ending(file: &Path) -> &str {
    file.extension().and_then(|ending| ending.to_str()).unwrap_or("")
}

impl KernelVerdict {
    fn of(file: &Path, judged: &Judged) -> Self {
        let (verdict, reason) = match &judged.verdict {
            Verdict::Idempotent => ("idempotent", None),
            Verdict::Conditional(_) => ("conditional", None),
            Verdict::Not(reason) => ("not", Some(reason)),
            Verdict::Unknown(reason) => ("unknown", Some(reason)),
            _ => ("unknown", None),
        };
        let name = |index: u32| match judged.arguments.get(index as usize) {
            Some(argument) => argument.name.clone(),
            None => format!("argument {index}"),
        };
        let (apart, zero, places) = match &judged.verdict {
            Verdict::Conditional(conditions) => (
                conditions.apart.iter().map(|&(a, b)| [name(a), name(b)]).collect(),
                conditions.zero.iter().map(|&index| name(index)).collect(),
                conditions.places.arguments().into_iter().map(name).collect(),
            ),
            _ => (Vec::new(), Vec::new(), Vec::new()),
        };
        Self {
            file: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            name: judged.name.clone(),
            line: judged.line,
            verdict,
            apart,
            zero,
            places,
            reason: reason.map(|reason| reason.construct.to_string()),
            at: reason.map(|reason| reason.line).filter(|line| *line > 0),
        }
    }
}
