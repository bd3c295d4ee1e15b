//! Where does a run lie in one map of 5 to 32 words, all of them at once?
//!
//! A map is one, two or four vectors of eight words. Each word shifts in the lowest bits of its
//! neighbour above, so that a run over a border is a run like any other.

use core::arch::x86_64::*;
use core::mem::transmute;

use super::level;
use crate::words::{BITS, NOWHERE, first_fit_portable, longest_portable, shifts_for};

/// The words of the longest map that is searched here.
const MOST: usize = 32;

/// The words of the shortest: below, going word by word is as fast, and need not wait until what
/// was just stored word by word can be loaded as a vector.
const LEAST: usize = 5;

/// Whether a map of this number of words is searched here.
#[inline]
pub(crate) fn serves(words: usize) -> bool {
    (LEAST..=MOST).contains(&words) && level::has_wide()
}

/// The lowest start at or after `from` of `want` ones in a row, `want` at least 1; or [`NOWHERE`].
///
/// A map that is not [served](serves) is searched by the safe twin.
#[inline]
pub(crate) fn first_fit(words: &[u64], from: u32, want: u32) -> u32 {
    match words.len() {
        count if !serves(count) => first_fit_portable(words, from, want),
        // SAFETY: `serves` has asked for the level.
        ..=8 => unsafe { first_of::<1>(words, from, want) },
        // SAFETY: `serves` has asked for the level.
        9..=16 => unsafe { first_of::<2>(words, from, want) },
        // SAFETY: `serves` has asked for the level.
        _ => unsafe { first_of::<4>(words, from, want) },
    }
}

/// The longest run of ones, under the same conditions.
#[inline]
pub(crate) fn longest(words: &[u64]) -> u32 {
    match words.len() {
        count if !serves(count) => longest_portable(words),
        // SAFETY: `serves` has asked for the level.
        ..=8 => unsafe { longest_of::<1>(words) },
        // SAFETY: `serves` has asked for the level.
        9..=16 => unsafe { longest_of::<2>(words) },
        // SAFETY: `serves` has asked for the level.
        _ => unsafe { longest_of::<4>(words) },
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vbmi2,avx512vpopcntdq")]
#[target_feature(enable = "bmi1,lzcnt,popcnt")]
fn first_of<const Z: usize>(words: &[u64], from: u32, want: u32) -> u32 {
    let mut map = not_before(load::<Z>(words), from);
    if want > BITS {
        return Borders::of(map).first_of_many(want);
    }
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
    let borders = Borders::of(map);
    let mut most = borders.begins[0];
    for joined in borders.joined() {
        most = _mm512_max_epu64(most, joined);
    }
    // At most 128.
    let best = _mm512_reduce_max_epu64(most) as u32;
    let best = if borders.whole == 0 { best } else { best.max(borders.longest_of_many()) };
    if best < BITS { inside(map, best) } else { best }
}

/// How many ones each word of a map begins and ends with.
struct Borders<const Z: usize> {
    begins: [__m512i; Z],
    ends: [__m512i; Z],
    /// Bit `i`: word `i` is all ones.
    whole: u32,
}

impl<const Z: usize> Borders<Z> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq")]
    fn of(map: [__m512i; Z]) -> Self {
        let all = _mm512_set1_epi64(-1);
        let ends = map.map(|vector| _mm512_lzcnt_epi64(_mm512_xor_si512(vector, all)));
        let begins = map.map(|vector| {
            // The ones below the lowest zero: `x & !(x + 1)`.
            let next = _mm512_sub_epi64(vector, all);
            _mm512_popcnt_epi64(_mm512_andnot_si512(next, vector))
        });
        let mut whole = 0;
        for (at, vector) in map.iter().enumerate() {
            whole |= u32::from(_mm512_cmpeq_epi64_mask(*vector, all)) << (8 * at);
        }
        Self { begins, ends, whole }
    }

    /// The ones on both sides of the border above each word.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn joined(&self) -> [__m512i; Z] {
        let begins = above(self.begins);
        core::array::from_fn(|at| _mm512_add_epi64(self.ends[at], begins[at]))
    }

    /// The longest run that holds whole words; 0 without one.
    #[inline]
    #[target_feature(enable = "avx512f,bmi1,lzcnt,popcnt")]
    fn longest_of_many(&self) -> u32 {
        let (begins, ends) = (to_words(&self.begins), to_words(&self.ends));
        let rows = rows_of(self.whole);
        rows.map(|(first, next)| across(&begins, &ends, first, next).1).fold(0, u32::max)
    }

    /// The lowest start of more ones than a word has, or [`NOWHERE`]. Such a run holds whole words,
    /// or lies over one border.
    #[inline]
    #[target_feature(enable = "avx512f,bmi1,lzcnt,popcnt")]
    fn first_of_many(&self, want: u32) -> u32 {
        let (begins, ends) = (to_words(&self.begins), to_words(&self.ends));
        let with_whole = rows_of(self.whole)
            .map(|(first, next)| across(&begins, &ends, first, next))
            .find(|&(_, len)| len >= want)
            .map_or(NOWHERE, |(start, _)| start);
        let least = _mm512_set1_epi64(i64::from(want));
        let mut enough = 0;
        for (at, joined) in self.joined().into_iter().enumerate() {
            enough |= u32::from(_mm512_cmpge_epu64_mask(joined, least)) << (8 * at);
        }
        // Where one of the two words is whole, the run begins elsewhere, and is among those above.
        let over_one = enough & !(self.whole | self.whole >> 1);
        let word = over_one.trailing_zeros();
        let end = ends.as_flattened().get(word as usize);
        // At most 63.
        with_whole.min(end.map_or(NOWHERE, |&end| (word + 1) * BITS - end as u32))
    }
}

/// The rows of ones in a number, lowest first: where each begins, and what follows it.
#[inline]
fn rows_of(mut bits: u32) -> impl Iterator<Item = (u32, u32)> {
    core::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let first = bits.trailing_zeros();
        let next = first + (bits >> first).trailing_ones();
        bits &= u32::MAX.checked_shl(next).unwrap_or(0);
        Some((first, next))
    })
}

/// Start and length of the run that holds the whole words from `first` to before `next`, by what
/// the words on both sides end and begin with.
#[inline]
fn across<const Z: usize>(
    begins: &[[u64; 8]; Z],
    ends: &[[u64; 8]; Z],
    first: u32,
    next: u32,
) -> (u32, u32) {
    let before = (first as usize).checked_sub(1).map_or(0, |word| ends.as_flattened()[word]);
    let behind = begins.as_flattened().get(next as usize).copied().unwrap_or(0);
    // At most 63 each: neither is whole.
    let (before, behind) = (before as u32, behind as u32);
    (first * BITS - before, before + (next - first) * BITS + behind)
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
