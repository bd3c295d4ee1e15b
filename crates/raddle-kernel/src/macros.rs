//! Which macro could make the device's compiler build other code than the one that was judged?
//!
//! A verdict holds for the code that one compiler builds. The device has another one, which defines
//! macros of its own. So every macro that decides what is compiled must be decided by the source, by the
//! options, or by OpenCL C for all compilers alike.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::lines::{LineKind, SourceLine, is_name, lines};

/// Returns (macro, line) for the first macro that decides what is compiled and may differ from
/// compiler to compiler; the line is 0 for a macro in an option. Also returns (name, line) of an
/// included file that cannot be read. `None` where the source, the options and OpenCL C decide all
/// macros.
pub(crate) fn undecided(source: &str, file: &Path, options: &[OsString]) -> Option<(String, u32)> {
    let given: Vec<String> =
        options.iter().map(|option| option.to_string_lossy().into_owned()).collect();
    let mut folders: Vec<PathBuf> = file.parent().map(Path::to_owned).into_iter().collect();
    let mut table = MacroTable::default();
    let mut rest = given.iter();
    while let Some(option) = rest.next() {
        let flags = ["-D", "-U", "-I", "-cl-std="];
        let Some(flag) = flags.into_iter().find(|flag| option.starts_with(flag)) else { continue };
        let value = match &option[flag.len()..] {
            "" => rest.next().map_or("", String::as_str),
            value => value,
        };
        match flag {
            "-I" => folders.push(PathBuf::from(value)),
            "-cl-std=" => table.language = Some(value.to_ascii_lowercase()),
            _ => {
                if let Some(name) = table.option(value) {
                    return Some((name, 0));
                }
            }
        }
    }
    table.read(source, &folders, 0).err()
}

/// Most undecided macros that are listed for one source.
const MOST_ASKED: usize = 64;

/// Returns the macros that decide what an OpenCL C source compiles to and that may differ from
/// compiler to compiler. They are found as if none of them were defined, in the source's order.
///
/// The source can be [judged](crate::Compiler::kernels) once the options have `-UNAME` for each of
/// these macros that the device's compiler does not define.
#[must_use]
pub fn undecided_macros(source: &str, options: &[OsString]) -> Vec<String> {
    all_undecided(source, Path::new(""), options)
}

/// Returns the macros of [`undecided_macros`] for a source in the file `file`, whose folder is
/// searched for included files.
pub(crate) fn all_undecided(source: &str, file: &Path, options: &[OsString]) -> Vec<String> {
    let (mut options, mut names) = (options.to_vec(), Vec::new());
    while names.len() < MOST_ASKED
        && let Some((name, _)) = undecided(source, file, &options)
        // A file that cannot be read is no name, and a macro that stays undecided comes again.
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !names.contains(&name)
    {
        options.push(format!("-U{name}").into());
        names.push(name);
    }
    names
}

/// Largest depth of nested `#include`s that is followed.
const DEEPEST: u32 = 32;

#[derive(Default)]
struct MacroTable {
    /// Macros that are known to be defined, or not defined, for every compiler.
    decided: BTreeSet<String>,
    /// Names that occur in the body of each macro, by the macro's name.
    bodies: BTreeMap<String, BTreeSet<String>>,
    /// Version of the OpenCL language that the options name; `None` where they name none.
    language: Option<String>,
}

impl MacroTable {
    /// Stores the macro that a compiler option `NAME` or `NAME=VALUE` defines. Returns a macro in
    /// the value that differs from compiler to compiler; `None` where there is none.
    fn option(&mut self, given: &str) -> Option<String> {
        let (name, value) = given.split_once('=').unwrap_or((given, ""));
        let name = name.split('(').next().unwrap_or(name).to_owned();
        let body = self.bodies.entry(name.clone()).or_default();
        for line in lines(value) {
            body.extend(line.names().map(str::to_owned));
        }
        let differs = body.iter().find(|name| is_of_compiler(name)).cloned();
        self.decided.insert(name);
        differs
    }

