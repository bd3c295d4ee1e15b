//! Do verdicts of kernels reach a person, a file and a replay?

use serde_json::Value;

use crate::common::Place;

/// PTX source, which needs no compiler, of two kernels: one copies, one counts in global memory.
const PTX: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z4copyPKfPf(.param .u64 from, .param .u64 to)
{
    .reg .b64 %rd<5>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    ld.global.u32 %r1, [%rd3];
    st.global.u32 [%rd4], %r1;
    ret;
}
.visible .entry count(.param .u64 at)
{
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [at];
    cvta.to.global.u64 %rd2, %rd1;
    red.global.add.u32 [%rd2], 1;
    ret;
}
";

const PROFILE: &str = "\
name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns
\"copy(float const*, float*)\",40,1,1,64,1,1,0,5000
count,1,1,1,64,1,1,6000,1000
other,1,1,1,64,1,1,8000,1000
";

/// Checks that a message of the compiler is printed once for a file, not once for each kernel.
#[cfg(unix)]
#[test]
fn the_words_of_a_compiler_are_printed_once() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let source = "__kernel void a(void) {}\n__kernel void b(void) {}\n__kernel void c(void) {}\n";
    place.file("three.cl", source);
    place.file("clang", "#!/bin/sh\necho 'line 1: no' >&2\necho 'line 2: no' >&2\nexit 1\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path().join("clang"), mode).expect("a file of ours");
    let ran = place.raddle(&[
        "kernel",
        "verdict",
        "three.cl",
        "--clang",
        "./clang",
        "--llvm-spirv",
        "./clang",
    ]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let count = |words: &str| ran.out.matches(words).count();
    assert_eq!((count("line 2: no"), count("as above")), (1, 2), "{}", ran.out);
    assert!(ran.out.contains("0 not, 3 unknown"), "{}", ran.out);
}

#[test]
fn verdicts_are_printed_saved_and_replayed() {
    let place = Place::new();
    place.file("a.ptx", PTX);
    place.file("p.csv", PROFILE);
    let ran = place.raddle(&["kernel", "verdict", "a.ptx", "--save", "v.toml"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    insta::assert_snapshot!("kernel_verdict", ran.out);
    let ran = place.raddle(&["kernel", "verdict", "a.ptx", "--format", "json"]);
    let all: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(all[0]["verdict"], "conditional");
    assert_eq!(all[0]["apart"], serde_json::json!([["from", "to"]]));
    assert_eq!((&all[1]["verdict"], &all[1]["at"]), (&"not".into(), &21.into()));

    let args = ["replay", "p.csv", "--device", "v100", "--recipe", "leftover", "--format", "json"];
    let with = place.raddle(&[&args[..], &["--no-files", "--idempotent-from", "v.toml"]].concat());
    assert_eq!((with.code, with.err.as_str()), (0, ""));
    // The readable name of the mangled one, and the plain one.
    assert!(
        with.out.contains("idempotent by v.toml: 2 launches; 1 of its kernels"),
        "{}",
        with.out
    );
}

#[test]
fn an_instrumented_source_is_written_with_what_stays_opaque() {
    let place = Place::new();
    place.file("a.ptx", PTX);
    let ran = place.raddle(&["kernel", "instrument", "a.ptx"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(ran.out.matches("_raddle_word];").count(), 2);
    // Only the kernel that may be killed looks at the second cut.
    assert_eq!(ran.out.matches("_d1+8];").count(), 1);
    place.file("b.cl", "#define K __kernel void\nK hidden() {}\n__kernel void seen() {}\n");
    let ran = place.raddle(&["kernel", "instrument", "b.cl", "--save", "out.cl"]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.out, "instrumented: seen\n");
    assert!(
        ran.err.contains("a kernel stays as it is: its head is made by a macro"),
        "{}",
        ran.err
    );
}

#[test]
fn what_cannot_be_judged_is_refused_or_unknown() {
    let place = Place::new();
    place.file("a.cu", "");
    place.file("bad.ptx", "nothing");
    place.file("b.cl", "__kernel void k(__global int *x) { x[0] = 1; }");
    for (file, code, said) in [
        ("a.cu", 1, "none of .cl"),
        ("bad.ptx", 1, "bad.ptx: line 1 of the PTX"),
        ("none.ptx", 1, "cannot be read"),
    ] {
        let ran = place.raddle(&["kernel", "verdict", file]);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{file}");
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    let missing = ["--clang", "/none/clang", "--llvm-spirv", "/none/llvm-spirv"];
    let ran = place.raddle(&[&["kernel", "verdict", "b.cl"][..], &missing].concat());
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("unknown") && ran.out.contains("cannot be run"), "{}", ran.out);
    place.file("wrong.toml", "[[kernel]]\nname = 3\n");
    let ran = place.raddle(&["replay", "x.csv", "--idempotent-from", "wrong.toml"]);
    assert_eq!(ran.code, 1);
}

#[test]
fn an_inspection_shows_the_verdicts_of_kernels_with_a_source() {
    let place = Place::new();
    let profile = PROFILE.to_owned()
        + "add_kernel,1,1,1,128,1,1,9500,1000\nsoftmax_rows,1,1,1,128,1,1,11000,1000\n";
    place.file("p.csv", profile);
    // Without sources it says how to get verdicts.
    let ran = place.raddle(&["inspect", "p.csv", "-v"]);
    assert!(ran.out.contains("--kernels FOLDER"), "{}", ran.out);
    // A cache of Triton, and a folder whose second source is no PTX.
    let cache = concat!(env!("CARGO_MANIFEST_DIR"), "/../raddle-kernel/tests/triton");
    std::fs::create_dir(place.path().join("kernels")).unwrap();
    place.file("kernels/a.ptx", PTX);
    place.file("kernels/b.ptx", "no PTX");
    // The most careful of several answers counts.
    place.file("kernels/c.ptx", PTX.replace("[%rd4]", "[%rd3]").replace("count", "other_count"));
    let named = ["inspect", "p.csv", "--kernels", cache, "--kernels", "kernels", "-v"];
    let ran = place.raddle(&named);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.err, "kernels/b.ptx: line 1 of the PTX: PTX begins with .version\n");
    insta::assert_snapshot!("inspect_verdicts", verdicts(&ran.out));
    let beside = place.raddle(&["inspect", "p.csv", "--format", "json"]);
    let document: Value = serde_json::from_str(&beside.out).unwrap();
    let found = document["profiles"][0]["verdicts"].as_array().unwrap();
    let names: Vec<&str> = found.iter().map(|each| each["kernel"].as_str().unwrap()).collect();
    assert_eq!(names, ["copy(float const*, float*)", "count"]);
    assert_eq!(place.raddle(&["inspect", "p.csv", "--kernels", "nowhere"]).code, 1);
}

/// Returns the table of verdicts in a printed text, with the note behind it.
fn verdicts(out: &str) -> String {
    let mut lines = out.lines().skip_while(|line| !line.contains("verdict"));
    lines
        .by_ref()
        .take_while(|line| !line.starts_with("Communication") && !line.contains("resident"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A number that must be zero, and macros that the device's compiler is said to lack, as a person reads
/// them, in JSON, and in a file for a replay, which knows no numbers.
#[test]
fn numbers_that_must_be_zero_are_named() {
    if std::process::Command::new("clang-15").arg("--version").output().is_err() {
        assert!(std::env::var_os("RADDLE_REQUIRE_CLANG").is_none(), "clang-15");
        println!("skipped: no clang");
        return;
    }
    let place = Place::new();
    let source = "__kernel void add(__global const float *a, __global float *c, float beta) {\n\
                  size_t i = get_global_id(0);\n#ifdef GPU\nc[i] += 1;\n#else\n\
                  c[i] = beta == 0 ? a[i] : a[i] + beta * c[i];\n#endif\n}\n";
    place.file("add.cl", source);
    let ran = place.raddle(&["kernel", "verdict", "add.cl"]);
    assert!(ran.out.contains("line 3: `GPU`, of which the device's compiler"), "{}", ran.out);
    let said = ["kernel", "verdict", "add.cl", "--lacks-others", "--save", "v.toml"];
    let ran = place.raddle(&said);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains("if zero: beta; if apart: a and c"), "{}", ran.out);
    let kept = std::fs::read_to_string(place.path().join("v.toml")).unwrap();
    assert!(kept.contains("verdict = \"unknown\"") && kept.contains("if zero: beta"), "{kept}");
    let ran = place.raddle(&[&said[..4], &["--format", "json"]].concat());
    let all: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(all[0]["verdict"], "conditional");
    assert_eq!(all[0]["zero"], serde_json::json!(["beta"]));
    let ran = place.raddle(&[&said[..4], &["--option", "-DGPU"]].concat());
    assert!(ran.out.contains("is read, changed and overwritten in place"), "{}", ran.out);
    // Numbers that keep parts of a buffer apart are named in the same way.
    let source = "__kernel void move(__global float *c, int from, int to) {\n\
                  size_t i = get_global_id(0);\nc[to + i] = c[from + i];\n}\n";
    place.file("move.cl", source);
    let ran = place.raddle(&["kernel", "verdict", "move.cl", "--save", "m.toml"]);
    assert!(ran.out.contains("if numbers keep reads and writes apart: c"), "{}", ran.out);
    let kept = std::fs::read_to_string(place.path().join("m.toml")).unwrap();
    assert!(kept.contains("verdict = \"unknown\"") && kept.contains("apart: c"), "{kept}");
    let ran = place.raddle(&["kernel", "verdict", "move.cl", "--format", "json"]);
    let all: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(all[0]["places"], serde_json::json!(["c"]));
}
