//! How does OpenCL C get the prologue?
//!
//! As text, token by token: comments, strings and lines of the preprocessor are left as they are,
//! and lines keep their numbers. Four arguments are appended to each kernel: the words (states of
//! launches), the two cuts (ranges of launches that leave or are killed, each as first number and
//! count), the index of the launch's word, and the launch's number.

use std::collections::BTreeMap;

use super::text::{Token, behind, behind_brackets, is_word, logical_line, tokens};
use super::told;
use super::{Instrumented, Look, Opaque};

/// Adds the prologue, a test of the preemption flag, to each kernel of an OpenCL C source, and
/// returns the new source. `look` gets the name of a kernel, and returns the kind of test by which
/// the kernel may also be stopped part-way.
///
/// ```
/// use raddle_kernel::instrument::{Look, opencl};
///
/// let source = "__kernel void zero(__global int *x) { x[get_global_id(0)] = 0; }";
/// let done = opencl(source, |_| Look::WorkItem);
/// assert_eq!(done.kernels, ["zero"]);
/// assert!(done.source.contains("if (raddle_decided("));
/// ```
#[must_use]
pub fn opencl(source: &str, look: impl FnMut(&str) -> Look) -> Instrumented {
    opencl_in_ranges(source, look, |_| false)
}

/// Adds the prologue to each kernel of an OpenCL C source, as [`opencl`] does, and prepares kernels
/// for launches that are cut into ranges of workgroups.
///
/// `asks` gets the name of a kernel, and returns true if the kernel uses the index of its workgroup
/// or the size of the launch, so that it must be told its range. Where the text allows that, the
/// kernel is listed as [told](Instrumented::told), and gets three more arguments of type `uint`
/// behind those of the prologue. They are the dimension along which the launch is cut (3 for a
/// whole launch) and, in that dimension, the first workgroup of the range and the number of
/// workgroups of the whole launch.
#[must_use]
pub fn opencl_in_ranges(
    source: &str,
    mut look: impl FnMut(&str) -> Look,
    mut asks: impl FnMut(&str) -> bool,
) -> Instrumented {
    let tokens = tokens(source);
    let mut heads = Vec::new();
    let mut opaque: Vec<(String, Opaque)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_kernel(&tokens[at]) {
            match head(&tokens, at) {
                Ok(head) => {
                    at = head.end;
                    heads.push(head);
                    continue;
                }
                Err((name, why)) => opaque.push((name, why)),
            }
        }
        at += 1;
    }
    for name in in_macros(source) {
        opaque.push((name, Opaque::Macro));
    }
    let called = called(&tokens, &heads);
    let mut edits: BTreeMap<usize, String> = BTreeMap::new();
    let mut kernels: Vec<String> = Vec::new();
    let bodies: Vec<_> = heads.iter().filter_map(|head| head.inner(&tokens)).collect();
    let may_tell = told::may_tell(source, &tokens, &bodies);
    let mut told: Vec<String> = Vec::new();
    for head in &heads {
        if called.contains(&head.name) {
            if !opaque.iter().any(|(name, _)| name == head.name) {
                opaque.push((head.name.to_owned(), Opaque::Called));
            }
            continue;
        }
        // A list that is `void` becomes a comment.
        let before = match head.void {
            Some(void) => {
                edits.insert(void, "/*".to_owned());
                "*/"
            }
            None if head.empty => "",
            None => ", ",
        };
        let inner = head.inner(&tokens).filter(|_| may_tell && asks(head.name));
        let more = if inner.is_some() { told::ARGUMENTS } else { "" };
        edits.insert(head.close, format!("{before}{ARGUMENTS}{more}"));
        if let Some(inner) = inner {
            edits.extend(told::edits(&tokens[inner]));
            told.push(head.name.to_owned());
        }
        if let Some(body) = head.body {
            edits.insert(body, prologue(look(head.name)));
            if !kernels.iter().any(|name| name == head.name) {
                kernels.push(head.name.to_owned());
            }
        }
    }
    let mut out = String::with_capacity(source.len() + 2048);
    if !kernels.is_empty() {
        out.push_str(if told.is_empty() { "" } else { told::HELPERS });
        out.push_str(HELPERS);
    }
    let mut from = 0;
    for (at, text) in edits {
        out.push_str(&source[from..at]);
        out.push_str(&text);
        from = at;
    }
    out.push_str(&source[from..]);
    Instrumented { source: out, kernels, told, opaque }
}

