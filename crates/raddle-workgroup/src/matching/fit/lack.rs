//! Why does a workgroup not fit on a compute unit, or on none?

use raddle_policy::{CuId, Resource};

use super::Matcher;
use super::class::{Class, Lack};
use super::cu::CuState;
use super::finder::Finder;
use super::store::MapArray;

impl Matcher {
    /// What was last said of a compute unit, if it still holds.
    #[inline]
    pub(crate) fn told(&self, cu: CuId, class: usize) -> Option<Lack> {
        let (told, stamp, lack) = self.classes[class].told?;
        let unit = self.units.get(cu.index())?;
        ((told, stamp) == (cu, unit.stamp)).then_some(lack)
    }

    /// What such a workgroup lacks on a compute unit; `None` where it fits.
    pub(crate) fn lacks(&mut self, cu: CuId, class: usize) -> Option<Lack> {
        let told = self.told(cu, class);
        told.or_else(|| {
            let lack = self.lacks_on(Some(cu.index()), &self.classes[class])?;
            if let Some(unit) = self.units.get(cu.index()) {
                self.classes[class].told = Some((cu, unit.stamp, lack));
            }
            Some(lack)
        })
    }

    /// What such a workgroup lacks on one compute unit, or on an empty one if none is named.
    pub(super) fn lacks_on(&self, cu: Option<usize>, class: &Class) -> Option<Lack> {
        let demand = &class.demand;
        if demand.waves == 0 {
            // A workgroup without waves is none, and fits nowhere.
            return Some(Lack::new(Resource::Waves, 1_u64, 0_u64));
        }
        let empty = CuState::new(&self.shape, 0);
        let unit = match cu {
            Some(cu) => match self.units.get(cu) {
                Some(unit) => unit,
                None => return Some(Lack::new(Resource::Cus, 1_u64, 0_u64)),
            },
            None => &empty,
        };
        if unit.workgroups == 0 || unit.displaced > 0 {
            return Some(Lack::new(Resource::Workgroups, 1_u64, 0_u64));
        }
        if self.simds == 0 {
            return Some(Lack::new(Resource::Waves, demand.waves, 0_u64));
        }
        let row = class.share.row(unit.turn);
        let mut slots = row.waves.iter().zip(unit.slots);
        let slots = slots.find(|&(&wanted, free)| wanted > free);
        let slots = slots.map(|(&wanted, free)| Lack::new(Resource::Waves, wanted, free));
        let barriers = Lack::new(Resource::Barriers, demand.barriers, unit.barriers);
        slots
            .or_else(|| self.lacking_run(cu, class))
            .or_else(|| (demand.barriers > unit.barriers).then_some(barriers))
    }

    /// The first resource of which no run that is reported is long enough, on an empty compute
    /// unit if none is named.
    pub(super) fn lacking_run(&self, cu: Option<usize>, class: &Class) -> Option<Lack> {
        let simds = self.simds;
        let row = class.share.row(cu.map_or(0, |cu| self.units[cu].turn));
        let report = |finder: &Finder, store: &MapArray, at: Option<usize>, blocks: u32| match at {
            Some(at) if finder.is_exact() => store.longest(at),
            Some(at) => store.reported(at, finder),
            None => finder.of_empty(blocks),
        };
        let lack = |resource, wanted: u32, found: u32| {
            (wanted > found).then(|| Lack::new(resource, wanted, found))
        };
        let (finders, shape) = (&self.finders, &self.shape);
        let registers = || {
            (0..simds).find_map(|simd| {
                // More than a u16 can say is more than there is.
                let wanted = u32::from(row.waves[simd]) * u32::from(class.demand.vgpr);
                let (maps, first) = self.maps.simds(cu.unwrap_or(0));
                let at = cu.map(|_| first + simd);
                let found = || report(&finders.vgpr, maps, at, shape.vgpr_per_simd.into());
                lack(Resource::Vgpr, wanted, if wanted > 0 { found() } else { 0 })
            })
        };
        let scalar = || {
            let wanted = class.share.sgpr.granules;
            let found = || report(&finders.sgpr, &self.maps.sgpr, cu, shape.sgpr.into());
            lack(Resource::Sgpr, wanted, if wanted > 0 { found() } else { 0 })
        };
        let lds = || {
            let wanted = class.demand.lds;
            let found = || report(&finders.lds, &self.maps.lds, cu, shape.lds);
            lack(Resource::Lds, wanted, if wanted > 0 { found() } else { 0 })
        };
        registers().or_else(scalar).or_else(lds)
    }
}
