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

mod class;
mod classes;
mod commit;
mod cu;
mod finder;
mod lack;
mod maps;
mod park;
mod resident;
mod store;
mod word;

#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use raddle_policy::{CuId, CuShape, LaunchId};

use crate::Error;
use crate::matching::config::{Balance, SearchRule};
pub(crate) use class::Lack;
use class::{CLASSES, Class, bit};
use cu::CuState;
use finder::Finders;
use maps::{Maps, RunStarts};
pub(crate) use resident::{Name, WHOLE};
use resident::{Parked, Residents};

/// Where a workgroup would lie. Nothing is taken: only [`Matcher::commit`] does.
#[derive(Clone, Debug, Default)]
struct MatchPlan {
    cu: CuId,
    turn: u8,
    /// Of the compute unit when the place was found.
    stamp: u32,
    runs: RunStarts,
}

/// The compute units of a device with every granule that is taken, and by whom.
#[derive(Clone, Debug)]
pub(crate) struct Matcher {
    shape: CuShape,
    simds: usize,
    turns: bool,
    finders: Finders,
    exact: bool,
    units: Vec<CuState>,
    maps: Maps,
    groups: Residents,
    classes: Vec<Class>,
    /// What the last try has found; in one place, since to hand it on costs as much as to find it.
    plan: MatchPlan,
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
    /// [`Error::SearchRule`] where a resource cannot be searched so.
    pub(crate) fn new(
        shape: CuShape,
        cus: u16,
        search: &SearchRule,
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
            units: vec![CuState::new(&shape, turn); count],
            maps: Maps::new(&shape, count),
            groups: Residents::new(count, most, &shape),
            classes: Vec::with_capacity(CLASSES),
            plan: MatchPlan::default(),
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

    /// What even an empty compute unit lacks for such a workgroup.
    pub(crate) fn never(&self, class: usize) -> Option<Lack> {
        self.classes[class].never
    }

    /// How many waves a compute unit has at most.
    pub(crate) fn waves(&self) -> u32 {
        self.shape.waves()
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
        let mut from = 0;
        while let Some(cu) = self.classes[class].open.first_from(from) {
            from = cu + 1;
            if self.surely_fits(class, cu) {
                cus.push(cu);
            } else {
                self.close(class, cu);
            }
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
        // Compute units are numbered by u16.
        (plan.cu, plan.turn, plan.stamp) = (CuId(cu as u16), unit.turn, unit.stamp);
        self.maps.find(cu, class, row, unit.turn, &mut plan.runs)
    }

    /// Whether a finder that does not report every run reports too little.
    fn is_unreported(&self, cu: usize, class: &Class) -> bool {
        self.lacking_run(Some(cu), class).is_some()
    }
}
