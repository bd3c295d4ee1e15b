//! How long do the longest runs of many maps take to find in one call?
//!
//! Groups `longest-batch-BLOCKS-CONTENTS` (answers as `u16`) and `longest-bytes-BLOCKS-CONTENTS` (as
//! `u8`), nanoseconds a map: each kernel that this processor has. They are compared with the rows of
//! `longest-one-BLOCKS`. Group `memory`: the same over 512 MiB, beside a plain sum of the same
//! words, which is what reading alone costs.

use std::cell::OnceCell;
use std::hint::black_box;

use raddle_bitmap::batch::Kernel;

use crate::contents::{Kind, maps_a_pass};
use crate::lab::Lab;
use crate::ours::{self, row_of};

/// 512 MiB of maps of 128 blocks.
const IN_MEMORY: usize = 512 << 20 >> 4;
/// So many answers are overwritten again and again, so that only reading goes to memory.
const ANSWERS: usize = 16_384;

pub(crate) fn run(lab: &mut Lab) {
    size::<1>(lab, Kind::Churn);
    size::<2>(lab, Kind::Churn);
    size::<2>(lab, Kind::Rand50);
    size::<32>(lab, Kind::Churn);
}

fn size<const W: usize>(lab: &mut Lab, kind: Kind) {
    let count = maps_a_pass(64 * W);
    let maps: OnceCell<Vec<[u64; W]>> = OnceCell::new();
    let build = || maps.get_or_init(|| kind.maps(count));
    for &kernel in Kernel::ALL {
        let name = |what: &str| format!("longest-{what}-{}-{}", 64 * W, kind.name());
        let (words, bytes) = (name("batch"), name("bytes"));
        if has(lab, &words, kernel) {
            let start = || (build(), vec![0_u16; count]);
            lab.row(&words, row_of(kernel), count, start, |(maps, out)| {
                ours::longest(kernel, maps, out);
                black_box(out);
            });
        }
        if has(lab, &bytes, kernel) {
            let start = || (build(), vec![0_u8; count]);
            lab.row(&bytes, row_of(kernel), count, start, |(maps, out)| {
                ours::longest_bytes(kernel, maps, out);
                black_box(out);
            });
        }
    }
}

/// Whether the kernel can be run here on such maps; notes it where not.
fn has(lab: &mut Lab, group: &str, kernel: Kernel) -> bool {
    if !kernel.is_here() {
        let why = format!("this processor lacks what {} needs", kernel.name());
        lab.lacks(group, row_of(kernel), why);
    }
    kernel.is_here()
}

pub(crate) fn run_in_memory(lab: &mut Lab) {
    let maps: OnceCell<Vec<[u64; 2]>> = OnceCell::new();
    let build = || maps.get_or_init(in_memory).as_slice();
    lab.row("memory", "sum", IN_MEMORY, build, |maps| {
        let words = maps.as_flattened();
        black_box(words.iter().fold(0, |sum: u64, word| sum.wrapping_add(*word)));
    });
    for &kernel in Kernel::ALL {
        if has(lab, "memory", kernel) {
            let start = || (build(), vec![0_u8; ANSWERS]);
            lab.row("memory", row_of(kernel), IN_MEMORY, start, |(maps, out)| {
                for maps in maps.chunks_exact(ANSWERS) {
                    ours::longest_bytes(kernel, maps, out);
                    black_box(&mut *out);
                }
            });
        }
    }
}

/// Churn, repeated until the memory is full.
fn in_memory() -> Vec<[u64; 2]> {
    let some: Vec<[u64; 2]> = Kind::Churn.maps(ANSWERS);
    some.repeat(IN_MEMORY / ANSWERS)
}
