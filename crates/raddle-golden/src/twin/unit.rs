//! How much is free on a compute unit, counted without addresses?
//!
//! A wave goes to the SIMD that has room for most further waves of its kind, ties to the lowest. Waves of
//! one launch on one unit have no identity: as workgroups end, waves leave the SIMDs that hold most of
//! that launch, ties to the lowest (`raddle_policy::Cus`, `raddle_dispatch::Book`).
//!
//! Units: granules, as a device table counts them.

use std::collections::BTreeMap;

use raddle_policy::{CuShape, Demand, LaunchId, WaveSpan};

/// A workgroup, or a part of one, that starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) workgroup: u64,
    pub(super) waves: WaveSpan,
    pub(super) cu: u16,
}

/// What is free on one compute unit, SIMD by SIMD where it belongs to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Wave slots and vector registers.
    pub(super) simds: Vec<(u64, u64)>,
    /// `None` where scalar registers never limit.
    pub(super) sgpr: Option<u64>,
    pub(super) lds: u64,
    pub(super) workgroups: u64,
    pub(super) barriers: u64,
}

/// How many waves lie on each SIMD.
pub(super) type Waves = Vec<u64>;

/// So many as fit of something of which each takes this much; without bound of what takes nothing.
fn times(free: u64, each: u64) -> u64 {
    free.checked_div(each).unwrap_or(u64::MAX)
}

impl Unit {
    pub(super) fn empty(shape: &CuShape) -> Self {
        let simd = (shape.waves_per_simd.into(), shape.vgpr_per_simd.into());
        Self {
            simds: vec![simd; shape.simds.into()],
            sgpr: (shape.sgpr != u16::MAX).then_some(shape.sgpr.into()),
            lds: shape.lds.into(),
            workgroups: shape.workgroups.into(),
            barriers: shape.barriers.into(),
        }
    }

    /// Further waves of this kind that each SIMD holds.
    fn rooms(&self, demand: &Demand) -> Waves {
        let room = |&(waves, vgpr): &(u64, u64)| waves.min(times(vgpr, demand.vgpr.into()));
        self.simds.iter().map(room).collect()
    }

    /// Further waves of a workgroup that is there, which can start.
    pub(super) fn waves(&self, demand: &Demand) -> u64 {
        let scalar = self.sgpr.map_or(u64::MAX, |free| times(free, demand.sgpr.into()));
        self.rooms(demand).iter().sum::<u64>().min(scalar)
    }

    /// Whether what a workgroup takes as a whole is there: its slot, its LDS, its barriers.
    pub(super) fn has_share(&self, demand: &Demand) -> bool {
        self.workgroups > 0
            && self.lds >= demand.lds.into()
            && self.barriers >= demand.barriers.into()
    }

    /// How many further whole workgroups fit.
    pub(super) fn room(&self, demand: &Demand) -> u64 {
        let waves = u64::from(demand.waves);
        if waves == 0 {
            return 0;
        }
        (self.waves(demand) / waves)
            .min(self.workgroups)
            .min(times(self.lds, demand.lds.into()))
            .min(times(self.barriers, demand.barriers.into()))
    }

    /// Where so many further waves go, one after the other; `None` where they do not fit.
    fn spread(&self, demand: &Demand, waves: u64) -> Option<Waves> {
        let (mut rooms, mut taken) = (self.rooms(demand), vec![0; self.simds.len()]);
        for _ in 0..waves {
            let at = highest(&rooms)?;
            (rooms[at], taken[at]) = (rooms[at] - 1, taken[at] + 1);
        }
        Some(taken)
    }

    /// Takes these waves, and what a workgroup takes as a whole where `share`.
    fn take(&mut self, demand: &Demand, waves: &Waves, share: bool) {
        self.change(demand, waves, share, |free, amount| *free = free.saturating_sub(amount));
    }

    fn give(&mut self, demand: &Demand, waves: &Waves, share: bool) {
        self.change(demand, waves, share, |free, amount| *free = free.saturating_add(amount));
    }

    fn change(&mut self, demand: &Demand, waves: &Waves, share: bool, by: impl Fn(&mut u64, u64)) {
        for ((slots, vgpr), waves) in self.simds.iter_mut().zip(waves) {
            by(slots, *waves);
            by(vgpr, waves * u64::from(demand.vgpr));
        }
        if let Some(sgpr) = &mut self.sgpr {
            by(sgpr, waves.iter().sum::<u64>() * u64::from(demand.sgpr));
        }
        if share {
            by(&mut self.workgroups, 1);
            by(&mut self.lds, demand.lds.into());
            by(&mut self.barriers, demand.barriers.into());
        }
    }
}

/// The position of the highest that is not 0, the lowest of several.
fn highest(levels: &[u64]) -> Option<usize> {
    let best = levels.iter().copied().max().filter(|&best| best > 0)?;
    levels.iter().position(|&level| level == best)
}

/// A workgroup of which waves started by themselves.
#[derive(Clone, Debug)]
struct Begun {
    cu: usize,
    waves: Waves,
    ended: u64,
}

