//! Why can a description not be a device?

use alloc::string::String;

use raddle_policy::ShapeError;

/// Why a description is not that of a device we can model; `name` is what it calls the device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum DeviceError {
    /// The shape of its compute units cannot be.
    #[error("device '{name}': {error}{HINT}")]
    Shape { name: String, error: ShapeError },
    /// A figure that no device can have, or that is too large for us.
    #[error("the {what} of device '{name}' cannot be right{HINT}")]
    Impossible { name: String, what: &'static str },
    /// The profile does not say something that nothing else can tell.
    #[error("the profile does not say the {what} of its device '{name}'{HINT}")]
    Missing { name: String, what: &'static str },
    /// An NVIDIA device of a generation whose granules we do not know.
    #[error(
        "device '{name}' has compute capability {major}.{minor}, whose granules are not known{HINT}"
    )]
    Capability { name: String, major: u32, minor: u32 },
    /// An AMD device with an instruction set whose registers we do not know.
    #[error(
        "device '{name}' has the instruction set '{arch}', whose registers are not known{HINT}"
    )]
    Arch { name: String, arch: String },
    /// A device of another maker that is not in the table: profiles say too little of those.
    #[error(
        "device '{name}' is not NVIDIA's, and a profile says too little of it to stand for it{HINT}"
    )]
    NotNvidia { name: String },
}

const HINT: &str = ": name a device of the table with --device (`raddle devices` lists them)";
