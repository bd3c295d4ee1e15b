//! Why can the description of a device not be modelled?

use alloc::string::String;

use raddle_policy::{ErrorKind, ShapeError};

/// Reason why a profile's or a file's description cannot be modelled as a device; the description's
/// name is in the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError(pub(crate) Reason);

impl core::fmt::Display for DeviceError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::error::Error for DeviceError {}

impl DeviceError {
    /// Returns the kind of the error, by which a program decides how to go on.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self.0 {
            Reason::Shape { .. } | Reason::Impossible { .. } => ErrorKind::OutOfRange,
            Reason::Missing { .. } => ErrorKind::Inconsistent,
            Reason::Capability { .. } | Reason::Arch { .. } | Reason::NotNvidia { .. } => {
                ErrorKind::Unsupported
            }
        }
    }
}

/// Reason of a [`DeviceError`], with the values that the error message shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A device whose compute units cannot have the resources that are given; `error` says which
    /// one is impossible.
    Shape { name: String, error: ShapeError },
    /// A value, such as a number of compute units, that no device can have, or that is too large
    /// for the types of this crate; `what` names it.
    Impossible { name: String, what: &'static str },
    /// A profile that lacks a value of its device, such as the number of compute units, which no
    /// other source gives; `what` names it.
    Missing { name: String, what: &'static str },
    /// An NVIDIA device of a generation whose granules are not known.
    Capability { name: String, major: u32, minor: u32 },
    /// An AMD device with an instruction set, `arch`, whose registers are not known.
    Arch { name: String, arch: String },
    /// A device of another maker that is not in raddle's table of devices: profiles describe such
    /// devices too little.
    NotNvidia { name: String },
}

raddle_policy::texts! { Reason:
    Shape { name, error } => "device '{name}': {error}{HINT}";
    Impossible { name, what } => "the {what} of device '{name}' cannot be right{HINT}";
    Missing { name, what } => "the profile does not say the {what} of its device '{name}'{HINT}";
    Capability { name, major, minor } =>
        "device '{name}' has compute capability {major}.{minor}, whose granules are not known{HINT}";
    Arch { name, arch } =>
        "device '{name}' has the instruction set '{arch}', whose registers are not known{HINT}";
    NotNvidia { name } =>
        "device '{name}' is not NVIDIA's, and a profile says too little of it to stand for it{HINT}";
}

const HINT: &str = ": name a device of the table with --device (`raddle devices` lists them)";
