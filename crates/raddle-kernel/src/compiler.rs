//! How does OpenCL C become SPIR-V?
//!
//! By clang and the LLVM-to-SPIR-V translator, without optimisation: an optimiser removes stores that a
//! kernel stopped half-way would have made, and the verdict must know of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::macros::{all_undecided, undecided};
use crate::{Construct, Error, Kernel};

/// Compiler for OpenCL C: the programs `clang` and `llvm-spirv`, given by their paths or found in
/// `PATH`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Compiler {
    clang: PathBuf,
    translator: PathBuf,
    /// True if a macro counts as not defined where neither the source, nor the options, nor OpenCL
    /// C decide that.
    lacks_others: bool,
}

/// Versions of clang that are looked for in `PATH`, in the order of preference: the tested version
/// first.
const VERSIONS: [&str; 6] = ["15", "16", "17", "18", "19", "14"];

/// Language versions of OpenCL C in the order in which they are tried, the oldest first. In newer
/// versions a pointer may lead to any address space, which makes kernels harder to judge.
const STANDARDS: [&str; 3] = ["CL1.2", "CL2.0", "CL3.0"];

impl Compiler {
    /// Returns a compiler made of the programs `clang` and `llvm-spirv` at these paths, which must
    /// be of one version.
    #[must_use]
    pub fn new(clang: impl Into<PathBuf>, translator: impl Into<PathBuf>) -> Self {
        Self { clang: clang.into(), translator: translator.into(), lacks_others: false }
    }

    /// Returns the compiler made of `clang-N` and `llvm-spirv-N` of one version N in the folders of
    /// `PATH`; `None` where there is none.
    #[must_use]
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        let program = |name: &str| {
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
        };
        VERSIONS.iter().find_map(|version| {
            let clang = program(&format!("clang-{version}"))?;
            let translator = program(&format!("llvm-spirv-{version}"))?;
            Some(Self::new(clang, translator))
        })
    }

    /// Returns this compiler with another setting: the device's compiler does not define macros
    /// about which neither a source, nor the options, nor OpenCL C say anything.
    #[must_use]
    pub fn lacking_others(self) -> Self {
        Self { lacks_others: true, ..self }
    }

    /// Returns the kernels of a source file, compiled with `options` (`-D` and `-I` as for
    /// `clBuildProgram`). The verdict on each kernel (may it be stopped part-way and run again?) is
    /// unknown if the compiled code depends on a macro that the device's compiler may define
    /// otherwise.
    ///
    /// # Errors
    /// Where the compiler cannot be run, or does not accept the source; the message is that of the
    /// compiler.
    pub fn kernels(&self, source: &Path, options: &[OsString]) -> Result<Vec<Kernel>, Error> {
        let text = std::fs::read_to_string(source).map_err(|cause| Error::Unreadable { cause })?;
        let mut all = options.to_vec();
        if self.lacks_others {
            let names = all_undecided(&text, source, options);
            all.extend(names.into_iter().map(|name| format!("-U{name}").into()));
        }
        let options = &all;
        let mut kernels = Kernel::from_spirv(&self.spirv(source, options)?)?;
        if let Some((name, line)) = undecided(&text, source, options) {
            for kernel in &mut kernels {
                kernel.body = Err((Construct::Undecided(name.clone()), line));
            }
        }
        Ok(kernels)
    }

    /// Returns the SPIR-V of a source file, in bytes.
    ///
    /// # Errors
    /// As for [`Compiler::kernels`].
    pub fn spirv(&self, source: &Path, options: &[OsString]) -> Result<Vec<u8>, Error> {
        let scratch = tempfile::tempdir().map_err(|cause| Error::Scratch { cause })?;
        let (bitcode, spirv) =
            (scratch.path().join("kernel.bc"), scratch.path().join("kernel.spv"));
        let chosen = options.iter().any(|option| option.to_string_lossy().starts_with("-cl-std="));
        let standards: &[&str] = if chosen { &[""] } else { &STANDARDS };
        let mut first = None;
        // The second header declares functions of vendors too, and takes longer to read.
        for (standard, header) in standards.iter().flat_map(|it| [(it, ""), (it, "-cl-no-stdinc")])
        {
            let mut clang = Command::new(&self.clang);
            clang.args(["-target", "spir64", "-x", "cl", "-c", "-emit-llvm", "-O0", "-w"]);
            clang.args([
                "-gline-tables-only",
                "-fno-discard-value-names",
                "-fno-color-diagnostics",
            ]);
            clang.args(["-Xclang", "-finclude-default-header"]);
            // The code of `inline` functions too, which C99 leaves to another file.
            clang.arg("-fgnu89-inline");
            if !standard.is_empty() {
                clang.arg(format!("-cl-std={standard}"));
            }
            clang.args((!header.is_empty()).then_some(header));
            clang.args(options).arg("-o").arg(&bitcode).arg(source);
            match run(&mut clang) {
                Ok(()) => {
                    first = None;
                    break;
                }
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.map_or(Ok(()), Err)?;
        let mut translator = Command::new(&self.translator);
        // Without these, no file with block reads or rotations of sub-groups or dot products of integers
        // is translated.
        let extensions = "--spirv-ext=+SPV_INTEL_subgroups,+SPV_KHR_integer_dot_product,\
                          +SPV_KHR_subgroup_rotate";
        translator.args(["--spirv-max-version=1.4", extensions]);
        run(translator.arg("-o").arg(&spirv).arg(&bitcode))?;
        std::fs::read(&spirv).map_err(|cause| Error::Scratch { cause })
    }
}

/// Runs a program, such as the compiler, to its end. Where it fails, the error has the first lines
/// that the program printed to standard error.
fn run(command: &mut Command) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command
        .output()
        .map_err(|cause| Error::CompilerMissing { program: program.clone(), cause })?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let lines: Vec<&str> = said.lines().take(MOST_LINES).collect();
    Err(Error::Refused { program, said: lines.join("\n") })
}

/// Most lines of a compiler's message that an error shows.
const MOST_LINES: usize = 12;
