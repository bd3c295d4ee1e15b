//! What does a workgroup take of a compute unit, after rounding to granules?
//!
//! Units: a [`Footprint`] in threads, registers and bytes; a [`Demand`] in granules.

use core::fmt;

use raddle_policy::{Demand, Footprint, Resource};

use crate::Device;
use crate::residency::Limits;
use crate::rounded::Rounded;

/// Reason why a workgroup can never run on a device: it does not fit an empty compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unfit {
    /// Resource of which the device has too little. It decides the unit of `wanted` and
    /// `available`: vector registers are those of one thread, waves are counted, all else is in
    /// granules of the whole workgroup.
    pub resource: Resource,
    /// Amount that one workgroup wants, in the unit that `resource` decides; for vector registers,
    /// the amount that one thread wants.
    pub wanted: u64,
    /// Amount that the workgroup can have, in the unit that `resource` decides, always less than
    /// `wanted`. For vector registers it is the most that a thread can have in a workgroup of that
    /// size.
    pub available: u64,
}

impl Unfit {
    /// Reason of refusal for a workgroup without threads, which is malformed rather than too large.
    const NO_THREADS: Self = Self { resource: Resource::Waves, wanted: 1, available: 0 };

    /// Returns whether the refused workgroup has no threads, so that its description must be wrong.
    fn is_malformed(&self) -> bool {
        *self == Self::NO_THREADS
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resource, wanted, available } = self;
        if self.is_malformed() {
            return f.write_str("a workgroup without threads: check the block size in the profile");
        }
        match resource {
            Resource::Vgpr => write!(f, "a thread wants {wanted} vector registers")?,
            Resource::Waves => write!(f, "a workgroup wants {wanted} waves")?,
            _ => write!(f, "a workgroup wants {wanted} granules of {resource}")?,
        }
        write!(f, ", the device has {available} for it: choose another device")
    }
}

impl core::error::Error for Unfit {}

impl Device {
    /// Returns the demand (needs in granules) of one workgroup with the footprint `footprint`
    /// (needs in threads, registers and bytes).
    ///
    /// Each wave gets a whole number of register granules, the workgroup a whole number of LDS
    /// granules, both rounded up; an amount of 0 takes no granule. Where scalar registers never
    /// limit ([`CuShape::sgpr`](raddle_policy::CuShape) is `u16::MAX`), a workgroup fits whatever
    /// their amount is, and the amount saturates.
    ///
    /// ```
    /// use raddle_policy::Footprint;
    /// let a100 = raddle_device::find("a100").expect("in the table");
    /// let gemm = Footprint { threads: 128, vgprs_per_thread: 90, lds_bytes: 3000, ..Default::default() };
    /// let demand = a100.demand(&gemm).expect("it fits");
    /// // 90 registers round up to 12 granules of 8 a lane; 3000 + 1024 bytes to 32 granules of 128.
    /// assert_eq!((demand.waves, demand.vgpr, demand.lds), (4, 12, 32));
    /// ```
    ///
    /// # Errors
    /// [`Unfit`] when no compute unit can ever hold the workgroup, with the first resource that is
    /// short in the order of [`Residency::limiter`](crate::Residency); and when the workgroup has
    /// no threads, of which the error has a text of its own.
    pub fn demand(&self, footprint: &Footprint) -> Result<Demand, Unfit> {
        let rounded = self.round(footprint);
        if let Some(unfit) = self.unfit(footprint, &rounded) {
            return Err(unfit);
        }
        // Only waves can be too many for u16 here, on a shape with over 65,535 wave slots.
        let waves = u16::try_from(rounded.waves).map_err(|_| Unfit {
            resource: Resource::Waves,
            wanted: rounded.waves,
            available: u64::from(u16::MAX),
        })?;
        let narrow = |granules: u64| u16::try_from(granules).unwrap_or(u16::MAX);
        Ok(Demand {
            waves,
            vgpr: narrow(rounded.vgpr),
            sgpr: narrow(rounded.sgpr),
            lds: u32::try_from(rounded.lds).unwrap_or(u32::MAX),
            barriers: narrow(rounded.barriers),
        })
    }

    /// Returns why the workgroup can never run on the device: the first resource, in the order of
    /// `Limits::in_order`, of which an empty compute unit has too little. `None` where the
    /// workgroup fits.
    fn unfit(&self, footprint: &Footprint, rounded: &Rounded) -> Option<Unfit> {
        if rounded.waves == 0 {
            return Some(Unfit::NO_THREADS);
        }
        let limits = Limits::of(self, footprint, rounded);
        let (resource, _) = limits.in_order().into_iter().find(|&(_, limit)| limit == 0)?;
        let shape = &self.shape;
        let (wanted, available) = match resource {
            Resource::Waves => {
                let most = self.max_threads_per_workgroup / self.wave_size.max(1);
                (rounded.waves, u64::from(most.min(shape.waves())))
            }
            Resource::Vgpr => {
                (u64::from(footprint.vgprs_per_thread), self.most_vgprs(rounded.waves))
            }
            Resource::Sgpr => (rounded.sgpr * rounded.waves, u64::from(shape.sgpr)),
            Resource::Lds => (rounded.lds, u64::from(shape.lds)),
            Resource::Barriers => (rounded.barriers, u64::from(shape.barriers)),
            _ => (1, u64::from(shape.workgroups)),
        };
        Some(Unfit { resource, wanted, available })
    }

    /// Returns the most vector registers that each thread of a workgroup of `waves` waves can have.
    fn most_vgprs(&self, waves: u64) -> u64 {
        let waves_a_simd = waves.div_ceil(u64::from(self.shape.simds).max(1)).max(1);
        let granules = u64::from(self.shape.vgpr_per_simd) / waves_a_simd;
        let registers = granules * u64::from(self.granules.vgprs_per_lane.max(1));
        let most = u64::from(self.max_vgprs_per_thread).min(self.vgprs_by_workgroup(waves));
        registers.min(most)
    }

    /// Returns the most vector registers that each thread of a workgroup of `waves` waves can have
    /// by the device's limit for one workgroup alone; `u64::MAX` where there is no such limit.
    pub(crate) fn vgprs_by_workgroup(&self, waves: u64) -> u64 {
        let Some(most) = self.max_vgprs_per_workgroup else { return u64::MAX };
        let granule = u64::from(self.granules.vgprs_per_lane.max(1));
        let lanes = waves.max(1).saturating_mul(u64::from(self.wave_size.max(1)));
        u64::from(most) / lanes / granule * granule
    }
}
