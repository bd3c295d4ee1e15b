//! Do the cost formulas count what is built, gate by gate, and does what is built work?

use raddle_bitmap::circuit::{Cost, Counting, Timing, Variant};
use raddle_bitmap::{FreeMap, Full, Grouped, Kind, Layout, Sampled, Search, Shared};

use crate::every_map;
use crate::netlist::{Netlist, borders};

const COUNTINGS: [Counting; 2] = [Counting::Drawn, Counting::Folded];
const TIMINGS: [Timing; 2] = [Timing::OneClock, Timing::ThreeClocks];

/// Returns the gates, registers and clocks of a netlist, as the cost that the formulas give.
fn counted(netlist: &Netlist, timing: Timing) -> Cost {
    let [before, chain, tree] = netlist.gates;
    let clocked = timing == Timing::ThreeClocks;
    Cost {
        and_gates: before + chain,
        or_gates: tree,
        register_bits: if clocked { netlist.registers.iter().sum() } else { 0 },
        depth: netlist.depth(),
        clocks: if clocked { 3 } else { 1 },
    }
}

fn sequence(ones: u32, len: usize) -> String {
    (0..len).map(|place| if (place as u32) < ones { '1' } else { '0' }).collect()
}

fn blocks_of(map: &FreeMap) -> Vec<bool> {
    (0..map.blocks()).map(|block| map.is_free(block)).collect()
}

/// Returns all maps of this many blocks, or, for more than 6 blocks, some that are spread over
/// them.
fn some_maps(blocks: u32) -> impl Iterator<Item = FreeMap> {
    every_map(blocks).step_by(if blocks <= 6 { 1 } else { (1 << (blocks - 6)) - 1 })
}

#[test]
fn full() {
    for blocks in 1..=16 {
        for (counting, timing) in
            COUNTINGS.map(|it| TIMINGS.map(|at| (it, at))).into_iter().flatten()
        {
            let netlist = Netlist::full(blocks, counting, timing);
            let cost = Cost::of(Variant::Full { blocks }, timing, counting);
            assert_eq!(cost, Ok(counted(&netlist, timing)), "{blocks} {counting:?} {timing:?}");
            for map in some_maps(blocks) {
                let expected = sequence(Full.longest(map.view()).unwrap(), blocks as usize);
                assert_eq!(netlist.evaluate(&blocks_of(&map)), [expected], "{map:?}");
            }
        }
    }
}

#[test]
fn grouped() {
    for blocks in 2..=16 {
        for search in (1..blocks).filter_map(|groups| Grouped::new(blocks, groups).ok()) {
            for counting in COUNTINGS {
                for timing in TIMINGS {
                    let netlist = Netlist::grouped(&search, counting, timing);
                    let cost = Cost::of(Variant::Grouped(&search), timing, counting);
                    assert_eq!(cost, Ok(counted(&netlist, timing)), "{search:?} {counting:?}");
                    for map in some_maps(blocks) {
                        let groups = search.longest(map.view()).unwrap() / search.size();
                        let expected = sequence(groups, search.groups() as usize);
                        assert_eq!(netlist.evaluate(&blocks_of(&map)), [expected], "{map:?}");
                    }
                }
                // One set of gates serves all steps: it is as large as the larger step, and its
                // registers are written over clock by clock.
                let netlist = Netlist::grouped(&search, counting, Timing::ThreeClocks);
                let [before, chain, tree] = netlist.gates;
                let reused = Cost::of(Variant::Grouped(&search), Timing::Reused, counting);
                let expected = Cost {
                    and_gates: before + chain.max(tree),
                    or_gates: 0,
                    register_bits: netlist.registers.iter().copied().max().unwrap_or(0),
                    depth: netlist.depth(),
                    clocks: 3,
                };
                assert_eq!(reused, Ok(expected), "{search:?} {counting:?}");
            }
        }
    }
}

