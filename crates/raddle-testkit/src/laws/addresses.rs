//! Do the addresses that a policy gave overlap?
//!
//! The check is naive on purpose: it compares every new wave with every wave on its compute unit.

use std::collections::BTreeMap;

use raddle_policy::{CuId, CuShape, Demand, Launch, LaunchId, Place};

use super::spot::{Spot, SpotPart};

/// Waves with addresses (positions of their registers and LDS) that are on a test's simulated
/// device now.
#[derive(Clone, Debug, Default)]
pub(super) struct Addresses {
    lying: BTreeMap<CuId, Vec<Wave>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Wave {
    launch: LaunchId,
    workgroup: u64,
    /// First wave of the part of the workgroup, if the workgroup was cut into parts; `None` for a
    /// whole one. Each part has an LDS start of its own.
    part: Option<u16>,
    wave: u16,
    demand: Demand,
    place: Place,
}

impl Addresses {
    /// Enters the addresses of waves of one workgroup, from the wave `first` on. The error says in
    /// words which of them exceed the compute unit or overlap with a wave that is already there.
    /// `cut` is true where these waves are a part of a workgroup that was cut.
    pub(super) fn take(
        &mut self,
        shape: &CuShape,
        launch: &Launch,
        (workgroup, cu): (u64, CuId),
        (first, cut): (u16, bool),
        places: &[Place],
    ) -> Result<(), String> {
        let lying = self.lying.entry(cu).or_default();
        for (wave, &place) in (first..).zip(places) {
            let (launch, demand, part) = (launch.id, launch.demand, cut.then_some(first));
            let new = Wave { launch, workgroup, part, wave, demand, place };
            let at = || format!("w{workgroup} of {launch} on {cu}, wave {wave}");
            if let Some(what) = new.outside(shape) {
                return Err(format!("{}: {what} exceed the compute unit", at()));
            }
            for old in lying.iter() {
                if let Some(what) = new.meets(old, shape) {
                    let other = format!("w{} of {}, wave {}", old.workgroup, old.launch, old.wave);
                    return Err(format!("{}: {what} run into {other}", at()));
                }
            }
            lying.push(new);
        }
        Ok(())
    }

    /// Frees the addresses of a workgroup, or of a part of a workgroup; does nothing for a
    /// workgroup without addresses.
    pub(super) fn free(&mut self, (launch, workgroup, part): Spot, cu: CuId) {
        if let Some(lying) = self.lying.get_mut(&cu) {
            lying.retain(|it| {
                let named = match part {
                    SpotPart::Whole => true,
                    SpotPart::Wave(wave) => it.wave == wave,
                    SpotPart::Cut { first, .. } => it.part == Some(first),
                };
                (it.launch, it.workgroup) != (launch, workgroup) || !named
            });
        }
    }

    /// Frees the addresses of a launch. Returns for each compute unit (the unit, waves of the
    /// launch that were on it).
    pub(super) fn lift(&mut self, launch: LaunchId) -> Vec<(CuId, Vec<Wave>)> {
        let of_launch = |it: &mut Wave| it.launch == launch;
        let lift = |(cu, lying): (&CuId, &mut Vec<Wave>)| {
            (*cu, lying.extract_if(.., of_launch).collect::<Vec<_>>())
        };
        self.lying.iter_mut().map(lift).collect()
    }

    /// Enters again the addresses of a launch that was saved. Where others have taken some
    /// addresses of a workgroup, or of a part of one, meanwhile, this workgroup or part stays
    /// without addresses.
    pub(super) fn lower(&mut self, shape: &CuShape, lifted: Vec<(CuId, Vec<Wave>)>) {
        for (cu, waves) in lifted {
            let lying = self.lying.entry(cu).or_default();
            let others = lying.len();
            for group in waves.chunk_by(|one, next| one.group() == next.group()) {
                let taken = |wave: &Wave| {
                    lying[..others].iter().any(|old| wave.meets(old, shape).is_some())
                };
                if !group.iter().any(taken) {
                    lying.extend_from_slice(group);
                }
            }
        }
    }
}

impl Wave {
    /// Returns the owner of the range of LDS that a wave uses, as (launch, workgroup, part). Waves
    /// with equal owners share one range. The part is the number of its first wave, or `None` for a
    /// workgroup that was not cut.
    const fn group(&self) -> (LaunchId, u64, Option<u16>) {
        (self.launch, self.workgroup, self.part)
    }

    fn outside(&self, shape: &CuShape) -> Option<&'static str> {
        let past = |start: u32, size: u32, end: u32| {
            size > 0 && u64::from(start) + u64::from(size) > u64::from(end)
        };
        let (demand, place) = (&self.demand, &self.place);
        let narrow = |start: u16, size: u16, end: u16| past(start.into(), size.into(), end.into());
        if place.simd >= shape.simds {
            Some("SIMDs")
        } else if narrow(place.vgpr, demand.vgpr, shape.vgpr_per_simd) {
            Some("vector registers")
        } else if shape.sgpr != u16::MAX && narrow(place.sgpr, demand.sgpr, shape.sgpr) {
            Some("scalar registers")
        } else if past(place.lds, demand.lds, shape.lds) {
            Some("LDS addresses")
        } else {
            None
        }
    }

    fn meets(&self, old: &Self, shape: &CuShape) -> Option<&'static str> {
        let overlap = |a: (u32, u32), b: (u32, u32)| {
            let end = |(start, size)| u64::from(start) + u64::from(size);
            a.1 > 0 && b.1 > 0 && u64::from(a.0) < end(b) && u64::from(b.0) < end(a)
        };
        let vgpr = |it: &Self| (u32::from(it.place.vgpr), u32::from(it.demand.vgpr));
        let sgpr = |it: &Self| (u32::from(it.place.sgpr), u32::from(it.demand.sgpr));
        let lds = |it: &Self| (it.place.lds, it.demand.lds);
        let same_workgroup = self.group() == old.group();
        if self.place.simd == old.place.simd && overlap(vgpr(self), vgpr(old)) {
            Some("vector registers")
        } else if shape.sgpr != u16::MAX && overlap(sgpr(self), sgpr(old)) {
            Some("scalar registers")
        } else if same_workgroup && self.demand.lds > 0 && self.place.lds != old.place.lds {
            Some("LDS addresses (a workgroup has one LDS start)")
        } else if !same_workgroup && overlap(lds(self), lds(old)) {
            Some("LDS addresses")
        } else {
            None
        }
    }
}
