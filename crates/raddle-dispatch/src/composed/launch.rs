//! What does the dispatcher know of one launch?

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::book::Lifted;
use raddle_preempt::LaunchHandle;

use raddle_policy::{CuId, Launch, Piece, Preemption, ReadyLaunch, Tick, Ticks, WaveSpan};

/// The stage of a launch between being issued and ending.
#[derive(Debug)]
pub(super) enum Stage {
    /// In the buffer of its process.
    Buffered,
    /// Submitted; the device sees it at that tick.
    Travelling(Tick),
    /// On the device: workgroups may start.
    OnDevice,
    /// Asked to leave, not gone yet.
    Leaving(Preemption),
    /// Off the device as asked, with the workgroups that were saved, if any.
    Held(Option<Lifted>),
    /// Asked to come back.
    Returning,
}

/// One launch that has not ended.
#[derive(Debug)]
pub(super) struct LaunchState {
    pub(super) launch: Launch,
    pub(super) stage: Stage,
    /// The submission of the launch, while the runtime has it.
    pub(super) handle: Option<LaunchHandle>,
    /// True if the flag is raised for the launch and it has not begun: no workgroup of it starts
    /// any more.
    pub(super) claimed: bool,
    /// True if the launch has begun, which was reported to the controller.
    pub(super) begun: bool,
    /// True if the launch was issued and is not ready: no workgroup of it may start yet.
    pub(super) waits: bool,
    /// True if the launch counts among those that make its process runnable.
    pub(super) counts: bool,
    /// Order of issue, over all processes; a launch without an issue event counts as issued when it
    /// becomes ready.
    pub(super) order: u64,
    /// Order of submission, over all processes.
    pub(super) submission: u64,
    pub(super) submitted: Tick,
    /// The tick at which the device sees the launch.
    pub(super) visible: Tick,
    /// The tick at which the launch was last asked to come back.
    pub(super) returns: Tick,
    /// The tick at which the launch was last back; `None` where it was not off.
    pub(super) back: Option<Tick>,
    /// True if the launch was taken off in the tick in which it last was back, so that the way off
    /// and back gained it nothing.
    pub(super) in_vain: bool,
    /// True if the launch is on the device and its process leaves: until it leaves too, only
    /// workgroups that are bound to a compute unit may start.
    pub(super) leaves_soon: bool,
    /// The lowest workgroup neither started nor assigned.
    pub(super) next: u64,
    /// Workgroups that have ended.
    pub(super) ended: u64,
    /// Workgroups assigned or partly started, of which waves are still to start.
    bound: BTreeMap<u64, Bound>,
    /// Workgroups below `next` that were assigned, had not started when the launch was saved, and
    /// are to be distributed anew.
    returned: BTreeSet<u64>,
    /// Waves of workgroup `next` that have started, where that workgroup was cut.
    cut: u16,
}

/// A workgroup that does not start as a whole: its compute unit, and how many of its waves have
/// started.
#[derive(Clone, Copy, Debug)]
struct Bound {
    cu: CuId,
    started: u16,
}

impl LaunchState {
    pub(super) fn new(launch: Launch, waits: bool, order: u64, now: Tick) -> Self {
        Self {
            launch,
            stage: Stage::Buffered,
            handle: None,
            claimed: false,
            begun: false,
            waits,
            counts: false,
            order,
            submission: 0,
            submitted: now,
            visible: now,
            returns: now,
            back: None,
            in_vain: false,
            leaves_soon: false,
            next: 0,
            ended: 0,
            bound: BTreeMap::new(),
            returned: BTreeSet::new(),
            cut: 0,
        }
    }

    /// Resets the launch to the state before its first workgroup.
    pub(super) fn rewind(&mut self) {
        self.next = 0;
        self.ended = 0;
        self.bound.clear();
        self.returned.clear();
        self.cut = 0;
    }

