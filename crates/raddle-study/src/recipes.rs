//! Which recipes are there, and which one does a name mean?

use std::path::Path;

use raddle_device::Device;
use raddle_dispatch::{Builder, Recipe, RecipeError, Registry};

use crate::answer::{Goal, TIME_SLICE, TODAY};
use crate::error::StudyError;
use crate::files::{Files, MemoryFiles};
use crate::rules::Setting;
use crate::unique::UniqueNames;
use crate::units::duration;

/// Text of the bundled recipes in the order in which they are listed and replayed, each behind a
/// line with its name.
const BUNDLED: &str = include_str!("../data/recipes.toml");

/// Text of the recipes for the ways of sharing that devices offer, under the names that users know.
const MODES: &str = include_str!("../data/modes.toml");

/// Splits a file of recipes into (name, TOML) of each recipe.
fn recipes_in(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("#### ").filter_map(|part| part.split_once('\n'))
}

/// Returns the bundled recipes, then those for the ways of sharing that devices offer, each as
/// (name, TOML).
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    recipes_in(BUNDLED).chain(recipes_in(MODES))
}

/// Time of half a switch in the bundled recipe of time slices, to save or to restore a process, in
/// nanoseconds; `TURN_NS` is the length of its turn. The user may set both otherwise.
const SWITCH_NS: u64 = 151_500;
const TURN_NS: u64 = 2_270_000;

/// Names of the recipes that are replayed if none is named: how the device shares itself today, the
/// two ways to keep processes apart, in space and in time, and the one that lets the most urgent
/// process go first.
pub const DEFAULT: [&str; 4] = [TODAY, "spatial", "leftover-drain", "weighted-slices"];

/// A recipe with the name under which results list it.
#[derive(Clone, Debug)]
pub struct NamedRecipe {
    /// Name in results, which no other recipe of a study has.
    pub name: String,
    /// Policies of the recipe, with their settings.
    pub recipe: Recipe,
    /// Eighths of the device's memory that each process has for itself, so that neighbours cost it
    /// nothing; empty where all processes share the memory.
    pub(crate) memory_eighths: Vec<u8>,
    /// True if a driver offers the way of sharing that the recipe stands for; false if none does.
    pub(crate) offered: bool,
    /// Recipe as the user asked for it: a bundled name or a file.
    given: String,
    /// Text from which the recipe was read, changed by settings of the user.
    text: String,
    /// Names of the tables, and of the keys outside of all tables, in which the user set something.
    set: Vec<String>,
}

/// Times that a preemption flag costs, each as (key, most that the time is taken to be where it is
/// unknown, in nanoseconds). All are assumed: the exit as twice that of a V100, the others as some
/// reads over the bus.
const MOST_OF_FLAG: [(&str, u64); 3] =
    [("flag-ns", 20_000), ("exit-ns", 5_000), ("check-ns", 1_000)];

/// Most that a save or a restore of a process is taken to cost where nothing is known of a device, in
/// nanoseconds, beside the bytes that it moves: half of the longest switch that was measured (RTX
/// 5090).
const MOST_OF_SWITCH: u64 = 178_000;

