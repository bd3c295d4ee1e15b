//! Why can a description not be a device?

use alloc::string::String;
use core::fmt;

use raddle_policy::ShapeError;

/// Why a description is not that of a device we can model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceError {
    /// The shape of its compute units cannot be.
    Shape {
        /// What the description calls it.
        name: String,
        /// Why.
        error: ShapeError,
    },
    /// A figure that no device can have, or that is too large for us.
    Impossible {
        /// What the description calls it.
        name: String,
        /// Which figure.
        what: &'static str,
    },
    /// The profile does not say something that nothing else can tell.
    Missing {
        /// What the profile calls it.
        name: String,
        /// What it does not say.
        what: &'static str,
    },
    /// An NVIDIA device of a generation whose granules we do not know.
    Capability {
        /// What the profile calls it.
        name: String,
        /// Major compute capability.
        major: u32,
        /// Minor compute capability.
        minor: u32,
    },
    /// An AMD device with an instruction set whose registers we do not know.
    Arch {
        /// What the profile calls it.
        name: String,
        /// The instruction set.
        arch: String,
    },
    /// A device of another maker that is not in the table: profiles say too little of those.
    NotNvidia {
        /// What the profile calls it.
        name: String,
    },
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { name, error } => write!(f, "device '{name}': {error}")?,
            Self::Impossible { name, what } => {
                write!(f, "the {what} of device '{name}' cannot be right")?;
            }
            Self::Missing { name, what } => {
                write!(f, "the profile does not say the {what} of its device '{name}'")?;
            }
            Self::Capability { name, major, minor } => write!(
                f,
                "device '{name}' has compute capability {major}.{minor}, whose granules are not \
                 known"
            )?,
            Self::Arch { name, arch } => write!(
                f,
                "device '{name}' has the instruction set '{arch}', whose registers are not known"
            )?,
            Self::NotNvidia { name } => write!(
                f,
                "device '{name}' is not NVIDIA's, and a profile says too little of it to stand \
                 for it"
            )?,
        }
        f.write_str(": name a device of the table with --device (`raddle devices` lists them)")
    }
}

impl core::error::Error for DeviceError {}
