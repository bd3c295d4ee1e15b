//! Which ways of sharing that people ask about by name are not tried on a device, and why?
//!
//! MPS and MIG are NVIDIA's. docs/modes.md says, with sources, what AMD devices have in their
//! place.

use raddle_device::{Device, Vendor};

use super::mig;
use super::modes::{has_compute_partitions, left_out};
use super::parts::Tenants;

/// Returns the ways of sharing a device that people ask about, such as MPS or MIG, and that are not
/// tried on this device with these tenants. Each is a clause with the reason.
pub(crate) fn not_tried(device: &Device, tenants: &Tenants) -> Vec<String> {
    if tenants.len() < 2 {
        return Vec::new();
    }
    let mut told = left_out(device, tenants);
    match device.vendor {
        Vendor::Nvidia => {
            let id = &device.id;
            told.extend(
                mig::most(device).is_none().then(|| format!("no mig: {id} has no instances")),
            );
            let equal = "no mps-priority: without --requests or --priority nobody is more urgent";
            told.extend((!tenants.by_level).then(|| equal.to_owned()));
        }
        Vendor::Amd => {
            let parts = if has_compute_partitions(device) { ", compute-partition" } else { "" };
            told.push(format!(
                "no mps or mig (NVIDIA's): AMD has streams, time-slice, partition{parts}"
            ));
        }
        _ => told.push("no other way than streams: the device has no driver".to_owned()),
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_ask_for_is_tried_or_told() {
        let of = |device: &str, by_level: bool| {
            let device = raddle_device::find(device).expect("it is known");
            not_tried(&device, &Tenants::strangers(2, by_level))
        };
        assert_eq!(of("h100", true), [""; 0]);
        assert_eq!(of("v100", true), ["no mig: v100 has no instances"]);
        let equal = "no mps-priority: without --requests or --priority nobody is more urgent";
        assert_eq!(of("h100", false), [equal]);
        let unknown = "no mig: the compute units of the larger instances of b200 are not published";
        assert_eq!(of("b200", true), [unknown]);
        let [amd] = &of("mi300x", true)[..] else { panic!("one clause") };
        let told = "no mps or mig (NVIDIA's): AMD has streams, time-slice, partition";
        assert_eq!(*amd, format!("{told}, compute-partition"));
        assert_eq!(of("mi100", true), [told]);
        let none = ["no other way than streams: the device has no driver"];
        assert_eq!(of("seed-000", true), none);
        let alone = raddle_device::find("v100").expect("it is known");
        assert_eq!(not_tried(&alone, &Tenants::strangers(1, true)), [""; 0]);
    }
}
