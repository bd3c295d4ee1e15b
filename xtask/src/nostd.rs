//! Do the policy crates build for a machine without an operating system?
//!
//! The target has no `std` at all, so a hidden use of it cannot slip through. Where the target is
//! not installed and cannot be had, the chore says that it was skipped, and succeeds. A warning fails.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::{shell, workspace};

/// A Cortex-M4 with floating point: the kind of core that firmware of a GPU runs on.
const TARGET: &str = "thumbv7em-none-eabihf";

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    shell::no_arguments(rest)?;
    let ready = installed() || (add() && installed());
    if !ready {
        println!(
            "skipped: the target {TARGET} is not installed and `rustup target add {TARGET}` did \
             not bring it. Nothing was built without std."
        );
        return Ok(());
    }
    let mut cargo = shell::cargo();
    cargo.args(["build", "--no-default-features", "--target", TARGET]);
    cargo.args(["--features", "raddle-packet/alloc"]);
    // What is not needed without std is a warning that no other build gives.
    cargo.env("RUSTFLAGS", "-D warnings");
    for name in workspace::no_std() {
        cargo.args(["-p", name]);
    }
    shell::run(&mut cargo)?;
    // As a library of a program without an allocator: what needs one in secret is refused here alone.
    let mut cargo = shell::cargo();
    cargo.args([
        "build",
        "--manifest-path",
        "xtask/checks/firmware/Cargo.toml",
        "--target",
        TARGET,
    ]);
    if env::var_os("CARGO_TARGET_DIR").is_none() {
        cargo.env("CARGO_TARGET_DIR", workspace::root().join("target"));
    }
    shell::run(&mut cargo)
}

/// Asks the compiler and not rustup, which a machine with a packaged toolchain does not have.
fn installed() -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]).current_dir(workspace::root());
    shell::output(&mut rustc).is_some_and(|folder| Path::new(folder.trim()).is_dir())
}

fn add() -> bool {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]).current_dir(workspace::root());
    shell::run(&mut rustup).is_ok()
}
