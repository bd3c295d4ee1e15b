//! Does a driver offer the recommended way of sharing, and if none does, which way that can be
//! switched on comes nearest?
//!
//! A recipe says by its policies what it does, so recipes of users are judged too. Commands are
//! those of docs/modes.md.

use raddle_device::Vendor;
use raddle_dispatch::Recipe;
use raddle_workgroup::SpatialConfig;
use serde::Serialize;

/// Recommended recipe (set of scheduling policies) that no driver offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NotOffered {
    /// Name of the recommended recipe (set of policies).
    pub recipe: String,
    /// Name of the way of sharing the device that a driver offers and that is most similar to the
    /// recipe.
    pub nearest: &'static str,
    /// Command, variable or call that makes a driver share the device in the way `nearest`.
    pub by: &'static str,
    /// Name of the best recipe among those compared that a driver offers; `None` where there is
    /// none, or where settings of one recipe are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
}

/// Returns whether the driver of some device offers the way of sharing that a recipe simulates, by
/// the policies of the recipe.
pub(crate) fn is_offered(recipe: &Recipe) -> bool {
    let lends = recipe.allocate().settings().is_some_and(|config: &SpatialConfig| config.lend());
    let [path, turn, allocate, preempt] = recipe.policies();
    match (path, turn, allocate, preempt) {
        ("ordinary", "everyone", "leftover", "never")
        | ("ordinary", "round-robin", "leftover", "switch") => true,
        ("ordinary", "everyone", "spatial", "never") => !lends,
        _ => false,
    }
}

impl NotOffered {
    /// Returns what a driver offers that is most similar to a recipe (set of scheduling policies),
    /// for this number of processes; `None` where a driver offers the recipe itself.
    pub(crate) fn of(
        (name, recipe): (&str, &Recipe),
        vendor: Vendor,
        processes: usize,
    ) -> Option<Self> {
        let [_, turn, allocate, _] = recipe.policies();
        let level = turn == "highest-level";
        let (nearest, by) = match (vendor, processes > 1, allocate) {
            (Vendor::Nvidia, false, _) => ("streams", "cudaStreamCreateWithPriority"),
            (_, false, _) => ("streams", "hipStreamCreateWithPriority"),
            (Vendor::Nvidia, _, "spatial") => ("partition", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"),
            (_, _, "spatial") => ("partition", "HSA_CU_MASK"),
            (Vendor::Nvidia, ..) if level => ("mps-priority", "CUDA_MPS_CLIENT_PRIORITY"),
            (Vendor::Nvidia, ..) if turn == "everyone" => ("mps", "nvidia-cuda-mps-control -d"),
            (Vendor::Nvidia, ..) => ("time-slice", "nvidia-smi compute-policy --set-timeslice"),
            (..) if turn == "everyone" || level => ("streams", "the default: set nothing"),
            (..) => ("time-slice", "enforce_isolation"),
        };
        let best = None;
        (!is_offered(recipe)).then(|| Self { recipe: name.to_owned(), nearest, by, best })
    }

    /// Returns a line that says that no driver offers the recipe, and what a driver offers that is
    /// most similar.
    #[must_use]
    pub fn text(&self) -> String {
        format!("by no driver; nearest is {} ({})", self.nearest, self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes;

    fn nearest(name: &str, vendor: Vendor, processes: usize) -> Option<&'static str> {
        let named = recipes::bundled(name, &raddle_dispatch::Registry::bundled()).unwrap();
        NotOffered::of((name, &named.recipe), vendor, processes).map(|it| it.nearest)
    }

    #[test]
    fn every_bundled_recipe_is_offered_or_has_a_nearest_way() {
        let offered = [
            "leftover",
            "spatial",
            "time-slice",
            "streams",
            "mps",
            "mps-priority",
            "partition",
            "aql-packets",
        ];
        for (name, _) in recipes::texts() {
            let found = nearest(name, Vendor::Nvidia, 2);
            assert_eq!(found.is_none(), offered.contains(&name), "{name}: {found:?}");
        }
    }

    #[test]
    fn the_nearest_way_is_one_of_the_device() {
        let nvidia = |name| nearest(name, Vendor::Nvidia, 2);
        assert_eq!(nvidia("leftover-drain"), Some("mps-priority"));
        assert_eq!(nvidia("leftover-reset"), Some("mps-priority"));
        assert_eq!(nvidia("weighted-slices"), Some("time-slice"));
        assert_eq!(nvidia("matching"), Some("mps"));
        assert_eq!(nvidia("request-limit"), Some("partition"));
        assert_eq!(nearest("leftover-drain", Vendor::Nvidia, 1), Some("streams"));
        assert_eq!(nearest("block-warp", Vendor::Amd, 2), Some("streams"));
        assert_eq!(nearest("weighted-slices", Vendor::Amd, 2), Some("time-slice"));
    }
}
