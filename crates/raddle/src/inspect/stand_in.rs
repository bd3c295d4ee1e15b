//! What other crates are about to answer, until they do.

use raddle_device::Device;
use raddle_types::Footprint;

/// Whether a kernel of this name moves data between devices.
pub(super) fn is_communication(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["nccl", "rccl", "deep_ep"].iter().any(|library| name.contains(library))
}

/// Work-items resident on a compute unit on average, over those that fit, in tenths of a percent:
/// `min(workgroups / CUs, resident) x work-items / most work-items`.
pub(super) fn achieved_occupancy_tenths(
    device: &Device,
    footprint: &Footprint,
    workgroups: u64,
) -> u64 {
    let cus = u128::from(device.cus.max(1));
    let resident = u128::from(device.residency(footprint).workgroups);
    let on_device = u128::from(workgroups).min(resident * cus);
    let most = u128::from(device.shape.waves()) * u128::from(device.wave_size) * cus;
    let tenths = on_device * u128::from(footprint.threads) * 1000 / most.max(1);
    u64::try_from(tenths).unwrap_or(u64::MAX)
}
