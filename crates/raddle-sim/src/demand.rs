//! How much of the memory's bandwidth and of the compute units' pipes (execution pipelines) does
//! each launch want, and how long does it last on fewer compute units?
//!
//! The model of `docs/demand.md`: a launch has a need ([`KernelNeed`]: what it needs most) and from
//! that a rate, both known without hardware counters. Bandwidths are in bytes a microsecond, times
//! in nanoseconds. Everything that the engine reads here is a whole number.

use raddle_device::{Device, MemoryRates};
use raddle_policy::Ticks;
use raddle_trace::{KernelNeed, NeedSource, Op, OpKind, Profile};

use crate::op_needs::{OpNeed, at_once};

/// The demand of one launch, copy or fill for the bandwidth of the memory and for the pipes
/// (execution pipelines) of the compute units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TaskDemand {
    /// The resource that the launch needs most. Copies and fills need memory.
    pub need: KernelNeed,
    /// The bytes a microsecond that the launch would move if it had the whole device to itself.
    pub rate: u64,
    /// The part of `rate`, in bytes a microsecond, that reaches the memory which all processes
    /// share, so that other processes lose it; the rest is served by caches.
    pub shared: u64,
    /// The pipes (execution pipelines) that the launch uses with the whole device to itself, in
    /// millionths of all pipes of the device; 0 for a launch that does not need compute most.
    pub pipes: u64,
    /// The part of the device's pipes (execution pipelines) that are in compute units which the
    /// process may use, in millionths of all pipes; the launch cannot use more.
    pub pipes_there: u64,
    /// The number of workgroups of the launch that the device holds at once; at most as many as the
    /// launch has.
    pub full: u64,
    /// True if the launch has as many workgroups as the device runs at once, because its library
    /// sized the grid by the number of compute units.
    pub persistent: bool,
}

/// The demand of a process for memory bandwidth: the demands of its launches, and the memory that
/// they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessDemand {
    /// The demand of each launch, copy and fill of the process, by its index in the process's plan.
    pub tasks: Vec<TaskDemand>,
    /// The bandwidths, in bytes a microsecond, of the memory that the process uses: peak, reached
    /// by all compute units, and of one compute unit.
    pub memory: MemoryRates,
    /// The bytes that one compute unit moves in a microsecond for a launch of this process, as
    /// other processes notice it: [`MemoryRates::unit`], or more under [`UnitRate::Most`].
    pub unit_beside: u64,
    /// True if the other processes use another memory than this process, as in instances of MIG.
    /// Then they do not slow it down.
    pub apart: bool,
}

/// The figures by which the memory bandwidth that each launch wants is estimated, in thousandths of
/// the memory's peak bandwidth.
///
/// The figures were fitted to one decoder beside one training loop on an H200 at 20 requests a
/// second (`fixtures/h200`); for other programs and devices they are an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemandRule {
    /// The bandwidth that a launch which mostly needs memory wants, in thousandths of the memory's
    /// peak bandwidth.
    pub memory: u64,
    /// The bandwidth, in thousandths of the memory's peak bandwidth, that a launch which mostly
    /// needs compute wants while as many of its workgroups run as the device holds.
    pub compute: u64,
    /// The bandwidth that all compute units together reach, in thousandths of the memory's peak
    /// bandwidth; `None` takes the figure of the device.
    pub reached: Option<u64>,
    /// The choice of the rate at which one compute unit moves bytes: the expected figure of the
    /// device, or an end of its range of error.
    pub unit: UnitRate,
    /// The part of a launch's bytes, in thousandths, that reaches the memory which all processes
    /// share; caches serve the rest.
    pub shared: u64,
    /// The part of the pipes (execution pipelines) of its compute units, in thousandths, that a
    /// launch which mostly needs compute keeps busy while it has the whole device to itself.
    /// Launches of other processes on these units get at most the remaining pipes.
    pub pipes: u64,
    /// The need that is assumed for a launch whose need is unknown. If this is memory, it is also
    /// assumed for a matrix product of small tiles ([`NeedSource::SmallTile`]).
    pub unknown: KernelNeed,
}

