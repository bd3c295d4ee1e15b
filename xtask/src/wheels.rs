//! How are the wheels of the Python package built, and do they work?

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::checkout;

/// Targets (processors and systems) for which a release has Python wheels.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

#[derive(Debug, clap::Args)]
pub(crate) struct WheelArgs {
    /// Build the wheel of this machine alone, without a linker for others
    #[arg(long)]
    host: bool,
    /// Profile of cargo to build with
    #[arg(long, default_value = "dist")]
    profile: String,
}

impl WheelArgs {
    /// Returns the arguments by which wheels for every target of a release are built.
    pub(crate) fn of_a_release() -> Self {
        Self { host: false, profile: "dist".to_owned() }
    }
}

/// Builds the Python wheels into `target/wheels`.
///
/// # Errors
/// When maturin, or a linker for another target, is missing or fails.
pub(crate) fn run(shell: &Shell, args: &WheelArgs) -> Result<()> {
    let maturin = || cmd!(shell, "maturin --version").quiet().ignore_stderr().read();
    maturin().context("maturin is not installed: pip install maturin ziglang")?;
    let manifest = "crates/raddle-python/Cargo.toml";
    let out = folder();
    shell.remove_path(&out)?;
    let profile = &args.profile;
    let build =
        || cmd!(shell, "maturin build --manifest-path {manifest} --profile {profile} --out {out}");
    if args.host {
        return Ok(build().run()?);
    }
    for target in TARGETS {
        // Where rustup does not manage the toolchain, maturin says what is missing.
        let _ = cmd!(shell, "rustup target add {target}").quiet().run();
        // Zig links for old versions of the C library, and for other processors.
        build().args(["--target", target, "--zig", "--compatibility", "manylinux2014"]).run()?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    checkout::target_folder().join("wheels")
}

/// Installs this machine's Python wheel without a network, checks how long its first result takes,
/// and runs all Python tests with it; on a Ray cluster they use cases of a second or more.
///
/// # Errors
/// When a step fails, or the first result takes longer than ten seconds.
#[expect(clippy::disallowed_methods, reason = "how long a person waits is what it measures")]
pub(crate) fn check(shell: &Shell) -> Result<()> {
    run(shell, &WheelArgs { host: true, profile: "release".to_owned() })?;
    let scratch = tempfile::tempdir()?;
    let (wheels, venv) = (folder(), scratch.path().join("venv"));
    let (python, raddle) = (venv.join("bin/python"), venv.join("bin/raddle"));
    cmd!(shell, "python3 -m venv {venv}").run()?;
    let begun = Instant::now();
    cmd!(shell, "{python} -m pip install -q --no-index --find-links {wheels} raddle").run()?;
    {
        let _inside = shell.push_dir(scratch.path());
        cmd!(shell, "{raddle} --quiet").run()?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!("installed without a network, with the first result, in {seconds:.1} s");
    ensure!(seconds < 10.0, "the first result is to be there within ten seconds");
    let others =
        ["pytest", "pandas", "polars", "pyarrow", "nbclient", "ipykernel", "mypy", "ray[client]"];
    cmd!(shell, "{python} -m pip install -q --only-binary :all:").args(others).run()?;
    let tests = "crates/raddle-python/tests";
    // The folder of the package is not there to be taken for what is installed.
    Ok(cmd!(shell, "{python} -m pytest -q -p no:cacheprovider {tests}")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("RADDLE_RAY_UNTIL", "6000ms")
        .run()?)
}
