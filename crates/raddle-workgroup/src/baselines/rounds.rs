//! How are many equal workgroups dealt to compute units with different room?
//!
//! In passes: each pass gives one workgroup to every compute unit that takes part in it, in their
//! order. Passes in which the same units take part form a phase, and a phase is one piece a unit,
//! whatever its length. So the cost grows with units and pieces, not with workgroups.

use alloc::vec::Vec;

use raddle_policy::{CuId, Cus, Demand, Piece};

/// Which compute units take part in which pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passes {
    /// Pass p = 1, 2, ...: those with room for p or more. Cyclic order: round-robin.
    Up,
    /// Pass l = most, most - 1, ...: those with room for l or more. Most room first: leftover.
    Down,
}

/// The compute units with room, in the order of dealing; kept so that no answer allocates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dealer {
    room: Vec<(CuId, u32)>,
}

/// Passes in which the same compute units take part: those with room for `least` or more.
struct Phase {
    least: u32,
    units: u32,
    passes: u32,
    /// Where the next phase begins.
    next: u32,
}

impl Dealer {
    /// Notes how many workgroups fit on each of these compute units, the first `enough` with room.
    pub(crate) fn measure(
        &mut self,
        cus: &Cus,
        ids: impl Iterator<Item = CuId>,
        demand: &Demand,
        enough: u64,
    ) {
        self.room.clear();
        let most = usize::try_from(enough).unwrap_or(usize::MAX);
        self.room.extend(cus.rooms(ids, demand).take(most));
    }

    /// Deals workgroups `first .. first + count`, or as many as there is room for; where the last
    /// went, `None` without room.
    pub(crate) fn deal(
        &self,
        passes: Passes,
        first: u64,
        count: u64,
        pieces: &mut Vec<Piece>,
    ) -> Option<CuId> {
        let (mut next, mut left, mut last) = (first, count, None);
        let most = self.room.iter().map(|&(_, room)| room).max().unwrap_or(0);
        let mut level = match passes {
            Passes::Up => 0,
            Passes::Down => most,
        };
        while left > 0
            && let Some(phase) = self.phase(passes, level)
        {
            level = phase.next;
            let units = u64::from(phase.units);
            let all = u64::from(phase.passes).min(left / units);
            // The units that get one more in a last pass that not all take part in.
            let extra = if all < u64::from(phase.passes) { left % units } else { 0 };
            let part = self.room.iter().filter(|&&(_, room)| room >= phase.least);
            for (position, &(cu, _)) in (0..).zip(part) {
                // No more than the passes of the phase, and those are u32.
                let count = (all + u64::from(position < extra)) as u32;
                if count == 0 {
                    break;
                }
                let (first, stride) = (next + position, phase.units);
                pieces.push(Piece { first, stride, count, cu });
                if extra == 0 || position < extra {
                    last = Some(cu);
                }
            }
            next += all * units + extra;
            left -= all * units + extra;
        }
        last
    }

    /// The phase that begins at `level`; `None` after the last.
    fn phase(&self, passes: Passes, level: u32) -> Option<Phase> {
        let rooms = self.room.iter().map(|&(_, room)| room);
        let (least, next) = match passes {
            Passes::Up => (level + 1, rooms.clone().filter(|&room| room > level).min()?),
            Passes::Down if level == 0 => return None,
            Passes::Down => {
                let below = rooms.clone().filter(|&room| room < level).max();
                (level, below.unwrap_or(0))
            }
        };
        Some(Phase {
            least,
            // As many as compute units at most, and their ids are u16.
            units: rooms.filter(|&room| room >= least).count() as u32,
            passes: level.abs_diff(next),
            next,
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    /// One workgroup at a time, by the rule itself.
    fn one_by_one(passes: Passes, rooms: &[u32], count: u64) -> Vec<CuId> {
        let (mut rooms, mut placed, mut cursor) = (rooms.to_vec(), Vec::new(), 0);
        for _ in 0..count {
            let order = (0..rooms.len()).map(|i| (cursor + i) % rooms.len());
            let most = rooms.iter().max().copied().unwrap_or(0);
            let best = match passes {
                Passes::Up => order.into_iter().find(|&cu| rooms[cu] > 0),
                Passes::Down => rooms.iter().position(|&room| room == most && room > 0),
            };
            let Some(best) = best else { break };
            rooms[best] -= 1;
            cursor = (best + 1) % rooms.len();
            placed.push(CuId(best as u16));
        }
        placed
    }

    #[test]
    fn dealing_equals_placing_one_by_one_on_every_small_device() {
        for code in 0..4u32.pow(5) {
            let rooms: Vec<u32> = (0..5).map(|cu| code >> (2 * cu) & 3).collect();
            let with_room = (0..).map(CuId).zip(rooms.iter().copied());
            let room = with_room.filter(|&(_, room)| room > 0).collect();
            let dealt = Dealer { room };
            for count in 0..=rooms.iter().sum::<u32>() + 1 {
                for passes in [Passes::Up, Passes::Down] {
                    let expected = one_by_one(passes, &rooms, count.into());
                    let mut pieces = Vec::new();
                    let last = dealt.deal(passes, 7, count.into(), &mut pieces);
                    let mut found = vec![None; expected.len()];
                    for piece in &pieces {
                        for workgroup in piece.workgroups() {
                            let spot = &mut found[workgroup as usize - 7];
                            assert_eq!(spot.replace(piece.cu), None, "placed twice");
                        }
                    }
                    let what = alloc::format!("{passes:?} of {count} to {rooms:?}: {pieces:?}");
                    assert_eq!(last, expected.last().copied(), "{what}");
                    assert!(found.into_iter().eq(expected.into_iter().map(Some)), "{what}");
                }
            }
        }
    }

    #[test]
    fn a_uniform_round_is_one_piece_a_unit() {
        let dealt = Dealer { room: (0..80).map(|cu| (CuId(cu), 16)).collect() };
        for passes in [Passes::Up, Passes::Down] {
            let mut pieces = Vec::new();
            dealt.deal(passes, 0, 1_000_000_000, &mut pieces);
            assert_eq!(pieces.len(), 80);
        }
    }
}
