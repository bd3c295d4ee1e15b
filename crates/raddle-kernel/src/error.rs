//! What keeps a kernel from being read?

/// Reason why a file or a text with kernels could not be read, compiled or analysed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message says what each field is")]
pub enum Error {
    #[error("this is no SPIR-V module: {why}")]
    SpirV { why: String },
    #[error("line {line} of the PTX: {why}")]
    Ptx { line: u32, why: String },
    #[error("it cannot be read: {cause}")]
    Unreadable { cause: std::io::Error },
    #[error("it is none of .cl (OpenCL C), .ptx and .spv (SPIR-V)")]
    Ending,
    #[error("there is no folder for compiled code: {cause}")]
    Scratch { cause: std::io::Error },
    #[error("{program} cannot be run ({cause}); on Debian: apt-get install clang-15 llvm-spirv-15")]
    CompilerMissing { program: String, cause: std::io::Error },
    #[error("{program} does not accept it:\n{said}")]
    Refused { program: String, said: String },
}
