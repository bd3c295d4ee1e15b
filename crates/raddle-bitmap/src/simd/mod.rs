//! What can this processor do at once?
//!
//! The only unsafe code of the crate. It calls functions compiled for a level of processors after
//! asking for that level, turns vectors into arrays and back, and loads the words of a map under a
//! mask. Everything here has a safe twin and the same property tests.
#![allow(unsafe_code, reason = "processor levels are found at run time")]

mod bytes;
pub(crate) mod compare;
mod level;
mod nibbles;
mod safe;
pub(crate) mod short;
pub(crate) mod wide;

pub(crate) use level::has;

use crate::batch::{Length, Measurer};
use crate::runs;

/// Maps measured at a time where answers are widened: their bytes stay in the nearest cache.
const PART: usize = 1024;

/// Measures the maps; whether it did: not with a kernel that the processor lacks.
pub(crate) fn longest<const W: usize>(
    kernel: Measurer,
    maps: &[[u64; W]],
    longest: &mut [u16],
) -> bool {
    if safe_body(kernel, maps, longest) {
        return true;
    }
    let mut bytes = [0; PART];
    for (maps, longest) in maps.chunks(PART).zip(longest.chunks_mut(PART)) {
        let bytes = &mut bytes[..maps.len()];
        if !tables(kernel, maps, bytes) {
            return false;
        }
        widen(maps, bytes, longest);
    }
    true
}

/// What did not fit a byte is measured again.
fn widen<const W: usize>(maps: &[[u64; W]], bytes: &[u8], longest: &mut [u16]) {
    for ((map, &byte), longest) in maps.iter().zip(bytes).zip(longest) {
        *longest = u16::from(byte);
        if W >= 4 && byte == u8::MAX {
            // Of at most 1,023 words.
            *longest = runs::longest(map) as u16;
        }
    }
}

/// As [`longest`], with 255 for 255 or more.
pub(crate) fn longest_bytes<const W: usize>(
    kernel: Measurer,
    maps: &[[u64; W]],
    longest: &mut [u8],
) -> bool {
    safe_body(kernel, maps, longest) || tables(kernel, maps, longest)
}

/// The safe body compiled for a level; whether this kernel is one, and here.
fn safe_body<const W: usize, T: Length>(
    kernel: Measurer,
    maps: &[[u64; W]],
    longest: &mut [T],
) -> bool {
    match kernel {
        _ if !has(kernel) => return false,
        // SAFETY: the processor has it, see above.
        Measurer::SafeAvx2 => unsafe { safe::avx2(maps, longest) },
        // SAFETY: the processor has it, see above.
        Measurer::SafeAvx512 => unsafe { safe::avx512(maps, longest) },
        _ => return false,
    }
    true
}

/// Tables; whether this kernel has some, and is here.
fn tables<const W: usize>(kernel: Measurer, maps: &[[u64; W]], longest: &mut [u8]) -> bool {
    match kernel {
        _ if !has(kernel) => return false,
        // SAFETY: the processor has it, see above.
        Measurer::TableSsse3 => unsafe { nibbles::ssse3::longest(maps, longest) },
        // SAFETY: the processor has it, see above.
        Measurer::TableAvx2 => unsafe { nibbles::avx2::longest(maps, longest) },
        // SAFETY: the processor has it, see above.
        Measurer::TableAvx512 => unsafe { bytes::longest(maps, longest) },
        _ => return false,
    }
    true
}
