//! Are the branches that a compiler says it takes those which its preprocessor takes?

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use raddle_kernel::{Branches, Compiler, Kernel};

use crate::corpus::compiler;

/// Sources whose branches are decided by what this compiler defines, by other macros, or by nothing.
const SOURCES: [&str; 9] = [
    "#ifdef __SPIR64__\nint a;\n#endif\n#ifndef __SPIR64__\nint b;\n#else\nint c;\n#endif\n",
    "#if defined(NONE)\nint a;\n#elif __OPENCL_C_VERSION__ >= 120 // 1.2\nint b;\n#elif 1\nint c;\n#endif\n",
    "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define D 1\n#else\n#define E\n#endif\n\
     #ifdef D\n#if D == 1 && !defined(E)\nint a;\n#else\nint b;\n#endif\n#else\n#error none\n#endif\nint c;\n",
    "#if !defined(__has_builtin)\n#define __has_builtin(x) 0\n#endif\n#if __has_builtin(__builtin_assume)\nint a;\n\
     #else\nint b;\n#endif\n",
    "#define A(x) (x) + \\\n  1\n#if A(1) == \\\n 2\nint a; /* #else\n*/ int b;\n#  else\nint c;\n# endif\nint d;\n",
    "/* c */ #if 0 /* never\n */\n#if 1\nint a;\n#else\nint b;\n#endif\n#ifdef X\n#elif Y\n#else\nint c;\n#endif\n\
     int d;\n#endif // 0\n",
    "#undef __SPIR64__\n#ifdef __SPIR64__\nint a;\n#endif\n#ifndef G\n#define G\n#ifdef G\nint b;\n#endif\n#endif",
    "%:ifdef __SPIR__\nint a;\n%:else\nint b;\n%:endif\n",
    "#pragma unroll\n#if 1\n#line 7\nint a;\n#endif\n",
];

#[test]
fn the_named_branches_are_those_of_the_preprocessor() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = 0;
    for source in SOURCES {
        let branches = Branches::of(source, "").expect("a source without numbers of lines");
        let taken = branches.taken(&built(&compiler, folder.path(), &branches.question(), &[]));
        let taken = taken.unwrap_or_else(|| panic!("{source}: {}", branches.question()));
        assert_eq!(taken.lines().count(), source.lines().count(), "{source}");
        let code = |text: &str| preprocessed(folder.path(), text);
        assert_eq!(code(&taken), code(source), "{source}\n{taken}");
        seen += taken.lines().filter(|line| line.starts_with("int ")).count();
    }
    assert!(seen > 9, "{seen}");
}

/// Returns the names of the kernels that a compiler builds of a source.
fn built(
    compiler: &Compiler,
    folder: &Path,
    source: &str,
    options: &[OsString],
) -> BTreeSet<String> {
    let file = folder.join("question.cl");
    std::fs::write(&file, source).expect("a file");
    let spirv = compiler.spirv(&file, options).expect("OpenCL C");
    let kernels = Kernel::from_spirv(&spirv).expect("SPIR-V");
    kernels.iter().map(|kernel| kernel.name().to_owned()).collect()
}

/// Returns the words that are left of a source behind the preprocessor.
fn preprocessed(folder: &Path, source: &str) -> Vec<String> {
    let file = folder.join("source.cl");
    std::fs::write(&file, source).expect("a file");
    let clang = std::env::var_os("PATH").and_then(|path| {
        let all = std::env::split_paths(&path).flat_map(|folder| {
            ["15", "16", "17", "18", "19", "14"]
                .map(|version| folder.join(format!("clang-{version}")))
        });
        all.into_iter().find(|file| file.is_file())
    });
    let mut clang = Command::new(clang.expect("clang"));
    clang.args(["-target", "spir64", "-x", "cl", "-cl-std=CL1.2", "-w", "-E", "-P"]).arg(&file);
    let done = clang.output().expect("clang");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).split_whitespace().map(str::to_owned).collect()
}

/// A compiler whose answer lacks a branch, names two of one condition, or others, is not believed.
#[test]
fn answers_that_do_not_fit_say_nothing() {
    let source = "#ifdef A\nint a;\n#else\nint b;\n#endif\n#if B\n#if C\nint c;\n#endif\n#endif\n";
    let branches = Branches::of(source, "").expect("a source without numbers of lines");
    let taken = |names: &[&str]| {
        branches.taken(&names.iter().map(|name| format!("raddle_takes_{name}")).collect())
    };
    assert_eq!(taken(&["0", "9", "all"]).as_deref(), Some("\nint a;\n\n\n\n\n\n\n\n\n"));
    assert_eq!(taken(&["2", "5", "6", "all"]).as_deref(), Some("\n\n\nint b;\n\n\n\nint c;\n\n\n"));
    for wrong in [
        &["0", "2", "9", "all"][..],
        &["9", "all"],
        &["0", "all"],
        &["0", "9"],
        &["0", "5", "all"],
        &["0", "6", "9", "all"],
        &["0", "9", "all", "other"],
        &["0", "5", "6", "8", "all"],
        &[],
    ] {
        assert_eq!(taken(wrong), None, "{wrong:?}");
    }
    assert_eq!(Branches::of("#if 1\n#else\n", "").expect("lines").taken(&BTreeSet::new()), None);
    for shifting in [
        "#if __LINE__ == 1\n#endif",
        "#define L __COUNTER__\n",
        "_Pragma(\"push_macro(\\\"A\\\")\")",
        "#pragma push_macro(\"A\")\n",
        "#include \"where.h\"\n",
    ] {
        assert!(Branches::of(shifting, "").is_none(), "{shifting}");
    }
    let named = "#if WHERE > 9\n#endif\n";
    assert!(
        Branches::of(named, "-DWHERE=__LINE__").is_none() && Branches::of(named, "-DX").is_some()
    );
}

/// A source that hides the words of the question is answered without its branches, and so not believed.
#[test]
fn a_source_that_hides_the_question_is_not_believed() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let source = "#define __kernel\n#ifdef A\nint a;\n#endif\n#undef __kernel\n";
    let branches = Branches::of(source, "").expect("a source without numbers of lines");
    let kernels = built(&compiler, folder.path(), &branches.question(), &[]);
    assert_eq!(branches.taken(&kernels), None, "{kernels:?}");
}

#[test]
fn macros_that_nothing_decides_can_be_taken_for_lacking() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bodies.cl");
    let source = "__kernel void f(__global int *a) {\n  size_t i = get_global_id(0);\n#ifdef cl_intel_subgroups\n  \
                  a[i] += i;\n#else\n  a[i] = i;\n#endif\n}\n";
    std::fs::write(&file, source).expect("a file");
    let word = |compiler: &Compiler, options: &[OsString]| {
        let kernels = compiler.kernels(&file, options).expect("OpenCL C");
        format!("{:?}", kernels[0].verdict()).split(['(', ' ']).next().map(str::to_owned)
    };
    assert_eq!(word(&compiler, &[]).as_deref(), Some("Unknown"));
    let compiler = compiler.lacking_others();
    assert_eq!(word(&compiler, &[]).as_deref(), Some("Idempotent"));
    assert_eq!(word(&compiler, &["-Dcl_intel_subgroups=1".into()]).as_deref(), Some("Not"));
}
