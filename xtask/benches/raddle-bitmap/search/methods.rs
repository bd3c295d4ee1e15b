//! What do the seed's cheaper methods save in software?
//!
//! Groups `methods-BLOCKS`, on churn: nanoseconds a map, asked one by one through `Search`. In
//! hardware `grouped` and `sampled` need fewer gates than `full`.

use std::cell::OnceCell;
use std::hint::black_box;

use raddle_bitmap::{FixedMap, Full, Grouped, Polarity, Sampled, Search};

use crate::contents::{Kind, maps_a_pass};
use crate::lab::Lab;

pub(crate) fn run(lab: &mut Lab) {
    size::<1>(lab);
    size::<2>(lab);
}

fn size<const W: usize>(lab: &mut Lab) {
    let blocks = 64 * W as u32;
    let maps: OnceCell<Vec<FixedMap<W>>> = OnceCell::new();
    let build = || maps.get_or_init(|| made(blocks)).as_slice();
    let group = format!("methods-{blocks}");
    let count = maps_a_pass(64 * W);
    let grouped = Grouped::of_four(blocks).expect("4 divides it");
    let sampled = Sampled::steps(blocks).expect("it has blocks");
    lab.row(&group, "full", count, build, |maps| pass(&Full, maps));
    lab.row(&group, "grouped", count, build, |maps| pass(&grouped, maps));
    lab.row(&group, "sampled", count, build, |maps| pass(&sampled, maps));
}

fn made<const W: usize>(blocks: u32) -> Vec<FixedMap<W>> {
    let words: Vec<[u64; W]> = Kind::Churn.maps(maps_a_pass(64 * W));
    let map = |words: &[u64; W]| FixedMap::from_words(words, blocks, Polarity::FreeIsOne);
    words.iter().map(|words| map(words).expect("every word is full")).collect()
}

#[inline(never)]
fn pass<const W: usize>(search: &impl Search, maps: &[FixedMap<W>]) {
    for map in maps {
        black_box(search.longest(map.view()).expect("it is of this size"));
    }
}