/// What lies where of one launch.
#[derive(Clone, Debug, Default)]
struct Lying {
    demand: Demand,
    /// Waves of whole workgroups, by compute unit.
    whole: BTreeMap<usize, Waves>,
    /// By workgroup.
    begun: BTreeMap<u64, Begun>,
}

/// The compute units, and what lies on them.
#[derive(Clone, Debug)]
pub(super) struct Units {
    pub(super) all: Vec<Unit>,
    lying: BTreeMap<LaunchId, Lying>,
    saved: BTreeMap<LaunchId, Lying>,
}

impl Units {
    pub(super) fn new(empty: &Unit, count: u16) -> Self {
        let all = vec![empty.clone(); count.into()];
        Self { all, lying: BTreeMap::new(), saved: BTreeMap::new() }
    }

    /// A whole workgroup or waves of one start; whether they fit. What does not fit takes nothing.
    pub(super) fn start(&mut self, id: LaunchId, demand: &Demand, part: Part) -> bool {
        let (cu, (_, count)) = (usize::from(part.cu), part.waves.bounds(demand.waves));
        let lying = self.lying.entry(id).or_default();
        lying.demand = *demand;
        let known = lying.begun.get(&part.workgroup);
        let whole = part.waves == WaveSpan::All;
        let share = known.is_none();
        let Some(unit) = self.all.get_mut(cu) else { return false };
        let Some(waves) = unit.spread(demand, count.into()) else { return false };
        if share && !unit.has_share(demand) || unit.waves(demand) < count.into() {
            return false;
        }
        unit.take(demand, &waves, share);
        let to = if whole {
            lying.whole.entry(cu).or_insert_with(|| vec![0; waves.len()])
        } else {
            let begun = Begun { cu, waves: vec![0; waves.len()], ended: 0 };
            &mut lying.begun.entry(part.workgroup).or_insert(begun).waves
        };
        to.iter_mut().zip(&waves).for_each(|(to, more)| *to += more);
        true
    }

    /// A whole workgroup or waves of one end; whether they lay there.
    pub(super) fn end(&mut self, id: LaunchId, part: Part) -> bool {
        let Some(lying) = self.lying.get_mut(&id) else { return false };
        let (cu, demand) = (usize::from(part.cu), lying.demand);
        let (_, count) = part.waves.bounds(demand.waves);
        let (from, share) = if part.waves == WaveSpan::All {
            let Some(whole) = lying.whole.get_mut(&cu) else { return false };
            (whole, true)
        } else {
            let Some(begun) = lying.begun.get_mut(&part.workgroup).filter(|it| it.cu == cu) else {
                return false;
            };
            begun.ended += u64::from(count);
            let over = begun.ended >= demand.waves.into();
            (&mut begun.waves, over)
        };
        let mut gone = vec![0; from.len()];
        for _ in 0..count {
            let Some(at) = highest(from) else { return false };
            (from[at], gone[at]) = (from[at] - 1, gone[at] + 1);
        }
        self.all[cu].give(&demand, &gone, share);
        if share && part.waves != WaveSpan::All {
            lying.begun.remove(&part.workgroup);
        }
        if lying.begun.is_empty() && lying.whole.values().all(|it| it.iter().all(|&n| n == 0)) {
            self.lying.remove(&id);
        }
        true
    }

    /// What lies of a launch leaves its compute units; to come back, if it was `saved`.
    pub(super) fn lift(&mut self, id: LaunchId, saved: bool) {
        let Some(lying) = self.lying.remove(&id) else { return };
        for (cu, waves, groups) in lying.each() {
            let none = vec![0; waves.len()];
            self.all[cu].give(&lying.demand, &waves, false);
            (0..groups).for_each(|_| self.all[cu].give(&lying.demand, &none, true));
        }
        if saved {
            self.saved.insert(id, lying);
        }
    }

    /// What was saved takes its places again.
    pub(super) fn lower(&mut self, id: LaunchId) {
        let Some(lying) = self.saved.remove(&id) else { return };
        for (cu, waves, groups) in lying.each() {
            let none = vec![0; waves.len()];
            self.all[cu].take(&lying.demand, &waves, false);
            (0..groups).for_each(|_| self.all[cu].take(&lying.demand, &none, true));
        }
        self.lying.insert(id, lying);
    }

    /// The compute units on which something of a launch lies.
    pub(super) fn of(&self, id: LaunchId) -> Vec<u16> {
        let each = self.lying.get(&id).into_iter().flat_map(Lying::each);
        each.filter(|it| it.2 > 0).map(|(cu, ..)| cu as u16).collect()
    }
}

impl Lying {
    /// Compute unit, waves and number of workgroups.
    fn each(&self) -> Vec<(usize, Waves, u64)> {
        let each = u64::from(self.demand.waves).max(1);
        let groups = |waves: &Waves| waves.iter().sum::<u64>() / each;
        let whole = self.whole.iter().map(|(&cu, waves)| (cu, waves.clone(), groups(waves)));
        let begun = self.begun.values().map(|begun| (begun.cu, begun.waves.clone(), 1));
        whole.chain(begun).collect()
    }
}
