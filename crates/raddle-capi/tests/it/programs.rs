//! Do programs in other languages compile, and run as they say?

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use raddle_dispatch::{Registry, log};

/// Returns the folder of the crate `raddle-capi`.
fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the folder of the shared library that cargo built beside this test program.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("a test program has a path");
    let folder = program.parent().expect("it lies in a folder").to_owned();
    assert!(folder.join("libraddle_capi.so").is_file(), "it is built with the tests");
    folder
}

/// Makes an empty folder for the files of the test `name`, and returns its path.
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

/// Flags of gcc for programs that look for wrong memory accesses, leaks and undefined behaviour of
/// their own.
const SANITIZED: &[&str] = &["-fsanitize=address,undefined"];

/// Compiles a program in C against the shared library, and returns its path.
fn compiled(name: &str, source: &str, flags: &[&str]) -> PathBuf {
    let (folder, library) = (scratch(name), library());
    let program = folder.join("program");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-g"]);
    cc.args(flags).arg("-I").arg(crate_folder().join("include"));
    cc.arg(crate_folder().join(source)).arg("-o").arg(&program);
    cc.arg("-L").arg(&library).arg("-lraddle_capi").arg("-pthread");
    cc.arg(format!("-Wl,-rpath,{}", library.display()));
    run(&mut cc);
    program
}

#[test]
fn c_finds_every_function_and_its_errors() {
    let said = run(&mut Command::new(compiled("calls", "tests/c/calls.c", SANITIZED)));
    assert!(said.ends_with("all as they should be\n"), "{said}");
}

#[test]
fn the_program_of_the_readme_runs() {
    let readme = fs::read_to_string(crate_folder().join("README.md")).unwrap();
    let program = readme.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let source = scratch("readme_source").join("program.c");
    fs::write(&source, program).unwrap();
    let said = run(&mut Command::new(compiled("readme", source.to_str().unwrap(), SANITIZED)));
    assert_eq!(said, "8 blocks from 0\n");
}

#[test]
fn cpp_reads_the_header() {
    if !has("c++", "--version", "RADDLE_REQUIRE_CPP") {
        return;
    }
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

/// Files that the glue for gem5 includes, as (path, text): they stand in for gem5, with the
/// signatures of its classes.
const GEM5: [(&str, &str); 3] = [
    ("base/logging.hh", "#pragma once\n#include <cstdlib>\n#define panic(...) std::abort()\n"),
    (
        "params/RaddlePoolManager.hh",
        "#pragma once\n#include <cstdint>\nnamespace gem5 { struct PoolManagerParams { uint32_t size; };\nstruct RaddlePoolManagerParams : PoolManagerParams { uint32_t fit; }; }\n",
    ),
    (
        "gpu-compute/pool_manager.hh",
        "#pragma once\n#include <string>\n#include \"params/RaddlePoolManager.hh\"\nnamespace gem5 { class PoolManager { public:\nPoolManager(const PoolManagerParams &p) : all(p.size) {}\nvirtual ~PoolManager() = default;\nuint32_t minAllocation() { return 4; }\nuint32_t poolSize() { return all; }\nvirtual std::string printRegion() = 0;\nvirtual uint32_t regionSize(std::pair<uint32_t, uint32_t> &region) = 0;\nvirtual bool canAllocate(uint32_t numRegions, uint32_t size) = 0;\nvirtual uint32_t allocateRegion(const uint32_t size, uint32_t *reserved) = 0;\nvirtual void freeRegion(uint32_t firstIdx, uint32_t lastIdx) = 0;\nvirtual void resetRegion(const int &) {}\nuint32_t all; }; }\n",
    ),
];

#[test]
fn the_glue_for_gem5_compiles_and_allocates() {
    if !has("c++", "--version", "RADDLE_REQUIRE_CPP") {
        return;
    }
    let glue = crate_folder().join("examples/simulators/raddle_pool_manager.hh");
    let glue = fs::read_to_string(glue).unwrap();
    let (folder, library) = (scratch("gem5"), library());
    for (file, text) in GEM5 {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), text).unwrap();
    }
    let calls = "
int main() {
    gem5::RaddlePoolManagerParams all;
    all.size = 64, all.fit = RADDLE_FIT_FIRST;
    gem5::RaddlePoolManager pool(all);
    uint32_t got = 0;
    bool right = pool.allocateRegion(10, &got) == 0 && got == 12 && pool.allocateRegion(20, &got) == 12;
    right = right && pool.canAllocate(2, 16) && !pool.canAllocate(3, 16);
    pool.freeRegion(0, 11);
    return right && pool.allocateRegion(9, &got) == 0 ? 0 : 1;
}
";
    fs::write(folder.join("pool.cc"), format!("{glue}{calls}")).unwrap();
    let mut cc = Command::new("c++");
    cc.current_dir(&folder).args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I.", "-I"]);
    cc.arg(crate_folder().join("include")).args(["pool.cc", "-o", "pool", "-L"]).arg(&library);
    run(cc.args(["-lraddle_capi", &format!("-Wl,-rpath,{}", library.display())]));
    run(&mut Command::new(folder.join("pool")));
}

