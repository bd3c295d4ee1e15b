//! Where is the engine (raddle as WebAssembly) that pages carry?
//!
//! The engine is no part of the program, so that the program is built without a compiler for
//! WebAssembly: it is a file beside the program, or one that the command line names.

use std::path::{Path, PathBuf};
use std::{env, fs};

use raddle_web::{EngineError, PageEngine};

use crate::error::CliError;

/// Name of the file with the engine (raddle as WebAssembly, for HTML pages), which is looked for in
/// the folder of the program.
const FILE: &str = "raddle.wasm";

/// Engine (raddle as WebAssembly, for HTML pages) of this version, as the bytes of its file.
#[derive(Debug)]
pub(crate) struct EngineFile(Vec<u8>);

impl EngineFile {
    pub(crate) fn engine(&self) -> PageEngine<'_> {
        PageEngine::InPage(&self.0)
    }
}

/// Reads the file of the engine (raddle as WebAssembly): the one that is named, or else the one in
/// the folder of the program.
pub(crate) fn find(named: Option<&Path>) -> Result<EngineFile, CliError> {
    let refused = |what: String| {
        CliError::Refused(format!(
            "{what}: `cargo xtask web` in the source of raddle {} builds the engine as target/web/{FILE}; name it with --wasm, or put it beside the program",
            env!("CARGO_PKG_VERSION")
        ))
    };
    let beside = || Some(env::current_exe().ok()?.parent()?.join(FILE));
    let path = named.map(Path::to_path_buf).or_else(beside).unwrap_or_else(|| PathBuf::from(FILE));
    let file = path.display();
    let bytes = fs::read(&path)
        .map_err(|cause| refused(format!("the engine {file} cannot be read ({cause})")))?;
    match raddle_web::engine(&bytes) {
        Ok(_) => Ok(EngineFile(bytes)),
        Err(EngineError::NoEngine) => Err(refused(format!("{file} is no engine"))),
        Err(_) => Err(refused(format!("{file} is not the engine of this version"))),
    }
}
