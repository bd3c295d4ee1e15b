//! Does all that is compiled for a level of processors answer what plain loops answer, on few maps?
//!
//! Few enough for Miri (`cargo xtask miri`), which watches every access of the unsafe module; the
//! same questions on many maps stand in `batch` and `suite`.

use raddle_bitmap::batch::{Comparer, Measurer, fits, longest, longest_bytes, words_of_answers};
use raddle_bitmap::{Error, FixedMap, Polarity};

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
    for &kernel in Measurer::ALL {
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

#[test]
fn every_demand_at_every_place() {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Often an extreme, so that less and equal are told apart there.
        [state as u8, 0, u8::MAX, 128][(state >> 32) as usize % 4]
    };
    let counts: &[usize] = if cfg!(miri) { &[65] } else { &[1, 63, 64, 65, 127, 128, 200, 1024] };
    for &places in counts {
        let lists: [Vec<u8>; 3] = std::array::from_fn(|_| (0..places).map(|_| byte()).collect());
        let found = [0, 1, 2].map(|at: usize| lists[at].as_slice());
        let wants: Vec<[u8; 3]> = (0..9).map(|_| std::array::from_fn(|_| byte())).collect();
        let fits_at = |want: &[u8; 3], place: usize| (0..3).all(|r| found[r][place] >= want[r]);
        let mut expected = vec![0_u64; words_of_answers(places) * wants.len()];
        for (want, words) in wants.iter().zip(expected.chunks_mut(words_of_answers(places))) {
            let fitting = (0..places).filter(|&place| fits_at(want, place));
            fitting.for_each(|place| words[place / 64] |= 1 << (place % 64));
        }
        for &comparer in Comparer::ALL {
            if !comparer.is_here() {
                println!("not run: {}", comparer.name());
            }
            let mut answers = vec![u64::MAX; expected.len()];
            fits(comparer, &found, &wants, &mut answers).unwrap();
            assert_eq!(answers, expected, "{places} places, {comparer:?}");
        }
    }
}

#[test]
fn lists_that_do_not_go_together_are_refused() {
    let (long, short) = ([1; 65], [1; 64]);
    let mut answers = [7; 2];
    let uneven = fits(Comparer::best(), &[&long, &short], &[[0, 0]], &mut answers);
    assert_eq!(uneven, Err(Error::PlaceCount { places: 65, listed: 64 }));
    let few = fits(Comparer::best(), &[&long], &[[0], [0]], &mut answers);
    assert_eq!(few, Err(Error::WordsOfAnswers { needed: 4, words: 2 }));
    assert_eq!(answers, [7; 2], "nothing has been written");
    assert_eq!(fits(Comparer::best(), &[&[], &[]], &[[1, 1]], &mut []), Ok(()));
    assert_eq!(fits(Comparer::best(), &[&long], &[[2]], &mut answers), Ok(()));
    assert_eq!(answers, [0; 2]);
}