#[test]
fn sampled() {
    for blocks in 1..=16 {
        let all: Vec<u32> = (0..blocks).collect();
        let some: [&[u32]; 5] = [&all, &[0], &[0, 9], &[2, 4, 8], &[0, 1, 3, 5, 7, 11, 15]];
        let mut lists: Vec<Sampled> =
            some.into_iter().filter_map(|k| Sampled::new(blocks, k).ok()).collect();
        lists.extend(Sampled::steps(blocks));
        lists.extend(Sampled::without_primes(blocks));
        for search in lists {
            for counting in COUNTINGS {
                for timing in TIMINGS {
                    let netlist = Netlist::sampled(&search, counting, timing);
                    let cost = Cost::of(Variant::Sampled(&search), timing, counting);
                    assert_eq!(cost, Ok(counted(&netlist, timing)), "{search:?} {counting:?}");
                    for map in some_maps(blocks) {
                        let answer = search.longest(map.view()).unwrap();
                        let ones = search.amounts().iter().filter(|&&it| it <= answer).count();
                        let expected = sequence(ones as u32, search.amounts().len());
                        assert_eq!(netlist.evaluate(&blocks_of(&map)), [expected], "{map:?}");
                    }
                }
            }
        }
    }
}

/// Returns shared finders (one circuit for several maps) of every kind: one period, borders that
/// move, halves under a whole, gaps.
fn rounds() -> Vec<Shared> {
    let mut id = 0;
    let mut kinds = |blocks: &[u32]| -> Vec<Kind> {
        let kind = |&blocks: &u32| {
            id += 1;
            Kind { id, blocks }
        };
        blocks.iter().map(kind).collect()
    };
    let packed = [
        (9, vec![kinds(&[9])]),
        (12, vec![kinds(&[5, 4])]),
        (12, vec![kinds(&[12]), kinds(&[5, 7])]),
        (16, vec![kinds(&[16]), kinds(&[8, 8]), kinds(&[4, 6, 6])]),
        (13, vec![kinds(&[3, 3, 3, 3]), kinds(&[6, 7]), kinds(&[5])]),
        (2, vec![kinds(&[1, 1])]),
        (1, vec![kinds(&[1])]),
    ];
    let mut all: Vec<Shared> = packed
        .into_iter()
        .map(|(width, periods)| Shared::new(width, width, &periods, &Layout::Packed).unwrap())
        .collect();
    let periods = [kinds(&[16]), kinds(&[8, 6])];
    all.push(Shared::new(16, 16, &periods, &Layout::Halves).unwrap());
    let borders = Layout::Borders(vec![vec![0..5, 7..12], vec![2..4, 4..16]]);
    let periods = [kinds(&[5, 5]), kinds(&[2, 9])];
    all.push(Shared::new(16, 16, &periods, &borders).unwrap());
    all
}

#[test]
fn shared() {
    for search in rounds() {
        for counting in COUNTINGS {
            for timing in TIMINGS {
                let netlist = Netlist::shared(&search, counting, timing);
                let cost = Cost::of(Variant::Shared(&search), timing, counting);
                let mut expected = counted(&netlist, timing);
                if timing == Timing::OneClock {
                    expected.register_bits = 0;
                }
                assert_eq!(cost, Ok(expected), "{search:?} {counting:?} {timing:?}");
                works(&search, &netlist);
            }
        }
    }
}

