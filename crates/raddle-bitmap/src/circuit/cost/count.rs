//! How many gates and registers does each step of each variant take? The formulas of the module
//! above, as code.

use alloc::vec::Vec;

use super::figures::{Cost, Counting, Timing};
use crate::circuit::Jump;
use crate::{Error, Grouped, Sampled, Shared};

/// The largest width of a shared finder that is counted: the work grows with width times borders.
const MOST_WIDTH: u32 = 65_536;

/// The three steps before they are spread over clocks. The part before the chain (groups, masks) is
/// in the first clock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steps {
    before_gates: u64,
    before_depth: u32,
    chain_gates: u64,
    chain_depth: u32,
    tree_gates: u64,
    tree_depth: u32,
    /// Gates on the longest way through all three steps.
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

/// Returns ceil(log2 n).
const fn log(n: u32) -> u32 {
    if n <= 1 { 0 } else { u32::BITS - (n - 1).leading_zeros() }
}

/// Counts the full search on N digits.
pub(super) fn full(blocks: u32, counting: Counting) -> Steps {
    let n = u64::from(blocks);
    let pairs = n * (n - 1);
    let chain_depth = blocks - 1;
    let steps = Steps { chain_depth, tree_depth: log(blocks), ..Steps::default() };
    match counting {
        Counting::Drawn => Steps {
            chain_gates: pairs,
            tree_gates: pairs,
            depth: chain_depth.saturating_add(log(blocks)),
            shifted_bits: n * n,
            combined_bits: n * n,
            ..steps
        },
        Counting::Folded => Steps {
            chain_gates: pairs / 2,
            tree_gates: pairs / 2,
            depth: chain_depth,
            shifted_bits: n,
            combined_bits: pairs / 2 + n,
            ..steps
        },
    }
}

/// Counts groups of g blocks, then a full search on Z digits.
pub(super) fn grouped(search: &Grouped, counting: Counting) -> Steps {
    let steps = full(search.groups(), counting);
    let before_depth = log(search.size());
    Steps {
        before_gates: u64::from(search.blocks() - search.groups()),
        before_depth,
        depth: before_depth.saturating_add(steps.depth),
        ..steps
    }
}

/// Counts the jumps, and a tree for each sample.
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

/// Counts a full search on E digits with borders.
pub(super) fn shared(search: &Shared, counting: Counting) -> Result<Steps, Error> {
    let width = search.width();
    if width > MOST_WIDTH {
        return Err(Error::TooManyBlocks { blocks: width.into(), most: MOST_WIDTH });
    }
    let masks = mask_gates(search);
    let mask_depth = u32::from(masks > 0);
    let shapes = Shapes::of(search);
    let steps = full(width, counting);
    let (mut tree_gates, mut tree_depth, mut depth) = (0, 0, 0);
    for shift in 0..width {
        let end = match counting {
            Counting::Drawn => width,
            Counting::Folded => width - shift,
        };
        let (gates, levels) = shapes.trees(end);
        tree_gates += gates;
        tree_depth = tree_depth.max(levels);
        // No place is masked in D_0.
        let before = if shift == 0 { 0 } else { mask_depth };
        depth = depth.max(before + shift + levels);
    }
    let shifted_bits = match counting {
        Counting::Drawn => steps.shifted_bits,
        Counting::Folded => steps.shifted_bits + masks,
    };
    let before_depth = mask_depth;
    Ok(Steps {
        before_gates: masks,
        before_depth,
        tree_gates,
        tree_depth,
        depth,
        shifted_bits,
        ..steps
    })
}

/// Counts the gates that mask borders: one for each shift at every border where two slots of a
/// period meet, for as many shifts as the widest slot that ends there has positions.
fn mask_gates(search: &Shared) -> u64 {
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
    borders.iter().map(|&(_, width)| u64::from(width)).sum()
}

/// The segments between all borders of a round, and the slots as rows of segments.
struct Shapes {
    /// Start and end of each segment that lies within a slot, ascending.
    segments: Vec<(u32, u32)>,
    /// The first segment of each slot of the round, and the segment behind its last one; each slot
    /// once.
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

    /// Returns the gates and levels of all trees over the places before `end`.
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

/// Returns the levels of a balanced tree whose inputs are ready after these numbers of levels.
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
