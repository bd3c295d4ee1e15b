//! How many compute units does a device have, of what shape, and in what granules do they hand out
//! resources?
//!
//! Units: capacities in [`CuShape`] are granules; [`Granules`] has the size of each.

use alloc::string::String;

use raddle_policy::CuShape;

use crate::DeviceError;

/// The maker of a device, which decides the rules that differ: barriers and the names in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Vendor {
    /// NVIDIA: a workgroup's barriers come with its workgroup slot, so none are counted.
    Nvidia,
    /// AMD: a workgroup of two or more waves takes one barrier, whether it waits or not.
    Amd,
    /// The example of seed 000, with AMD's rule for barriers.
    Seed,
}

/// The size of one allocation granule of each resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Granules {
    /// 32-bit vector registers of *one lane*; the granule spans all lanes of the wave, so it is
    /// `vgprs_per_lane * wave_size * 4` bytes. NVIDIA hands out 256 registers a warp of 32, which is 8.
    pub vgprs_per_lane: u32,
    /// 32-bit scalar registers of one wave.
    pub sgprs: u32,
    /// Bytes of shared memory (LDS).
    pub lds_bytes: u32,
    /// Bytes of shared memory that every workgroup takes on top of its own demand: 1024 on NVIDIA
    /// from compute capability 8.0 on, else 0. The reserve is added before rounding.
    pub lds_reserve_bytes: u32,
}

/// A GPU, as far as placing workgroups on it and taking them off again is concerned.
///
/// The fields are plain data and may be changed; [`Device::check`] reports whether they make sense.
/// No method panics on any value of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
pub struct Device {
    /// The name of the device in kebab-case, such as `v100`.
    pub id: String,
    /// The product name that the maker uses.
    pub product: String,
    /// The maker of the device.
    pub vendor: Vendor,
    /// Compute units that are enabled.
    pub cus: u16,
    /// Lanes of a wave: 32 on NVIDIA and on AMD's RDNA, 64 on AMD's GCN and CDNA.
    pub wave_size: u32,
    /// The most threads that one workgroup can have.
    pub max_threads_per_workgroup: u32,
    /// The most vector registers that one thread can have.
    pub max_vgprs_per_thread: u32,
    /// The most 32-bit vector registers that all waves of one workgroup can have together, in whole
    /// granules; `None` where that is all that a compute unit has. Devices of compute capability 5.3
    /// and 6.2 give 32,768 of 65,536 (CUDA C++ Programming Guide 12, "Technical Specifications per
    /// Compute Capability"); none of the table gives less than all.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub max_vgprs_per_workgroup: Option<u32>,
    /// The bytes of memory on the device, where they are not those of the data sheet
    /// ([`Device::memory_bytes`]).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub capacity_bytes: Option<u64>,
    /// Peak bandwidth of the device's memory, through which contexts are saved and restored.
    pub memory_bytes_per_us: u64,
    /// The most bytes that one compute unit moves in a microsecond; `None` if not measured, see
    /// [`Device::memory_rates`].
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub unit_bytes_per_us: Option<u64>,
    /// The bandwidth that all compute units together reach; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub reached_bytes_per_us: Option<u64>,
    /// The highest clock of the compute units, in MHz; `None` where no source at hand gives it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub clock_mhz: Option<u32>,
    /// The time from raising a flag until kernels that start see it, in nanoseconds; `None` if not
    /// measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub flag_ns: Option<u64>,
    /// The time of a launch that leaves by the flag, in nanoseconds; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub exit_ns: Option<u64>,
    /// The time of testing the flag in every workgroup, in nanoseconds; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub check_ns: Option<u64>,
    /// The time of killing the work that runs, in nanoseconds (see
    /// [`MEASURED_RESET_NS`](crate::MEASURED_RESET_NS)).
    #[cfg_attr(feature = "serde", serde(alias = "kill-ns"))]
    pub reset_ns: u64,
    /// The time of a save or a restore of a process, beside that of moving its bytes, in
    /// nanoseconds; `None` if not measured.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub switch_ns: Option<u64>,
    /// The sources of the figures, and which figures are assumed.
    pub source: String,
    /// The capacity of one empty compute unit, in granules.
    pub shape: CuShape,
    /// The size of one granule of each resource.
    pub granules: Granules,
}

impl Device {
    /// Checks that the figures can be those of a device.
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

    /// Counts the wave slots of all compute units, which utilisation is measured against.
    #[must_use]
    pub(crate) fn wave_slots(&self) -> u64 {
        u64::from(self.cus) * u64::from(self.shape.waves())
    }
}