/// The choice of the rate at which one compute unit moves bytes, within the range of error of the
/// device's figure.
///
/// A measured figure may be off by a tenth. A figure that is derived from the peak bandwidth of the
/// memory may be off by a half: few devices were measured, and compute units also move bytes that
/// caches serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitRate {
    /// The figure of the device itself, for every launch.
    Expected,
    /// The rates under which a launch loses least: a launch on few compute units moves more bytes
    /// on each of them than the device's figure says, and its neighbours move no more than the
    /// figure.
    Least,
    /// The rates under which a launch loses most: a launch on few compute units moves fewer bytes
    /// on each of them than the device's figure says, and its neighbours move more.
    Most,
}

impl UnitRate {
    /// Returns the bytes that one compute unit moves in a microsecond, in two cases: [for a launch
    /// that has only some of the compute units, for a launch that slows other processes down].
    fn of(self, memory: &MemoryRates) -> [u64; 2] {
        let percent = if memory.derived { 150 } else { 110 };
        let more = (memory.unit.saturating_mul(percent) / 100).min(memory.peak);
        let less = memory.unit.saturating_mul(100) / percent;
        match self {
            Self::Expected => [memory.unit; 2],
            Self::Least => [more, memory.unit],
            Self::Most => [less.max(1), more],
        }
    }
}

impl DemandRule {
    /// The rule with the expected bandwidths, for a device on which none were measured.
    pub const EXPECTED: Self = Self {
        memory: 800,
        compute: 250,
        reached: None,
        unit: UnitRate::Expected,
        shared: 1000,
        pipes: 1000,
        unknown: KernelNeed::Unknown,
    };
    /// The two ends of the range of figures that was tried (`docs/demand.md`): [launches lose least
    /// to neighbours, they lose most]. At the low end they lose nothing, because kernel names do
    /// not tell how much caches serve and how busy pipes (execution pipelines) are. At the high end
    /// a launch with an unknown need counts as one that needs memory.
    pub const BOUNDS: [Self; 2] = [
        Self {
            memory: 720,
            compute: 0,
            reached: Some(950),
            unit: UnitRate::Least,
            shared: 0,
            pipes: 0,
            unknown: KernelNeed::Unknown,
        },
        Self {
            memory: 850,
            compute: 500,
            reached: Some(800),
            unit: UnitRate::Most,
            shared: 1000,
            pipes: 1000,
            unknown: KernelNeed::Memory,
        },
    ];

    /// Returns the need with which a launch is simulated: the known need, else the one that is
    /// assumed. If the tensor shapes and the kernel's name disagree, and one of them says memory,
    /// that one is taken where neighbours are to cost most, and the other one where they are to
    /// cost least.
    fn assumed(&self, known: OpNeed) -> KernelNeed {
        if let Some(named) = known.named {
            let both = [known.need, named];
            let memory = both.iter().position(|need| *need == KernelNeed::Memory);
            return match (self.unit, memory) {
                (UnitRate::Most, Some(at)) => both[at],
                (UnitRate::Least, Some(at)) => both[1 - at],
                _ => known.need,
            };
        }
        match (known.need, known.source) {
            (KernelNeed::Unknown, _) => self.unknown,
            (_, NeedSource::SmallTile) if self.unknown == KernelNeed::Memory => self.unknown,
            (need, _) => need,
        }
    }

    /// Returns the bandwidth that a launch wants, in thousandths of the memory's peak. `usual` is
    /// the figure for its kind of need, `shaped` the one that follows from its tensor shapes. The
    /// expected rule takes `shaped` if there is one. The rule for the least cost takes the smaller
    /// of the two, the rule for the most cost the greater.
    fn permille(&self, usual: u64, shaped: Option<u64>) -> u64 {
        match (shaped, self.unit) {
            (None, _) => usual,
            (Some(shaped), UnitRate::Expected) => shaped,
            (Some(shaped), UnitRate::Least) => usual.min(shaped),
            (Some(shaped), UnitRate::Most) => usual.max(shaped),
        }
    }

