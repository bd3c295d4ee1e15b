//! Which options of the command line are about kernels?

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// The verb `kernel`.
#[derive(Debug, Args)]
pub(crate) struct KernelArgs {
    #[command(subcommand)]
    pub(super) what: What,
}

#[derive(Debug, Subcommand)]
pub(super) enum What {
    /// Decide whether kernels may be stopped after any instruction and run again (docs/kernels.md)
    Verdict(VerdictArgs),
    /// Add the test of the flag to the beginning of the kernels of a source
    Instrument(InstrumentArgs),
}

#[derive(Debug, Args)]
pub(super) struct VerdictArgs {
    /// OpenCL C (.cl), PTX (.ptx) or SPIR-V (.spv)
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Write the verdicts as rules for `raddle replay --idempotent-from`
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
    #[command(flatten)]
    pub(super) build: Build,
}

#[derive(Debug, Args)]
pub(super) struct InstrumentArgs {
    /// OpenCL C (.cl) or PTX (.ptx)
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// The file for the new source [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(super) save: Option<PathBuf>,
    #[command(flatten)]
    pub(super) build: Build,
}

/// How OpenCL C is compiled.
#[derive(Debug, Default, Args)]
pub(super) struct Build {
    /// An option of clBuildProgram, such as -DN=16 or -Iinclude; may be repeated
    #[arg(long = "option", value_name = "OPTION", allow_hyphen_values = true)]
    pub(super) options: Vec<OsString>,
    /// Take each macro that neither a source nor an option decides as one that the device's compiler lacks;
    /// name those that it has by --option -DNAME
    #[arg(long)]
    pub(super) lacks_others: bool,
    /// The compiler clang [default: found by itself]; --llvm-spirv must be of the same version
    #[arg(long, value_name = "PROGRAM", requires = "translator")]
    pub(super) clang: Option<PathBuf>,
    /// The translator from LLVM to SPIR-V
    #[arg(long = "llvm-spirv", value_name = "PROGRAM", requires = "clang")]
    pub(super) translator: Option<PathBuf>,
}
