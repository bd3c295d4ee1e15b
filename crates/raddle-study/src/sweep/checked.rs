//! Which values of the varied options can no case of a sweep accept, whatever its profiles hold?

use raddle_device::Device;
use raddle_dispatch::Registry;
use raddle_trace::arrivals::ArrivalConfig;

use super::cases::{Cases, apply};
use super::vary::Axis;
use crate::error::StudyError;
use crate::files::Files;
use crate::rules::is_recipe_key;
use crate::share;
use crate::study::Study;
use crate::{devices, energy, verdicts};

/// Largest number of combinations with values of other options in which one value is tried. If
/// there are more combinations, a value that works in none of the tried ones counts as usable.
const MOST: usize = 1000;

impl Cases {
    /// Checks each value of each varied option in all parts of a study that need no profile:
    /// recipe, device and small files. Returns a line for each value that fails in all its cases
    /// although another value of the option works. Such a value is no error, as it may become
    /// usable before its cases run.
    ///
    /// # Errors
    /// When all values of an option fail: the error of the first of them.
    pub fn check_values(
        &self,
        registry: &Registry,
        files: &dyn Files,
    ) -> Result<Vec<String>, StudyError> {
        let mut told = Vec::new();
        for (at, axis) in self.varied().iter().enumerate() {
            let tried = |value| self.try_value((at, value), registry, files).err();
            let failed: Vec<(usize, StudyError)> =
                (0..axis.values.len()).filter_map(|value| Some((value, tried(value)?))).collect();
            if failed.len() == axis.values.len() {
                return failed.into_iter().next().map_or(Ok(told), |(_, error)| Err(error));
            }
            let lines = failed.iter().map(|(value, error)| {
                format!("{}={} fails in each case: {error}", axis.key, axis.values[*value])
            });
            told.extend(lines);
        }
        Ok(told)
    }