/// Returns the costs of preempting that are unknown for a device, each as (key, most that it is taken
/// to be in nanoseconds): those of a flag for recipes whose launches test one, those of a switch for
/// recipes that save work and restore it.
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
    /// Reads a recipe from its text.
    ///
    /// # Errors
    /// When the text is no recipe.
    pub(crate) fn parse(
        name: String,
        given: &str,
        text: String,
        registry: &Registry,
    ) -> Result<Self, StudyError> {
        let recipe = registry.recipe(given, &text)?;
        Ok(Self {
            name,
            recipe,
            memory_eighths: Vec::new(),
            offered: true,
            given: given.to_owned(),
            text,
            set: Vec::new(),
        })
    }

    /// Returns the name or the file by which the recipe was asked for.
    pub(crate) fn given(&self) -> &str {
        &self.given
    }

    /// Returns the text of the recipe, with the keys that the user set.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns a builder of the recipe's dispatcher for a device. `recipe` is the recipe with the
    /// values of the device filled in, as [`Self::on`] returns it.
    ///
    /// # Errors
    /// When a policy cannot use its settings; the error names the file, the line and the key.
    pub(crate) fn builder(&self, recipe: &Recipe, device: &Device) -> Result<Builder, StudyError> {
        let builder = recipe.builder(device.shape, device.cus);
        builder.map_err(|error| asked(error.of_file(&self.given, &self.text).into(), &self.set))
    }

    /// Returns the length of a turn and of half a switch on a device, each as (least, expected,
    /// most) in nanoseconds. An entry is `None` where the user has set the figure, or the recipe is
    /// not that of the driver's time slices.
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

    /// Returns bundled time slices with the turn and the switch of the device, where the device is
    /// known to have other ones; any other recipe unchanged.
    ///
    /// # Errors
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
        Ok(Self { offered: self.offered, ..timed })
    }

    /// Says which figures of a recipe are assumed for a device, such as the length of a turn;
    /// `None` where none are.
    pub(crate) fn assumed_price(&self, device: &Device) -> Option<String> {
        let [turn, switch] = self.slices(device);
        let told = |what: &str, [least, own, most]: [u64; 3]| {
            (least < most).then(|| {
                let [own, least, most] = [own, least, most].map(duration);
                format!("a {what} of time-slice is taken as {own}, it may be {least} to {most}")
            })
        };
        let turn = turn.and_then(|bounds| told("turn", bounds));
        let switch = switch.map(|bounds| bounds.map(|half| 2 * half));
        let load = switch.filter(|_| self.recipe.runtime.load_ns.is_none()).map(|[.., most]| {
            let most = duration(most / 2);
            format!("to follow a process that has run dry as nothing, it may be up to {most}")
        });
        let switch = switch.and_then(|bounds| told("switch", bounds));
        let prices = unknown_prices(&self.recipe, device).into_iter();
        let prices = prices.map(|(key, most)| {
            format!("{key} of {} as nothing, it may be up to {}", self.name, duration(most))
        });
        let told: Vec<String> = turn.into_iter().chain(switch).chain(load).chain(prices).collect();
        (!told.is_empty()).then(|| format!("{}, by which its interval is", told.join(", ")))
    }

    /// Returns copies of the recipe with the least and the most that each of its assumed figures
    /// may be on a device; empty where no figure is assumed, or the user set them.
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
            Ok(Self { offered: self.offered, ..priced })
        };
        pairs.map(of).collect()
    }

    /// Returns a copy of the recipe in which each unknown cost of preempting is the most that it is
    /// taken to be; `None` where none is unknown.
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

    /// Returns whether processes take turns at the whole device, in the driver's time slices.
    pub(crate) fn is_time_sliced(&self) -> bool {
        let [_, turn, ..] = self.recipe.policies();
        self.name == TIME_SLICE && self.is_bundled() && turn == "round-robin"
    }

    /// Returns whether the recipe is a bundled one, by its name or as the word `today`.
    fn is_bundled(&self) -> bool {
        self.given == TODAY || entry(&self.given).is_some()
    }

    /// Returns the recipe with the costs and the clock of a device filled in where a policy needs
    /// them.
    pub(crate) fn on(&self, device: &Device) -> Recipe {
        let mut recipe = self.recipe.clone();
        let runtime = raddle_sim::device_runtime(device);
        recipe.fill_costs(raddle_sim::device_costs(device), runtime);
        recipe.fill_clock(device.clock_mhz);
        recipe
    }
}

/// Reads the recipes that were asked for by name or file; no recipe may be named twice. The word
/// `today` stands for the recipe that the argument `today` names; `settings` change keys of every
/// recipe.
pub fn choose(
    wanted: &[String],
    today: &str,
    settings: &[Setting],
    (registry, files): (&Registry, &dyn Files),
) -> Result<Vec<NamedRecipe>, StudyError> {
    let mut names = UniqueNames::default();
    let known = |wanted: &String| if wanted == TODAY { today.to_owned() } else { wanted.clone() };
    let all: Vec<String> = wanted.iter().map(known).collect();
    if let Some(twice) = (1..all.len()).find(|&at| all[..at].contains(&all[at])) {
        let text = format!("the recipe {} is named twice: name each once", all[twice]);
        return Err(StudyError::Usage(text));
    }
    let set: Vec<String> = settings.iter().map(|setting| setting.table().to_owned()).collect();
    wanted
        .iter()
        .zip(&all)
        .map(|(wanted, known)| {
            let (name, text) = find(known, files)?;
            let (name, changed) = (names.give(&name), with(text.clone(), settings));
            let named = NamedRecipe::parse(name.clone(), wanted, changed, registry);
            let named = named.map_err(|error| match asked(error, &set) {
                usage @ StudyError::Usage(_) => usage,
                // The error names the line of the recipe as it was written, before the settings of
                // the user.
                other => NamedRecipe::parse(name, wanted, text, registry).err().unwrap_or(other),
            })?;
            Ok(NamedRecipe { set: set.clone(), ..named })
        })
        .collect()
}

