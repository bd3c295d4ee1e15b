//! Does the unsafe code keep the rules of the language, as far as Miri can watch it?
//!
//! Miri interprets what the processor would do, and knows what a processor has from the compiler's
//! flags. It lacks the byte permutations of AVX-512 VBMI, so the kernel with tables of bytes is not
//! run; all others are. Without a nightly toolchain or Miri the chore says so, and succeeds.

use std::process::Command;

use crate::{shell, workspace};

/// What the kernels of `raddle-bitmap` are compiled for, but `avx512vbmi`.
const FEATURES: &str = "-C target-feature=+ssse3,+avx2,+bmi1,+bmi2,+lzcnt,+popcnt,+avx512f,\
    +avx512bw,+avx512cd,+avx512dq,+avx512vl,+avx512vbmi2,+avx512vpopcntdq";

/// The test that asks every level for the same answers, in a package without anything else.
const TEST: [&str; 4] = ["test", "--manifest-path", "xtask/checks/levels/Cargo.toml", "--"];

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    shell::no_arguments(rest)?;
    if cfg!(not(target_arch = "x86_64")) {
        println!("skipped: the unsafe code is for x86-64");
        return Ok(());
    }
    if !(is_there() || (add() && is_there())) {
        println!(
            "skipped: there is no Miri, and `rustup component add --toolchain nightly miri rust-src` \
             did not bring it. The unsafe code was not watched."
        );
        return Ok(());
    }
    let mut miri = nightly();
    miri.args(TEST).arg("--nocapture").env("RUSTFLAGS", FEATURES);
    // Tests look at their environment.
    shell::run(miri.env("MIRIFLAGS", "-Zmiri-disable-isolation"))
}

/// `cargo +nightly miri`, by way of rustup: the cargo of this workspace's toolchain takes no `+`.
fn nightly() -> Command {
    let mut rustup = Command::new("rustup");
    rustup.args(["run", "nightly", "cargo", "miri"]).current_dir(workspace::root());
    // What cargo tells its children of this toolchain is not for that one.
    for name in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC", "RUSTDOC"] {
        rustup.env_remove(name);
    }
    rustup
}

fn is_there() -> bool {
    shell::output(nightly().arg("--version")).is_some()
}

fn add() -> bool {
    let mut rustup = Command::new("rustup");
    rustup.args(["component", "add", "--toolchain", "nightly", "miri", "rust-src"]);
    shell::run(rustup.current_dir(workspace::root())).is_ok()
}
