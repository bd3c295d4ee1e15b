//! Which files are in the archive of a release, and do they work when it is unpacked anywhere?

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::checkout;
use crate::wheels::{self, WheelArgs};

/// Completion scripts for shells, each as (shell, file name).
const SCRIPTS: [(&str, &str); 3] =
    [("bash", "raddle.bash"), ("zsh", "_raddle"), ("fish", "raddle.fish")];

#[derive(Debug, clap::Args)]
pub(crate) struct DistArgs {
    /// Pack this program alone, without the wheels [default: one that is built with --release]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Makes the archive `target/dist/raddle-TARGET-vVERSION.tgz`, as `cargo binstall` looks for it,
/// and the Python wheels.
///
/// # Errors
/// When the program cannot be built, or does not work in an empty folder.
pub(crate) fn run(shell: &Shell, args: &DistArgs) -> Result<()> {
    let program = match &args.program {
        Some(program) => fs::canonicalize(program)?,
        None => {
            cmd!(shell, "cargo build --release --quiet -p raddle").run()?;
            checkout::target_folder().join("release/raddle")
        }
    };
    let version = cmd!(shell, "{program} --version").quiet().read()?;
    let version = version.strip_prefix("raddle ").context("it says its version")?;
    let rustc = cmd!(shell, "rustc -vV").quiet().read()?;
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
    let name = format!("raddle-{}-v{version}", host.context("rustc names its host")?);
    let folder = checkout::target_folder().join("dist");
    fill(shell, &program, &folder.join(&name))?;
    let archive = folder.join(format!("{name}.tgz"));
    cmd!(shell, "tar -C {folder} -czf {archive} {name}").quiet().run()?;
    check(shell, &archive, &name, version)?;
    println!("{}: {} bytes", archive.display(), fs::metadata(&archive)?.len());
    if args.program.is_none() {
        wheels::run(shell, &WheelArgs::of_a_release())?;
    }
    Ok(())
}

/// Fills the folder `to` with the content of the archive: the program, its licences and README,
/// completion scripts and manual pages.
fn fill(shell: &Shell, program: &Path, to: &Path) -> Result<()> {
    shell.remove_path(to)?;
    shell.create_dir(to)?;
    shell.copy_file(program, to.join("raddle"))?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        shell.copy_file(checkout::root().join("crates/raddle").join(file), to.join(file))?;
    }
    for (of, file) in SCRIPTS {
        let script = cmd!(shell, "{program} completions {of}").quiet().read()?;
        shell.write_file(to.join("completions").join(file), script + "\n")?;
    }
    let page = cmd!(shell, "{program} man").quiet().read()?;
    for verb in verbs(&page) {
        let page = cmd!(shell, "{program} man {verb}").quiet().read()?;
        shell.write_file(to.join(format!("man/raddle-{verb}.1")), page + "\n")?;
    }
    Ok(shell.write_file(to.join("man/raddle.1"), page + "\n")?)
}

/// Returns the verbs of raddle that have a manual page, as the tool's own manual page lists them.
fn verbs(page: &str) -> Vec<String> {
    let named =
        |line: &str| Some(line.strip_prefix("raddle\\-")?.strip_suffix("(1)")?.replace('\\', ""));
    page.lines().filter_map(named).filter(|verb| verb != "help").collect()
}

/// Unpacks the archive in an empty folder, and checks that the program and the scripts work there.
fn check(shell: &Shell, archive: &Path, name: &str, version: &str) -> Result<()> {
    let empty = tempfile::tempdir()?;
    let here = empty.path();
    cmd!(shell, "tar -C {here} -xzf {archive}").quiet().run()?;
    let at = here.join(name);
    let program = at.join("raddle");
    let said = cmd!(shell, "{program} --version").quiet().read()?;
    ensure!(said == format!("raddle {version}"), "the program of the archive says {said}");
    let recipes = cmd!(shell, "{program} recipes").quiet().read()?;
    ensure!(recipes.contains("leftover"), "the program of the archive has no recipes");
    let script = at.join("completions/raddle.bash");
    cmd!(shell, "bash -n {script}").quiet().run()?;
    let pages = fs::read_dir(at.join("man"))?.count();
    ensure!(pages > 20, "{pages} manual pages: are the verbs found?");
    println!("{name}: the program runs in an empty folder, {pages} manual pages");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::verbs;

    #[test]
    fn verbs_are_found_in_the_page_of_the_tool() {
        let page =
            ".TP\nraddle\\-replay(1)\nReplay\nraddle\\-check\\-placement(1)\nraddle\\-help(1)\n";
        assert_eq!(verbs(page), ["replay", "check-placement"]);
    }
}