    /// Reads a source, or a file that it includes, and records its macros. Included files are
    /// looked up in `folders`; `depth` is the number of files through which this one is included.
    /// The error is (macro that is not decided, or name of a file that cannot be read; line).
    fn read(&mut self, source: &str, folders: &[PathBuf], depth: u32) -> Result<(), (String, u32)> {
        let lines = lines(source);
        let places = places(&lines);
        for (line, place) in lines.iter().zip(&places) {
            let at = |name: String| (name, line.number);
            match line.kind {
                LineKind::Code => self.used(line).map_err(at)?,
                LineKind::Define => self.define(line, place.depth).map_err(at)?,
                LineKind::Undefine if place.depth == 0 => {
                    self.decided.extend(line.names().map(str::to_owned));
                }
                LineKind::If | LineKind::ElseIf if place.decides && !place.guards => {
                    for (name, by_value) in asked(&line.words) {
                        if !self.is_decided(name, by_value, &mut BTreeSet::new()) {
                            return Err(at(name.to_owned()));
                        }
                    }
                }
                LineKind::Include => {
                    let read = |folder: &PathBuf| std::fs::read_to_string(folder.join(&line.path));
                    let text = folders.iter().find_map(|folder| read(folder).ok());
                    let text = text.filter(|_| depth < DEEPEST);
                    let text = text.ok_or_else(|| at(line.path.clone()))?;
                    self.read(&text, folders, depth + 1).map_err(|(name, _)| at(name))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn define(&mut self, line: &SourceLine, depth: u32) -> Result<(), String> {
        let Some(name) = line.words.first() else { return Ok(()) };
        self.used(line)?;
        let body = self.bodies.entry(name.clone()).or_default();
        body.extend(line.names().map(str::to_owned));
        // In a branch that is not taken, a compiler's own macro stays what it is.
        if depth == 0 || !is_reserved(name) {
            self.decided.insert(name.clone());
        }
        Ok(())
    }

    /// Checks that a line of code uses no macro whose value differs from compiler to compiler. The
    /// error is the macro's name.
    fn used(&self, line: &SourceLine) -> Result<(), String> {
        let differs = |name: &&str| {
            is_of_compiler(name) && !self.decided.contains(*name) && !self.is_fixed(name, true)
        };
        line.names().find(differs).map_or(Ok(()), |name| Err(name.to_owned()))
    }

    /// Returns whether a macro is the same for all compilers: its value if `by_value` is true, else
    /// only whether it is defined. `seen` has the macros that this search has visited, so that
    /// cycles end.
    fn is_decided(&self, name: &str, by_value: bool, seen: &mut BTreeSet<String>) -> bool {
        if self.is_fixed(name, by_value) {
            return true;
        }
        if !self.decided.contains(name) {
            return false;
        }
        if !by_value || !seen.insert(name.to_owned()) {
            return true;
        }
        let body = self.bodies.get(name);
        body.into_iter().flatten().all(|name| self.is_decided(name, true, seen))
    }

    /// Returns whether OpenCL C fixes a macro for all compilers: its value if `by_value` is true,
    /// else only whether it is defined.
    fn is_fixed(&self, name: &str, by_value: bool) -> bool {
        let cpp = self.language.as_deref().is_some_and(|language| language.starts_with("clc++"));
        match name {
            "__LINE__" | "__FILE__" | "defined" | "NULL" | "CHAR_BIT" | "INT_MAX" | "INT_MIN"
            | "UINT_MAX" | "CL_VERSION_1_0" | "CL_VERSION_1_1" | "CL_VERSION_1_2" => true,
            "__OPENCL_VERSION__" => !by_value,
            "__OPENCL_C_VERSION__" => !by_value || self.language.is_some(),
            "__cplusplus" | "__OPENCL_CPP_VERSION__" => !cpp,
            _ => false,
        }
    }
}

/// Position of a source line within the `#if` conditions of the preprocessor.
#[derive(Clone, Copy, Default)]
struct ConditionPlace {
    /// Number of preprocessor conditions (`#if`) around the source line that is read now; include
    /// guards (`#ifndef X`, with a `#define X` in it) are not counted.
    depth: u32,
    /// True for a condition that decides which code is compiled; false where it encloses only
    /// pragmas and other lines that change nothing.
    decides: bool,
    /// True for the condition by which a program guards a definition: `#ifndef X`, with a `#define
    /// X` in it.
    guards: bool,
}

fn places(lines: &[SourceLine]) -> Vec<ConditionPlace> {
    let mut places = vec![ConditionPlace::default(); lines.len()];
    // The lines of each open condition.
    let mut open: Vec<Vec<usize>> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        match line.kind {
            LineKind::If => {
                open.push(vec![index]);
                places[index].guards = guards(&lines[index..]);
            }
            LineKind::ElseIf => open.last_mut().into_iter().for_each(|group| group.push(index)),
            LineKind::EndIf => {
                open.pop();
            }
            LineKind::Else | LineKind::Other => {}
            _ => open.iter().flatten().for_each(|&index| places[index].decides = true),
        }
        let around =
            open.iter().filter(|group| !group.first().is_some_and(|&it| places[it].guards));
        places[index].depth = u32::try_from(around.count()).unwrap_or(u32::MAX);
    }
    places
}

/// Returns whether the first of these lines begins an include guard: `#ifndef X` for a macro X of
/// the program itself, which is defined before the condition ends, or is defined as nothing in the
/// next line.
fn guards(lines: &[SourceLine]) -> bool {
    let words: Vec<&str> = lines[0].words.iter().map(String::as_str).collect();
    let name = match words[..] {
        ["!", "defined", name] | ["!", "defined", "(", name, ")"] => name,
        _ => return false,
    };
    let defines = |line: &SourceLine| {
        line.kind == LineKind::Define && line.words.first().is_some_and(|word| word == name)
    };
    if is_reserved(name) {
        let next = lines.get(1).is_some_and(|line| defines(line) && line.words.len() == 1);
        return next && name.starts_with('_');
    }
    let mut depth = 0_u32;
    for line in lines {
        match line.kind {
            LineKind::If => depth += 1,
            LineKind::EndIf => depth = depth.saturating_sub(1),
            _ if defines(line) => return true,
            _ => {}
        }
        if depth == 0 {
            return false;
        }
    }
    false
}

/// Returns the macros that a preprocessor condition tests, each as (macro, whether its value
/// matters). False means that it only matters whether the macro is defined.
fn asked(words: &[String]) -> Vec<(&str, bool)> {
    let mut all = Vec::new();
    let mut before = ["", ""];
    for word in words.iter().map(String::as_str) {
        if is_name(word) && word != "defined" {
            let defined = before[1] == "defined" || before == ["defined", "("];
            all.push((word, !defined));
        }
        before = [before[1], word];
    }
    all
}

/// Returns whether the name of a macro is reserved for compilers, which may define it by
/// themselves.
fn is_reserved(name: &str) -> bool {
    const BEGINS: [&str; 10] =
        ["_", "cl_", "cles_", "CL_", "CLK_", "FP_", "FLT_", "DBL_", "HALF_", "POCL"];
    const NUMBERS: [&str; 13] = [
        "M_E",
        "M_LOG2E",
        "M_LOG10E",
        "M_LN2",
        "M_LN10",
        "M_PI",
        "M_PI_2",
        "M_PI_4",
        "M_1_PI",
        "M_2_PI",
        "M_2_SQRTPI",
        "M_SQRT2",
        "M_SQRT1_2",
    ];
    const OTHERS: [&str; 10] = [
        "NULL",
        "NAN",
        "INFINITY",
        "MAXFLOAT",
        "HUGE_VAL",
        "HUGE_VALF",
        "linux",
        "unix",
        "i386",
        "kernel_exec",
    ];
    let number = name.strip_suffix("_F").or_else(|| name.strip_suffix("_H")).unwrap_or(name);
    BEGINS.iter().any(|begin| name.starts_with(begin))
        || NUMBERS.contains(&number)
        || OTHERS.contains(&name)
        || name.ends_with("_MAX") && is_integer_type(name)
        || name.ends_with("_MIN") && is_integer_type(name)
        || name == "CHAR_BIT"
}

fn is_integer_type(name: &str) -> bool {
    let ty = name.get(..name.len() - 4).unwrap_or(name);
    ["CHAR", "SCHAR", "UCHAR", "SHRT", "USHRT", "INT", "UINT", "LONG", "ULONG"].contains(&ty)
}

/// Returns whether a macro of this name tells compilers or devices apart, so that its value differs
/// between them.
fn is_of_compiler(name: &str) -> bool {
    const BEGINS: [&str; 12] = [
        "cl_khr_",
        "cl_intel_",
        "cl_amd_",
        "cl_arm_",
        "cl_clang_",
        "cl_ext_",
        "cl_nv_",
        "cl_qcom_",
        "cles_",
        "__opencl",
        "__clang",
        "__cl_",
    ];
    let upper = name.strip_prefix("__").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_uppercase()) && !rest.starts_with("ATOMIC_")
    });
    upper
        || BEGINS.iter().any(|begin| name.starts_with(begin))
        || name == "__llvm__"
        || name == "_LP64"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(source: &str, options: &[&str]) -> Option<(String, u32)> {
        let options: Vec<OsString> = options.iter().map(OsString::from).collect();
        undecided(source, Path::new("kernel.cl"), &options)
    }

