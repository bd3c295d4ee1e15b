//! What does the compiler make of the safe body, given a level of processors?

use crate::batch::{Length, each};

/// `x86-64-v3`.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn avx2<const W: usize, T: Length>(maps: &[[u64; W]], longest: &mut [T]) {
    each(maps, longest);
}

/// As far as AVX-512 goes on Ice Lake and Zen 4.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
#[target_feature(enable = "avx512vbmi2,avx512vpopcntdq")]
pub(super) fn avx512<const W: usize, T: Length>(maps: &[[u64; W]], longest: &mut [T]) {
    each(maps, longest);
}
