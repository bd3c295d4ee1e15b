//! How long does the longest run of one map take to find, asked map by map?
//!
//! Groups `longest-one-BLOCKS`, on churn: nanoseconds a map. Every answer is used by itself, so that
//! no compiler joins two calls.

use std::cell::OnceCell;
use std::hint::black_box;

use crate::contender::{Contender, Longest};
use crate::contents::{Kind, maps_a_pass};
use crate::lab::Lab;
use crate::ours::{Ours, OursSafe};
use crate::peers::bitmap_allocator::{Large, Small};
use crate::peers::bitvec::Bitvec;
use crate::peers::fixedbitset::Fixedbitset;
use crate::peers::range_alloc::RangeAlloc;
use crate::peers::rangemap::Rangemap;
use crate::peers::roaring::{Roaring, RoaringRuns};
use crate::yardsticks::full::Full;
use crate::yardsticks::gem5::Gem5;
use crate::yardsticks::go::Go;
use crate::yardsticks::linux::{Linux, LinuxRanges};
use crate::yardsticks::naive::Naive;
use crate::yardsticks::textbook::Textbook;

pub(crate) fn run(lab: &mut Lab) {
    let group = size::<1>(lab);
    group.row::<Small<1>>(lab);
    let group = size::<2>(lab);
    group.row::<Small<2>>(lab);
    let group = size::<32>(lab);
    group.row::<Large<32>>(lab);
}

fn size<const W: usize>(lab: &mut Lab) -> Group<W> {
    let group = Group { maps: OnceCell::new() };
    group.row::<Ours<W>>(lab);
    group.row::<OursSafe<W>>(lab);
    group.row::<Textbook<W>>(lab);
    group.row::<Naive<W>>(lab);
    group.row::<Full<W>>(lab);
    group.row::<Linux<W>>(lab);
    group.row::<LinuxRanges<W>>(lab);
    group.row::<Go<W>>(lab);
    group.row::<Gem5<W>>(lab);
    group.row::<Bitvec<W>>(lab);
    group.row::<Fixedbitset<W>>(lab);
    group.row::<Roaring<W>>(lab);
    group.row::<RoaringRuns<W>>(lab);
    group.row::<Rangemap<W>>(lab);
    group.row::<RangeAlloc<W>>(lab);
    group
}

/// The maps of one size, made when a row needs them.
struct Group<const W: usize> {
    maps: OnceCell<Vec<[u64; W]>>,
}

impl<const W: usize> Group<W> {
    fn row<C: Longest>(&self, lab: &mut Lab) {
        let count = maps_a_pass(64 * W);
        let build = || {
            let words = self.maps.get_or_init(|| Kind::Churn.maps(count));
            words.iter().map(|map| C::of(map)).collect::<Vec<C>>()
        };
        lab.row(&format!("longest-one-{}", 64 * W), C::NAME, count, build, |maps| pass(maps));
    }
}

#[inline(never)]
fn pass<C: Longest + Contender>(maps: &[C]) {
    for map in maps {
        black_box(map.longest());
    }
}
