//! Why did a study stop?

use std::io;

use raddle_device::DeviceError;
use raddle_dispatch::RecipeError;
use raddle_read::listed;
use raddle_sim::SimError;
use raddle_trace::TraceError;

use crate::files::is_path;

/// Error that stops a study. Its text says what went wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum StudyError {
    /// The study asks for something that does not exist, such as a setting; the text says what.
    #[error("{0}")]
    Usage(String),
    /// An input of the study, such as a file, cannot be used; the text says why.
    #[error("{0}")]
    Refused(String),
    /// A profile cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No part of a profile can run on the device.
    #[error(transparent)]
    Plan(#[from] SimError),
    /// A recipe exists but cannot be used.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// A recipe that was asked for is neither bundled nor a file.
    #[error(
        "there is no recipe {name}: it is neither bundled nor a file that can be read ({cause}).{} `raddle recipes` lists the bundled ones",
        meant(*nearest)
    )]
    UnknownRecipe { name: String, cause: io::Error, nearest: Option<&'static str> },
    /// A device that was asked for is not in the table.
    #[error(
        "there is no device {name} in the table.{} `raddle devices` lists them",
        meant_one_of(nearest)
    )]
    UnknownDevice { name: String, nearest: Box<[&'static str]> },
    /// An instruction set was given in place of a device, and several devices of the table have it.
    #[error("{name} is the instruction set of {}: name the device", listed(devices, "and"))]
    SeveralDevices { name: String, devices: Vec<&'static str> },
    /// A file that was given as a device, and that describes no device; `cause` says why.
    #[error(
        "{file} holds no device: {cause}. `raddle devices --show v100 --save mine.toml` writes one to start from"
    )]
    DeviceFile { file: String, cause: String },
    /// A profile does not say on which device it was recorded, and no device was named.
    #[error(
        "no device data in {file} and no --device: name the device to replay on, such as `--device {example}` (`raddle devices` lists them)"
    )]
    NoDevice { file: String, example: &'static str },
    /// A profile names a device that is not in the table, and lacks the properties that could stand
    /// in for it.
    #[error(
        "the device of {file}, `{device}`, is not in the table, and the file alone does not do: {error}.{}",
        meant_one_of(nearest)
    )]
    StrangeDevice { file: String, device: String, nearest: Box<[&'static str]>, error: DeviceError },
    /// The simulation of a recipe ended with an error; `what` names the recipe or part of the study
    /// that was simulated.
    #[error("recipe {recipe}, {what}: {error}")]
    Sim { recipe: String, what: String, error: SimError },
    /// raddle itself broke a rule of its own during a simulation, so there is no verdict.
    #[error("recipe {recipe}, {what}: {error}. {log}")]
    Fault { recipe: String, what: String, error: Box<SimError>, log: String },
    /// A file that the study names cannot be read.
    #[error("{file} cannot be read ({cause}): check the path and its permissions")]
    Unreadable { file: String, cause: io::Error },
    /// A file that a study writes cannot be written; `what` names it.
    #[error(
        "{what} cannot be written ({cause}): check the free space and the rights of the folder"
    )]
    Unwritable { what: String, cause: io::Error },
    /// The caller ended the study.
    #[error("the study was cancelled")]
    Cancelled,
}

impl StudyError {
    /// Returns whether the study asks for something that does not exist: a recipe, a device, a key
    /// or a value. False for errors of an input or of a simulation.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Usage(_) | Self::UnknownDevice { .. } | Self::SeveralDevices { .. } => true,
            Self::UnknownRecipe { name, .. } => !is_path(name),
            _ => false,
        }
    }

    /// Makes the error that `what` (a file) cannot be written, from its cause.
    pub(crate) fn writing(what: &str) -> impl Fn(io::Error) -> Self + '_ {
        move |cause| Self::Unwritable { what: what.to_owned(), cause }
    }
}

/// Returns the question for an error message whether one of these names was meant; empty where
/// there are none.
fn meant_one_of(nearest: &[&str]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", listed(nearest, "or"))
    }
}

/// Writes the question whether `nearest` was meant, to stand at the end of an error message; empty
/// for `None`.
#[must_use]
pub fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |near| format!(" Did you mean `{near}`?"))
}
