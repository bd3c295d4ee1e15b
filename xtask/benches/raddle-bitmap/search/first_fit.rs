//! How long does the first run of so many blocks take to find?
//!
//! Groups `first-BLOCKS`, on churn: nanoseconds a query. Each query wants 4 to 32 blocks, drawn at
//! random, another number in each pass, or the branch predictor would know the answers. Groups
//! `first-miss-BLOCKS`: each query wants one to four blocks more than the longest run of its map.

use std::cell::OnceCell;
use std::hint::black_box;

use crate::contender::{FirstFit, longest_of};
use crate::contents::{Kind, Random, WANT, maps_a_pass};
use crate::lab::Lab;
use crate::ours::{Ours, OursSafe};
use crate::peers::bitmap_allocator::{Large, Small};
use crate::peers::bitvec::Bitvec;
use crate::peers::fixedbitset::Fixedbitset;
use crate::peers::offset_allocator::OffsetAllocator;
use crate::peers::range_alloc::RangeAlloc;
use crate::peers::rangemap::Rangemap;
use crate::peers::roaring::{Roaring, RoaringRuns};
use crate::yardsticks::gem5::Gem5;
use crate::yardsticks::go::Go;
use crate::yardsticks::linux::Linux;
use crate::yardsticks::naive::Naive;

pub(crate) fn run(lab: &mut Lab) {
    for misses in [false, true] {
        let group = size::<1>(lab, misses);
        group.row::<Small<1>>(lab);
        let group = size::<2>(lab, misses);
        group.row::<Small<2>>(lab);
        let group = size::<32>(lab, misses);
        group.row::<Large<32>>(lab);
    }
}

fn size<const W: usize>(lab: &mut Lab, misses: bool) -> Group<W> {
    let group = Group { misses, queries: OnceCell::new() };
    group.row::<Ours<W>>(lab);
    group.row::<OursSafe<W>>(lab);
    group.row::<Naive<W>>(lab);
    group.row::<Linux<W>>(lab);
    group.row::<Go<W>>(lab);
    group.row::<Gem5<W>>(lab);
    group.row::<Bitvec<W>>(lab);
    group.row::<Fixedbitset<W>>(lab);
    group.row::<Roaring<W>>(lab);
    group.row::<RoaringRuns<W>>(lab);
    group.row::<Rangemap<W>>(lab);
    group.row::<RangeAlloc<W>>(lab);
    group.row::<OffsetAllocator<W>>(lab);
    group
}

/// The maps of one size and what is wanted of them, made when a row needs them.
struct Group<const W: usize> {
    misses: bool,
    queries: OnceCell<(Vec<[u64; W]>, Wants)>,
}

impl<const W: usize> Group<W> {
    fn row<C: FirstFit>(&self, lab: &mut Lab) {
        let count = maps_a_pass(64 * W);
        let start = || {
            let (words, wants) = self.queries.get_or_init(|| {
                let maps: Vec<[u64; W]> = Kind::Churn.maps(count);
                let wants = if self.misses { Wants::misses(&maps) } else { Wants::random(count) };
                (maps, wants)
            });
            (words.iter().map(|map| C::of(map)).collect::<Vec<C>>(), wants, 0)
        };
        let what = if self.misses { "first-miss" } else { "first" };
        lab.row(&format!("{what}-{}", 64 * W), C::NAME, count, start, |(maps, wants, at)| {
            let (wants, more) = wants.of_pass(*at);
            *at += 1;
            pass(maps, wants, more);
        });
    }
}

#[inline(never)]
fn pass<C: FirstFit>(maps: &mut [C], wants: &[u16], more: u16) {
    for (map, &want) in maps.iter_mut().zip(wants) {
        black_box(map.first_fit(u32::from(want + more)));
    }
}

/// What is wanted of the maps in turn.
enum Wants {
    /// Twice as many as there are maps: each pass begins at another place.
    Random(Vec<u16>),
    /// One more than the longest run of each map; each pass adds something.
    Misses(Vec<u16>),
}

impl Wants {
    fn random(maps: usize) -> Self {
        let mut random = Random(0x3a17);
        Self::Random((0..2 * maps).map(|_| random.between(WANT.0, WANT.1) as u16).collect())
    }

    fn misses<const W: usize>(maps: &[[u64; W]]) -> Self {
        Self::Misses(maps.iter().map(|map| longest_of(map) as u16 + 1).collect())
    }

    /// What a pass wants of each map, and how much more than that.
    fn of_pass(&self, pass: usize) -> (&[u16], u16) {
        match self {
            Self::Random(wants) => (&wants[pass.wrapping_mul(7_919) % (wants.len() / 2)..], 0),
            Self::Misses(wants) => (wants, (pass % 4) as u16),
        }
    }
}
