//! Do programs in other languages compile, and run as they say?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of this crate.
fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the library that cargo built beside this test program.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("a test program has a path");
    let folder = program.parent().expect("it lies in a folder").to_owned();
    assert!(folder.join("libraddle_capi.so").is_file(), "it is built with the tests");
    folder
}

/// An empty folder for the files of a test.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs a command; returns what it printed, and fails where it fails.
fn run(command: &mut Command) -> String {
    let ran = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = [&ran.stdout, &ran.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(ran.status.success(), "{command:?}\n{}", text.concat());
    text.concat()
}

/// Compiles a program in C against the shared library, and returns what it prints.
fn c(name: &str, source: &str, flags: &[&str]) -> String {
    let (folder, library) = (scratch(name), library());
    let program = folder.join("program");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-g"]);
    cc.args(flags).arg("-I").arg(crate_folder().join("include"));
    cc.arg(crate_folder().join(source)).arg("-o").arg(&program);
    cc.arg("-L").arg(&library).arg("-lraddle_capi").arg("-pthread");
    cc.arg(format!("-Wl,-rpath,{}", library.display()));
    run(&mut cc);
    run(&mut Command::new(&program))
}

#[test]
fn c_finds_every_function_and_its_errors() {
    let said = c("calls", "tests/c/calls.c", &["-fsanitize=address,undefined"]);
    assert!(said.ends_with("all as they should be\n"), "{said}");
}

#[test]
fn cpp_reads_the_header() {
    let folder = scratch("cpp");
    let source = folder.join("reads.cpp");
    fs::write(
        &source,
        "#include \"raddle.h\"\nint main() { return raddle_version() == nullptr; }\n",
    )
    .unwrap();
    let mut cc = Command::new("c++");
    cc.args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"]);
    run(cc.arg(crate_folder().join("include")).arg(source));
}
