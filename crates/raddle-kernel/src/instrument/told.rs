//! How does a workgroup of a range answer where it is in the whole launch?
//!
//! By macros in the place of four functions, in the body of the kernel alone: there the arguments are
//! known that say where the range lies.

use std::ops::Range;

use super::text::{Token, logical_line};

/// Functions whose answers depend on the range, but for those that a global offset makes right.
const ASKED: [&str; 4] = ["get_group_id", "get_num_groups", "get_global_size", "get_global_offset"];

/// Arguments behind those of the prologue.
pub(super) const ARGUMENTS: &str = ", uint raddle_axis, uint raddle_first, uint raddle_groups";

/// Macros that answer in the place of the functions.
pub(super) const HELPERS: &str = "\
#define raddle_get_group_id(d) (get_group_id(d) + ((d) == raddle_axis ? (size_t)raddle_first : (size_t)0))
#define raddle_get_num_groups(d) ((d) == raddle_axis ? (size_t)raddle_groups : get_num_groups(d))
#define raddle_get_global_size(d) ((d) == raddle_axis ? raddle_groups * get_local_size(d) : get_global_size(d))
#define raddle_get_global_offset(d) (get_global_offset(d) - ((d) == raddle_axis ? raddle_first * get_local_size(d) : (size_t)0))
";

fn is_asked(word: &str) -> bool {
    ASKED.contains(&word)
}

/// Returns whether all questions of a source stand in the bodies of kernels themselves, given as
/// ranges of tokens: not in other functions, nor in lines of the preprocessor, nor in other files.
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

/// Returns the texts that go before the questions in a body, by their places in the source.
pub(super) fn edits<'t>(body: &'t [Token<'_>]) -> impl Iterator<Item = (usize, String)> + use<'t> {
    let asked = body.iter().filter(|token| is_asked(token.text));
    asked.map(|token| (token.at, "raddle_".to_owned()))
}
