//! How much device memory did the allocator of PyTorch hold at its peak?
//!
//! An instant event `[memory]` follows each allocation and each release, where the profiler records memory. It has the
//! totals of the device, in bytes; memory of contexts and of other allocators is not in them.

use std::collections::BTreeMap;

use super::event::KinetoEvent;
use crate::decimal::natural;
use crate::import::document::string;

/// Numbers of the device types CUDA and HIP in PyTorch.
const GPUS: [u64; 2] = [1, 6];

const ARGS: [&str; 4] = ["Device Type", "Device Id", "Total Reserved", "Total Allocated"];

/// Largest number of bytes of device memory that PyTorch's allocator held at once, by the number of
/// the device.
#[derive(Debug, Default)]
pub(super) struct AllocatorPeaks(BTreeMap<u64, u64>);

impl AllocatorPeaks {
    /// Reads an event, if it gives the size of the device memory that PyTorch's allocator holds;
    /// returns whether it does.
    pub(super) fn take(&mut self, event: &KinetoEvent<'_>) -> bool {
        if event.name.and_then(string).is_none_or(|name| name != "[memory]") {
            return false;
        }
        let [kind, device, reserved, allocated] = event.args(&ARGS).map(|it| it.and_then(natural));
        if kind.is_some_and(|kind| GPUS.contains(&kind)) {
            let held = reserved.unwrap_or(0).max(allocated.unwrap_or(0));
            let peak = self.0.entry(device.unwrap_or(0)).or_default();
            *peak = held.max(*peak);
        }
        true
    }

    /// Returns the largest number of bytes that PyTorch's allocator held on a device; for events
    /// without device numbers, that of the only device. `None` where no event gives a size.
    pub(super) fn on(&self, device: Option<u64>) -> Option<u64> {
        let named = device.and_then(|device| self.0.get(&device));
        let only = self.0.values().next().filter(|_| self.0.len() == 1);
        named.or(only).copied().filter(|&bytes| bytes > 0)
    }
}
