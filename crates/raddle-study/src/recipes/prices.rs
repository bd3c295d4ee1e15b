//! Which costs of preempting and lengths of turns of a recipe are unknown on a device, and between
//! which bounds do they lie?

use raddle_device::Device;
use raddle_dispatch::{Recipe, Registry};

use super::{NamedRecipe, with};
use crate::error::StudyError;
use crate::rules::Setting;
use crate::units::duration;

/// Time to save or to restore a process (half of a switch between two) in the bundled recipe of
/// time slices, in nanoseconds. `TURN_NS` is the length of a turn there. The user can change both.
const SWITCH_NS: u64 = 151_500;
const TURN_NS: u64 = 2_270_000;

/// Upper bounds of the three costs of a preemption flag (a word in memory that tells launches to
/// stop), for devices on which they are unknown, each as (key in the recipe, nanoseconds). The
/// bounds are assumptions: twice what a V100 needs for `exit-ns`, a few reads over the bus for the
/// others.
const MOST_OF_FLAG: [(&str, u64); 3] =
    [("flag-ns", 20_000), ("exit-ns", 5_000), ("check-ns", 1_000)];

/// Upper bound, in nanoseconds, of the time to save or to restore a process, where it is unknown
/// for a device; the time to move its bytes is left out. It is half of the longest switch that was
/// measured (on an RTX 5090).
const MOST_OF_SWITCH: u64 = 178_000;

/// Returns the costs of preempting that a recipe needs and that are unknown for a device, each as
/// (key in the recipe, upper bound in nanoseconds). The costs of a preemption flag are needed if
/// launches test one, that of a switch if work is saved and restored.
pub(crate) fn unknown_prices(recipe: &Recipe, device: &Device) -> Vec<(&'static str, u64)> {
    let runtime = recipe.runtime.or(raddle_sim::device_runtime(device));
    let half = device.time_slices().map_or(MOST_OF_SWITCH, |slices| slices.switch_ns()[2] / 2);
    let [flag, exit, check] = MOST_OF_FLAG;
    let (flags, switches) = (recipe.tests_flag(), recipe.switches());
    let prices = [
        (flag, runtime.flag_ns, flags),
        (exit, runtime.exit_ns, flags),
        (check, runtime.check_ns, flags),
        (("switch-ns", half), runtime.switch_ns, switches),
    ];
    prices.into_iter().filter(|(_, known, pays)| *pays && known.is_none()).map(|it| it.0).collect()
}

impl NamedRecipe {
    /// Returns the lengths of a turn and of half a switch (saving or restoring a process) on a
    /// device, each as [least, expected, most] in nanoseconds. An entry is `None` where the user
    /// has set it, or where the recipe does not use the driver's time slices.
    fn slices(&self, device: &Device) -> [Option<[u64; 3]>; 2] {
        let slices = device.time_slices().filter(|_| self.is_time_sliced());
        let recipe = serde_json::to_value(&self.recipe).unwrap_or_default();
        let turn_us = recipe["turn"]["slice-us"].as_u64();
        let is_set = self.set.iter().any(|table| table == "turn");
        let turn = slices.map(|it| it.turn_ns()).filter(|[_, expected, _]| {
            !is_set && [TURN_NS, *expected].map(|ns| Some(ns / 1000)).contains(&turn_us)
        });
        let switch_ns = self.recipe.runtime.switch_ns;
        let halves = slices.map(|it| it.switch_ns().map(|whole| whole / 2));
        let unset =
            |[_, expected, _]: &[u64; 3]| [SWITCH_NS, *expected].map(Some).contains(&switch_ns);
        [turn, halves.filter(unset)]
    }

