//! Which ways of sharing a device does its driver offer, and does it offer what a recipe simulates?
//!
//! The table of this file is the only one: `raddle share` tries its ways, and each row of a
//! comparison says by it whether the driver of the device offers the recipe. docs/modes.md has the
//! sources. Times are in nanoseconds.

use raddle_device::{Device, TimeSlices, Vendor};
use raddle_dispatch::{Recipe, Registry};
use serde_json::{Map, Value};

use crate::answer::Offered;
use crate::recipes;

/// Way of sharing a device that the driver of some vendor offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DriverWay {
    /// Processes take turns on the device.
    TimeSlice,
    /// Launches run side by side in queues of their own, the most urgent first: the streams of one
    /// process, on AMD also the queues of several.
    Queues,
    /// Processes run side by side under NVIDIA's MPS.
    Mps,
    /// Processes run side by side under NVIDIA's MPS, the most urgent launch first.
    MpsPriority,
    /// Processes have fixed compute units each, by percentages, execution contexts or masks.
    Partition,
    /// Processes have instances of NVIDIA's MIG.
    Mig,
    /// Processes have equal partitions of an AMD device.
    ComputePartition,
}

impl DriverWay {
    /// Returns the ways of sharing that drivers of this vendor's devices offer, in the order in
    /// which `raddle share` tries them. The example device of a patent has no driver.
    pub(crate) const fn of(vendor: Vendor) -> &'static [Self] {
        use DriverWay::{ComputePartition, Mig, Mps, MpsPriority, Partition, Queues, TimeSlice};
        match vendor {
            Vendor::Nvidia => &[TimeSlice, Mps, MpsPriority, Queues, Partition, Mig],
            Vendor::Amd => &[Queues, TimeSlice, Partition, ComputePartition],
            _ => &[],
        }
    }

    /// Returns the name of the bundled recipe that simulates the way of sharing. Ways that give
    /// processes fixed compute units have one recipe with different shares.
    pub(crate) const fn recipe(self) -> &'static str {
        match self {
            Self::TimeSlice => "time-slice",
            Self::Queues => "streams",
            Self::Mps => "mps",
            Self::MpsPriority => "mps-priority",
            Self::Partition | Self::Mig | Self::ComputePartition => "partition",
        }
    }
}

/// Returns who offers the way of sharing a device that a recipe simulates.
///
/// A driver offers a recipe that has the policies and all settings of the bundled recipe of one of
/// its ways, whatever its name. It may differ in what a user can set up, and in what is not known
/// exactly: the parts of a partition; the length of a turn and the time of a switch within the
/// bounds known of the device. A submission window, slices or costs of its own make a recipe one
/// that nobody can switch on.
pub(crate) fn offered(recipe: &Recipe, device: &Device) -> Offered {
    let slices = device.time_slices();
    let is_in = |ways: &[DriverWay]| {
        let asked = without_parameters(recipe, slices);
        asked.is_some() && ways.iter().any(|way| bundled(*way) == asked)
    };
    if is_in(DriverWay::of(device.vendor)) {
        return Offered::Here;
    }
    match [Vendor::Nvidia, Vendor::Amd].into_iter().any(|vendor| is_in(DriverWay::of(vendor))) {
        true => Offered::Elsewhere,
        false => Offered::Nowhere,
    }
}

/// Returns the settings of the bundled recipe of a way, without its parameters.
fn bundled(way: DriverWay) -> Option<Value> {
    let named = recipes::bundled(way.recipe(), &Registry::bundled()).ok()?;
    without_parameters(&named.recipe, None)
}

/// Returns the settings of a recipe without its description, without what a user of a driver can
/// set, and without what changes nothing. `None` where the turn or the switch lies beyond what is
/// known of the time slices of the device; without `slices` any turn and switch will do.
fn without_parameters(recipe: &Recipe, slices: Option<TimeSlices>) -> Option<Value> {
    let mut value = serde_json::to_value(recipe).ok()?;
    let all = value.as_object_mut()?;
    all.remove("description");
    // Without a submission window copies start as soon as they are ready in any case.
    if !all.contains_key("window") {
        all.remove("copies-apart");
    }
    if let Some(own) = slot(all, "allocate", "spatial") {
        ["shares", "of"].iter().for_each(|key| drop(own.remove(*key)));
    }
    if let Some(own) = slot(all, "turn", "round-robin") {
        let turn_us = own.remove("slice-us")?.as_u64()?;
        let [least, _, most] = slices.map_or([0, 0, u64::MAX], |it| it.turn_ns());
        // A recipe counts turns in whole microseconds.
        if !(least / 1000..=most / 1000).contains(&turn_us) {
            return None;
        }
    }
    if slot(all, "preempt", "never").is_some() {
        // No cost is paid where no work is preempted.
        all.insert("preempt".to_owned(), serde_json::json!({ "policy": "never" }));
    }
    if let Some(own) = slot(all, "preempt", "switch") {
        // Work that is saved and restored neither tests a flag nor is killed.
        let unpaid = ["scope", "flag-ns", "exit-ns", "check-ns", "reset-ns"];
        unpaid.iter().for_each(|key| drop(own.remove(*key)));
        let mut cost = |key: &str| own.remove(key).and_then(|ns| ns.as_u64()).unwrap_or(0);
        let (half, load) = (cost("switch-ns"), cost("load-ns"));
        // A switch saves one process and restores another.
        let [least, _, most] =
            slices.map_or([0, 0, u64::MAX], |it| it.switch_ns().map(|whole| whole / 2));
        if !(least..=most).contains(&half) || load > most {
            return None;
        }
    }
    Some(value)
}

