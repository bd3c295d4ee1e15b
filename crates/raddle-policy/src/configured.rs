//! How is a policy constructed from the settings of a recipe?

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};

use crate::Cus;

/// A policy that a recipe can name. It gives its name, the type of its settings, and its
/// constructor. `Registry` in `raddle-dispatch` takes such policies, whose `Config` derives serde's
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
/// assert_eq!(made.err().map(|error| error.key().to_owned()), Some("within-us".to_owned()));
/// ```
pub trait Configured: Sized {
    /// The name of the policy in recipes and logs, in kebab-case.
    const NAME: &'static str;

    /// Valid settings of the policy, as TOML lines such as `within-us = 50`. Error messages show
    /// them as examples.
    const EXAMPLES: &'static [&'static str] = &[];

    /// The type of the policy's settings; [`NoConfig`] if it has none.
    type Config;

    /// Constructs the policy for a device, given as its compute units while all are empty.
    ///
    /// # Errors
    /// If the policy cannot use a setting, or cannot use it on this device.
    fn make(config: &Self::Config, device: &Cus) -> Result<Self, SettingError>;

    /// Returns facts about the policy with these settings that its answers do not show, such as
    /// whether it may raise a preemption flag. By default all facts of [`Needs::UNKNOWN`] are
    /// assumed.
    fn needs(config: &Self::Config) -> Needs {
        let _ = config;
        Needs::UNKNOWN
    }
}

/// The facts about a policy that its answers do not show, and that a recipe, its log and a
/// simulator must know.
///
/// ```
/// use raddle_policy::Needs;
///
/// // A preempt policy that raises flags, and saves work where that is cheaper.
/// let needs = Needs::FLAG.and(Needs::SWITCHES);
/// assert!(needs.has(Needs::FLAG) && !needs.has(Needs::SLICES));
/// assert!(Needs::UNKNOWN.has(needs) && !Needs::NONE.has(needs));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Bit set of the facts that are true of the policy: bit 0 is [`Needs::ACTIVITY`], and so on.
    facts: u8,
    /// The most times that the policy lets one launch be killed; `None` means no limit.
    most_kills: Option<u32>,
}

impl Needs {
    /// The needs of a policy of which no fact is true. The number of kills of a launch has no
    /// limit.
    pub const NONE: Self = Self { facts: 0, most_kills: None };

    /// The needs of a policy that does not state them: all facts are assumed to be true.
    pub const UNKNOWN: Self = Self { facts: u8::MAX, most_kills: None };

    /// An answer may depend on what the waves of a launch do
    /// ([`Launch::activity`](crate::Launch::activity)). Only then is the activity in the decision
    /// log.
    pub const ACTIVITY: Self = Self::bit(0);

    /// An answer may depend on the call by which a host launched a kernel
    /// ([`Launch::call`](crate::Launch::call)). Only then are the calls in the decision log.
    pub const CALL: Self = Self::bit(1);

    /// An answer may depend on how long launches are expected to run
    /// ([`Launch::estimate`](crate::Launch::estimate)). Only then are the estimates in the decision
    /// log.
    pub const ESTIMATE: Self = Self::bit(2);

    /// The policy may raise a preemption flag: each launch then tests that flag at its start, which
    /// takes time.
    pub const FLAG: Self = Self::bit(3);

    /// The policy may save the running work of a process and restore it later (a switch), which
    /// takes time.
    pub const SWITCHES: Self = Self::bit(4);

    /// A process may lose the turn (the right to issue launches) because its time is over, not only
    /// because more urgent work has come.
    pub const SLICES: Self = Self::bit(5);

    const fn bit(bit: u8) -> Self {
        Self { facts: 1 << bit, ..Self::NONE }
    }

    /// Returns all needs that are in `self` or in `other`. The most kills of a launch are taken
    /// from `self`.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { facts: self.facts | other.facts, ..self }
    }

    /// Returns whether these needs include all those of `other`.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.facts & other.facts == other.facts
    }

    /// Returns these needs with the most times that one launch may be killed; `None` for no limit.
    #[must_use]
    pub const fn with_most_kills(self, most_kills: Option<u32>) -> Self {
        Self { most_kills, ..self }
    }

    /// Returns the most times that the policy lets one launch be killed; `None` for no limit.
    #[must_use]
    pub const fn most_kills(self) -> Option<u32> {
        self.most_kills
    }
}

/// The type of the settings of a policy that has no settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NoConfig {}

/// The error for a setting that a policy cannot use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingError {
    /// The key of the setting in the policy's table of the recipe, such as `order.windows[2]`;
    /// empty where the error concerns all settings together.
    pub(crate) key: String,
    /// The reason why the setting cannot be used, and the values that are valid.
    pub(crate) message: String,
    /// The key with a valid value, as TOML; `None` where [`Configured::EXAMPLES`] has an example
    /// for the key.
    pub(crate) example: Option<String>,
}

impl core::fmt::Display for SettingError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "`{}`: {}", self.key, self.message)
    }
}

impl core::error::Error for SettingError {}

impl SettingError {
    /// Returns the error for a key, with the message that says why its value cannot be used.
    pub fn new(key: impl AsRef<str>, message: impl ToString) -> Self {
        Self { key: key.as_ref().to_owned(), message: message.to_string(), example: None }
    }

    /// Returns the key of the setting in the policy's table of the recipe, such as
    /// `order.windows[2]`; empty where the error concerns all settings together.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the reason why the setting cannot be used, and the values that are valid.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the key with a valid value, as TOML; `None` where [`Configured::EXAMPLES`] has an
    /// example for the key.
    #[must_use]
    pub fn example(&self) -> Option<&str> {
        self.example.as_deref()
    }

    /// Returns the error with a valid example, the key and its value as TOML.
    #[must_use]
    pub fn with_example(self, example: String) -> Self {
        Self { example: Some(example), ..self }
    }
}
