//! How much of each resource is free on a compute unit, counted without addresses?
//!
//! A wave goes to the SIMD that has room for most further waves of its kind, ties to the lowest.
//! Waves of one launch on one unit are not told apart: as workgroups end, waves leave the SIMDs
//! that hold most of that launch, ties to the lowest (`raddle_policy::Cus`,
//! `raddle_dispatch::Book`).
//!
//! Units: granules, as a device table counts them.

use std::collections::{BTreeMap, BTreeSet};

use raddle_policy::{CuShape, Demand, LaunchId, Piece, WaveSpan};

/// A workgroup that starts on a compute unit, or some waves of the workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) workgroup: u64,
    pub(super) waves: WaveSpan,
    pub(super) cu: u16,
}

/// Free resources of one compute unit; wave slots and vector registers are counted for each SIMD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// For each SIMD (free wave slots, free vector registers in granules).
    pub(super) simds: Vec<(u64, u64)>,
    /// Number of free granules of scalar registers; `None` where scalar registers never limit.
    pub(super) sgpr: Option<u64>,
    pub(super) lds: u64,
    pub(super) workgroups: u64,
    pub(super) barriers: u64,
}

/// Number of waves on each SIMD of a compute unit.
pub(super) type Waves = Vec<u64>;

/// Returns how many amounts of `each` fit into the free amount `free`; `u64::MAX` if `each` is 0.
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

    /// Returns for each SIMD how many further waves of this demand it has room for.
    fn rooms(&self, demand: &Demand) -> impl Iterator<Item = u64> {
        let vgpr = u64::from(demand.vgpr);
        self.simds.iter().map(move |it| it.0.min(times(it.1, vgpr)))
    }

    /// Returns how many further waves of this demand the compute unit has room for.
    pub(super) fn waves(&self, demand: &Demand) -> u64 {
        let scalar = self.sgpr.map_or(u64::MAX, |free| times(free, demand.sgpr.into()));
        self.rooms(demand).sum::<u64>().min(scalar)
    }

    /// Returns whether the compute unit has free the resources that a workgroup needs as a whole,
    /// beside those of its waves: a workgroup slot, LDS and barriers.
    pub(super) fn has_share(&self, demand: &Demand) -> bool {
        self.workgroups > 0
            && self.lds >= demand.lds.into()
            && self.barriers >= demand.barriers.into()
    }

    /// Returns how many further whole workgroups of this demand fit on the compute unit.
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

    /// Spreads this number of further waves over the SIMDs, each wave on the SIMD with room for
    /// most, and returns the number of waves for each SIMD; `None` if they do not fit.
    fn spread(&self, demand: &Demand, waves: u64) -> Option<Waves> {
        let mut rooms: Waves = self.rooms(demand).collect();
        let mut taken = vec![0; rooms.len()];
        for _ in 0..waves {
            let at = highest(&rooms)?;
            (rooms[at], taken[at]) = (rooms[at] - 1, taken[at] + 1);
        }
        Some(taken)
    }

    /// Takes the resources of these waves from the compute unit. If `share` is true, also takes
    /// those of the workgroup as a whole: a workgroup slot, LDS and barriers.
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

/// Returns the index of the largest number that is not 0, of equal ones the lowest index; `None`
/// where all are 0.
fn highest(levels: &[u64]) -> Option<usize> {
    let best = levels.iter().copied().max().filter(|&best| best > 0)?;
    levels.iter().position(|&level| level == best)
}

/// Removes `waves` waves from the counts `from`, the numbers of waves on each SIMD; each wave comes
/// from the SIMD that has most at that moment. Returns how many were removed from each SIMD; `None`
/// if there are fewer waves.
fn leave(from: &mut Waves, waves: u64) -> Option<Waves> {
    let mut gone = vec![0; from.len()];
    for _ in 0..waves {
        let at = highest(from)?;
        (from[at], gone[at]) = (from[at] - 1, gone[at] + 1);
    }
    Some(gone)
}

/// A workgroup of which some waves, but not all, have started on a compute unit.
#[derive(Clone, Debug)]
struct Begun {
    cu: usize,
    waves: Waves,
    ended: u64,
}

