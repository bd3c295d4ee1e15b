//! At which block would an allocator with a given rule start a workgroup's part of a resource?

use std::str::FromStr;

/// Rule by which an allocator picks the first of the neighbouring blocks that a workgroup gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRule {
    /// Takes the start of the lowest free run (neighbouring free blocks) that is long enough.
    First,
    /// Takes the start of the shortest free run (neighbouring free blocks) that is long enough; of
    /// equal runs the lowest.
    Best,
    /// Takes the start of the longest free run (neighbouring free blocks); of equal runs the
    /// lowest.
    Worst,
    /// Takes the lowest possible start at or after the end of the latest placement; behind the last
    /// block the search goes on at block 0.
    Next,
    /// A ring: blocks are taken from the end of the last placement on, or from block 0 where too
    /// few are left up to the end, and are given back in the order in which they were taken.
    Ring,
}

impl FromStr for StartRule {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Ok(match word {
            "first" => Self::First,
            "best" => Self::Best,
            "worst" => Self::Worst,
            "next" => Self::Next,
            "ring" => Self::Ring,
            _ => return Err("give first, best, worst, next or ring".to_owned()),
        })
    }
}

/// Neighbouring blocks that the workgroups of a compute unit hold of one resource, each as (first
/// block, end).
pub(super) type Held = Vec<(u64, u64)>;

/// Returns the runs of neighbouring free blocks among `blocks` blocks, the lowest first, as (start,
/// length). The list `held` of occupied blocks is sorted as a side effect.
pub(super) fn runs(held: &mut Held, blocks: u64) -> Vec<(u64, u64)> {
    held.sort_unstable();
    let (mut free, mut at) = (Vec::new(), 0);
    for &(start, end) in held.iter() {
        if start.min(blocks) > at {
            free.push((at, start.min(blocks) - at));
        }
        at = at.max(end);
    }
    if at < blocks {
        free.push((at, blocks - at));
    }
    free
}

/// Returns the block at which a rule starts a placement of `size` blocks, at least one; `None`
/// where no run of free blocks is long enough. `after` is the end of the previous placement.
pub(super) fn predicted(
    rule: StartRule,
    free: &[(u64, u64)],
    size: u64,
    after: u64,
    blocks: u64,
) -> Option<u64> {
    let fitting = || free.iter().filter(|&&(_, len)| len >= size);
    let first = || fitting().next().map(|&(start, _)| start);
    match rule {
        StartRule::First => first(),
        // Of equal ones `min_by_key` takes the first, `max_by_key` the last.
        StartRule::Best => fitting().min_by_key(|(_, len)| len).map(|&(start, _)| start),
        StartRule::Worst => fitting().rev().max_by_key(|(_, len)| len).map(|&(start, _)| start),
        StartRule::Next => {
            let from = |&(start, len): &(u64, u64)| {
                let from = start.max(after);
                (from + size <= start + len).then_some(from)
            };
            free.iter().find_map(from).or_else(first)
        }
        StartRule::Ring => Some(if after + size <= blocks { after } else { 0 }),
    }
}
