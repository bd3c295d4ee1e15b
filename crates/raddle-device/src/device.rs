//! How many compute units does a device have, of what shape, and in what granules do they hand out
//! resources?
//!
//! Units: capacities in [`CuShape`] are granules; [`Granules`] has the size of each.

use alloc::string::String;

use raddle_policy::CuShape;

use crate::DeviceError;

/// Maker of a device, which decides the rules that differ: barriers and the names in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Vendor {
    /// NVIDIA: the barriers of a workgroup come with its workgroup slot, so none are counted.
    Nvidia,
    /// AMD: a workgroup of two or more waves takes one barrier, whether it waits or not.
    Amd,
    /// The example of seed 000, with AMD's rule for barriers.
    Seed,
}

/// Sizes of one allocation granule of each resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Granules {
    /// Number of 32-bit vector registers of *one lane* in a granule, which spans all lanes of the
    /// wave: it is `vgprs_per_lane * wave_size * 4` bytes. NVIDIA hands out 256 registers a warp of
    /// 32, which is 8 a lane.
    pub vgprs_per_lane: u32,
    /// Number of 32-bit scalar registers of one wave in a granule.
    pub sgprs: u32,
    /// Number of bytes of shared memory (LDS) in a granule.
    pub lds_bytes: u32,
    /// Number of bytes of shared memory that every workgroup takes on top of its own demand: 1024
    /// on NVIDIA from compute capability 8.0 on, else 0. These bytes are added before rounding.
    pub lds_reserve_bytes: u32,
}

/// Data of a GPU that matter for placing workgroups on it and for taking them off again.
///
/// The fields are plain data and may be changed; [`Device::check`] reports whether they make sense.
/// No method panics on any value of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Device {
    /// Name of the device in kebab-case, such as `v100`.
    pub id: String,
    /// Name of the product that its maker uses.
    pub product: String,
    /// Maker of the device.
    pub vendor: Vendor,
    /// Number of compute units that are enabled.
    pub cus: u16,
    /// Number of lanes of a wave: 32 on NVIDIA and on AMD's RDNA, 64 on AMD's GCN and CDNA.
    pub wave_size: u32,
    /// Most threads that one workgroup can have.
    pub max_threads_per_workgroup: u32,
    /// Most 32-bit vector registers that one thread can have.
    pub max_vgprs_per_thread: u32,
    /// Most 32-bit vector registers that all waves of one workgroup can have together, in whole
    /// granules; `None` where a workgroup can have all that a compute unit has. Devices of compute
    /// capability 5.3 and 6.2 give 32,768 of 65,536 (CUDA C++ Programming Guide 12, "Technical
    /// Specifications per Compute Capability"); no device of the table gives less than all.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub max_vgprs_per_workgroup: Option<u32>,
    /// Bytes of memory on the device; `None` where the data sheet's figure holds
    /// ([`Device::memory_bytes`]).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub capacity_bytes: Option<u64>,
    /// Peak bandwidth of the device's memory, in bytes per microsecond, at which contexts are saved
    /// and restored.
    pub memory_bytes_per_us: u64,
    /// Most bytes that one compute unit moves in a microsecond; `None` if not measured, see
    /// [`Device::memory_rates`].
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub unit_bytes_per_us: Option<u64>,
    /// Bandwidth that all compute units together reach, in bytes per microsecond; `None` if not
    /// measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub reached_bytes_per_us: Option<u64>,
    /// Highest clock of the compute units, in MHz; `None` where no known source gives it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub clock_mhz: Option<u32>,
    /// Time from raising a flag until kernels that start see it, in nanoseconds; `None` if not
    /// measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub flag_ns: Option<u64>,
    /// Time that a launch takes to leave by the flag, in nanoseconds; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub exit_ns: Option<u64>,
    /// Time that a workgroup takes to test the flag, in nanoseconds, where every workgroup tests
    /// it; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub check_ns: Option<u64>,
    /// Time of killing the work that runs, in nanoseconds (see
    /// [`MEASURED_RESET_NS`](crate::MEASURED_RESET_NS)).
    #[cfg_attr(feature = "serde", serde(alias = "kill-ns"))]
    pub reset_ns: u64,
    /// Time of a save or a restore of a process, in nanoseconds, in addition to the time of moving
    /// its bytes; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_ns: Option<u64>,
    /// Sources of the figures, with the figures that are assumed.
    pub source: String,
    /// Resources of one empty compute unit, in granules.
    pub shape: CuShape,
    /// Sizes of one granule of each resource.
    pub granules: Granules,
}

impl Device {
    /// Checks that the figures can be those of a real device.
    ///
    /// # Errors
    /// [`DeviceError`] when the shape is impossible, or a figure is 0 that must not be.
    pub fn check(&self) -> Result<(), DeviceError> {
        let name = || self.id.clone();
        self.shape.check().map_err(|error| DeviceError::Shape { name: name(), error })?;
        let positive = [
            ("cus", u64::from(self.cus)),
            ("wave-size", u64::from(self.wave_size)),
            ("max-threads-per-workgroup", u64::from(self.max_threads_per_workgroup)),
            ("max-vgprs-per-thread", u64::from(self.max_vgprs_per_thread)),
            ("max-vgprs-per-workgroup", self.max_vgprs_per_workgroup.map_or(1, u64::from)),
            ("memory-bytes-per-us", self.memory_bytes_per_us),
            ("unit-bytes-per-us", self.unit_bytes_per_us.unwrap_or(1)),
            ("reached-bytes-per-us", self.reached_bytes_per_us.unwrap_or(1)),
            ("clock-mhz", self.clock_mhz.map_or(1, u64::from)),
            ("granules.vgprs-per-lane", u64::from(self.granules.vgprs_per_lane)),
            ("granules.sgprs", u64::from(self.granules.sgprs)),
            ("granules.lds-bytes", u64::from(self.granules.lds_bytes)),
        ];
        match positive.iter().find(|(_, value)| *value == 0) {
            Some(&(what, _)) => Err(DeviceError::Impossible { name: name(), what }),
            None => Ok(()),
        }
    }

    /// Returns the number of wave slots of all compute units, against which utilisation is
    /// measured.
    #[must_use]
    pub(crate) fn wave_slots(&self) -> u64 {
        u64::from(self.cus) * u64::from(self.shape.waves())
    }
}
