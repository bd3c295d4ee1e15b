//! What does a composed dispatcher do with your own GPU profile?
//!
//! This is the command-line tool `raddle` as a library: [`App`] is the whole tool, and has your own
//! policies too if you add them to its [`Registry`]. Exit codes: 0 done, 1 input refused, 2 wrong
//! usage, 3 a replay whose launches did not all run and end, 4 a comparison or a check of placements that
//! fails, or a sweep or a search of which cases did, 5 no recipe that meets the goals of
//! those that the driver of the device offers, 70 a fault of raddle.
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

/// Holder of the crate's README as documentation, so that a test compiles the example in it.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeOfTheCrate;

mod args;
mod arrivals;
mod browser;
mod calibrate;
mod carry;
mod check;
mod check_placement;
mod circuit;
mod compare;
mod console;
mod contention;
mod device_list;
mod disk;
mod ending;
mod engine;
mod error;
mod explain;
mod golden;
mod inspect;
mod interrupt;
mod kept;
mod kernel;
mod live;
mod log;
mod log_file;
mod manual;
mod output;
mod packet;
mod place;
mod progress;
mod ranks;
mod recipe_list;
mod replay;
mod schema;
mod seal;
mod serve;
mod shape_args;
mod sweep;
mod tune;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Cli, Verb};
use console::alarm;
use error::CliError;
use raddle_device::Device;
use raddle_dispatch::Composed;
use raddle_study::{RecipeGiven, Studied, Surroundings, Watcher, Ways, units};

pub use console::Console;
pub use raddle_dispatch::Registry;
/// Outcome of a study (a question about profiles): the figures of each recipe, and the verdict.
pub use raddle_study::Studied as Outcome;
pub use raddle_study::answer::{Goal, GoalMetric, PolicyVerdict, VerdictKind};
pub use raddle_study::{Figure, Load, ProcessOutcome, Rate, RecipeOutcome, Study, StudyError};

/// The command-line tool `raddle`, with the policies that its recipes and logs can name.
///
/// A program of your own with policies of your own is this:
///
/// ```no_run
/// # use raddle_policy::{Configured, Cus, NoConfig, ProcessId, ProcessState, SettingError, Tick, Turn};
/// # struct Newest;
/// # impl Turn for Newest {
/// #     fn turn(&mut self, _: &[ProcessState], _: Tick, _: &mut Vec<ProcessId>) -> Option<Tick> { None }
/// # }
/// # impl Configured for Newest {
/// #     const NAME: &'static str = "newest";
/// #     type Config = NoConfig;
/// #     fn make(_: &NoConfig, _: &Cus) -> Result<Self, SettingError> { Ok(Self) }
/// # }
/// fn main() -> std::process::ExitCode {
///     let registry = raddle::Registry::bundled().turn::<Newest>();
///     raddle::App::new(registry).main()
/// }
/// ```
///
/// Every verb knows the policies of the registry: a recipe can name them, `replay` reports on them
/// beside the bundled ones, and `log --replay` computes their answers anew.
#[derive(Clone, Debug)]
pub struct App {
    registry: Registry,
}

impl App {
    /// Makes the tool with the policies of this registry.
    #[must_use]
    pub const fn new(registry: Registry) -> Self {
        Self { registry }
    }

    /// Runs the command line of this process, and returns its exit code.
    #[must_use]
    pub fn main(&self) -> ExitCode {
        kept::switch(true);
        ExitCode::from(self.run(std::env::args_os(), &mut Console::of_process()))
    }

    /// Answers what a command line with the verb `replay` or `share` asks, and returns the answer
    /// as data: nothing is printed, and no file is written. The first of `args` is the program's
    /// name.
    ///
    /// ```
    /// use raddle::{App, Registry};
    ///
    /// let profile = concat!(env!("CARGO_MANIFEST_DIR"), "/data/demo/decode.csv");
    /// let args = ["raddle", "replay", profile, "--recipe=leftover", "--device=b200"];
    /// let studied = App::new(Registry::bundled()).study(args.map(Into::into), &())?;
    /// assert_eq!(studied.result.answer().recommended(), None);
    ///
    /// let stopped = App::new(Registry::bundled()).study(["raddle", "recipes"].map(Into::into), &());
    /// assert_eq!(stopped.unwrap_err().exit_code, 2);
    /// # Ok::<(), raddle::Stopped>(())
    /// ```
    ///
    /// # Errors
    /// Where the command line is refused, or what it asks for cannot be read, used or run.
    pub fn study(
        &self,
        args: impl IntoIterator<Item = OsString>,
        watcher: &dyn Watcher,
    ) -> Result<Studied, Stopped> {
        let cli = manual::parse(args)
            .map_err(|error| Stopped { exit_code: 2, text: clap_text(&error, false) })?;
        let studied = match cli.verb {
            Some(Verb::Replay(args)) => {
                replay::studied(&args, Ways::Asked, &self.registry, watcher)
            }
            Some(Verb::Share(args)) => replay::studied(&args, Ways::Modes, &self.registry, watcher),
            _ => {
                Err(CliError::Usage("only `replay` and `share` have an answer as data".to_owned()))
            }
        };
        studied.map_err(|error| Stopped::of(&error))
    }

