//! Which workgroups of a launch may start, and which workgroups have started?
//!
//! A start is checked first ([`Distribution::may_start`]) and entered when the book has found room
//! for it ([`Distribution::started`]), so nothing is ever taken back.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use raddle_policy::{CuId, Launch, Piece, WaveSpan};

/// The state of the workgroups of a launch: which have started, and which are assigned to a compute
/// unit.
#[derive(Clone, Debug, Default)]
pub(super) struct Distribution {
    /// The number of the lowest workgroup that was never started nor assigned.
    next: u64,
    /// The number of workgroups of the launch that have ended.
    ended: u64,
    /// The workgroups that are assigned to a compute unit or partly started, by workgroup number;
    /// some of their waves are still to start.
    bound: BTreeMap<u64, Bound>,
    /// The numbers, below `next`, of workgroups that were assigned and had not started when the
    /// launch was saved; they are to be placed anew.
    returned: BTreeSet<u64>,
    /// The number of waves that have started of the workgroup `next`, the next one to start, where
    /// that was cut into waves; else 0.
    cut: u16,
}

/// A workgroup that does not start as a whole: its compute unit, and the number of its waves that
/// have started.
#[derive(Clone, Copy, Debug)]
struct Bound {
    cu: CuId,
    started: u16,
}

/// A start of workgroups that was checked and keeps the laws of the trait `Allocate`.
#[derive(Debug)]
pub(super) enum Allowed {
    /// Starts this number of whole workgroups: the next ones in the order of their numbers.
    Whole(u64),
    /// Starts this number of waves of the next workgroup, which is cut into waves.
    Cut(u16),
    /// Starts waves of the workgroup `group` alone, of which `started` waves will have started
    /// after it.
    One { group: u64, cu: CuId, started: u16 },
    /// A start of waves of several workgroups, with the state of the launch after it.
    Named(Box<Distribution>),
}

/// A start of workgroups that a policy answers, to be checked before it is carried out; `draining`
/// is true where only workgroups of the launch that are assigned to a compute unit may start.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) launch: &'a Launch,
    pub(super) draining: bool,
    pub(super) waves: WaveSpan,
    pub(super) pieces: &'a [Piece],
    /// The most workgroups for which the device has slots.
    pub(super) most: u64,
}

impl Distribution {
    /// Sets the state to that before the first workgroup started, as a killed launch begins again.
    pub(super) fn rewind(&mut self) {
        self.next = 0;
        self.ended = 0;
        self.bound.clear();
        self.returned.clear();
        self.cut = 0;
    }

    /// Makes the workgroups of a saved launch that were assigned and have not started unassigned,
    /// so that they are placed anew.
    pub(super) fn unbind(&mut self) {
        let assigned = self.bound.iter().filter(|(_, bound)| bound.started == 0);
        self.returned.extend(assigned.map(|(&group, _)| group));
        self.bound.retain(|_, bound| bound.started > 0);
        while self.cut == 0 && self.next > 0 && self.returned.remove(&(self.next - 1)) {
            self.next -= 1;
        }
    }

    /// Returns the next workgroups to start or assign: (first number, one more than the last
    /// number). They are a run of the returned workgroups if there are any, else all that were
    /// never started or assigned.
    pub(super) fn head(&self, launch: &Launch) -> (u64, u64) {
        match self.returned.first() {
            // A workgroup that was cut comes first: no other workgroup starts before its last wave.
            Some(&first) if self.cut == 0 => {
                let run = (first..).zip(&self.returned).take_while(|(at, group)| at == *group);
                (first, first + run.count() as u64)
            }
            _ => (self.next, launch.workgroups),
        }
    }

    /// Records that `count` workgroups from the next one on have started or been assigned.
    fn advance(&mut self, count: u64) {
        match self.returned.first().copied().filter(|_| self.cut == 0) {
            Some(first) => (first..first + count).for_each(|group| {
                self.returned.remove(&group);
            }),
            None => self.next += count,
        }
    }

    /// Returns the number of workgroups that are neither started nor assigned.
    pub(super) fn undistributed(&self, launch: &Launch) -> u64 {
        launch.workgroups - self.next + self.returned.len() as u64
    }

    /// Returns whether any workgroup is assigned to a compute unit, or partly started.
    pub(super) fn is_bound(&self) -> bool {
        !self.bound.is_empty()
    }

    pub(super) fn has_started(&self) -> bool {
        self.next > 0 || self.cut > 0 || !self.bound.is_empty()
    }

    /// Returns the number of workgroups that are assigned and of which not all waves have started.
    pub(super) fn waiting(&self) -> u64 {
        self.bound.len() as u64
    }

