//! What can a runtime do to take work off a device?

use raddle_policy::Preemption;

/// The methods that a runtime has for taking work off a device. Waiting is always possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct Abilities {
    /// Kernels test a flag before they begin.
    pub can_flag: bool,
    /// Workgroups that have not started can be held, with the launch they belong to.
    pub can_drain: bool,
    /// Running launches can be killed. This ability is useless without the flag: the launches
    /// behind a killed one would run before it.
    pub can_reset: bool,
    /// Resident workgroups can be saved and restored.
    pub can_switch: bool,
}

impl Abilities {
    /// The abilities of a runtime that can only wait.
    pub const NONE: Self =
        Self { can_flag: false, can_drain: false, can_reset: false, can_switch: false };
    /// The abilities of a runtime that has every method.
    pub const ALL: Self =
        Self { can_flag: true, can_drain: true, can_reset: true, can_switch: true };

    /// Returns whether the runtime has this method.
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
