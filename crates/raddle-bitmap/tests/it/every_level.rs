//! Does all that is compiled for a level of processors answer what plain loops answer, on few maps?
//!
//! Few enough for Miri (`cargo xtask miri`), which watches every access of the unsafe module; the
//! same questions on many maps stand in `batch` and `suite`.

use raddle_bitmap::batch::{Kernel, longest, longest_bytes};
use raddle_bitmap::{FixedMap, Polarity};

use crate::naive::Naive;

/// So many maps of noise, of runs, and of nothing but ones.
fn maps<const W: usize>(count: usize) -> Vec<[u64; W]> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count)
        .map(|at| {
            std::array::from_fn(|_| match (at % 4, next() % 4) {
                (0, _) => next(),
                (1, _) => next() | next(),
                (2, 0) => u64::MAX << (next() % 64),
                (2, 1) => u64::MAX >> (next() % 64),
                _ => u64::MAX,
            })
        })
        .collect()
}

fn same<const W: usize>(count: usize) {
    let words = maps::<W>(count);
    let maps: Vec<FixedMap<W>> = words
        .iter()
        .map(|words| FixedMap::from_words(words, 64 * W as u32, Polarity::FreeIsOne).unwrap())
        .collect();
    let naive: Vec<Naive> = maps
        .iter()
        .map(|map| Naive((0..map.blocks()).map(|block| map.is_free(block)).collect()))
        .collect();
    let expected: Vec<u16> = naive.iter().map(|map| map.longest() as u16).collect();
    for &kernel in Kernel::ALL {
        if !kernel.is_here() {
            println!("not run: {}", kernel.name());
            continue;
        }
        let (mut exact, mut bytes) = (vec![0; count], vec![0; count]);
        longest(kernel, &words, &mut exact).unwrap();
        longest_bytes(kernel, &words, &mut bytes).unwrap();
        assert_eq!(exact, expected, "{kernel:?}");
        assert!(bytes.iter().zip(&expected).all(|(&byte, &run)| u16::from(byte) == run.min(255)));
    }
    // Miri takes minutes for what the processor does at once.
    let few = if cfg!(miri) { 2 } else { count };
    let wanted = (0..).map(|at| if at % 3 == 0 { at * 7 % 67 } else { at * 29 % 400 });
    for ((map, naive), want) in maps.iter().zip(&naive).zip(wanted).take(few) {
        assert_eq!(map.longest() as usize, naive.longest(), "{map:?}");
        for from in [0, want, 64 * W as u32 - 1, 64 * W as u32 + 3] {
            let first = naive.first_fit_from(from as usize, want as usize);
            let found = map.first_fit_from(from, want).map(|plan| plan.start() as usize);
            assert_eq!(found, first, "{want} from {from} in {map:?}");
        }
    }
}

#[test]
fn a_few_maps_of_every_shape() {
    if cfg!(miri) {
        // As many as the widest kernel that Miri knows lays side by side, and one.
        same::<1>(33);
        same::<2>(33);
        same::<8>(2);
        same::<32>(2);
        return;
    }
    same::<1>(67);
    same::<2>(67);
    same::<3>(5);
    same::<4>(64);
    same::<8>(4);
    same::<13>(4);
    same::<16>(4);
    same::<32>(5);
    same::<33>(2);
}
