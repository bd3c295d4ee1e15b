//! Which way off is the right one for this victim?
//!
//! Everything is a plain value: what the runtime can do ([`Abilities`]), what each way costs there
//! ([`Costs`]), what has to leave ([`Victim`]). Units: ticks and bytes, integers throughout.
//!
//! | way | submitted, not started | running | its latency | what it wastes |
//! |---|---|---|---|---|
//! | wait | runs | runs to its end | all that was submitted | nothing |
//! | flag | leaves by the flag | runs to its end | the running launches | the exits |
//! | drain | held | resident workgroups end | one workgroup | nothing |
//! | reset | leaves by the flag | killed | the reset | the exits, what was done |
//! | switch | held | saved, later restored | bytes / bandwidth | saving and restoring |
//!
//! ```
//! use raddle_preempt::{Abilities, Cheapest, Choose, Costs, Fixed, Victim};
//! use raddle_policy::{Preemption, Ticks};
//!
//! let abilities = Abilities { can_flag: true, can_reset: true, ..Abilities::NONE };
//! let costs = Costs { exit: Ticks(1), reset: Ticks(2), ..Costs::default() };
//! // Eight launches of 10 ticks, the first of them half done (the worked run of the digest).
//! let victim = Victim {
//!     running: Some(Ticks(5)),
//!     waiting: Some(Ticks(70)),
//!     launches: 7,
//!     done: Ticks(5),
//!     killable: true,
//!     ..Victim::default()
//! };
//! assert_eq!(Fixed::default().choose(&victim, abilities, &costs), Preemption::Reset);
//! // Within 12 ticks the running launch can end by itself, and no work is thrown away.
//! assert_eq!(Cheapest::within(Ticks(12)).choose(&victim, abilities, &costs), Preemption::Flag);
//! assert_eq!(Cheapest::within(Ticks(11)).choose(&victim, abilities, &costs), Preemption::Reset);
//! assert_eq!(Cheapest::within(Ticks(75)).choose(&victim, abilities, &costs), Preemption::Wait);
//! ```

use raddle_policy::Preemption;
mod choose;
mod price;

pub use choose::{Cheapest, Choose, Fixed};
pub use price::{Costs, Price, Victim};

/// What a runtime can do. Waiting is always possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", default, deny_unknown_fields))]
pub struct Abilities {
    /// Kernels test a flag before they begin.
    pub can_flag: bool,
    /// Workgroups that have not started can be held, with the launch they belong to.
    pub can_drain: bool,
    /// What runs on compute units can be killed. Useless without the flag: what stands behind the
    /// killed launch would run before it.
    pub can_reset: bool,
    /// What is resident can be saved and restored.
    pub can_switch: bool,
}

impl Abilities {
    /// Nothing but waiting.
    pub const NONE: Self =
        Self { can_flag: false, can_drain: false, can_reset: false, can_switch: false };
    /// Every way.
    pub const ALL: Self =
        Self { can_flag: true, can_drain: true, can_reset: true, can_switch: true };

    /// Whether work can leave this way.
    #[must_use]
    pub const fn can(self, way: Preemption) -> bool {
        match way {
            Preemption::Wait => true,
            Preemption::Flag => self.can_flag,
            Preemption::Drain => self.can_drain,
            Preemption::Reset => self.can_reset && self.can_flag,
            Preemption::Switch => self.can_switch,
        }
    }
}
