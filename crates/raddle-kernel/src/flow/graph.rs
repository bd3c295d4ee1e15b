//! In which order are blocks played, and which blocks make a loop?

use std::collections::BTreeSet;

use crate::ir::{Block, BlockId, Body};

/// For each block the numbers of those that it dominates, itself first: a range.
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

/// Blocks in reverse post-order and their immediate dominators; `None` where a loop has several entries.
pub(super) fn order(body: &Body) -> Option<(Vec<BlockId>, Vec<Option<BlockId>>)> {
    let blocks = &body.blocks;
    let (post, position) = walk(blocks, &vec![0; blocks.len()]);
    let dominators = dominators(blocks, &post, &position);
    let mut backwards = Vec::new();
    for &from in &post {
        for &to in &blocks[from].next {
            if position[to] <= position[from] {
                if !dominates(&dominators, to, from) {
                    return None;
                }
                backwards.push((from, to));
            }
        }
    }
    // Again, with each loop as a whole before what follows it.
    let (post, _) = walk(blocks, &depths(blocks, &post, &backwards));
    Some((post, dominators))
}

/// Blocks in reverse post-order, and where each stands in it. Ways to blocks of fewer loops are gone first.
pub(super) fn walk(blocks: &[Block], depths: &[u32]) -> (Vec<BlockId>, Vec<usize>) {
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

/// In how many loops each block lies; `backwards`: the ways back to the beginning of a loop.
fn depths(blocks: &[Block], order: &[BlockId], backwards: &[(BlockId, BlockId)]) -> Vec<u32> {
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); blocks.len()];
    for &from in order {
        for &to in &blocks[from].next {
            before[to].push(from);
        }
    }
    let mut depths = vec![0; blocks.len()];
    let headers: BTreeSet<BlockId> = backwards.iter().map(|&(_, header)| header).collect();
    for header in headers {
        let ends = backwards.iter().filter(|&&(_, to)| to == header).map(|&(from, _)| from);
        let mut inside = BTreeSet::from([header]);
        let mut pending: Vec<BlockId> = ends.collect();
        while let Some(block) = pending.pop() {
            if inside.insert(block) {
                pending.extend(&before[block]);
            }
        }
        for block in inside {
            depths[block] += 1;
        }
    }
    depths
}

/// The immediate dominator of each block (Cooper, Harvey and Kennedy 2001).
pub(super) fn dominators(
    blocks: &[Block],
    order: &[BlockId],
    position: &[usize],
) -> Vec<Option<BlockId>> {
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); blocks.len()];
    for &from in order {
        for &to in &blocks[from].next {
            before[to].push(from);
        }
    }
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
