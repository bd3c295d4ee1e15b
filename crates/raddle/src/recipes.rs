//! Which recipes are there, and which one is meant?

use std::path::Path;

use raddle_device::Device;
use raddle_dispatch::{Builder, Recipe, Registry};
use raddle_report::{Block, Column, Document, Table, json};
use serde::Serialize;

use crate::Console;
use crate::args::{Format, ShowArgs};
use crate::error::{CliError, meant};
use crate::unique::UniqueNames;

/// The bundled recipes in the order in which they are listed and replayed, each behind a line with
/// its name.
const BUNDLED: &str = include_str!("../data/recipes.toml");

/// Ways of sharing that devices have today, under the names that users know.
const MODES: &str = include_str!("../data/modes.toml");

/// Names and TOML of the recipes in such a file.
fn recipes_in(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.split("#### ").filter_map(|part| part.split_once('\n'))
}

/// The bundled recipes, then the modes: name and TOML.
fn bundled_recipes() -> impl Iterator<Item = (&'static str, &'static str)> {
    recipes_in(BUNDLED).chain(recipes_in(MODES))
}

/// What is replayed where nobody says what: how devices share themselves today, the two ways to keep
/// processes apart, in space and in time, and the one that lets the urgent go first.
pub(crate) const DEFAULT: [&str; 4] = ["leftover", "spatial", "leftover-drain", "weighted-slices"];

/// A recipe under the name that results give it.
#[derive(Clone, Debug)]
pub(crate) struct NamedRecipe {
    pub(crate) name: String,
    pub(crate) recipe: Recipe,
    /// As it was asked for: a bundled name or a file.
    given: String,
    /// What it was read from.
    text: String,
}

impl NamedRecipe {
    /// A recipe from its text.
    ///
    /// # Errors
    /// When the text is no recipe.
    pub(crate) fn parse(
        name: String,
        given: &str,
        text: String,
        registry: &Registry,
    ) -> Result<Self, CliError> {
        let recipe = registry.recipe(given, &text)?;
        Ok(Self { name, recipe, given: given.to_owned(), text })
    }

    /// Its dispatcher over a device, not yet built; a recipe that tells of this device what it lacks.
    ///
    /// # Errors
    /// When a policy cannot use its settings: the file, the line and the key.
    pub(crate) fn builder(&self, recipe: &Recipe, device: &Device) -> Result<Builder, CliError> {
        let builder = recipe.builder(device.shape, device.cus);
        builder.map_err(|error| error.of_file(&self.given, &self.text).into())
    }

    /// The recipe with what a device takes, where a policy weighs it.
    pub(crate) fn on(&self, device: &Device) -> Recipe {
        let mut recipe = self.recipe.clone();
        let runtime = raddle_sim::device_runtime(device);
        recipe.fill_costs(raddle_sim::device_costs(device), runtime);
        recipe
    }
}

/// The recipes asked for, or the default ones; every name occurs once.
pub(crate) fn choose(wanted: &[String], registry: &Registry) -> Result<Vec<NamedRecipe>, CliError> {
    let default: Vec<String>;
    let wanted = if wanted.is_empty() {
        default = DEFAULT.map(str::to_owned).to_vec();
        &default
    } else {
        wanted
    };
    let mut names = UniqueNames::default();
    wanted
        .iter()
        .map(|wanted| {
            let (name, text) = find(wanted)?;
            NamedRecipe::parse(names.give(&name), wanted, text, registry)
        })
        .collect()
}

/// Every bundled recipe; the modes of devices are none of them.
pub(crate) fn all(registry: &Registry) -> Result<Vec<NamedRecipe>, CliError> {
    let names: Vec<String> = recipes_in(BUNDLED).map(|(name, _)| name.to_owned()).collect();
    choose(&names, registry)
}

