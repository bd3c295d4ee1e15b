//! What do shells and `man` want to know of the tool?

use clap::CommandFactory;

use crate::Console;
use crate::args::Cli;
use crate::error::CliError;

/// The hidden verb `completions`.
pub(crate) fn completions(
    shell: clap_complete::Shell,
    console: &mut Console,
) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "raddle", &mut script);
    console.stdout.write_all(&script).map_err(CliError::printing)
}

/// The hidden verb `man`: the page of the tool, or of one verb.
pub(crate) fn man(verb: Option<&str>, console: &mut Console) -> Result<(), CliError> {
    let mut command = Cli::command();
    command.build();
    let page = match verb {
        None => command,
        Some(verb) => {
            let found = command.find_subcommand(verb).cloned();
            found.ok_or_else(|| {
                CliError::Usage(format!("there is no verb `{verb}`: `raddle --help` lists them"))
            })?
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(CliError::printing)?;
    console.stdout.write_all(&text).map_err(CliError::printing)
}
