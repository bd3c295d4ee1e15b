//! How long does a workgroup last, where a kernel ran beside others when it was recorded?
//!
//! A recorded duration includes the time that neighbours (kernels beside this one) cost. Divided by
//! the rounds over the whole device, and replayed beside the same neighbours, it would count that
//! time twice. So the kernels that ran side by side are replayed, each issued at its recorded
//! start. The time for which a kernel waits for room in the replay was such a wait in the recording
//! too; the rest of its recorded duration goes to the rounds that it needs in the room that is
//! left. Each pass (replay) knows better how long neighbours last. Only lengths of workgroups are
//! taken from the passes, in whole nanoseconds. `urgent` is about kernels of several levels of
//! urgency.

mod urgent;

use raddle_device::Device;
use raddle_policy::{Level, Ticks};
use raddle_trace::{Op, OpKind, Profile};

use crate::figures::round;
use crate::outcome::{Outcome, Record};
use crate::plan::{PlanConfig, plan, whole_ns};
use crate::workload::{ProcessPlan, Task};
use urgent::Urgent;

/// A search for the lengths (durations) of a profile's workgroups, by replays of the kernels that
/// ran side by side when they were recorded.
#[derive(Clone, Debug)]
pub struct Calibration<'p> {
    profile: &'p Profile,
    own: &'p Device,
    /// The positions in the profile, ascending, of the kernels that ran beside another kernel when
    /// recorded and that can run in a replay.
    beside: Vec<u32>,
    /// The time in ns of one workgroup of each op (kernel, copy or fill), as if its kernel had run
    /// alone: the recorded duration, divided by the number of rounds that the kernel's workgroups
    /// take when as many run at a time as fit on the device. 0 for copies, fills and kernels that
    /// cannot run.
    whole: Vec<u64>,
    workgroups: Vec<u64>,
    uncalibrated: Option<f64>,
    urgent: Urgent,
}

impl<'p> Calibration<'p> {
    /// The most passes (replays of the recording) that improve the lengths (durations) of
    /// workgroups, where all work has one level of urgency.
    pub const PASSES: usize = 4;

    /// Returns a calibration that begins with workgroup lengths (durations in ns) derived from the
    /// recording; `level` returns how urgent an op (kernel, copy or fill) is. `None` where no
    /// kernels ran side by side: then the derived lengths are right already.
    #[must_use]
    pub fn new(
        profile: &'p Profile,
        own: &'p Device,
        level: impl Fn(&Op) -> Level,
    ) -> Option<Self> {
        let whole: Vec<u64> =
            (0..profile.ops.len()).map(|position| whole_ns(profile, position, own)).collect();
        let beside = beside(&profile.ops, &whole);
        let levels = profile.ops.iter().map(level).collect();
        let (urgent, workgroups) = (Urgent::new(levels, &beside), whole.clone());
        let calibration =
            Self { profile, own, beside, whole, workgroups, uncalibrated: None, urgent };
        (!calibration.beside.is_empty()).then_some(calibration)
    }

    /// Returns the most passes (replays of the recording) that a caller should make to improve the
    /// lengths (durations) of workgroups; [`Self::learn`] says when fewer are enough.
    #[must_use]
    pub fn passes(&self) -> usize {
        if self.urgent.levels.is_empty() { Self::PASSES } else { Urgent::passes(&self.beside) }
    }

    /// Returns the process for the next pass (a replay alone on the device of the recording): the
    /// kernels that ran side by side, each issued at its recorded start, or a little earlier where
    /// some kernels are more urgent.
    #[must_use]
    pub fn plan(&self) -> ProcessPlan {
        let options = PlanConfig {
            workgroups: Some(&self.workgroups),
            waits: crate::WaitRule::None,
            ..PlanConfig::new(self.own, self.own)
        };
        let level = |position: usize| self.urgent.levels.get(position).copied().unwrap_or_default();
        let planned = plan(self.profile, &options, |_| Level::default());
        let early = self.early();
        let pinned = self.beside.iter().zip(early).map(|(&position, early)| {
            let position = position as usize;
            let arrival = Ticks(self.profile.ops[position].start_ns - early);
            Task { arrival, level: level(position), after: None, ..planned.tasks[position] }
        });
        ProcessPlan { span: planned.span, ..ProcessPlan::new(&planned.name, pinned.collect()) }
    }

