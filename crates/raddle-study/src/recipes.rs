//! Which recipes (sets of scheduling policies) are there, and which one does a name mean?

mod policies;
mod prices;

use std::path::Path;

use raddle_device::Device;
use raddle_dispatch::{Builder, Recipe, Registry};

use crate::answer::{Goal, TIME_SLICE, TODAY};
use crate::error::StudyError;
use crate::files::{Files, MemoryFiles};
use crate::rules::Setting;
use crate::unique::UniqueNames;

pub use policies::policy_told;
pub(crate) use prices::unknown_prices;

/// Text of the bundled recipes (sets of scheduling policies), in the order in which they are listed
/// and replayed. A line with its name precedes each recipe.
const BUNDLED: &str = include_str!("../data/recipes.toml");

/// Text of the recipes that simulate the ways of sharing a device which drivers offer, such as MPS,
/// under the names that users know.
const MODES: &str = include_str!("../data/modes.toml");

/// Splits a file of recipes (sets of scheduling policies) into (name, TOML text) of each recipe.
fn recipes_in(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("#### ").filter_map(|part| part.split_once('\n'))
}

/// Returns the bundled recipes (sets of scheduling policies), then those that simulate what drivers
/// offer, such as MPS, each as (name, TOML text).
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    recipes_in(BUNDLED).chain(recipes_in(MODES))
}

/// Names of the recipes that are replayed if the user names none: the device's default; one that
/// gives processes compute units of their own; one that lets the most urgent launches go first; one
/// that gives processes turns.
pub const DEFAULT: [&str; 4] = [TODAY, "spatial", "leftover-drain", "weighted-slices"];

/// Recipe (file that names a policy for each scheduling decision) with the name under which results
/// list it.
#[derive(Clone, Debug)]
pub struct NamedRecipe {
    /// Name of the recipe (set of policies) in results; no other recipe of a study has it.
    pub name: String,
    /// Policies of the recipe, with their settings.
    pub recipe: Recipe,
    /// Number of eighths of the device's memory that each process has for itself, as in a MIG
    /// instance; empty where all processes share the memory.
    pub(crate) memory_eighths: Vec<u8>,
    /// True if the recipe is compared because recipes are, so that it is ranked whether a driver
    /// offers it or not; false if the ways of sharing are compared that drivers offer.
    pub(crate) asked: bool,
    /// Name of the bundled recipe, or path of the file, by which the user asked for the recipe.
    given: String,
    /// Text of the recipe, with the settings of the user applied.
    text: String,
    /// Names of the recipe's tables in which the user set a value, and of keys outside of tables
    /// that the user set.
    set: Vec<String>,
}

impl NamedRecipe {
    /// Reads a recipe (set of policies) from its text.
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
            asked: true,
            given: given.to_owned(),
            text,
            set: Vec::new(),
        })
    }

    /// Returns the name or the file by which the user asked for the recipe.
    pub(crate) fn given(&self) -> &str {
        &self.given
    }

    /// Returns the text of the recipe (set of policies), with the keys that the user set.
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

    /// Returns whether processes take turns on the whole device, in the time slices of its driver.
    pub(crate) fn is_time_sliced(&self) -> bool {
        let [_, turn, ..] = self.recipe.policies();
        self.name == TIME_SLICE && self.is_bundled() && turn == "round-robin"
    }

    /// Returns whether the recipe is a bundled one: the user gave its name, or the word `today` for
    /// the device's default.
    fn is_bundled(&self) -> bool {
        self.given == TODAY || entry(&self.given).is_some()
    }

    /// Returns the recipe with the costs and the clock rate of a device filled in where a policy
    /// needs them.
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

/// Turns the error of a recipe into an error of usage if it is about a table or key that the user
/// set. Any other error is returned unchanged.
fn asked(error: StudyError, set: &[String]) -> StudyError {
    let of = |key: &str| key.split('.').next().unwrap_or_default().replace('_', "-");
    match &error {
        StudyError::Recipe(recipe) if recipe.key().is_some_and(|key| set.contains(&of(key))) => {
            StudyError::Usage(error.to_string())
        }
        _ => error,
    }
}

/// Returns the device's default recipe (by which it shares itself where nobody sets anything up) if
/// a goal is relative to it and it is not among `recipes`; else `None`. Keys that the user set do
/// not change this recipe.
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

/// Returns the names of the recipes (sets of policies) of a study: all bundled ones for `all`, else
/// the `wanted` ones, else those of [`DEFAULT`].
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

/// Returns the bundled recipe (set of policies) of this name.
///
/// # Errors
/// When there is none.
pub(crate) fn bundled(name: &str, registry: &Registry) -> Result<NamedRecipe, StudyError> {
    let files = MemoryFiles::default();
    let (name, text) = find(name, &files)?;
    NamedRecipe::parse(name.clone(), &name, text, registry)
}

/// Returns the text of a recipe (set of policies) without the settings of the user, given by its
/// name or file; `None` where it cannot be read.
pub(crate) fn text_as_given(wanted: &str, files: &dyn Files) -> Option<String> {
    find(wanted, files).ok().map(|(_, text)| text)
}

/// Returns (name in results, text) of a recipe (set of policies): a bundled one with the name
/// `wanted`, else the file with this path.
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

/// Returns the TOML text of a bundled recipe, or of one that simulates what a driver offers, such
/// as MPS; `None` where no recipe has this name.
#[must_use]
pub fn text_of(name: &str) -> Option<&'static str> {
    entry(name).map(|(_, text)| text)
}

/// Returns the name of a recipe that is spelled most like `name`; `None` where none is near.
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

    /// Checks that the bundled recipes for ordinary and for condensed launch packets state equal
    /// costs for all that both do. Only the cost that condensing saves differs.
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

    /// Checks that the unknown costs of a preemption flag (a word in memory that tells launches to
    /// stop) have an upper bound. No cost is unknown where launches test no flag, or where the
    /// costs are given.
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
