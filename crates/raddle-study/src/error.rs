//! Why did a study stop?

use std::io;

use raddle_device::DeviceError;
use raddle_dispatch::RecipeError;
use raddle_read::listed;
use raddle_sim::SimError;
use raddle_trace::TraceError;

use crate::files::is_path;
use crate::recipes;

/// Error that stops a study (replays of profiles under several recipes, and their comparison). Its
/// text says what went wrong, where, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum StudyError {
    /// A setting or name that the user gave does not exist or does not fit; the text says which.
    #[error("{0}")]
    Usage(String),
    /// An input of the study, such as a file, cannot be used; the text says why.
    #[error("{0}")]
    Refused(String),
    /// A profile could not be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No part of a profile can run on the device that is replayed on.
    #[error(transparent)]
    Plan(#[from] SimError),
    /// A recipe was found but cannot be used.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// A recipe that the user named is neither bundled nor a readable file.
    #[error(
        "there is no recipe {name}: it is neither bundled nor a file that can be read ({cause}).{} `raddle recipes` lists the bundled ones",
        recipes::policy_told(name).unwrap_or_else(|| meant(*nearest))
    )]
    UnknownRecipe { name: String, cause: io::Error, nearest: Option<&'static str> },
    /// A device that the user named is not in raddle's table of devices.
    #[error(
        "there is no device {name} in the table.{} `raddle devices` lists them",
        meant_one_of(nearest)
    )]
    UnknownDevice { name: String, nearest: Box<[&'static str]> },
    /// The user named an instruction set in place of a device, and several devices of the table
    /// have it.
    #[error("{name} is the instruction set of {}: name the device", listed(devices, "and"))]
    SeveralDevices { name: String, devices: Vec<&'static str> },
    /// A file that the user named as a device does not describe one; `cause` says why.
    #[error(
        "{file} holds no device: {cause}. `raddle devices --show v100 --save mine.toml` writes one to start from"
    )]
    DeviceFile { file: String, cause: String },
    /// The first profile does not say on which device it was recorded, and the user named no
    /// device.
    #[error(
        "no device data in {file} and no --device: name the device to replay on, such as `--device {example}` (`raddle devices` lists them)"
    )]
    NoDevice { file: String, example: &'static str },
    /// A profile was recorded on a device that is not in raddle's table of devices, and does not
    /// describe it well enough to replay on it.
    #[error(
        "the device of {file}, `{device}`, is not in the table, and the file alone does not do: {error}.{}",
        meant_one_of(nearest)
    )]
    StrangeDevice { file: String, device: String, nearest: Box<[&'static str]>, error: DeviceError },
    /// The simulation of a recipe ended with an error; `what` names the part of the study that was
    /// simulated.
    #[error("recipe {recipe}, {what}: {error}")]
    Sim { recipe: String, what: String, error: SimError },
    /// raddle broke one of its own rules during a simulation (a fault of raddle), so there is no
    /// verdict; `log` says where the decisions of the simulation are logged.
    #[error("recipe {recipe}, {what}: {error}. {log}")]
    Fault { recipe: String, what: String, error: Box<SimError>, log: String },
    /// A file that the user named cannot be read.
    #[error("{file} cannot be read ({cause}): check the path and its permissions")]
    Unreadable { file: String, cause: io::Error },
    /// An output file of a study cannot be written; `what` names it.
    #[error(
        "{what} cannot be written ({cause}): check the free space and the rights of the folder"
    )]
    Unwritable { what: String, cause: io::Error },
    /// The caller cancelled the study (the replays, and their comparison) before its end.
    #[error("the study was cancelled")]
    Cancelled,
}

impl StudyError {
    /// Returns whether the user named something that does not exist or does not fit: a recipe, a
    /// device, a key or a value. False for errors of an input file or of a simulation.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Usage(_) | Self::UnknownDevice { .. } | Self::SeveralDevices { .. } => true,
            Self::UnknownRecipe { name, .. } => !is_path(name),
            _ => false,
        }
    }

    /// Returns a function that turns an I/O error into the error that the file `what` cannot be
    /// written.
    pub(crate) fn writing(what: &str) -> impl Fn(io::Error) -> Self + '_ {
        move |cause| Self::Unwritable { what: what.to_owned(), cause }
    }
}

/// Returns " Did you mean ...?" with these names, for the end of an error message; empty where
/// there are none.
fn meant_one_of(nearest: &[&str]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", listed(nearest, "or"))
    }
}

/// Returns " Did you mean `nearest`?" for the end of an error message; empty for `None`.
#[must_use]
pub fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |near| format!(" Did you mean `{near}`?"))
}
