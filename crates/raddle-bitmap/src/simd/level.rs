//! What can this processor run?
//!
//! A batch asks for its kernel each time; a search in one map takes a few nanoseconds, so what was
//! found out is remembered in one place and read with one load.

use core::sync::atomic::{AtomicU8, Ordering};

use std::is_x86_feature_detected as has;

use crate::batch::Measurer;

/// BMI and LZCNT: shifts and counts of one step.
const SHORT: u8 = 1;
/// What `wide` is compiled for.
const WIDE: u8 = 2;
/// Set once the processor has been queried.
const ASKED: u8 = 4;

/// Whether the processor has what a kernel is compiled for. The names are those of the
/// `target_feature` attributes below.
pub(crate) fn has(kernel: Measurer) -> bool {
    match kernel {
        Measurer::Portable => true,
        Measurer::SafeAvx2 => {
            has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt")
        }
        Measurer::SafeAvx512 => has_all_of_wide() && has!("avx512dq") && has!("avx512vl"),
        Measurer::TableSsse3 => has!("ssse3"),
        Measurer::TableAvx2 => has!("avx2"),
        Measurer::TableAvx512 => has!("avx512f") && has!("avx512bw") && has!("avx512vbmi"),
    }
}

/// What `wide` is compiled for.
fn has_all_of_wide() -> bool {
    has(Measurer::SafeAvx2)
        && has!("avx512f")
        && has!("avx512bw")
        && has!("avx512cd")
        && has!("avx512vbmi2")
        && has!("avx512vpopcntdq")
}

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
    /// Threads that ask at the same time find the same.
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
    let short = if has(Measurer::SafeAvx2) { SHORT } else { 0 };
    let wide = if has_all_of_wide() { WIDE } else { 0 };
    ASKED | short | wide
}
