//! How are many equal workgroups dealt to compute units with different room?
//!
//! Each pass gives one workgroup to every compute unit that takes part in it, in their order.
//! Passes in a row in which the same units take part form a phase, and a phase gives each unit one
//! piece, whatever its length. So the cost grows with units and pieces, not with workgroups.

use alloc::vec::Vec;
use core::ops::Range;

use raddle_policy::{CuId, Cus, Demand, Piece};

/// The rule by which workgroups are dealt to compute units in passes; each pass gives one workgroup
/// to every unit that takes part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passes {
    /// The order of round-robin: in pass 1 every unit with room takes part, in pass 2 every unit
    /// with room for 2 workgroups or more, and so on.
    Up,
    /// The order of the policy leftover, units with most room first: in the first pass the units
    /// with the largest room m take part, in the second those with room for m - 1 workgroups or
    /// more, and so on down to 1.
    Down,
}

/// The compute units with room for workgroups of one demand, in the order in which they get
/// workgroups: (range of units, number of workgroups that fit on each of them).
///
/// The list is kept between answers so that no answer allocates memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dealer {
    room: Vec<(Range<u16>, u32)>,
}

/// Consecutive passes in which the same `units` compute units take part: those with room for
/// `least` workgroups or more.
struct Phase {
    least: u32,
    units: u32,
    passes: u32,
    /// The argument `level` with which [`Dealer::phase`] returns the phase after this one.
    next: u32,
}

impl Dealer {
    /// Measures how many workgroups of this demand fit on each of these compute units, and keeps
    /// the first `enough` units with room.
    pub(crate) fn measure(
        &mut self,
        cus: &Cus,
        units: impl Iterator<Item = Range<u16>>,
        demand: &Demand,
        enough: u64,
    ) {
        self.room.clear();
        let mut enough = u16::try_from(enough).unwrap_or(u16::MAX);
        for (units, room) in cus.rooms(units, demand) {
            let end = units.end.min(units.start.saturating_add(enough));
            enough -= end - units.start;
            self.room.push((units.start..end, room));
            if enough == 0 {
                break;
            }
        }
    }

    /// Adds to `pieces` (equal workgroups on one compute unit) the workgroups `first .. first +
    /// count`, or as many as fit, distributed over the measured units. Returns the compute unit of
    /// the last workgroup; `None` where none fits.
    pub(crate) fn deal(
        &self,
        passes: Passes,
        first: u64,
        count: u64,
        pieces: &mut Vec<Piece>,
    ) -> Option<CuId> {
        let (mut next, mut left, mut last) = (first, count, None);
        let most = self.room.iter().map(|(_, room)| *room).max().unwrap_or(0);
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
            // The number of units that get one more workgroup in a last pass that does not reach
            // all units.
            let extra = if all < u64::from(phase.passes) { left % units } else { 0 };
            let part = self.room.iter().filter(|(_, room)| *room >= phase.least);
            let mut position = 0;
            for (units, _) in part {
                let Range { start, end } = *units;
                // The minimum is no more than the length of a range of u16.
                let more = (extra.saturating_sub(position)).min(units.len() as u64) as u16;
                for (units, count) in [(start..start + more, all + 1), (start + more..end, all)] {
                    let (len, stride) = (units.len() as u64, phase.units);
                    if count == 0 || len == 0 {
                        continue;
                    }
                    if extra == 0 || position < extra {
                        last = units.clone().last().map(CuId);
                    }
                    // The count is no more than the passes of the phase, which are a u32.
                    let count = count as u32;
                    pieces.extend(units.zip(next + position..).map(|(cu, first)| Piece {
                        first,
                        stride,
                        count,
                        cu: CuId(cu),
                    }));
                    position += len;
                }
            }
            next += all * units + extra;
            left -= all * units + extra;
        }
        last
    }

    /// Returns a phase: consecutive passes in which the same compute units take part. `level` is
    /// the [`next`](Phase::next) of the phase before. For the first phase it is 0 under
    /// [`Passes::Up`], and the largest room of a unit under [`Passes::Down`]. `None` after the last
    /// phase.
    fn phase(&self, passes: Passes, level: u32) -> Option<Phase> {
        let rooms = self.room.iter().map(|(_, room)| *room);
        let part = |least| self.room.iter().filter(move |(_, room)| *room >= least);
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
            // There are no more units than compute units, whose ids are u16.
            units: part(least).map(|(units, _)| units.len() as u32).sum(),
            passes: level.abs_diff(next),
            next,
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    /// Places workgroups one at a time, each by the rule for a single workgroup: the slow oracle
    /// with which [`Dealer`] is compared.
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
            let runs = (0..5).flat_map(|from| (from..6).map(move |to| from..to));
            let alike =
                |run: &Range<usize>| rooms[run.clone()].iter().all(|&it| it == rooms[run.start]);
            let longest = |run: &Range<usize>| {
                !run.is_empty()
                    && (run.start == 0 || rooms[run.start - 1] != rooms[run.start])
                    && (run.end == 5 || rooms[run.end] != rooms[run.start])
            };
            let runs = runs.filter(longest).filter(alike).filter(|run| rooms[run.start] > 0);
            let room =
                runs.map(|run| (run.start as u16..run.end as u16, rooms[run.start])).collect();
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
        let dealt = Dealer { room: alloc::vec![(0..30, 16), (30..80, 16)] };
        for passes in [Passes::Up, Passes::Down] {
            let mut pieces = Vec::new();
            dealt.deal(passes, 0, 1_000_000_000, &mut pieces);
            assert_eq!(pieces.len(), 80);
        }
    }
}
