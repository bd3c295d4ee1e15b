//! How many gates and registers does each step of a search circuit take? The code computes the
//! formulas in the documentation of the module `cost`.

use alloc::vec::Vec;

use super::figures::{Cost, Counting, Timing};
use crate::circuit::Jump;
use crate::error::Reason;
use crate::{Error, Grouped, Sampled, Shared};

/// Largest width, in blocks, of a shared finder (one circuit for several maps) whose gates can be
/// counted. Counting takes a time that grows with the width times the number of borders between
/// maps.
const MOST_WIDTH: u32 = 65_536;

/// Numbers of gates, of gate levels (`depth`) and of register bits of a search circuit, by its
/// steps shift, combine (`chain`) and reduce (`tree`). Gates before these steps (`before`) make
/// groups of blocks, or mask the borders between maps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steps {
    before_gates: u64,
    before_depth: u32,
    chain_gates: u64,
    chain_depth: u32,
    tree_gates: u64,
    tree_depth: u32,
    /// Number of gates on the longest path through the steps shift, combine and reduce together.
    depth: u32,
    shifted_bits: u64,
    combined_bits: u64,
}

impl Steps {
    pub(super) fn spread(self, timing: Timing) -> Cost {
        let own = Cost {
            and_gates: self.before_gates.saturating_add(self.chain_gates),
            or_gates: self.tree_gates,
            register_bits: self.shifted_bits.saturating_add(self.combined_bits),
            depth: self.before_depth.max(self.chain_depth).max(self.tree_depth),
            clocks: 3,
        };
        match timing {
            Timing::OneClock => Cost { register_bits: 0, depth: self.depth, clocks: 1, ..own },
            Timing::ThreeClocks => own,
            Timing::Reused => Cost {
                and_gates: self.before_gates.saturating_add(self.chain_gates.max(self.tree_gates)),
                or_gates: 0,
                register_bits: self.shifted_bits.max(self.combined_bits),
                ..own
            },
        }
    }
}

/// Returns the logarithm of `n` to the base 2, rounded up; 0 for 0 and 1.
const fn log(n: u32) -> u32 {
    if n <= 1 { 0 } else { u32::BITS - (n - 1).leading_zeros() }
}

/// Method by which the sequences SA_i are made, each of which says at which blocks a window (i + 1
/// free blocks in a row) begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Windows {
    /// A window is made from the window that is one block shorter and one more block, as in the
    /// patent (seed 000).
    Chain,
    /// A window of w blocks is made from two windows of ceil(w / 2) blocks, so that each level of
    /// gates doubles the width of windows.
    Doublings,
}

impl Windows {
    /// Returns the number of gate levels that a signal passes until the sequence SA_i, whose
    /// windows have i + 1 blocks, is ready.
    const fn levels(self, i: u32) -> u32 {
        match self {
            Self::Chain => i,
            Self::Doublings => log(i + 1),
        }
    }

    /// Returns the number of gates on the longest path of a full search for runs of up to `blocks`
    /// blocks: through the windows, and through the trees that reduce each sequence SA_i to one
    /// digit. Gates with a constant input do not count.
    fn depth(self, blocks: u32) -> u32 {
        match self {
            Self::Chain => blocks - 1,
            // Of windows with as many levels the narrowest has the widest tree: 1, 2, 3, 5, 9, ..
            Self::Doublings => {
                let powers = (0..u32::BITS).take_while(|k| 1 << k < blocks);
                let levels = powers.map(|k| k + 1 + log(blocks - (1 << k)));
                levels.fold(log(blocks), u32::max)
            }
        }
    }
}

/// Counts the gates and register bits of the full search (for runs of every length) on a map of
/// `blocks` blocks.
pub(super) fn full(blocks: u32, windows: Windows, counting: Counting) -> Steps {
    let n = u64::from(blocks);
    let pairs = n * (n - 1);
    let chain_depth = windows.levels(blocks - 1);
    let steps = Steps { chain_depth, tree_depth: log(blocks), ..Steps::default() };
    // Doublings read S_0 alone, so no other S_i is held.
    let drawn_shifts = if windows == Windows::Chain { n * n } else { n };
    match counting {
        Counting::Drawn => Steps {
            chain_gates: pairs,
            tree_gates: pairs,
            depth: chain_depth.saturating_add(log(blocks)),
            shifted_bits: drawn_shifts,
            combined_bits: n * n,
            ..steps
        },
        Counting::Folded => Steps {
            chain_gates: pairs / 2,
            tree_gates: pairs / 2,
            depth: windows.depth(blocks),
            shifted_bits: n,
            combined_bits: pairs / 2 + n,
            ..steps
        },
    }
}

