//! How much memory does a device have?
//!
//! The numbers are those of the boards' data sheets, in GB. Of most cards these GB are GiB, of
//! which the driver and error correction keep some percent: an H100 of 80 GB shows 85.0 * 10^9
//! bytes.

use crate::Device;

/// Memory of devices by data sheets, as (id of a device, gigabytes). NVIDIA: data sheets of V100
/// (16 and 32 GB), T4, A100 (40 and 80 GB), A30, A10, A40, RTX A6000, L4, L40, L40S, RTX 6000 Ada,
/// H100, H20, H200, GH200 (96 GB), DGX B200, GB200 NVL72, RTX PRO 6000 Blackwell; GeForce product
/// pages. AMD: data sheets of the Instinct cards (an MI250 has 128 GB on two dies) and Radeon
/// product pages.
const GIGABYTES: &[(&str, u64)] = &[
    ("v100", 16),
    ("v100-32gb", 32),
    ("t4", 16),
    ("rtx-2080-ti", 11),
    ("a100", 40),
    ("a100-80gb", 80),
    ("a100-80gb-pcie", 80),
    ("a30", 24),
    ("a10", 24),
    ("a40", 48),
    ("rtx-a6000", 48),
    ("rtx-3080", 10),
    ("rtx-3090", 24),
    ("rtx-4080", 16),
    ("rtx-4090", 24),
    ("rtx-6000-ada", 48),
    ("l4", 24),
    ("l40", 48),
    ("l40s", 48),
    ("h100", 80),
    ("h100-pcie", 80),
    ("h800", 80),
    ("h200", 141),
    ("gh200", 96),
    ("h20", 96),
    ("b200", 180),
    ("gb200", 186),
    ("rtx-5080", 16),
    ("rtx-5090", 32),
    ("rtx-pro-6000-workstation", 96),
    ("rtx-pro-6000-server", 96),
    ("r9-nano", 4),
    ("mi50", 16),
    ("mi100", 32),
    ("mi210", 64),
    ("mi250", 64),
    ("mi250x", 64),
    ("mi300x", 192),
    ("mi300a", 128),
    ("mi308x", 192),
    ("mi325x", 256),
    ("mi350x", 288),
    ("mi355x", 288),
    ("rx-7900-xtx", 24),
    ("rx-7800-xt", 16),
    ("rx-9070-xt", 16),
];

impl Device {
    /// Returns the bytes of memory on the device, with GB of 10^9 bytes; `None` where neither the
    /// device's own description nor a data sheet gives them, such as for devices that share the
    /// memory of the host.
    ///
    /// ```
    /// let h200 = raddle_device::find("h200").expect("it is in the table");
    /// assert_eq!(h200.memory_bytes(), Some(141_000_000_000));
    /// ```
    #[must_use]
    #[doc(hidden)]
    pub fn memory_bytes(&self) -> Option<u64> {
        self.capacity_bytes.or_else(|| Some(self.gigabytes()? * 1_000_000_000))
    }

    /// Returns the most bytes of memory that drivers report for this device: the number in its
    /// description, or else that of the data sheet read as GiB. `None` where
    /// [`Device::memory_bytes`] is `None`.
    ///
    /// ```
    /// let h100 = raddle_device::find("h100").expect("it is in the table");
    /// assert_eq!(h100.most_memory_bytes(), Some(80 << 30));
    /// ```
    #[must_use]
    #[doc(hidden)]
    pub fn most_memory_bytes(&self) -> Option<u64> {
        self.capacity_bytes.or_else(|| Some(self.gigabytes()? << 30))
    }

    /// Returns the gigabytes of the device's memory by its data sheet; `None` where raddle's table
    /// lacks the device.
    fn gigabytes(&self) -> Option<u64> {
        GIGABYTES.iter().find(|(id, _)| *id == self.id).map(|&(_, gigabytes)| gigabytes)
    }
}