    /// Returns the bundled recipe of time slices with the lengths of a turn and of a switch that
    /// are known for a device. Any other recipe is returned unchanged.
    ///
    /// # Errors
    ///
    /// When the recipe cannot be read, which would be a fault of raddle itself.
    pub(crate) fn in_turns_of(self, device: &Device) -> Result<Self, StudyError> {
        let [turn, switch] = self.slices(device).map(|of| of.map(|[_, expected, _]| expected));
        let (turn_ns, half_ns) = (turn.unwrap_or(TURN_NS), switch.unwrap_or(SWITCH_NS));
        let turn = (turn_ns != TURN_NS).then(|| format!("turn.slice-us={}", turn_ns / 1000));
        let switch = (half_ns != SWITCH_NS).then(|| format!("preempt.switch-ns={half_ns}"));
        let settings = turn.into_iter().chain(switch).map(Setting::try_from);
        let settings = settings.collect::<Result<Vec<_>, _>>().map_err(StudyError::Usage)?;
        if settings.is_empty() {
            return Ok(self);
        }
        let text = with(self.text, &settings).replace(&duration(TURN_NS), &duration(turn_ns));
        let timed = Self::parse(self.name, &self.given, text, &Registry::bundled())?;
        Ok(Self { asked: self.asked, ..timed })
    }

    /// Says in a sentence, without its full stop, which figures of a recipe (set of policies) are
    /// assumed for a device, such as the length of a turn; `None` where none are.
    pub(crate) fn assumed_price(&self, device: &Device) -> Option<String> {
        let [turn, switch] = self.slices(device);
        let told = |what: &str, [least, own, most]: [u64; 3]| {
            (least < most).then(|| {
                let [own, least, most] = [own, least, most].map(duration);
                format!("a {what} takes {own} ({least} to {most})")
            })
        };
        let turn = turn.and_then(|bounds| told("turn", bounds));
        let switch = switch.map(|bounds| bounds.map(|half| 2 * half));
        let load = switch.filter(|_| self.recipe.runtime.load_ns.is_none()).map(|[.., most]| {
            let most = duration(most / 2);
            format!("to follow a process that has run dry takes nothing (up to {most})")
        });
        let switch = switch.and_then(|bounds| told("switch", bounds));
        let prices = unknown_prices(&self.recipe, device).into_iter();
        let prices =
            prices.map(|(key, most)| format!("{key} is nothing (up to {})", duration(most)));
        let told: Vec<String> = turn.into_iter().chain(switch).chain(load).chain(prices).collect();
        let told = told.join(", ");
        let widens = "which its intervals allow for";
        (!told.is_empty()).then(|| format!("Assumed of {}, {widens}: {told}", self.name))
    }

    /// Returns copies of the recipe in which the assumed times, such as the length of a turn, have
    /// the smallest or the largest value that is possible on a device. A recipe without such times
    /// gets one copy, with each unknown cost of preempting at its upper bound, or none if all costs
    /// are known.
    ///
    /// # Errors
    /// When a recipe cannot be read, which would be a fault of raddle itself.
    pub(crate) fn priced(&self, device: &Device) -> Result<Vec<Self>, StudyError> {
        let [turn, switch] = self.slices(device);
        let several = |bounds: Option<[u64; 3]>| match bounds {
            Some([least, _, most]) if least < most => vec![Some(least), Some(most)],
            // A figure that was measured, or that the user set, stays.
            _ => vec![None],
        };
        let (turns, switches) = (several(turn), several(switch));
        if turns.len() * switches.len() == 1 {
            return Ok(self.at_most_price(device).into_iter().collect());
        }
        let pairs = turns.iter().flat_map(|turn| switches.iter().map(move |switch| (turn, switch)));
        let of = |(turn_ns, switch_ns): (&Option<u64>, &Option<u64>)| {
            let turn = turn_ns.map(|ns| format!("turn.slice-us={}", ns / 1000));
            let half = |key: &str| switch_ns.map(|ns| format!("preempt.{key}={ns}"));
            // The time to follow a process that has run dry is unknown: none, or that of a restore.
            let most = switch.map(|[.., most]| most);
            let loads = self.recipe.runtime.load_ns.is_none() && *switch_ns == most;
            let load = half("load-ns").filter(|_| loads);
            let settings = turn.into_iter().chain(half("switch-ns")).chain(load);
            let settings = settings.map(Setting::try_from);
            let settings = settings.collect::<Result<Vec<_>, _>>().map_err(StudyError::Usage)?;
            let text = with(self.text.clone(), &settings);
            let priced = Self::parse(self.name.clone(), &self.given, text, &Registry::bundled())?;
            Ok(Self { asked: self.asked, ..priced })
        };
        pairs.map(of).collect()
    }

