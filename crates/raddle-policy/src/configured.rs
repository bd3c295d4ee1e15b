//! How is a policy constructed from the settings of a recipe?

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};

use crate::Cus;

/// A policy that a recipe can name: it gives its name, the type of its settings, and its
/// constructor. `Registry` in `raddle-dispatch` takes such policies; their `Config` derives serde's
/// `Serialize` and `Deserialize`.
///
/// ```
/// use raddle_policy::{Configured, Cus, SettingError, Ticks};
///
/// struct Impatient { within: Ticks }
///
/// /// `[turn] policy = "impatient"` with `within-us = 50`.
/// struct ImpatientConfig { within_us: u64 }
///
/// impl Configured for Impatient {
///     const NAME: &'static str = "impatient";
///     const EXAMPLES: &'static [&'static str] = &["within-us = 50"];
///     type Config = ImpatientConfig;
///
///     fn make(config: &ImpatientConfig, _device: &Cus) -> Result<Self, SettingError> {
///         match config.within_us.checked_mul(1000) {
///             None | Some(0) => Err(SettingError::new("within-us", "give 1 or more, and less than an age")),
///             Some(within) => Ok(Self { within: Ticks(within) }),
///         }
///     }
/// }
/// # let shape = raddle_policy::CuShape { simds: 1, waves_per_simd: 1, vgpr_per_simd: 1, sgpr: 0,
/// #     lds: 0, workgroups: 1, barriers: 0 };
/// let made = Impatient::make(&ImpatientConfig { within_us: 0 }, &Cus::new(shape, 1));
/// assert_eq!(made.err().map(|error| error.key), Some("within-us".to_owned()));
/// ```
pub trait Configured: Sized {
    /// The name of the policy in recipes and logs, in kebab-case.
    const NAME: &'static str;

    /// Settings of the policy that are valid, as TOML lines such as `within-us = 50`: error
    /// messages take examples of a key from them.
    const EXAMPLES: &'static [&'static str] = &[];

    /// The type of the policy's settings; [`NoConfig`] if it has none.
    type Config;

    /// Constructs the policy for a device, given as its compute units while all are empty.
    ///
    /// # Errors
    /// If the policy cannot use a setting, or cannot use it on this device.
    fn make(config: &Self::Config, device: &Cus) -> Result<Self, SettingError>;

    /// Returns the facts about the policy with these settings that its answers do not show. By
    /// default every need is assumed, as in [`Needs::UNKNOWN`].
    fn needs(config: &Self::Config) -> Needs {
        let _ = config;
        Needs::UNKNOWN
    }
}

/// The facts about a policy, beside its answers, that a recipe, its log and a simulator must know.
///
/// ```
/// use raddle_policy::Needs;
///
/// // A preempt policy that only lets resident work finish: launches then test no flag.
/// let drains = Needs::NONE;
/// assert!(!drains.flag && Needs::UNKNOWN.flag);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// True if an answer may depend on what the waves of a launch do
    /// ([`Launch::activity`](crate::Launch::activity)). Only then is the activity in the decision
    /// log.
    pub activity: bool,
    /// True if an answer may depend on the call by which a host launched a kernel
    /// ([`Launch::call`](crate::Launch::call)). Only then are the calls in the decision log.
    pub call: bool,
    /// True if an answer may depend on how long launches are expected to run
    /// ([`Launch::estimate`](crate::Launch::estimate)). Only then are the estimates in the decision
    /// log.
    pub estimate: bool,
    /// True if the policy may raise a preemption flag: each launch then tests that flag at its
    /// start, which takes time.
    pub flag: bool,
    /// True if the policy may save the work of a process and restore it later, which costs the time
    /// of a switch.
    pub switches: bool,
    /// True if a process may lose the turn (the right to issue launches) because its time is over,
    /// and not only because more urgent work came.
    pub slices: bool,
    /// The most times that the policy lets one launch be killed; `None` for no limit.
    pub most_kills: Option<u32>,
}

impl Needs {
    /// The needs of a policy of which a recipe, its log and a simulator must know only the answers:
    /// every flag is false, no launch is killed.
    pub const NONE: Self = Self {
        activity: false,
        call: false,
        estimate: false,
        flag: false,
        switches: false,
        slices: false,
        most_kills: None,
    };

    /// The needs of a policy that does not state them: every need is assumed.
    pub const UNKNOWN: Self = Self {
        activity: true,
        call: true,
        estimate: true,
        flag: true,
        switches: true,
        slices: true,
        most_kills: None,
    };

    /// Returns these needs with `flag` true: the policy may raise a preemption flag.
    #[must_use]
    pub const fn with_flag(self) -> Self {
        Self { flag: true, ..self }
    }

    /// Returns these needs with `switches` true: work may be saved, and restored later.
    #[must_use]
    pub const fn with_switches(self) -> Self {
        Self { switches: true, ..self }
    }

    /// Returns these needs with `slices` true: a turn may end because its time is over.
    #[must_use]
    pub const fn with_slices(self) -> Self {
        Self { slices: true, ..self }
    }

    /// Returns these needs with `activity` true: answers may depend on what waves do.
    #[must_use]
    pub const fn with_activity(self) -> Self {
        Self { activity: true, ..self }
    }

    /// Returns these needs with `call` true: answers may depend on the calls of hosts.
    #[must_use]
    pub const fn with_call(self) -> Self {
        Self { call: true, ..self }
    }

    /// Returns these needs with `estimate` true: answers may depend on the expected times of
    /// launches.
    #[must_use]
    pub const fn with_estimate(self) -> Self {
        Self { estimate: true, ..self }
    }

    /// Returns these needs with the most times that one launch may be killed; `None` for no limit.
    #[must_use]
    pub const fn with_most_kills(self, most_kills: Option<u32>) -> Self {
        Self { most_kills, ..self }
    }
}

/// The type of the settings of a policy that has no settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NoConfig {}

/// The error for a setting that a policy cannot use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {message}")]
#[non_exhaustive]
pub struct SettingError {
    /// The key of the setting within the policy's table of the recipe, such as `order.windows[2]`;
    /// empty where the error concerns all settings together.
    pub key: String,
    /// The reason why the setting cannot be used, and the values that are valid.
    pub message: String,
    /// The key with a valid value, as TOML; `None` where [`Configured::EXAMPLES`] has one.
    pub example: Option<String>,
}

impl SettingError {
    /// Returns the error for a key, with the message that says why its value cannot be used.
    pub fn new(key: impl AsRef<str>, message: impl ToString) -> Self {
        Self { key: key.as_ref().to_owned(), message: message.to_string(), example: None }
    }

    /// Returns the error with a valid example, the key and its value as TOML.
    #[must_use]
    pub fn example(self, example: String) -> Self {
        Self { example: Some(example), ..self }
    }
}