    /// Returns the figures by which the memory bandwidth that launches want on a device is
    /// estimated: the device's own measured ones, where it has them, else [`Self::EXPECTED`].
    #[must_use]
    pub fn expected(device: &Device) -> Self {
        Self {
            memory: device.memory_permille.unwrap_or(Self::EXPECTED.memory),
            compute: device.compute_permille.unwrap_or(Self::EXPECTED.compute),
            ..Self::EXPECTED
        }
    }

    /// Returns, for a device, the figures under which launches lose [least, most] to their
    /// neighbours: [`Self::BOUNDS`], widened so that the device's own figures lie between them.
    #[must_use]
    pub fn bounds(device: &Device) -> [Self; 2] {
        let expected = Self::expected(device);
        let peak = u128::from(device.memory_bytes_per_us.max(1));
        let permille = |rate: u64| u64::try_from(u128::from(rate) * 1000 / peak).unwrap_or(1000);
        let own = device.reached_bytes_per_us.map(permille);
        let [least, most] = Self::BOUNDS;
        [
            Self {
                memory: least.memory.min(expected.memory),
                compute: least.compute.min(expected.compute),
                reached: least.reached.max(own),
                ..least
            },
            Self {
                memory: most.memory.max(expected.memory),
                compute: most.compute.max(expected.compute),
                reached: most.reached.map(|reached| own.unwrap_or(reached).min(reached)),
                ..most
            },
        ]
    }
}

/// Returns the demand for memory bandwidth of a process that was recorded on `own` and is replayed
/// on `target`.
#[must_use]
pub fn process_demand(
    profile: &Profile,
    needs: &[OpNeed],
    (own, target): (&Device, &Device),
    rule: &DemandRule,
) -> ProcessDemand {
    let mut memory = target.memory_rates();
    let peak = memory.peak;
    let part = |permille: u64| peak.saturating_mul(permille) / 1000;
    if let Some(permille) = rule.reached {
        memory.reached = part(permille).max(1);
    }
    let reached = memory.reached;
    let [unit, unit_beside] = rule.unit.of(&memory);
    memory.unit = unit;
    let of = |(op, need): (&Op, &OpNeed)| {
        let shaped = need.permille;
        let need = rule.assumed(*need);
        let own_at_once = at_once(op, own);
        let full = at_once(op, target).min(op.workgroups).max(1);
        let rate = match need {
            KernelNeed::Memory => part(rule.permille(rule.memory, shaped)).min(reached),
            KernelNeed::Compute => part(rule.permille(rule.compute, shaped)),
            KernelNeed::Latency | KernelNeed::Unknown => 0,
        };
        let units = u64::from(target.cus).max(1);
        TaskDemand {
            need,
            rate,
            shared: (u128::from(rate) * u128::from(rule.shared.min(1000)) / 1000) as u64,
            pipes: match need {
                KernelNeed::Compute => full.min(units) * 1000 * rule.pipes.min(1000) / units,
                _ => 0,
            },
            pipes_there: ALL_PIPES,
            full,
            persistent: op.kind == OpKind::Kernel
                && own.is_same_kind(target)
                && op.workgroups == own_at_once,
        }
    };
    let tasks = profile.ops.iter().zip(needs).map(of).collect();
    ProcessDemand { tasks, memory, unit_beside, apart: false }
}

/// The room for one launch on a device: the number of compute units, and the number of the launch's
/// workgroups that fit on each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoomFor {
    pub(crate) units: u64,
    pub(crate) a_unit: u64,
}

impl RoomFor {
    fn rounds(&self, workgroups: u64) -> u64 {
        workgroups.div_ceil(self.units.saturating_mul(self.a_unit).max(1)).max(1)
    }
}

/// The number that stands for all pipes (execution pipelines) of a device: [`TaskDemand::pipes`] is
/// in millionths of them.
pub(crate) const ALL_PIPES: u64 = 1_000_000;

