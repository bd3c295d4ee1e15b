//! On which compute unit does the next workgroup fit, at which addresses (seed 000, E1)?
//!
//! What the `matching` policy asks at every decision, fast: counters and maps of every compute
//! unit, and for each demand an index of the units that may take one more. `crate::model` is the
//! same rule in plain words, and tests compare the two.
//!
//! A workgroup's waves are dealt to the SIMDs by the split table (E8): SIMD t gets one run of
//! registers for all of its waves together (the safe reading of E1.5). Scalar registers and LDS
//! belong to the compute unit, one run each for the whole workgroup. All or nothing.
//!
//! Units: granules; indices from 0.

mod bits;
mod class;
mod finder;
mod group;
mod lack;
mod park;
mod store;
mod unit;
mod word;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::Place;
use raddle_types::{CuId, CuShape, Demand, LaunchId, MAX_SIMDS};

use crate::Error;
use crate::policy::{Balance, Search};
use class::{Class, Glance, Lack, Share};
use finder::Finders;
use group::{Group, Groups};
pub(crate) use group::{Name, WHOLE};
use park::Parked;
pub(crate) use park::part;
use store::Store;
use unit::Unit;

/// Demands that are remembered, unless one question names more; of others, the one asked for
/// longest ago is forgotten.
const CLASSES: usize = 64;

/// Where a workgroup would lie. Nothing is taken: only [`Matcher::commit`] does.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cu: CuId,
    turn: u8,
    /// Of the compute unit when the place was found.
    stamp: u32,
    sgpr: u16,
    lds: u32,
    vgpr: [u16; MAX_SIMDS],
}

/// The compute units of a device with every granule that is taken, and by whom.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    shape: CuShape,
    simds: usize,
    turns: bool,
    finders: Finders,
    exact: bool,
    units: Vec<Unit>,
    /// One map a SIMD: those of compute unit c from `c * simds`.
    vgpr: Store,
    sgpr: Store,
    lds: Store,
    groups: Groups,
    classes: Vec<Class>,
    questions: u64,
    /// The class of the last workgroup that was given back.
    latest: usize,
    /// Workgroups that were saved, to come back to the same places.
    parked: BTreeMap<LaunchId, Vec<Parked>>,
    /// Workgroups that came back and found a place taken: they hold nothing until they end.
    displaced: Vec<Parked>,
}

impl Matcher {
    /// `cus` empty compute units. A shape that fails [`CuShape::check`] has room for nothing.
    ///
    /// # Errors
    /// [`Error::Search`] where a resource cannot be searched so.
    pub(crate) fn new(
        shape: CuShape,
        cus: u16,
        search: &Search,
        balance: Balance,
    ) -> Result<Self, Error> {
        let usable = shape.check().is_ok();
        let shape = if usable { shape } else { CuShape { simds: 0, ..shape } };
        let (simds, count) = (usize::from(shape.simds), usize::from(cus));
        let turn = u8::from(balance == Balance::Tail && simds > 1);
        let finders = Finders::new(search, &shape)?;
        let sgpr = if shape.sgpr == u16::MAX { 0 } else { u32::from(shape.sgpr) };
        // Every workgroup has a wave.
        let most = u32::from(shape.workgroups).min(shape.waves()) as usize;
        Ok(Self {
            simds,
            turns: balance != Balance::Fixed,
            exact: finders.are_exact(),
            finders,
            units: vec![Unit::new(&shape, turn); count],
            vgpr: Store::new(u32::from(shape.vgpr_per_simd), count * simds),
            sgpr: Store::new(sgpr, count),
            lds: Store::new(shape.lds, count),
            groups: Groups::new(count, most, simds, shape.vgpr_per_simd),
            classes: Vec::with_capacity(CLASSES),
            questions: 0,
            latest: 0,
            parked: BTreeMap::new(),
            displaced: Vec::new(),
            shape,
        })
    }

    /// How many compute units there are.
    pub(crate) const fn len(&self) -> usize {
        self.units.len()
    }

    /// A question begins: classes stand until the next one does.
    #[inline]
    pub(crate) const fn begin(&mut self) {
        self.questions += 1;
    }

