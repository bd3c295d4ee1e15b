//! How is a policy chosen by its name, and made from its settings?

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use raddle_policy::{Cus, SettingError};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use raddle_read::{FaultKind, ReadError, kebab, listed, nearest, read};

/// Settings of any type, with how a policy is made from them.
trait AnySettings<P: ?Sized>: erased_serde::Serialize + Any + Send + Sync {
    fn make(&self, device: &Cus) -> Result<Box<P>, SettingError>;
}

type Make<C, P> = Arc<dyn Fn(&C, &Cus) -> Result<Box<P>, SettingError> + Send + Sync>;

/// Settings of one type, with the function that makes the policy.
#[derive(Serialize)]
#[serde(transparent)]
struct Typed<C, P: ?Sized> {
    config: C,
    #[serde(skip)]
    make: Make<C, P>,
}

impl<C: Serialize + Send + Sync + 'static, P: ?Sized + 'static> AnySettings<P> for Typed<C, P> {
    fn make(&self, device: &Cus) -> Result<Box<P>, SettingError> {
        (*self.make)(&self.config, device)
    }
}

type SharedSettings<P> = Arc<dyn AnySettings<P>>;

/// A function that reads the settings of a policy.
type ReadSettings<P> = Box<dyn Fn(&Value) -> Result<SharedSettings<P>, ReadError> + Send + Sync>;

/// One policy of a slot.
pub(super) struct RegistryRow<P: ?Sized> {
    name: &'static str,
    samples: &'static [&'static str],
    read: ReadSettings<P>,
    /// True if the policy is of this workspace.
    pub(super) bundled: bool,
}

/// Makes the row of a policy: its name, TOML texts with settings from which messages take examples,
/// and the function that makes the policy.
pub(super) fn row<C, P>(
    name: &'static str,
    samples: &'static [&'static str],
    make: fn(&C, &Cus) -> Result<Box<P>, SettingError>,
) -> RegistryRow<P>
where
    C: Serialize + DeserializeOwned + Send + Sync + 'static,
    P: ?Sized + 'static,
{
    row_of(name, samples, Arc::new(make))
}

/// Makes the row of a policy, as [`row`] does, from a closure.
pub(super) fn row_of<C, P>(
    name: &'static str,
    samples: &'static [&'static str],
    make: Make<C, P>,
) -> RegistryRow<P>
where
    C: Serialize + DeserializeOwned + Send + Sync + 'static,
    P: ?Sized + 'static,
{
    let read = move |value: &Value| {
        let make = Arc::clone(&make);
        Ok(Arc::new(Typed { config: read::<C>(value)?, make }) as _)
    };
    RegistryRow { name, samples, read: Box::new(read), bundled: true }
}

/// The policies of one slot. The first is the default, and needs no settings.
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

    /// Adds a policy from outside, in the place of one of the same name.
    pub(super) fn add(&mut self, row: RegistryRow<P>) {
        let row = Arc::new(RegistryRow { bundled: false, ..row });
        match self.rows.iter_mut().find(|known| kebab(known.name) == kebab(row.name)) {
            Some(known) => *known = row,
            None => self.rows.push(row),
        }
    }

    /// Lists the names of the policies.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.rows.iter().map(|row| row.name).collect()
    }

    /// Reads a slot: a table of the policy's name and its settings, or the default.
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

    /// Returns settings of a policy for examples, as TOML texts.
    pub(super) fn samples(&self, name: &str) -> &'static [&'static str] {
        self.row(name).map_or(&[], |row| row.samples)
    }
}

/// Mends the error of an unknown setting where the key `policy` beside the settings was likely
/// meant.
fn meant_policy(error: ReadError) -> ReadError {
    let beside = error.kind == FaultKind::UnknownField && error.nearest().is_none();
    match beside && nearest(&kebab(&error.found), ["policy"]).is_some() {
        true => ReadError { known: vec!["policy"], ..error },
        false => error,
    }
}

/// A policy of a recipe with its settings; `P` is the trait of the slot, such as `dyn Turn + Send`.
pub struct PolicySlot<P: ?Sized + 'static> {
    row: Arc<RegistryRow<P>>,
    settings: SharedSettings<P>,
}

impl<P: ?Sized> PolicySlot<P> {
    fn new(row: &Arc<RegistryRow<P>>, settings: Map<String, Value>) -> Result<Self, ReadError> {
        Ok(Self { row: Arc::clone(row), settings: (row.read)(&settings.into())? })
    }

    /// Returns the name of the policy.
    #[must_use]
    pub fn policy(&self) -> &'static str {
        self.row.name
    }

    /// Returns the settings of the policy, if they are of this type.
    #[must_use]
    pub fn settings<C: 'static>(&self) -> Option<&C> {
        self.typed().map(|typed| &typed.config)
    }

    /// Returns whether the policy is not a bundled one.
    #[must_use]
    pub fn is_from_outside(&self) -> bool {
        !self.row.bundled
    }

    fn typed<C: 'static>(&self) -> Option<&Typed<C, P>> {
        let settings: &dyn Any = &*self.settings;
        settings.downcast_ref()
    }

    /// Returns the policy with other settings, if they are of the type of its settings.
    pub(super) fn with<C: Serialize + Send + Sync + 'static>(&self, config: C) -> Option<Self> {
        let make = Arc::clone(&self.typed::<C>()?.make);
        Some(Self { row: Arc::clone(&self.row), settings: Arc::new(Typed { config, make }) })
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
