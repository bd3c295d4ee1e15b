//! What is malformed?

use core::fmt;

/// What is malformed: a runtime, a launch, a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A window that holds no launch.
    NoWindow,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWindow => f.write_str("a window of 0 lets nothing run: give at least 1"),
        }
    }
}

impl core::error::Error for Error {}
