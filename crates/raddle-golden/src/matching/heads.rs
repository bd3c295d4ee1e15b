//! Which workgroup is the head (the first) of each channel, and which levels are served first (seed
//! 000, E1, E2)?
//!
//! Units: ticks.

use std::collections::{BTreeMap, BTreeSet};

use raddle_read::FaultKind;
use raddle_workgroup::LevelOrder;
use raddle_workgroup::order::Windows;
use serde_json::Value;

use super::HeadLevels;
use crate::fault::{Fault, check_all, fault, has, read_at};

/// Level of urgency of the waves of a cut workgroup, where the question does not order the levels:
/// 256, the least urgent level of a recipe (file that chooses the policies of a run).
const LOWEST: u64 = 256;

/// Order of the levels of urgency, as a question asks for it.
#[derive(Debug)]
pub(super) enum AskedOrder {
    /// Levels of urgency ascend: level 1 is the most urgent.
    Ascending,
    /// Levels of urgency in the order of the list, the most urgent first.
    Listed(Vec<u64>),
    /// Windows of time, one for each level of urgency: in its window a level is the most urgent.
    Windows(Windows),
}

impl AskedOrder {
    /// Reads the order of levels of urgency: a list of levels, or the word by which a recipe (file
    /// that chooses the policies of a run) names it; levels ascend for `None`. Any other value is a
    /// fault.
    pub(super) fn read(given: Option<&Value>) -> Result<Self, Fault> {
        let Some(given) = given else { return Ok(Self::Ascending) };
        if given != "static" && !has(given, "windows") {
            let whole = |fault: Fault| match &*fault.at {
                "/order" => {
                    let known = "`order` must be a list of levels, `static` or `windows`";
                    Fault { message: known.to_owned(), ..fault }
                }
                _ => fault,
            };
            return read_at(given, "/order").map(Self::Listed).map_err(whole);
        }
        match read_at(given, "/order")? {
            LevelOrder::Static => Ok(Self::Ascending),
            LevelOrder::Windows(windows) => {
                let at = "/order/windows";
                for (key, lengths) in
                    [("windows-ns", &windows.windows_ns), ("windows-us", &windows.windows_us)]
                {
                    check_all(lengths, &(1..=u64::MAX), &format!("{at}/{key}"))?;
                }
                let ticks = windows.ticks().map_err(fault(FaultKind::Inconsistent, at))?;
                let windows = Windows::new(&ticks).map_err(fault(FaultKind::OutOfRange, at))?;
                Ok(Self::Windows(windows))
            }
        }
    }

    /// Lists the levels of urgency at a tick, the most urgent first; `None` where the levels simply
    /// ascend, level 1 being the most urgent.
    pub(super) fn at(&self, tick: u64) -> Option<Vec<u64>> {
        match self {
            Self::Ascending => None,
            Self::Listed(levels) => Some(levels.clone()),
            Self::Windows(windows) => {
                Some(windows.order(tick).map(|level| level as u64 + 1).collect())
            }
        }
    }

    /// Returns the least urgent level, which the waves of a cut workgroup get. Where neither a list
    /// nor windows of time order the levels, it is 256 or, if larger, the largest of `heads`, the
    /// levels of the channels' first workgroups.
    pub(super) fn lowest(&self, heads: impl Iterator<Item = u64>) -> u64 {
        let listed = self.at(0).and_then(|levels| levels.into_iter().max());
        listed.unwrap_or_else(|| heads.fold(LOWEST, u64::max))
    }
}

/// Ranks the levels of urgency by the list `order`, the most urgent first; without a list, the
/// lowest number is the most urgent. Ranked are `heads`, the levels of the channels' first
/// workgroups (`None` for an empty channel), and `pieces`, the level of the waves of a cut
/// workgroup (`None` if none is cut). Returns a fault where the list has a level twice, or lacks
/// the level of a first workgroup.
pub(super) fn levels(
    order: Option<&[u64]>,
    heads: &[Option<u64>],
    pieces: Option<u64>,
) -> Result<HeadLevels, Fault> {
    let given: BTreeSet<u64> = heads.iter().copied().flatten().chain(pieces).collect();
    let given: Vec<u64> = given.into_iter().collect();
    let Some(order) = order else {
        return Ok(HeadLevels { ranks: (0..given.len()).collect(), given });
    };
    check_all(order, &(1..=u64::MAX), "/order")?;
    let mut ranks = BTreeMap::new();
    for (rank, level) in order.iter().enumerate() {
        if ranks.insert(*level, rank).is_some() {
            let message = format!("level {level} is in the order twice");
            return Err(Fault::new(FaultKind::Inconsistent, &format!("/order/{rank}"), message));
        }
    }
    for (channel, level) in heads.iter().enumerate() {
        if let Some(level) = level
            && !ranks.contains_key(level)
        {
            let at = format!("/channels/{channel}/level");
            let message = format!("level {level} is not in `order`");
            return Err(Fault::new(FaultKind::Inconsistent, &at, message));
        }
    }
    // Levels without heads are left out, so that ranks have no gaps.
    let mut present: Vec<usize> = (0..given.len()).collect();
    present.sort_unstable_by_key(|&at| ranks.get(&given[at]));
    let mut of_heads = vec![0; given.len()];
    for (rank, at) in present.into_iter().enumerate() {
        of_heads[at] = rank;
    }
    Ok(HeadLevels { given, ranks: of_heads })
}

/// Distributes waiting workgroups, `entries`, over `channels` channels (queues): entry number n
/// waits in channel n modulo `channels`. The first entry of a channel that is not `None` is its
/// head. Returns (the head of each channel, `None` for an empty one; the index of each head in
/// `entries`).
pub(super) fn folded<T>(entries: Vec<Option<T>>, channels: u64) -> (Vec<Option<T>>, Vec<usize>) {
    let channels = usize::try_from(channels).unwrap_or(usize::MAX).min(entries.len().max(1));
    let mut heads: Vec<Option<T>> = (0..channels).map(|_| None).collect();
    let mut entry = vec![0; channels];
    for (at, waiting) in entries.into_iter().enumerate() {
        let channel = at % channels;
        if heads[channel].is_none() && waiting.is_some() {
            (heads[channel], entry[channel]) = (waiting, at);
        }
    }
    (heads, entry)
}
