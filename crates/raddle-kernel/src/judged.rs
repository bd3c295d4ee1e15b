//! Which verdict does each kernel of a source file get?

use std::ffi::OsString;
use std::path::Path;

use crate::instrument::{Look, opencl};
use crate::{Argument, Compiler, Construct, Error, Kernel, Reason, Verdict};

/// Kernel of a source file, with the verdict whether it may be stopped part-way and run again.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Name of the kernel, as in the compiled code.
    pub name: String,
    /// Line in the source where the kernel begins, from 1; 0 where the line is not known.
    pub line: u32,
    /// Arguments of the kernel; empty where they are not known.
    pub arguments: Vec<Argument>,
    /// Verdict on whether the kernel may be stopped after any instruction and run again.
    pub verdict: Verdict,
    /// Kind of test of the preemption flag that may be put into the kernel. The test lets running
    /// workgroups be stopped part-way.
    pub look: Look,
}

/// Returns the verdicts on the kernels of an OpenCL C (`.cl`), SPIR-V (`.spv`) or PTX (`.ptx`)
/// file.
///
/// OpenCL C is compiled with `options`, as for `clBuildProgram`. Without a compiler, or where the
/// compiler rejects the source, the kernels found in the text get the verdict unknown, with that
/// reason.
///
/// # Errors
/// Where the file cannot be read, or is none of these.
pub fn judge_file(
    file: &Path,
    compiler: Option<&Compiler>,
    options: &[OsString],
) -> Result<Vec<Judged>, Error> {
    let unreadable = |cause| Error::Unreadable { cause };
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let kernels = match ending {
        "ptx" => Kernel::from_ptx(&std::fs::read_to_string(file).map_err(unreadable)?)?,
        "spv" => Kernel::from_spirv(&std::fs::read(file).map_err(unreadable)?)?,
        "cl" => {
            let text = std::fs::read_to_string(file).map_err(unreadable)?;
            let compiled = compiler.map(|compiler| compiler.kernels(file, options));
            match compiled {
                Some(Ok(kernels)) => kernels,
                Some(Err(error)) => return Ok(unknown(&text, &error.to_string())),
                None => return Ok(unknown(&text, NO_COMPILER)),
            }
        }
        _ => return Err(Error::Ending),
    };
    Ok(kernels.into_iter().map(judged).collect())
}

const NO_COMPILER: &str =
    "there is no clang with llvm-spirv; on Debian: apt-get install clang-15 llvm-spirv-15";

fn judged(kernel: Kernel) -> Judged {
    let verdict = kernel.verdict();
    Judged {
        name: kernel.name().to_owned(),
        line: kernel.line(),
        arguments: kernel.arguments().to_vec(),
        look: kernel.look_by(&verdict),
        verdict,
    }
}

/// Returns the kernels that are found in the text of a source without compiling it, each with the
/// verdict unknown for the reason `why`.
fn unknown(text: &str, why: &str) -> Vec<Judged> {
    let found = opencl(text, |_| Look::Never);
    let names = found.kernels.into_iter().chain(found.opaque.into_iter().map(|(name, _)| name));
    let construct = Construct::NotCompiled(why.to_owned());
    let verdict = Verdict::Unknown(Reason { construct, line: 0 });
    let judged = |name| Judged {
        name,
        line: 0,
        arguments: Vec::new(),
        verdict: verdict.clone(),
        look: Look::Never,
    };
    names.map(judged).collect()
}
