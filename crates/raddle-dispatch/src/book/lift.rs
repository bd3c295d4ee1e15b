//! What changes in the account when all workgroups of a launch leave the device at once, or come
//! back?

use raddle_policy::{CuId, Demand, LaunchId, MAX_SIMDS, Split, WaveSpan};

use super::{Book, ResidentLaunch, sum};

/// The workgroups and waves of one launch that [`Book::lift`] took off the device, kept so that
/// [`Book::lower`] can put them back.
#[derive(Clone, Debug)]
pub struct Lifted {
    launch: LaunchId,
    resident: ResidentLaunch,
}

impl ResidentLaunch {
    /// Returns the resources that the launch has, one entry for each compute unit and kind of
    /// start: (compute unit, waves on each SIMD, number of workgroups whose slots, barriers and LDS
    /// are taken, demand of one workgroup).
    fn each_unit(&self) -> impl Iterator<Item = (CuId, Split, u32, Demand)> + Clone {
        let waves = u32::from(self.demand.waves).max(1);
        let runs = self.counted.runs(0..self.counted.len());
        let counted = runs.filter(|(_, split)| sum(split) > 0).flat_map(move |(units, split)| {
            // Compute units are numbered by u16.
            units.map(move |cu| (CuId(cu as u16), *split, sum(split) / waves))
        });
        let partial = self.partial.values().map(|part| (part.cu, part.split, 1));
        let whole = counted.chain(self.addressed.places()).chain(partial);
        let whole = whole.map(|(cu, split, groups)| (cu, split, groups, self.demand));
        let cut = self.cuts.lying().map(|part| {
            // A part has no more waves than a u16 counts.
            let span = WaveSpan::Cut { first: 0, count: sum(&part.split) as u16 };
            (part.cu, part.split, 1, self.demand.of(span))
        });
        whole.chain(cut)
    }
}

impl Book {
    /// Returns the compute units on which a launch has waves or a workgroup slot; a unit may come
    /// more than once.
    pub(crate) fn units(&self, launch: LaunchId) -> impl Iterator<Item = CuId> {
        let units = self.resident.get(launch).into_iter().flat_map(ResidentLaunch::each_unit);
        units.map(|(cu, ..)| cu)
    }

    /// Takes all workgroups and waves of a launch off the device at once, and returns them so that
    /// they can come back; `None` where the launch has none on the device.
    pub fn lift(&mut self, launch: LaunchId) -> Option<Lifted> {
        self.take_out(launch).map(|resident| Lifted { launch, resident })
    }

    /// Takes all workgroups and waves of a launch off the device at once, for good. Returns whether
    /// there were any.
    pub(crate) fn kill(&mut self, launch: LaunchId) -> bool {
        let Some(resident) = self.take_out(launch) else { return false };
        let mut table = resident.counted;
        table.change(0..table.len(), |_, split| *split = [0; MAX_SIMDS]);
        self.spare.push(table);
        true
    }

    fn take_out(&mut self, launch: LaunchId) -> Option<ResidentLaunch> {
        let resident = self.resident.remove(launch)?;
        for (cu, split, groups, demand) in resident.each_unit() {
            self.cus.give_split(cu, &demand, &split, groups);
        }
        Some(resident)
    }

    /// Puts a launch that [`Book::lift`] took off back on the same compute units and SIMDs.
    ///
    /// # Errors
    /// `lifted` itself, when its resources are taken or the launch has started anew; nothing has
    /// changed then.
    #[expect(clippy::result_large_err, reason = "it is what came in, given back")]
    pub fn lower(&mut self, lifted: Lifted) -> Result<(), Lifted> {
        let of_this_device = lifted.resident.counted.len() == self.cus.len();
        if !of_this_device || self.resident.contains(lifted.launch) {
            return Err(lifted);
        }
        let Lifted { launch, resident } = &lifted;
        if self.take_all(resident.each_unit()).is_err() {
            return Err(lifted);
        }
        self.resident.insert(*launch, lifted.resident);
        Ok(())
    }
}
