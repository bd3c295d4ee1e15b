//! How few packets could a stream be, if all of it were known beforehand?
//!
//! Exact: dynamic programming over what the table holds. Two stored launches are one wherever every
//! launch still to come differs equally much from both, so a loop of few kernels has few tables
//! however long it is. For streams of some hundred launches; beyond its limits it refuses. The
//! measure is packets, barriers not counted.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use crate::error::Error;
use crate::format::Format;
use crate::keep::Way;
use crate::launch::Launch;

/// A launch, or what keeps launches before it and behind it out of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<const BYTES: usize> {
    /// A launch.
    Launch(Launch<BYTES>),
    /// A barrier.
    Barrier,
}

/// How much is searched at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Launches of the stream, at most 65,535.
    pub launches: usize,
    /// Different tables at one place of the stream.
    pub tables: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { launches: 512, tables: 4096 }
    }
}

/// The fewest packets, and a way to reach them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimal {
    /// Packets, without barriers.
    pub packets: u64,
    /// One for each launch: see [`Scripted`](crate::Scripted).
    pub ways: Vec<Way>,
}

/// Launches whose entries are in the table: ascending, one for each kind.
type Held = Vec<u16>;

/// The best way to a table.
#[derive(Clone, Copy, Debug)]
struct Best {
    packets: u64,
    /// Half-words left in the open packet.
    room: u16,
    /// Position of the table before, in its layer.
    from: usize,
    choice: Choice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Ordinary,
    Condense,
    Store,
}

impl Best {
    /// Fewer packets, then more room. One packet less is worth more than any room: the other can
    /// begin a packet wherever this one has room.
    fn beats(&self, other: &Self) -> bool {
        (self.packets, other.room) < (other.packets, self.room)
    }
}

/// Finds the fewest packets for a stream and an empty table.
///
/// # Errors
/// When the stream or the search is beyond the limits.
pub fn optimal<const BYTES: usize>(
    format: &Format<BYTES>,
    items: &[Item<BYTES>],
    limits: &Limits,
) -> Result<Optimal, Error> {
    let (mut launches, mut closed, mut barrier) = (Vec::new(), Vec::new(), false);
    for item in items {
        match item {
            Item::Barrier => barrier = true,
            Item::Launch(launch) => {
                launches.push(*launch);
                closed.push(core::mem::take(&mut barrier));
            }
        }
    }
    let most = limits.launches.min(u16::MAX.into());
    if launches.len() > most {
        return Err(Error::TooLarge { what: "launches", found: launches.len(), most });
    }
    let ahead = Ahead::new(format, &launches);
    let mut layers: Vec<Vec<(Held, Best)>> = Vec::new();
    let start = Best { packets: 0, room: 0, from: 0, choice: Choice::Ordinary };
    layers.push(vec![(Vec::new(), start)]);
    for (at, &closed) in closed.iter().enumerate() {
        let mut next = BTreeMap::new();
        for (from, (held, best)) in layers[at].iter().enumerate() {
            let best = Best { from, room: if closed { 0 } else { best.room }, ..*best };
            ahead.step(format, at as u16, held, best, &mut next);
        }
        if next.len() > limits.tables {
            let found = next.len();
            return Err(Error::TooLarge { what: "tables", found, most: limits.tables });
        }
        layers.push(next.into_iter().collect());
    }
    Ok(ahead.ways(format, &layers))
}

/// What each launch costs by each earlier one, and which earlier ones are the same from then on.
struct Ahead {
    /// Half-words of launch `b` by an entry of launch `a < b`.
    costs: Vec<Vec<u16>>,
    /// The first launch that is the same as launch `a` for all launches from `at` on, by `at`.
    same: Vec<Vec<u16>>,
}

impl Ahead {
    fn new<const BYTES: usize>(format: &Format<BYTES>, launches: &[Launch<BYTES>]) -> Self {
        let cost = |a: &Launch<BYTES>, b: &Launch<BYTES>| format.cost(b.differs(a, format));
        let costs: Vec<Vec<u16>> = launches
            .iter()
            .enumerate()
            .map(|(a, entry)| launches[a + 1..].iter().map(|launch| cost(entry, launch)).collect())
            .collect();
        let n = launches.len();
        // From behind the last launch on, all are the same.
        let (mut kinds, mut same) = (vec![0_u16; n], vec![vec![0_u16; n]; n + 1]);
        for at in (1..n).rev() {
            let mut seen: BTreeMap<(u16, u16), u16> = BTreeMap::new();
            for a in 0..at {
                let name = (costs[a][at - a - 1], kinds[a]);
                let next = a as u16;
                let first = *seen.entry(name).or_insert(next);
                kinds[a] = first;
                same[at][a] = first;
            }
        }
        Self { costs, same }
    }

