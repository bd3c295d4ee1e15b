//! Where are the public definitions of the format, and what do they say?
//!
//! They are Google's `perfetto_trace.proto`. A package that cargo fetches and never builds holds
//! it as it was published, so no copy of it lies here.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use prost_reflect::{DescriptorPool, MessageDescriptor};
use serde_json::Value;

const PACKAGE: &str = "tracing-perfetto";
const FILE: &str = "perfetto_trace.proto";
const TRACE: &str = "perfetto.protos.Trace";

/// Definitions of every message that a Perfetto trace may hold.
#[derive(Clone, Debug)]
pub struct Definitions {
    trace: MessageDescriptor,
}

impl Definitions {
    /// Asks cargo where the definitions are, and reads them.
    ///
    /// # Errors
    /// When the definitions cannot be fetched, found or read.
    pub fn load() -> Result<Self, Error> {
        let folder = folder()?;
        let failed = |error: String| Error(format!("{FILE} in {}: {error}", folder.display()));
        let files =
            protox::compile([FILE], [&folder]).map_err(|error| failed(error.to_string()))?;
        let pool = DescriptorPool::from_file_descriptor_set(files);
        let pool = pool.map_err(|error| failed(error.to_string()))?;
        let trace = pool.get_message_by_name(TRACE);
        Ok(Self { trace: trace.ok_or_else(|| failed(format!("it defines no {TRACE}")))? })
    }

    /// Returns the definition of the message that a whole trace file is.
    #[must_use]
    pub fn trace(&self) -> MessageDescriptor {
        self.trace.clone()
    }
}

/// Reason why there are no definitions, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

fn folder() -> Result<PathBuf, Error> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--manifest-path"]).arg(manifest);
    let asked = cargo.output().map_err(|error| Error(format!("cargo metadata: {error}")))?;
    if !asked.status.success() {
        let said = String::from_utf8_lossy(&asked.stderr);
        return Err(Error(format!("cargo metadata: {}", said.trim())));
    }
    let told: Option<Value> = serde_json::from_slice(&asked.stdout).ok();
    let found = told.as_ref().and_then(|told| {
        let mut packages = told["packages"].as_array()?.iter();
        packages.find(|package| package["name"] == PACKAGE)?["manifest_path"].as_str()
    });
    let folder = found.and_then(|manifest| Path::new(manifest).parent());
    folder
        .map(|folder| folder.join("protos"))
        .ok_or_else(|| Error(format!("cargo metadata names no package {PACKAGE}")))
}
