//! Does everything that is measured give the right answers?
//!
//! Every contender and every kernel against the plain loop of `contender.rs`, before the first row
//! is measured; a wrong one stops the benchmark.

use raddle_bitmap::batch::Kernel;

use crate::contender::{Exactness, FirstFit, Longest, Pool, first_of, is_free, longest_of};
use crate::contents::{Kind, Random, Step, Trace, maps_a_pass};
use crate::ours::{self, Ours, OursSafe, row_of};
use crate::peers::bitmap_allocator::{Large, Small};
use crate::peers::bitvec::Bitvec;
use crate::peers::fixedbitset::Fixedbitset;
use crate::peers::offset_allocator::OffsetAllocator;
use crate::peers::range_alloc::RangeAlloc;
use crate::peers::rangemap::Rangemap;
use crate::peers::roaring::{Roaring, RoaringRuns};
use crate::yardsticks::full::Full;
use crate::yardsticks::gem5::Gem5;
use crate::yardsticks::go::Go;
use crate::yardsticks::linux::{Linux, LinuxRanges};
use crate::yardsticks::naive::Naive;
use crate::yardsticks::textbook::Textbook;

/// Maps of each kind.
const SOME: usize = 100;

pub(crate) fn everything() {
    let checks = size::<1>();
    checks.all_of::<Small<1>>();
    let checks = size::<2>();
    checks.all_of::<Small<2>>();
    let checks = size::<32>();
    checks.all_of::<Large<32>>();
}

fn size<const W: usize>() -> Checks<W> {
    for kind in Kind::ALL {
        kind.check::<W>(&kind.maps(maps_a_pass(64 * W)));
    }
    let checks = Checks::<W>::new();
    checks.longest::<Textbook<W>>();
    checks.longest::<Naive<W>>();
    checks.longest::<Full<W>>();
    checks.longest::<LinuxRanges<W>>();
    checks.first_fit::<Naive<W>>();
    checks.longest::<RoaringRuns<W>>();
    checks.first_fit::<RoaringRuns<W>>();
    checks.all_of::<Ours<W>>();
    checks.longest::<OursSafe<W>>();
    checks.first_fit::<OursSafe<W>>();
    checks.all_of::<Linux<W>>();
    checks.all_of::<Go<W>>();
    checks.all_of::<Gem5<W>>();
    checks.all_of::<Bitvec<W>>();
    checks.all_of::<Fixedbitset<W>>();
    checks.all_of::<Roaring<W>>();
    checks.all_of::<Rangemap<W>>();
    checks.all_of::<RangeAlloc<W>>();
    checks.first_fit::<OffsetAllocator<W>>();
    checks.pool::<OffsetAllocator<W>>();
    for &kernel in Kernel::ALL.iter().filter(|kernel| kernel.is_here()) {
        checks.kernel(kernel);
    }
    checks
}

/// Maps of one size, and what is longest in each.
struct Checks<const W: usize> {
    maps: Vec<[u64; W]>,
    longest: Vec<u32>,
}

impl<const W: usize> Checks<W> {
    const BLOCKS: u32 = 64 * W as u32;

    /// Some of every kind, nothing and everything, and single runs of many lengths anywhere.
    fn new() -> Self {
        let mut maps: Vec<[u64; W]> = vec![[0; W], [u64::MAX; W], [0x5555_5555_5555_5555; W]];
        for kind in Kind::ALL {
            maps.extend(kind.maps::<W>(SOME));
        }
        let mut random = Random(7);
        for _ in 0..SOME {
            let start = random.between(0, Self::BLOCKS - 1);
            let end = random.between(start, Self::BLOCKS - 1);
            let mut map = [0; W];
            for block in start..=end {
                map[block as usize / 64] |= 1 << (block % 64);
            }
            maps.push(map);
        }
        let longest = maps.iter().map(|map| longest_of(map)).collect();
        Self { maps, longest }
    }

    fn all_of<C: Longest + FirstFit + Pool>(&self) {
        self.longest::<C>();
        self.first_fit::<C>();
        self.pool::<C>();
    }

