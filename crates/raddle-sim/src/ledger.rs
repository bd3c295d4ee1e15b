//! What is taken on each compute unit, counted a second time?
//!
//! On purpose nothing of `raddle_dispatch::Book` is used: totals a compute unit, one line each, so
//! that a fault in one of the two shows in the other.

use raddle_policy::{CuId, CuShape, Demand, Free, Ticks};

use crate::power::PowerMeter;

/// What is taken, in granules, a compute unit.
#[derive(Debug)]
pub(crate) struct Ledger {
    whole: Free,
    taken: Vec<Free>,
    sgpr_limits: bool,
    /// Units changed since the books were last compared.
    touched: Vec<CuId>,
    is_touched: Vec<bool>,
    /// What the waves draw.
    pub(crate) power: PowerMeter,
}

/// What `waves` waves and `groups` workgroup-wide shares of a demand amount to.
fn amount(demand: &Demand, waves: u64, groups: u64) -> Free {
    Free {
        waves,
        vgpr: waves * u64::from(demand.vgpr),
        sgpr: waves * u64::from(demand.sgpr),
        lds: groups * u64::from(demand.lds),
        workgroups: groups,
        barriers: groups * u64::from(demand.barriers),
    }
}

impl Ledger {
    pub(crate) fn new(shape: &CuShape, cus: u16) -> Self {
        let simds = u64::from(shape.simds);
        Self {
            whole: Free {
                waves: simds * u64::from(shape.waves_per_simd),
                vgpr: simds * u64::from(shape.vgpr_per_simd),
                sgpr: u64::from(shape.sgpr),
                lds: u64::from(shape.lds),
                workgroups: u64::from(shape.workgroups),
                barriers: u64::from(shape.barriers),
            },
            taken: vec![Free::default(); usize::from(cus)],
            sgpr_limits: shape.sgpr != u16::MAX,
            touched: Vec::new(),
            is_touched: vec![false; usize::from(cus)],
            power: PowerMeter::new(cus),
        }
    }

    pub(crate) fn waves_of_a_unit(&self) -> u64 {
        self.whole.waves
    }

    pub(crate) fn units(&self) -> u64 {
        self.taken.len() as u64
    }

    /// How long so many workgroups take with the device to themselves, by the totals of its units; `None`
    /// where no unit holds one.
    pub(crate) fn alone(&self, workgroups: u64, lasts: Ticks, demand: &Demand) -> Option<Ticks> {
        let (whole, one) = (&self.whole, amount(demand, u64::from(demand.waves), 1));
        let sgpr = if self.sgpr_limits { one.sgpr } else { 0 };
        let parts = [
            (whole.waves, one.waves),
            (whole.vgpr, one.vgpr),
            (whole.sgpr, sgpr),
            (whole.lds, one.lds),
            (whole.workgroups, one.workgroups),
            (whole.barriers, one.barriers),
        ];
        let room = parts.into_iter().filter_map(|(whole, one)| whole.checked_div(one)).min()?;
        let at_once = room.saturating_mul(self.units());
        let rounds =
            workgroups.checked_div(at_once)? + u64::from(!workgroups.is_multiple_of(at_once));
        Some(Ticks(rounds.saturating_mul(lasts.0)))
    }

    fn touch(&mut self, cu: CuId) {
        if let Some(seen) = self.is_touched.get_mut(cu.index()).filter(|seen| !**seen) {
            *seen = true;
            self.touched.push(cu);
        }
    }

    /// Takes; `false`, and nothing changed, where the unit does not hold that much.
    #[must_use]
    pub(crate) fn take(&mut self, cu: CuId, demand: &Demand, waves: u64, groups: u64) -> bool {
        let more = amount(demand, waves, groups);
        let (whole, limits) = (self.whole, self.sgpr_limits);
        let Some(taken) = self.taken.get_mut(cu.index()) else {
            return false;
        };
        let sum = Free {
            waves: taken.waves + more.waves,
            vgpr: taken.vgpr + more.vgpr,
            sgpr: taken.sgpr + more.sgpr,
            lds: taken.lds + more.lds,
            workgroups: taken.workgroups + more.workgroups,
            barriers: taken.barriers + more.barriers,
        };
        let fits = sum.waves <= whole.waves
            && sum.vgpr <= whole.vgpr
            && (!limits || sum.sgpr <= whole.sgpr)
            && sum.lds <= whole.lds
            && sum.workgroups <= whole.workgroups
            && sum.barriers <= whole.barriers;
        if fits {
            *taken = sum;
            self.touch(cu);
        }
        fits
    }

    /// Gives back what was taken before.
    pub(crate) fn give(&mut self, cu: CuId, demand: &Demand, waves: u64, groups: u64) {
        let less = amount(demand, waves, groups);
        if let Some(taken) = self.taken.get_mut(cu.index()) {
            taken.waves -= less.waves;
            taken.vgpr -= less.vgpr;
            taken.sgpr -= less.sgpr;
            taken.lds -= less.lds;
            taken.workgroups -= less.workgroups;
            taken.barriers -= less.barriers;
            self.touch(cu);
        }
    }

    fn free(&self, cu: CuId) -> Free {
        let (whole, taken) = (self.whole, self.taken[cu.index()]);
        Free {
            waves: whole.waves - taken.waves,
            vgpr: whole.vgpr - taken.vgpr,
            sgpr: if self.sgpr_limits { whole.sgpr - taken.sgpr } else { whole.sgpr },
            lds: whole.lds - taken.lds,
            workgroups: whole.workgroups - taken.workgroups,
            barriers: whole.barriers - taken.barriers,
        }
    }

    /// The first unit changed since the last call where the other book says something else:
    /// where, ours, theirs.
    pub(crate) fn differs(
        &mut self,
        mut theirs: impl FnMut(CuId) -> Option<Free>,
    ) -> Option<(CuId, Free, Free)> {
        let mut found = None;
        while let Some(cu) = self.touched.pop() {
            self.is_touched[cu.index()] = false;
            if let Some(their) = theirs(cu).filter(|their| *their != self.free(cu)) {
                found = Some((cu, self.free(cu), their));
            }
        }
        found
    }

    /// Whether everything is free.
    pub(crate) fn is_empty(&self) -> bool {
        self.taken.iter().all(|taken| *taken == Free::default())
    }
}
