//! Which launches, with which workgroups and times, does a profile become on the device of a
//! replay?
//!
//! The cost model: a workgroup lasts `launch duration / ceil(workgroups / (CUs x residency))` on
//! the profile's own device, rounded to the nearest nanosecond and at least 1; on another device it
//! lasts as long, or is scaled ([`TimeScale`]). Copies and fills last as long as recorded; those
//! between host and device take turns at the copy engine of their direction, those inside the
//! device keep it busy, but take no wave slots.

use raddle_device::Device;
use raddle_dispatch::DeviceCosts;
#[cfg(feature = "recipes")]
use raddle_dispatch::{PreemptRuntime, Recipe};
use raddle_policy::{Cus, Demand, KernelCall, Level, Resource, StreamId, Ticks};
use raddle_trace::{Op, OpKind, Profile, StreamWait};

use crate::error::SimError;
use crate::hardware_queues;
use crate::issues::issues;
use crate::op_needs::at_once;
use crate::pauses::HostPause;
use crate::scaling::TimeScale;
use crate::unfit::why_not;
use crate::workload::{LaunchLatency, ProcessPlan, Task, TaskWait, Work, Workload};
use crate::{copy_engines, opaque};

/// The costs of preempting work on a device, in ticks and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// The ticks from raising a preemption flag until launches that start can see it.
    pub flag: Ticks,
    /// The ticks that a launch takes to start, see the raised preemption flag and leave.
    pub exit: Ticks,
    /// The ticks that testing the preemption flag takes in every workgroup.
    pub check: Ticks,
    /// The ticks from the beginning of a reset (killing of running launches) to its end.
    pub reset: Ticks,
    /// The fixed ticks of a save or a restore of a process, in addition to the time for the bytes
    /// that are moved.
    pub switch: Ticks,
    /// The fewest bytes that count as moved in a save or a restore of a process.
    pub switch_bytes: u64,
    /// The ticks that the device takes to switch to a process, where work of another process
    /// started last.
    pub load: Ticks,
    /// The bytes of context (registers and LDS) that are saved or restored in a microsecond, at
    /// least 1.
    pub context_bytes_per_us: u64,
}

impl Costs {
    /// Returns the costs of a device by the device table; an unknown cost is 0 ticks.
    #[must_use]
    pub fn of(device: &Device) -> Self {
        Self {
            flag: Ticks(device.flag_ns.unwrap_or(0)),
            exit: Ticks(device.exit_ns.unwrap_or(0)),
            check: Ticks(device.check_ns.unwrap_or(0)),
            reset: Ticks(device.reset_ns),
            switch: Ticks(device.switch_ns.unwrap_or(0)),
            context_bytes_per_us: device.memory_bytes_per_us.max(1),
            ..Self::default()
        }
    }

    /// Returns these costs of a device, each replaced by the one that the recipe gives, if any.
    /// `check` is 0 where the recipe tests no preemption flag.
    #[cfg(feature = "recipes")]
    #[must_use]
    pub fn under(self, recipe: &Recipe) -> Self {
        let given = recipe.runtime;
        let or = |given: Option<u64>, device: Ticks| given.map_or(device, Ticks);
        Self {
            flag: or(given.flag_ns, self.flag),
            exit: or(given.exit_ns, self.exit),
            check: if recipe.tests_flag() { or(given.check_ns, self.check) } else { Ticks::ZERO },
            reset: or(given.reset_ns, self.reset),
            switch: or(given.switch_ns, self.switch),
            switch_bytes: given.switch_bytes.unwrap_or(self.switch_bytes),
            load: or(given.load_ns, self.load),
            ..self
        }
    }

    /// Returns the ticks that moving `bytes` bytes of context (registers and LDS) takes, rounded
    /// up.
    #[must_use]
    pub fn moving(&self, bytes: u64) -> Ticks {
        raddle_device::moving(bytes, self.context_bytes_per_us)
    }
}

