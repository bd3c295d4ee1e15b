//! What does a search for free blocks cost, beside the plain loop and beside `bitvec`?
//!
//! Maps of 64, 128 and 2,048 blocks, each block free with one chance in two, 1,024 different ones in turn,
//! so that no branch predictor learns them. Times are for one map.

use std::hint::black_box;

use bitvec::prelude::{BitSlice, Lsb0};
use divan::Bencher;
use divan::counter::ItemsCount;
use raddle_bitmap::{Bank, FreeMap, Polarity};

const MAPS: usize = 1024;
/// Number of blocks in a row that each search looks for.
const WANT: u32 = 6;

fn main() {
    divan::main();
}

/// Returns random maps of `64 * W` blocks, as words with 1 = free.
fn maps<const W: usize>() -> Vec<[u64; W]> {
    let mut state = 0x5eed_u64;
    let mut next = || {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 27)
    };
    (0..MAPS).map(|_| std::array::from_fn(|_| next())).collect()
}

fn free_maps<const W: usize>() -> Vec<FreeMap> {
    let free = |words: &[u64; W]| FreeMap::from_words(words, 64 * W as u32, Polarity::FreeIsOne);
    maps::<W>().iter().map(|words| free(words).expect("as many words as blocks need")).collect()
}

/// Measures a search, which is called on every map.
fn each<T>(bencher: Bencher<'_, '_>, maps: &[T], search: impl Fn(&T) -> u32) {
    bencher.counter(ItemsCount::new(maps.len())).bench_local(|| {
        for map in black_box(maps) {
            black_box(search(map));
        }
    });
}

#[divan::bench_group]
mod longest {
    use super::*;

    #[divan::bench(consts = [1, 2, 32])]
    fn ours<const W: usize>(bencher: Bencher<'_, '_>) {
        each(bencher, &free_maps::<W>(), FreeMap::longest);
    }

    /// Finds the longest run by an AND of the map with itself, shifted by one block, until nothing
    /// is left.
    #[divan::bench(consts = [1, 2, 32])]
    fn shift_and<const W: usize>(bencher: Bencher<'_, '_>) {
        each(bencher, &maps::<W>(), |words| {
            let (mut map, mut rounds) = (*words, 0);
            while map.iter().any(|word| *word != 0) {
                for at in (0..W).rev() {
                    let carry = if at > 0 { map[at - 1] >> 63 } else { 0 };
                    map[at] &= map[at] << 1 | carry;
                }
                rounds += 1;
            }
            rounds
        });
    }
}

#[divan::bench_group]
mod first_fit {
    use super::*;

    #[divan::bench(consts = [1, 2, 32])]
    fn ours<const W: usize>(bencher: Bencher<'_, '_>) {
        each(bencher, &free_maps::<W>(), |map| {
            map.first_fit(WANT).map_or(u32::MAX, |plan| plan.start())
        });
    }

    /// Finds the first fit by code written by hand for two words: the starts in each by doubling,
    /// then the run over their border.
    #[divan::bench]
    fn by_hand_128(bencher: Bencher<'_, '_>) {
        let want = black_box(WANT);
        let starts = |word: u64| {
            let (mut starts, mut have) = (word, 1);
            while have < want {
                let by = have.min(want - have);
                starts &= starts >> by;
                have += by;
            }
            starts
        };
        each(bencher, &maps::<2>(), |&[lower, upper]| {
            let end = lower.leading_ones();
            match (starts(lower), starts(upper)) {
                (0, _) if end + upper.trailing_ones() >= want => 64 - end,
                (0, 0) => u32::MAX,
                (0, found) => 64 + found.trailing_zeros(),
                (found, _) => found.trailing_zeros(),
            }
        });
    }

    #[divan::bench(consts = [1, 2, 32])]
    fn bit_by_bit<const W: usize>(bencher: Bencher<'_, '_>) {
        each(bencher, &maps::<W>(), |words| {
            let mut run = 0;
            for block in 0..64 * W as u32 {
                let free = words[block as usize / 64] >> (block % 64) & 1 == 1;
                run = if free { run + 1 } else { 0 };
                if run == WANT {
                    return block + 1 - WANT;
                }
            }
            u32::MAX
        });
    }

    #[divan::bench(consts = [1, 2, 32])]
    fn bitvec<const W: usize>(bencher: Bencher<'_, '_>) {
        each(bencher, &maps::<W>(), |words| {
            let mut bits = BitSlice::<u64, Lsb0>::from_slice(words);
            let mut start = 0;
            while let Some(free) = bits.first_one() {
                bits = &bits[free..];
                start += free as u32;
                let run = bits.leading_ones();
                if run >= WANT as usize {
                    return start;
                }
                bits = &bits[run..];
                start += run as u32;
            }
            u32::MAX
        });
    }
}

/// Takes the first run of free blocks of a map in a bank and gives it back; the bank keeps the
/// length of the longest run.
#[divan::bench(consts = [1, 2, 32])]
fn take_and_release<const W: usize>(bencher: Bencher<'_, '_>) {
    let mut bank = Bank::new(MAPS, 64 * W as u32).expect("memory for 256 KiB");
    for (map, words) in maps::<W>().iter().enumerate() {
        for block in (0..64 * W as u32).filter(|&it| words[it as usize / 64] >> (it % 64) & 1 == 0)
        {
            let plan = bank.fit_at(map, block, 1).expect("it is free");
            bank.commit(map, plan).expect("nothing happened since the search");
        }
    }
    bencher.counter(ItemsCount::new(MAPS)).bench_local(|| {
        for map in 0..MAPS {
            if let Some(plan) = black_box(&mut bank).first_fit(map, WANT) {
                let start = bank.commit(map, plan).expect("nothing happened since the search");
                bank.release(map, start, WANT).expect("it was taken");
            }
        }
    });
}
