//! Which lengths of workgroups does a pass (replay) begin with, which does it correct, and which
//! are the best so far, where some work is more urgent?
//!
//! An urgent kernel begins when workgroups of other kernels end, so its start depends on their
//! lengths. Passes begin near the recorded times, correct the lengths of one level after the other,
//! and set back lengths that fit each other but not the recording.

use raddle_policy::Level;

use super::Calibration;
use crate::outcome::Outcome;
use crate::plan::launch_rounds;

/// The most passes (replays of the recording) for a profile whose kernels have several levels of
/// urgency.
const MOST_PASSES: usize = 96;
/// The number of kernels that all passes (replays of the recording) together may replay; at least
/// [`LEAST_PASSES`] passes are made in any case.
const KERNELS: usize = 400_000;
const LEAST_PASSES: usize = 16;
/// The number of passes (replays) after which kernels that do not run as recorded are set back to
/// their first workgroup lengths (durations); `RESTARTS` is how often this is done.
const BEFORE_RESTART: usize = 40;
const RESTARTS: usize = 2;

/// The state of the passes (replays) over a profile with work of several levels of urgency.
#[derive(Clone, Debug)]
pub(super) struct Urgent {
    /// The level of urgency of each op (kernel, copy or fill) of the profile; empty where all
    /// kernels that ran side by side have one level.
    pub(super) levels: Vec<Level>,
    /// The levels of urgency, the most urgent first. Each pass (replay) corrects the workgroup
    /// lengths (durations) of one level, as less urgent kernels fill the room that this level
    /// leaves.
    turns: Vec<Level>,
    /// The index in `turns` of the level of urgency that this pass (replay) corrects; `calm` is the
    /// number of passes in a row, just before this one, that changed no length.
    turn: usize,
    calm: usize,
    /// The time in ns of one workgroup of each op (kernel, copy or fill) at the beginning of the
    /// first pass (replay).
    begun: Vec<u64>,
    /// The number of passes (replays) since lengths were last set back to `begun`; `restarts` is
    /// how many more times that may be done.
    since: usize,
    restarts: usize,
    /// The result of the best pass (replay) so far; `None` before the first pass: (sum of the
    /// errors of all starts and ends in ns, length in ns of a workgroup of each op).
    pub(super) best: Option<(u128, Vec<u64>)>,
}

impl Urgent {
    /// Returns the state of the passes (replays) before the first one. `levels` has the level of
    /// urgency of every op, `beside` the positions of the kernels that ran beside another one.
    pub(super) fn new(mut levels: Vec<Level>, beside: &[u32]) -> Self {
        let mut turns: Vec<Level> = beside.iter().map(|&at| levels[at as usize]).collect();
        turns.sort_unstable_by_key(|level| level.rank());
        turns.dedup();
        if turns.len() < 2 {
            levels.clear();
        }
        let (begun, best) = (Vec::new(), None);
        Self { levels, turns, turn: 0, calm: 0, begun, since: 0, restarts: RESTARTS, best }
    }

    /// Returns the largest number of passes (replays of the recording) by which the workgroup
    /// lengths (durations) of the kernels at the positions `beside`, which ran side by side, are
    /// improved.
    pub(super) fn passes(beside: &[u32]) -> usize {
        (KERNELS / beside.len().max(1)).clamp(LEAST_PASSES, MOST_PASSES)
    }

    /// Returns whether this pass (replay) corrects the length (duration) of the workgroups of the
    /// op (kernel, copy or fill) at `position`.
    pub(super) fn learns(&self, position: usize) -> bool {
        self.levels.get(position).is_none_or(|&level| level == self.turns[self.turn])
    }
}

