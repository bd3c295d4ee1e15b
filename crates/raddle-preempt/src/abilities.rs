//! What can a runtime do to take work off a device?

use raddle_policy::Preemption;

use crate::error::{PreemptError, Reason};

/// Methods by which a runtime can take the work of a process off a device; a field is true where
/// the runtime has the method. Waiting for the end of the work is always possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct Abilities {
    /// True where kernels test a preemption flag before they begin, so that launches in the runtime
    /// can leave it without running.
    can_flag: bool,
    /// True where the runtime can hold back workgroups that have not started, while running
    /// workgroups go on to their end.
    can_drain: bool,
    /// True where running launches can be killed. This ability needs the preemption flag (tested by
    /// each launch at its start): launches that were submitted behind a killed launch have to leave
    /// by the flag, because they would otherwise run before the killed launch runs again.
    can_reset: bool,
    /// True where workgroups on the device can be saved, and restored later.
    can_switch: bool,
}

impl Abilities {
    /// Abilities of a runtime that cannot take work off the device and can only wait for its end.
    pub const NONE: Self =
        Self { can_flag: false, can_drain: false, can_reset: false, can_switch: false };
    /// Abilities of a runtime that has every method of taking work off the device.
    pub const ALL: Self =
        Self { can_flag: true, can_drain: true, can_reset: true, can_switch: true };

    /// Returns these abilities with the method `method`, or without it where `can` is false. Waiting
    /// for the end of the work is always possible.
    #[must_use]
    pub const fn with(self, method: Preemption, can: bool) -> Self {
        match method {
            Preemption::Wait => self,
            Preemption::Flag => Self { can_flag: can, ..self },
            Preemption::Drain => Self { can_drain: can, ..self },
            Preemption::Reset => Self { can_reset: can, ..self },
            Preemption::Switch => Self { can_switch: can, ..self },
        }
    }

    /// Checks that a runtime can have this combination of abilities: a reset (killing running
    /// launches) needs the preemption flag.
    ///
    /// # Errors
    /// The runtime can reset, and has no preemption flag.
    pub const fn check(self) -> Result<(), PreemptError> {
        if self.can_reset && !self.can_flag {
            return Err(PreemptError(Reason::ResetWithoutFlag));
        }
        Ok(())
    }

    /// Returns whether the runtime can take work off the device by the method `method`.
    #[must_use]
    pub const fn can(self, method: Preemption) -> bool {
        match method {
            Preemption::Wait => true,
            Preemption::Flag => self.can_flag,
            Preemption::Drain => self.can_drain,
            Preemption::Reset => self.can_reset && self.can_flag,
            Preemption::Switch => self.can_switch,
        }
    }
}