/// Returns the preemption costs of a device by the device table, in the form for a preempt policy
/// that weighs costs.
#[must_use]
pub fn device_costs(device: &Device) -> DeviceCosts {
    let granules = &device.granules;
    let bytes = |each: u32, of: u32| each.saturating_mul(of);
    let lane = bytes(granules.vgprs_per_lane, REGISTER_BYTES);
    DeviceCosts {
        flag_ns: device.flag_ns,
        exit_ns: device.exit_ns,
        reset_ns: device.reset_ns,
        switch_ns: device.switch_ns,
        switch_bytes: None,
        bytes_per_us: device.memory_bytes_per_us.max(1),
        vgpr_bytes: bytes(lane, device.wave_size),
        sgpr_bytes: bytes(granules.sgprs, REGISTER_BYTES),
        lds_bytes: granules.lds_bytes,
    }
}

/// Returns the preemption costs of a device by the device table, in the form that a recipe takes;
/// an unknown cost is `None`.
#[cfg(feature = "recipes")]
#[must_use]
pub fn device_runtime(device: &Device) -> PreemptRuntime {
    PreemptRuntime {
        scope: None,
        flag_ns: device.flag_ns,
        exit_ns: device.exit_ns,
        check_ns: device.check_ns,
        reset_ns: Some(device.reset_ns),
        switch_ns: device.switch_ns,
        switch_bytes: None,
        load_ns: None,
    }
}

/// The number of bytes of a 32-bit register.
const REGISTER_BYTES: u32 = 4;

/// The settings by which a recorded profile becomes a process of a simulated run.
#[derive(Clone, Copy, Debug)]
pub struct PlanConfig<'a> {
    /// The device on which the profile was recorded.
    pub own: &'a Device,
    /// The device on which the profile is replayed.
    pub target: &'a Device,
    /// The time at which the process joins the run, in ticks from the run's begin.
    pub start: Ticks,
    /// The share of the process, 1 or more: a factor of its weight where a policy divides the
    /// device among processes.
    pub share: u32,
    /// The factor by which the recorded time of a workgroup is scaled for the target device.
    pub scale: TimeScale,
    /// The time in ns of one workgroup of each op on the device of the recording, as calibrated
    /// ([`Calibration`](crate::Calibration)); with `None` the times follow from the recorded
    /// durations.
    pub workgroups: Option<&'a [u64]>,
    /// The rule that says which recorded waits of one stream for another are kept in the replay.
    pub waits: WaitRule,
    /// The ticks until a launch, copy or fill can start: counted from its issue, and from the end
    /// of the last work for which it waits.
    pub latency: LaunchLatency,
    /// The number of hardware queues of the process; `None` takes the number that the device has.
    pub queues: Option<u16>,
    /// True if an op whose issue was not recorded is issued together with the op before it in its
    /// stream, so that the recorded gap between the two closes.
    pub queued: bool,
}

/// The rule that says which waits of a profile's streams for other streams a replay keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WaitRule {
    /// No recorded wait of one stream for another is kept: the streams run beside each other.
    None,
    /// Waits between streams are kept if the profile records the op that is waited for.
    Recorded,
    /// Waits between streams are kept if the profile records the op that is waited for, or if that
    /// op is inferred from the place at which the stream waits.
    #[default]
    Inferred,
}

impl WaitRule {
    /// Returns the word for this rule (which waits of one stream for another are kept), as options
    /// and results spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Recorded => "recorded",
            Self::Inferred => "inferred",
        }
    }

    /// Returns the waits of a profile's streams for other streams that this rule keeps, ordered by
    /// the waiting op.
    pub fn of(self, profile: &Profile) -> impl Iterator<Item = &StreamWait> {
        let holds = move |wait: &&StreamWait| match self {
            Self::None => false,
            Self::Recorded => !wait.inferred,
            Self::Inferred => true,
        };
        profile.stream_waits.iter().filter(holds)
    }
}