    /// The class of a demand, to ask with; `guess` is looked at first.
    #[inline(always)]
    pub(crate) fn class(&mut self, demand: &Demand, guess: usize) -> usize {
        if let Some(class) = self.classes.get_mut(guess)
            && class.demand == *demand
        {
            class.used = self.questions;
            return guess;
        }
        let known = self.classes.iter().position(|class| class.demand == *demand);
        let at = known.unwrap_or_else(|| self.add(demand));
        self.classes[at].used = self.questions;
        at
    }

    #[cold]
    fn add(&mut self, demand: &Demand) -> usize {
        let limits = self.shape.sgpr != u16::MAX;
        let share = Share::new(demand, self.simds, limits);
        let mut class = Class::new(*demand, share, self.units.len());
        class.never = self.lacks_on(None, &class);
        let oldest = (0..self.classes.len()).min_by_key(|&at| self.classes[at].used);
        match oldest {
            // One that the question at hand has named stays.
            Some(at) if self.classes.len() >= CLASSES && self.classes[at].used < self.questions => {
                self.classes[at] = class;
                for unit in &mut self.units {
                    unit.sure &= !bit(at);
                    unit.closed &= !bit(at);
                }
                at
            }
            _ => {
                self.classes.push(class);
                self.classes.len() - 1
            }
        }
    }

    /// What even an empty compute unit lacks for such a workgroup.
    pub(crate) fn never(&self, class: usize) -> Option<Lack> {
        self.classes[class].never
    }

    /// The lowest compute unit at or above `from` that takes such a workgroup, and where.
    #[inline(always)]
    pub(crate) fn first(&mut self, class: usize, from: usize) -> Option<Plan> {
        let mut from = from;
        loop {
            let class_of = &self.classes[class];
            let cu = if from == 0 { class_of.open.first() } else { class_of.open.first_from(from) };
            let cu = cu?;
            if let Some(plan) = self.probe(cu, class_of) {
                return Some(plan);
            }
            self.close(class, cu);
            from = if from == 0 { 0 } else { cu + 1 };
        }
    }

    /// Whether such a workgroup fits anywhere.
    #[inline]
    pub(crate) fn fits(&mut self, class: usize) -> bool {
        loop {
            let Some(cu) = self.classes[class].open.first() else { return false };
            if self.surely_fits(class, cu) {
                return true;
            }
            self.close(class, cu);
        }
    }

    /// Every compute unit that takes such a workgroup, ascending.
    pub(crate) fn candidates(&mut self, class: usize, cus: &mut Vec<usize>) {
        cus.clear();
        let mut next = self.classes[class].open.first();
        while let Some(cu) = next {
            if self.surely_fits(class, cu) {
                cus.push(cu);
            } else {
                self.close(class, cu);
            }
            next = self.classes[class].open.first_from(cu + 1);
        }
    }

    /// Whether such a workgroup fits there, tried once until another one comes.
    #[inline]
    fn surely_fits(&mut self, class: usize, cu: usize) -> bool {
        if self.units[cu].sure & bit(class) != 0 {
            return true;
        }
        let fits = self.probe(cu, &self.classes[class]).is_some();
        if fits {
            self.units[cu].sure |= bit(class);
        }
        fits
    }

    /// Such a workgroup does not fit there, as things are.
    #[inline(always)]
    fn close(&mut self, class: usize, cu: usize) {
        self.classes[class].open.remove(cu);
        self.units[cu].closed |= bit(class);
    }

    /// Where such a workgroup lies on this compute unit, if it fits.
    pub(crate) fn on(&self, class: usize, cu: usize) -> Option<Plan> {
        self.probe(cu, &self.classes[class])
    }

    /// What is free on a compute unit: wave slots, vector and scalar registers, LDS; of what lies
    /// in runs the longest one alone, if asked for.
    pub(crate) fn free(&self, cu: usize, longest: bool) -> [u64; 4] {
        let of = |store: &Store, at: usize| {
            u64::from(if longest { store.longest(at) } else { store.free(at) })
        };
        let simds = cu * self.simds..(cu + 1) * self.simds;
        let waves = self.units[cu].slots.iter().map(|&slots| u64::from(slots)).sum();
        let vgpr = simds.map(|simd| of(&self.vgpr, simd)).sum();
        [waves, vgpr, of(&self.sgpr, cu), of(&self.lds, cu)]
    }

