//! Which policies, of this workspace and from outside, can a recipe name?

use std::fmt;
use std::sync::{Arc, LazyLock};

use raddle_policy::{Allocate, Configured, Cus, LaunchPath, Needs, Preempt, SettingError, Turn};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::slot::{Knowledge, SlotPolicies, row_knowing, row_of};
use super::{Recipe, RecipeError, policies};

/// A set of policies, by name, that recipes and logs can use: those of this workspace and your own.
///
/// ```
/// use raddle_dispatch::Registry;
/// use raddle_policy::{Configured, Cus, NoConfig, ProcessId, ProcessState, SettingError, Tick, Turn};
///
/// /// Whoever joined last.
/// struct Newest;
///
/// impl Turn for Newest {
///     fn turn(&mut self, all: &[ProcessState], _: Tick, may_issue: &mut Vec<ProcessId>) -> Option<Tick> {
///         may_issue.extend(all.iter().max_by_key(|process| process.joined).map(|process| process.id));
///         None
///     }
/// }
///
/// impl Configured for Newest {
///     const NAME: &'static str = "newest";
///     type Config = NoConfig;
///
///     fn make(_: &NoConfig, _: &Cus) -> Result<Self, SettingError> {
///         Ok(Self)
///     }
/// }
///
/// let registry = Registry::bundled().turn::<Newest>();
/// let recipe = registry.recipe("mine", "raddle = 1\n[turn]\npolicy = \"newest\"")?;
/// assert_eq!(recipe.policies(), ["ordinary", "newest", "leftover", "never"]);
/// let error = registry.recipe("mine", "raddle = 1\n[turn]\npolicy = \"newst\"").unwrap_err();
/// assert!(error.to_string().contains("did you mean `newest`?"));
///
/// // The same under a name that is not known before.
/// let registry = Registry::bundled().turn_named("latest", |_, _| Ok(Box::new(Newest)));
/// let recipe = registry.recipe("mine", "raddle = 1\n[turn]\npolicy = \"latest\"\nany = 1")?;
/// assert_eq!(recipe.policies()[1], "latest");
/// # Ok::<(), raddle_dispatch::RecipeError>(())
/// ```
#[derive(Clone)]
pub struct Registry {
    pub(super) launch_path: SlotPolicies<dyn LaunchPath + Send>,
    pub(super) turn: SlotPolicies<dyn Turn + Send>,
    pub(super) allocate: SlotPolicies<dyn Allocate + Send>,
    pub(super) preempt: SlotPolicies<dyn Preempt + Send>,
}

/// The registry with only the policies of this workspace, for callers that give no registry.
pub(super) static BUNDLED: LazyLock<Registry> = LazyLock::new(|| Registry {
    launch_path: policies::launch_paths(),
    turn: policies::turns(),
    allocate: policies::allocates(),
    preempt: policies::preempts(),
});

macro_rules! slots {
    ($($(#[$doc:meta])* $slot:ident, $named:ident: $Slot:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// Where the registry already has a policy of this name, the added policy replaces it:
        /// recipes that name the policy get the added one.
        #[must_use]
        pub fn $slot<P>(mut self) -> Self
        where
            P: Configured + $Slot + Send + 'static,
            P::Config: Serialize + DeserializeOwned + Send + Sync + 'static,
        {
            let known = Knowledge::needs(P::needs);
            self.$slot.add(row_knowing(P::NAME, P::EXAMPLES, known, |config: &P::Config, device| {
                Ok(Box::new(P::make(config, device)?))
            }));
            self
        }

        $(#[$doc])*
        ///
        /// The policy is called `name`. The function `make` makes it from its settings, a JSON
        /// object, for a device whose compute units are all empty.
        #[must_use]
        pub fn $named(
            mut self,
            name: &'static str,
            make: impl Fn(&Value, &Cus) -> Result<Box<dyn $Slot + Send>, SettingError>
            + Send
            + Sync
            + 'static,
        ) -> Self {
            let known = Knowledge::needs(|_| Needs::UNKNOWN);
            self.$slot.add(row_of::<Value, _>(name, &[], known, Arc::new(make)));
            self
        }
    )*};
}

impl Registry {
    /// Returns a registry (the policies that recipes may name) with the policies that come with
    /// raddle.
    #[must_use]
    pub fn bundled() -> Self {
        BUNDLED.clone()
    }

    slots! {
        /// Adds a launch path policy, which decides how launches reach the device and at what cost.
        launch_path, launch_path_named: LaunchPath;
        /// Adds a turn policy, which chooses the processes that may issue launches.
        turn, turn_named: Turn;
        /// Adds an allocate policy, which chooses the compute units of workgroups.
        allocate, allocate_named: Allocate;
        /// Adds a preempt policy, which chooses how the work of a process leaves the device when
        /// the process loses the turn.
        preempt, preempt_named: Preempt;
    }

    /// Reads the recipe `text` as [`Recipe::parse`] does, but with the policies of this registry;
    /// error messages call the recipe `name`.
    ///
    /// # Errors
    /// When [`Recipe::parse`] would return an error.
    pub fn recipe(&self, name: &str, text: &str) -> Result<Recipe, RecipeError> {
        Recipe::read(name, text, self)
    }

    /// Returns samples of valid settings of a policy in a slot (such as `turn`), as TOML texts;
    /// error messages take examples from them.
    pub(super) fn samples(&self, slot: &str, policy: &str) -> &'static [&'static str] {
        match slot {
            "launch-path" => self.launch_path.samples(policy),
            "turn" => self.turn.samples(policy),
            "allocate" => self.allocate.samples(policy),
            "preempt" => self.preempt.samples(policy),
            _ => &[],
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("launch-path", &self.launch_path.names())
            .field("turn", &self.turn.names())
            .field("allocate", &self.allocate.names())
            .field("preempt", &self.preempt.names())
            .finish()
    }
}