impl<'a> PlanConfig<'a> {
    /// Returns the settings for a replay on device `target` of a profile recorded on device `own`,
    /// from time 0 on, with share 1 and unscaled times.
    #[must_use]
    pub fn new(own: &'a Device, target: &'a Device) -> Self {
        Self {
            own,
            target,
            start: Ticks::ZERO,
            share: 1,
            scale: TimeScale::default(),
            workgroups: None,
            waits: WaitRule::default(),
            latency: LaunchLatency::default(),
            queues: None,
            queued: false,
        }
    }

    /// Returns the waits of ops for ops of other streams, ordered by the waiting op: the waits that
    /// the rule `waits` keeps, and the waits that arise as streams share a hardware queue of the
    /// target. Waits within a stream ([`Op::after`]) are not in the list.
    #[must_use]
    pub fn waits_of(&self, profile: &Profile) -> Vec<TaskWait> {
        let mut waits = self.stream_waits(profile);
        hardware_queues::share(profile, self.target, self.queues, &mut waits);
        waits
    }

    /// Returns `queues`, the number of hardware queues to assume when times are fitted to the
    /// recording, if the recorded launches can have run with that number. Otherwise returns `None`,
    /// which stands for the number that the device has.
    #[must_use]
    pub fn queues_of_recording(&self, profile: &Profile) -> Option<u16> {
        let waits = self.stream_waits(profile);
        let agree = |queues: &u16| hardware_queues::agree(profile, self.own, *queues, &waits);
        self.queues.filter(agree)
    }

    /// Returns the waits of streams for other streams that the rule `waits` keeps, ordered by the
    /// waiting op.
    fn stream_waits(&self, profile: &Profile) -> Vec<TaskWait> {
        let waits = self.waits.of(profile);
        waits.map(|wait| TaskWait { task: wait.op, source: wait.source }).collect()
    }
}

/// Returns the process that replays a profile; `level` returns how urgent an op is.
///
/// Tasks that can never run on the target device stay in the process, and are refused when they
/// arrive.
pub fn plan(
    profile: &Profile,
    options: &PlanConfig<'_>,
    level: impl Fn(&Op) -> Level,
) -> ProcessPlan {
    let opaque = opaque::workgroups(profile, options.target);
    let copies = copy_engines::lengths(profile);
    let waits = options.waits_of(profile);
    let issues = issues(profile, &waits, options.queued);
    let task = |(position, (op, call)): (usize, (&Op, KernelCall))| Task {
        stream: StreamId(op.stream),
        level: level(op),
        arrival: issues[position].0,
        after: op.after,
        gap: issues[position].1,
        idempotent: op.idempotent,
        activity: op.activity,
        call,
        peers: collective(profile, position).map(|_| Ticks(op.end_ns())),
        work: match (copies[position], opaque.get(position), collective(profile, position)) {
            (Some((direction, ns)), ..) => {
                Work::Copy { lasts: Ticks(ns), direction: Some(direction) }
            }
            (_, Some(&workgroups @ 1..), duration_ns) => {
                let duration_ns = duration_ns.unwrap_or_else(|| profile.own_ns(position));
                opaque::work(options.scale.apply(duration_ns), workgroups, options.target)
            }
            (.., Some(duration_ns)) => work(&Op { duration_ns, ..*op }, None, options),
            (.., None) => work(&own(profile, position, op), calibrated(options, position), options),
        },
    };
    let tasks = profile.ops.iter().zip(kernel_calls(profile)).enumerate().map(task).collect();
    ProcessPlan {
        streams: profile.streams.len() as u32,
        waits,
        latency: options.latency,
        span: Ticks(profile.span_ns.max(1)),
        start: options.start,
        share: options.share.max(1),
        ..ProcessPlan::new(&profile.name, tasks)
    }
}