    /// Where such a workgroup lies on this compute unit; takes nothing.
    #[inline(always)]
    fn probe(&self, cu: usize, class: &Class) -> Option<Plan> {
        let unit = &self.units[cu];
        let (demand, simds) = (&class.demand, self.simds);
        let row = &class.share.rows[usize::from(unit.turn)];
        let slots =
            unit.slots.iter().zip(&row.waves).fold(true, |all, (free, n)| all & (free >= n));
        let counted = (unit.workgroups > 0)
            & (unit.barriers >= demand.barriers)
            & (unit.displaced == 0)
            & (unit.lds >= demand.lds)
            & (unit.sgpr >= class.share.sgpr);
        if !(slots & counted) || !self.exact && self.is_unreported(cu, class) {
            return None;
        }
        let mut vgpr = [0; MAX_SIMDS];
        let even = !class.share.uneven;
        if !self.vgpr.first_fits(cu * simds, &row.vgpr[..simds], even, &mut vgpr) {
            return None;
        }
        let lds = self.lds.first_fit(cu, demand.lds)?;
        let sgpr = self.sgpr.first_fit(cu, class.share.sgpr)? as u16;
        // There are as many compute units as a u16 said.
        Some(Plan { cu: CuId(cu as u16), turn: unit.turn, stamp: unit.stamp, sgpr, lds, vgpr })
    }

    /// Whether a finder that does not report every run reports too little.
    fn is_unreported(&self, cu: usize, class: &Class) -> bool {
        self.lacking_run(Some(cu), class).is_some()
    }

    /// Takes the places of a plan for a workgroup, one address a wave added to `places`.
    ///
    /// # Errors
    /// [`Error::Stale`] when the compute unit has changed since; nothing has changed now.
    #[inline(always)]
    pub(crate) fn commit(
        &mut self,
        plan: Plan,
        class: usize,
        name: Name,
        places: &mut Vec<Place>,
    ) -> Result<(), Error> {
        let cu = plan.cu.index();
        let resident = self.units[cu].resident;
        if self.units[cu].stamp != plan.stamp {
            return Err(Error::Stale { launch: name.launch, workgroup: name.workgroup });
        }
        self.take(cu, class, &plan);
        let group = Group::new(name, plan.sgpr, plan.lds, plan.turn);
        self.groups.push(cu, resident, group, &plan.vgpr);
        let committed = &self.classes[class];
        write_places(committed, self.simds, &plan, places);
        let (uneven, waves) = (committed.share.uneven, committed.demand.waves);
        let unit = &mut self.units[cu];
        unit.resident += 1;
        let turned = self.turns && uneven;
        if turned {
            // Both are below the number of SIMDs, which is at most 8.
            unit.turn = ((usize::from(unit.turn) + usize::from(waves)) % self.simds) as u8;
        }
        unit.sure = 0;
        unit.touch();
        if turned {
            self.look_again(cu);
        }
        // Most often it is plain that there is no room for another one.
        let free = glance(&self.units[cu], &self.vgpr, cu * self.simds);
        if !self.classes[class].may_fit(&free) {
            self.close(class, cu);
        }
        Ok(())
    }

    /// Takes what a plan says, all of which is free.
    #[inline(always)]
    fn take(&mut self, cu: usize, class: usize, plan: &Plan) {
        let class = &self.classes[class];
        let (demand, simds) = (&class.demand, self.simds);
        let row = &class.share.rows[usize::from(plan.turn)];
        self.vgpr.take_all(cu * simds, &plan.vgpr, &row.vgpr[..simds], !class.share.uneven);
        self.lds.take(cu, plan.lds, demand.lds);
        self.sgpr.take(cu, plan.sgpr.into(), class.share.sgpr);
        let unit = &mut self.units[cu];
        // The counters were large enough at the probe.
        for (slots, waves) in unit.slots.iter_mut().zip(&row.waves) {
            *slots -= waves;
        }
        unit.workgroups -= 1;
        unit.barriers -= demand.barriers;
        unit.sgpr -= class.share.sgpr;
        unit.lds -= demand.lds;
    }

