//! Which command of the repository itself (`cargo xtask VERB`, a chore) shall run?
//!
//! The exit code is 0 when the chore has succeeded, and 1 when it failed.
#![warn(clippy::too_many_lines)]
#![allow(clippy::print_stdout, reason = "printing is what a chore does")]

mod browse;
mod checkout;
mod dist;
mod fidelity;
mod fuzz;
mod items;
mod lines;
mod modules;
mod mutants;
mod release;
mod soak;
mod tidy;
mod wait;
mod web;
mod wheels;
mod workspace;

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use xshell::cmd;

/// Commands of the repository itself, which are called chores.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    /// Run everything that must hold before a change is merged: the list is .ci/run
    Ci,
    /// Check the house rules that no compiler and no lint checks (docs/STYLE.md)
    Tidy,
    /// Count the lines of code of each crate, and list type names that stand for several types
    Lines {
        /// Checkout to count; without it, this one
        checkout: Option<PathBuf>,
        /// List the type names with their files
        #[arg(long)]
        names: bool,
    },
    /// Count and list the public items of each crate that an embedder depends on, as rustdoc sees
    /// them, and compare them with xtask/api
    Items(items::ItemArgs),
    /// Run cargo test and accept what the snapshots now show; read the diff afterwards
    Bless {
        /// Arguments of cargo test; without any, the whole workspace
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Run the benchmarks of every crate, or those that cargo bench is told; `wait`: how long a
    /// person waits, as docs/benchmarks.md lists it
    Bench {
        /// `wait`, or arguments of cargo bench; without any, the whole workspace
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Check that a report looks right in Chromium
    Browse(browse::BrowseArgs),
    /// Make the archive of a release with manual pages and completions, and the wheels, in
    /// target/dist
    Dist(dist::DistArgs),
    /// Replay every sample alone and write the table of docs/fidelity.md
    Fidelity,
    /// Run the fuzz targets: can any bytes break an importer or a decoder?
    Fuzz(fuzz::FuzzArgs),
    /// Check that the tests of a crate notice the mistakes that xtask/mutants/CRATE.toml lists
    Mutants {
        /// Name of the crate whose tests are checked
        package: String,
    },
    /// Build the no_std crates for a bare-metal target
    Nostd,
    /// Make the engine and the application for browsers: target/web/raddle.wasm and raddle.html
    Web(web::Args),
    /// Check that a release is ready, and print its notes and the steps of a person; publishes
    /// nothing
    Release(release::ReleaseArgs),
    /// Run a check that takes too long for .ci/run; without a name, list them
    Soak { name: Option<String> },
    /// Build the wheels of the Python package, for Linux on x86-64 and arm64, in target/wheels
    Wheels(wheels::WheelArgs),
}

fn main() -> Result<()> {
    let shell = checkout::shell()?;
    match Chore::parse() {
        Chore::Ci => Ok(cmd!(shell, "bash .ci/run").run()?),
        Chore::Tidy => tidy::run(),
        Chore::Lines { checkout, names } => {
            lines::run(&checkout.unwrap_or_else(checkout::root).canonicalize()?, names)
        }
        Chore::Items(args) => items::run(&shell, &args),
        Chore::Bless { args } => {
            Ok(cmd!(shell, "cargo test").args(or_all(args)).env("INSTA_UPDATE", "always").run()?)
        }
        Chore::Bench { args } => match args.first().map(String::as_str) {
            Some("wait") => wait::run(&shell),
            Some("bound") => wait::bound(&args[1..]),
            _ => Ok(cmd!(shell, "cargo bench").args(or_all(args)).run()?),
        },
        Chore::Browse(args) => browse::run(&args),
        Chore::Dist(args) => dist::run(&shell, &args),
        Chore::Fidelity => fidelity::run(&shell),
        Chore::Fuzz(args) => fuzz::run(&shell, &args),
        Chore::Mutants { package } => mutants::run(&shell, &package),
        Chore::Nostd => nostd(&shell),
        Chore::Web(args) => web::run(&shell, &args),
        Chore::Release(args) => release::run(&shell, &args),
        Chore::Soak { name } => soak::run(&shell, name.as_deref()),
        Chore::Wheels(args) => wheels::run(&shell, &args),
    }
}

/// Returns the arguments for cargo; in place of an empty list, those for the whole workspace.
fn or_all(args: Vec<String>) -> Vec<String> {
    if args.is_empty() { ["--workspace", "--all-features"].map(str::to_owned).into() } else { args }
}

/// Builds the crates without `std`, and a library without an allocator, for a bare processor.
fn nostd(shell: &xshell::Shell) -> Result<()> {
    // A Cortex-M4 with floating point: the kind of core that firmware of a GPU runs on.
    let target = "thumbv7em-none-eabihf";
    if !checkout::has_target(shell, target) {
        anyhow::bail!(
            "the target {target} is not installed and could not be added: run `rustup target add {target}` where rustup reaches its server"
        );
    }
    let packages: Vec<&str> = workspace::without_std().flat_map(|name| ["-p", name]).collect();
    cmd!(
        shell,
        "cargo build --no-default-features --features raddle-packet/alloc --target {target}"
    )
    .args(packages)
    .env("RUSTFLAGS", "-D warnings")
    .run()?;
    // The dispatcher, without recipes and log. By itself: the feature above would bring it packets. A library is not
    // linked, so a check finds all that a build would.
    cmd!(shell, "cargo check -p raddle-dispatch --no-default-features --target {target}")
        .env("RUSTFLAGS", "-D warnings")
        .run()?;
    // As a static library the compiler refuses what needs an allocator and has none.
    let firmware = "xtask/checks/firmware/Cargo.toml";
    let folder = checkout::target_folder();
    cmd!(shell, "cargo build --manifest-path {firmware} --target {target} --target-dir {folder}")
        .env("RUSTFLAGS", "-D warnings")
        .run()?;
    c_firmware(shell, target, &folder)
}

/// Builds the example `c-firmware` (a library for C) for a processor without operating system, and
/// for this machine, where a C program calls it.
fn c_firmware(shell: &xshell::Shell, target: &str, folder: &std::path::Path) -> Result<()> {
    let example = "examples/c-firmware";
    let build = ["build", "--release", "--manifest-path", "examples/c-firmware/Cargo.toml"];
    cmd!(shell, "cargo {build...} --target {target} --target-dir {folder}").run()?;
    cmd!(shell, "cargo {build...} --target-dir {folder}").run()?;
    let (library, program) =
        (folder.join("release/libc_firmware.a"), folder.join("release/c-firmware"));
    cmd!(shell, "cc {example}/main.c {library} -o {program}").run()?;
    let said = cmd!(shell, "{program}").read()?;
    anyhow::ensure!(
        said == "0 -1 0 -1 0 null",
        "{example} says `{said}`: its README says what is right"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_well_formed() {
        super::Chore::command().debug_assert();
    }
}
