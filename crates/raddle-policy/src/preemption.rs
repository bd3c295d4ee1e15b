//! In which ways is work taken off a device, and how do they differ?
//!
//! Code elsewhere asks a way these questions instead of naming it, so that a new way is told here
//! how it behaves.

/// A way of taking work off a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Preemption {
    /// All submitted launches run to their end. The device gets no command for this.
    Wait,
    /// Launches that have not started go back to the buffer; running ones run to their end.
    Flag,
    /// Resident workgroups finish; everything else is held.
    Drain,
    /// Resident workgroups are killed, and the launch starts again from workgroup 0. As the answer
    /// of a policy for a process it counts as `Flag` unless every submitted launch is idempotent.
    Reset,
    /// Resident workgroups are saved, and later restored on the same compute units.
    Switch,
}

impl Preemption {
    /// All methods, the least intrusive first: if two are equally good, the earlier is taken.
    pub const ALL: [Self; 5] = [Self::Wait, Self::Flag, Self::Drain, Self::Reset, Self::Switch];

    /// The kebab-case name.
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

    /// Returns whether launches stay in the runtime, held or saved, until they are brought back.
    #[must_use]
    pub const fn holds(self) -> bool {
        matches!(self, Self::Drain | Self::Switch)
    }

    /// Returns whether launches leave the runtime behind a raised flag, for the buffer.
    #[must_use]
    pub const fn empties(self) -> bool {
        matches!(self, Self::Flag | Self::Reset)
    }

    /// Returns whether resident workgroups stand still from the command on. Otherwise they run on
    /// until the launch is off.
    #[must_use]
    pub const fn stands_still(self) -> bool {
        matches!(self, Self::Reset | Self::Switch)
    }

    /// Returns whether resident workgroups lose their places, which others may take once the launch
    /// is off. Otherwise a launch is off when its last resident workgroup has ended.
    #[must_use]
    pub const fn frees_places(self) -> bool {
        matches!(self, Self::Reset | Self::Switch)
    }

    /// Returns whether the launch begins again from workgroup 0, so that only a launch that may be
    /// killed leaves in this way.
    #[must_use]
    pub const fn begins_again(self) -> bool {
        matches!(self, Self::Reset)
    }

    /// Returns whether the resident workgroups of a launch that is being taken off run on, while no
    /// other workgroup of it starts.
    #[must_use]
    pub const fn drains(self) -> bool {
        self.holds() && !self.stands_still()
    }

    /// Returns whether resident workgroups lose their places and go on later where they stopped.
    #[must_use]
    pub const fn saves(self) -> bool {
        self.frees_places() && !self.begins_again()
    }

    /// Returns the next gentler way, for a device that lacks this one and for a launch on which it
    /// would gain nothing; `None` for [`Wait`](Self::Wait).
    #[must_use]
    pub const fn gentler(self) -> Option<Self> {
        match self {
            Self::Wait => None,
            Self::Flag | Self::Drain => Some(Self::Wait),
            Self::Reset => Some(Self::Flag),
            Self::Switch => Some(Self::Drain),
        }
    }

    /// Returns whether the other way is among the gentler ones of this one.
    #[must_use]
    pub fn outdoes(self, other: Self) -> bool {
        core::iter::successors(self.gentler(), |way| way.gentler()).any(|way| way == other)
    }
}