    /// Tries one value of a varied option, given as (index of the option, index of the value). The
    /// value is combined with values of the options that interact with it, until one combination
    /// works. Returns the first error if none works; no error where there are more than [`MOST`]
    /// combinations.
    fn try_value(
        &self,
        (at, value): (usize, usize),
        registry: &Registry,
        files: &dyn Files,
    ) -> Result<(), StudyError> {
        let axes = self.varied();
        let others =
            axes.iter().enumerate().filter(|(other, axis)| *other != at && is_of_recipe(axis));
        let others: Vec<usize> = others.map(|(other, _)| other).collect();
        let others = if is_of_recipe(&axes[at]) { others } else { Vec::new() };
        let all = others.iter().map(|&other| axes[other].values.len());
        let all = all.fold(1_usize, usize::saturating_mul);
        let mut first = None;
        for mut left in 0..all.min(MOST) {
            let mut study = self.base().clone();
            for &other in &others {
                let many = axes[other].values.len();
                apply(&mut study, &axes[other].key, &axes[other].values[left % many])?;
                left /= many;
            }
            apply(&mut study, &axes[at].key, &axes[at].values[value])?;
            match study.check_without_profiles(registry, files) {
                Ok(()) => return Ok(()),
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.filter(|_| all <= MOST).map_or(Ok(()), Err)
    }
}

/// Returns whether the varied option `axis` is a recipe, a key of recipes or a device. Among such
/// options, the value of one decides which values of another are usable.
fn is_of_recipe(axis: &Axis) -> bool {
    is_recipe_key(&axis.key) || ["recipe", "device"].contains(&&*axis.key)
}

impl Study {
    /// Checks the parts of a study that need no profile: the device, the recipes (sets of policies)
    /// if there are any, and small files; the error is the first that is found.
    fn check_without_profiles(
        &self,
        registry: &Registry,
        files: &dyn Files,
    ) -> Result<(), StudyError> {
        let device = self.device.as_deref().map(|name| devices::asked(name, files)).transpose()?;
        energy::model(self, files)?;
        for file in &self.idempotent_from {
            let unreadable = |cause| StudyError::Unreadable { file: file.clone(), cause };
            verdicts::rules(file, &files.text(file).map_err(unreadable)?)?;
        }
        if let Some(file) = self.shapes.shapes_from.iter().find(|file| !files.has(file)) {
            let cause = std::io::ErrorKind::NotFound.into();
            return Err(StudyError::Unreadable { file: file.clone(), cause });
        }
        for file in self.load.bare(files).1 {
            files.arrivals(&file, &ArrivalConfig { time_unit: self.load.time_unit })?;
        }
        if self.recipes.is_empty() {
            return Ok(());
        }
        let (from, processes) = ((registry, files), self.profiles.len());
        let chosen = |device: &Device| {
            share::choose(&self.recipes, (device, processes), &self.settings, from)
        };
        let Some(device) = device.map(|chosen| chosen.device) else {
            // The profiles name the device later: wrong is what no device has.
            let [first, others @ ..] = &raddle_device::table()[..] else { return Ok(()) };
            let first = chosen(first);
            let is_known = first.is_ok() || others.iter().any(|device| chosen(device).is_ok());
            return if is_known { Ok(()) } else { first.map(|_| ()) };
        };
        let all = chosen(&device)?;
        all.iter().try_for_each(|named| named.builder(&named.on(&device), &device).map(|_| ()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryFiles;
    use crate::sweep::Sweep;

    fn told(device: &str, vary: &[&str]) -> String {
        let study = format!(
            r#"{{"profiles": ["a", "b"], "device": "{device}", "recipes": ["greedy", "weighted-slices"]}}"#
        );
        let study = serde_json::from_str(&study).unwrap();
        let vary = vary.iter().map(|text| (*text).to_owned()).collect();
        let files = MemoryFiles::default();
        let cases = Cases::new(&Sweep { study, vary, searched: false }, &files).unwrap();
        let checked = cases.check_values(&Registry::bundled(), &files);
        checked.map_or_else(|error| format!("refused: {error}"), |lines| lines.join("; "))
    }

    #[test]
    fn a_key_is_refused_if_no_case_can_take_any_of_its_values() {
        for (device, vary, why) in [
            ("h100", "allocate.polcy=greedy", "`policy`"),
            ("h100", "recipe=missing.toml", "missing.toml"),
            ("h100", "device=nosuch", "no device nosuch"),
            ("h1000", "window=4,8", "no device h1000"),
            ("h100", "energy-weights=no.toml", "no.toml"),
            ("h100", "idempotent-from=no.toml", "no.toml"),
        ] {
            let told = told(device, &[vary]);
            assert!(told.starts_with("refused: ") && told.contains(why), "{told}");
        }
        // The settings are good together.
        let both = ["allocate.policy=matching", "allocate.search=full"];
        assert_eq!(told("h100", &both), "");
    }

    /// Checks that where profiles name the device, a recipe may be any way of sharing that some
    /// device offers.
    #[test]
    fn without_a_device_the_ways_of_all_devices_are_recipes() {
        let told = |recipe: &str| {
            let study = format!(r#"{{"profiles": ["a", "b"], "recipes": ["{recipe}"]}}"#);
            let study = serde_json::from_str(&study).unwrap();
            let (vary, files) = (vec!["queues=4,8".to_owned()], MemoryFiles::default());
            let cases = Cases::new(&Sweep { study, vary, searched: false }, &files).unwrap();
            let checked = cases.check_values(&Registry::bundled(), &files);
            checked.map_or_else(|error| error.to_string(), |lines| lines.join("; "))
        };
        for known in ["partition-30-70", "mig-3g.71gb+4g.71gb", "compute-partition-dpx", "today"] {
            assert_eq!(told(known), "", "{known}");
        }
        for unknown in ["partition-30-80", "mig-9g+9g"] {
            assert!(told(unknown).starts_with("there is no recipe "), "{}", told(unknown));
        }
    }

    #[test]
    fn a_bad_value_beside_a_good_one_is_told() {
        for (vary, line) in [
            // One of the two recipes has the key, and no case of the other is good.
            ("turn.t0-us=10,20", "recipe=greedy fails in each case: "),
            ("recipe=greedy,late.toml", "recipe=late.toml fails in each case: "),
            ("device=h100,h1000", "device=h1000 fails in each case: there is no device h1000"),
            ("turn.policy=everyone,nobody", "turn.policy=nobody fails in each case: "),
        ] {
            let told = told("h100", &[vary]);
            assert!(told.starts_with(line), "{told}");
        }
    }
}
