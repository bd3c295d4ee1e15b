//! Which branches of the preprocessor does the device's compiler take in a source?
//!
//! A test program tells: a source without code, in which each branch of the original source
//! defines an empty kernel, so that the built kernels name the branches taken. The preprocessor
//! sees the same directives as in the original source, whatever macros decide them, so it takes the
//! same branches. The verdict is then on the original source with these branches alone.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::lines::{LineKind, SourceLine, lines};

/// Generator of a test program for an OpenCL C source. In the test program each preprocessor branch
/// of the source defines an empty kernel; the kernels that a compiler builds tell which branches it
/// takes.
#[derive(Debug)]
pub struct Branches<'s> {
    source: &'s str,
    lines: Vec<SourceLine>,
}

/// Prefix of the kernel names in the test program of [`Branches`]; each of these empty kernels
/// stands for one preprocessor branch of the tested source.
const NAME: &str = "raddle_takes_";

/// Predefined macros whose value depends on the file or on the position in it. A source that uses
/// one in a preprocessor directive cannot be tested by [`Branches`], since its directives are on
/// other lines in the test program.
const SHIFTING: [&str; 5] =
    ["__LINE__", "__COUNTER__", "__INCLUDE_LEVEL__", "__FILE__", "__BASE_FILE__"];

/// Pragmas that change the definition of macros. A source that names one cannot be tested by
/// [`Branches`]: the pragma may be within the code of the source, which the test program lacks.
const CHANGING: [&str; 2] = ["push_macro", "pop_macro"];

impl<'s> Branches<'s> {
    /// Prepares the test program for a source that is built with these options. Returns `None`
    /// where a compiler could take other branches in the test program than in the source, or where
    /// the source includes a file, in which there may be further directives.
    #[must_use]
    pub fn of(source: &'s str, options: &str) -> Option<Self> {
        let lines = lines(source);
        let shifts = |line: &SourceLine| {
            line.kind == LineKind::Include
                || line.kind != LineKind::Code
                    && line.words.iter().any(|word| SHIFTING.contains(&word.as_str()))
        };
        let both = [source, options];
        if CHANGING.iter().any(|name| both.iter().any(|text| text.contains(name)))
            || SHIFTING.iter().any(|name| options.contains(name))
        {
            return None;
        }
        (!lines.iter().any(shifts)).then_some(Self { source, lines })
    }

    /// Returns the text of the test program, which shows the branches that a compiler takes when it
    /// is built with the same options as the source.
    #[must_use]
    pub fn question(&self) -> String {
        let physical: Vec<&str> = self.source.lines().collect();
        let mut text = String::new();
        // True for each open condition that has had its `#else`.
        let mut open: Vec<bool> = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let marker = |text: &mut String| {
                let _ = writeln!(text, "__kernel void {NAME}{index}(void) {{ }}");
            };
            match line.kind {
                LineKind::Code | LineKind::Other => continue,
                LineKind::If => open.push(false),
                LineKind::Else => open.last_mut().into_iter().for_each(|other| *other = true),
                LineKind::EndIf if open.pop() == Some(false) => {
                    text.push_str("#else\n");
                    marker(&mut text);
                }
                _ => {}
            }
            for number in line.number..=line.last {
                let at = usize::try_from(number).unwrap_or(0).saturating_sub(1);
                text.push_str(physical.get(at).unwrap_or(&""));
                text.push('\n');
            }
            if matches!(line.kind, LineKind::If | LineKind::ElseIf | LineKind::Else) {
                marker(&mut text);
            }
        }
        // A program needs a kernel.
        let _ = writeln!(text, "__kernel void {NAME}all(void) {{ }}");
        text
    }

    /// Returns the source without the branches that the compiler does not take; all lines keep
    /// their numbers. `kernels` are the names of the kernels that the compiler has built from the
    /// test program. `None` where they do not tell, for each condition, which branch is taken.
    #[must_use]
    pub fn taken(&self, kernels: &BTreeSet<String>) -> Option<String> {
        let is_built = |index: usize| kernels.contains(&format!("{NAME}{index}"));
        let mut kept = vec![true; self.source.lines().count()];
        // Each open condition, as (true if its present branch is taken, number of branches that were taken
        // so far, true if it has had its `#else`).
        let mut open: Vec<(bool, u32, bool)> = Vec::new();
        let mut named = 1;
        for (index, line) in self.lines.iter().enumerate() {
            let around = |open: &[(bool, u32, bool)]| open.iter().all(|(taken, ..)| *taken);
            let mut is_kept = around(&open);
            match line.kind {
                LineKind::If => {
                    open.push((is_built(index), u32::from(is_built(index)), false));
                    is_kept = false;
                }
                LineKind::ElseIf | LineKind::Else => {
                    let (taken, count, other) = open.last_mut()?;
                    *taken = is_built(index);
                    *count += u32::from(*taken);
                    *other |= line.kind == LineKind::Else;
                    is_kept = false;
                }
                LineKind::EndIf => {
                    let (_, count, other) = open.pop()?;
                    let count = count + u32::from(!other && is_built(index));
                    if count != u32::from(around(&open)) {
                        return None;
                    }
                    is_kept = false;
                }
                _ => {}
            }
            if matches!(
                line.kind,
                LineKind::If | LineKind::ElseIf | LineKind::Else | LineKind::EndIf
            ) && is_built(index)
            {
                named += 1;
            }
            if !is_kept {
                let (from, to) = (line.number.checked_sub(1)? as usize, line.last as usize);
                kept.get_mut(from..to)?.fill(false);
            }
        }
        // All kernels are from the question, and its last one is there.
        if !open.is_empty() || kernels.len() != named || !kernels.contains(&format!("{NAME}all")) {
            return None;
        }
        let lines = self.source.lines().zip(kept);
        Some(lines.flat_map(|(line, kept)| [if kept { line } else { "" }, "\n"]).collect())
    }
}
