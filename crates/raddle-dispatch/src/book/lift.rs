//! What happens when everything of a launch leaves at once, and comes back?

use std::collections::BTreeMap;

use raddle_policy::{CuId, Demand, LaunchId, MAX_SIMDS, Split};

use super::cut::Cuts;
use super::{Book, Resident, sum};

/// Everything of one launch that was on the device, as [`Book::lift`] took it off.
#[derive(Clone, Debug)]
pub struct Lifted {
    launch: LaunchId,
    resident: Box<Resident>,
}

impl Lifted {
    /// Which launch.
    #[must_use]
    pub const fn launch(&self) -> LaunchId {
        self.launch
    }
}

impl Resident {
    /// What is left of one that came back: nothing, in no memory.
    fn gone() -> Self {
        Self {
            demand: Demand::default(),
            waves: 0,
            counted: Vec::new(),
            addressed: BTreeMap::new(),
            partial: BTreeMap::new(),
            cuts: Cuts::default(),
        }
    }

    /// What lies where: compute unit, waves by SIMD, whole-workgroup shares taken.
    fn each_unit(&self) -> impl Iterator<Item = (CuId, Split, u32)> {
        let waves = u32::from(self.demand.waves).max(1);
        let counted = self.counted.iter().enumerate().filter_map(move |(cu, split)| {
            let sum = sum(split);
            // `counted` has one entry a compute unit, and their ids are u16.
            (sum > 0).then_some((CuId(cu as u16), *split, sum / waves))
        });
        let addressed = self.addressed.values().map(|&(cu, split)| (cu, split, 1));
        let partial = self.partial.values().map(|part| (part.cu, part.split, 1));
        let cut = self.cuts.lying().map(|part| (part.cu, part.split, 1));
        counted.chain(addressed).chain(partial).chain(cut)
    }
}

impl Book {
    /// Takes everything of a launch off the device at once, so that it may come back.
    pub fn lift(&mut self, launch: LaunchId) -> Option<Lifted> {
        let resident = self.take_out(launch)?;
        let lifted = match self.lifted.pop() {
            Some(mut lifted) => {
                lifted.launch = launch;
                *lifted.resident = resident;
                lifted
            }
            None => Lifted { launch, resident: Box::new(resident) },
        };
        Some(lifted)
    }

    /// Takes everything of a launch off the device at once, for good; whether there was anything.
    pub fn kill(&mut self, launch: LaunchId) -> bool {
        let Some(resident) = self.take_out(launch) else { return false };
        let mut table = resident.counted;
        table.fill([0; MAX_SIMDS]);
        self.spare.push(table);
        true
    }

    fn take_out(&mut self, launch: LaunchId) -> Option<Resident> {
        let resident = self.resident.remove(&launch)?;
        for (cu, split, groups) in resident.each_unit() {
            self.cus.give_split(cu, &resident.demand, &split, groups);
        }
        Some(resident)
    }

    /// Puts back what was lifted, on the same compute units and SIMDs.
    ///
    /// # Errors
    /// Gives it back when something else lies there now, or the launch has started anew; nothing
    /// has changed then.
    pub fn lower(&mut self, mut lifted: Lifted) -> Result<(), Lifted> {
        let of_this_device = lifted.resident.counted.len() == self.cus.len();
        if !of_this_device || self.resident.contains_key(&lifted.launch) {
            return Err(lifted);
        }
        // Taken unit by unit, and given back if one does not fit: parts may share a unit.
        let mut taken = 0;
        let fits = lifted.resident.each_unit().all(|(cu, split, groups)| {
            let fits = self.cus.take_split(cu, &lifted.resident.demand, &split, groups);
            taken += usize::from(fits);
            fits
        });
        if !fits {
            for (cu, split, groups) in lifted.resident.each_unit().take(taken) {
                self.cus.give_split(cu, &lifted.resident.demand, &split, groups);
            }
            return Err(lifted);
        }
        let resident = std::mem::replace(&mut *lifted.resident, Resident::gone());
        self.resident.insert(lifted.launch, resident);
        self.lifted.push(lifted);
        Ok(())
    }
}
