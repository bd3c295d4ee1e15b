//! How much does a workgroup need in granules, given its threads, registers and bytes?

use raddle_policy::Footprint;

use crate::{Device, Vendor};

/// Needs of a workgroup, rounded to granules, whether or not the workgroup fits a compute unit. The
/// register counts are those of one wave.
pub(crate) struct Rounded {
    pub(crate) waves: u64,
    pub(crate) vgpr: u64,
    pub(crate) sgpr: u64,
    pub(crate) lds: u64,
    pub(crate) barriers: u64,
}

impl Device {
    pub(crate) fn round(&self, footprint: &Footprint) -> Rounded {
        // A granule of 0 is refused by `check`; here it counts as 1 so that nothing divides by 0.
        let up = |amount: u32, granule: u32| u64::from(amount.div_ceil(granule.max(1)));
        let waves = up(footprint.threads, self.wave_size);
        let lds_bytes = u64::from(footprint.lds_bytes) + u64::from(self.granules.lds_reserve_bytes);
        Rounded {
            waves,
            vgpr: up(footprint.vgprs_per_thread, self.granules.vgprs_per_lane),
            sgpr: up(footprint.sgprs_per_wave, self.granules.sgprs),
            lds: lds_bytes.div_ceil(u64::from(self.granules.lds_bytes.max(1))),
            barriers: match self.vendor {
                Vendor::Nvidia => 0,
                Vendor::Amd | Vendor::Seed => u64::from(waves > 1),
            },
        }
    }
}