    fn refused(source: &str, options: &[&str], name: &str, line: u32) {
        assert_eq!(told(source, options), Some((name.to_owned(), line)), "{source}");
    }

    fn decided(source: &str, options: &[&str]) {
        assert_eq!(told(source, options), None, "{source}");
    }

    #[test]
    fn the_macros_to_ask_for_are_found() {
        let source = "#ifdef cl_a\n#define B 1\n#endif\n#if defined(POCL) && __GPU__ > 1\nint a;\n#endif\n\
                      #ifdef cl_a\nint b;\n#endif\n#include \"other.h\"\n";
        assert_eq!(undecided_macros(source, &[]), ["cl_a", "POCL", "__GPU__"]);
        assert_eq!(undecided_macros(source, &["-D__GPU__=2".into()]), ["cl_a", "POCL"]);
        assert_eq!(undecided_macros("int a;", &[]), Vec::<String>::new());
    }

    #[test]
    fn a_macro_of_the_device_is_not_decided() {
        for name in ["POCL_DEVICE_ADDRESS_BITS", "cl_intel_subgroups", "__GPU__", "FAST"] {
            refused(&format!("\n#ifdef {name}\nint a;\n#endif"), &[], name, 2);
            refused(&format!("#ifndef {name}\nint a;\n#endif"), &[], name, 1);
            refused(
                &format!("#if 1\n#elif X + defined({name})\nint a;\n#endif"),
                &["-DX"],
                name,
                2,
            );
            decided(&format!("#ifdef {name}\nint a;\n#endif"), &["-D", &format!("{name}=1")]);
            decided(&format!("#if {name} > 3\nint a;\n#endif"), &[&format!("-U{name}")]);
        }
        refused("#if __OPENCL_VERSION__ >= 120\nint a;\n#endif", &[], "__OPENCL_VERSION__", 1);
        refused("int a = __OPENCL_VERSION__;", &[], "__OPENCL_VERSION__", 1);
        refused("\n#define F(x) (x + __SPIR64__)\n", &[], "__SPIR64__", 2);
    }

