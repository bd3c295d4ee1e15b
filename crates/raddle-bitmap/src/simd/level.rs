//! Which level of processors is this one of, for a single map?
//!
//! A batch asks for its kernel each time; a search in one map takes a few nanoseconds, so what was
//! found out is remembered in one place and read with one load.

use core::sync::atomic::{AtomicU8, Ordering};

use super::has;
use crate::batch::Kernel;

/// BMI and LZCNT: shifts and counts of one step.
const SHORT: u8 = 1;
/// What `wide` is compiled for.
const WIDE: u8 = 2;
/// That it has been asked.
const ASKED: u8 = 4;

/// Whether the processor has what `short` is compiled for.
#[inline]
pub(super) fn has_short() -> bool {
    level() & SHORT != 0
}

/// Whether the processor has what `wide` is compiled for.
#[inline]
pub(super) fn has_wide() -> bool {
    level() & WIDE != 0
}

#[inline]
fn level() -> u8 {
    /// Whoever asks at the same time finds the same.
    static LEVEL: AtomicU8 = AtomicU8::new(0);
    match LEVEL.load(Ordering::Relaxed) {
        0 => {
            let found = ask();
            LEVEL.store(found, Ordering::Relaxed);
            found
        }
        known => known,
    }
}

#[cold]
fn ask() -> u8 {
    let short = if has(Kernel::SafeAvx2) { SHORT } else { 0 };
    let wide = if super::has_all_of_wide() { WIDE } else { 0 };
    ASKED | short | wide
}