/// Waves of one launch that are on the device, by compute unit and SIMD.
#[derive(Clone, Debug, Default)]
struct Lying {
    demand: Demand,
    /// Waves of whole workgroups on each SIMD, by compute unit; units without such waves are left
    /// out.
    whole: BTreeMap<usize, Waves>,
    /// Workgroups of which only some waves have started, by workgroup number.
    begun: BTreeMap<u64, Begun>,
}

/// A compute unit of the model, with the number of times that it has changed.
#[derive(Clone, Debug)]
struct Kept {
    unit: Unit,
    changes: u64,
}

impl Kept {
    const fn change(&mut self) -> &mut Unit {
        self.changes += 1;
        &mut self.unit
    }
}

/// Number of whole workgroups of one demand for which a compute unit has room, with the number of
/// changes that the unit had seen when this was computed.
#[derive(Clone, Copy, Debug)]
struct Counted {
    changes: u64,
    room: u64,
}

/// All compute units of the device, with the waves that are on them.
#[derive(Clone, Debug)]
pub(super) struct Units {
    all: Vec<Kept>,
    lying: BTreeMap<LaunchId, Lying>,
    saved: BTreeMap<LaunchId, Lying>,
    /// Room of each compute unit (number of further workgroups that fit), by the demand (five
    /// numbers) of a workgroup. It is computed again only after the unit has changed.
    counted: BTreeMap<[u32; 5], Vec<Counted>>,
}

/// Search of compute units for several whole workgroups of one demand, one after the other. Compute
/// units with equal free resources share one state, and the effect of a workgroup on a state is
/// computed only once.
#[derive(Clone, Debug)]
pub(super) struct Filling {
    /// For each compute unit the index, in the list `states`, of its present state.
    at: Vec<usize>,
    states: Vec<FillState>,
    /// Compute unit found for each workgroup, in the order of the workgroups.
    pub(super) order: Vec<u16>,
}

/// A state of free resources, shared by all compute units that have equal free resources.
#[derive(Clone, Debug)]
struct FillState {
    unit: Unit,
    room: u64,
    /// Index in `states` of the state that a compute unit has after one more workgroup; `None`
    /// until it is computed.
    next: Option<usize>,
}

impl Filling {
    fn new<'u>(units: impl Iterator<Item = &'u Unit>, demand: &Demand) -> Self {
        let mut filling = Self { at: Vec::new(), states: Vec::new(), order: Vec::new() };
        for unit in units {
            let at = filling.state(unit, demand);
            filling.at.push(at);
        }
        filling
    }

    fn state(&mut self, unit: &Unit, demand: &Demand) -> usize {
        let known = self.states.iter().rposition(|it| it.unit == *unit);
        known.unwrap_or_else(|| {
            let (unit, room) = (unit.clone(), unit.room(demand));
            self.states.push(FillState { unit, room, next: None });
            self.states.len() - 1
        })
    }

    /// Places a workgroup on the compute unit `cu` in this search, and returns how many more fit
    /// there afterwards; `None` where it does not fit.
    fn place(&mut self, cu: usize, demand: &Demand) -> Option<u64> {
        let at = self.at[cu];
        let next = match self.states[at].next {
            Some(next) => next,
            None => {
                let mut unit = self.states[at].unit.clone();
                let waves = unit.spread(demand, demand.waves.into())?;
                unit.take(demand, &waves, true);
                let next = self.state(&unit, demand);
                self.states[at].next = Some(next);
                next
            }
        };
        self.at[cu] = next;
        self.order.push(cu as u16);
        Some(self.states[next].room)
    }
}

/// Most demands for which the model remembers how many workgroups fit on each compute unit.
const MOST_DEMANDS: usize = 256;

impl Units {
    pub(super) fn new(empty: &Unit, count: u16) -> Self {
        let all = vec![Kept { unit: empty.clone(), changes: 1 }; count.into()];
        Self { all, lying: BTreeMap::new(), saved: BTreeMap::new(), counted: BTreeMap::new() }
    }

    pub(super) const fn count(&self) -> usize {
        self.all.len()
    }

    /// Iterates over the compute units, as (number, free resources), ascending.
    pub(super) fn each(&self) -> impl Iterator<Item = (u16, &Unit)> {
        (0u16..).zip(self.all.iter().map(|kept| &kept.unit))
    }

