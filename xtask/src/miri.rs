//! Does the unsafe code keep the rules of the language, as far as Miri can watch it?
//!
//! Miri takes from the compiler's flags what the processor has. It lacks the byte permutations of AVX-512
//! VBMI, so the kernel with tables of bytes is not run; all others are.

use anyhow::Result;
use xshell::{Shell, cmd};

/// What the kernels of `raddle-bitmap` are compiled for, but `avx512vbmi`.
const FEATURES: &str = "-C target-feature=+ssse3,+avx2,+bmi1,+bmi2,+lzcnt,+popcnt,+avx512f,\
    +avx512bw,+avx512cd,+avx512dq,+avx512vl,+avx512vbmi2,+avx512vpopcntdq";
/// The test that asks every processor level for the same answers, in a package without anything else.
const MANIFEST: &str = "xtask/checks/levels/Cargo.toml";

pub(crate) fn run(shell: &Shell) -> Result<()> {
    if cfg!(not(target_arch = "x86_64")) {
        println!("skipped: the unsafe code is for x86-64");
        return Ok(());
    }
    // What cargo tells its children of this toolchain is not for the nightly one.
    let miri = || {
        let nightly = cmd!(shell, "rustup run nightly cargo miri");
        ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC"]
            .into_iter()
            .fold(nightly, |cmd, name| cmd.env_remove(name))
    };
    let is_there = || miri().arg("--version").quiet().ignore_stderr().read().is_ok();
    let add =
        || cmd!(shell, "rustup component add --toolchain nightly miri rust-src").run().is_ok();
    if !(is_there() || (add() && is_there())) {
        println!("skipped: Miri is not installed and could not be added to the nightly toolchain");
        return Ok(());
    }
    // The tests read their environment.
    let test = miri().args(["test", "--manifest-path", MANIFEST, "--", "--nocapture"]);
    Ok(test.env("RUSTFLAGS", FEATURES).env("MIRIFLAGS", "-Zmiri-disable-isolation").run()?)
}
