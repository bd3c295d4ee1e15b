//! Where is a launch that was submitted to the simulated device?

use raddle_policy::Preemption;

/// The state of a launch that was submitted to the device and has not ended: it runs, leaves the
/// device, is off it, or comes back. A state other than running has the preemption method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiveState {
    Running,
    Leaving(Preemption),
    Off(Preemption),
    Returning(Preemption),
}

impl LiveState {
    /// Returns whether the waves of the launch stand still: they are being saved or killed, or are
    /// saved.
    pub(super) const fn is_stopped(self) -> bool {
        match self {
            Self::Running => false,
            Self::Leaving(how) => how.stands_still(),
            Self::Off(how) | Self::Returning(how) => how.saves(),
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Running => "on the device",
            Self::Leaving(_) => "leaving the device",
            Self::Off(_) => "off the device",
            Self::Returning(_) => "coming back to the device",
        }
    }
}