    fn longest<C: Longest>(&self) {
        for (map, &longest) in self.maps.iter().zip(&self.longest) {
            let found = C::of(map).longest();
            assert_eq!(found, longest, "{}, the longest run of {map:x?}", C::NAME);
        }
    }

    fn first_fit<C: FirstFit>(&self) {
        for (map, &longest) in self.maps.iter().zip(&self.longest) {
            let mut contender = C::of(map);
            // All on one contender: what a search takes it has to give back.
            for want in [1, 2, 3, 4, 7, 8, 13, 16, 29, 32, 33, 63, 64, 65, 100, 128, 129] {
                self.query(&mut contender, map, want);
            }
            for want in [longest.max(1), longest + 1, longest + 2, Self::BLOCKS] {
                self.query(&mut contender, map, want);
            }
        }
    }

    fn query<C: FirstFit>(&self, contender: &mut C, map: &[u64; W], want: u32) {
        let found = contender.first_fit(want);
        let first = first_of(map, want);
        let is_right = C::EXACTNESS.allows(map, want, found);
        assert!(is_right, "{}: {found:?} and not {first:?}, {want} of {map:x?}", C::NAME);
    }

    /// A trace on a few pools, each step followed on plain maps.
    fn pool<P: FirstFit + Pool>(&self) {
        let trace = Trace::new::<W>(3, 1_500);
        let mut pools: Vec<(P, [u64; W])> = Vec::new();
        pools.resize_with(3, || (P::empty(), [u64::MAX; W]));
        let mut slots: Vec<Option<P::Held>> = vec![None; trace.slots as usize];
        for op in &trace.ops {
            let (pool, map) = &mut pools[usize::from(op.pool)];
            let (len, slot) = (u32::from(op.len), &mut slots[op.slot as usize]);
            if op.step != Step::Give {
                let held = pool.take(len);
                let start = held.map(P::start);
                let is_right = P::EXACTNESS.allows(map, len, start);
                assert!(is_right, "{} takes {start:?}, {len} of {map:x?}", P::NAME);
                flip(map, start, len);
                *slot = held;
            }
            if op.step != Step::Take
                && let Some(held) = slot.take()
            {
                pool.give(held, len);
                flip(map, Some(P::start(held)), len);
            }
        }
        let all_free = pools.iter().all(|(_, map)| map == &[u64::MAX; W]);
        assert!(all_free, "{}: the trace gives everything back", P::NAME);
    }

    fn kernel(&self, kernel: Kernel) {
        // Also fewer maps than a kernel takes at once, and odd numbers of them.
        for count in [0, 1, 7, 15, 16, 63, 64, 65, 130, self.maps.len()] {
            let (maps, longest) = (&self.maps[..count], &self.longest[..count]);
            let (mut words, mut bytes) = (vec![0_u16; count], vec![0_u8; count]);
            ours::longest(kernel, maps, &mut words);
            ours::longest_bytes(kernel, maps, &mut bytes);
            let name = row_of(kernel);
            for (at, &longest) in longest.iter().enumerate() {
                let (word, byte, map) = (words[at], bytes[at], maps[at]);
                assert_eq!(u32::from(word), longest, "{name}, {at} of {count}: {map:x?}");
                assert_eq!(u32::from(byte), longest.min(255), "{name}, {at} of {count}: {map:x?}");
            }
        }
    }
}

impl Exactness {
    /// Whether this is an answer that may be given for so many blocks of a map.
    fn allows(self, map: &[u64], want: u32, found: Option<u32>) -> bool {
        let first = first_of(map, want);
        match (self, found) {
            (Self::First, _) => found == first,
            (Self::Any, None) => first.is_none(),
            (Self::Rounded, None) => true,
            (_, Some(start)) => {
                let end = 64 * map.len() as u32;
                start + want <= end && (start..start + want).all(|block| is_free(map, block))
            }
        }
    }
}

/// Frees what is taken and takes what is free.
fn flip(map: &mut [u64], start: Option<u32>, len: u32) {
    for block in start.into_iter().flat_map(|start| start..start + len) {
        map[block as usize / 64] ^= 1 << (block % 64);
    }
}
