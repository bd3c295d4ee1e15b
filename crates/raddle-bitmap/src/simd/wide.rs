//! Where does a run lie in one map of 5 to 32 words, all of them at once?
//!
//! A map is one, two or four vectors of eight words. Each word shifts in the lowest bits of its
//! neighbour above, so that a run over a border is a run like any other.

use core::arch::x86_64::*;
use core::mem::transmute;

use super::level;
use crate::words::{BITS, NOWHERE, shifts_for};

/// The words of the longest map that is searched here.
const MOST: usize = 32;

/// The words of the shortest: below, going word by word is as fast, and need not wait until what
/// was just stored word by word can be loaded as a vector.
const LEAST: usize = 5;

/// Whether a map of so many words is searched here.
#[inline]
pub(crate) fn serves(words: usize) -> bool {
    (LEAST..=MOST).contains(&words) && level::has_wide()
}

/// The lowest start at or after `from` of `want` ones in a row, or [`NOWHERE`]; `want` from 1 to 64.
///
/// # Panics
/// Never; nothing is asked that it does not [serve](serves).
#[inline]
pub(crate) fn first_fit(words: &[u64], from: u32, want: u32) -> u32 {
    debug_assert!(serves(words.len()) && (1..=BITS).contains(&want));
    match words.len() {
        // SAFETY: the callers have asked `serves`.
        ..=8 => unsafe { first_of::<1>(words, from, want) },
        // SAFETY: the callers have asked `serves`.
        9..=16 => unsafe { first_of::<2>(words, from, want) },
        // SAFETY: the callers have asked `serves`.
        _ => unsafe { first_of::<4>(words, from, want) },
    }
}

/// The longest run of ones, under the same conditions.
#[inline]
pub(crate) fn longest(words: &[u64]) -> u32 {
    debug_assert!(serves(words.len()));
    match words.len() {
        // SAFETY: the callers have asked `serves`.
        ..=8 => unsafe { longest_of::<1>(words) },
        // SAFETY: the callers have asked `serves`.
        9..=16 => unsafe { longest_of::<2>(words) },
        // SAFETY: the callers have asked `serves`.
        _ => unsafe { longest_of::<4>(words) },
    }
}

#[target_feature(enable = "avx512f,avx512vbmi2,bmi1,lzcnt,popcnt")]
fn first_of<const Z: usize>(words: &[u64], from: u32, want: u32) -> u32 {
    let mut map = not_before(load::<Z>(words), from);
    for by in shifts_for(want) {
        let by = _mm512_set1_epi64(i64::from(by));
        let above = above(map);
        for (vector, above) in map.iter_mut().zip(above) {
            *vector = _mm512_and_si512(*vector, _mm512_shrdv_epi64(*vector, above, by));
        }
    }
    let word = some(map).trailing_zeros();
    // Nothing is found in word 32, which is not there.
    match to_words(&map).as_flattened().get(word as usize) {
        Some(found) => word * BITS + found.trailing_zeros(),
        None => NOWHERE,
    }
}

/// First what lies over borders; only a word's inside that holds more counts.
#[target_feature(enable = "avx512f,avx512cd,avx512bw,avx512vpopcntdq,bmi1,lzcnt,popcnt")]
fn longest_of<const Z: usize>(words: &[u64]) -> u32 {
    let map = load::<Z>(words);
    let all = _mm512_set1_epi64(-1);
    let ends = map.map(|vector| _mm512_lzcnt_epi64(_mm512_xor_si512(vector, all)));
    let begins = map.map(|vector| {
        // The ones below the lowest zero: `x & !(x + 1)`.
        let next = _mm512_sub_epi64(vector, all);
        _mm512_popcnt_epi64(_mm512_andnot_si512(next, vector))
    });
    let mut most = begins[0];
    for (end, begin) in ends.into_iter().zip(above(begins)) {
        most = _mm512_max_epu64(most, _mm512_add_epi64(end, begin));
    }
    // At most 128.
    let over_borders = _mm512_reduce_max_epu64(most) as u32;
    let mut whole = 0;
    for (at, vector) in map.iter().enumerate() {
        whole |= u32::from(_mm512_cmpeq_epi64_mask(*vector, all)) << (8 * at);
    }
    let best = if whole == 0 {
        over_borders
    } else {
        over_borders.max(over_whole_words(whole, to_words(&begins), to_words(&ends)))
    };
    if best < BITS { inside(map, best) } else { best }
}

