//! What part of the device's wave slots does a launch fill, as a profiler estimates it?
//!
//! Unit: tenths of a percent of the work-items that all compute units can hold.

use raddle_policy::Footprint;

use crate::Device;

impl Device {
    /// Returns the occupancy that `workgroups` workgroups of one footprint can achieve, alone on
    /// the device and spread evenly, in tenths of a percent (rounded to nearest, halves up). The
    /// formula is `min(workgroups / CUs, residency) * work-items / work-items of a CU`, where
    /// residency is the number of workgroups that an empty CU holds.
    ///
    /// PyTorch's profiler writes this figure as `est. achieved occupancy %`, in coarser steps. The
    /// work-items of a last, partly filled wave count as they are, not as a whole wave. The
    /// occupancy is 0 where not even one workgroup fits, and never above 1000.
    ///
    /// ```
    /// use raddle_policy::Footprint;
    /// let v100 = raddle_device::find("v100").expect("in the table");
    /// let gemm = Footprint { threads: 256, vgprs_per_thread: 57, ..Default::default() };
    /// // 128 workgroups on 80 CUs are 1.6 a CU: 409.6 of 2048 work-items.
    /// assert_eq!(v100.achieved_occupancy_tenths(&gemm, 128), 200);
    /// // However many there are, 4 are resident: 1024 of 2048.
    /// assert_eq!(v100.achieved_occupancy_tenths(&gemm, 1 << 40), 500);
    /// ```
    #[must_use]
    pub fn achieved_occupancy_tenths(&self, footprint: &Footprint, workgroups: u64) -> u64 {
        let wide = u128::from;
        let resident = wide(self.residency(footprint).workgroups) * u128::from(self.cus);
        let used = wide(footprint.threads) * resident.min(u128::from(workgroups));
        let capacity = u128::from(self.wave_slots()) * wide(self.wave_size);
        let tenths = (2000 * used + capacity).checked_div(2 * capacity).unwrap_or(0);
        u64::try_from(tenths).unwrap_or(u64::MAX)
    }
}
