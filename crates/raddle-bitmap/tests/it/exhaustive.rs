//! Does every search answer what plain loops answer, on every map up to 16 blocks?
//!
//! The longest run and the fits are asked of every form of a map in `suite`.

use raddle_bitmap::{Full, Grouped, Kind, Layout, Sampled, Search, Shared};

use crate::{every_map, naive};

/// Returns sampled searches for maps of this many blocks: every amount, the steps, without primes,
/// and one that leaves the shortest runs out.
fn lists(blocks: u32) -> Vec<Sampled> {
    let all: Vec<u32> = (0..blocks).collect();
    let coarse: Vec<u32> = [2, 4, 8].into_iter().filter(|&k| k < blocks).collect();
    let lists = [
        Sampled::new(blocks, &all),
        Sampled::steps(blocks),
        Sampled::without_primes(blocks),
        Sampled::new(blocks, &coarse),
    ];
    lists.into_iter().flatten().collect()
}

#[test]
fn the_four_searches() {
    for blocks in 1..=16 {
        let groups: Vec<Grouped> =
            (1..blocks).filter_map(|groups| Grouped::new(blocks, groups).ok()).collect();
        let lists = lists(blocks);
        let kind = Kind { id: 0, blocks };
        let shared = Shared::new(16, 16, &[[kind]], &Layout::Packed).unwrap();
        for map in every_map(blocks) {
            let (view, naive) = (map.view(), naive(&map));
            let longest = naive.longest();
            assert_eq!(Full.longest(view), Ok(longest as u32), "{map:?}");
            assert_eq!(shared.longest(view), Ok(longest as u32), "{map:?}");
            assert_eq!(shared.find(0, &[view]), Ok(vec![longest as u32]), "{map:?}");
            for search in &groups {
                let expected = naive.grouped(search.groups() as usize);
                assert_eq!(search.longest(view), Ok(expected as u32), "{map:?} {search:?}");
            }
            for search in &lists {
                // The oracle's own search is dear: its meaning is laid down by the longest run.
                let reached = search.amounts().iter().filter(|&&it| it as usize <= longest);
                let expected = reached.max().copied().unwrap_or(0);
                assert_eq!(search.longest(view), Ok(expected), "{map:?} {search:?}");
                if blocks <= 10 {
                    let k: Vec<u32> = search.k().collect();
                    assert_eq!(naive.sampled(&k) as u32, expected, "{map:?} {search:?}");
                }
            }
        }
    }
}