/// Turns an error of a recipe into a usage error if it is about a table or key that the user set;
/// any other error stays.
fn asked(error: StudyError, set: &[String]) -> StudyError {
    let of = |key: &str| key.split('.').next().unwrap_or_default().replace('_', "-");
    match &error {
        StudyError::Recipe(RecipeError::Setting { key, .. }) if set.contains(&of(key)) => {
            StudyError::Usage(error.to_string())
        }
        _ => error,
    }
}

/// Returns the recipe of today (the way in which the device shares itself where nobody sets
/// anything up), if a goal is an increase over it and it is not among the recipes; else `None`.
/// Keys that the user set do not change it.
pub(crate) fn reference(
    goals: &[Goal],
    recipes: &[NamedRecipe],
    today: &str,
    from: (&Registry, &dyn Files),
) -> Result<Option<NamedRecipe>, StudyError> {
    let is_there = recipes.iter().any(|named| named.name == today);
    if is_there || !goals.iter().any(Goal::is_over_today) {
        return Ok(None);
    }
    Ok(choose(&[TODAY.to_owned()], today, &[], from)?.pop())
}

/// Sets keys in the text of a recipe. A text that is no recipe is returned unchanged, so that its
/// reader reports what is wrong.
pub(crate) fn with(text: String, settings: &[Setting]) -> String {
    if settings.is_empty() {
        return text;
    }
    let read: Option<toml::Table> = match text.trim_start().starts_with('{') {
        true => serde_json::from_str(&text).ok(),
        false => toml::from_str(&text).ok(),
    };
    let Some(mut recipe) = read else { return text };
    settings.iter().for_each(|setting| setting.apply(&mut recipe));
    toml::to_string(&recipe).unwrap_or(text)
}

/// Returns the names of the recipes of a study: all bundled ones for `all`, else the `wanted` ones,
/// else those of [`DEFAULT`].
pub(crate) fn names(all: bool, wanted: &[String]) -> Vec<String> {
    match (all, wanted) {
        (true, _) => {
            let bundled = recipes_in(BUNDLED).map(|(name, _)| name);
            std::iter::once(TODAY).chain(bundled).map(str::to_owned).collect()
        }
        (false, []) => DEFAULT.map(str::to_owned).to_vec(),
        (false, wanted) => wanted.to_vec(),
    }
}

/// Returns the bundled recipe of this name.
///
/// # Errors
/// When there is none.
pub(crate) fn bundled(name: &str, registry: &Registry) -> Result<NamedRecipe, StudyError> {
    let files = MemoryFiles::default();
    let (name, text) = find(name, &files)?;
    NamedRecipe::parse(name.clone(), &name, text, registry)
}

/// Returns the text of a recipe without the settings of the user, given by its name or file; `None`
/// where it cannot be read.
pub(crate) fn text_as_given(wanted: &str, files: &dyn Files) -> Option<String> {
    find(wanted, files).ok().map(|(_, text)| text)
}

/// Returns (name in results, text) of a recipe: a bundled one with the name `wanted`, else the file
/// with this path.
fn find(wanted: &str, files: &dyn Files) -> Result<(String, String), StudyError> {
    if let Some((name, text)) = entry(wanted) {
        return Ok((name.to_owned(), text.to_owned()));
    }
    let text = files.text(wanted).map_err(|cause| {
        if files.has(wanted) {
            return StudyError::Unreadable { file: wanted.to_owned(), cause };
        }
        StudyError::UnknownRecipe { name: wanted.to_owned(), cause, nearest: nearest(wanted) }
    })?;
    let stem = Path::new(wanted).file_stem().map(|stem| stem.to_string_lossy());
    Ok((stem.unwrap_or_default().into_owned(), text))
}