/// The longest run that holds whole words, of which there are some: bit `i` says that word `i` is
/// all ones.
#[inline]
fn over_whole_words<const Z: usize>(
    mut whole: u32,
    begins: [[u64; 8]; Z],
    ends: [[u64; 8]; Z],
) -> u32 {
    let (begins, ends) = (begins.as_flattened(), ends.as_flattened());
    let mut longest = 0;
    while whole != 0 {
        let first = whole.trailing_zeros();
        let count = (whole >> first).trailing_ones();
        let next = first + count;
        let before = (first as usize).checked_sub(1).map_or(0, |word| ends[word]);
        let behind = begins.get(next as usize).copied().unwrap_or(0);
        // At most 64 each.
        longest = longest.max(count * BITS + before as u32 + behind as u32);
        whole &= u32::MAX.checked_shl(next).unwrap_or(0);
    }
    longest
}

/// `best`, below 64, or the longest run that lies within one word, if that is longer.
#[inline]
#[target_feature(enable = "avx512f")]
fn inside<const Z: usize>(mut map: [__m512i; Z], mut best: u32) -> u32 {
    for by in shifts_for(best + 1) {
        let by = _mm512_set1_epi64(i64::from(by));
        map = map.map(|vector| _mm512_and_si512(vector, _mm512_srlv_epi64(vector, by)));
    }
    while some(map) != 0 {
        best += 1;
        map = map.map(|vector| _mm512_and_si512(vector, _mm512_srli_epi64::<1>(vector)));
    }
    best
}

/// Which words have a one in them: bit `i` for word `i`.
#[inline]
#[target_feature(enable = "avx512f")]
fn some<const Z: usize>(map: [__m512i; Z]) -> u32 {
    let mut some = 0;
    for (at, vector) in map.into_iter().enumerate() {
        some |= u32::from(_mm512_test_epi64_mask(vector, vector)) << (8 * at);
    }
    some
}

/// For each word the one above it; 0 for the last.
#[inline]
#[target_feature(enable = "avx512f")]
fn above<const Z: usize>(map: [__m512i; Z]) -> [__m512i; Z] {
    core::array::from_fn(|at| {
        let next = map.get(at + 1).copied().unwrap_or(_mm512_setzero_si512());
        _mm512_alignr_epi64::<1>(next, map[at])
    })
}

/// The words without what lies before a position.
#[inline]
#[target_feature(enable = "avx512f")]
fn not_before<const Z: usize>(map: [__m512i; Z], from: u32) -> [__m512i; Z] {
    let base = _mm512_set_epi64(448, 384, 320, 256, 192, 128, 64, 0);
    let zero = _mm512_setzero_si512();
    core::array::from_fn(|at| {
        let from = _mm512_set1_epi64(i64::from(from) - 512 * at as i64);
        let past = _mm512_max_epi64(_mm512_sub_epi64(from, base), zero);
        // A shift by 64 or more leaves nothing.
        let keep = _mm512_sllv_epi64(_mm512_set1_epi64(-1), past);
        _mm512_and_si512(map[at], keep)
    })
}

/// The words of a map, and zeros behind them.
#[inline]
#[target_feature(enable = "avx512f")]
fn load<const Z: usize>(words: &[u64]) -> [__m512i; Z] {
    core::array::from_fn(|at| {
        let here = words.get(8 * at..).unwrap_or_default();
        // Eight at most.
        let mask = (0xFF_u16 << here.len().min(8) >> 8) as u8;
        // SAFETY: only words under the mask are read, and those are in `here`.
        unsafe { _mm512_maskz_loadu_epi64(mask, here.as_ptr().cast()) }
    })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn to_words<const Z: usize>(map: &[__m512i; Z]) -> [[u64; 8]; Z] {
    map.map(|vector| {
        // SAFETY: both are 64 bytes, of which any are valid.
        unsafe { transmute::<__m512i, [u64; 8]>(vector) }
    })
}
