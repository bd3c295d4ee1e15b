//! How long does a workgroup last, where a kernel ran beside others when it was recorded?
//!
//! A recorded duration has in it what neighbours cost. Divided by the rounds over the whole device,
//! and replayed beside the same neighbours, it pays for them twice. So the profile is replayed with
//! every op issued at its recorded start: what a kernel waits for room there, it also waited for in
//! the recording, and the rest of its recorded duration goes to the rounds that it needs in what is
//! left. Each pass knows better how long the neighbours last. Nothing is taken from this replay but
//! the lengths of workgroups; times are whole nanoseconds.

use raddle_device::Device;
use raddle_policy::Level;
use raddle_trace::{Op, OpKind, Profile};

use crate::outcome::{Outcome, Record};
use crate::plan::{PlanOptions, plan, whole_ns};
use crate::workload::{ProcessPlan, Task};

/// The lengths of the workgroups of a profile, and how they are found.
#[derive(Clone, Debug)]
pub struct Calibration<'p> {
    profile: &'p Profile,
    own: &'p Device,
    /// By op; 0 for copies, fills and what cannot run.
    whole: Vec<u64>,
    workgroups: Vec<u64>,
}

impl<'p> Calibration<'p> {
    /// So many passes are enough.
    pub const PASSES: usize = 2;

    /// `None` where no kernels ran side by side: then there is nothing to calibrate.
    #[must_use]
    pub fn new(profile: &'p Profile, own: &'p Device) -> Option<Self> {
        let mut end = 0;
        let kernels = || profile.ops.iter().filter(|op| op.kind == OpKind::Kernel);
        let beside = kernels().any(|op| {
            let beside = op.start_ns < end;
            end = end.max(op.end_ns());
            beside
        });
        let whole: Vec<u64> = profile.ops.iter().map(|op| whole_ns(op, own)).collect();
        beside.then(|| Self { profile, own, workgroups: whole.clone(), whole })
    }

    /// The profile with each op issued at its recorded start, to be run alone on its own device.
    pub fn plan(&self, level: impl Fn(&Op) -> Level) -> ProcessPlan {
        let options = PlanOptions {
            workgroups: Some(&self.workgroups),
            waits: crate::WaitRule::None,
            ..PlanOptions::new(self.own, self.own)
        };
        let planned = plan(self.profile, &options, level);
        let pinned = planned.tasks.iter().zip(&self.profile.ops).map(|(task, op)| {
            let arrival = raddle_policy::Ticks(op.start_ns);
            Task { arrival, after: None, ..*task }
        });
        ProcessPlan { span: planned.span, ..ProcessPlan::new(&planned.name, pinned.collect()) }
    }

    /// Takes from such a run how long workgroups last.
    pub fn learn(&mut self, outcome: &Outcome) {
        let lengths = self.workgroups.iter_mut().zip(&self.whole);
        for ((op, (length, &whole)), record) in
            self.profile.ops.iter().zip(lengths).zip(&outcome.records)
        {
            *length = learned(op, *length, record).unwrap_or(*length).clamp(1, whole.max(1));
        }
    }

    /// By op, how long a workgroup lasts on its own device, in ns.
    #[must_use]
    pub fn into_workgroups(self) -> Vec<u64> {
        self.workgroups
    }
}

/// What is left of the recorded duration for as many rounds as the run took.
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
