//! May a source in OpenCL C have a variable that outlives a launch?
//!
//! The variable exists once for each program object, so its launches must not run from two program
//! objects. The text is read as it stands, in every branch of every condition. What cannot be told
//! counts as a variable: a macro at the place of a declaration, an included file.

use std::collections::BTreeMap;

use crate::lines::{LineKind, is_name, lines};

/// Returns the first line of an OpenCL C source that may declare a variable which outlives a
/// launch: one of program scope in the global address space, or a static one in a function; `None`
/// where there is none. Launches of such a source must not run from two programs. OpenCL C has both
/// kinds from version 2.0 on.
///
/// ```
/// use raddle_kernel::instrument::variable;
///
/// assert_eq!(variable("constant int table[2] = { 1, 2 };\nglobal int count;"), Some(2));
/// assert_eq!(variable("kernel void f(global int *x) { x[0] = 1; }"), None);
/// ```
#[must_use]
pub fn variable(source: &str) -> Option<u32> {
    let lines = lines(source);
    let included = lines.iter().find(|line| line.kind == LineKind::Include);
    let mut macros: BTreeMap<&str, Vec<CutsWord<'_>>> = BTreeMap::new();
    let mut code: Vec<CutsWord<'_>> = Vec::new();
    for line in &lines {
        let words = line.words.iter().map(|text| CutsWord { text, line: line.number });
        match (line.kind, line.words.first()) {
            (LineKind::Code, _) => code.extend(words),
            (LineKind::Define, Some(name)) => macros.entry(name).or_default().extend(words.skip(1)),
            _ => {}
        }
    }
    let bodies = macros.values().map(Vec::as_slice);
    let texts = bodies.chain([code.as_slice()]);
    let declared = texts.filter_map(|text| declared(text, &macros));
    declared.chain(included.map(|line| line.number)).min()
}

#[derive(Clone, Copy)]
struct CutsWord<'s> {
    text: &'s str,
    line: u32,
}

type Macros<'m> = BTreeMap<&'m str, Vec<CutsWord<'m>>>;