/// Returns the settings of a slot of a recipe if the policy in it is `policy`; else `None`.
fn slot<'r>(
    recipe: &'r mut Map<String, Value>,
    slot: &str,
    policy: &str,
) -> Option<&'r mut Map<String, Value>> {
    let own = recipe.get_mut(slot)?.as_object_mut()?;
    own.get("policy").is_some_and(|name| name == policy).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str) -> Device {
        raddle_device::find(name).expect("it is in the table")
    }

    /// Returns who offers a bundled recipe, on a device, with the lines of its text replaced.
    fn changed(name: &str, on: &str, changes: &[(&str, &str)]) -> Offered {
        let mut text = recipes::text_of(name).expect("it is bundled").to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        offered(&Recipe::parse("mine", &text).expect("it is a recipe"), &device(on))
    }

    #[test]
    fn each_vendor_offers_its_own_ways() {
        use Offered::{Elsewhere, Here, Nowhere};
        for (name, found) in [
            ("mps", [Here, Elsewhere, Elsewhere]),
            ("leftover", [Here, Elsewhere, Elsewhere]),
            ("mps-priority", [Here, Here, Elsewhere]),
            ("streams", [Here, Here, Elsewhere]),
            ("partition", [Here, Here, Elsewhere]),
            ("spatial", [Here, Here, Elsewhere]),
            ("leftover-drain", [Nowhere; 3]),
            ("weighted-slices", [Nowhere; 3]),
            ("request-limit", [Nowhere; 3]),
        ] {
            let told = ["h100", "mi300x", "seed-000"].map(|on| changed(name, on, &[]));
            assert_eq!(told, found, "{name}");
        }
        assert_eq!(changed("time-slice", "h100", &[]), Here);
        assert_eq!(changed("time-slice", "seed-000", &[]), Elsewhere);
    }

    /// Checks recipes of users: only what a driver lets its user set, or what is not known exactly,
    /// may differ from a bundled recipe.
    #[test]
    fn settings_that_nobody_can_switch_on_are_offered_by_nobody() {
        let of = |name: &str, from: &str, to: &str| changed(name, "h100", &[(from, to)]);
        let slices = |us: &str| of("time-slice", "slice-us = 2270", &format!("slice-us = {us}"));
        assert_eq!(["1024", "3000"].map(slices), [Offered::Here; 2]);
        assert_eq!(["300", "1023", "3001"].map(slices), [Offered::Nowhere; 3]);
        let switch = |ns: &str| of("time-slice", "switch-ns = 151500", ns);
        assert_eq!(["switch-ns = 20000", "switch-ns = 178000"].map(switch), [Offered::Here; 2]);
        for ns in ["", "switch-ns = 0", "switch-ns = 178001"] {
            assert_eq!(switch(ns), Offered::Nowhere, "{ns}");
        }
        let more = |key: &str| of("time-slice", "switch-ns", &format!("{key}\nswitch-ns"));
        assert_eq!(more("load-ns = 100000"), Offered::Here);
        assert_eq!(more("load-ns = 500000"), Offered::Nowhere);
        assert_eq!(more("switch-bytes = 1"), Offered::Nowhere);
        assert_eq!(of("time-slice", "window = 1024", "window = 8"), Offered::Nowhere);
        assert_eq!(of("time-slice", "copies-apart = true", ""), Offered::Nowhere);
        assert_eq!(of("mps", "raddle = 1", "raddle = 1\nwindow = 8"), Offered::Nowhere);
        assert_eq!(of("mps", "raddle = 1", "raddle = 1\ncopies-apart = true"), Offered::Here);
        assert_eq!(of("mps", "\"never\"", "\"never\"\nswitch-ns = 9"), Offered::Here);
        assert_eq!(of("mps", "\"never\"", "\"drain\""), Offered::Nowhere);
        let path = "[launch-path]\npolicy = \"ordinary\"\nenqueue-ns = 9\n\n[turn]";
        assert_eq!(of("mps", "[turn]", path), Offered::Nowhere);
        let parts = |keys: &str| of("partition", "\"spatial\"", &format!("\"spatial\"\n{keys}"));
        assert_eq!(parts("shares = [3, 1]\nof = 8"), Offered::Here);
        assert_eq!(parts("shares = [3, 1]\nlimits = [4, 4]"), Offered::Nowhere);
        // The turns of AMD's driver are others than those of the bundled recipe.
        assert_eq!(changed("time-slice", "mi300x", &[]), Offered::Nowhere);
        let amd = [("slice-us = 2270", "slice-us = 10000")];
        assert_eq!(changed("time-slice", "mi300x", &amd), Offered::Here);
    }
}
