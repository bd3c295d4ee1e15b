//! How long are the longest runs of 16 or 32 maps side by side, half byte by half byte?
//!
//! As with bytes, for processors that can look up 16 entries at once: of a half byte, tables tell
//! how many ones it begins and ends with and its longest run.

use core::arch::x86_64::*;
use core::mem::transmute;

use crate::batch::each;

/// By half byte.
const BEGIN: [u8; 16] = table(0);
const END: [u8; 16] = table(1);
const LONGEST: [u8; 16] = table(2);

/// Of each half byte: 0, the ones it begins with; 1, ends with; 2, its longest run.
const fn table(which: u8) -> [u8; 16] {
    let mut table = [0; 16];
    let mut nibble = 0_u8;
    while nibble < 16 {
        let mut left = nibble;
        let mut longest = 0;
        while left != 0 {
            left &= left << 1;
            longest += 1;
        }
        table[nibble as usize] = match which {
            0 => nibble.trailing_ones() as u8,
            1 => (nibble << 4).leading_ones() as u8,
            _ => longest,
        };
        nibble += 1;
    }
    table
}

/// Stamps out the kernel for one width of vectors.
macro_rules! width {
    (
        $name:ident, $level:literal, $vector:ty, $lanes:literal,
        $unpack_low:ident, $unpack_high:ident, $look_up:ident, $and:ident, $equal:ident,
        $add:ident, $max:ident, $shift:ident, $all:ident, $zero:ident
    ) => {
        #[allow(clippy::modulo_one, reason = "the narrowest width holds one map a vector")]
        pub(super) mod $name {
            use super::*;

            /// Maps side by side.
            const LANES: usize = $lanes;
            /// Maps of two words in a vector.
            const IN_ROW: usize = LANES / 16;

            /// Writes the longest run of each map, 255 for 255 or more.
            #[target_feature(enable = $level)]
            pub(in crate::simd) fn longest<const W: usize>(maps: &[[u64; W]], longest: &mut [u8]) {
                let (blocks, rest) = maps.as_chunks::<LANES>();
                let (answers, last) = longest.as_chunks_mut::<LANES>();
                for (maps, answers) in blocks.iter().zip(answers) {
                    *answers = if W == 1 { one_word(maps) } else { pairs(maps) };
                }
                each(rest, last);
            }

            #[inline]
            #[target_feature(enable = $level)]
            fn one_word<const W: usize>(maps: &[[u64; W]; LANES]) -> [u8; LANES] {
                let mut runs = ($zero(), $zero());
                let rows: [$vector; 8] = core::array::from_fn(|row| {
                    let word = |at: usize| maps[2 * IN_ROW * row + at][0];
                    // SAFETY: both are arrays of bytes of one size, and any byte is valid.
                    unsafe { transmute::<[u64; LANES / 8], $vector>(core::array::from_fn(word)) }
                });
                for byte in transposed(rows) {
                    runs = with(runs, byte);
                }
                // Lane l, pair r, byte b is map 2 IN_ROW r + 2 l + b.
                let at = |map: usize| map / 2 % IN_ROW * 16 + map / (2 * IN_ROW) * 2 + map % 2;
                in_order(runs, at)
            }

            #[inline]
            #[target_feature(enable = $level)]
            fn pairs<const W: usize>(maps: &[[u64; W]; LANES]) -> [u8; LANES] {
                let mut runs = ($zero(), $zero());
                for at in (0..W).step_by(2) {
                    let rows: [$vector; 16] = core::array::from_fn(|row| {
                        let words: [u64; LANES / 8] = core::array::from_fn(|word| {
                            let words = &maps[IN_ROW * row + word / 2];
                            // A word that is not there has no ones.
                            words.get(at + word % 2).copied().unwrap_or(0)
                        });
                        // SAFETY: both are arrays of bytes of one size, and any byte is valid.
                        unsafe { transmute::<[u64; LANES / 8], $vector>(words) }
                    });
                    for byte in transposed(rows) {
                        runs = with(runs, byte);
                    }
                }
                // Lane l, byte r is map IN_ROW r + l.
                in_order(runs, |map| map % IN_ROW * 16 + map / IN_ROW)
            }

            /// As in `bytes`: the number of a row and that of a byte in its lane change places.
            #[inline]
            #[target_feature(enable = $level)]
            fn transposed<const R: usize>(rows: [$vector; R]) -> [$vector; R] {
                round(round(round(round(rows))))
            }

            #[inline]
            #[target_feature(enable = $level)]
            fn round<const R: usize>(rows: [$vector; R]) -> [$vector; R] {
                let mut turned = rows;
                for at in 0..R / 2 {
                    turned[2 * at] = $unpack_low(rows[at], rows[at + R / 2]);
                    turned[2 * at + 1] = $unpack_high(rows[at], rows[at + R / 2]);
                }
                turned
            }

            /// The longest runs, and those that end with the last byte, with the next byte.
            #[inline]
            #[target_feature(enable = $level)]
            fn with(runs: ($vector, $vector), byte: $vector) -> ($vector, $vector) {
                let half = $all(0x0F);
                let runs = with_half(runs, $and(byte, half));
                with_half(runs, $and($shift::<4>(byte), half))
            }

            #[inline]
            #[target_feature(enable = $level)]
            fn with_half((best, last): ($vector, $vector), nibble: $vector) -> ($vector, $vector) {
                let joined = $add(last, $look_up(table(BEGIN), nibble));
                let best = $max(best, $max(joined, $look_up(table(LONGEST), nibble)));
                let whole = $equal(nibble, $all(0x0F));
                (best, $add($and(last, whole), $look_up(table(END), nibble)))
            }

            #[inline]
            #[target_feature(enable = $level)]
            fn table(entries: [u8; 16]) -> $vector {
                // SAFETY: both are arrays of bytes of one size, and any byte is valid.
                unsafe { transmute([entries; IN_ROW]) }
            }

            /// The longest runs, map after map: the one of map `m` stands at `at(m)`.
            #[inline]
            #[target_feature(enable = $level)]
            fn in_order((best, _): ($vector, $vector), at: impl Fn(usize) -> usize) -> [u8; LANES] {
                // SAFETY: both are arrays of bytes of one size, and any byte is valid.
                let best: [u8; LANES] = unsafe { transmute(best) };
                core::array::from_fn(|map| best[at(map)])
            }
        }
    };
}

width! {
    ssse3, "ssse3", __m128i, 16,
    _mm_unpacklo_epi8, _mm_unpackhi_epi8, _mm_shuffle_epi8, _mm_and_si128, _mm_cmpeq_epi8,
    _mm_adds_epu8, _mm_max_epu8, _mm_srli_epi16, _mm_set1_epi8, _mm_setzero_si128
}

width! {
    avx2, "avx2", __m256i, 32,
    _mm256_unpacklo_epi8, _mm256_unpackhi_epi8, _mm256_shuffle_epi8, _mm256_and_si256,
    _mm256_cmpeq_epi8, _mm256_adds_epu8, _mm256_max_epu8, _mm256_srli_epi16, _mm256_set1_epi8,
    _mm256_setzero_si256
}