/// The name and the text of a recipe: a bundled name first, else a file.
fn find(wanted: &str) -> Result<(String, String), CliError> {
    if let Some((name, text)) = bundled(wanted) {
        return Ok((name.to_owned(), text.to_owned()));
    }
    let path = Path::new(wanted);
    let text = std::fs::read_to_string(path).map_err(|cause| {
        if path.exists() {
            return CliError::Unreadable { file: wanted.to_owned(), cause };
        }
        CliError::UnknownRecipe { name: wanted.to_owned(), cause, nearest: nearest(wanted) }
    })?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    Ok((stem.unwrap_or_default().into_owned(), text))
}

fn bundled(name: &str) -> Option<(&'static str, &'static str)> {
    let name = name.replace('_', "-");
    bundled_recipes().find(|(known, _)| *known == name)
}

fn nearest(name: &str) -> Option<&'static str> {
    let names = bundled_recipes().map(|(known, _)| known);
    raddle_dispatch::read::nearest(&name.replace('_', "-"), names)
}

/// One line of the list.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct RecipeRow {
    name: &'static str,
    launch_path: &'static str,
    turn: &'static str,
    allocate: &'static str,
    preempt: &'static str,
    description: String,
}

fn entries() -> Result<Vec<RecipeRow>, CliError> {
    bundled_recipes()
        .map(|(name, text)| {
            let recipe = Recipe::parse(name, text)?;
            let [launch_path, turn, allocate, preempt] = recipe.policies();
            Ok(RecipeRow {
                name,
                launch_path,
                turn,
                allocate,
                preempt,
                description: recipe.description.unwrap_or_default(),
            })
        })
        .collect()
}

/// The verb `recipes`.
pub(crate) fn verb(args: &ShowArgs, format: Format, console: &mut Console) -> Result<(), CliError> {
    let text = match (&args.show, format) {
        (Some(name), _) => args.shown(show(name, format)?)?,
        (None, Format::Json) => json(&entries()?),
        (None, Format::Text) => list(&entries()?, console.stdout_colour),
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

fn show(name: &str, format: Format) -> Result<String, CliError> {
    let (_, text) = bundled(name).ok_or_else(|| {
        CliError::Refused(format!(
            "there is no bundled recipe {name}.{} `raddle recipes` lists them",
            meant(nearest(name))
        ))
    })?;
    Ok(match format {
        Format::Text => text.to_owned(),
        Format::Json => json(&Recipe::parse(name, text)?),
    })
}

fn list(entries: &[RecipeRow], colour: bool) -> String {
    let titles = ["recipe", "launch path", "turn", "allocate", "preempt", "description"];
    let mut table = Table::new("Recipes", titles.map(Column::text));
    for RecipeRow { name, launch_path, turn, allocate, preempt, description } in entries {
        table.row([*name, launch_path, turn, allocate, preempt, description]);
    }
    let mut document = Document::default();
    document.table(table);
    let next = "Print one to start from: raddle recipes --show leftover-drain --save mine.toml";
    document.add(Block::Note(next.to_owned()));
    document.text(colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_recipe_is_valid_and_says_what_it_is() {
        for entry in entries().unwrap() {
            assert!(!entry.description.is_empty(), "{}", entry.name);
        }
        assert!(DEFAULT.iter().all(|name| bundled(name).is_some()));
    }

    #[test]
    fn snake_case_names_are_accepted_and_near_ones_named() {
        assert_eq!(bundled("leftover_drain").unwrap().0, "leftover-drain");
        assert_eq!(nearest("leftover-drian"), Some("leftover-drain"));
        assert_eq!(nearest("gredy"), Some("greedy"));
    }

    /// Between them lies what condensing saves, and nothing else.
    #[test]
    fn ordinary_and_condensed_packets_cost_the_same_for_each_part() {
        let text = |name| bundled(name).unwrap().1;
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
        let twice =
            choose(&["greedy".to_owned(), "greedy".to_owned()], &Registry::bundled()).unwrap();
        assert_eq!(twice[0].name, "greedy");
        assert_eq!(twice[1].name, "greedy-2");
    }
}
