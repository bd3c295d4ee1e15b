//! What is malformed?

use core::fmt;

use raddle_types::{LaunchId, ProcessId, Refusal};

/// What is malformed: a configuration, a request to an allocator, a kernel of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A process is given a share of 0.
    ZeroShare {
        /// Which.
        process: ProcessId,
    },
    /// Something of the plan has been taken since it was made; nothing has changed.
    Stale {
        /// For which launch.
        launch: LaunchId,
        /// For which workgroup.
        workgroup: u64,
    },
    /// The workgroup lies on the device already; nothing has changed.
    Held {
        /// Of which launch.
        launch: LaunchId,
        /// Which.
        workgroup: u64,
    },
    /// The workgroup does not lie on the device; nothing has changed.
    NotHeld {
        /// Of which launch.
        launch: LaunchId,
        /// Which.
        workgroup: u64,
    },
    /// A kernel without threads has no wave, so nothing to place.
    NoThreads,
    /// A kernel that not even an empty device takes.
    NeverFits(Refusal),
    /// A kernel that asks for more of something than can be counted.
    TooLarge {
        /// What: `threads`, `vgpr`, `sgpr` or `lds`.
        what: &'static str,
        /// How much of it, as it was given.
        given: u32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ZeroShare { process } => {
                write!(f, "{process} has a share of 0, so it could never run: give 1 or more")
            }
            Self::Stale { launch, workgroup } => write!(
                f,
                "the plan for workgroup {workgroup} of {launch} is out of date: probe again"
            ),
            Self::Held { launch, workgroup } => write!(
                f,
                "workgroup {workgroup} of {launch} lies on the device already: release it first"
            ),
            Self::NotHeld { launch, workgroup } => write!(
                f,
                "workgroup {workgroup} of {launch} does not lie on the device: release each once"
            ),
            Self::NoThreads => f.write_str("a kernel without threads: give at least 1"),
            Self::NeverFits(refusal) => write!(f, "no workgroup can ever be placed: {refusal}"),
            Self::TooLarge { what, given } => {
                write!(f, "{what} = {given} is more than any compute unit could count: give less")
            }
        }
    }
}

impl core::error::Error for Error {}
