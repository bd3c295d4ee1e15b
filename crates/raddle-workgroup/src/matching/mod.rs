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
mod maps;
mod park;
mod store;
mod unit;
mod word;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use raddle_policy::Place;
use raddle_types::{CuId, CuShape, Demand, Launch, LaunchId, MAX_SIMDS};

use crate::Error;
use crate::policy::{Balance, Search};
use bits::Bits;
pub(crate) use class::Lack;
use class::{Class, Share, same};
use finder::Finders;
use group::Groups;
pub(crate) use group::{Name, WHOLE};
use maps::{Maps, Runs};
use park::Parked;
use unit::Unit;

/// Demands that are remembered, unless one question names more; of others, the one asked for
/// longest ago is forgotten.
const CLASSES: usize = 64;

/// Where a workgroup would lie. Nothing is taken: only [`Matcher::commit`] does.
#[derive(Clone, Debug, Default)]
struct Plan {
    cu: CuId,
    turn: u8,
    /// Of the compute unit when the place was found.
    stamp: u32,
    runs: Runs,
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
    maps: Maps,
    groups: Groups,
    classes: Vec<Class>,
    /// What the last try has found; in one place, since to hand it on costs as much as to find it.
    plan: Plan,
    questions: u64,
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
        // Every workgroup has a wave.
        let most = u32::from(shape.workgroups).min(shape.waves()) as usize;
        Ok(Self {
            simds,
            turns: balance != Balance::Fixed,
            exact: finders.are_exact(),
            finders,
            units: vec![Unit::new(&shape, turn); count],
            maps: Maps::new(&shape, count),
            groups: Groups::new(count, most, &shape),
            classes: Vec::with_capacity(CLASSES),
            plan: Plan::default(),
            questions: 0,
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
            && same(&class.demand, demand)
        {
            class.used = self.questions;
            return guess;
        }
        self.seek(demand)
    }

    /// The class of a demand, wherever it is among them.
    #[cold]
    #[inline(never)]
    fn seek(&mut self, demand: &Demand) -> usize {
        let known = self.classes.iter().position(|class| same(&class.demand, demand));
        let at = known.unwrap_or_else(|| self.add(demand));
        self.classes[at].used = self.questions;
        at
    }

    /// The class of a launch's workgroups, or of one wave of them alone.
    #[inline(always)]
    pub(crate) fn class_of(&mut self, launch: &Launch, wave: u16, guess: usize) -> usize {
        if wave == WHOLE { self.class(&launch.demand, guess) } else { self.of_wave(launch, guess) }
    }

    #[cold]
    fn of_wave(&mut self, launch: &Launch, guess: usize) -> usize {
        self.class(&Demand { waves: 1, ..launch.demand }, guess)
    }

    fn add(&mut self, demand: &Demand) -> usize {
        let limits = self.shape.sgpr != u16::MAX;
        let share = Share::new(demand, self.simds, limits);
        let mut class = Class::new(*demand, share);
        class.never = self.lacks_on(None, &class);
        if class.never.is_none() {
            class.open = Bits::full(self.units.len());
        }
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

    /// The lowest compute unit at or above `from` that takes such a workgroup: the place for
    /// [`Self::commit`].
    #[inline(always)]
    pub(crate) fn first(&mut self, class: usize, from: usize) -> Option<CuId> {
        let mut from = from;
        loop {
            let open = &self.classes[class].open;
            let cu = if from == 0 { open.first() } else { open.first_from(from) };
            let cu = cu?;
            if self.probe(cu, class) {
                return Some(self.plan.cu);
            }
            self.close(class, cu);
            from = if from == 0 { 0 } else { cu + 1 };
        }
    }

    /// Whether such a workgroup certainly fits nowhere.
    #[inline(always)]
    pub(crate) fn is_closed(&self, class: usize) -> bool {
        self.classes[class].open.is_empty()
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
        let fits = self.probe(cu, class);
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

    /// This compute unit, if it takes such a workgroup: the place for [`Self::commit`].
    pub(crate) fn on(&mut self, class: usize, cu: usize) -> Option<CuId> {
        self.probe(cu, class).then_some(self.plan.cu)
    }

    /// What is free on a compute unit: wave slots, vector and scalar registers, LDS; of what lies
    /// in runs the longest one alone, if asked for.
    pub(crate) fn free(&self, cu: usize, longest: bool) -> [u64; 4] {
        let waves = self.units[cu].slots.iter().map(|&slots| u64::from(slots)).sum();
        let [vgpr, sgpr, lds] = self.maps.free(cu, longest);
        [waves, vgpr, sgpr, lds]
    }

    /// Whether such a workgroup fits on this compute unit; where, is planned, and nothing taken.
    #[inline(always)]
    fn probe(&mut self, cu: usize, class: usize) -> bool {
        let (unit, class) = (&self.units[cu], &self.classes[class]);
        let row = class.share.row(unit.turn);
        if !unit.may_take(class, row) || !self.exact && self.is_unreported(cu, class) {
            return false;
        }
        let plan = &mut self.plan;
        // There are as many compute units as a u16 said.
        (plan.cu, plan.turn, plan.stamp) = (CuId(cu as u16), unit.turn, unit.stamp);
        self.maps.find(cu, class, row, unit.turn, &mut plan.runs)
    }

    /// Whether a finder that does not report every run reports too little.
    fn is_unreported(&self, cu: usize, class: &Class) -> bool {
        self.lacking_run(Some(cu), class).is_some()
    }

    /// Takes the place found last for a workgroup of that class, one address a wave added to
    /// `places`.
    ///
    /// # Errors
    /// [`Error::Stale`] when the compute unit has changed since; nothing has changed now.
    #[inline(always)]
    pub(crate) fn commit(
        &mut self,
        class: usize,
        name: Name,
        places: &mut Vec<Place>,
    ) -> Result<(), Error> {
        let Self { plan, units, classes, maps, groups, .. } = self;
        let (cu, class_of) = (plan.cu.index(), &classes[class]);
        let unit = &mut units[cu];
        if unit.stamp != plan.stamp {
            return Err(Error::Stale { launch: name.launch, workgroup: name.workgroup });
        }
        groups.push(cu, unit.resident, (name, class), plan.turn, &plan.runs);
        maps.take(cu, class_of, plan.turn, &plan.runs);
        unit.take(class_of, class_of.share.row(plan.turn));
        unit.resident += 1;
        unit.sure = 0;
        write_places(class_of, self.simds, plan, places);
        if self.turns && class_of.share.uneven {
            // Both are below the number of SIMDs, which is at most 8.
            let waves = usize::from(class_of.demand.waves);
            unit.turn = ((usize::from(unit.turn) + waves) % self.simds) as u8;
            self.look_again(cu);
        }
        // Most often it is plain that there is no room for another one.
        let (unit, class_of) = (&self.units[cu], &self.classes[class]);
        if !unit.may_take(class_of, class_of.share.row(unit.turn)) {
            self.close(class, cu);
        }
        Ok(())
    }

    /// Takes these runs, all of which are free.
    #[inline(always)]
    fn take(&mut self, cu: usize, class: usize, turn: u8, runs: &Runs) {
        let class = &self.classes[class];
        self.maps.take(cu, class, turn, runs);
        // There was enough at the probe.
        self.units[cu].take(class, class.share.row(turn));
    }

    /// Gives back everything that a workgroup holds.
    ///
    /// # Errors
    /// [`Error::NotHeld`] when it does not lie there; nothing has changed.
    #[inline]
    pub(crate) fn release(&mut self, cu: CuId, launch: &Launch, name: Name) -> Result<(), Error> {
        let absent = Error::NotHeld { launch: name.launch, workgroup: name.workgroup };
        let cu = cu.index();
        let resident = self.units.get(cu).ok_or(absent)?.resident;
        match self.groups.position(cu, resident, name) {
            Some(position) => self.give(cu, position, launch, name.wave),
            None if self.forget_displaced(cu, name) => self.look_again(cu),
            None => return Err(absent),
        }
        Ok(())
    }

    /// Gives back what the workgroup at this position holds, and forgets it.
    #[inline(always)]
    fn give(&mut self, cu: usize, position: usize, launch: &Launch, wave: u16) {
        let index = self.class_of(launch, wave, self.groups.class(cu, position));
        let class = &self.classes[index];
        let (turn, runs) = self.groups.runs(cu, position);
        self.maps.give(cu, class, turn, &runs);
        let unit = &mut self.units[cu];
        unit.give(class, class.share.row(turn));
        self.groups.remove(cu, unit.resident, position);
        unit.resident -= 1;
        if unit.closed & bit(index) != 0 {
            // What has left most likely fits again; the next try tells.
            unit.closed &= !bit(index);
            self.classes[index].open.insert(cu);
        }
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
        let mut closed = unit.closed;
        while closed != 0 {
            let at = closed.trailing_zeros() as usize;
            closed &= closed - 1;
            let class = &mut self.classes[at];
            if unit.may_take(class, class.share.row(unit.turn)) {
                class.open.insert(cu);
                unit.closed &= !bit(at);
            }
        }
        if beyond {
            for class in &mut self.classes[CLASSES..] {
                let may_fit = unit.may_take(class, class.share.row(unit.turn));
                if may_fit && class.never.is_none() {
                    class.open.insert(cu);
                }
            }
        }
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
    let sgpr = if class.share.sgpr.granules == 0 { 0 } else { sgpr };
    let (turn, lds) = (usize::from(plan.turn), plan.runs.lds);
    let mut scalar = plan.runs.sgpr;
    let mut put = |on: Range<usize>, behind: u16| {
        places.extend(on.map(|simd| {
            let vgpr = plan.runs.vgpr[simd % MAX_SIMDS] + behind;
            // At most 8 SIMDs.
            let place = Place { simd: simd as u8, vgpr, sgpr: scalar, lds };
            scalar = scalar.wrapping_add(sgpr);
            place
        }));
    };
    // One wave on each SIMD, then the same behind these.
    let (mut left, mut behind) = (usize::from(waves), 0_u16);
    while left > 0 {
        let row = left.min(simds);
        put(turn..simds.min(turn + row), behind);
        if turn + row > simds {
            put(0..turn + row - simds, behind);
        }
        left -= row;
        behind = behind.wrapping_add(vgpr);
    }
}