    /// Frees the assigned workgroups of a saved launch that have not started from their compute
    /// units.
    pub(super) fn unbind(&mut self) {
        let assigned = self.bound.iter().filter(|(_, bound)| bound.started == 0);
        self.returned.extend(assigned.map(|(&group, _)| group));
        self.bound.retain(|_, bound| bound.started > 0);
        while self.cut == 0 && self.next > 0 && self.returned.remove(&(self.next - 1)) {
            self.next -= 1;
        }
    }

    /// Finds the next workgroups to distribute, as a first number and an exclusive end: a run of
    /// returned workgroups if there are any, else all that were never distributed.
    fn head(&self) -> (u64, u64) {
        match self.returned.first() {
            // A workgroup that was cut comes first: nothing else starts before its last wave.
            Some(&first) if self.cut == 0 => {
                let run = (first..).zip(&self.returned).take_while(|(at, group)| at == *group);
                (first, first + run.count() as u64)
            }
            _ => (self.next, self.launch.workgroups),
        }
    }

    /// Notes that `count` workgroups from the head on are distributed.
    fn advance(&mut self, count: u64) {
        let (first, _) = self.head();
        if first == self.next {
            self.next += count;
        } else {
            (first..first + count).for_each(|group| {
                self.returned.remove(&group);
            });
        }
    }

    /// Counts the workgroups that are neither started nor assigned.
    pub(super) fn undistributed(&self) -> u64 {
        self.launch.workgroups - self.next + self.returned.len() as u64
    }

    /// Returns whether a workgroup of the launch is bound to a compute unit.
    pub(super) fn is_bound(&self) -> bool {
        !self.bound.is_empty()
    }

    /// Notes that the launch is to leave. Returns how long it stays instead, where it would leave in
    /// the tick in which it came back the second time in a row: as long as coming back took.
    pub(super) fn stays(&mut self, now: Tick) -> Option<Ticks> {
        if !matches!(self.stage, Stage::OnDevice) {
            return None;
        }
        let in_vain = self.back == Some(now);
        let again = core::mem::replace(&mut self.in_vain, in_vain) && in_vain;
        let took = Some(now.since(self.returns)).filter(|took| again && took.0 > 0)?;
        (self.in_vain, self.back, self.leaves_soon) = (false, None, true);
        Some(took)
    }

    pub(super) fn has_started(&self) -> bool {
        let runs = self.next > 0 || self.cut > 0 || !self.bound.is_empty();
        runs || (self.begun && self.launch.is_copy())
    }

    /// Counts the assigned workgroups of which not all waves have started.
    pub(super) fn waiting(&self) -> u64 {
        self.bound.len() as u64
    }

    /// Returns whether the launch drains: only workgroups that are bound to a compute unit may
    /// start.
    pub(super) const fn draining(&self) -> bool {
        self.leaves_soon || matches!(self.stage, Stage::Leaving(Preemption::Drain))
    }

    pub(super) fn entry(&self) -> ReadyLaunch {
        // A draining launch distributes nothing further. Parts of a workgroup that was cut hold
        // nothing before they start, so parts that have not started wait like workgroups.
        let (next, end) = match self.draining() {
            true => (self.launch.workgroups, self.launch.workgroups),
            false => self.head(),
        };
        ReadyLaunch {
            // A run of returned workgroups is shown as if it were the launch's last.
            launch: Launch { workgroups: end, ..self.launch },
            next,
            assigned: self.waiting(),
            cut: if self.draining() { 0 } else { self.cut },
            submitted: self.submitted,
        }
    }

    /// Returns whether a workgroup or wave of the launch may still start.
    pub(super) fn unstarted(&self) -> bool {
        (self.undistributed() > 0 && !self.draining()) || self.waiting() > 0
    }

    /// Returns whether a start names workgroups one by one: single waves, or bound workgroups.
    fn is_by_name(&self, waves: WaveSpan, pieces: &[Piece]) -> bool {
        let whole = waves.bounds(self.launch.demand.waves) == (0, self.launch.demand.waves);
        let names = |group: u64| pieces.iter().any(|piece| piece.names(group));
        !whole || self.bound.keys().any(|&group| names(group))
    }

