//! Why can a recipe not be used?

use raddle_policy::SettingError;

use super::line::line;
use super::sample;

/// The reason why a recipe cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct RecipeError(pub(super) RecipeFault);

/// The reason of a [`RecipeError`], with the values that its message needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum RecipeFault {
    /// The text of the recipe is not valid TOML or JSON.
    #[error("recipe {name}, line {line}: this is not valid {format}: {message}")]
    Syntax { name: String, format: &'static str, line: usize, message: String },
    /// The recipe has another version of the format than this program reads.
    #[error("recipe {name} {version}; this raddle reads version 1: put `{line}` at its top")]
    Version { name: String, version: String, line: &'static str },
    /// A key of the recipe is unknown or missing, or has a value that is not allowed. The error has
    /// the name of the recipe and the line, if the text of the recipe is known.
    #[error("{}, `{key}`: {message}{}", place(name, *line), suffix(message, example.as_deref()))]
    Setting {
        name: String,
        line: Option<usize>,
        key: String,
        message: String,
        example: Option<String>,
    },
}

fn place(name: &str, line: Option<usize>) -> String {
    let name = if name.is_empty() { String::new() } else { format!(" {name}") };
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    format!("recipe{name}{line}")
}

fn suffix(message: &str, example: Option<&str>) -> String {
    let stop = if message.ends_with('?') { "" } else { "." };
    example.map(|example| format!("{stop} Example: {example}")).unwrap_or_default()
}

impl RecipeError {
    /// Returns the wrong key of the recipe, such as `turn.slice-us`; `None` where the recipe cannot
    /// be read at all.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match &self.0 {
            RecipeFault::Setting { key, .. } => Some(key),
            _ => None,
        }
    }

    /// Returns an example of the wrong key with a valid value, as TOML or JSON between backquotes;
    /// `None` where no valid value is known.
    #[must_use]
    pub fn example(&self) -> Option<&str> {
        match &self.0 {
            RecipeFault::Setting { example, .. } => example.as_deref(),
            _ => None,
        }
    }

    /// Returns the error `message` about the key `key` of a recipe whose text is not known;
    /// `example` is the key with a valid value, if any.
    pub(super) fn setting(key: &str, message: &str, example: Option<String>) -> Self {
        // Keys and words come from a file, so control characters must not reach a terminal.
        let plain = |text: &str| text.replace(char::is_control, "?");
        Self(RecipeFault::Setting {
            name: String::new(),
            line: None,
            key: plain(key),
            message: plain(message),
            example,
        })
    }

    /// Returns the error that the policy of a slot (such as `turn`) cannot use one of its settings.
    /// An example of a valid value is looked for in `samples`, the samples of the policy.
    pub(super) fn in_slot(error: &SettingError, slot: &str, samples: &[&str]) -> Self {
        let (key, message) = (error.key(), error.message());
        let steps: Vec<&str> = key.split(['.', '[']).collect();
        let sample = || sample::find(samples, &steps, None);
        let example = error.example().map(|example| format!("`{example}`"));
        let example = example.or_else(|| Some(sample::shown(&sample()?, false)));
        let dot = if key.is_empty() { "" } else { "." };
        Self::setting(&format!("{slot}{dot}{key}"), message, example)
    }

    /// Adds to the error the recipe's name, `file`, and the line on which the wrong key is in its
    /// text, `text`. Errors of [`Recipe::builder`](crate::Recipe::builder) have neither.
    #[must_use]
    pub fn of_file(self, file: &str, text: &str) -> Self {
        Self(match self.0 {
            RecipeFault::Setting { key, message, example, .. } => {
                let line = line(text, &key);
                RecipeFault::Setting { name: file.to_owned(), line, key, message, example }
            }
            other => other,
        })
    }
}
