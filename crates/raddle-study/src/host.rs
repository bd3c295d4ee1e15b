//! How does a program get the dispatcher of a recipe over a device, to drive it itself?

use std::io::Write;

use raddle_device::Device;
use raddle_dispatch::log::Detail;
use raddle_dispatch::{Composed, Registry};

use crate::answer::today;
use crate::devices;
use crate::error::StudyError;
use crate::fault::log_header;
use crate::files::Files;
use crate::recipes::{NamedRecipe, choose};

/// Recipe as a program that embeds raddle gives it: by name, or as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecipeGiven<'a> {
    /// Name of a bundled recipe, or path of a file. The name `today` stands for how the device
    /// shares itself between two processes where nobody sets anything up.
    Named(&'a str),
    /// Text of a recipe: TOML, or JSON where it begins with `{`.
    Text(&'a str),
}

/// Makes the dispatcher that runs a recipe on a device, with the costs and the clock of the device
/// as in a replay. `device` is an id, a file, or a product name. Decisions are written to `log` in
/// full, so that `raddle log` can replay and check them. Returns (the dispatcher, the device).
///
/// ```
/// use raddle_study::{MemoryFiles, RecipeGiven, Registry, dispatcher};
///
/// let (registry, files) = (Registry::bundled(), MemoryFiles::default());
/// let leftover = RecipeGiven::Named("leftover");
/// let (composed, device) = dispatcher(leftover, "h100", None, (&registry, &files))?;
/// assert_eq!((composed.policies()[2], device.cus), ("leftover", 132));
/// # Ok::<(), raddle_study::StudyError>(())
/// ```
///
/// # Errors
/// When the recipe or the device is unknown, cannot be read, or cannot be used.
pub fn dispatcher(
    recipe: RecipeGiven<'_>,
    device: &str,
    log: Option<Box<dyn Write + Send>>,
    (registry, files): (&Registry, &dyn Files),
) -> Result<(Composed, Device), StudyError> {
    let device = devices::asked(device, files)?.device;
    let named = match recipe {
        RecipeGiven::Named(name) => {
            choose(&[name.to_owned()], today(&device, 2), &[], (registry, files))?.pop()
        }
        RecipeGiven::Text(text) => {
            Some(NamedRecipe::parse("given".to_owned(), "given", text.to_owned(), registry)?)
        }
    };
    let named = named.expect("one recipe was asked for");
    let recipe = named.on(&device);
    let mut builder = named.builder(&recipe, &device)?;
    if let Some(log) = log {
        builder = builder.log(log_header(&device, &recipe, Detail::Answers).writer(log));
    }
    let built = builder.build().map_err(|error| StudyError::Refused(error.to_string()))?;
    Ok((built, device))
}
