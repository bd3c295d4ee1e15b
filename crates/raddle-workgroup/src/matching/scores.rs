//! Which compute unit of a set has the best score for its free resources, its recent power, or
//! both?
//!
//! The scores are in a tree over all compute units. A node bounds the scores of its compute units,
//! so that a search visits only nodes that may have a better one. Units: those of [`crate::place`].

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::fit::OpenCus;

/// The scores of one compute unit, or the bounds of the scores of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CuScore {
    /// The score for free resources (TA in patent 000): larger for more free. For several
    /// units, the largest of their scores.
    pub(super) free: u64,
    /// The score for power drawn lately (TB in patent 000). For several units, the
    /// smallest of their scores; `most` is the largest.
    pub(super) least: u64,
    pub(super) most: u64,
}

impl CuScore {
    /// The scores of a leaf of the tree that stands for no compute unit.
    const NONE: Self = Self { free: 0, least: u64::MAX, most: 0 };

    fn with(self, other: Self) -> Self {
        Self {
            free: self.free.max(other.free),
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }
}

/// The scores of all compute units, as a binary tree: a leaf is one unit, and an inner node has,
/// for each score, the best value among the units below it.
#[derive(Clone, Debug)]
pub(super) struct ScoreTree {
    /// The nodes of the tree: node n has the children 2n and 2n + 1. Each compute unit has a leaf;
    /// the number of leaves is rounded up to a power of two.
    nodes: Vec<CuScore>,
}

impl ScoreTree {
    /// Returns the tree of `cus` compute units, all with scores of 0.
    pub(super) fn new(cus: usize) -> Self {
        let mut tree = Self { nodes: vec![CuScore::NONE; 2 * cus.next_power_of_two()] };
        (0..cus).for_each(|cu| tree.set(cu, 0, 0));
        tree
    }

    /// Returns the scores of a compute unit: for free resources, and for recent power.
    pub(super) fn get(&self, cu: usize) -> CuScore {
        self.nodes[self.nodes.len() / 2 + cu]
    }

    /// Sets the scores of a compute unit: `free` for its free resources (more is better) and
    /// `power` for its recent power (less is better).
    pub(super) fn set(&mut self, cu: usize, free: u64, power: u64) {
        let mut node = self.nodes.len() / 2 + cu;
        self.nodes[node] = CuScore { free, least: power, most: power };
        while node > 1 {
            node /= 2;
            let both = self.nodes[2 * node].with(self.nodes[2 * node + 1]);
            if core::mem::replace(&mut self.nodes[node], both) == both {
                return;
            }
        }
    }

    /// Finds the best compute unit of the set `open` by the comparison `order`, of equal ones the
    /// lowest. Returns (compute unit, its scores); `None` where the set is empty. `order` must rank
    /// an inner node of the tree no lower than any unit below it.
    pub(super) fn best(
        &self,
        open: OpenCus<'_>,
        order: impl Fn(&CuScore, &CuScore) -> Ordering,
    ) -> Option<(usize, CuScore)> {
        let mut best = None;
        self.search(1, open, &order, &mut best);
        best
    }

    fn search(
        &self,
        node: usize,
        open: OpenCus<'_>,
        order: &impl Fn(&CuScore, &CuScore) -> Ordering,
        best: &mut Option<(usize, CuScore)>,
    ) {
        let leaves = self.nodes.len() / 2;
        let below = leaves.ilog2() - node.ilog2();
        let (first, count) = ((node << below) - leaves, 1 << below);
        if let Some((cu, score)) = best {
            match order(&self.nodes[node], score) {
                Ordering::Less => return,
                Ordering::Equal if first > *cu => return,
                _ => {}
            }
        }
        if open.first_from(first).is_none_or(|cu| cu >= first + count) {
            return;
        }
        if count == 1 {
            *best = Some((first, self.nodes[node]));
            return;
        }
        let (lower, upper) = (2 * node, 2 * node + 1);
        let better = order(&self.nodes[upper], &self.nodes[lower]) == Ordering::Greater;
        for half in if better { [upper, lower] } else { [lower, upper] } {
            self.search(half, open, order, best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Seeded;
    use crate::place::Mix;

    #[test]
    fn the_best_of_a_set_is_that_of_a_loop_over_it() {
        let mut draws = Seeded::new(1);
        let mut draw = move |below: u64| draws.next() % below;
        for cus in [1, 2, 3, 64, 100, 304] {
            let (mut tree, mut words) = (ScoreTree::new(cus), vec![[0; 8]; cus.div_ceil(64)]);
            for _ in 0..600 {
                for _ in 0..3 {
                    tree.set(draw(cus as u64) as usize, draw(9), draw(9));
                    let cu = draw(cus as u64) as usize;
                    words[cu / 64][3] &= !(1 << (cu % 64));
                    words[cu / 64][3] |= u64::from(draw(3) == 0) << (cu % 64);
                }
                let open = OpenCus::new(&words, 3);
                let mix = Mix::new(draw(3), 1 + draw(3)).expect("one is not 0");
                let order = mix.order([1 + draw(9), 1 + draw(9)]);
                let check = |order: &dyn Fn(&CuScore, &CuScore) -> Ordering| {
                    let all = (0..cus).filter(|&cu| open.first_from(cu) == Some(cu));
                    let naive = all.map(|cu| (cu, tree.get(cu))).reduce(|best, it| {
                        if order(&it.1, &best.1) == Ordering::Greater { it } else { best }
                    });
                    assert_eq!(tree.best(open, order), naive, "{cus}");
                };
                check(&|a, b| a.free.cmp(&b.free));
                check(&|a, b| b.least.cmp(&a.least));
                check(&|a, b| a.most.cmp(&b.most));
                check(&|a, b| order([a.free, a.least], [b.free, b.least]));
            }
        }
    }
}
