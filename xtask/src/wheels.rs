//! How are the wheels of the Python package built?

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::checkout;

/// The targets of a release.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// That of this machine alone, without a linker for others
    #[arg(long)]
    host: bool,
    /// The profile of cargo
    #[arg(long, default_value = "dist")]
    profile: String,
}

/// Builds the wheels into `target/wheels`.
///
/// # Errors
/// When maturin, or the linker for other targets, is missing or fails.
pub(crate) fn run(shell: &Shell, args: &Args) -> Result<()> {
    let maturin = || cmd!(shell, "maturin --version").quiet().ignore_stderr().read();
    maturin().context("maturin is not installed: pip install maturin ziglang")?;
    let manifest = "crates/raddle-python/Cargo.toml";
    let out = checkout::target_folder().join("wheels");
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
