//! What does a program say of itself while it runs?

use crate::{Level, Ticks};

/// One thing that a program says of a process, or of one of its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Hint {
    /// How urgent it is, whatever the levels of its launches say.
    Priority(Level),
    /// How long after work of it became ready that is to be done.
    Deadline(Ticks),
    /// How long after work of it became ready that may wait before it is urgent.
    Laxity(Ticks),
    /// Its part of the device, in hundredths of it.
    Utilisation(u16),
    /// Something that a policy from outside and its programs agree on.
    Custom(u64),
}

/// The last hint of each kind; `None` where there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default))]
#[expect(missing_docs, reason = "the variants of `Hint` say what they are")]
pub struct Hints {
    pub priority: Option<Level>,
    pub deadline: Option<Ticks>,
    pub laxity: Option<Ticks>,
    pub utilisation: Option<u16>,
    pub custom: Option<u64>,
}

impl Hints {
    /// Takes one more; it replaces the one of its kind.
    pub const fn take(&mut self, hint: Hint) {
        match hint {
            Hint::Priority(level) => self.priority = Some(level),
            Hint::Deadline(within) => self.deadline = Some(within),
            Hint::Laxity(spare) => self.laxity = Some(spare),
            Hint::Utilisation(hundredths) => self.utilisation = Some(hundredths),
            Hint::Custom(value) => self.custom = Some(value),
        }
    }
}