    /// The launch that stands for an entry from `at` on.
    fn kind(&self, at: usize, entry: u16) -> u16 {
        self.same[at][usize::from(entry)]
    }

    /// What is held from `at` on.
    fn held(&self, at: usize, entries: impl Iterator<Item = u16>) -> Held {
        let mut held: Held = entries.map(|entry| self.kind(at, entry)).collect();
        held.sort_unstable();
        held.dedup();
        held
    }

    /// Every way of launch `at` from one table.
    fn step<const BYTES: usize>(
        &self,
        format: &Format<BYTES>,
        at: u16,
        held: &Held,
        best: Best,
        next: &mut BTreeMap<Held, Best>,
    ) {
        let then = usize::from(at) + 1;
        let mut enter = |entries: Held, best: Best| {
            let held = next.entry(entries).or_insert(best);
            if best.beats(held) {
                *held = best;
            }
        };
        let (packets, capacity) = (best.packets + 1, format.capacity());
        let stays = self.held(then, held.iter().copied());
        let cost = |&entry: &u16| self.costs[usize::from(entry)][usize::from(at - entry) - 1];
        if let Some(cost) = held.iter().map(cost).min() {
            let (packets, room) = match best.room.checked_sub(cost) {
                Some(room) => (best.packets, room),
                None => (packets, capacity - cost),
            };
            let best = Best { packets, room, choice: Choice::Condense, ..best };
            enter(stays.clone(), best);
        }
        let alone = Best { packets, room: 0, ..best };
        // Where both have one type, an ordinary packet stores too (B11).
        if format.types.dispatch != format.types.reference {
            enter(stays, Best { choice: Choice::Ordinary, ..alone });
        }
        let best = Best { choice: Choice::Store, ..alone };
        if held.len() < usize::from(format.entries()) {
            enter(self.held(then, held.iter().copied().chain([at])), best);
            return;
        }
        for out in held {
            let kept = held.iter().copied().filter(|entry| entry != out);
            enter(self.held(then, kept.chain([at])), best);
        }
    }

    /// Goes back from the best end, then forward again to name the entries.
    fn ways<const BYTES: usize>(
        &self,
        format: &Format<BYTES>,
        layers: &[Vec<(Held, Best)>],
    ) -> Optimal {
        let end = layers.last().into_iter().flatten().enumerate();
        let Some((mut position, (_, best))) = end.min_by_key(|(_, (_, best))| best.packets) else {
            return Optimal { packets: 0, ways: Vec::new() };
        };
        let packets = best.packets;
        let mut path = Vec::new();
        for layer in layers.iter().skip(1).rev() {
            let (held, best) = &layer[position];
            path.push((held, best.choice));
            position = best.from;
        }
        path.reverse();
        let mut slots: Vec<Option<u16>> = vec![None; format.entries().into()];
        let mut ways = Vec::new();
        for (at, (held, choice)) in path.into_iter().enumerate() {
            ways.push(match choice {
                Choice::Ordinary => Way::Ordinary,
                Choice::Condense => Way::Condense,
                Choice::Store => {
                    let slot = self.slot(at, held, &slots);
                    slots[slot] = Some(at as u16);
                    Way::Store(slot as u16)
                }
            });
        }
        Optimal { packets, ways }
    }

    /// An entry that can take launch `at`, so that what is to be held afterwards is.
    fn slot(&self, at: usize, wanted: &Held, slots: &[Option<u16>]) -> usize {
        let fits = |out: &usize| {
            let kept = slots.iter().enumerate().filter(|(slot, _)| slot != out);
            let kept = kept.filter_map(|(_, held)| *held).chain([at as u16]);
            let held = self.held(at + 1, kept);
            wanted.iter().all(|entry| held.contains(entry))
        };
        (0..slots.len()).find(fits).unwrap_or(0)
    }
}
