//! Which device's work is kept, where a file holds the work of several devices?

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::error::TraceError;

/// Devices that a file names, each with the number of its kernels and the numbers by which the file
/// names it.
#[derive(Debug)]
pub(super) struct Devices<K>(BTreeMap<K, DeviceUse>);

#[derive(Debug, Default)]
struct DeviceUse {
    kernels: u64,
    numbers: BTreeSet<Option<u64>>,
}

impl<K: Ord + Clone> Devices<K> {
    pub(super) fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Counts one kernel that ran on `device`; `number` is the number by which the file names the
    /// device, `None` where it has none.
    pub(super) fn kernel(&mut self, device: &K, number: Option<u64>) {
        if !self.0.contains_key(device) {
            self.0.insert(device.clone(), DeviceUse::default());
        }
        if let Some(seen) = self.0.get_mut(device) {
            seen.kernels += 1;
            seen.numbers.insert(number);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the numbers by which the file names `device`.
    #[cfg(feature = "sqlite")]
    pub(super) fn numbers(&self, device: &K) -> impl Iterator<Item = u64> {
        self.0.get(device).into_iter().flat_map(|seen| seen.numbers.iter().copied().flatten())
    }

    /// Returns the device with the most kernels (the first of equal ones) among the devices with
    /// the number `wanted`, or among all devices where that is `None`.
    ///
    /// # Errors
    /// Where no kernel ran on a device of that number, or on any.
    pub(super) fn choose(&self, file: &str, wanted: Option<u32>) -> Result<K, TraceError> {
        let fits = |seen: &DeviceUse| {
            wanted.is_none_or(|wanted| seen.numbers.contains(&Some(u64::from(wanted))))
        };
        let fitting = self.0.iter().filter(|(_, seen)| fits(seen));
        // With `Reverse`, `min_by_key` takes the first of the devices with equal counts.
        let most = fitting.min_by_key(|(_, seen)| Reverse(seen.kernels));
        if let Some((key, _)) = most {
            return Ok(key.clone());
        }
        let file = file.to_owned();
        let Some(wanted) = wanted else {
            let categories = "it holds no kernels at all".to_owned();
            return Err(TraceError::NoKernels { file, categories });
        };
        let numbers: BTreeSet<_> =
            self.0.values().flat_map(|seen| seen.numbers.iter().copied()).collect();
        let name = |number: Option<u64>| {
            number.map_or("an unnamed device".to_owned(), |n| format!("device {n}"))
        };
        let seen: Vec<_> = numbers.into_iter().map(name).collect();
        Err(TraceError::NoSuchDevice { file, wanted, seen: seen.join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_kernels_win_and_a_number_may_stand_for_two_devices() {
        let mut devices = Devices::new();
        for (key, number) in [("b", 0), ("a", 0), ("a", 0), ("c", 1), ("c", 1)] {
            devices.kernel(&key, Some(number));
        }
        assert_eq!(devices.choose("x", None).unwrap(), "a");
        assert_eq!(devices.choose("x", Some(1)).unwrap(), "c");
        assert_eq!(devices.choose("x", Some(0)).unwrap(), "a");
        let error = devices.choose("x", Some(7)).unwrap_err().to_string();
        assert_eq!(error, "x holds no kernel of device 7: its kernels ran on device 0, device 1");
    }
}
