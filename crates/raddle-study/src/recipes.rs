//! Which recipes are there, and which one is meant?

use std::path::Path;

use raddle_device::Device;
use raddle_dispatch::{Builder, Recipe, Registry};

use crate::answer::{Goal, TIME_SLICE, TODAY};
use crate::error::StudyError;
use crate::files::{Files, MemoryFiles};
use crate::rules::Setting;
use crate::unique::UniqueNames;

/// The bundled recipes in the order in which they are listed and replayed, each behind a line with
/// its name.
const BUNDLED: &str = include_str!("../data/recipes.toml");

/// Ways of sharing that devices have today, under the names that users know.
const MODES: &str = include_str!("../data/modes.toml");

/// Splits a file of recipes into the names and the TOML of its recipes.
fn recipes_in(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("#### ").filter_map(|part| part.split_once('\n'))
}

/// Lists the bundled recipes, then the modes: name and TOML.
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    recipes_in(BUNDLED).chain(recipes_in(MODES))
}

/// The price in the recipe of time slices, which is assumed: half of a switch, to save or to restore a
/// process, in nanoseconds.
const SWITCH_NS: u64 = 151_500;
/// Halves of the switches that were measured on any device: 40 us or less on an A100 (`GPreempt`,
/// ATC 2025, section 5.3) to 356 us on an RTX 5090.
const ANY_SWITCH_NS: [u64; 2] = [20_000, 178_000];
/// The device on which the switch of the recipe was measured, and halves of the shortest and the
/// longest there.
const MEASURED_SWITCH_NS: (&str, [u64; 2]) = ("rtx-5090", [125_000, 178_000]);

/// The recipes that are replayed if none is named: how the device shares itself today, the two ways
/// to keep processes apart, in space and in time, and the one that lets the urgent go first.
pub const DEFAULT: [&str; 4] = [TODAY, "spatial", "leftover-drain", "weighted-slices"];

/// A recipe under the name that results give it.
#[derive(Clone, Debug)]
pub struct NamedRecipe {
    /// The name in results, which no other recipe of a study has.
    pub name: String,
    /// The recipe.
    pub recipe: Recipe,
    /// By process, the eighths of the memory that it has for itself, so that neighbours cost nothing;
    /// empty where all share the memory.
    pub(crate) memory_eighths: Vec<u8>,
    /// False if the recipe is a way of sharing that no driver offers.
    pub(crate) offered: bool,
    /// The recipe as it was asked for: a bundled name or a file.
    given: String,
    /// The text from which the recipe was read.
    text: String,
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
        })
    }

    /// Returns the recipe as it was asked for: a bundled name or a file.
    pub(crate) fn given(&self) -> &str {
        &self.given
    }

    /// Returns the text of the recipe, with keys that were set otherwise.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the dispatcher of the recipe over a device, not yet built. `recipe` is what
    /// [`Self::on`] returns for the device.
    ///
    /// # Errors
    /// When a policy cannot use its settings; the error names the file, the line and the key.
    pub(crate) fn builder(&self, recipe: &Recipe, device: &Device) -> Result<Builder, StudyError> {
        let builder = recipe.builder(device.shape, device.cus);
        builder.map_err(|error| error.of_file(&self.given, &self.text).into())
    }

    /// Says of the price of a recipe what is assumed, where something is.
    pub(crate) fn assumed_price(&self) -> Option<&'static str> {
        (self.given == TIME_SLICE && self.recipe.runtime.switch_ns == Some(SWITCH_NS)).then_some(
            "a switch of time-slice is taken as 303 us; 40 to 356 were measured, by which its interval is",
        )
    }

    /// Returns the recipe under the least and the most that an assumed price of it may be on a
    /// device; nothing where no price is assumed, or the user set another.
    pub(crate) fn priced(&self, device: &Device) -> Vec<Self> {
        if self.assumed_price().is_none() {
            return Vec::new();
        }
        let (measured, prices) = MEASURED_SWITCH_NS;
        let prices = if device.id == measured { prices } else { ANY_SWITCH_NS };
        let of = |switch_ns| {
            let mut priced = self.clone();
            priced.recipe.runtime.switch_ns = Some(switch_ns);
            priced
        };
        prices.map(of).to_vec()
    }

    /// Returns the recipe with the costs and the clock of a device, where a policy needs them.
    pub(crate) fn on(&self, device: &Device) -> Recipe {
        let mut recipe = self.recipe.clone();
        let runtime = raddle_sim::device_runtime(device);
        recipe.fill_costs(raddle_sim::device_costs(device), runtime);
        recipe.fill_clock(device.clock_mhz);
        recipe
    }
}

/// Reads the recipes that were asked for; every name occurs once. The word `today` stands for the
/// recipe of that name.
pub fn choose(
    wanted: &[String],
    today: &str,
    settings: &[Setting],
    (registry, files): (&Registry, &dyn Files),
) -> Result<Vec<NamedRecipe>, StudyError> {
    let mut names = UniqueNames::default();
    wanted
        .iter()
        .map(|wanted| {
            let known = if wanted == TODAY { today } else { wanted };
            let (name, text) = find(known, files)?;
            let text = with(text, settings);
            NamedRecipe::parse(names.give(&name), wanted, text, registry)
        })
        .collect()
}

/// Returns the recipe of the name `today`, if a goal is an increase over it and it is not among the
/// recipes. Keys that are set are for the recipes that were asked for.
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

/// Sets keys in the text of a recipe. A text that is no recipe stays, and its reader reports what
/// is wrong.
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

/// Returns the names of the recipes that a study is about.
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

/// Returns the bundled recipe of that name.
///
/// # Errors
/// When there is none.
pub(crate) fn bundled(name: &str, registry: &Registry) -> Result<NamedRecipe, StudyError> {
    let files = MemoryFiles::default();
    let (name, text) = find(name, &files)?;
    NamedRecipe::parse(name.clone(), &name, text, registry)
}

/// Returns the text of a recipe as it was given.
pub(crate) fn text_as_given(wanted: &str, files: &dyn Files) -> Option<String> {
    find(wanted, files).ok().map(|(_, text)| text)
}

/// Finds the name and the text of a recipe: a bundled name first, else a file.
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

/// Returns the TOML of the bundled recipe or mode of that name.
#[must_use]
pub fn text_of(name: &str) -> Option<&'static str> {
    entry(name).map(|(_, text)| text)
}

/// Returns the name of a bundled recipe or mode that was likely meant.
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

    /// The costs of ordinary and of condensed packets differ by what condensing saves, and by
    /// nothing else.
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
        let (registry, files) = (Registry::bundled(), MemoryFiles::default());
        let wanted = ["greedy", "today", "greedy"].map(str::to_owned);
        let twice = choose(&wanted, "streams", &[], (&registry, &files)).unwrap();
        assert_eq!(twice[0].name, "greedy");
        assert_eq!(twice[1].name, "streams");
        assert_eq!(twice[2].name, "greedy-2");
    }
}
