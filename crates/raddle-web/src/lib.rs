//! How is a study asked in a browser, and how does the page get its answer?
//!
//! [`answer`] takes a question as bytes, a line of JSON followed by the files that it names, and
//! reports lines of JSON: its progress, and at the end the result. Compiled to WebAssembly it is
//! the engine of [`page`], which replays the profiles dropped onto it and needs no server;
//! `raddle serve` answers the same questions natively.
//!
//! ```
//! use std::sync::Mutex;
//!
//! let table = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n\
//!              k,80,1,1,256,1,1,0,1000\n";
//! let files = format!(r#"[{{"name": "a.csv", "bytes": {}}}]"#, table.len());
//! let study = r#"{"profiles": ["a.csv"], "device": "v100"}"#;
//! let question = format!("{{\"files\": {files}, \"study\": {study}}}\n{table}");
//! let lines = Mutex::new(Vec::new());
//! let registry = raddle_study::Registry::bundled();
//! raddle_web::answer(question.as_bytes(), &registry, &|line| {
//!     lines.lock().expect("nothing panics").push(line.to_owned());
//!     true
//! });
//! let lines = lines.into_inner().expect("nothing panics");
//! assert!(lines.last().is_some_and(|line| line.starts_with(r#"{"report":"#)));
//! ```
#![warn(clippy::too_many_lines)]
#![deny(unsafe_code)]

#[cfg(target_arch = "wasm32")]
mod abi;
mod answer;
mod given;
mod line;
#[cfg(not(target_arch = "wasm32"))]
mod page;
mod tell;

pub use answer::answer;
pub use line::ProfileFound;
#[cfg(not(target_arch = "wasm32"))]
pub use page::{Carried, EngineError, PageEngine, engine, page};

/// Text in every file of the engine (raddle compiled to WebAssembly), by which the file is
/// recognised. It names the version of raddle.
pub(crate) const MARK: &str = concat!("raddle-engine ", env!("CARGO_PKG_VERSION"), ";");
