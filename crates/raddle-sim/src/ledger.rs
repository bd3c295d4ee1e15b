//! Which resources are taken on each compute unit, by an account beside the dispatcher's?
//!
//! On purpose this account uses nothing of `raddle_dispatch::Book`, the dispatcher's: it has only
//! totals for each compute unit, so that a fault in one of the accounts shows when they are
//! compared.

use std::ops::Range;

use raddle_policy::{CuId, CuSet, CuShape, Demand, Free, PerCu, Ticks};

use crate::demand::RoomFor;
use crate::power::PowerMeter;

/// The simulator's account of the taken slots, registers, LDS and barriers of each compute unit, in
/// granules.
#[derive(Debug)]
pub(crate) struct Ledger {
    whole: Free,
    taken: PerCu<Free>,
    sgpr_limits: bool,
    /// The compute units that have changed since this account was last compared with the
    /// dispatcher's.
    touched: CuSet,
    pub(crate) power: PowerMeter,
}

/// Returns the resources that `waves` waves take, plus those that `groups` workgroups take as a
/// whole (workgroup slot, LDS and barriers).
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
            taken: PerCu::new(usize::from(cus), Free::default()),
            sgpr_limits: shape.sgpr != u16::MAX,
            touched: CuSet::empty(usize::from(cus)),
            power: PowerMeter::new(cus),
        }
    }

    pub(crate) fn waves_of_a_unit(&self) -> u64 {
        self.whole.waves
    }

    pub(crate) fn units(&self) -> u64 {
        self.taken.len() as u64
    }

    /// Returns the ticks that `workgroups` workgroups of `lasts` ticks each take on `units` empty
    /// compute units, in rounds of as many as fit; `None` where no compute unit has room for a
    /// workgroup.
    pub(crate) fn alone(
        &self,
        workgroups: u64,
        lasts: Ticks,
        demand: &Demand,
        units: u64,
    ) -> Option<Ticks> {
        let at_once = self.held(demand)?.saturating_mul(units);
        let rounds =
            workgroups.checked_div(at_once)? + u64::from(!workgroups.is_multiple_of(at_once));
        Some(Ticks(rounds.saturating_mul(lasts.0)))
    }

    /// Returns the room of the empty device for workgroups of a demand: the number of compute
    /// units, and the number of workgroups for which one empty compute unit has room.
    pub(crate) fn room(&self, demand: &Demand) -> RoomFor {
        RoomFor { units: self.units(), a_unit: self.held(demand).unwrap_or(0) }
    }

    /// Returns the number of workgroups of a demand for which an empty compute unit has room, by
    /// its totals over all SIMDs; `None` where the demand takes no resource.
    fn held(&self, demand: &Demand) -> Option<u64> {
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
        parts.into_iter().filter_map(|(whole, one)| whole.checked_div(one)).min()
    }

    /// Takes the resources of `waves` waves and `groups` workgroups on each compute unit in
    /// `units`. The error is the first compute unit on which these resources are not free; nothing
    /// is taken on that unit.
    pub(crate) fn take(
        &mut self,
        units: Range<usize>,
        demand: &Demand,
        waves: u64,
        groups: u64,
    ) -> Result<(), CuId> {
        let more = amount(demand, waves, groups);
        let (whole, limits) = (self.whole, self.sgpr_limits);
        let mut refused = (units.end > self.taken.len()).then_some(units.end - 1);
        self.touched.insert_all(units.clone());
        self.taken.change(units, |units, taken| {
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
            } else {
                refused = Some(refused.map_or(units.start, |cu| cu.min(units.start)));
            }
        });
        // The number is that of a compute unit of a piece, which is a u16.
        refused.map_or(Ok(()), |cu| Err(CuId(cu as u16)))
    }

    /// Frees the resources of `waves` waves and `groups` workgroups, which were taken before, on
    /// each compute unit in `units`.
    pub(crate) fn give(&mut self, units: Range<usize>, demand: &Demand, waves: u64, groups: u64) {
        let less = amount(demand, waves, groups);
        self.touched.insert_all(units.clone());
        self.taken.change(units, |_, taken| {
            taken.waves -= less.waves;
            taken.vgpr -= less.vgpr;
            taken.sgpr -= less.sgpr;
            taken.lds -= less.lds;
            taken.workgroups -= less.workgroups;
            taken.barriers -= less.barriers;
        });
    }

    fn free(&self, taken: &Free) -> Free {
        let whole = self.whole;
        Free {
            waves: whole.waves - taken.waves,
            vgpr: whole.vgpr - taken.vgpr,
            sgpr: if self.sgpr_limits { whole.sgpr - taken.sgpr } else { whole.sgpr },
            lds: whole.lds - taken.lds,
            workgroups: whole.workgroups - taken.workgroups,
            barriers: whole.barriers - taken.barriers,
        }
    }

    /// Returns, ascending, the ranges of compute units that have changed since this account was
    /// last compared with the dispatcher's.
    pub(crate) fn touched(&self) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let units = self.touched.run_from(from)?;
            from = units.end;
            Some(units)
        })
    }

    /// Compares this account with the dispatcher's, on the compute units that changed since the
    /// last call. Returns (first compute unit on which they differ, free by this account, free by
    /// the dispatcher's); `None` where they agree. `theirs` returns (free resources of a compute
    /// unit, number of units from that one on with equal free resources).
    pub(crate) fn differs(
        &mut self,
        theirs: impl Fn(CuId) -> (Option<Free>, u16),
    ) -> Option<(CuId, Free, Free)> {
        let mut found = None;
        'all: for units in self.touched() {
            for (alike, taken) in self.taken.runs(units) {
                let (mut at, ours) = (alike.start, self.free(taken));
                while at < alike.end {
                    // Units are numbered by u16.
                    let cu = CuId(at as u16);
                    let (their, like) = theirs(cu);
                    if let Some(their) = their.filter(|their| *their != ours) {
                        found = Some((cu, ours, their));
                        break 'all;
                    }
                    at += usize::from(like.max(1));
                }
            }
        }
        self.touched.clear();
        found
    }

    pub(crate) fn is_empty(&self) -> bool {
        let mut all = self.taken.runs(0..self.taken.len());
        all.all(|(_, taken)| *taken == Free::default())
    }
}
