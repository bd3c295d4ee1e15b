//! Which libraries schedule the work of a program, and how does the program find them?
//!
//! The OpenCL loader loads the layer that `OPENCL_LAYERS` names. A CUDA program loads the driver by its
//! name, so the folders that are searched begin with one where the library has that name.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::super::args::ProgramArgs;
use crate::error::CliError;

/// Names by which programs look for the CUDA driver.
const DRIVERS: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Kind of library that raddle puts between a program and its driver to schedule the program's GPU
/// work: for OpenCL or for CUDA.
struct Kind {
    name: &'static str,
    file: &'static str,
    variable: &'static str,
    option: &'static str,
    package: &'static str,
}

const OPENCL: Kind = Kind {
    name: "OpenCL layer",
    file: "libraddle_opencl.so",
    variable: "RADDLE_OPENCL_LAYER",
    option: "--layer",
    package: "raddle-opencl",
};

const CUDA: Kind = Kind {
    name: "CUDA library",
    file: "libraddle_cuda.so",
    variable: "RADDLE_CUDA_LIBRARY",
    option: "--cuda",
    package: "raddle-cuda",
};

/// Libraries that raddle puts between a program and its drivers to schedule the program's GPU work.
/// A temporary folder with links to them lasts as long as this value.
pub(super) struct Libraries {
    opencl: Option<PathBuf>,
    cuda: Option<(PathBuf, TempDir)>,
}

impl Libraries {
    /// Finds the libraries that schedule a program's work: those that the options or environment
    /// variables name, else those that are installed with raddle.
    pub(super) fn find(args: &ProgramArgs) -> Result<Self, CliError> {
        let opencl = found(&OPENCL, args.layer.as_ref())?;
        let cuda = found(&CUDA, args.cuda.as_ref())?;
        if opencl.is_none() && cuda.is_none() {
            let wanted = [OPENCL, CUDA].map(|Kind { name, file, option, package, .. }| {
                format!("no {name} {file} (`cargo build -p {package}`, or {option} FILE)")
            });
            let [opencl, cuda] = wanted;
            return Err(CliError::Usage(format!("beside raddle there is {opencl}, and {cuda}")));
        }
        let cuda = cuda.map(|library| Ok((linked(&library)?, library)));
        let cuda = cuda.transpose().map_err(CliError::writing("a temporary folder"))?;
        Ok(Self { opencl, cuda: cuda.map(|(folder, library)| (library, folder)) })
    }

    /// Sets the environment variables of a program's command by which it loads the libraries.
    pub(super) fn offer(&self, command: &mut Command) {
        if let Some(layer) = &self.opencl {
            command.env("OPENCL_LAYERS", first(layer.as_os_str(), "OPENCL_LAYERS"));
        }
        if let Some((_, folder)) = &self.cuda {
            command.env("LD_LIBRARY_PATH", first(folder.path().as_os_str(), "LD_LIBRARY_PATH"));
        }
    }

    /// Returns the paths of all found libraries, joined by "or", for a message.
    pub(super) fn shown(&self) -> String {
        let cuda = self.cuda.iter().map(|(library, _)| library);
        let all = self.opencl.iter().chain(cuda).map(|path| path.display().to_string());
        all.collect::<Vec<_>>().join(" or ")
    }
}

/// Returns the path of a library: the one that the option or its environment variable names, else
/// the one beside raddle's own program or in `../lib`; `None` where neither exists.
fn found(kind: &Kind, named: Option<&PathBuf>) -> Result<Option<PathBuf>, CliError> {
    let named = named.cloned().or_else(|| std::env::var_os(kind.variable).map(Into::into));
    let file = |place: &Path| place.canonicalize().ok().filter(|it| it.is_file());
    if let Some(named) = named {
        return file(&named).map(Some).ok_or_else(|| {
            let Kind { name, option, package, .. } = kind;
            let at = named.display();
            CliError::Usage(format!(
                "there is no {name} at {at}: build it with `cargo build -p {package}`, or name it with {option} FILE"
            ))
        });
    }
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned()));
    let near = beside.map(|folder| [folder.join(kind.file), folder.join("../lib").join(kind.file)]);
    Ok(near.into_iter().flatten().find_map(|place| file(&place)))
}

/// Makes a temporary folder with links to the library that have the file names of the CUDA driver,
/// so that a program loads the library in place of the driver.
fn linked(library: &Path) -> std::io::Result<TempDir> {
    let folder = tempfile::tempdir()?;
    for name in DRIVERS {
        std::os::unix::fs::symlink(library, folder.path().join(name))?;
    }
    Ok(folder)
}

/// Returns the value of an environment variable that holds a list of paths, with `path` put in
/// front of it.
fn first(path: &OsStr, variable: &str) -> OsString {
    let mut list = path.to_owned();
    if let Some(others) = std::env::var_os(variable).filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    list
}