    /// Corrects the lengths (durations) of workgroups by the outcome of a replay of [`Self::plan`].
    /// Returns whether another pass (replay) would improve them, which is so if this pass changed
    /// the kernels' time by more than a thousandth. Where some kernels are more urgent than others,
    /// a much smaller change is enough.
    pub fn learn(&mut self, outcome: &Outcome) -> bool {
        let (mut changed, mut all) = (0, 0);
        if self.uncalibrated.is_none() {
            self.uncalibrated = Some(difference(&self.profile.ops, &self.beside, outcome));
            if !self.urgent.levels.is_empty() {
                self.leave_out_more_urgent();
                return true;
            }
        }
        let off = self.off(outcome);
        for (&position, record) in self.beside.iter().zip(&outcome.records) {
            let position = position as usize;
            if !self.urgent.learns(position) {
                continue;
            }
            let (op, whole) = (&self.profile.ops[position], self.whole[position].max(1));
            let length = &mut self.workgroups[position];
            let before = std::mem::replace(
                length,
                learned(op, *length, record).unwrap_or(*length).clamp(1, whole),
            );
            let share = u128::from(op.duration_ns) * u128::from(length.abs_diff(before));
            changed += share / u128::from(whole);
            all += u128::from(op.duration_ns);
        }
        if self.urgent.levels.is_empty() {
            return changed * 1000 > all;
        }
        self.goes_on(changed * 100_000 > all, &off)
    }

    /// Returns the error of a replay without calibration: by how much longer the device was busy
    /// with kernels in the first pass (replay) than in the recording, as a fraction of the recorded
    /// busy time. `None` before the first pass.
    #[must_use]
    pub const fn uncalibrated(&self) -> Option<f64> {
        self.uncalibrated
    }

    /// Returns the best lengths found: for each op (kernel, copy or fill), the time in ns of one
    /// workgroup on the device of the recording.
    #[must_use]
    pub fn into_workgroups(self) -> Vec<u64> {
        self.urgent.best.map_or(self.workgroups, |(_, best)| best)
    }
}

/// Returns the positions of the kernels that ran beside another kernel and that can run. `ops` are
/// in the order of their starts; `whole` has the time of a workgroup of each op, 0 for an op that
/// cannot run.
fn beside(ops: &[Op], whole: &[u64]) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    // The kernel that ends last so far.
    let mut longest: Option<(u32, u64)> = None;
    for (position, op) in (0..).zip(ops) {
        if whole[position as usize] == 0 {
            continue;
        }
        // An op does not run beside the op that it waits for.
        let beside = |&(before, end): &(u32, u64)| op.start_ns < end && op.after != Some(before);
        if let Some((before, _)) = longest.filter(beside) {
            found.extend([before, position]);
        }
        if longest.is_none_or(|(_, end)| op.end_ns() >= end) {
            longest = Some((position, op.end_ns()));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Returns by how much longer the device is busy with kernels than recorded, if the kernels at the
/// positions `beside` run as in `outcome` and all others as recorded; as a fraction of the recorded
/// busy time.
fn difference(ops: &[Op], beside: &[u32], outcome: &Outcome) -> f64 {
    let recorded = |op: &Op| (op.start_ns, op.end_ns());
    let all = || ops.iter().filter(|op| op.kind == OpKind::Kernel);
    let apart = (0..).zip(ops).filter(|(position, op)| {
        op.kind == OpKind::Kernel && beside.binary_search(position).is_err()
    });
    let ran = outcome.records.iter().filter_map(|one| Some((one.started?.0, one.ended?.0)));
    let before = union(all().map(recorded).collect());
    let after = union(apart.map(|(_, op)| recorded(op)).chain(ran).collect());
    if before == 0 {
        return 0.0;
    }
    // Adding 0 makes -0 of what rounds to nothing a plain 0.
    round((i128::from(after) - i128::from(before)) as f64 / before as f64) + 0.0
}

/// Returns the time in ns that the spans (start, end) cover, where overlapping parts count once.
fn union(mut spans: Vec<(u64, u64)>) -> u64 {
    spans.sort_unstable();
    let (mut sum, mut last) = (0, 0);
    for (start, end) in spans {
        sum += end.saturating_sub(start.max(last));
        last = last.max(end);
    }
    sum
}

/// Returns the new length (duration) of a workgroup in ns. It is the old one, `length`, scaled so
/// that the kernel runs for its recorded duration, less the time for which it waited for room in
/// the replay. `None` where nothing is left, or the kernel did not run.
fn learned(op: &Op, length: u64, record: &Record) -> Option<u64> {
    let (started, ended) = (record.started?.0, record.ended?.0);
    let waited = started.saturating_sub(op.start_ns);
    let (left, lasted) = (op.duration_ns.checked_sub(waited)?, ended.checked_sub(started)?);
    if left == 0 || lasted == 0 || op.kind != OpKind::Kernel {
        return None;
    }
    let scaled =
        (u128::from(length) * u128::from(left) + u128::from(lasted / 2)) / u128::from(lasted);
    u64::try_from(scaled).ok()
}
