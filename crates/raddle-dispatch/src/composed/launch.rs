//! What does the dispatcher know of one launch?

use std::collections::BTreeMap;

use raddle_policy::{CuId, Launch, Lifted, Piece, ReadyLaunch, TakeOff, Tick, WaveSpan};

/// Where a launch is between becoming ready and ending.
#[derive(Debug)]
pub(super) enum Stage {
    /// Ready, in its process's buffer.
    Buffered,
    /// Submitted; the device sees it at that tick.
    Travelling(Tick),
    /// On the device: workgroups may start.
    OnDevice,
    /// Asked to leave, not gone yet.
    Leaving(TakeOff),
    /// Gone as asked; what was saved, if anything.
    Held(Option<Lifted>),
    /// Asked to come back.
    Returning,
}

/// One launch that has not ended.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) launch: Launch,
    pub(super) stage: Stage,
    /// Order of readiness, over all processes.
    pub(super) order: u64,
    /// Order of submission, over all processes.
    pub(super) submission: u64,
    pub(super) submitted: Tick,
    /// The lowest workgroup neither started nor assigned.
    pub(super) next: u64,
    /// Workgroups that have ended.
    pub(super) ended: u64,
    /// Workgroups assigned or partly started: where, and how many waves started and ended.
    pub(super) bound: BTreeMap<u64, Bound>,
}

/// A workgroup that does not start as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) cu: CuId,
    pub(super) started: u16,
    pub(super) ended: u16,
}

impl Known {
    pub(super) fn new(launch: Launch, order: u64, now: Tick) -> Self {
        Self {
            launch,
            stage: Stage::Buffered,
            order,
            submission: 0,
            submitted: now,
            next: 0,
            ended: 0,
            bound: BTreeMap::new(),
        }
    }

    /// Back to the state before its first workgroup.
    pub(super) fn rewind(&mut self) {
        self.next = 0;
        self.ended = 0;
        self.bound.clear();
    }

    pub(super) fn has_started(&self) -> bool {
        self.next > 0 || !self.bound.is_empty()
    }

    /// Assigned workgroups of which not all waves have started.
    pub(super) fn waiting(&self) -> u64 {
        let waves = self.launch.demand.waves;
        self.bound.values().filter(|bound| bound.started < waves).count() as u64
    }

    pub(super) fn entry(&self) -> ReadyLaunch {
        ReadyLaunch {
            launch: self.launch,
            next: self.next,
            assigned: self.waiting(),
            submitted: self.submitted,
        }
    }

    /// Whether something of it has not started.
    pub(super) fn unstarted(&self) -> bool {
        self.next < self.launch.workgroups || self.waiting() > 0
    }

    /// Enters a start that the book has accepted; says which law it broke otherwise.
    pub(super) fn start(&mut self, waves: WaveSpan, pieces: &[Piece]) -> Result<(), String> {
        let whole = self.launch.demand.waves;
        let (first, count) = waves.bounds(whole);
        if count == whole && first == 0 && self.bound.is_empty() {
            return self.start_whole(waves, pieces);
        }
        for piece in pieces {
            for workgroup in piece.workgroups() {
                self.start_bound(workgroup, piece.cu, first, count)?;
            }
        }
        Ok(())
    }

    /// Law 1: the pieces cover `next .. next + n`, each workgroup once.
    fn start_whole(&mut self, waves: WaveSpan, pieces: &[Piece]) -> Result<(), String> {
        let total: u64 = pieces.iter().map(|piece| u64::from(piece.count)).sum();
        let end = self.next.saturating_add(total);
        let in_range = |piece: &Piece| {
            let last = u64::from(piece.count.saturating_sub(1)) * u64::from(piece.stride);
            piece.count > 0 && piece.first >= self.next && piece.first.saturating_add(last) < end
        };
        // Right count, right range and right sum: a gap or a double would need a twin elsewhere.
        // The test kit checks it to the letter.
        let sum: u128 = pieces.iter().map(sum_of).sum();
        let ends = (u128::from(self.next) + u128::from(end)).saturating_sub(1);
        let expected = u128::from(total) * ends / 2;
        let covered = pieces.iter().all(in_range) && (total == 0 || sum == expected);
        if total == 0 || end > self.launch.workgroups || !covered {
            return Err(format!(
                "law 1: a start of {} must name workgroups from {} on without a gap",
                self.launch.id, self.next
            ));
        }
        if let WaveSpan::Range { .. } = waves {
            for piece in pieces {
                for workgroup in piece.workgroups() {
                    let bound = Bound { cu: piece.cu, started: self.launch.demand.waves, ended: 0 };
                    self.bound.insert(workgroup, bound);
                }
            }
        }
        self.next = end;
        Ok(())
    }

    fn start_bound(&mut self, group: u64, cu: CuId, first: u16, count: u16) -> Result<(), String> {
        let id = self.launch.id;
        if let Some(bound) = self.bound.get_mut(&group) {
            if bound.cu != cu || bound.started != first {
                return Err(format!(
                    "law 1: workgroup {group} of {id} goes on at wave {} on {}",
                    bound.started, bound.cu
                ));
            }
            bound.started += count;
            return Ok(());
        }
        if group != self.next || first != 0 {
            return Err(format!("law 1: the next workgroup of {id} is {}", self.next));
        }
        self.next += 1;
        self.bound.insert(group, Bound { cu, started: count, ended: 0 });
        Ok(())
    }

    /// Enters an assignment.
    pub(super) fn assign(&mut self, group: u64, cu: CuId) -> Result<(), String> {
        if group != self.next || group >= self.launch.workgroups {
            return Err(format!("the next workgroup of {} is {}", self.launch.id, self.next));
        }
        self.next += 1;
        self.bound.insert(group, Bound { cu, started: 0, ended: 0 });
        Ok(())
    }

    /// Counts what ended; the book has checked that it was resident.
    pub(super) fn end(&mut self, waves: WaveSpan, pieces: &[Piece]) {
        let whole = self.launch.demand.waves;
        let (_, count) = waves.bounds(whole);
        if self.bound.is_empty() {
            self.ended += pieces.iter().map(|piece| u64::from(piece.count)).sum::<u64>();
            return;
        }
        for workgroup in pieces.iter().flat_map(|piece| piece.workgroups()) {
            let Some(bound) = self.bound.get_mut(&workgroup) else {
                self.ended += 1;
                continue;
            };
            bound.ended = bound.ended.saturating_add(count);
            if bound.ended >= whole {
                self.bound.remove(&workgroup);
                self.ended += 1;
            }
        }
    }

    pub(super) fn finished(&self) -> bool {
        self.ended >= self.launch.workgroups
    }
}

/// The sum of the workgroups that a piece names.
fn sum_of(piece: &Piece) -> u128 {
    let (count, stride) = (u128::from(piece.count), u128::from(piece.stride));
    count * u128::from(piece.first) + stride * (count * count.saturating_sub(1) / 2)
}
