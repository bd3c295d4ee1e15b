//! Which recipes are bundled? The verb `recipes`.

use raddle_dispatch::Recipe;
use raddle_report::{Block, Column, Document, Table, json};
use raddle_study::{meant, recipes};
use serde::Serialize;

use crate::Console;
use crate::args::{Format, ShowArgs};
use crate::error::CliError;

/// One row of the list of recipes: the name of a recipe, and the policy of each of its slots.
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
    recipes::texts()
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

pub(crate) fn verb(args: &ShowArgs, format: Format, console: &mut Console) -> Result<(), CliError> {
    let text = match (&args.show, format) {
        (Some(name), _) => args.shown(show(name, format)?)?,
        (None, Format::Json) => json(&entries()?),
        (None, Format::Text) => list(&entries()?, console.stdout_colour),
    };
    console.print(&text)
}

fn show(name: &str, format: Format) -> Result<String, CliError> {
    let text = recipes::text_of(name).ok_or_else(|| {
        let near = match recipes::nearest(name) {
            Some(today) if today == name => {
                " It stands for the way in which a device is shared without set-up, such as `time-slice`.".to_owned()
            }
            near => recipes::policy_told(name).unwrap_or_else(|| match near {
                None => format!(" Some are {}.", recipes::DEFAULT.join(", ")),
                near => meant(near),
            }),
        };
        CliError::Usage(format!(
            "there is no bundled recipe {name}.{near} `raddle recipes` lists all"
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
    }
}
