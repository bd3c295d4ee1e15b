//! How are the engine (raddle as WebAssembly) and the browser application built and checked?

mod check;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::checkout;

const TARGET: &str = "wasm32-unknown-unknown";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Check that the application answers in Chromium as the command line does, with an engine that
    /// is built fast and not small
    #[arg(long)]
    check: bool,
    /// Check this engine, a WebAssembly file such as target/web/raddle.wasm
    #[arg(long, value_name = "FILE", requires = "check")]
    engine: Option<PathBuf>,
    /// Program `raddle` to compare with [default: one that is built]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

pub(crate) fn run(shell: &Shell, args: &Args) -> Result<()> {
    if !args.check {
        return make(shell, args.program.as_deref());
    }
    let Some(chromium) = crate::browse::chromium::find() else {
        println!("skipped: there is no Chromium. On Debian: apt-get install chromium");
        return Ok(());
    };
    let engine = match &args.engine {
        Some(file) => Some(fs::canonicalize(file)?),
        None => engine(shell, "dev")?,
    };
    let Some(engine) = engine else { return Ok(()) };
    let raddle = program(shell, args.program.as_deref())?;
    check::run(&chromium, &raddle, &engine)
}

/// Builds the engine (raddle as WebAssembly) and the application for browsers, and writes them to
/// target/web/raddle.wasm and raddle.html; `named` is the program `raddle`, which is else built.
fn make(shell: &Shell, named: Option<&Path>) -> Result<()> {
    let built = engine(shell, "web")?;
    let built = built.with_context(|| format!("no engine without the target {TARGET}"))?;
    let folder = checkout::target_folder().join("web");
    fs::create_dir_all(&folder)?;
    let (wasm, page) = (folder.join("raddle.wasm"), folder.join("raddle.html"));
    fs::copy(built, &wasm)?;
    let raddle = program(shell, named)?;
    cmd!(shell, "{raddle} serve --save {page} --wasm {wasm}").quiet().ignore_stdout().run()?;
    for file in [&wasm, &page] {
        println!("{}: {} bytes", file.display(), fs::metadata(file)?.len());
    }
    println!("Reports that replay: raddle replay ... --live-report --wasm {}", wasm.display());
    Ok(())
}

/// Builds the engine (raddle as WebAssembly) with a cargo profile, and returns the path of its
/// file; `None` if the compiler's target for WebAssembly cannot be installed.
fn engine(shell: &Shell, profile: &str) -> Result<Option<PathBuf>> {
    if !checkout::has_target(shell, TARGET) {
        println!("skipped: the target {TARGET} is not installed and could not be added");
        return Ok(None);
    }
    cmd!(
        shell,
        "cargo rustc --quiet -p raddle-web --lib --crate-type cdylib --features xplane --profile {profile} --target {TARGET}"
    )
    .run()?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(Some(checkout::target_folder().join(TARGET).join(folder).join("raddle_web.wasm")))
}

/// Returns the path of the program `raddle`: the one that is named, or else one that it builds.
fn program(shell: &Shell, named: Option<&Path>) -> Result<PathBuf> {
    if let Some(program) = named {
        return Ok(fs::canonicalize(program)?);
    }
    cmd!(shell, "cargo build --quiet -p raddle").run()?;
    Ok(checkout::target_folder().join("debug/raddle"))
}

/// Returns the URL (`file://..`) of a file.
fn address(file: &Path) -> String {
    format!("file://{}", file.display())
}