/// Returns the call by which the host of a profile launched each op; [`KernelCall::UNKNOWN`] for
/// copies and fills.
///
/// The call also says whether the launch is behind a copy: a copy or fill is directly before it in
/// its stream. For the first launch of a stream this is so if the stream ends with a copy, which
/// comes before it when the profile repeats.
pub fn kernel_calls(profile: &Profile) -> impl Iterator<Item = KernelCall> {
    let mut copied = vec![false; profile.streams.len()];
    for op in &profile.ops {
        copied[op.stream as usize] = op.kind != OpKind::Kernel;
    }
    profile.ops.iter().map(move |op| {
        let copied = &mut copied[op.stream as usize];
        if op.kind != OpKind::Kernel {
            *copied = true;
            return KernelCall::UNKNOWN;
        }
        KernelCall {
            kernel: op.kernel.saturating_add(1),
            grid: op.grid,
            threads: op.footprint.threads,
            lds_bytes: op.footprint.lds_bytes,
            behind_copy: std::mem::take(copied),
        }
    })
}

/// Returns the waits of a profile's host for the device, as [`ProcessPlan::closed`] takes them;
/// waits whose ops are unknown are left out.
#[must_use]
pub fn host_pauses(profile: &Profile) -> Vec<HostPause> {
    let pauses = profile.host_waits.iter().filter_map(|wait| {
        let tasks = wait.ops.clone()?;
        let ops = tasks.iter().filter_map(|&op| profile.ops.get(op as usize));
        let ended = ops.map(Op::end_ns).max().unwrap_or(0).max(wait.begin_ns);
        let tail = Ticks(wait.end_ns.saturating_sub(ended));
        let (begins, returns) = (Ticks(wait.begin_ns), Ticks(wait.end_ns));
        Some(HostPause { begins, returns, tail, tasks })
    });
    pauses.collect()
}

impl Workload {
    /// Checks that at least one launch of the workload can run on the device `target`.
    ///
    /// # Errors
    /// When the workload has launches and none of them can ever run on the target.
    pub fn check(&self, target: &Device) -> Result<(), SimError> {
        let tasks = self.processes.iter().flat_map(|plan| &plan.tasks);
        let launches = tasks.filter(|task| !matches!(task.work, Work::Copy { .. })).count();
        let mut refused = self.never_run(target);
        let Some((.., first)) = refused.next() else { return Ok(()) };
        if 1 + refused.count() < launches {
            return Ok(());
        }
        Err(SimError::NothingRuns { launches, device: target.product.clone(), first })
    }

    /// Returns the launches that can never run on the device `target`, whatever the policy: (index
    /// of the process, index of the launch in its plan, reason in words).
    pub fn never_run(&self, target: &Device) -> impl Iterator<Item = (usize, usize, String)> {
        let cus = Cus::new(target.shape, 1);
        let tasks = self.processes.iter().enumerate().flat_map(|(process, plan)| {
            plan.tasks.iter().enumerate().map(move |(position, task)| (process, position, task))
        });
        tasks.filter_map(move |(process, position, task)| {
            Some((process, position, why_not(&cus, task, target)?))
        })
    }
}

/// Returns the time in ns that a collective op works by itself, without waiting for its peers on
/// other devices; `None` for an op without peers.
fn collective(profile: &Profile, position: usize) -> Option<u64> {
    let all = &profile.collectives;
    let at = all.binary_search_by_key(&position, |it| it.op as usize).ok()?;
    Some(all[at].work_ns)
}

/// Returns a copy of an op that lasts only as long as the op ran after the end of the op for which
/// it waited. In a recording the two may overlap.
fn own(profile: &Profile, position: usize, op: &Op) -> Op {
    Op { duration_ns: profile.own_ns(position), ..*op }
}

/// Returns the calibrated time in ns of one workgroup of the op with the index `position`, on the
/// device of the recording; `None` where it was not calibrated.
fn calibrated(options: &PlanConfig<'_>, position: usize) -> Option<u64> {
    options.workgroups?.get(position).copied()
}