impl TaskDemand {
    /// Returns the demand of a launch whose process may have only `units` of `all` compute units.
    #[must_use]
    pub(crate) fn on_units(self, units: u64, all: u64) -> Self {
        let all = all.max(1);
        Self { pipes_there: units.min(all) * ALL_PIPES / all, ..self }
    }
}

impl ProcessDemand {
    /// Returns the demand of a process in a MIG instance that has `eighths` eighths of the memory's
    /// bandwidth to itself. The bytes that one compute unit moves stay unchanged.
    #[must_use]
    pub fn in_instance(mut self, eighths: u8) -> Self {
        let part = |all: u64| (all.saturating_mul(eighths.into()) / 8).max(1);
        self.memory.peak = part(self.memory.peak);
        self.memory.reached = part(self.memory.reached);
        self.apart = true;
        self
    }

    /// Returns (number of workgroups, ticks of each workgroup) of a launch whose process may use
    /// only the compute units in `few`; `whole` is the room on the whole device.
    ///
    /// - A launch that needs memory lasts longer only where the fewer units cannot move the bytes
    ///   that it wants.
    /// - A persistent grid (sized by a library that asks the driver for the number of units)
    ///   shrinks with the units, and its workgroups last longer.
    /// - A launch whose grid is too small to fill the device lasts as long as on the whole device.
    /// - Any other grid keeps its workgroups, and so takes more rounds.
    pub(crate) fn on_fewer(
        &self,
        task: u32,
        (workgroups, lasts): (u64, Ticks),
        whole: RoomFor,
        few: RoomFor,
    ) -> (u64, Ticks) {
        let Some(of) = self.tasks.get(task as usize) else { return (workgroups, lasts) };
        let alone = u128::from(lasts.0) * u128::from(whole.rounds(workgroups));
        let rounds = u128::from(few.rounds(workgroups));
        let nearest = |ns: u128, over: u128| Ticks(whole_ns((ns + over / 2) / over));
        match of.need {
            KernelNeed::Memory => {
                let moved = u128::from(self.memory.of_units(few.units).max(1));
                let wanted = u128::from(of.rate).max(moved);
                (workgroups, nearest(alone.saturating_mul(wanted), moved.saturating_mul(rounds)))
            }
            KernelNeed::Latency => (workgroups, nearest(alone, rounds)),
            KernelNeed::Compute if of.persistent && whole.units > 0 => {
                let (all, few) = (u128::from(whole.units), u128::from(few.units.max(1)));
                let fewer = (u128::from(workgroups) * few).div_ceil(all);
                let lasts = nearest(u128::from(lasts.0) * all, few);
                (u64::try_from(fewer).unwrap_or(workgroups).max(1), lasts)
            }
            KernelNeed::Compute | KernelNeed::Unknown => (workgroups, lasts),
        }
    }
}