    /// Gives back everything that a workgroup holds.
    ///
    /// # Errors
    /// [`Error::NotHeld`] when it does not lie there; nothing has changed.
    #[inline]
    pub(crate) fn release(&mut self, cu: CuId, demand: &Demand, name: Name) -> Result<(), Error> {
        let absent = Error::NotHeld { launch: name.launch, workgroup: name.workgroup };
        let cu = cu.index();
        let resident = self.units.get(cu).ok_or(absent)?.resident;
        match self.groups.position(cu, resident, name) {
            Some(position) => self.give(cu, position, demand),
            None if self.forget_displaced(cu, name) => self.look_again(cu),
            None => return Err(absent),
        }
        Ok(())
    }

    /// Gives back what the workgroup at this position holds, and forgets it.
    fn give(&mut self, cu: usize, position: usize, demand: &Demand) {
        let simds = self.simds;
        let class = self.class(demand, self.latest);
        self.latest = class;
        let unit = &mut self.units[cu];
        let group = self.groups.of(cu, unit.resident)[position];
        let share = &self.classes[class].share;
        let row = &share.rows[usize::from(group.turn)];
        let mut starts = [0; MAX_SIMDS];
        self.groups.starts(cu, position, &mut starts);
        self.vgpr.give_all(cu * simds, &starts, &row.vgpr[..simds], !share.uneven);
        for (slots, waves) in unit.slots.iter_mut().zip(&row.waves) {
            *slots += waves;
        }
        self.sgpr.give(cu, group.sgpr.into(), share.sgpr);
        self.lds.give(cu, group.lds, demand.lds);
        unit.workgroups += 1;
        unit.barriers += demand.barriers;
        unit.sgpr += share.sgpr;
        unit.lds += demand.lds;
        self.groups.remove(cu, unit.resident, position);
        unit.resident -= 1;
        unit.touch();
        self.look_again(cu);
    }

    /// More is free on a compute unit, or its balance has turned: a class that did not fit may fit
    /// now.
    #[inline]
    fn look_again(&mut self, cu: usize) {
        let unit = &mut self.units[cu];
        let beyond = self.classes.len() > CLASSES;
        if unit.closed == 0 && !beyond {
            return;
        }
        let free = glance(unit, &self.vgpr, cu * self.simds);
        let mut closed = unit.closed;
        while closed != 0 {
            let at = closed.trailing_zeros() as usize;
            closed &= closed - 1;
            let class = &mut self.classes[at];
            if class.may_fit(&free) {
                class.open.insert(cu);
                unit.closed &= !bit(at);
            }
        }
        if beyond {
            for class in &mut self.classes[CLASSES..] {
                if class.may_fit(&free) {
                    class.open.insert(cu);
                }
            }
        }
    }
}

/// What is free at a glance on a compute unit whose SIMDs have their maps from `first` on.
#[inline]
fn glance(unit: &Unit, vgpr: &Store, first: usize) -> Glance {
    let turn = usize::from(unit.turn);
    Glance {
        slots: if unit.workgroups > 0 { unit.slots[turn].into() } else { 0 },
        vgpr: vgpr.free(first + turn),
        sgpr: unit.sgpr,
        lds: unit.lds,
    }
}

/// What stands for a class in the sets of a compute unit; nothing for those beyond the first 64.
#[inline]
const fn bit(class: usize) -> u64 {
    if class < CLASSES { 1 << class } else { 0 }
}

/// One address a wave: wave w lies on SIMD turn + w, around the end, behind those of its SIMD.
fn write_places(class: &Class, simds: usize, plan: &Plan, places: &mut Vec<Place>) {
    let Demand { waves, vgpr, sgpr, .. } = class.demand;
    let sgpr = if class.share.sgpr == 0 { 0 } else { sgpr };
    let (turn, lds) = (usize::from(plan.turn), plan.lds);
    // Granules behind the first wave of a SIMD, and of the workgroup.
    let (mut simd, mut behind, mut scalar) = (turn, 0, plan.sgpr);
    places.extend((0..waves).map(|_| {
        // At most 8 SIMDs; without registers all of these are 0.
        let vgpr_start = plan.vgpr[simd % MAX_SIMDS] + behind;
        let place = Place { simd: simd as u8, vgpr: vgpr_start, sgpr: scalar, lds };
        scalar = scalar.wrapping_add(sgpr);
        simd += 1;
        if simd == simds {
            simd = 0;
        }
        if simd == turn {
            behind = behind.wrapping_add(vgpr);
        }
        place
    }));
}
