//! Where is the log of a run in which raddle broke a rule of its own?
//!
//! The run is made again with its log, so that there is a log also if nobody asked for one. The
//! second run is equal to the first, as runs are deterministic.

use std::fs::File;
use std::io::{self, BufWriter};

use raddle_device::Device;
use raddle_dispatch::log::{Detail, LogHeader};
use raddle_dispatch::{Composed, Dispatcher, Recipe};

use crate::recipes::NamedRecipe;

/// Runs a recipe again after a fault of raddle (it broke one of its own rules), and writes the
/// decisions to a new file in the current folder. Returns a sentence that names the file.
pub(crate) fn keep_log<O>(
    target: &Device,
    named: &NamedRecipe,
    run: impl FnOnce(&mut Composed) -> O,
) -> String {
    let recipe = named.on(target);
    let written = new_file(&named.name).and_then(|(name, file)| {
        let log =
            log_header(target, &recipe, Detail::Answers).writer(Box::new(BufWriter::new(file)));
        let built = named.builder(&recipe, target).map_err(io::Error::other)?;
        let mut dispatcher = built.log(log).build().map_err(io::Error::other)?;
        run(&mut dispatcher);
        dispatcher.finish().map_err(io::Error::other)?;
        Ok(name)
    });
    match written {
        Ok(name) => format!("Its decisions up to there are in {name}: please report it with them"),
        Err(error) => {
            format!("Please report it with the command; its log cannot be written: {error}")
        }
    }
}

/// Creates a new file in the current folder, named after the recipe; an existing file is never
/// overwritten. Returns (its name, the opened file), or the error for which no file was made.
fn new_file(recipe: &str) -> io::Result<(String, File)> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let recipe: String = recipe.chars().take(60).map(plain).collect();
    let mut last = io::ErrorKind::AlreadyExists.into();
    for number in 1..100 {
        let name = format!("raddle-fault-{recipe}-{number}.jsonl");
        match File::create_new(&name) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// Returns the header of a decision log, which names the recipe and the device that are simulated.
pub(crate) fn log_header(target: &Device, recipe: &Recipe, detail: Detail) -> LogHeader {
    LogHeader::new(recipe.clone(), &*target.id, target.shape, target.cus).with_detail(detail)
}