const ARGUMENTS: &str = "__global raddle_shared uint *restrict raddle_words, \
                         __global const raddle_shared uint *restrict raddle_cuts, \
                         uint raddle_slot, uint raddle_number";

/// Text of the OpenCL C functions that a kernel's prologue calls. The prologue tests at the start
/// of a launch whether the launch should leave.
///
/// A compiler that vectorises over work-items, such as PoCL's, should run the test only once for a
/// whole workgroup, at the cost of a read. It does so under two conditions. First, the word of the
/// launch (its state in shared memory) and the second cut (the range of launch numbers that must
/// stop) are plain reads by arguments alone. Second, no value is merged from two branches or comes
/// from an atomic operation.
///
/// On a CPU, plain reads see the stores of the host, as the caches agree; elsewhere each read
/// passes the caches.
///
/// If the word is not 1, it is read once more, as another work-item may have decided meanwhile.
///
/// The text ends with a `#line` directive for the first line of the source, so that messages of the
/// compiler name the right lines.
const HELPERS: &str = "\
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define raddle_shared
inline void raddle_swap(__global volatile uint *word, uint from, uint to) {
  __atomic_compare_exchange_n(word, &from, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#else
#define raddle_shared volatile
inline void raddle_swap(__global volatile uint *word, uint from, uint to) { atomic_cmpxchg(word, from, to); }
#endif
inline uint raddle_decided(__global volatile uint *words, __global const volatile uint *cuts, uint slot, uint number) {
  if (words[slot] == 0) raddle_swap(&words[slot], 0, number - cuts[0] < cuts[1] ? 2 : 1);
  return words[slot];
}
inline int raddle_killed(__global volatile uint *words, __global const volatile uint *cuts, uint slot, uint number) {
  if (number - cuts[2] < cuts[3]) raddle_swap(&words[slot], 1, 3);
  return words[slot] == 3;
}
#line 1
";

fn prologue(look: Look) -> String {
    let given = "raddle_words, raddle_cuts, raddle_slot, raddle_number";
    let word = "raddle_words[raddle_slot]";
    let leaves =
        |how| format!(" if ({word} != 1) {{ if (raddle_decided({given}) {how}) return; }}");
    match look {
        Look::Never => leaves("== 2"),
        // The cut is read first, as a read that always happens can be taken once.
        Look::WorkItem => format!(
            " int raddle_cut = raddle_number - raddle_cuts[2] < raddle_cuts[3];{} \
             if (raddle_cut) {{ raddle_swap(&{word}, 1, 3); return; }}",
            leaves("!= 1")
        ),
        Look::Workgroup => format!(
            "{} __local int raddle_stop; \
             if (get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0) \
             raddle_stop = raddle_killed({given}); \
             barrier(CLK_LOCAL_MEM_FENCE); if (raddle_stop) return;",
            leaves("== 2")
        ),
    }
}

fn is_kernel(token: &Token<'_>) -> bool {
    matches!(token.text, "__kernel" | "kernel")
}

/// Head (declaration) of a kernel in the source text: from the keyword `kernel` to the brace of its
/// body, or to the semicolon of a declaration.
#[derive(Debug)]
struct Head<'s> {
    name: &'s str,
    /// Index, in the list of tokens, of the name of the kernel.
    token: usize,
    /// Byte offset of the closing parenthesis of the parameters in the source.
    close: usize,
    empty: bool,
    /// Byte offset of the word `void` in the source, if that is the whole list of parameters; else
    /// `None`.
    void: Option<usize>,
    /// Byte offset in the source behind the brace that opens the kernel's body; `None` for a kernel
    /// that is only declared.
    body: Option<usize>,
    /// Index, in the list of tokens, of the first token behind the head of a kernel, which ends
    /// with its closing bracket.
    end: usize,
}

impl Head<'_> {
    /// Returns the range of tokens of the kernel's body, without its braces; `None` for a kernel
    /// without a body, or with one that is not closed.
    fn inner(&self, tokens: &[Token<'_>]) -> Option<std::ops::Range<usize>> {
        self.body?;
        let open = self.end.checked_sub(1)?;
        Some(self.end..behind(tokens, open, ("{", "}"))? - 1)
    }
}

fn head<'s>(tokens: &[Token<'s>], kernel: usize) -> Result<Head<'s>, (String, Opaque)> {
    let mut at = kernel + 1;
    let unknown = || ("a kernel".to_owned(), Opaque::Macro);
    // Attributes and qualifiers may stand before the result and behind it.
    let mut void = false;
    let name = loop {
        let token = tokens.get(at).ok_or_else(unknown)?;
        match token.text {
            "__attribute__" => at = behind_brackets(tokens, at + 1).ok_or_else(unknown)?,
            "void" => {
                void = true;
                at += 1;
            }
            "static" | "inline" | "extern" => at += 1,
            word if void && is_word(word) => break at,
            _ => return Err(unknown()),
        }
    };
    let named = || (tokens[name].text.to_owned(), Opaque::Head);
    if tokens.get(name + 1).map(|token| token.text) != Some("(") {
        return Err((tokens[name].text.to_owned(), Opaque::Macro));
    }
    let behind = behind_brackets(tokens, name + 1).ok_or_else(named)?;
    let inner = &tokens[name + 2..behind - 1];
    let only_void = inner.len() == 1 && inner[0].text == "void";
    let mut at = behind;
    let body = loop {
        match tokens.get(at).map(|token| token.text) {
            Some("{") => break Some(tokens[at].end()),
            Some(";") => break None,
            Some("__attribute__") => at = behind_brackets(tokens, at + 1).ok_or_else(named)?,
            // `__kernel void NAME(float)(...)`: the name is made by a macro.
            Some("(") => return Err((tokens[name].text.to_owned(), Opaque::Macro)),
            _ => return Err(named()),
        }
    };
    Ok(Head {
        name: tokens[name].text,
        token: name,
        close: tokens[behind - 1].at,
        empty: inner.is_empty() || only_void,
        void: only_void.then(|| inner[0].at),
        body,
        end: at + 1,
    })
}

