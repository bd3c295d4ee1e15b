//! Which figures of a device, such as its memory bandwidth, may a fit to measured programs change,
//! and which values of them does it try?

use raddle_device::Device;
use raddle_sim::DemandRule;

/// Figure of a device, such as the length of a time slice, that can be fitted to the measured times
/// of two programs that ran side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenFigure {
    /// Key of the figure in a device file; it ends with the unit, such as `-ns` or `-permille`.
    pub(super) key: &'static str,
    /// True if the figure matters only where processes take turns on the device; false if it
    /// matters only where they run side by side.
    pub(super) in_turns: bool,
    get: fn(&Device) -> u64,
    set: fn(&mut Device, u64),
    /// Function that returns the values which the fit tries for a device, in addition to the value
    /// that the device has.
    values: fn(&Device) -> Vec<u64>,
}

/// Figures of a device that are fitted, in the order of the fit: the largest effect first.
pub(super) const OPEN: [OpenFigure; 6] = [
    OpenFigure {
        key: "memory-permille",
        in_turns: false,
        get: |device| DemandRule::expected(device).memory,
        set: |device, value| device.memory_permille = Some(value),
        values: |_| vec![600, 700, 750, 800, 850, 900],
    },
    OpenFigure {
        key: "reached-bytes-per-us",
        in_turns: false,
        get: |device| device.memory_rates().reached,
        set: |device, value| device.reached_bytes_per_us = Some(value),
        values: |device| parts(device.memory_rates().peak, &[750, 800, 850, 900, 950]),
    },
    OpenFigure {
        key: "compute-permille",
        in_turns: false,
        get: |device| DemandRule::expected(device).compute,
        set: |device, value| device.compute_permille = Some(value),
        values: |_| vec![0, 125, 250, 375, 500],
    },
    OpenFigure {
        key: "unit-bytes-per-us",
        in_turns: false,
        get: |device| device.memory_rates().unit,
        set: |device, value| device.unit_bytes_per_us = Some(value),
        values: |device| {
            let equal = device.memory_rates().peak / u64::from(device.cus.max(1));
            parts(equal, &[1000, 1150, 1300, 1350, 1400, 1600, 2000])
        },
    },
    OpenFigure {
        key: "turn-ns",
        in_turns: true,
        get: |device| device.time_slices().map_or(0, |slices| slices.turn_ns()[1]),
        set: |device, value| device.turn_ns = Some([value; 3]),
        values: |_| vec![1_024_000, 1_500_000, 2_000_000, 2_270_000, 2_500_000, 3_000_000],
    },
    OpenFigure {
        key: "turn-switch-ns",
        in_turns: true,
        get: |device| device.time_slices().map_or(0, |slices| slices.switch_ns()[1]),
        set: |device, value| device.turn_switch_ns = Some([value; 3]),
        values: |_| vec![40_000, 120_000, 200_000, 303_000, 356_000],
    },
];

/// Returns `whole` times each number of thousandths in `permille`, rounded down, but at least 1.
fn parts(whole: u64, permille: &[u64]) -> Vec<u64> {
    permille.iter().map(|of| (whole.saturating_mul(*of) / 1000).max(1)).collect()
}

impl OpenFigure {
    /// Returns the value of the figure in the description of a device, or the value that the model
    /// assumes where the description has none.
    pub(super) fn of(&self, device: &Device) -> u64 {
        (self.get)(device)
    }

    /// Returns a copy of the device in which the figure has the value `value`.
    pub(super) fn with(&self, device: &Device, value: u64) -> Device {
        let mut device = device.clone();
        (self.set)(&mut device, value);
        device
    }

    /// Returns the values of the figure that the fit tries for a device, ascending, with the value
    /// that the device has.
    pub(super) fn tried(&self, device: &Device) -> Vec<u64> {
        let mut all = (self.values)(device);
        all.push(self.of(device));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Sets the figure in the description of a device to `value`, with the bounds `least` and
    /// `most`. Only lengths of time slices and of switches have bounds in a description.
    pub(super) fn bound(&self, device: &mut Device, [least, value, most]: [u64; 3]) {
        (self.set)(device, value);
        match self.key {
            "turn-ns" => device.turn_ns = Some([least, value, most]),
            "turn-switch-ns" => device.turn_switch_ns = Some([least, value, most]),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_that_is_tried_can_be_that_of_a_device() {
        let h200 = raddle_device::find("h200").expect("in the table");
        for figure in OPEN {
            let tried = figure.tried(&h200);
            assert!(tried.contains(&figure.of(&h200)) && tried.is_sorted(), "{}", figure.key);
            for value in tried {
                let other = figure.with(&h200, value);
                assert_eq!((figure.of(&other), other.check()), (value, Ok(())), "{}", figure.key);
            }
        }
    }
}
