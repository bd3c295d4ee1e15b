//! Does a driver offer the recommended way of sharing, and if none does, which way that can be
//! switched on comes nearest?
//!
//! Commands are those of docs/modes.md.

use raddle_device::Vendor;
use raddle_dispatch::Recipe;
use serde::Serialize;

use crate::answer::Offered;

/// Recommended recipe (set of scheduling policies) that the driver of the device does not offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NotOffered {
    /// Name of the recommended recipe (set of policies).
    pub recipe: String,
    /// Name of the way of sharing the device that its driver offers and that is most similar to the
    /// recipe; `None` where the device has no driver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<&'static str>,
    /// Command, variable or call that makes the driver share the device in the way `nearest`;
    /// `None` where the device has no driver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
    /// Name of the best recipe among those compared that the driver offers; `None` where there is
    /// none, or where settings of one recipe are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// True if a driver offers the recipe for devices of another vendor alone.
    #[serde(skip)]
    elsewhere: bool,
}

impl NotOffered {
    /// Returns what the driver of a device of this vendor offers that is most similar to a recipe
    /// (set of scheduling policies), for this number of processes; `None` where it offers the
    /// recipe itself.
    pub(crate) fn of(
        (name, offered): (&str, Offered),
        recipe: &Recipe,
        (vendor, processes): (Vendor, usize),
    ) -> Option<Self> {
        let [_, turn, allocate, _] = recipe.policies();
        let level = turn == "highest-level";
        let nearest = match (vendor, processes > 1, allocate) {
            (Vendor::Nvidia, false, _) => Some(("streams", "cudaStreamCreateWithPriority")),
            (Vendor::Amd, false, _) => Some(("streams", "hipStreamCreateWithPriority")),
            (Vendor::Nvidia, _, "spatial") => {
                Some(("partition", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"))
            }
            (Vendor::Amd, _, "spatial") => Some(("partition", "HSA_CU_MASK")),
            (Vendor::Nvidia, ..) if level => Some(("mps-priority", "CUDA_MPS_CLIENT_PRIORITY")),
            (Vendor::Nvidia, ..) if turn == "everyone" => {
                Some(("mps", "nvidia-cuda-mps-control -d"))
            }
            (Vendor::Nvidia, ..) => {
                Some(("time-slice", "nvidia-smi compute-policy --set-timeslice"))
            }
            (Vendor::Amd, ..) if turn == "everyone" || level => {
                Some(("streams", "the default: set nothing"))
            }
            (Vendor::Amd, ..) => Some(("time-slice", "enforce_isolation")),
            _ => None,
        };
        let (nearest, by) = nearest.unzip();
        let (recipe, elsewhere) = (name.to_owned(), offered == Offered::Elsewhere);
        let found = Self { recipe, nearest, by, best: None, elsewhere };
        (offered != Offered::Here).then_some(found)
    }

    /// Returns a line that says that the driver of the device does not offer the recipe, and what it
    /// offers that is most similar.
    #[must_use]
    pub fn text(&self) -> String {
        let by = if self.elsewhere { "not by this device's driver" } else { "by no driver" };
        match self.nearest.zip(self.by) {
            Some((nearest, command)) => format!("{by}; nearest is {nearest} ({command})"),
            None => format!("{by}; this device has none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{self, DriverWay};
    use crate::recipes;

    /// Returns what the driver of a device offers that is nearest to a bundled recipe.
    fn not_offered(name: &str, device: &str, processes: usize) -> Option<NotOffered> {
        let named = recipes::bundled(name, &raddle_dispatch::Registry::bundled()).unwrap();
        let device = raddle_device::find(device).unwrap();
        let recipe = named.in_turns_of(&device).unwrap().recipe;
        let offered = driver::offered(&recipe, &device);
        NotOffered::of((name, offered), &recipe, (device.vendor, processes))
    }

    fn nearest(name: &str, device: &str, processes: usize) -> Option<&'static str> {
        not_offered(name, device, processes).and_then(|it| it.nearest)
    }

    #[test]
    fn every_bundled_recipe_is_offered_or_has_a_nearest_way() {
        let fixed = ["leftover", "spatial", "time-slice", "streams", "mps", "mps-priority"];
        let nvidia = [&fixed[..], &["partition"]].concat();
        let amd = ["spatial", "time-slice", "streams", "mps-priority", "partition"];
        for (device, offered) in [("h100", &nvidia[..]), ("mi300x", &amd)] {
            let vendor = raddle_device::find(device).unwrap().vendor;
            let ways: Vec<&str> = DriverWay::of(vendor).iter().map(|way| way.recipe()).collect();
            for (name, processes) in recipes::texts().flat_map(|(name, _)| [(name, 1), (name, 2)]) {
                let found = not_offered(name, device, processes);
                assert_eq!(found.is_none(), offered.contains(&name), "{name}: {found:?}");
                let nearest = found.map(|it| it.nearest.expect("the device has a driver"));
                assert!(nearest.is_none_or(|it| ways.contains(&it)), "{name}: {nearest:?}");
            }
        }
        let text = |name: &str, device: &str| not_offered(name, device, 2).unwrap().text();
        let told = "not by this device's driver; nearest is streams (the default: set nothing)";
        assert_eq!(text("mps", "mi300x"), told);
        assert_eq!(
            text("streams", "seed-000"),
            "not by this device's driver; this device has none"
        );
        assert_eq!(text("matching", "seed-000"), "by no driver; this device has none");
    }

    #[test]
    fn the_nearest_way_is_one_of_the_device() {
        let nvidia = |name| nearest(name, "h100", 2);
        assert_eq!(nvidia("leftover-drain"), Some("mps-priority"));
        assert_eq!(nvidia("leftover-reset"), Some("mps-priority"));
        assert_eq!(nvidia("weighted-slices"), Some("time-slice"));
        assert_eq!(nvidia("matching"), Some("mps"));
        assert_eq!(nvidia("request-limit"), Some("partition"));
        assert_eq!(nearest("leftover-drain", "h100", 1), Some("streams"));
        assert_eq!(nearest("block-warp", "mi300x", 2), Some("streams"));
        assert_eq!(nearest("weighted-slices", "mi300x", 2), Some("time-slice"));
    }
}
