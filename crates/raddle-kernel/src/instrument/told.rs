//! How does a workgroup learn its place in the whole launch, where the launch is cut into ranges?
//!
//! By macros in the place of four functions of OpenCL C, in the body of the kernel alone: only
//! there are the arguments known that say where the range lies.

use std::ops::Range;

use super::text::{Token, logical_line};

/// Functions of OpenCL C whose results differ if a launch is cut into ranges of workgroups, even if
/// each range has a global offset.
const ASKED: [&str; 4] = ["get_group_id", "get_num_groups", "get_global_size", "get_global_offset"];

/// Text of the arguments that tell a kernel its range of a larger launch; they follow the arguments
/// of the prologue.
pub(super) const ARGUMENTS: &str = ", uint raddle_axis, uint raddle_first, uint raddle_groups";

/// Macros that compute the results of the functions in `ASKED` for the whole launch, from the
/// arguments that describe the range.
pub(super) const HELPERS: &str = "\
#define raddle_get_group_id(d) (get_group_id(d) + ((d) == raddle_axis ? (size_t)raddle_first : (size_t)0))
#define raddle_get_num_groups(d) ((d) == raddle_axis ? (size_t)raddle_groups : get_num_groups(d))
#define raddle_get_global_size(d) ((d) == raddle_axis ? raddle_groups * get_local_size(d) : get_global_size(d))
#define raddle_get_global_offset(d) (get_global_offset(d) - ((d) == raddle_axis ? raddle_first * get_local_size(d) : (size_t)0))
";

fn is_asked(word: &str) -> bool {
    ASKED.contains(&word)
}

/// Returns whether macros can replace all calls of the functions in `ASKED`. The source must call
/// them only within the bodies of kernels, given as ranges of tokens, and not in other functions,
/// preprocessor lines or included files.
pub(super) fn may_tell(source: &str, tokens: &[Token<'_>], bodies: &[Range<usize>]) -> bool {
    let inside = |at: &usize| bodies.iter().any(|body| body.contains(at));
    let outside = tokens.iter().enumerate().any(|(at, token)| is_asked(token.text) && !inside(&at));
    let mut rest = source;
    while let Some(at) = rest.find('#') {
        let line = &rest[at..at + logical_line(&rest[at..])];
        if line.contains("include")
            || line.contains("##")
            || ASKED.iter().any(|it| line.contains(it))
        {
            return false;
        }
        rest = &rest[at + line.len().max(1)..];
    }
    !outside
}

/// Returns the edits that make a kernel's body call the macros in place of the functions in
/// `ASKED`, each as (byte offset in the source, text to insert).
pub(super) fn edits<'t>(body: &'t [Token<'_>]) -> impl Iterator<Item = (usize, String)> + use<'t> {
    let asked = body.iter().filter(|token| is_asked(token.text));
    asked.map(|token| (token.at, "raddle_".to_owned()))
}