#[test]
fn a_dispatcher_has_an_event_loop_in_c() {
    let folder = scratch("dispatcher_log");
    let file = folder.join("decisions.jsonl");
    let program = compiled("dispatcher", "examples/c/dispatcher.c", SANITIZED);
    let said = run(Command::new(program).arg(&file));
    // 32 workgroups of the job at a time; the urgent launch begins when those of tick 700 have ended.
    let starts = |launch: u32, tick: u32| {
        let line = format!("{tick:4}: launch {launch} starts ");
        let counts = said.lines().filter_map(|it| it.strip_prefix(&line));
        counts.map(|it| it.split(' ').next().unwrap().parse::<u32>().unwrap()).sum::<u32>()
    };
    let job = [starts(0, 0), starts(0, 700), starts(0, 1500), starts(0, 2200)];
    assert_eq!((job, starts(1, 1400)), ([32, 32, 32, 4], 20), "{said}");
    // The log of the dispatcher gives the same answers again, and keeps the rules.
    let logged = fs::read_to_string(file).unwrap();
    let replayed = log::replay(logged.as_bytes()).unwrap();
    assert!(replayed.difference().is_none() && replayed.answers() > 10, "{replayed:?}");
    let checked = log::check::check(&Registry::bundled(), logged.as_bytes()).unwrap();
    assert!(checked.broken().is_empty(), "{checked:?}");
}

/// Returns whether the program `tool` is installed; fails if it is not, and the variable `required`
/// is 1.
fn has(tool: &str, version: &str, required: &str) -> bool {
    let found = Command::new(tool).arg(version).output().is_ok();
    let needed = std::env::var(required).is_ok_and(|it| it == "1");
    assert!(found || !needed, "{tool} is required and not installed");
    if !found {
        println!("skipped: {tool} is not installed");
    }
    found
}

/// Builds a simulator of these SystemVerilog sources with Verilator, and returns the path of its
/// program.
fn verilated(name: &str, sources: &[&str]) -> PathBuf {
    let (folder, library) = (scratch(name), library());
    let library = library.display();
    let mut verilator = Command::new("verilator");
    verilator.current_dir(&folder).args(["--binary", "-Wall", "-Wno-UNUSED", "-j", "2"]);
    // The compiler takes longer than the program.
    verilator.args(["-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"]);
    verilator.args(["-o", "bench", "--top-module", "bench", "-LDFLAGS"]);
    verilator.arg(format!("-L{library} -lraddle_capi -Wl,-rpath,{library}"));
    let files = sources.iter().map(|file| crate_folder().join("examples/dpi").join(file));
    run(verilator.args(files));
    folder.join("obj_dir/bench")
}

#[test]
fn a_circuit_is_held_against_the_model_by_dpi() {
    if !has("verilator", "--version", "RADDLE_REQUIRE_RTL") {
        return;
    }
    let bench = verilated("dpi", &["raddle_pkg.sv", "allocator.sv", "bench.sv"]);
    let said = run(&mut Command::new(bench));
    assert!(said.starts_with("10000 clocks equal, "), "{said}");
    assert!(!said.contains(" 0 requests refused"), "{said}");
}

/// Faults that the dispatcher in `examples/dpi/dispatcher` can be told to have, each as (rule of
/// the check that it breaks first, number of the fault).
const FAULTS: [(&str, u8); 15] = [
    ("overlap", 1),
    ("start", 2),
    ("start", 3),
    ("start", 4),
    ("bounds", 5),
    ("bounds", 6),
    ("overlap", 7),
    ("wave-slots", 8),
    ("order", 9),
    ("freed-once", 10),
    ("tag", 11),
    ("wave-slots", 12),
    ("wave-base", 13),
    ("stop", 14),
    ("size", 15),
];

#[test]
fn a_dispatcher_is_held_against_the_checker_and_its_faults_are_found() {
    if !has("verilator", "--version", "RADDLE_REQUIRE_RTL") {
        return;
    }
    let sources = ["holes.sv", "ring.sv", "unit.sv", "dispatcher.sv", "bench.sv"];
    let sources = sources.map(|file| format!("dispatcher/{file}"));
    let all: Vec<&str> =
        ["raddle_pkg.sv"].into_iter().chain(sources.iter().map(|it| &**it)).collect();
    let bench = verilated("dispatcher_rtl", &all);
    let said = run(&mut Command::new(&bench));
    assert!(said.contains("100000 workgroups placed\n") && said.contains("no finding\n"), "{said}");
    let page = crate_folder().join("examples/dpi/dispatcher/README.md");
    let page = fs::read_to_string(page).unwrap();
    for (rule, fault) in FAULTS {
        let told = |line: &str| {
            line.starts_with(&format!("| {fault} |")) && line.ends_with(&format!("| `{rule}` |"))
        };
        assert!(page.lines().any(told), "README.md: fault {fault} is found as {rule}");
        let mut faulty = Command::new(&bench);
        let ran =
            faulty.args(["+groups=5000".to_owned(), format!("+fault={fault}")]).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        let first = said.lines().find(|line| line.starts_with("line ")).unwrap_or_default();
        let found = first.split(": ").nth(1);
        assert!(!ran.status.success() && found == Some(rule), "fault {fault}: {said}");
    }
}

#[test]
fn go_calls_by_cgo() {
    if !has("go", "version", "RADDLE_REQUIRE_GO") {
        return;
    }
    let (folder, library) = (scratch("go"), library());
    let library = library.display();
    let mut go = Command::new("go");
    go.current_dir(&folder).args(["build", "-o", "program"]);
    go.arg(crate_folder().join("examples/go/main.go"));
    go.env("GOCACHE", folder.join("cache")).env("GOFLAGS", "").env("CGO_ENABLED", "1");
    go.env("CGO_CFLAGS", format!("-I{}", crate_folder().join("include").display()));
    go.env("CGO_LDFLAGS", format!("-L{library} -lraddle_capi -Wl,-rpath,{library}"));
    run(&mut go);
    let said = run(&mut Command::new(folder.join("program")));
    assert_eq!(said.matches("LDS from").count(), 8, "{said}");
    assert!(
        said.ends_with("workgroup 99 of k7 does not lie on the device: release each once\n"),
        "{said}"
    );
}