fn work(op: &Op, calibrated: Option<u64>, options: &PlanConfig<'_>) -> Work {
    if op.kind != OpKind::Kernel {
        return Work::Copy { lasts: Ticks(op.duration_ns.max(1)), direction: None };
    }
    // An empty grid is refused whatever its workgroups ask, which may then be nothing.
    let demand = match options.target.demand(&op.footprint) {
        Ok(demand) => demand,
        Err(_) if op.workgroups == 0 => Demand { waves: 1, ..Demand::default() },
        Err(unfit) => {
            return Work::Unfit {
                resource: unfit.resource,
                wanted: unfit.wanted,
                available: unfit.available,
            };
        }
    };
    let rounds = launch_rounds(op, options.own);
    // A round takes a nanosecond at least; more rounds than that are no profile of a device. The
    // second bound keeps a replay finite for durations that nobody can have measured.
    let most = op.duration_ns.clamp(1, MOST_ROUNDS);
    if rounds.count > most {
        let (wanted, available) = (op.workgroups, rounds.at_once.saturating_mul(most));
        return Work::Unfit { resource: Resource::Grid, wanted, available };
    }
    let whole = || op.duration_ns.saturating_add(rounds.count / 2) / rounds.count;
    Work::Kernel {
        workgroups: with_gaps(op, options.target),
        workgroup: Ticks(options.scale.apply(calibrated.unwrap_or_else(whole))),
        demand,
        barrier: op.footprint.barrier,
        context_bytes: options.target.context_bytes(&demand),
    }
}

/// The most rounds of one launch; a round is as many workgroups as fit on the device at once. At a
/// nanosecond a round they last over four seconds.
const MOST_ROUNDS: u64 = 1 << 32;

/// The rounds in which a launch's workgroups run on the device of the recording: the number of
/// rounds, and the number of workgroups in each.
pub(crate) struct LaunchRounds {
    pub(crate) count: u64,
    pub(crate) at_once: u64,
}

pub(crate) fn launch_rounds(op: &Op, own: &Device) -> LaunchRounds {
    let at_once = at_once(op, own);
    LaunchRounds { count: op.workgroups.div_ceil(at_once).max(1), at_once }
}

/// Returns the number of workgroups of a launch, plus one for each workgroup slot that its clusters
/// leave empty in each full round (as many workgroups as fit at once). Such a slot costs as much
/// time as a workgroup.
fn with_gaps(op: &Op, target: &Device) -> u64 {
    let resident = target.residency(&op.footprint).workgroups().max(1);
    let (all, held) = (target.at_once(resident, 1), at_once(op, target));
    let full = op.workgroups / held;
    op.workgroups.saturating_add(full.saturating_mul(all.saturating_sub(held)))
}

/// Returns the time in ns that one workgroup of a kernel lasts on the device of the recording, if
/// the kernel ran alone, in rounds of as many workgroups as fit. `position` is the index of the op
/// in the profile. Returns 0 for an op that is no kernel or cannot run.
pub(crate) fn whole_ns(profile: &Profile, position: usize, device: &Device) -> u64 {
    let Some(op) = profile.ops.get(position) else { return 0 };
    match work(&own(profile, position, op), None, &PlanConfig::new(device, device)) {
        Work::Kernel { workgroup, .. } => workgroup.0,
        _ => 0,
    }
}

impl PlanConfig<'_> {
    /// Returns the time in ns that an op lasts in a replay on the device of its recording if
    /// nothing delays it. A kernel lasts whole rounds of workgroups (as many as fit at once). With
    /// calibrated workgroups, or with peers on other devices, an op lasts as recorded. `position`
    /// is the index of the op in the profile; returns 0 where there is none.
    #[must_use]
    pub fn planned_ns(&self, profile: &Profile, position: usize) -> u64 {
        let Some(op) = profile.ops.get(position) else { return 0 };
        let is_collective = collective(profile, position).is_some();
        if op.is_opaque() || self.workgroups.is_some() || is_collective {
            return if is_collective { op.duration_ns } else { profile.own_ns(position) };
        }
        let op = &own(profile, position, op);
        match work(op, None, &PlanConfig::new(self.own, self.own)) {
            Work::Kernel { workgroup, .. } => {
                workgroup.0.saturating_mul(launch_rounds(op, self.own).count)
            }
            Work::Copy { lasts, .. } => lasts.0,
            Work::Unfit { .. } => op.duration_ns,
        }
    }
}
