//! How long are the longest runs of 64 maps side by side, byte by byte?
//!
//! Vector `j` holds byte `j` of each map. Of a byte, tables tell how many ones it begins and ends
//! with and the longest run between; the run that reaches the last byte's end is carried. A byte of
//! ones adds 8 to it. Counts stop at 255.

use core::arch::x86_64::*;
use core::mem::transmute;

use crate::batch::each;

/// Maps side by side.
const LANES: usize = 64;

/// What bytes hold, by the number that their lowest bits are.
struct Tables {
    /// Ones at the lower end, of the lowest 7 bits.
    begin: [__m512i; 2],
    /// Ones at the upper end, of the highest 7 bits.
    end: [__m512i; 2],
    /// The longest run of the 6 bits in the middle.
    middle: __m512i,
}

/// The runs of the bytes so far.
#[derive(Clone, Copy)]
struct ByteRuns {
    best: __m512i,
    /// The run that ends with the last byte.
    last: __m512i,
}

/// Writes the longest run of each map, 255 for 255 or more.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn longest<const W: usize>(maps: &[[u64; W]], longest: &mut [u8]) {
    let tables = tables();
    let (blocks, rest) = maps.as_chunks::<LANES>();
    let (answers, last) = longest.as_chunks_mut::<LANES>();
    for (maps, answers) in blocks.iter().zip(answers) {
        let best = if W == 1 { one_word(maps, &tables) } else { pairs(maps, &tables) };
        *answers = to_bytes(best);
    }
    each(rest, last);
}

/// Maps of one word: 8 vectors of 8 maps become the 8 bytes of 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn one_word<const W: usize>(maps: &[[u64; W]; LANES], tables: &Tables) -> __m512i {
    let rows: [__m512i; 8] = core::array::from_fn(|row| {
        let word = |at: usize| maps[8 * row + at][0] as i64;
        _mm512_set_epi64(word(7), word(6), word(5), word(4), word(3), word(2), word(1), word(0))
    });
    let mut runs = none();
    for byte in transposed(rows) {
        runs = with(runs, byte, tables);
    }
    // Lane l, pair r, byte b is map 8 r + 2 l + b.
    let order = core::array::from_fn(|map| (map >> 1 & 3) << 4 | map >> 3 << 1 | map & 1);
    in_order(runs, order)
}

/// Two words of each map after the other: 16 vectors of 4 maps become 16 bytes of 64.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn pairs<const W: usize>(maps: &[[u64; W]; LANES], tables: &Tables) -> __m512i {
    let mut runs = none();
    for at in (0..W).step_by(2) {
        let rows: [__m512i; 16] = core::array::from_fn(|row| {
            let pair = |map: usize| {
                let words = &maps[4 * row + map];
                // A word that is not there has no ones.
                let upper = words.get(at + 1).copied().unwrap_or(0);
                _mm_set_epi64x(upper as i64, words[at] as i64)
            };
            let row = _mm512_castsi128_si512(pair(0));
            let row = _mm512_inserti32x4::<1>(row, pair(1));
            let row = _mm512_inserti32x4::<2>(row, pair(2));
            _mm512_inserti32x4::<3>(row, pair(3))
        });
        for byte in transposed(rows) {
            runs = with(runs, byte, tables);
        }
    }
    // Lane l, byte r is map 4 r + l.
    in_order(runs, core::array::from_fn(|map| (map & 3) << 4 | map >> 2))
}

/// Four rounds, each of which interleaves the first half of the rows with the second: the number of
/// a row and that of a byte in its lane, written one after the other, turn by one bit a round.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn transposed<const R: usize>(mut rows: [__m512i; R]) -> [__m512i; R] {
    for _ in 0..4 {
        rows = core::array::from_fn(|to| {
            let (lower, upper) = (rows[to / 2], rows[to / 2 + R / 2]);
            if to % 2 == 0 {
                _mm512_unpacklo_epi8(lower, upper)
            } else {
                _mm512_unpackhi_epi8(lower, upper)
            }
        });
    }
    rows
}

#[inline]
#[target_feature(enable = "avx512f")]
fn none() -> ByteRuns {
    ByteRuns { best: _mm512_setzero_si512(), last: _mm512_setzero_si512() }
}

/// With the next byte of each map.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn with(runs: ByteRuns, byte: __m512i, tables: &Tables) -> ByteRuns {
    // The bit that comes in from the neighbour is one that no table looks at.
    let upper = _mm512_srli_epi16::<1>(byte);
    let begin = _mm512_permutex2var_epi8(tables.begin[0], byte, tables.begin[1]);
    let end = _mm512_permutex2var_epi8(tables.end[0], upper, tables.end[1]);
    let middle = _mm512_permutexvar_epi8(upper, tables.middle);
    let whole = _mm512_cmpeq_epi8_mask(byte, _mm512_set1_epi8(-1));
    let joined = _mm512_adds_epu8(runs.last, begin);
    let best = _mm512_max_epu8(runs.best, _mm512_max_epu8(middle, joined));
    let last = _mm512_mask_adds_epu8(end, whole, runs.last, _mm512_set1_epi8(8));
    ByteRuns { best, last }
}

/// The longest runs, map after map: the one of map `m` stands at `order[m]`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn in_order(runs: ByteRuns, order: [usize; LANES]) -> __m512i {
    let best = _mm512_max_epu8(runs.best, runs.last);
    _mm512_permutexvar_epi8(to_vector(order.map(|at| at as u8)), best)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn tables() -> Tables {
    Tables {
        begin: [to_vector(BEGIN[0]), to_vector(BEGIN[1])],
        end: [to_vector(END[0]), to_vector(END[1])],
        middle: to_vector(MIDDLE),
    }
}

const BEGIN: [[u8; LANES]; 2] = [table(0, 0), table(64, 0)];
const END: [[u8; LANES]; 2] = [table(0, 1), table(64, 1)];
const MIDDLE: [u8; LANES] = table(0, 2);

/// Of the 64 numbers from `first`: 0, the ones that their 7 bits begin with; 1, end with; 2, the
/// longest run of their 6 bits.
const fn table(first: u8, which: u8) -> [u8; LANES] {
    let mut table = [0; LANES];
    let mut at = 0;
    while at < LANES {
        // At most 127.
        let number = first + at as u8;
        table[at] = match which {
            0 => begins_with(number),
            1 => ends_with(number),
            _ => longest_inside(number),
        };
        at += 1;
    }
    table
}

const fn begins_with(seven: u8) -> u8 {
    seven.trailing_ones() as u8
}

const fn ends_with(seven: u8) -> u8 {
    (seven << 1).leading_ones() as u8
}

const fn longest_inside(mut six: u8) -> u8 {
    let mut longest = 0;
    while six != 0 {
        six &= six << 1;
        longest += 1;
    }
    longest
}

#[inline]
#[target_feature(enable = "avx512f")]
fn to_vector(bytes: [u8; LANES]) -> __m512i {
    // SAFETY: both are 64 bytes, of which any are valid.
    unsafe { transmute(bytes) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn to_bytes(vector: __m512i) -> [u8; LANES] {
    // SAFETY: both are 64 bytes, of which any are valid.
    unsafe { transmute(vector) }
}
