//! Which whole workgroups of a launch may start next?

use alloc::vec::Vec;

use raddle_policy::{Launch, Piece};

use super::error::Reason;
use super::on_device::{Asked, OnDevice};
use super::{BookError, total};

/// A start of whole workgroups that was found to keep law 1 of the trait `Allocate`: each workgroup
/// is the next one of the launch, or assigned to the compute unit on which it starts.
pub(super) enum Whole {
    /// The start has this number of workgroups, all of them the next ones in the order of their
    /// numbers.
    Next(u64),
    /// The start has some workgroups that are already assigned to a compute unit.
    ByName,
}

impl OnDevice {
    /// Checks a start of whole workgroups against law 1 of the trait `Allocate`: each workgroup is
    /// the next one of the launch, or assigned to the compute unit on which it starts; none is
    /// named twice. `most` is the number of workgroup slots of the device, `seen` is scratch
    /// memory.
    pub(super) fn may_start(
        &self,
        asked: Asked<'_>,
        most: u64,
        seen: &mut Vec<u64>,
    ) -> Result<Whole, BookError> {
        let Asked { launch, pieces, .. } = asked;
        let names = |group: u64| pieces.iter().any(|piece| piece.names(group));
        let all = launch.demand.waves;
        if self.waiting > 0
            && self.partial.iter().any(|(&group, it)| it.started < all && names(group))
        {
            self.check_by_name(asked, most)?;
            return Ok(Whole::ByName);
        }
        if asked.draining {
            return Err(BookError(Reason::NothingLeft { launch: launch.id }));
        }
        self.check_not_cut(launch)?;
        let (first, limit) = self.head(launch);
        let (total, covered) = match dealt(pieces, first) {
            Some(total) => (total, true),
            None => {
                let total = total(pieces);
                // More workgroups than the device has slots for are refused for lack of room.
                (total, total > most || covers(pieces, first, total, seen))
            }
        };
        if covered && total > 0 && first.saturating_add(total) <= limit {
            return Ok(Whole::Next(total));
        }
        Err(BookError(Reason::NotTheNext { launch: launch.id, first }))
    }

    /// Checks a start against law 1 of the trait `Allocate`, workgroup by workgroup, where some of
    /// them are assigned to a compute unit: each of these must start on that unit, and each other
    /// one must be the next of the launch.
    fn check_by_name(&self, asked: Asked<'_>, most: u64) -> Result<(), BookError> {
        let Asked { launch, pieces, .. } = asked;
        if total(pieces) > most {
            return Ok(()); // The resources refuse them.
        }
        let id = launch.id;
        let (mut others, mut assigned) = (0, Vec::new());
        for piece in pieces {
            for workgroup in piece.workgroups() {
                let bound = self.partial.get(&workgroup);
                let bound = bound.filter(|it| it.started < launch.demand.waves);
                if let Some(bound) = bound.filter(|_| !assigned.contains(&workgroup)) {
                    if bound.cu != piece.cu || bound.started != 0 {
                        let (cu, wave) = (bound.cu, bound.started);
                        return Err(BookError(Reason::GoesOn { launch: id, workgroup, wave, cu }));
                    }
                    assigned.push(workgroup);
                    continue;
                }
                self.check_not_cut(launch)?;
                let next = self.upcoming(launch, others).filter(|_| !asked.draining);
                let next = next.ok_or(BookError(Reason::NothingLeft { launch: id }))?;
                if next != workgroup {
                    return Err(BookError(Reason::NotNext { launch: id, next }));
                }
                others += 1;
            }
        }
        Ok(())
    }

    /// Returns the workgroup of the launch that comes after the next `count` workgroups to start or
    /// assign; `None` where no such workgroup is left. No workgroup of the launch may be cut.
    fn upcoming(&self, launch: &Launch, count: u64) -> Option<u64> {
        let behind = count.checked_sub(self.returned.len() as u64);
        let next = match behind {
            // The number of returned workgroups is above `count`.
            None => self.returned.iter().nth(count as usize).copied(),
            Some(behind) => self.next.checked_add(behind),
        };
        next.filter(|&next| next < launch.workgroups)
    }

    /// Records a start of workgroups that [`OnDevice::may_start`] has allowed.
    pub(super) fn started(&mut self, pieces: &[Piece], start: Whole) {
        match start {
            Whole::Next(count) => self.advance(count),
            Whole::ByName => {
                for workgroup in pieces.iter().flat_map(|piece| piece.workgroups()) {
                    match self.partial.remove(&workgroup) {
                        Some(_) => self.waiting -= 1,
                        None => self.advance(1),
                    }
                }
            }
        }
    }
}

