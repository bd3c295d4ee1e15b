//! At which of 32 or 64 places is there enough, in one comparison a resource?

use core::arch::x86_64::*;
use core::mem::transmute;

use std::is_x86_feature_detected as has;

use crate::batch::{Comparer, PLACES, one_by_one, rest, whole_rows, words_of_answers};

/// Whether the processor has what a comparer is compiled for.
pub(crate) fn has(comparer: Comparer) -> bool {
    match comparer {
        Comparer::Portable => true,
        Comparer::Avx2 => has!("avx2"),
        Comparer::Avx512 => has!("avx512f") && has!("avx512bw"),
    }
}

/// Writes the answers; whether it did: not with a comparer that the processor lacks.
pub(crate) fn fits<const R: usize>(
    comparer: Comparer,
    found: &[&[u8]; R],
    wants: &[[u8; R]],
    answers: &mut [u64],
) -> bool {
    match comparer {
        _ if !has(comparer) => return false,
        // SAFETY: the processor has it, see above.
        Comparer::Avx2 => unsafe { avx2(found, wants, answers) },
        // SAFETY: the processor has it, see above.
        Comparer::Avx512 => unsafe { avx512(found, wants, answers) },
        Comparer::Portable => return false,
    }
    true
}

#[target_feature(enable = "avx2")]
fn avx2<const R: usize>(found: &[&[u8]; R], wants: &[[u8; R]], answers: &mut [u64]) {
    one_by_one(found, wants, answers, |found, want| {
        let mut halves = [_mm256_set1_epi8(-1); 2];
        for (bytes, &want) in found.iter().zip(want) {
            let want = _mm256_set1_epi8(want as i8);
            for (half, bytes) in halves.iter_mut().zip(bytes.as_chunks().0) {
                // The larger of both is what is there.
                let bytes = half_of(bytes);
                let enough = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, want), bytes);
                *half = _mm256_and_si256(*half, enough);
            }
        }
        let [lower, upper] = halves.map(|half| u64::from(_mm256_movemask_epi8(half) as u32));
        lower | upper << 32
    });
}

#[target_feature(enable = "avx512f,avx512bw")]
fn avx512<const R: usize>(found: &[&[u8]; R], wants: &[[u8; R]], answers: &mut [u64]) {
    let rows = whole_rows(found);
    for (want, answers) in wants.iter().zip(answers.chunks_mut(words_of_answers(found[0].len()))) {
        let wanted = want.map(|want| _mm512_set1_epi8(want as i8));
        let (whole, last) = answers.split_at_mut(rows[0].len());
        for (at, answer) in whole.iter_mut().enumerate() {
            let mut all = u64::MAX;
            for (row, &wanted) in rows.iter().zip(&wanted) {
                all = _mm512_mask_cmpge_epu8_mask(all, whole_of(&row[at]), wanted);
            }
            *answer = all;
        }
        if let Some(answer) = last.first_mut() {
            *answer = rest(found, want);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn half_of(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: both are 32 bytes, of which any are valid.
    unsafe { transmute(*bytes) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn whole_of(bytes: &[u8; PLACES]) -> __m512i {
    // SAFETY: both are 64 bytes, of which any are valid.
    unsafe { transmute(*bytes) }
}
