//! Why did a study stop?

use std::io;

use raddle_device::DeviceError;
use raddle_dispatch::RecipeError;
use raddle_read::listed;
use raddle_sim::SimError;
use raddle_trace::TraceError;

use crate::files::is_path;

/// An error that stops a study. The text tells what went wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum StudyError {
    /// The study asks for something that does not exist.
    #[error("{0}")]
    Usage(String),
    /// An input of the study cannot be used.
    #[error("{0}")]
    Refused(String),
    /// A profile cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No part of a profile can run.
    #[error(transparent)]
    Plan(#[from] SimError),
    /// A recipe cannot be used.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// A recipe that is neither bundled nor a file.
    #[error(
        "there is no recipe {name}: it is neither bundled nor a file that can be read ({cause}).{} `raddle recipes` lists the bundled ones",
        meant(*nearest)
    )]
    UnknownRecipe { name: String, cause: io::Error, nearest: Option<&'static str> },
    /// A device that is not in the table.
    #[error(
        "there is no device {name} in the table.{} `raddle devices` lists them",
        meant_one_of(nearest)
    )]
    UnknownDevice { name: String, nearest: Box<[&'static str]> },
    /// An instruction set that several devices of the table have.
    #[error("{name} is the instruction set of {}: name the device", listed(devices, "and"))]
    SeveralDevices { name: String, devices: Vec<&'static str> },
    /// A file that holds no device.
    #[error(
        "{file} holds no device: {cause}. `raddle devices --show v100 --save mine.toml` writes one to start from"
    )]
    DeviceFile { file: String, cause: String },
    /// A profile that does not say where it was recorded.
    #[error(
        "no device data in {file} and no --device: name the device to replay on, such as `--device {example}` (`raddle devices` lists them)"
    )]
    NoDevice { file: String, example: &'static str },
    /// A profile of a device that is not in the table, without the figures to stand in for it.
    #[error(
        "the device of {file}, `{device}`, is not in the table, and the file alone does not do: {error}.{}",
        meant_one_of(nearest)
    )]
    StrangeDevice { file: String, device: String, nearest: Box<[&'static str]>, error: DeviceError },
    /// A run broke off.
    #[error("recipe {recipe}, {what}: {error}")]
    Sim { recipe: String, what: String, error: SimError },
    /// raddle itself has broken a rule, so there is no verdict.
    #[error("recipe {recipe}, {what}: {error}. {log}")]
    Fault { recipe: String, what: String, error: Box<SimError>, log: String },
    /// A file that cannot be read.
    #[error("{file} cannot be read ({cause}): check the path and its permissions")]
    Unreadable { file: String, cause: io::Error },
    /// A file that a run leaves cannot be written.
    #[error(
        "{what} cannot be written ({cause}): check the free space and the rights of the folder"
    )]
    Unwritable { what: String, cause: io::Error },
    /// The caller has ended the study.
    #[error("the study was cancelled")]
    Cancelled,
}

impl StudyError {
    /// Returns whether the study asks for something that does not exist: a recipe, a device, a key or
    /// a value. Any other error is of an input, or of the run.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Usage(_) | Self::UnknownDevice { .. } | Self::SeveralDevices { .. } => true,
            Self::UnknownRecipe { name, .. } => !is_path(name),
            _ => false,
        }
    }

    /// An error of writing to `what`.
    pub(crate) fn writing(what: &str) -> impl Fn(io::Error) -> Self + '_ {
        move |cause| Self::Unwritable { what: what.to_owned(), cause }
    }
}

/// Asks whether one of these names was meant; empty where there are none.
fn meant_one_of(nearest: &[&str]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", listed(nearest, "or"))
    }
}

/// Returns the name that was likely meant, as the end of a message.
#[must_use]
pub fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |near| format!(" Did you mean `{near}`?"))
}