/// Counts the gates and register bits of the grouped search: gates that make one digit of each
/// group of blocks, then a full search on these digits.
pub(super) fn grouped(search: &Grouped, windows: Windows, counting: Counting) -> Steps {
    let steps = full(search.groups(), windows, counting);
    let before_depth = log(search.size());
    Steps {
        before_gates: u64::from(search.blocks() - search.groups()),
        before_depth,
        depth: before_depth.saturating_add(steps.depth),
        ..steps
    }
}

/// Counts the gates and register bits of the sampled search. It has gates that make each combined
/// sequence from an earlier one and, for each tested length, a tree of gates that reduces the
/// sequence to one digit.
pub(super) fn sampled(search: &Sampled, counting: Counting) -> Steps {
    let blocks = search.blocks();
    let places = |k: u32| match counting {
        Counting::Drawn => blocks,
        Counting::Folded => blocks - k,
    };
    let mut steps = Steps { shifted_bits: blocks.into(), ..Steps::default() };
    let mut sample = |k: u32, jumps: u32| {
        let left = places(k);
        steps.tree_gates += u64::from(left - 1);
        steps.combined_bits = steps.combined_bits.saturating_add(left.into());
        steps.tree_depth = steps.tree_depth.max(log(left));
        steps.depth = steps.depth.max(jumps.saturating_add(log(left)));
    };
    if search.amounts().first() == Some(&1) {
        sample(0, 0);
    }
    let (mut jumps, mut gates) = (0, 0);
    for jump in Jump::all(search) {
        jumps = u32::saturating_add(jumps, 1);
        gates += u64::from(places(jump.to));
        if jump.sampled {
            sample(jump.to, jumps);
        }
    }
    Steps { chain_gates: gates, chain_depth: jumps, ..steps }
}

/// Counts the gates and register bits of a shared finder (one circuit that searches several maps in
/// turn): a full search on `width` digits, with gates that keep free runs from crossing the borders
/// between maps. A width above [`MOST_WIDTH`] is an error.
pub(super) fn shared(
    search: &Shared,
    windows: Windows,
    counting: Counting,
) -> Result<Steps, Error> {
    let width = search.width();
    if width > MOST_WIDTH {
        return Err(Error(Reason::TooManyBlocks { blocks: width.into(), most: MOST_WIDTH }));
    }
    let borders = borders(search);
    let masks = mask_gates(&borders, width, windows, counting);
    // In a chain masks stand before it; in doublings, between its halves.
    let before = u32::from(windows == Windows::Chain && masks > 0);
    let shapes = Shapes::of(search);
    let steps = full(width, windows, counting);
    let (mut tree_gates, mut tree_depth, mut chain_depth, mut depth) = (0, 0, 0, 0);
    let mut made = Vec::with_capacity(width as usize);
    for shift in 0..width {
        let end = match counting {
            Counting::Drawn => width,
            Counting::Folded => width - shift,
        };
        let (gates, levels) = shapes.trees(end);
        tree_gates += gates;
        tree_depth = tree_depth.max(levels);
        let own = match windows {
            Windows::Chain => shift,
            Windows::Doublings => doubled(&made, &borders, width),
        };
        made.push(own);
        chain_depth = chain_depth.max(own);
        // No place is masked in D_0.
        depth = depth.max(if shift == 0 { 0 } else { before } + own + levels);
    }
    let held = if windows == Windows::Chain { masks } else { 0 };
    let shifted_bits = match counting {
        Counting::Drawn => steps.shifted_bits,
        Counting::Folded => steps.shifted_bits + held,
    };
    let steps = Steps { tree_gates, tree_depth, depth, shifted_bits, chain_depth, ..steps };
    Ok(match windows {
        Windows::Chain => Steps { before_gates: masks, before_depth: before, ..steps },
        Windows::Doublings => Steps { chain_gates: steps.chain_gates + masks, ..steps },
    })
}

/// Returns the number of gate levels until the next wider window, which is made of two halves, is
/// ready. `made[i]` is that number for the window of i + 1 blocks. `borders` lists the borders
/// between slots (ranges for one map each), as (block at which the border is, width of the widest
/// slot that ends there), within the shared `width`.
fn doubled(made: &[u32], borders: &[(u32, u32)], width: u32) -> u32 {
    let i = made.len();
    if i == 0 {
        return 0;
    }
    // A window of an odd number of places is two that overlap, which borders keep apart already.
    let half = i.div_ceil(2) as u32;
    let masked = i % 2 == 1 && borders.iter().any(|border| meets(*border, half, width));
    made[i / 2] + 1 + u32::from(masked)
}

