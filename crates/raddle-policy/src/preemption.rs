//! In which ways is work taken off a device?

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
}