    pub(super) fn get(&self, cu: u16) -> Option<&Unit> {
        self.all.get(usize::from(cu)).map(|kept| &kept.unit)
    }

    /// Lists the compute units that have room for a workgroup of this demand, except those in
    /// `closed`, as (unit, number of workgroups that fit), ascending.
    pub(super) fn rooms(&mut self, demand: &Demand, closed: &BTreeSet<u16>) -> Vec<(u16, u64)> {
        let &Demand { waves, vgpr, sgpr, lds, barriers } = demand;
        let key = [waves.into(), vgpr.into(), sgpr.into(), lds, barriers.into()];
        if self.counted.len() > MOST_DEMANDS {
            self.counted.clear();
        }
        let never = Counted { changes: 0, room: 0 };
        let counted = self.counted.entry(key).or_insert_with(|| vec![never; self.all.len()]);
        let mut rooms = Vec::new();
        for (cu, (kept, counted)) in (0u16..).zip(self.all.iter().zip(counted)) {
            if counted.changes != kept.changes {
                *counted = Counted { changes: kept.changes, room: kept.unit.room(demand) };
            }
            if counted.room > 0 && !closed.contains(&cu) {
                rooms.push((cu, counted.room));
            }
        }
        rooms
    }

    /// Starts a whole workgroup of a launch, or waves of one, and returns whether they fit;
    /// otherwise nothing is changed.
    pub(super) fn start(&mut self, id: LaunchId, demand: &Demand, part: Part) -> bool {
        let (cu, (_, count)) = (usize::from(part.cu), part.waves.bounds(demand.waves));
        let lying = self.lying.entry(id).or_default();
        lying.demand = *demand;
        let known = lying.begun.get(&part.workgroup);
        let whole = part.waves == WaveSpan::All;
        let share = known.is_none();
        let Some(unit) = self.all.get_mut(cu).map(|kept| &mut kept.unit) else { return false };
        let Some(waves) = unit.spread(demand, count.into()) else { return false };
        if share && !unit.has_share(demand) || unit.waves(demand) < count.into() {
            return false;
        }
        self.all[cu].change().take(demand, &waves, share);
        let to = if whole {
            lying.whole.entry(cu).or_insert_with(|| vec![0; waves.len()])
        } else {
            let begun = Begun { cu, waves: vec![0; waves.len()], ended: 0 };
            &mut lying.begun.entry(part.workgroup).or_insert(begun).waves
        };
        to.iter_mut().zip(&waves).for_each(|(to, more)| *to += more);
        true
    }

    /// Ends whole workgroups of a launch, or waves of them, on one compute unit. Returns whether
    /// these waves were on the unit.
    pub(super) fn end(&mut self, id: LaunchId, waves: WaveSpan, piece: &Piece) -> bool {
        match waves {
            WaveSpan::All => self.end_whole(id, piece.cu.0.into(), piece.count),
            _ => piece
                .workgroups()
                .all(|workgroup| self.end_part(id, Part { workgroup, waves, cu: piece.cu.0 })),
        }
    }

    fn end_whole(&mut self, id: LaunchId, cu: usize, workgroups: u32) -> bool {
        let Some(lying) = self.lying.get_mut(&id) else { return false };
        let Some(from) = lying.whole.get_mut(&cu) else { return false };
        let (demand, unit) = (lying.demand, self.all[cu].change());
        let none = vec![0; from.len()];
        let count = u64::from(workgroups) * u64::from(demand.waves);
        let Some(gone) = leave(from, count) else { return false };
        unit.give(&demand, &gone, false);
        (0..workgroups).for_each(|_| unit.give(&demand, &none, true));
        if *from == none {
            lying.whole.remove(&cu);
        }
        self.drop_empty(id);
        true
    }

    fn end_part(&mut self, id: LaunchId, part: Part) -> bool {
        let Some(lying) = self.lying.get_mut(&id) else { return false };
        let (cu, demand) = (usize::from(part.cu), lying.demand);
        let (_, count) = part.waves.bounds(demand.waves);
        let Some(begun) = lying.begun.get_mut(&part.workgroup).filter(|it| it.cu == cu) else {
            return false;
        };
        begun.ended += u64::from(count);
        let over = begun.ended >= demand.waves.into();
        let Some(gone) = leave(&mut begun.waves, count.into()) else { return false };
        if over {
            lying.begun.remove(&part.workgroup);
        }
        self.all[cu].change().give(&demand, &gone, over);
        self.drop_empty(id);
        true
    }