fn entry(name: &str) -> Option<(&'static str, &'static str)> {
    let name = name.replace('_', "-");
    texts().find(|(known, _)| *known == name)
}

/// Returns the TOML of the bundled recipe, or of the recipe for a way of sharing, with this name;
/// `None` where there is none.
#[must_use]
pub fn text_of(name: &str) -> Option<&'static str> {
    entry(name).map(|(_, text)| text)
}

/// Returns the name of the bundled recipe or way of sharing that is spelled most like `name`;
/// `None` where none is near.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    let names = texts().map(|(known, _)| known).chain([TODAY]);
    raddle_read::nearest(&name.replace('_', "-"), names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_recipes_are_bundled() {
        let known = |name: &str| name == TODAY || entry(name).is_some();
        assert!(DEFAULT.iter().all(|name| known(name)));
    }

    #[test]
    fn snake_case_names_are_accepted_and_near_ones_named() {
        assert_eq!(entry("leftover_drain").unwrap().0, "leftover-drain");
        assert_eq!(nearest("leftover-drian"), Some("leftover-drain"));
        assert_eq!(nearest("gredy"), Some("greedy"));
    }

    /// The costs of ordinary and of condensed packets differ only by the part that condensing
    /// saves.
    #[test]
    fn ordinary_and_condensed_packets_cost_the_same_for_each_part() {
        let text = |name| entry(name).unwrap().1;
        let one: toml::Table = toml::from_str(text("aql-packets")).unwrap();
        let other: toml::Table = toml::from_str(text("condensed")).unwrap();
        for (key, value) in one["launch-path"].as_table().unwrap() {
            let same = key != "policy";
            assert_eq!(other["launch-path"].get(key) == Some(value), same, "{key}");
        }
        assert_eq!(other["launch-path"]["decode-ns"].as_integer(), Some(0));
        for slot in ["raddle", "turn", "allocate", "preempt"] {
            assert_eq!(one[slot], other[slot]);
        }
    }

    /// Time slices on a device whose turn is known have that turn, and the recipe's text says it;
    /// keys that the user sets stay.
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

    /// The cost of saving and restoring work is unknown of most devices, which does not mean that
    /// there is none.
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

    #[test]
    fn equal_names_stay_apart() {
        let own = |file: &str| (file.to_owned(), text_of("greedy").unwrap().into());
        let files = MemoryFiles([own("a/greedy.toml")].into());
        let registry = Registry::bundled();
        let chosen = |wanted: [&str; 3]| {
            choose(&wanted.map(str::to_owned), "streams", &[], (&registry, &files))
        };
        let apart = chosen(["greedy", "today", "a/greedy.toml"]).unwrap();
        let names: Vec<&str> = apart.iter().map(|named| &*named.name).collect();
        assert_eq!(names, ["greedy", "streams", "greedy-2"]);
        // A recipe beside itself would be told as one that changes nothing.
        let twice = chosen(["streams", "greedy", "today"]).unwrap_err().to_string();
        assert_eq!(twice, "the recipe streams is named twice: name each once");
    }

    /// The unknown prices of a flag are bounded, and none where launches test no flag or the prices are
    /// given.
    #[test]
    fn an_unknown_price_of_a_flag_is_bounded() {
        let device = raddle_device::find("h200").unwrap();
        let priced = |name: &str, device: &Device| {
            let named = bundled(name, &Registry::bundled()).unwrap();
            named.priced(device).unwrap()
        };
        let [dear] = &priced("leftover-flag", &device)[..] else { panic!("one more run") };
        let runtime = dear.recipe.runtime;
        assert_eq!(runtime.flag_ns.zip(runtime.check_ns), Some((20_000, 1_000)));
        assert_eq!(runtime.exit_ns, Some(5_000));
        assert!(priced("leftover-drain", &device).is_empty() && priced("mps", &device).is_empty());
        let known = Device { flag_ns: Some(1), exit_ns: Some(1), check_ns: Some(1), ..device };
        assert!(priced("leftover-flag", &known).is_empty());
    }
}