    /// Checks whether a start of parts of workgroups, or of bound workgroups, would break a law.
    pub(super) fn check_parts(&self, waves: WaveSpan, pieces: &[Piece]) -> Result<(), String> {
        let (first, count) = waves.bounds(self.launch.demand.waves);
        if let WaveSpan::Cut { .. } = waves {
            return self.check_cut(first, count, pieces);
        }
        if !self.is_by_name(waves, pieces) {
            return Ok(());
        }
        if let [Piece { first: group, count: 1, cu, .. }] = *pieces {
            return self.check_bound(group, cu, first).map(drop);
        }
        let mut trial = Self {
            bound: self.bound.clone(),
            returned: self.returned.clone(),
            next: self.next,
            cut: self.cut,
            ..Self::new(self.launch, self.waits, self.order, self.submitted)
        };
        trial.start_by_name(first, count, pieces)
    }

    /// Enters a start that the book has accepted.
    ///
    /// # Errors
    /// The law that the start breaks.
    pub(super) fn start(
        &mut self,
        waves: WaveSpan,
        pieces: &[Piece],
        seen: &mut Vec<u64>,
    ) -> Result<(), String> {
        let (first, count) = waves.bounds(self.launch.demand.waves);
        if let WaveSpan::Cut { .. } = waves {
            return self.start_cut(first, count, pieces);
        }
        if self.is_by_name(waves, pieces) {
            return self.start_by_name(first, count, pieces);
        }
        if self.draining() {
            return Err(format!("law 1: {} has no workgroup left to distribute", self.launch.id));
        }
        self.start_whole(pieces, seen)
    }

    fn start_by_name(&mut self, first: u16, count: u16, pieces: &[Piece]) -> Result<(), String> {
        for piece in pieces {
            for workgroup in piece.workgroups() {
                self.start_bound(workgroup, piece.cu, first, count)?;
            }
        }
        Ok(())
    }

    /// Enters a start of whole workgroups. Law 1: the pieces cover `next .. next + n`, each
    /// workgroup once.
    fn start_whole(&mut self, pieces: &[Piece], seen: &mut Vec<u64>) -> Result<(), String> {
        let total: u64 = pieces.iter().map(|piece| u64::from(piece.count)).sum();
        let (first, limit) = self.head();
        let end = first.saturating_add(total);
        self.is_not_cut()?;
        let fits = total > 0 && end <= limit;
        if !fits || !covers(pieces, first, total, seen) {
            return Err(format!(
                "law 1: a start of {} must name workgroups from {first} on, each once",
                self.launch.id
            ));
        }
        self.advance(total);
        Ok(())
    }

    /// Checks whether a workgroup, a bound one or the next one, may start on `cu` from wave `first`
    /// on. Returns whether the workgroup is bound.
    fn check_bound(&self, group: u64, cu: CuId, first: u16) -> Result<bool, String> {
        let id = self.launch.id;
        if let Some(bound) = self.bound.get(&group) {
            if bound.cu != cu || bound.started != first {
                return Err(format!(
                    "law 1: workgroup {group} of {id} goes on at wave {} on {}",
                    bound.started, bound.cu
                ));
            }
            return Ok(true);
        }
        if self.draining() {
            return Err(format!("law 1: {id} has no workgroup left to distribute"));
        }
        self.is_not_cut()?;
        let (next, _) = self.head();
        if group != next || first != 0 {
            return Err(format!("law 1: the next workgroup of {id} is {next}"));
        }
        Ok(false)
    }

    fn start_bound(&mut self, group: u64, cu: CuId, first: u16, count: u16) -> Result<(), String> {
        if !self.check_bound(group, cu, first)? {
            self.advance(1);
        }
        let started = first.saturating_add(count);
        if started < self.launch.demand.waves {
            self.bound.insert(group, Bound { cu, started });
        } else {
            self.bound.remove(&group);
        }
        Ok(())
    }