/// Returns the number of workgroups in `pieces` (each is equal workgroups on one compute unit), if
/// they are numbered consecutively from `next` on, either piece after piece or dealt out to compute
/// units in turn; `None` for any other order.
fn dealt(pieces: &[Piece], next: u64) -> Option<u64> {
    let (mut running, mut rest) = (next, pieces);
    loop {
        // Pieces of neighbouring workgroups.
        while let [piece, behind @ ..] = rest
            && piece.first == running
            && (piece.stride == 1 || piece.stride > 0 && piece.count <= 1)
        {
            running = running.saturating_add(piece.count.into());
            rest = behind;
        }
        if rest.is_empty() {
            break;
        }
        let (count, behind) = phase(rest, running)?;
        running = running.saturating_add(count);
        rest = behind;
    }
    Some(running - next)
}

/// Returns whether `pieces` (each is equal workgroups on one compute unit) name exactly the
/// workgroups `next .. next + total`, each once, in any order. `seen` is scratch memory.
fn covers(pieces: &[Piece], next: u64, total: u64, seen: &mut Vec<u64>) -> bool {
    let words = usize::try_from(total.div_ceil(64)).unwrap_or(usize::MAX);
    seen.clear();
    // The caller has seen that the device has slots for all of them.
    seen.resize(words, 0);
    pieces.iter().flat_map(|piece| piece.workgroups()).all(|group| {
        group.checked_sub(next).is_some_and(|offset| offset < total && mark(seen, offset))
    })
}

/// Splits off the leading pieces that deal consecutive workgroups, from `next` on, to some compute
/// units in turn, one to each unit; the last round may end early. Returns (number of workgroups
/// dealt, remaining pieces); `None` where the leading pieces name other workgroups.
fn phase(pieces: &[Piece], next: u64) -> Option<(u64, &[Piece])> {
    let &Piece { first, stride, count, .. } = pieces.first()?;
    if first != next || stride == 0 {
        return None;
    }
    let (round, behind) = pieces.split_at_checked(stride as usize)?;
    let (mut left, mut dealt) = (count, 0u64);
    for (piece, first) in round.iter().zip(next..=u64::MAX) {
        let fewer = piece.count == left || (left == count && piece.count == count - 1);
        let even = piece.stride == stride || piece.count == 1;
        if piece.first != first || !even || !fewer {
            return None;
        }
        left = piece.count;
        dealt += u64::from(piece.count);
    }
    Some((dealt, behind))
}

/// Sets the bit with the index `at` in a list of 64-bit words. Returns whether the bit was clear
/// before; false also where the list is too short.
fn mark(bits: &mut [u64], at: u64) -> bool {
    let bit = 1u64 << (at % 64);
    match bits.get_mut((at / 64) as usize) {
        Some(word) if *word & bit == 0 => {
            *word |= bit;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use raddle_policy::CuId;

    use super::*;

    fn piece(first: u64, stride: u32, count: u32) -> Piece {
        Piece { first, stride, count, cu: CuId(0) }
    }

    /// Returns the result that `covers` should have, by a sorted list of all named workgroups: its
    /// test oracle.
    fn covers_naively(pieces: &[Piece], next: u64, total: u64) -> bool {
        let mut all: Vec<u64> = pieces.iter().flat_map(|piece| piece.workgroups()).collect();
        all.sort_unstable();
        all == (next..next + total).collect::<Vec<u64>>()
    }

    #[test]
    fn every_small_pair_of_pieces_is_judged_as_the_naive_list_judges_it() {
        for code in 0..3u64.pow(8) {
            let digit = |position: u32| code / 3u64.pow(position) % 3;
            let one = |at: u32| {
                let (stride, count) = (1 + digit(at + 1) as u32, 1 + digit(at + 2) as u32);
                piece(5 + digit(at) + 2 * digit(at + 3).min(1), stride, count)
            };
            let pieces = [one(0), one(4)];
            let total: u64 = pieces.iter().map(|piece| u64::from(piece.count)).sum();
            let expected = covers_naively(&pieces, 5, total);
            assert_eq!(covers(&pieces, 5, total, &mut Vec::new()), expected, "{pieces:?}");
            if let Some(dealt) = dealt(&pieces, 5) {
                assert!(expected && dealt == total, "{pieces:?}");
            }
        }
    }

    #[test]
    fn two_twice_and_two_never_is_no_cover() {
        let twice = [0, 0, 3, 3].map(|first| piece(first, 1, 1));
        assert!(!covers(&twice, 0, 4, &mut Vec::new()));
    }
}