impl Calibration<'_> {
    /// Calls `found` with every pair of kernels of different levels of urgency that ran side by
    /// side: (position of the more urgent one in the profile, position of the less urgent one).
    fn each_pair(&self, mut found: impl FnMut(usize, usize)) {
        let ops = &self.profile.ops;
        // By stream, the last kernel so far.
        let mut last: Vec<Option<usize>> = vec![None; self.profile.streams.len()];
        for &position in self.beside.iter().filter(|_| !self.urgent.levels.is_empty()) {
            let position = position as usize;
            last[ops[position].stream as usize] = Some(position);
            let runs = |before: &usize| ops[*before].end_ns() > ops[position].start_ns;
            for before in last.iter().flatten().copied().filter(runs) {
                let [own, other] = [position, before].map(|at| self.urgent.levels[at]);
                match (own.outranks(other), other.outranks(own)) {
                    (true, _) => found(position, before),
                    (_, true) => found(before, position),
                    _ => {}
                }
            }
        }
    }

    /// Subtracts from the workgroup lengths (durations) of each kernel the part of the device that
    /// more urgent kernels took while it ran. So the next replay begins near the recorded times;
    /// from far away, the small corrections of later passes (replays) would not reach the recorded
    /// times.
    pub(super) fn leave_out_more_urgent(&mut self) {
        let mut taken = vec![0u64; self.profile.ops.len()];
        // The time from the start of a kernel to the first start of an urgent one that waited for
        // it.
        let mut first: Vec<Option<u64>> = vec![None; taken.len()];
        self.each_pair(|urgent, other| {
            let (op, own) = (&self.profile.ops[urgent], &self.profile.ops[other]);
            let rounds = launch_rounds(op, self.own);
            let room = u128::from(rounds.count.saturating_mul(rounds.at_once).max(1));
            let ended = op.end_ns().min(own.end_ns());
            let beside = ended.saturating_sub(op.start_ns.max(own.start_ns));
            // No more than `beside`, as the rounds hold all workgroups.
            let part = (u128::from(beside) * u128::from(op.workgroups) / room) as u64;
            taken[other] = taken[other].saturating_add(part);
            if op.start_ns > self.ready(urgent).max(own.start_ns) {
                first[other].get_or_insert(op.start_ns - own.start_ns);
            }
        });
        for &position in &self.beside {
            let position = position as usize;
            let (op, whole) = (&self.profile.ops[position], self.whole[position]);
            let rounds = launch_rounds(op, self.own).count;
            let length = whole.saturating_sub(taken[position] / rounds).max(1);
            // An urgent kernel that waited begins where workgroups end.
            let length = first[position]
                .map_or(length, |at| at / (at.saturating_add(length / 2) / length).max(1));
            self.workgroups[position] = length.clamp(1, whole.max(1));
        }
        self.urgent.begun.clone_from(&self.workgroups);
    }

    /// Returns the earliest time in ns at which a kernel could have started if the device had had
    /// room: it was issued, and the op before it in its stream had ended.
    fn ready(&self, position: usize) -> u64 {
        let op = &self.profile.ops[position];
        op.arrival_ns.max(op.after.map_or(0, |after| self.profile.ops[after as usize].end_ns()))
    }

    /// Returns, for each kernel that ran beside others, the time in ns by which it is issued before
    /// its recorded start.
    ///
    /// An urgent kernel starts when workgroups of a less urgent kernel end. If these last a little
    /// too short in the replay, they end before the urgent kernel is issued, and the next
    /// workgroups of the less urgent kernel take the room for their whole length. So the urgent
    /// kernel is issued half of that length earlier, but not before it could start.
    pub(super) fn early(&self) -> Vec<u64> {
        let mut early = vec![None; self.profile.ops.len()];
        self.each_pair(|urgent, other| {
            let start = self.profile.ops[urgent].start_ns;
            let since = start.saturating_sub(self.profile.ops[other].start_ns);
            let half = since.min(self.workgroups[other] / 2);
            let half = half.min(start.saturating_sub(self.ready(urgent)));
            let least: &mut Option<u64> = &mut early[urgent];
            *least = Some(least.map_or(half, |other| other.min(half)));
        });
        self.beside.iter().map(|&at| early[at as usize].unwrap_or(0)).collect()
    }

    /// Goes on to the next level of urgency if this pass (replay) changed no workgroup length
    /// (`learnt` is false). `off` is true for each op (kernel, copy or fill) that did not run as
    /// recorded. Returns whether another pass would improve the lengths.
    pub(super) fn goes_on(&mut self, learnt: bool, off: &[bool]) -> bool {
        let urgent = &mut self.urgent;
        if learnt {
            urgent.calm = 0;
        } else {
            urgent.turn = (urgent.turn + 1) % urgent.turns.len();
            urgent.calm += 1;
        }
        urgent.since += 1;
        let settled = urgent.calm >= urgent.turns.len();
        if (settled || urgent.since >= BEFORE_RESTART) && urgent.restarts > 0 {
            return self.restart(off) || !settled;
        }
        !settled
    }

    /// Returns for each op (kernel, copy or fill) whether its start or end in the replay differs
    /// from the recording by more than a thousandth of its duration. Stores the present lengths if
    /// the sum of these differences is the least so far.
    pub(super) fn off(&mut self, outcome: &Outcome) -> Vec<bool> {
        let mut off = vec![false; self.profile.ops.len()];
        if self.urgent.levels.is_empty() {
            return off;
        }
        let mut sum = 0;
        for (&position, record) in self.beside.iter().zip(&outcome.records) {
            let op = &self.profile.ops[position as usize];
            let times = [(record.started, op.start_ns), (record.ended, op.end_ns())];
            let errors = times.map(|(found, recorded)| {
                found.map_or(op.duration_ns, |found| found.0.abs_diff(recorded))
            });
            off[position as usize] = errors.iter().any(|&error| error > op.duration_ns / 1000 + 1);
            sum += errors.map(u128::from).iter().sum::<u128>();
        }
        if self.urgent.best.as_ref().is_none_or(|(least, _)| sum < *least) {
            self.urgent.best = Some((sum, self.workgroups.clone()));
        }
        off
    }

    /// Sets the kernels that did not run as recorded (`off`), and the kernels that ran beside them,
    /// back to their first lengths: their present lengths may agree with each other and still not
    /// with the recording. Returns whether any kernel was set back.
    fn restart(&mut self, off: &[bool]) -> bool {
        let mut again = off.to_vec();
        self.each_pair(|urgent, other| {
            again[urgent] |= off[other];
            again[other] |= off[urgent];
        });
        for at in (0..again.len()).filter(|&at| again[at]) {
            self.workgroups[at] = self.urgent.begun[at];
        }
        let urgent = &mut self.urgent;
        (urgent.turn, urgent.calm, urgent.since) = (0, 0, 0);
        urgent.restarts -= 1;
        again.contains(&true)
    }
}