    /// Answers a study (a question about profiles) whose files are read from this machine. Nothing
    /// is printed, and no file is written.
    ///
    /// # Errors
    /// Where something of the study cannot be read, used or run.
    pub fn ask(&self, study: &Study) -> Result<Outcome, StudyError> {
        let (registry, files) = (&self.registry, &disk::Disk::default());
        study.run(&Surroundings { registry, files, watcher: &(), jobs: None })
    }

    /// Makes the dispatcher of a recipe for a device, for a program that passes events to the
    /// dispatcher itself; recipe and device may be files of this machine. The decision log is
    /// written to `log`. See [`raddle_study::dispatcher`].
    ///
    /// # Errors
    /// Where the recipe or the device is unknown, or cannot be read or used.
    pub fn dispatcher(
        &self,
        recipe: RecipeGiven<'_>,
        device: &str,
        log: Option<Box<dyn std::io::Write + Send>>,
    ) -> Result<(Composed, Device), Stopped> {
        let files = disk::Disk::default();
        let made = raddle_study::dispatcher(recipe, device, log, (&self.registry, &files));
        made.map_err(|error| Stopped::of(&error.into()))
    }

    /// Runs a command line, of which the first word is the program's name, and returns the exit
    /// code.
    #[must_use]
    pub fn run(&self, args: impl IntoIterator<Item = OsString>, console: &mut Console) -> u8 {
        let done = match manual::parse(args) {
            Ok(cli) => program(&cli, &self.registry, console),
            Err(error) => return refuse(&error, console),
        };
        let flushed = console.stdout.flush().map_err(CliError::printing);
        match done.and_then(|code| flushed.map(|()| code)) {
            Ok(code) => code,
            Err(error) => {
                let code = error.exit_code();
                if code != 0 {
                    let label = alarm("error:", console.stderr_colour);
                    // If the error stream cannot be written, only the exit code is left.
                    let error = units::harmless(&error.to_string()).into_owned();
                    let _ = writeln!(console.stderr, "{label} {error}");
                }
                code
            }
        }
    }
}

/// Answers a study (a question about profiles) whose files are read from this machine, with the
/// bundled policies.
///
/// ```
/// use std::time::Duration;
/// use raddle::{Load, Rate, Study, StudyError};
///
/// fn main() -> Result<(), StudyError> {
///     # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/data/demo")).expect("it is there");
///     let load = Load::requests("decode", Rate::per_second(40)).until(Duration::from_millis(50));
///     let study = Study::of(["decode.csv", "train.csv"])
///         .load(load)
///         .recipe("time-slice")
///         .recipe("partition");
///     let outcome = raddle::ask(&study)?;
///     for recipe in outcome.recipes() {
///         let (decode, train) = (recipe.process("decode")?, recipe.process("train")?);
///         println!("{}: p99 {}, a step {}", recipe.name(), decode.p99()?, train.step()?);
///     }
///     println!("{}", outcome.verdict().text);
///     Ok(())
/// }
/// ```
///
/// # Errors
/// Where something of the study cannot be read, used or run.
pub fn ask(study: &Study) -> Result<Outcome, StudyError> {
    App::new(Registry::bundled()).ask(study)
}

/// Reason why a command line could not be carried out, so that it prints no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
#[non_exhaustive]
pub struct Stopped {
    /// Exit code with which the tool ends for this command line.
    pub exit_code: u8,
    /// Text of the error: what went wrong, where, and what to do.
    pub text: String,
}

impl Stopped {
    fn of(error: &CliError) -> Self {
        let text = units::harmless(&error.to_string()).into_owned();
        Self { exit_code: error.exit_code(), text }
    }
}

/// Carries out a command line, and returns the exit code; for `live run` it is that of the program.
fn program(cli: &Cli, registry: &Registry, console: &mut Console) -> Result<u8, CliError> {
    match &cli.verb {
        Some(Verb::Live(args)) if cli.bundled == replay::RunArgs::default() => {
            live::verb(args, registry, cli.format, console)
        }
        _ => verb(cli, registry, console).map(|()| 0),
    }
}

/// Prints a message of clap, and returns the exit code: help and versions go to the standard
/// output, errors to the error stream.
fn refuse(error: &clap::Error, console: &mut Console) -> u8 {
    let (stream, colour) = if error.use_stderr() {
        (&mut console.stderr, console.stderr_colour)
    } else {
        (&mut console.stdout, console.stdout_colour)
    };
    let text = format!("{}{}", clap_text(error, colour), first_hint(error));
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    if error.use_stderr() { 2 } else { 0 }
}

