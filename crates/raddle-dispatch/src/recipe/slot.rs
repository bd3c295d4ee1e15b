//! How is a policy chosen by its name, and made from its settings?

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use raddle_policy::{Cus, Needs, SettingError};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use raddle_preempt::policy::DeviceCosts;
use raddle_read::{FaultKind, ReadError, kebab, listed, nearest, read};

/// The values that are filled into a policy's settings, where the policy has the setting and the
/// user did not set it.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(not(feature = "preempt"), expect(dead_code, reason = "no policy takes the costs"))]
pub(super) struct Given {
    /// The clock of the device, in MHz, for policies that count the time of their own decisions;
    /// `None` where it is not known.
    pub(super) clock_mhz: Option<u32>,
    /// The costs of preemption on the device; `None` where they are not known.
    pub(super) costs: Option<DeviceCosts>,
    /// The most times that resets may kill one launch; `None` sets no limit.
    pub(super) most_kills: Option<u32>,
}

/// The settings of a policy, whatever their type, with the function that makes the policy from
/// them.
trait AnySettings<P: ?Sized>: erased_serde::Serialize + Any + Send + Sync {
    fn make(&self, device: &Cus) -> Result<Box<P>, SettingError>;

    fn needs(&self) -> Needs;

    /// Returns these settings with values of `given` filled in; `None` where nothing changes.
    fn filled(&self, given: &Given) -> Option<SharedSettings<P>>;
}

type Make<C, P> = Arc<dyn Fn(&C, &Cus) -> Result<Box<P>, SettingError> + Send + Sync>;

/// Two functions for a policy with settings of type `C`. One returns the facts that a recipe must
/// know about the policy, such as the fields of launches that it reads; the other fills in settings
/// that the user did not give.
pub(super) struct Knowledge<C> {
    pub(super) needs: fn(&C) -> Needs,
    /// A function that returns the settings with values of [`Given`] filled in; `None` where
    /// nothing changes.
    pub(super) fill: fn(&C, &Given) -> Option<C>,
}

impl<C> Clone for Knowledge<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Knowledge<C> {}

impl<C> Knowledge<C> {
    /// Returns the knowledge about a policy of which only the needs matter, as the function `needs`
    /// returns them: nothing is filled into its settings.
    pub(super) const fn needs(needs: fn(&C) -> Needs) -> Self {
        Self { needs, fill: |_, _| None }
    }
}

/// The settings, of type `C`, of a policy, with the function that makes the policy from them.
#[derive(Serialize)]
#[serde(transparent)]
struct Typed<C, P: ?Sized> {
    config: C,
    #[serde(skip)]
    make: Make<C, P>,
    #[serde(skip)]
    known: Knowledge<C>,
}

impl<C: Serialize + Send + Sync + 'static, P: ?Sized + 'static> AnySettings<P> for Typed<C, P> {
    fn make(&self, device: &Cus) -> Result<Box<P>, SettingError> {
        (*self.make)(&self.config, device)
    }

    fn needs(&self) -> Needs {
        (self.known.needs)(&self.config)
    }

    fn filled(&self, given: &Given) -> Option<SharedSettings<P>> {
        let config = (self.known.fill)(&self.config, given)?;
        Some(Arc::new(Self { config, make: Arc::clone(&self.make), known: self.known }))
    }
}

type SharedSettings<P> = Arc<dyn AnySettings<P>>;

/// A function that reads the settings of a policy from a recipe.
type ReadSettings<P> = Box<dyn Fn(&Value) -> Result<SharedSettings<P>, ReadError> + Send + Sync>;

/// A policy that a slot of a recipe (such as `turn`) may have: an entry of the registry.
pub(super) struct RegistryRow<P: ?Sized> {
    name: &'static str,
    samples: &'static [&'static str],
    read: ReadSettings<P>,
    /// True if the policy is one that comes with raddle, not one of a caller.
    pub(super) bundled: bool,
}

