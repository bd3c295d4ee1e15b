//! How many workgroups does a device hold at once where they come in clusters?
//!
//! The workgroups of a cluster must run together, on compute units of one group (GPC), so units are
//! left over in groups whose size is no multiple of what clusters need. The sizes of groups differ
//! from chip to chip and are documented nowhere. Of an H100 SXM 15 clusters of 8 were counted at
//! once, one workgroup a unit (accel-sim/gpu-app-collection issue 87; 120 of 132 units in
//! NVIDIA/cutlass issue 1921). The sizes here are even, at most 18, and give that number; other
//! sizes would too. H200, H800 and GH200 have the GPU of an H100 SXM, so they are taken to have
//! groups of equal sizes: only the H100 was measured.

use crate::Device;

/// Sizes of the groups (GPCs) of a device, as (id of the device, number of compute units in each
/// group). All workgroups of one cluster run in one group.
const GROUPS: [(&str, &[u16]); 4] =
    [("h100", H100_SXM), ("h200", H100_SXM), ("h800", H100_SXM), ("gh200", H100_SXM)];

const H100_SXM: &[u16] = &[18, 18, 18, 16, 16, 16, 16, 14];

impl Device {
    /// Returns how many workgroups the device holds at the same time, where a compute unit holds
    /// `resident` of them and they come in clusters of `cluster` workgroups that must run together;
    /// a `cluster` of 0 or 1 means that there are no clusters.
    ///
    /// Where the sizes of the groups are not known, or no group holds such a cluster, the answer is
    /// `resident` times the compute units.
    ///
    /// ```
    /// let h100 = raddle_device::find("h100").expect("in the table");
    /// assert_eq!((h100.at_once(1, 1), h100.at_once(1, 8)), (132, 120));
    /// let b200 = raddle_device::find("b200").expect("in the table");
    /// assert_eq!(b200.at_once(2, 8), 2 * u64::from(b200.cus));
    /// ```
    #[must_use]
    pub fn at_once(&self, resident: u32, cluster: u32) -> u64 {
        let all = u64::from(self.cus).saturating_mul(u64::from(resident));
        let (resident, cluster) = (u64::from(resident), u64::from(cluster.max(1)));
        let groups = GROUPS.iter().find(|(id, _)| *id == self.id).map(|(_, groups)| *groups);
        // A part of the device (MIG) has the id, and not all of the groups.
        let whole = |groups: &&[u16]| groups.iter().sum::<u16>() == self.cus;
        let Some(groups) = groups.filter(whole) else { return all };
        let held = |&units: &u16| u64::from(units).saturating_mul(resident) / cluster * cluster;
        match groups.iter().map(held).fold(0, u64::saturating_add) {
            0 => all,
            held => held,
        }
    }
}