/// Loads maps into the netlist of a shared finder period by period, sets the control wires, and
/// compares the outputs.
fn works(search: &Shared, netlist: &Netlist) {
    let mut output = 0;
    for period in 0..search.periods() {
        let slots = search.slots(period);
        for round in 0..40_u64 {
            let mut inputs = vec![false; search.width() as usize];
            let mut longest = Vec::new();
            for (at, slot) in (0..).zip(slots) {
                let blocks = slot.kind().blocks;
                // The first rounds are full or almost full: those that need the borders.
                let code = if round < 4 { !(round << at) } else { (round * 0x9e37_79b9) >> at };
                let code = code & (u64::MAX >> (64 - blocks));
                let polarity = raddle_bitmap::Polarity::FreeIsOne;
                let map = FreeMap::from_words(&[code], blocks, polarity).unwrap();
                longest.push(map.longest());
                for block in 0..blocks {
                    inputs[(slot.start() + block) as usize] = map.is_free(block);
                }
            }
            // A control wire is 0 where its border holds in this period.
            for (at, _) in borders(search) {
                inputs.push(!slots.iter().any(|slot| slot.end() == at));
            }
            let found = netlist.evaluate(&inputs);
            for (slot, longest) in longest.iter().enumerate() {
                let expected = sequence(*longest, search.width() as usize);
                assert_eq!(found[output + slot], expected, "{search:?} period {period}");
            }
        }
        output += slots.len();
    }
}

#[test]
fn halves_under_a_whole_cost_no_tree_more() {
    let kind = |id, blocks| Kind { id, blocks };
    let periods = [vec![kind(1, 128)], vec![kind(2, 64), kind(3, 48)]];
    let halves = Shared::new(128, 128, &periods, &Layout::Halves).unwrap();
    for counting in COUNTINGS {
        let of = |variant| Cost::of(variant, Timing::OneClock, counting).unwrap();
        let (shared, full) = (of(Variant::Shared(&halves)), of(Variant::Full { blocks: 128 }));
        assert_eq!(shared.or_gates, full.or_gates);
        // One mask a shift up to the border; folded, one gate for all of them.
        let masks = if counting == Counting::Drawn { 64 } else { 1 };
        assert_eq!(shared.and_gates, full.and_gates + masks);
        assert_eq!(shared.depth, full.depth + 1);
    }
}

#[test]
fn doublings_take_as_many_gates_and_fewer_levels() {
    // Counted in circuits that were written by hand.
    for (blocks, depth) in [(16, 7), (64, 11), (128, 13)] {
        let of = |counting| {
            Cost::by_doublings(Variant::Full { blocks }, Timing::OneClock, counting).unwrap()
        };
        let chain = Cost::of(Variant::Full { blocks }, Timing::OneClock, Counting::Folded).unwrap();
        let folded = of(Counting::Folded);
        assert_eq!(folded, Cost { depth, ..chain });
        assert_eq!(of(Counting::Drawn).depth, 2 * blocks.ilog2());
    }
    for blocks in 1..=300_u32 {
        let log = |n: u32| n.next_power_of_two().ilog2();
        let longest = (1..=blocks).map(|w| log(w) + log(blocks - w + 1)).max();
        let of = Cost::by_doublings(Variant::Full { blocks }, Timing::OneClock, Counting::Folded);
        assert_eq!(of.unwrap().depth, longest.unwrap(), "{blocks}");
    }
}

#[test]
fn the_closed_forms_of_the_table() {
    for n in 1..=64_u64 {
        let blocks = n as u32;
        let of = |timing, counting| Cost::of(Variant::Full { blocks }, timing, counting).unwrap();
        let log = (0..).find(|&log| 1_u64 << log >= n).unwrap();
        let drawn = of(Timing::OneClock, Counting::Drawn);
        assert_eq!((drawn.and_gates, drawn.or_gates), (n * (n - 1), n * (n - 1)));
        assert_eq!((drawn.depth, drawn.register_bits, drawn.clocks), (blocks - 1 + log, 0, 1));
        let folded = of(Timing::OneClock, Counting::Folded);
        assert_eq!(folded.gates(), n * (n - 1));
        assert_eq!(folded.depth, blocks - 1);
        let three = |counting| of(Timing::ThreeClocks, counting);
        assert_eq!(three(Counting::Drawn).register_bits, 2 * n * n);
        assert_eq!(three(Counting::Folded).register_bits, n + n * (n + 1) / 2);
        assert_eq!((three(Counting::Drawn).depth, three(Counting::Drawn).clocks), (blocks - 1, 3));
    }
}
