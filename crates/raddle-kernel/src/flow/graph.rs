//! In which order are the blocks of a kernel evaluated, and which blocks make a loop?

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{BasicBlock, BlockId, Body, Construct};

/// Numbers the basic blocks in such a way that each block and all blocks that it dominates have
/// neighbouring numbers. Returns these numbers for each block, as (first, end); the first is the
/// block's own. `order` is reverse post-order, and `dominators` has each block's immediate
/// dominator.
pub(super) fn intervals(order: &[BlockId], dominators: &[Option<BlockId>]) -> Vec<(usize, usize)> {
    let mut below = vec![1; dominators.len()];
    // A dominator stands before all that it dominates.
    for &block in order.iter().skip(1).rev() {
        if let Some(up) = dominators[block] {
            below[up] += below[block];
        }
    }
    let mut ranges = vec![(0, 0); dominators.len()];
    let mut free = vec![0; dominators.len()];
    for (at, &block) in order.iter().enumerate() {
        let begin = match dominators[block] {
            Some(up) if at > 0 => {
                let begin = free[up];
                free[up] += below[block];
                begin
            }
            _ => 0,
        };
        ranges[block] = (begin, begin + below[block]);
        free[block] = begin + 1;
    }
    ranges
}

/// Control-flow graph of a kernel, made of nested loops.
#[derive(Debug)]
pub(super) struct Graph {
    /// Basic blocks in reverse post-order; each loop is complete before the blocks that follow it.
    pub(super) order: Vec<BlockId>,
    /// Immediate dominator of each basic block; `None` where no path leads to the block.
    pub(super) dominators: Vec<Option<BlockId>>,
    /// Loops of the kernel, inner ones before outer ones.
    pub(super) loops: Vec<Loop>,
}

/// Loop of a kernel: its first basic block (header), all blocks inside it, and the blocks that jump
/// back to the header.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) header: BlockId,
    pub(super) inside: BTreeSet<BlockId>,
    pub(super) ends: Vec<BlockId>,
}

/// Largest total number of basic blocks in all loops of a kernel; a block in two nested loops
/// counts twice.
const MOST_INSIDE: usize = 2_000_000;

/// Returns the control-flow graph of a kernel's body. The error is (reason why the body cannot be
/// judged, its line in the source): a loop with several entry points, or too many blocks in loops.
pub(super) fn graph(body: &Body) -> Result<Graph, (Construct, u32)> {
    let blocks = &body.blocks;
    let (post, position) = walk(blocks, &vec![0; blocks.len()]);
    let dominators = dominators(blocks, &post, &position);
    let mut backwards = Vec::new();
    for &from in &post {
        for &to in &blocks[from].next {
            if position[to] <= position[from] {
                if !dominates(&dominators, to, from) {
                    let line = blocks[to].steps.iter().map(|step| step.line).find(|line| *line > 0);
                    return Err((Construct::Irreducible, line.unwrap_or(0)));
                }
                backwards.push((from, to));
            }
        }
    }
    let loops = loops(blocks, &post, &backwards).ok_or((Construct::Large, 0))?;
    let mut depths = vec![0; blocks.len()];
    for &block in loops.iter().flat_map(|each| &each.inside) {
        depths[block] += 1;
    }
    let (order, _) = walk(blocks, &depths);
    Ok(Graph { order, dominators, loops })
}

/// Walks over the basic blocks depth first, and returns (blocks in reverse post-order; position of
/// each block in that order, `usize::MAX` for a block that no path reaches). Of a block's
/// successors, those in fewer loops come first; `depths` has the number of loops around each block.
pub(super) fn walk(blocks: &[BasicBlock], depths: &[u32]) -> (Vec<BlockId>, Vec<usize>) {
    let sorted = |block: BlockId| {
        let mut next = blocks[block].next.clone();
        next.sort_by_key(|&to| depths[to]);
        next.into_iter()
    };
    let mut post = Vec::with_capacity(blocks.len());
    let mut seen = vec![false; blocks.len()];
    let mut path = Vec::new();
    if !blocks.is_empty() {
        seen[0] = true;
        path.push((0, sorted(0)));
    }
    while let Some((block, next)) = path.last_mut() {
        match next.next() {
            Some(to) if !seen[to] => {
                seen[to] = true;
                path.push((to, sorted(to)));
            }
            Some(_) => {}
            None => {
                post.push(*block);
                path.pop();
            }
        }
    }
    post.reverse();
    let mut position = vec![usize::MAX; blocks.len()];
    for (at, &block) in post.iter().enumerate() {
        position[block] = at;
    }
    (post, position)
}

/// Returns all loops of a control-flow graph, given its back edges `backwards`, each as (from,
/// first block of the loop); `None` where the loops have more than `MOST_INSIDE` blocks together.
fn loops(
    blocks: &[BasicBlock],
    order: &[BlockId],
    backwards: &[(BlockId, BlockId)],
) -> Option<Vec<Loop>> {
    let before = before(blocks, order);
    let mut ends: BTreeMap<BlockId, Vec<BlockId>> = BTreeMap::new();
    for &(from, header) in backwards {
        ends.entry(header).or_default().push(from);
    }
    let mut loops = Vec::new();
    let mut left = MOST_INSIDE;
    for (header, ends) in ends {
        let mut inside = BTreeSet::from([header]);
        let mut pending = ends.clone();
        while let Some(block) = pending.pop() {
            if inside.insert(block) {
                pending.extend(&before[block]);
            }
        }
        left = left.checked_sub(inside.len())?;
        loops.push(Loop { header, inside, ends });
    }
    loops.sort_by_key(|each| (each.inside.len(), each.header));
    Some(loops)
}

/// Returns for each basic block its predecessors that are in `order`.
pub(super) fn before(blocks: &[BasicBlock], order: &[BlockId]) -> Vec<Vec<BlockId>> {
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); blocks.len()];
    for &from in order {
        for &to in &blocks[from].next {
            if before[to].last() != Some(&from) {
                before[to].push(from);
            }
        }
    }
    before
}

/// Returns the immediate dominator of each basic block (Cooper, Harvey and Kennedy 2001); `None`
/// where no path leads to the block.
pub(super) fn dominators(
    blocks: &[BasicBlock],
    order: &[BlockId],
    position: &[usize],
) -> Vec<Option<BlockId>> {
    let before = before(blocks, order);
    let mut found: Vec<Option<BlockId>> = vec![None; blocks.len()];
    if let Some(&entry) = order.first() {
        found[entry] = Some(entry);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let mut nearest: Option<BlockId> = None;
            for &from in &before[block] {
                if found[from].is_some() {
                    nearest = Some(match nearest {
                        Some(other) => meet(&found, position, from, other),
                        None => from,
                    });
                }
            }
            if found[block] != nearest {
                found[block] = nearest;
                changed = true;
            }
        }
    }
    found
}

fn meet(found: &[Option<BlockId>], position: &[usize], a: BlockId, b: BlockId) -> BlockId {
    let (mut a, mut b) = (a, b);
    while a != b {
        let later = if position[a] > position[b] { &mut a } else { &mut b };
        match found[*later] {
            Some(up) if up != *later => *later = up,
            _ => return a.min(b),
        }
    }
    a
}

pub(super) fn dominates(dominators: &[Option<BlockId>], above: BlockId, below: BlockId) -> bool {
    let mut at = below;
    loop {
        if at == above {
            return true;
        }
        match dominators[at] {
            Some(up) if up != at => at = up,
            _ => return false,
        }
    }
}