/// Returns whether a window can be made of two halves, each of `half` blocks, that meet at a border
/// between slots (ranges for one map each). The border is (block at which it is, width of the
/// widest slot that ends there); `width` is that of the shared finder.
const fn meets((at, widest): (u32, u32), half: u32, width: u32) -> bool {
    half <= widest && half <= width - at
}

/// Returns the number of gates that keep free runs from crossing the borders between slots (ranges
/// for one map each). With the windows of a chain, a border has one gate for each shift up to the
/// width of the widest slot that ends there; after constants are folded, one gate in all. With
/// doublings, a border has one gate for each length of half windows that can meet there.
fn mask_gates(borders: &[(u32, u32)], width: u32, windows: Windows, counting: Counting) -> u64 {
    let each = |&(at, widest): &(u32, u32)| match (windows, counting) {
        (Windows::Doublings, _) => u64::from(widest.min(width - at)),
        (Windows::Chain, Counting::Drawn) => u64::from(widest),
        (Windows::Chain, Counting::Folded) => 1,
    };
    borders.iter().map(each).sum()
}

/// Returns the borders at which two slots (ranges for one map each) of one period touch, as (block
/// at which the border is, width of the widest slot that ends there). A period is a group of maps
/// that are searched together.
fn borders(search: &Shared) -> Vec<(u32, u32)> {
    let mut borders: Vec<(u32, u32)> = Vec::new();
    for period in 0..search.periods() {
        for pair in search.slots(period).windows(2) {
            let (border, width) = (pair[0].end, pair[0].width());
            if pair[1].start != border {
                continue;
            }
            match borders.iter_mut().find(|(at, _)| *at == border) {
                Some((_, widest)) => *widest = width.max(*widest),
                None => borders.push((border, width)),
            }
        }
    }
    borders
}

/// Slots (ranges for one map each) of a shared finder, over all its periods. The starts and ends of
/// all slots together cut the finder's width into segments, so that each slot is a range of
/// segments.
struct Shapes {
    /// Each segment that lies within a slot (range for one map), as (first block, block behind the
    /// last) in the shared width, ascending.
    segments: Vec<(u32, u32)>,
    /// Each different slot (range for one map), as (index in `segments` of its first segment, index
    /// behind its last one).
    slots: Vec<(usize, usize)>,
}

impl Shapes {
    fn of(search: &Shared) -> Self {
        let all = || (0..search.periods()).flat_map(|period| search.slots(period));
        let mut cuts: Vec<u32> = all().flat_map(|slot| [slot.start, slot.end]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let pairs = cuts.windows(2).map(|pair| (pair[0], pair[1]));
        let within =
            |&(start, end): &(u32, u32)| all().any(|slot| slot.start <= start && end <= slot.end);
        let segments: Vec<(u32, u32)> = pairs.filter(within).collect();
        let mut slots: Vec<(usize, usize)> = all()
            .map(|slot| {
                let first = segments.partition_point(|&(start, _)| start < slot.start);
                let behind = segments.partition_point(|&(start, _)| start < slot.end);
                (first, behind)
            })
            .collect();
        slots.sort_unstable();
        slots.dedup();
        Self { segments, slots }
    }

    /// Returns (gates, gate levels) of the trees that reduce, for each slot (range for one map),
    /// its blocks before the block `end` to one digit.
    fn trees(&self, end: u32) -> (u64, u32) {
        let left = |&(start, stop): &(u32, u32)| stop.min(end).saturating_sub(start);
        let widths: Vec<u32> = self.segments.iter().map(left).collect();
        let mut gates: u64 = widths.iter().map(|width| u64::from(width.saturating_sub(1))).sum();
        let mut depth = 0;
        for &(first, behind) in &self.slots {
            let levels: Vec<u32> = widths[first..behind]
                .iter()
                .filter(|&&width| width > 0)
                .map(|&width| log(width))
                .collect();
            gates += levels.len().saturating_sub(1) as u64;
            depth = depth.max(joined(&levels));
        }
        (gates, depth)
    }
}

/// Returns the number of gate levels of a balanced tree of two-input gates, whose inputs are ready
/// behind the numbers of gate levels in `levels`.
fn joined(levels: &[u32]) -> u32 {
    match levels {
        [] => 0,
        [one] => *one,
        _ => {
            let (left, right) = levels.split_at(levels.len().div_ceil(2));
            joined(left).max(joined(right)) + 1
        }
    }
}