/// Returns the registry entry of a policy from its name, samples of valid settings (TOML texts, for
/// the examples in error messages) and the function that makes the policy.
pub(super) fn row<C, P>(
    name: &'static str,
    samples: &'static [&'static str],
    make: fn(&C, &Cus) -> Result<Box<P>, SettingError>,
) -> RegistryRow<P>
where
    C: Serialize + DeserializeOwned + Send + Sync + 'static,
    P: ?Sized + 'static,
{
    row_of(name, samples, Knowledge::needs(|_| Needs::NONE), Arc::new(make))
}

/// Returns the registry entry of a policy as [`row`] does. `known` has two more functions: one
/// returns the policy's needs, the other fills in settings.
pub(super) fn row_knowing<C, P>(
    name: &'static str,
    samples: &'static [&'static str],
    known: Knowledge<C>,
    make: fn(&C, &Cus) -> Result<Box<P>, SettingError>,
) -> RegistryRow<P>
where
    C: Serialize + DeserializeOwned + Send + Sync + 'static,
    P: ?Sized + 'static,
{
    row_of(name, samples, known, Arc::new(make))
}

/// Returns the registry entry of a policy as [`row_knowing`] does; `make`, the function that makes
/// the policy, may be a closure.
pub(super) fn row_of<C, P>(
    name: &'static str,
    samples: &'static [&'static str],
    known: Knowledge<C>,
    make: Make<C, P>,
) -> RegistryRow<P>
where
    C: Serialize + DeserializeOwned + Send + Sync + 'static,
    P: ?Sized + 'static,
{
    let read = move |value: &Value| {
        let make = Arc::clone(&make);
        Ok(Arc::new(Typed { config: read::<C>(value)?, make, known }) as _)
    };
    RegistryRow { name, samples, read: Box::new(read), bundled: true }
}

/// The policies that one slot of a recipe (such as `turn`) may have. The first one is the default,
/// which needs no settings.
pub(super) struct SlotPolicies<P: ?Sized> {
    slot: &'static str,
    rows: Vec<Arc<RegistryRow<P>>>,
}

impl<P: ?Sized> Clone for SlotPolicies<P> {
    fn clone(&self) -> Self {
        Self { slot: self.slot, rows: self.rows.clone() }
    }
}

impl<P: ?Sized + 'static> SlotPolicies<P> {
    pub(super) fn new<const N: usize>(slot: &'static str, rows: [RegistryRow<P>; N]) -> Self {
        Self { slot, rows: rows.into_iter().map(Arc::new).collect() }
    }

    /// Adds a policy from outside this workspace, which replaces a policy of the same name.
    pub(super) fn add(&mut self, row: RegistryRow<P>) {
        let row = Arc::new(RegistryRow { bundled: false, ..row });
        match self.rows.iter_mut().find(|known| kebab(known.name) == kebab(row.name)) {
            Some(known) => *known = row,
            None => self.rows.push(row),
        }
    }

    /// Returns the names of the policies that the slot may have.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.rows.iter().map(|row| row.name).collect()
    }

    /// Reads the policy of a slot from its value in a recipe, a table with the name of the policy
    /// and its settings; `None` gives the default policy.
    pub(super) fn read(&self, value: Option<Value>) -> Result<PolicySlot<P>, ReadError> {
        self.choose(value).map_err(|error| error.within(self.slot))
    }

    fn choose(&self, value: Option<Value>) -> Result<PolicySlot<P>, ReadError> {
        let Some(value) = value else {
            return PolicySlot::new(&self.rows[0], Map::new());
        };
        let Value::Object(mut settings) = value else {
            let message = "expected a table of `policy` and its settings";
            return Err(ReadError::new(FaultKind::WrongType, message));
        };
        let missing = || ReadError { known: self.names(), ..ReadError::missing_field("policy") };
        let policy = settings.remove("policy").ok_or_else(missing)?;
        let text = |error: ReadError| {
            let wanted = listed(&self.names(), "or");
            ReadError { wanted, known: self.names(), ..error }.within("policy")
        };
        let name: String = read(&policy).map_err(text)?;
        let unknown = || ReadError::unknown_name(&name, self.names()).within("policy");
        PolicySlot::new(self.row(&name).ok_or_else(unknown)?, settings).map_err(meant_policy)
    }

    fn row(&self, name: &str) -> Option<&Arc<RegistryRow<P>>> {
        let name = kebab(name);
        self.rows.iter().find(|row| kebab(row.name) == name)
    }

    /// Returns samples of valid settings of a policy, as TOML texts, from which error messages take
    /// examples; empty for an unknown policy.
    pub(super) fn samples(&self, name: &str) -> &'static [&'static str] {
        self.row(name).map_or(&[], |row| row.samples)
    }
}

