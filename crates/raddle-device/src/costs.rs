//! What does it cost to take work off a device and to bring it back?
//!
//! Units: ticks of 1 ns, bytes. Saving and restoring move a workgroup's registers and shared
//! memory through the device's memory at its peak bandwidth: a lower bound of the real cost.

use raddle_policy::{Demand, Ticks};

use crate::Device;

/// Time that killing the running work takes, in nanoseconds, on every device of the table but the
/// V100.
///
/// The time was measured on an NVIDIA GV100 only: the `XSched` paper (section 7.3, figure 11) gives
/// 32 us as the 99th percentile of its method that interrupts running kernels. This includes the
/// exits of the seven launches behind the killed one. For all other devices the time is an
/// assumption, and the time of an exit alone is not known.
#[doc(hidden)]
pub const MEASURED_RESET_NS: u64 = 32_000;

/// Time in nanoseconds that a launch takes to start, find the preemption flag raised and leave, on
/// an NVIDIA GV100. Source: the raw results of figure 9 of the `XSched` paper
/// (`XpuOS/xsched-artifacts`), where the times of its preemption level 2 begin at this much above
/// the length of a kernel.
pub(crate) const V100_EXIT_NS: u64 = 2_400;

/// Time of a reset (the killing of running work) on an NVIDIA GV100, in nanoseconds. The measured
/// time includes the exits of seven launches, which are subtracted here.
pub(crate) const V100_RESET_NS: u64 = MEASURED_RESET_NS - 7 * V100_EXIT_NS;

/// Time of a hardware context switch on an NVIDIA A100, in nanoseconds, with the moving of the
/// context. It is an upper bound: less than this was added to a request of one urgent process
/// (`GPreempt`, ATC 2025, section 5.3).
pub(crate) const A100_SWITCH_NS: u64 = 40_000;

const REGISTER_BYTES: u64 = 4;

/// Returns the time that moving `bytes` at the bandwidth `bytes_per_us` (bytes per microsecond)
/// takes, rounded up to whole nanoseconds.
///
/// A bandwidth of 0 counts as 1 byte a microsecond; the result saturates.
#[must_use]
#[doc(hidden)]
pub fn moving(bytes: u64, bytes_per_us: u64) -> Ticks {
    let ns = (u128::from(bytes) * 1000).div_ceil(u128::from(bytes_per_us.max(1)));
    Ticks(u64::try_from(ns).unwrap_or(u64::MAX))
}

impl Device {
    /// Returns the bytes of registers and LDS that one workgroup with this demand keeps on the
    /// device, in whole granules.
    ///
    /// The number saturates at `u64::MAX`.
    #[must_use]
    pub fn context_bytes(&self, demand: &Demand) -> u64 {
        let vgpr_granule = u64::from(self.granules.vgprs_per_lane)
            .saturating_mul(u64::from(self.wave_size))
            .saturating_mul(REGISTER_BYTES);
        let sgpr_granule = u64::from(self.granules.sgprs) * REGISTER_BYTES;
        let wave = u64::from(demand.vgpr)
            .saturating_mul(vgpr_granule)
            .saturating_add(u64::from(demand.sgpr) * sgpr_granule);
        let lds = u64::from(demand.lds) * u64::from(self.granules.lds_bytes);
        u64::from(demand.waves).saturating_mul(wave).saturating_add(lds)
    }

    /// Returns the time that saving or restoring `bytes` takes at the device's memory bandwidth,
    /// rounded up to whole nanoseconds.
    ///
    /// A bandwidth of 0 counts as 1 byte a microsecond; the result saturates.
    ///
    /// ```
    /// use raddle_policy::Ticks;
    /// let v100 = raddle_device::find("v100").expect("in the table"); // 900 GB/s
    /// assert_eq!(v100.moving(900_000), Ticks(1000));
    /// assert_eq!(v100.moving(1), Ticks(1));
    /// ```
    #[must_use]
    #[doc(hidden)]
    pub fn moving(&self, bytes: u64) -> Ticks {
        moving(bytes, self.memory_bytes_per_us)
    }
}