    /// Returns the number of waves that have started of the next workgroup, where that was cut into
    /// waves; else 0.
    pub(super) const fn cut(&self) -> u16 {
        self.cut
    }

    /// Records that `count` workgroups have ended. Returns whether the launch has none left.
    pub(super) const fn ended(&mut self, count: u64, launch: &Launch) -> bool {
        self.ended += count;
        self.ended >= launch.workgroups
    }

    /// Records that `count` further workgroups have started, and that as many have ended. Returns
    /// whether it did: false, with nothing changed, where workgroups do not simply start in their
    /// order, or fewer than `count` and one are left.
    pub(super) fn move_on(&mut self, count: u64, launch: &Launch) -> bool {
        let is_plain = self.cut == 0 && self.bound.is_empty() && self.returned.is_empty();
        let fits = is_plain && count < launch.workgroups - self.next;
        if fits {
            self.next += count;
            self.ended += count;
        }
        fits
    }

    /// Returns whether a start names single waves, or workgroups that are assigned to a compute
    /// unit already; false where it names only whole workgroups that are not assigned.
    fn is_by_name(&self, asked: Asked<'_>) -> bool {
        let waves = asked.launch.demand.waves;
        let names = |group: u64| asked.pieces.iter().any(|piece| piece.names(group));
        asked.waves.bounds(waves) != (0, waves) || self.bound.keys().any(|&group| names(group))
    }

    /// Checks a start against the laws of the trait `Allocate`, and returns the change of state
    /// that [`Distribution::started`] makes. `seen` is scratch memory.
    ///
    /// # Errors
    /// The text says which law the start breaks.
    pub(super) fn may_start(
        &self,
        asked: Asked<'_>,
        seen: &mut Vec<u64>,
    ) -> Result<Allowed, String> {
        let (first, count) = asked.waves.bounds(asked.launch.demand.waves);
        if let WaveSpan::Cut { .. } = asked.waves {
            return self.may_cut(asked, first, count);
        }
        if !self.is_by_name(asked) {
            return self.may_start_whole(asked, seen);
        }
        if let [Piece { first: group, count: 1, cu, .. }] = *asked.pieces {
            self.check_bound(asked, group, cu, first)?;
            return Ok(Allowed::One { group, cu, started: first.saturating_add(count) });
        }
        let mut after = Box::new(self.clone());
        for piece in asked.pieces {
            for group in piece.workgroups() {
                after.check_bound(asked, group, piece.cu, first)?;
                after.start_one(asked.launch, group, piece.cu, first.saturating_add(count));
            }
        }
        Ok(Allowed::Named(after))
    }

    /// Changes the state by a start that [`Distribution::may_start`] has allowed.
    pub(super) fn started(&mut self, launch: &Launch, start: Allowed) {
        match start {
            Allowed::Whole(count) => self.advance(count),
            Allowed::Cut(count) => {
                self.cut += count;
                if self.cut == launch.demand.waves {
                    self.cut = 0;
                    self.next += 1;
                }
            }
            Allowed::One { group, cu, started } => self.start_one(launch, group, cu, started),
            Allowed::Named(after) => *self = *after,
        }
    }

    /// Checks a start of whole workgroups against law 1 of the trait `Allocate`: the pieces (equal
    /// workgroups on one compute unit) name n workgroups from the next one on, each once. `seen` is
    /// scratch memory. `Err` is the text of the broken law.
    fn may_start_whole(&self, asked: Asked<'_>, seen: &mut Vec<u64>) -> Result<Allowed, String> {
        let Asked { launch, pieces, .. } = asked;
        if asked.draining {
            return Err(format!("law 1: {} has no workgroup left to distribute", launch.id));
        }
        let (first, limit) = self.head(launch);
        self.is_not_cut(launch)?;
        let (total, covered) = match dealt(pieces, first) {
            Some(total) => (total, true),
            None => {
                let total = pieces.iter().map(|piece| u64::from(piece.count)).sum();
                // The account (`Book`) refuses more workgroups than the device has slots for.
                (total, total > asked.most || covers(pieces, first, total, seen))
            }
        };
        if covered && total > 0 && first.saturating_add(total) <= limit {
            return Ok(Allowed::Whole(total));
        }
        Err(format!(
            "law 1: a start of {} must name workgroups from {first} on, each once",
            launch.id
        ))
    }

