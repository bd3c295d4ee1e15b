//! What does the compiler make of searches in one or two words, given shifts and counts of one step?
//!
//! The safe bodies of `words`, which a default target compiles to three steps a shift.

use super::level;
use crate::words;

/// Stamps out a search: as `words` has it, compiled for the level, where the processor has it.
macro_rules! short {
    ($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*)) => {
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name($($argument: $type),*) -> u32 {
            #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
            fn here($($argument: $type),*) -> u32 {
                words::$name($($argument),*)
            }
            if level::has_short() {
                // SAFETY: the processor has it.
                unsafe { here($($argument),*) }
            } else {
                words::$name($($argument),*)
            }
        }
    };
}

short! {
    /// See [`words::first_in_one`].
    first_in_one(word: u64, want: u32)
}

short! {
    /// See [`words::first_in_two`].
    first_in_two(lower: u64, upper: u64, want: u32)
}

short! {
    /// See [`words::longest_in_one`].
    longest_in_one(word: u64)
}

short! {
    /// See [`words::longest_in_two`].
    longest_in_two(lower: u64, upper: u64)
}
