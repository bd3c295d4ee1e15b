//! How many bytes can one compute unit move in a microsecond, and all of them together?
//!
//! One unit alone cannot fill the memory's bandwidth, and all together do not reach the peak. Rates
//! that were not measured are derived; [`MemoryRates::derived`] says so.

use crate::Device;

/// Most bytes that one multiprocessor of an H200 moves in a microsecond. The number was fitted to a
/// recording (`fixtures/h200`) of a decoder with 20 requests a second beside a training loop.
pub(crate) const H200_UNIT_BYTES_PER_US: u64 = 50_000;
/// Assumed bandwidth of one NVIDIA multiprocessor, in percent of its equal part of the peak (the
/// peak divided by the number of multiprocessors). Measurements on an H200
/// ([`H200_UNIT_BYTES_PER_US`]) and on a V100 (public micro-kernels) fit 130 to 140.
const NVIDIA_UNIT_PERCENT: u64 = 135;
/// Bandwidth that all compute units together reach, in percent of the peak. Copies on an H200 reach
/// it; for other devices it is assumed.
const REACHED_PERCENT: u64 = 85;

/// Bandwidths of a device's memory, in bytes per microsecond: the peak, the one that all compute
/// units together reach, and the one of a single unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct MemoryRates {
    /// Peak bandwidth of the memory, in bytes per microsecond.
    pub peak: u64,
    /// Most bytes that all compute units together move in a microsecond, at most the peak.
    pub reached: u64,
    /// Most bytes that one compute unit moves in a microsecond.
    pub unit: u64,
    /// True if the bandwidth of one unit is derived from the peak and the number of units; false if
    /// it was measured.
    pub derived: bool,
}

impl Device {
    /// Returns the bandwidths of the device's memory, in bytes per microsecond. A rate that was not
    /// measured is derived from the peak.
    ///
    /// ```
    /// let of = |id| raddle_device::find(id).expect("in the table").memory_rates();
    /// // Measured for the H200; 1.35 parts of 900 GB/s over 80 multiprocessors.
    /// assert_eq!((of("h200").unit, of("v100").unit), (50_000, 15_187));
    /// assert_eq!((of("h200").reached, of("v100").derived), (4_080_000, true));
    /// ```
    #[must_use]
    #[doc(hidden)]
    pub fn memory_rates(&self) -> MemoryRates {
        let peak = self.memory_bytes_per_us.max(1);
        let part = u128::from(peak) * u128::from(NVIDIA_UNIT_PERCENT)
            / (100 * u128::from(self.cus.max(1)));
        // A part of a u64, at most 1.35 times of one.
        let part = u64::try_from(part).unwrap_or(peak);
        let reached = u128::from(peak) * u128::from(REACHED_PERCENT) / 100;
        let reached = self.reached_bytes_per_us.unwrap_or(reached as u64);
        MemoryRates {
            peak,
            reached: reached.clamp(1, peak),
            unit: self.unit_bytes_per_us.unwrap_or(part).clamp(1, peak),
            derived: self.unit_bytes_per_us.is_none(),
        }
    }
}

/// Returns the most bytes that one compute unit of an AMD device moves in a microsecond; `None` for
/// an instruction set without a measurement. `peak` is the peak bandwidth of the device's memory,
/// in bytes per microsecond.
///
/// Source: rocm-origami 0.0.3, `hardware.hpp` (MIT), which gives the share of the bandwidth that
/// each active unit adds.
pub(crate) const fn amd_unit(arch: &str, peak: u64) -> Option<u64> {
    let permille = match arch.as_bytes() {
        b"gfx90a" => 30,
        b"gfx942" => 15,
        b"gfx950" => 8,
        b"gfx1100" => 110,
        b"gfx1201" => 170,
        _ => return None,
    };
    Some(peak.saturating_mul(permille) / 1000)
}

impl MemoryRates {
    /// Returns the most bytes that `units` compute units move together in a microsecond: as many as
    /// each of them moves, and no more than all units together reach.
    #[must_use]
    pub fn of_units(&self, units: u64) -> u64 {
        self.unit.saturating_mul(units).min(self.reached)
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn amd_units_follow_their_instruction_set_and_others_the_peak() {
        let of = |id| crate::find(id).expect("in the table").memory_rates();
        assert_eq!(of("mi300x").unit, 5_324_800 * 15 / 1000);
        assert_eq!(of("mi210").unit, 1_638_400 * 30 / 1000);
        assert!(!of("mi300x").derived && of("mi100").derived);
        assert_eq!(of("h200").of_units(40), 2_000_000);
        assert_eq!(of("h200").of_units(132), 4_080_000);
    }

    #[test]
    fn no_figure_of_a_file_breaks_the_rates() {
        let mut device = crate::find("h200").expect("in the table");
        (device.unit_bytes_per_us, device.reached_bytes_per_us) = (Some(0), Some(u64::MAX));
        let rates = device.memory_rates();
        assert_eq!((rates.unit, rates.reached), (1, rates.peak));
        (device.memory_bytes_per_us, device.cus) = (u64::MAX, 0);
        assert!(device.memory_rates().unit >= 1 && device.memory_rates().of_units(u64::MAX) > 0);
    }
}