    #[test]
    fn branches_without_code_decide_nothing() {
        let pragma = "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
        decided(
            &format!("{pragma}#elif defined(cl_amd_fp64)\n// none\n#else\n#error no\n#endif"),
            &[],
        );
        refused(&format!("{pragma}#define DOUBLE\n#endif"), &[], "cl_khr_fp64", 1);
        refused(&format!("{pragma}#else\n#if 1\nint a;\n#endif\n#endif"), &[], "cl_khr_fp64", 1);
    }

    #[test]
    fn macros_of_the_program_are_decided() {
        decided("#define A 1\n#if A == 1u && !defined(B) || defined A\nint a;\n#endif", &["-UB"]);
        decided("#ifndef TILE\n#define TILE 16\n#endif\n#if TILE > 8\nint a;\n#endif", &[]);
        decided("#ifndef __OWN_H__\n#define __OWN_H__\nint a;\n#endif", &[]);
        decided(
            "#if !defined(T)\n#if K\n#define T 1\n#else\n#define T 2\n#endif\n#endif",
            &["-DK=0"],
        );
        decided(
            "#ifdef __OPENCL_VERSION__\nint a;\n#endif\n#ifndef __cplusplus\nint b;\n#endif",
            &[],
        );
        decided("#if __OPENCL_C_VERSION__ < 200\nint a;\n#endif", &["-cl-std=CL1.2"]);
        decided("/*\n#ifdef GPU\n*/ int a; // \\\n#ifdef GPU\n", &[]);
    }

    #[test]
    fn what_only_looks_decided_is_not() {
        // A macro that is asked for before it is defined, or whose value is another one's.
        refused("#ifdef A\nint a;\n#endif\n#define A\n", &[], "A", 1);
        refused("#define A GPU\n#if A\nint a;\n#endif", &[], "A", 2);
        refused("#if A\nint a;\n#endif", &["-DA=GPU"], "A", 1);
        refused("int a = A;", &["-DA=__GPU__"], "__GPU__", 0);
        // A default for what a compiler may define.
        refused("#ifndef M_PI\n#define M_PI 3.0f\n#endif", &[], "M_PI", 1);
        refused("#ifndef cl_khr_fp64\n#define cl_khr_fp64\n#endif", &[], "cl_khr_fp64", 1);
        refused(
            "#if A\n#define __GPU__\n#endif\n#ifdef __GPU__\nint a;\n#endif",
            &["-DA=0"],
            "__GPU__",
            4,
        );
        refused("#if __OPENCL_C_VERSION__ < 200\nint a;\n#endif", &[], "__OPENCL_C_VERSION__", 1);
        refused("\n#include \"nowhere.h\"", &[], "nowhere.h", 2);
        refused("#\\\nif\\\ndef GPU\nint a;\n#endif", &[], "GPU", 1);
        refused("/* */ # /* */ ifdef GPU\nint a;\n#endif", &[], "GPU", 1);
    }
}
