//! In which ways is work taken off a device?

/// A way of taking work off a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Preemption {
    /// Everything submitted runs to its end. No device is asked for it.
    Wait,
    /// Launches that have not started go back to the buffer; running ones run to their end.
    Flag,
    /// Resident workgroups finish; everything else is held.
    Drain,
    /// What is resident is killed and the launch starts again from workgroup 0. A policy answers it
    /// for a process: as `Flag`, unless every submitted launch is idempotent.
    Reset,
    /// What is resident is saved and later restored on the same compute units.
    Switch,
}

impl Preemption {
    /// Every one, the gentlest first: where two are equally good, the earlier is taken.
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