    /// Checks a start of a part of a workgroup. Law 8: the part is the next one of the next
    /// workgroup.
    fn check_cut(&self, first: u16, count: u16, pieces: &[Piece]) -> Result<(), String> {
        let (id, whole) = (self.launch.id, self.launch.demand.waves);
        if self.launch.barrier.possible() {
            return Err(format!("law 8: {id} is cut, whose waves may meet at a barrier"));
        }
        let next = !self.draining() && self.next < self.launch.workgroups;
        if !next || !matches!(*pieces, [Piece { first, count: 1, .. }] if first == self.next) {
            return Err(format!("law 8: {id} is cut: one piece of workgroup {} starts", self.next));
        }
        let end = u32::from(first) + u32::from(count);
        if first != self.cut || count == 0 || end > u32::from(whole) {
            return Err(format!(
                "law 8: workgroup {} of {id} was cut and goes on at wave {}",
                self.next, self.cut
            ));
        }
        Ok(())
    }

    fn start_cut(&mut self, first: u16, count: u16, pieces: &[Piece]) -> Result<(), String> {
        self.check_cut(first, count, pieces)?;
        self.cut += count;
        if self.cut == self.launch.demand.waves {
            self.cut = 0;
            self.next += 1;
        }
        Ok(())
    }

    /// Checks that no workgroup is partly cut. Law 8: while a workgroup that was cut waits for its
    /// next wave, nothing else of the launch starts.
    fn is_not_cut(&self) -> Result<(), String> {
        match self.cut {
            0 => Ok(()),
            wave => Err(format!(
                "law 8: workgroup {} of {} was cut and goes on at wave {wave}",
                self.next, self.launch.id
            )),
        }
    }

    /// Enters an assignment.
    pub(super) fn assign(&mut self, group: u64, cu: CuId) -> Result<(), String> {
        let (next, end) = self.head();
        if group != next || group >= end {
            return Err(format!("law 1: the next workgroup of {} is {next}", self.launch.id));
        }
        self.is_not_cut()?;
        self.advance(1);
        self.bound.insert(group, Bound { cu, started: 0 });
        Ok(())
    }

    pub(super) fn finished(&self) -> bool {
        self.ended >= self.launch.workgroups
    }
}

/// Returns whether the pieces name `next .. next + total`, each once. `seen` is scratch memory.
fn covers(pieces: &[Piece], next: u64, total: u64, seen: &mut Vec<u64>) -> bool {
    let (mut running, mut rest) = (next, pieces);
    while let Some((count, behind)) = phase(rest, running) {
        running = running.saturating_add(count);
        rest = behind;
    }
    if rest.is_empty() {
        return running - next == total;
    }
    let words = usize::try_from(total.div_ceil(64)).unwrap_or(usize::MAX);
    seen.clear();
    // The book has found room for all workgroups, so there are no more than a device holds.
    seen.resize(words, 0);
    pieces.iter().flat_map(|piece| piece.workgroups()).all(|group| {
        group.checked_sub(next).is_some_and(|offset| offset < total && mark(seen, offset))
    })
}

/// Takes the first pieces that together name workgroups from `next` on without a gap: one piece of
/// neighbours, or pieces that deal one workgroup to each of some units in turn, where the last turn
/// may end early. Returns the number of these workgroups, and the pieces behind.
fn phase(pieces: &[Piece], next: u64) -> Option<(u64, &[Piece])> {
    let &Piece { first, stride, count, .. } = pieces.first()?;
    if first != next || stride == 0 {
        return None;
    }
    if stride == 1 || count <= 1 {
        return Some((count.into(), &pieces[1..]));
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

/// Marks a bit. Returns whether the bit was clear.
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

    /// Does the work of `covers` by a sorted list of all named workgroups.
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
        }
    }

    #[test]
    fn two_twice_and_two_never_is_no_cover() {
        let twice = [0, 0, 3, 3].map(|first| piece(first, 1, 1));
        assert!(!covers(&twice, 0, 4, &mut Vec::new()));
    }
}