/// Returns the names of kernels that stand before an opening parenthesis elsewhere than in their
/// own heads, so that other code may call them.
fn called<'s>(tokens: &[Token<'s>], heads: &[Head<'s>]) -> Vec<&'s str> {
    let in_heads: Vec<usize> = heads.iter().map(|head| head.token).collect();
    let mut called = Vec::new();
    for (index, pair) in tokens.windows(2).enumerate() {
        if pair[1].text == "("
            && !in_heads.contains(&index)
            && heads.iter().any(|head| head.name == pair[0].text)
        {
            called.push(pair[0].text);
        }
    }
    called
}

/// Returns the names of the kernels that macros define. Where the keyword `kernel` is in a macro
/// definition, the name is the word behind `void`, or "a kernel" where there is no `void`.
fn in_macros(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find("#") {
        let line = &rest[at..at + logical_line(&rest[at..])];
        let begins = rest[..at].rsplit('\n').next().is_none_or(|before| before.trim().is_empty());
        if begins && line[1..].trim_start().starts_with("define") {
            let words: Vec<Token<'_>> = tokens(&line[1..]);
            for (index, token) in words.iter().enumerate() {
                if is_kernel(token) {
                    let name = words[index..].windows(2).find(|pair| pair[0].text == "void");
                    found.push(name.map_or("a kernel", |pair| pair[1].text).to_owned());
                }
            }
        }
        rest = &rest[at + line.len().max(1)..];
    }
    found
}