/// Returns the text of a message of clap (the parser of the command line). The message repeats
/// words of the user: if these could control a terminal, they are made harmless, and colours are
/// left out.
fn clap_text(error: &clap::Error, colour: bool) -> String {
    let text = error.render();
    let bare = text.to_string();
    match units::harmless(&bare) {
        std::borrow::Cow::Borrowed(_) if colour => text.ansi().to_string(),
        harmless => harmless.into_owned(),
    }
}

/// Returns a hint for clap's error if people often make this mistake; else an empty text.
fn first_hint(error: &clap::Error) -> String {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let names = |kind, word: &str| match error.get(kind) {
        Some(ContextValue::String(text)) => text.contains(word),
        Some(ContextValue::Strings(texts)) => texts.iter().any(|text| text.contains(word)),
        _ => false,
    };
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    match error.kind() {
        ErrorKind::InvalidSubcommand => profile_hint(error),
        ErrorKind::MissingRequiredArgument if names(ContextKind::InvalidArg, "<PROFILE>") => format!(
            "\nno profile at hand? `raddle` alone leaves two in {}/{}\n",
            replay::RESULTS,
            replay::BUNDLED
        ),
        // Without a verb the line of usage names none.
        ErrorKind::UnknownArgument if usage.contains("[COMMAND]") && is_of_replay(error) => {
            "\noptions of a replay stand behind a verb: `raddle share PROFILE OTHER --requests NAME=40/s`\n"
                .to_owned()
        }
        _ => String::new(),
    }
}

/// Returns whether the option that clap refused is one of `share`, so that it lacks its verb.
fn is_of_replay(error: &clap::Error) -> bool {
    use clap::error::{ContextKind, ContextValue};
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else {
        return false;
    };
    let name = given.trim_start_matches('-');
    let tool = <Cli as clap::CommandFactory>::command();
    tool.find_subcommand("share")
        .is_some_and(|verb| verb.get_arguments().any(|known| known.get_long() == Some(name)))
}

/// Returns a hint if the command line names a file in place of a verb; else an empty text.
fn profile_hint(error: &clap::Error) -> String {
    use clap::error::{ContextKind, ContextValue};
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if std::path::Path::new(word).exists() => word,
        _ => return String::new(),
    };
    let word = units::quoted(word);
    format!("\n{word} is a file: did you mean `raddle replay {word}`?\n")
}

fn verb(cli: &Cli, registry: &Registry, console: &mut Console) -> Result<(), CliError> {
    if cli.no_cache {
        kept::switch(false);
    }
    let Some(verb) = &cli.verb else {
        return replay::tour(&cli.bundled, registry, cli.format, console);
    };
    if cli.bundled != replay::RunArgs::default() {
        return Err(CliError::Usage(
            "options of a replay stand behind the verb: `raddle replay PROFILE --out DIR`"
                .to_owned(),
        ));
    }
    match verb {
        Verb::Replay(args) => match &args.events {
            Some(log) => log::replay(log, registry, cli.format, console),
            None => replay::verb(args, registry, cli.format, console),
        },
        Verb::Share(args) => replay::shared(args, registry, cli.format, console),
        Verb::Tune(args) => tune::verb(args, registry, cli.format, console),
        Verb::Sweep(args) => sweep::verb(args, registry, cli.format, console),
        Verb::SearchStudy(args) => sweep::of_searches(args, registry, cli.format, console),
        Verb::Serve(args) => serve::verb(args, registry, cli.format, console),
        Verb::Contention(args) => contention::verb(args, cli.format, console),
        Verb::Log(args) => log::verb(args, registry, cli.format, console),
        Verb::Inspect(args) => inspect::verb(args, cli.format, console),
        Verb::Recipes(args) => recipe_list::verb(args, cli.format, console),
        Verb::Devices(args) => device_list::verb(args, cli.format, console),
        Verb::Check(args) => check::verb(args, cli.format, console),
        Verb::Compare(args) => compare::verb(args, cli.format, console),
        Verb::Calibrate(args) => calibrate::verb(args, cli.format, console),
        Verb::Golden(args) => golden::verb(&args.topic, console),
        Verb::Explain(args) => explain::verb(args, cli.format, console),
        Verb::Circuit(args) => circuit::verb(args, cli.format, console),
        Verb::CheckPlacement(args) => check_placement::verb(args, cli.format, console),
        Verb::Packet(args) => packet::verb(args, cli.format, console),
        Verb::Kernel(args) => kernel::verb(args, cli.format, console),
        Verb::Live(args) => live::verb(args, registry, cli.format, console).map(|_| ()),
        Verb::Schema { document } => schema::verb(document.as_deref(), cli.format, console),
        Verb::Help { topic } => manual::help(topic.as_deref(), console),
        Verb::Completions { shell } => manual::completions(*shell, console),
        Verb::Man { verb } => manual::man(verb.as_deref(), console),
    }
}
