//! How is the whole command line described for its help, shell completion and manual pages?

use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap::{Arg, CommandFactory, FromArgMatches};

use raddle_read::nearest;
use raddle_study::meant;

use crate::Console;
use crate::args::Cli;
use crate::error::CliError;

/// Verbs in groups, each group with its title, in the order in which help lists them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Choose a policy", &["share", "replay", "sweep", "tune", "check", "compare", "serve"]),
    ("Live", &["live"]),
    ("Look", &["inspect", "contention", "log", "recipes", "devices", "calibrate", "kernel"]),
    (
        "Patents and circuits",
        &["search-study", "golden", "explain", "circuit", "check-placement", "packet"],
    ),
    ("Help", &["help", "schema", "completions", "man"]),
];

/// Returns clap's description of the command line, with its verbs in groups. Options of `raddle`
/// without a verb, except `--format`, are hidden in this overview: `replay` shows them.
pub(crate) fn command() -> clap::Command {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    let command = Cli::command();
    for (title, verbs) in GROUPS {
        text += &format!("\n{title}:\n");
        for verb in verbs {
            let about = command.find_subcommand(verb).and_then(clap::Command::get_about);
            text += &format!("  {verb:<15} {}\n", about.cloned().unwrap_or_default());
        }
    }
    text += "\nOptions:\n{options}\n\n{after-help}";
    let options: Vec<_> = command.get_arguments().map(|option| option.get_id().clone()).collect();
    let options = options.into_iter().filter(|id| *id != "format");
    options
        .fold(command, |command, id| command.mut_arg(id, |option| option.hide(true)))
        .help_template(text)
}

/// Parses a command line; the error is clap's message about it.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = command();
    let mut found = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches_mut(&mut found).map_err(|error| error.format(&mut command))
}

/// Carries out the verb `completions`: prints a completion script for a shell.
pub(crate) fn completions(
    shell: clap_complete::Shell,
    console: &mut Console,
) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_names(command()), "raddle", &mut script);
    console.stdout.write_all(&script).map_err(CliError::printing)
}

/// Returns the description of the command line with the names of all devices and recipes as values
/// of its options, so that a completion script offers them.
fn with_names(command: clap::Command) -> clap::Command {
    let recipes = || raddle_study::recipes::texts().map(|(name, _)| name).chain(["today"]);
    let named = |arg: Arg| match arg.get_long() {
        Some("device") => arg.value_parser(PossibleValuesParser::new(raddle_device::ids())),
        Some("recipe") => arg.value_parser(PossibleValuesParser::new(recipes())),
        _ => arg,
    };
    let shown = |arg: Arg| match arg.get_long() {
        Some("show") => arg.value_parser(PossibleValuesParser::new(recipes())),
        _ => named(arg),
    };
    let command = command.mut_args(named);
    command.mut_subcommands(|verb| match verb.get_name() {
        "recipes" => verb.mut_args(shown),
        _ => verb.mut_args(named),
    })
}

/// Carries out the verb `man`: prints the manual page of the tool, or of one verb.
pub(crate) fn man(verb: Option<&str>, console: &mut Console) -> Result<(), CliError> {
    let mut command = command();
    command.build();
    let page = match verb {
        None => command,
        Some(verb) => {
            let found = command.find_subcommand(verb).cloned();
            found.ok_or_else(|| {
                let near = near(verb);
                CliError::Usage(format!(
                    "there is no verb `{verb}`.{near} `raddle --help` lists them"
                ))
            })?
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(CliError::printing)?;
    console.stdout.write_all(&text).map_err(CliError::printing)
}

/// Returns a sentence that suggests the verb whose name is nearest to a misspelled one; empty where
/// none is near.
fn near(verb: &str) -> String {
    let command = command();
    let verbs = command.get_subcommands().map(clap::Command::get_name).chain(["model"]);
    meant(nearest(verb, verbs))
}

/// Carries out the verb `help`: prints the help of the tool, of a verb, or of the model of the
/// device.
pub(crate) fn help(topic: Option<&str>, console: &mut Console) -> Result<(), CliError> {
    let mut command = command();
    command.build();
    let text = match topic {
        None => command.render_help().to_string(),
        Some("model") => include_str!("../data/model.txt").to_owned(),
        Some(verb) => match command.find_subcommand_mut(verb) {
            Some(verb) => verb.render_long_help().to_string(),
            None => {
                let near = near(verb);
                let verb = crate::units::plain(verb, 40);
                return Err(CliError::Usage(format!(
                    "there is no verb `{verb}`.{near} `raddle --help` lists them, `raddle help model` explains the model"
                )));
            }
        },
    };
    console.stdout.write_all(text.as_bytes()).map_err(CliError::printing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed_and_every_verb_is_in_a_group() {
        command().debug_assert();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|group| group.1).copied().collect();
        grouped.sort_unstable();
        let command = command();
        let mut verbs: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        verbs.sort_unstable();
        assert_eq!(grouped, verbs);
    }
}
