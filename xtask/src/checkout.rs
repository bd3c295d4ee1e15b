//! Where is the checkout (working copy) of the repository, and which files does it hold?

use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::{Shell, cmd};

/// Returns the root folder of the repository's checkout, which holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// Returns a runner of shell commands whose working directory is the root of the checkout.
///
/// # Errors
/// When the working directory cannot be read.
pub(crate) fn shell() -> Result<Shell> {
    let shell = Shell::new()?;
    shell.change_dir(root());
    Ok(shell)
}

/// Returns the paths of all files in the checkout that git does not ignore, relative to `root`,
/// sorted. Files that git knows but that were deleted are left out.
///
/// # Errors
/// When git is missing or the folder is no checkout.
pub(crate) fn files(root: &Path) -> Result<Vec<String>> {
    let shell = Shell::new()?;
    shell.change_dir(root);
    let listed =
        cmd!(shell, "git ls-files -z --cached --others --exclude-standard").quiet().read()?;
    let mut files: Vec<String> =
        listed.split('\0').filter(|path| root.join(path).is_file()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// Returns cargo's folder for build outputs, also for packages outside of the workspace.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Returns whether cargo can build for a target (a processor and its system); installs the target
/// with rustup first if possible.
pub(crate) fn has_target(shell: &Shell, target: &str) -> bool {
    let installed = || {
        let folder = cmd!(shell, "rustc --print target-libdir --target {target}").quiet().read();
        folder.is_ok_and(|folder| PathBuf::from(folder).is_dir())
    };
    installed() || (cmd!(shell, "rustup target add {target}").run().is_ok() && installed())
}