    /// Returns a copy of the recipe (set of policies) in which each unknown cost of preempting is
    /// set to its upper bound; `None` where no cost is unknown.
    fn at_most_price(&self, device: &Device) -> Option<Self> {
        let unknown = unknown_prices(&self.recipe, device);
        let most = |key: &str| unknown.iter().find(|(of, _)| *of == key).map(|&(_, ns)| ns);
        let mut recipe = self.recipe.clone();
        let runtime = &mut recipe.runtime;
        runtime.flag_ns = most("flag-ns").or(runtime.flag_ns);
        runtime.exit_ns = most("exit-ns").or(runtime.exit_ns);
        runtime.check_ns = most("check-ns").or(runtime.check_ns);
        runtime.switch_ns = most("switch-ns").or(runtime.switch_ns);
        (!unknown.is_empty()).then(|| Self { recipe, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{bundled, choose};
    use super::*;
    use crate::answer::TIME_SLICE;
    use crate::files::MemoryFiles;

    /// Checks that the recipe of time slices takes the known length of a turn of a device, also in
    /// its text. Keys that the user sets must stay.
    #[test]
    fn time_slices_have_the_turn_of_the_device() {
        let (registry, files) = (Registry::bundled(), MemoryFiles::default());
        let of = |device: &str, set: &[&str]| {
            let device = raddle_device::find(device).unwrap();
            let set = set.iter().map(|it| Setting::try_from((*it).to_owned()).unwrap());
            let set: Vec<Setting> = set.collect();
            let wanted = ["today".to_owned()];
            let mut all = choose(&wanted, TIME_SLICE, &set, (&registry, &files)).unwrap();
            let NamedRecipe { name, recipe, .. } = all.remove(0).in_turns_of(&device).unwrap();
            let turn = serde_json::to_value(&recipe).unwrap()["turn"]["slice-us"].clone();
            (name, turn.as_u64(), recipe.description.unwrap_or_default())
        };
        let turns = |us, words: &str| {
            let told = format!("one process at a time, in turns of {words}");
            ("time-slice".to_owned(), Some(us), told)
        };
        assert_eq!(of("mi300x", &[]), turns(10_000, "10.0 ms"));
        assert_eq!(of("h100", &[]), turns(2270, "2.27 ms"));
        assert_eq!(of("mi300x", &["turn.slice-us=3000"]), turns(3000, "2.27 ms"));
    }

    #[test]
    fn a_switch_of_unknown_cost_is_bounded_by_those_that_were_measured() {
        let unknown = |name: &str, device: &str| {
            let named = bundled(name, &Registry::bundled()).unwrap();
            let device = raddle_device::find(device).unwrap();
            let dear = named.priced(&device).unwrap();
            let most: Vec<_> = dear.iter().map(|it| it.recipe.runtime.switch_ns).collect();
            (unknown_prices(&named.recipe, &device), most)
        };
        let switch = vec![("switch-ns", 178_000)];
        assert_eq!(unknown("weighted-slices", "h100"), (switch, vec![Some(178_000)]));
        assert_eq!(unknown("weighted-slices", "a100"), (Vec::new(), Vec::new()), "measured");
        assert_eq!(unknown("leftover-drain", "h100"), (Vec::new(), Vec::new()), "saves nothing");
    }
}