fn whole_ns(ns: u128) -> u64 {
    u64::try_from(ns).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(need: KernelNeed, rate: u64, persistent: bool) -> ProcessDemand {
        let memory = raddle_device::find("h200").expect("in the table").memory_rates();
        let task = TaskDemand {
            need,
            rate,
            shared: rate,
            pipes: 0,
            pipes_there: ALL_PIPES,
            full: 132,
            persistent,
        };
        ProcessDemand { tasks: vec![task], memory, unit_beside: memory.unit, apart: false }
    }

    /// Returns (workgroups, ns of each workgroup) of a launch on `units` compute units of an H200,
    /// where each compute unit holds one workgroup.
    fn on(demand: &ProcessDemand, launch: (u64, u64), units: u64) -> (u64, u64) {
        let room = |units| RoomFor { units, a_unit: 1 };
        let (workgroups, lasts) =
            demand.on_fewer(0, (launch.0, Ticks(launch.1)), room(132), room(units));
        (workgroups, lasts.0)
    }

    #[test]
    fn bounds_hold_the_figures_of_the_device() {
        let h200 = raddle_device::find("h200").expect("in the table");
        assert_eq!(DemandRule::expected(&h200), DemandRule::EXPECTED);
        assert_eq!(DemandRule::bounds(&h200), DemandRule::BOUNDS);
        let own = Device {
            memory_permille: Some(900),
            compute_permille: Some(0),
            reached_bytes_per_us: Some(h200.memory_bytes_per_us / 2),
            ..h200
        };
        let expected = DemandRule::expected(&own);
        assert_eq!((expected.memory, expected.compute, expected.reached), (900, 0, None));
        let [least, most] = DemandRule::bounds(&own);
        assert_eq!((least.memory, least.compute, least.reached), (720, 0, Some(950)));
        assert_eq!((most.memory, most.compute, most.reached), (900, 500, Some(500)));
    }

    /// Checks that, where neighbours cost most, an uncertain need is taken to be memory, and that a
    /// need that the user states is kept.
    #[test]
    fn a_need_that_is_not_sure_costs_most_at_the_upper_end() {
        let [least, most] = DemandRule::BOUNDS;
        let of = |rule: DemandRule, need, source| {
            rule.assumed(OpNeed { need, source, ..OpNeed::default() })
        };
        for (need, source, found) in [
            (KernelNeed::Unknown, NeedSource::Nothing, [KernelNeed::Unknown, KernelNeed::Memory]),
            (KernelNeed::Compute, NeedSource::SmallTile, [KernelNeed::Compute, KernelNeed::Memory]),
            (KernelNeed::Compute, NeedSource::Tile, [KernelNeed::Compute; 2]),
            (KernelNeed::Compute, NeedSource::Said, [KernelNeed::Compute; 2]),
        ] {
            assert_eq!([of(least, need, source), of(most, need, source)], found, "{source:?}");
        }
    }

    /// Checks how much longer a launch takes in an instance with half of the memory. The expected
    /// time lies between the least and the most.
    #[test]
    fn an_instance_costs_between_the_least_and_the_most() {
        let h200 = raddle_device::find("h200").expect("in the table");
        let lasts = |rule: &DemandRule| {
            let mut demand = of(KernelNeed::Memory, 0, false);
            let peak = demand.memory.peak;
            let reached = rule.reached.map_or(demand.memory.reached, |it| peak * it / 1000);
            demand.memory.reached = reached;
            demand.tasks[0].rate = (peak * rule.memory / 1000).min(reached);
            on(&demand.in_instance(4), (64, 10_000), 64).1
        };
        let [least, most] = DemandRule::bounds(&h200);
        let expected = lasts(&DemandRule::expected(&h200));
        assert_eq!([lasts(&least), expected, lasts(&most)], [15_158, 18_824, 20_000]);
    }

    #[test]
    fn fewer_units_cost_what_the_need_says() {
        let memory = of(KernelNeed::Memory, 3_840_000, false);
        // 40 units move 2,000 of 3,840 bytes/ns: 1.92 times as long in all, in three rounds.
        assert_eq!(on(&memory, (96, 10_000), 40), (96, 6_400));
        // 92 units move all that it wants.
        assert_eq!(on(&memory, (96, 10_000), 92), (96, 5_000));
        let persistent = of(KernelNeed::Compute, 1_200_000, true);
        assert_eq!(on(&persistent, (132, 10_000), 40), (40, 33_000));
        let compute = of(KernelNeed::Compute, 1_200_000, false);
        assert_eq!(on(&compute, (132, 10_000), 40), (132, 10_000), "four rounds of it");
        assert_eq!(on(&of(KernelNeed::Latency, 0, false), (64, 3_000), 32), (64, 1_500));
        assert_eq!(on(&of(KernelNeed::Unknown, 0, false), (64, 3_000), 32), (64, 3_000));
        // A process without units takes for ever, and a task that is not there stays as it is.
        assert_eq!(on(&memory, (96, u64::MAX), 0).1, u64::MAX);
        assert_eq!(
            memory.on_fewer(
                7,
                (1, Ticks(2)),
                RoomFor { units: 1, a_unit: 1 },
                RoomFor { units: 1, a_unit: 1 }
            ),
            (1, Ticks(2))
        );
    }
}
