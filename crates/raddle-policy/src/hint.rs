//! What does a program tell policies about itself while it runs?

use crate::{Level, Ticks};

/// A hint that a program gives about a process, or about one of its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Hint {
    /// The urgency of the process or stream, regardless of the levels of its launches.
    Priority(Level),
    /// The time in ticks after which the work should have ended, counted from when the work became
    /// ready.
    Deadline(Ticks),
    /// The time in ticks for which the work may wait before it becomes urgent, counted from when
    /// the work became ready.
    Laxity(Ticks),
    /// The percentage of the device that the process or stream is to have.
    Utilisation(u16),
    /// A number (a hint of a kind that raddle does not define) whose meaning is agreed between a
    /// policy and the programs that it serves; other policies ignore it.
    Custom(u64),
}

/// The last hint of each kind about one process or stream; `None` where no hint of that kind was
/// given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default))]
pub struct Hints {
    pub(crate) priority: Option<Level>,
    pub(crate) deadline: Option<Ticks>,
    pub(crate) laxity: Option<Ticks>,
    pub(crate) utilisation: Option<u16>,
    pub(crate) custom: Option<u64>,
}

impl Hints {
    #[cfg(feature = "alloc")]
    pub(crate) const NONE: Self =
        Self { priority: None, deadline: None, laxity: None, utilisation: None, custom: None };

    /// Stores a hint; it replaces the last hint of the same kind.
    #[doc(hidden)]
    pub const fn take(&mut self, hint: Hint) {
        match hint {
            Hint::Priority(level) => self.priority = Some(level),
            Hint::Deadline(within) => self.deadline = Some(within),
            Hint::Laxity(spare) => self.laxity = Some(spare),
            Hint::Utilisation(hundredths) => self.utilisation = Some(hundredths),
            Hint::Custom(value) => self.custom = Some(value),
        }
    }

    /// Returns the last [`Hint::Priority`].
    #[must_use]
    pub const fn priority(&self) -> Option<Level> {
        self.priority
    }

    /// Returns the last [`Hint::Deadline`].
    #[must_use]
    pub const fn deadline(&self) -> Option<Ticks> {
        self.deadline
    }

    /// Returns the last [`Hint::Laxity`].
    #[must_use]
    pub const fn laxity(&self) -> Option<Ticks> {
        self.laxity
    }

    /// Returns the last [`Hint::Utilisation`].
    #[must_use]
    pub const fn utilisation(&self) -> Option<u16> {
        self.utilisation
    }

    /// Returns the last [`Hint::Custom`].
    #[must_use]
    pub const fn custom(&self) -> Option<u64> {
        self.custom
    }
}
