//! In which ways is work taken off a device, and how do they differ?
//!
//! Other code asks a method of preemption about its properties and names no single one, so that a
//! new way is added in this file alone.

/// A method of taking work off a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Preemption {
    /// All submitted launches run to their end. The device gets no command.
    Wait,
    /// Launches that have not started leave the device's runtime without running, because each
    /// tests a preemption flag at its start. They wait in the buffer of their process again.
    /// Running launches run to their end.
    Flag,
    /// Resident workgroups run to their end; the device keeps all other workgroups from starting.
    Drain,
    /// Resident workgroups are killed, and the launch starts again from workgroup 0. If a policy
    /// answers so for a process with a submitted launch that is not idempotent, the method is
    /// `Flag` instead.
    Reset,
    /// Resident workgroups are saved, and later restored on the same compute units.
    Switch,
}

impl Preemption {
    /// All methods of preemption, the least intrusive first; of two methods that are equally good a
    /// policy takes the earlier.
    pub const ALL: [Self; 5] = [Self::Wait, Self::Flag, Self::Drain, Self::Reset, Self::Switch];

    /// Returns the name of the method in kebab-case, such as `drain`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Flag => "flag",
            Self::Drain => "drain",
            Self::Reset => "reset",
            Self::Switch => "switch",
        }
    }

    /// Returns whether launches stay in the device's runtime, kept from running or saved, until
    /// they are brought back.
    #[must_use]
    #[doc(hidden)]
    pub const fn holds(self) -> bool {
        matches!(self, Self::Drain | Self::Switch)
    }

    /// Returns whether launches leave the device's runtime by a raised preemption flag (which each
    /// launch tests at its start), and wait in the buffer of their process again.
    #[must_use]
    #[doc(hidden)]
    pub const fn empties(self) -> bool {
        matches!(self, Self::Flag | Self::Reset)
    }

    /// Returns whether resident workgroups stop as soon as the device gets the command to preempt.
    /// If false, they run on until they end.
    #[must_use]
    #[doc(hidden)]
    pub const fn stands_still(self) -> bool {
        matches!(self, Self::Reset | Self::Switch)
    }

    /// Returns whether the method takes resident workgroups off their compute units before they
    /// have ended, so that other work can have their resources. If false, the launch has left the
    /// device when its last resident workgroup has ended.
    #[must_use]
    pub const fn frees_places(self) -> bool {
        matches!(self, Self::Reset | Self::Switch)
    }

    /// Returns whether the launch begins again from workgroup 0 later. Only a launch that may be
    /// killed part-way and run again may leave by this method.
    #[must_use]
    pub const fn begins_again(self) -> bool {
        matches!(self, Self::Reset)
    }

    /// Returns whether the resident workgroups of a launch that is being taken off run to their
    /// end, while no other workgroup of the launch starts.
    #[must_use]
    #[doc(hidden)]
    pub const fn drains(self) -> bool {
        self.holds() && !self.stands_still()
    }

    /// Returns whether resident workgroups lose their resources and later go on where they stopped.
    #[must_use]
    pub const fn saves(self) -> bool {
        self.frees_places() && !self.begins_again()
    }

    /// Returns the next gentler method, for a device that lacks this one or a launch for which this
    /// one gains nothing; `None` for [`Wait`](Self::Wait).
    #[must_use]
    pub const fn gentler(self) -> Option<Self> {
        match self {
            Self::Wait => None,
            Self::Flag | Self::Drain => Some(Self::Wait),
            Self::Reset => Some(Self::Flag),
            Self::Switch => Some(Self::Drain),
        }
    }

    /// Returns whether `other` is a gentler method than this one: whether
    /// [`gentler`](Self::gentler), called repeatedly from this method on, returns `other`.
    #[must_use]
    #[doc(hidden)]
    pub fn outdoes(self, other: Self) -> bool {
        core::iter::successors(self.gentler(), |way| way.gentler()).any(|way| way == other)
    }
}