    /// Checks whether workgroup `group`, which must be assigned or the next one, may start on `cu`
    /// from wave `first` on; `Err` is the text of the broken law.
    fn check_bound(
        &self,
        asked: Asked<'_>,
        group: u64,
        cu: CuId,
        first: u16,
    ) -> Result<(), String> {
        let id = asked.launch.id;
        if let Some(bound) = self.bound.get(&group) {
            if bound.cu != cu || bound.started != first {
                return Err(format!(
                    "law 1: workgroup {group} of {id} goes on at wave {} on {}",
                    bound.started, bound.cu
                ));
            }
            return Ok(());
        }
        if asked.draining {
            return Err(format!("law 1: {id} has no workgroup left to distribute"));
        }
        self.is_not_cut(asked.launch)?;
        let (next, _) = self.head(asked.launch);
        if group != next || first != 0 {
            return Err(format!("law 1: the next workgroup of {id} is {next}"));
        }
        Ok(())
    }

    /// Records that the waves of a workgroup with numbers below `started` have started on the
    /// compute unit `cu`.
    fn start_one(&mut self, launch: &Launch, group: u64, cu: CuId, started: u16) {
        if !self.bound.contains_key(&group) {
            self.advance(1);
        }
        if started < launch.demand.waves {
            self.bound.insert(group, Bound { cu, started });
        } else {
            self.bound.remove(&group);
        }
    }

    /// Checks a start of `count` waves, from the wave `first` on, of a workgroup that is cut into
    /// waves, against law 8 of the trait `Allocate`: they are the next waves of the next workgroup.
    /// `Err` is the text of the broken law.
    fn may_cut(&self, asked: Asked<'_>, first: u16, count: u16) -> Result<Allowed, String> {
        let (id, whole) = (asked.launch.id, asked.launch.demand.waves);
        if asked.launch.barrier.possible() {
            return Err(format!("law 8: {id} is cut, whose waves may meet at a barrier"));
        }
        let next = !asked.draining && self.next < asked.launch.workgroups;
        let is_next =
            matches!(*asked.pieces, [Piece { first, count: 1, .. }] if first == self.next);
        if !next || !is_next {
            return Err(format!("law 8: {id} is cut: one piece of workgroup {} starts", self.next));
        }
        let end = u32::from(first) + u32::from(count);
        if first != self.cut || count == 0 || end > u32::from(whole) {
            return Err(format!(
                "law 8: workgroup {} of {id} was cut and goes on at wave {}",
                self.next, self.cut
            ));
        }
        Ok(Allowed::Cut(count))
    }

    /// Checks that no workgroup of the launch is partly started after a cut into waves. By law 8 of
    /// the trait `Allocate`, no other workgroup of the launch starts meanwhile; `Err` is the text
    /// of the broken law.
    fn is_not_cut(&self, launch: &Launch) -> Result<(), String> {
        match self.cut {
            0 => Ok(()),
            wave => Err(format!(
                "law 8: workgroup {} of {} was cut and goes on at wave {wave}",
                self.next, launch.id
            )),
        }
    }

    /// Records that workgroup `group` is assigned to a compute unit.
    ///
    /// # Errors
    /// The text says which law of the trait `Allocate` the assignment breaks; nothing has changed
    /// then.
    pub(super) fn assign(&mut self, launch: &Launch, group: u64, cu: CuId) -> Result<(), String> {
        let (next, end) = self.head(launch);
        if group != next || group >= end {
            return Err(format!("law 1: the next workgroup of {} is {next}", launch.id));
        }
        self.is_not_cut(launch)?;
        self.advance(1);
        self.bound.insert(group, Bound { cu, started: 0 });
        Ok(())
    }
}

/// Returns the number of workgroups that the pieces (equal workgroups on one compute unit) name, if
/// they name workgroups from `next` on, each once, in a row or dealt to compute units in turn;
/// `None` for pieces in any other order.
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

/// Returns whether the pieces (equal workgroups on one compute unit) name the workgroups `next ..
/// next + total`, each once, in any order. `seen` is scratch memory.
fn covers(pieces: &[Piece], next: u64, total: u64, seen: &mut Vec<u64>) -> bool {
    let words = usize::try_from(total.div_ceil(64)).unwrap_or(usize::MAX);
    seen.clear();
    // The caller has seen that the device has slots for all of them.
    seen.resize(words, 0);
    pieces.iter().flat_map(|piece| piece.workgroups()).all(|group| {
        group.checked_sub(next).is_some_and(|offset| offset < total && mark(seen, offset))
    })
}

/// Splits off the first pieces (equal workgroups on one compute unit) that together name workgroups
/// from `next` on, dealt to some units in turn, one to each; the last turn may end early. Returns
/// (number of these workgroups, the pieces that follow); `None` where there are no such pieces.
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

/// Sets the bit `at` (from 0, 64 to a word) of a list of bits. Returns whether the bit was clear;
/// false too where the list is shorter.
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
    use super::*;

    fn piece(first: u64, stride: u32, count: u32) -> Piece {
        Piece { first, stride, count, cu: CuId(0) }
    }

    /// Returns what `covers` returns, by a sorted list of all named workgroups: its oracle.
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