/// Returns the line of the first declaration in the words `text` that may declare a variable;
/// `None` where there is none. A declaration that does not end in `text`, such as one in the body
/// of a macro, is left out: it is found where the macro is used.
fn declared(text: &[CutsWord<'_>], macros: &Macros<'_>) -> Option<u32> {
    // The words of a declaration outside of brackets; of each bracket its signs stay.
    let mut declaration: Vec<CutsWord<'_>> = Vec::new();
    let mut at = 0;
    while let Some(&word) = text.get(at) {
        let end = match word.text {
            "(" => behind(text, at, "(", ")"),
            "[" => behind(text, at, "[", "]"),
            "{" => behind(text, at, "{", "}"),
            _ => at + 1,
        };
        let inner = text.get(at + 1..end.saturating_sub(1)).unwrap_or_default();
        at = end;
        match word.text {
            ";" => {
                if let Some(first) =
                    declaration.first().filter(|_| is_variable(&declaration, macros))
                {
                    return Some(first.line);
                }
                declaration.clear();
                continue;
            }
            "(" if declaration.last().is_some_and(|last| last.text == "__attribute__") => {
                declaration.pop();
                continue;
            }
            // The body of a function.
            "{" if declaration.last().is_some_and(|last| last.text == "(") => {
                if let Some(line) = lives_on(inner, macros) {
                    return Some(line);
                }
                declaration.clear();
                continue;
            }
            _ => {}
        }
        declaration.push(word);
    }
    None
}

/// Returns the index of the word behind the bracket `closes` that closes the bracket `opens` at the
/// index `open`; the end of the text where none does.
fn behind(text: &[CutsWord<'_>], open: usize, opens: &str, closes: &str) -> usize {
    let mut depth = 0_u32;
    for (at, word) in text.iter().enumerate().skip(open) {
        if word.text == opens {
            depth += 1;
        } else if word.text == closes {
            depth -= 1;
            if depth == 0 {
                return at + 1;
            }
        }
    }
    text.len()
}

fn is_variable(declaration: &[CutsWord<'_>], macros: &Macros<'_>) -> bool {
    let has = |any: &[&str]| declaration.iter().any(|word| any.contains(&word.text));
    let Some(last) = declaration.last() else { return false };
    let names: Vec<&str> = declaration
        .iter()
        .take_while(|word| word.text != "(" && word.text != "=")
        .map(|word| word.text)
        .filter(|word| is_name(word) && !NO_TYPES.contains(word))
        .collect();
    if has(&["typedef", "_Static_assert"]) {
        return false;
    }
    // A constant does no harm twice, and a sampler is no memory.
    if has(&["constant", "__constant", "const", "sampler_t"]) && !has(&["*"]) {
        return false;
    }
    let is_tag = names.first().is_some_and(|first| ["struct", "union", "enum"].contains(first));
    let brackets = declaration.iter().filter(|word| word.text == "(").count();
    if last.text == "(" && brackets == 1 && !has(&["="]) {
        // A function has a type and a name, which is no macro.
        let known = names.last().is_some_and(|name| !macros.contains_key(name));
        return !known || names.len() < 2 + usize::from(is_tag);
    }
    // A type alone, as it is declared or defined.
    !is_tag || !(last.text == "{" || names.len() == 2 && names.last() == Some(&last.text))
}

/// Keywords in a declaration that name neither a type nor the declared thing.
const NO_TYPES: [&str; 7] =
    ["static", "inline", "__inline", "__inline__", "extern", "kernel", "__kernel"];

/// Returns the line of a static variable that is declared in the body of a function; `None` where
/// there is none.
fn lives_on(body: &[CutsWord<'_>], macros: &Macros<'_>) -> Option<u32> {
    let is_static = |word: &CutsWord<'_>| word.text == "static";
    let found = body.iter().enumerate().find(|(at, word)| {
        let next = body.get(at + 1).map_or("", |word| word.text);
        is_static(word) && !["constant", "__constant", "const"].contains(&next)
            || macros.get(word.text).is_some_and(|body| body.iter().any(is_static))
    });
    found.map(|(_, word)| word.line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found() {
        for source in [
            "global int c;",
            "int c;",
            "int a[3] = { 1, 2, 3 }, b;",
            "atomic_int c = ATOMIC_VAR_INIT(0);",
            "constant int *p;",
            "const global int *p;",
            "struct S { int x; } s;",
            "struct S s;",
            "global struct S s;",
            "int (*f)(int);",
            "extern global int c;",
            "kernel void f() { static int c; }",
            "kernel void f() { { static global int c = 0; } }",
            "#define V global int c\nV;",
            "#define V global int c;\nV kernel void f() {}",
            "#define V(x) global int x\nV(c);",
            "#define V(x) x\nint V(c);",
            "#define S static\nkernel void f() { S int c; }",
            "#define K(n) kernel void n() { static int c; c++; }\nK(f)",
            "#if 0\nint c;\n#endif",
            "#include \"other.h\"",
            "void f();\n/* */ int c; void g();",
        ] {
            assert!(variable(source).is_some(), "{source}");
        }
        assert_eq!(variable("void f();\n\nint c;"), Some(3));
    }

    #[test]
    fn other_declarations_are_not() {
        for source in [
            "constant int t[2] = { 1, 2 };",
            "__constant sampler_t s = CLK_FILTER_NEAREST;",
            "const sampler_t s = CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;",
            "const int t[2] = { 1, 2 };",
            "typedef struct { int x; } S; typedef int (*F)(int);",
            "struct S { int x; }; union U; enum E { A, B = 3 };",
            "struct __attribute__((packed)) S { int x; };",
            "static inline int f(int a, global int *b); int g(void) { int c = 3; return c; }",
            "__attribute__((always_inline)) float4 f(float4 a) { return a; }",
            "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(global int *x) { x[0] = 1; }",
            "__kernel void f(__global int *x) { local int l[3]; static constant int t[1] = { 1 }; }",
            "#define INLINE static inline\nINLINE int f(int a) { return a; }",
            "#define T float\n#define K(T) kernel void f_##T(global T *x) { x[0] = 0; }\nK(int)\nK(T)",
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n;;",
            "struct S f(int a);",
        ] {
            assert_eq!(variable(source), None, "{source}");
        }
    }
}