/// Changes the error of an unknown setting: where the unknown key looks like a misspelt `policy`,
/// the error suggests that key.
fn meant_policy(error: ReadError) -> ReadError {
    let beside = error.kind == FaultKind::UnknownField && error.nearest().is_none();
    match beside && nearest(&kebab(&error.found), ["policy"]).is_some() {
        true => ReadError { known: vec!["policy"], ..error },
        false => error,
    }
}

/// A policy of a recipe with its settings; `P` is the trait of its slot, such as `dyn Turn + Send`.
pub struct PolicySlot<P: ?Sized + 'static> {
    row: Arc<RegistryRow<P>>,
    settings: SharedSettings<P>,
}

impl<P: ?Sized> PolicySlot<P> {
    fn new(row: &Arc<RegistryRow<P>>, settings: Map<String, Value>) -> Result<Self, ReadError> {
        Ok(Self { row: Arc::clone(row), settings: (row.read)(&settings.into())? })
    }

    /// Returns the name, as recipes spell it, of the policy that the recipe has in this slot.
    #[must_use]
    pub fn policy(&self) -> &'static str {
        self.row.name
    }

    /// Returns the settings of the policy if they are of type `C`; else `None`.
    #[must_use]
    pub fn settings<C: 'static>(&self) -> Option<&C> {
        let settings: &dyn Any = &*self.settings;
        settings.downcast_ref::<Typed<C, P>>().map(|typed| &typed.config)
    }

    /// Returns whether the policy comes from outside this workspace, by a caller's registry.
    #[must_use]
    #[doc(hidden)]
    pub fn is_from_outside(&self) -> bool {
        !self.row.bundled
    }

    /// Returns the needs of the policy: the optional fields of launches that it reads, and its use
    /// of preemption flags, time slices and kills.
    pub(super) fn needs(&self) -> Needs {
        self.settings.needs()
    }

    /// Sets those settings of the policy for which `given` has a value and which the user did not
    /// set.
    pub(super) fn fill(&mut self, given: &Given) {
        if let Some(settings) = self.settings.filled(given) {
            self.settings = settings;
        }
    }

    pub(super) fn make(&self, device: &Cus) -> Result<Box<P>, SettingError> {
        self.settings.make(device)
    }

    pub(super) fn samples(&self) -> &'static [&'static str] {
        self.row.samples
    }
}

impl<P: ?Sized> Clone for PolicySlot<P> {
    fn clone(&self) -> Self {
        Self { row: Arc::clone(&self.row), settings: Arc::clone(&self.settings) }
    }
}

impl<P: ?Sized> PartialEq for PolicySlot<P> {
    fn eq(&self, other: &Self) -> bool {
        serde_json::to_value(self).ok() == serde_json::to_value(other).ok()
    }
}

impl<P: ?Sized> Eq for PolicySlot<P> {}

impl<P: ?Sized> fmt::Debug for PolicySlot<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).unwrap_or_default())
    }
}

impl<P: ?Sized> Serialize for PolicySlot<P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Tagged<'a> {
            policy: &'static str,
            #[serde(flatten)]
            settings: &'a dyn erased_serde::Serialize,
        }
        Tagged { policy: self.row.name, settings: &*self.settings }.serialize(to)
    }
}