    fn drop_empty(&mut self, id: LaunchId) {
        if self.lying.get(&id).is_some_and(|it| it.begun.is_empty() && it.whole.is_empty()) {
            self.lying.remove(&id);
        }
    }

    /// Removes the waves of a launch from its compute units; if `saved`, they are kept, so that
    /// they can come back.
    pub(super) fn lift(&mut self, id: LaunchId, saved: bool) {
        let Some(lying) = self.lying.remove(&id) else { return };
        for (cu, waves, groups) in lying.each() {
            let none = vec![0; waves.len()];
            self.all[cu].change().give(&lying.demand, &waves, false);
            (0..groups).for_each(|_| self.all[cu].change().give(&lying.demand, &none, true));
        }
        if saved {
            self.saved.insert(id, lying);
        }
    }

    /// Puts the saved waves of a launch back on the SIMDs where they were.
    pub(super) fn lower(&mut self, id: LaunchId) {
        let Some(lying) = self.saved.remove(&id) else { return };
        for (cu, waves, groups) in lying.each() {
            let none = vec![0; waves.len()];
            self.all[cu].change().take(&lying.demand, &waves, false);
            (0..groups).for_each(|_| self.all[cu].change().take(&lying.demand, &none, true));
        }
        self.lying.insert(id, lying);
    }

    /// Finds compute units for `count` whole workgroups of one demand, one after the other. `pick`
    /// chooses each unit from the list of all units' rooms, the numbers of workgroups that still
    /// fit. `None` where the workgroups do not all fit. [`Units::fill`] starts them.
    pub(super) fn filling(
        &self,
        demand: &Demand,
        closed: &BTreeSet<u16>,
        count: u64,
        mut pick: impl FnMut(&[u64]) -> Option<usize>,
    ) -> Option<Filling> {
        let mut filling = Filling::new(self.each().map(|(_, unit)| unit), demand);
        let mut rooms: Vec<u64> = filling.at.iter().map(|&at| filling.states[at].room).collect();
        for &cu in closed {
            if let Some(room) = rooms.get_mut(usize::from(cu)) {
                *room = 0;
            }
        }
        for _ in 0..count {
            let cu = pick(&rooms).filter(|&cu| rooms[cu] > 0)?;
            rooms[cu] = filling.place(cu, demand)?;
        }
        Some(filling)
    }

    /// Starts whole workgroups of a launch on the compute units that `filling` has found for them.
    pub(super) fn fill(&mut self, id: LaunchId, demand: &Demand, filling: Filling) {
        let lying = self.lying.entry(id).or_default();
        lying.demand = *demand;
        for (cu, (kept, &at)) in self.all.iter_mut().zip(&filling.at).enumerate() {
            let after = &filling.states[at];
            if after.unit != kept.unit {
                let waves =
                    lying.whole.entry(cu).or_insert_with(|| vec![0; after.unit.simds.len()]);
                let slots = kept.unit.simds.iter().zip(&after.unit.simds);
                waves.iter_mut().zip(slots).for_each(|(to, (had, has))| *to += had.0 - has.0);
                kept.change().clone_from(&after.unit);
            }
        }
    }

    /// Returns the compute units that run waves of a launch.
    pub(super) fn of(&self, id: LaunchId) -> Vec<u16> {
        let each = self.lying.get(&id).into_iter().flat_map(Lying::each);
        each.filter(|it| it.2 > 0).map(|(cu, ..)| cu as u16).collect()
    }
}

impl Lying {
    /// Lists the compute units that run waves of the launch, each as (unit, waves on each SIMD,
    /// number of workgroups).
    fn each(&self) -> Vec<(usize, Waves, u64)> {
        let each = u64::from(self.demand.waves).max(1);
        let groups = |waves: &Waves| waves.iter().sum::<u64>() / each;
        let whole = self.whole.iter().map(|(&cu, waves)| (cu, waves.clone(), groups(waves)));
        let begun = self.begun.values().map(|begun| (begun.cu, begun.waves.clone(), 1));
        whole.chain(begun).collect()
    }
}
