//! Which search methods of the policy `matching` are compared on a device (seed 000, E4 to E7)?

use raddle_device::Device;
use raddle_workgroup::{MatchingConfig, SearchCost, SearchTiming};

use super::cases::Sweep;
use super::vary::Axis;
use crate::devices;
use crate::error::StudyError;
use crate::files::Files;
use crate::recipes::NamedRecipe;
use crate::study::{Study, Ways};

/// Key of recipes that names the method by which the policy `matching` searches free room. A study
/// of search methods varies it together with `DECISION`, the key for the time of one decision.
const SEARCH: &str = "allocate.search";
const DECISION: &str = "allocate.decision";
/// Sizes, in granules (smallest amounts that are handed out), of the groups in which a search may
/// examine a resource. A size is tried if it divides the amount of every resource of the device.
const SIZES: [u32; 5] = [2, 4, 8, 16, 32];
/// Numbers of groups into which a search may divide all granules (smallest amounts that are handed
/// out) of a resource. A number is tried if it divides the amount of every resource of the device.
const GROUPS: [u32; 2] = [16, 8];

impl Sweep {
    /// Makes the sweep that compares the search methods of the policy `matching`: the study is
    /// replayed under every method that is possible on the device, with decisions of one and of
    /// three clock cycles. Values that `vary` gives for the method or the decision are tried
    /// instead.
    ///
    /// If the clock rate of the device is unknown, decisions take no time.
    ///
    /// # Errors
    /// When the study has goals, which this sweep does not judge, or the device is not known.
    pub fn of_searches(
        mut study: Study,
        vary: Vec<String>,
        files: &dyn Files,
    ) -> Result<Self, StudyError> {
        if !study.goals.is_empty() {
            let text = "--goal: a study of searches judges no goals; `raddle sweep --vary allocate.search=..` does";
            return Err(StudyError::Usage(text.to_owned()));
        }
        if study.recipes.is_empty() && study.ways == Ways::Asked {
            study.recipes = vec!["matching".to_owned()];
        }
        let given = |key: &str| {
            let axes = vary.iter().filter_map(|text| text.parse::<Axis>().ok());
            axes.into_iter().any(|axis| axis.key == key)
        };
        let (search, decision) = (!given(SEARCH), !given(DECISION));
        let mut all = vary.clone();
        if search || decision {
            let profiles =
                if study.device.is_some() { Vec::new() } else { study.profiles(files)? };
            let device = devices::target(study.device.as_deref(), &profiles, files)?.device;
            if search {
                all.push(format!("{SEARCH}={}", searches(&device).join(",")));
            }
            if decision && device.clock_mhz.is_some() {
                let timings = ["one-clock", "three-clocks"];
                let timings = timings.map(|timing| format!("{{timing=\"{timing}\"}}"));
                all.push(format!("{DECISION}={}", timings.join(",")));
            }
        }
        Ok(Self { study, vary: all, searched: false })
    }
}

/// Returns every search method of the policy `matching` that is possible on a device, as values of
/// `allocate.search`.
fn searches(device: &Device) -> Vec<String> {
    let shape = &device.shape;
    let sgpr = if shape.sgpr == u16::MAX { 0 } else { u32::from(shape.sgpr) };
    let resources = [u32::from(shape.vgpr_per_simd), sgpr, shape.lds];
    let resources = || resources.into_iter().filter(|&granules| granules > 0);
    let divide = |by: &u32| resources().all(|all| all > *by && all.is_multiple_of(*by));
    let mut searches = vec!["full".to_owned()];
    let sizes = SIZES.into_iter().filter(divide);
    searches.extend(sizes.map(|size| format!("{{grouped={{size={size}}}}}")));
    let groups = GROUPS.into_iter().filter(divide);
    searches.extend(groups.map(|groups| format!("{{grouped={{groups={groups}}}}}")));
    searches.push("{sampled={}}".to_owned());
    searches.push("{sampled={excluding=\"primes\"}}".to_owned());
    let widest = resources().max();
    searches.extend(widest.map(|width| format!("{{shared={{width={width}}}}}")));
    searches
}

/// Returns the cost (gates, register bits, clock cycles) of the circuit by which a recipe searches
/// free room on a device. Where the recipe says nothing about time, a decision takes one clock
/// cycle. `None` under other allocate policies than `matching`.
pub(super) fn search_cost(named: &NamedRecipe, device: &Device) -> Option<SearchCost> {
    let config: &MatchingConfig = named.recipe.allocate().settings()?;
    let timing = config.decision().map_or(SearchTiming::OneClock, |time| time.timing);
    // A search that has no cost on this device was refused before any run.
    SearchCost::new(config.search(), timing, &device.shape).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;
    use crate::sweep::Cases;

    fn sweep(study: &str, vary: &[&str]) -> Result<Sweep, StudyError> {
        let vary = vary.iter().map(|text| (*text).to_owned()).collect();
        let study = serde_json::from_str(study).expect("it is a study");
        Sweep::of_searches(study, vary, &MemoryFiles::default())
    }

    #[test]
    fn searches_are_those_that_the_device_can_have() {
        let found = sweep(r#"{"device": "a100"}"#, &[]).expect("the device is known");
        assert_eq!(found.study.recipes, ["matching"]);
        let cases = Cases::new(&found, &MemoryFiles::default()).expect("each can be varied");
        let (key, values) = cases.axes().next().expect("searches are varied");
        // An A100 has 64 granules of registers and 1,312 of LDS.
        let wanted = [
            "full",
            "{grouped={size=2}}",
            "{grouped={size=4}}",
            "{grouped={size=8}}",
            "{grouped={size=16}}",
            "{grouped={size=32}}",
            "{grouped={groups=16}}",
            "{grouped={groups=8}}",
            "{sampled={}}",
            "{sampled={excluding=\"primes\"}}",
            "{shared={width=1312}}",
        ];
        assert_eq!((key, values), ("allocate.search", &wanted.map(str::to_owned)[..]));
        assert_eq!(cases.len(), 2 * wanted.len());
        // The clock of a V100 is unknown.
        let found = sweep(r#"{"device": "v100"}"#, &[]).expect("the device is known");
        assert_eq!(found.vary.len(), 1);
    }

    #[test]
    fn what_is_said_holds_instead() {
        let vary = ["allocate.search=full", "allocate.decision={timing=\"one-clock\"}"];
        let found = sweep(r#"{"recipes": ["mine.toml"]}"#, &vary).expect("nothing lacks");
        assert_eq!(
            (found.study.recipes, found.vary),
            (vec!["mine.toml".to_owned()], vary.map(str::to_owned).to_vec())
        );
        assert!(sweep(r#"{"device": "h100", "goals": ["a p99 5ms"]}"#, &[]).is_err());
    }
}
