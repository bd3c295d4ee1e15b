//! How is a policy chosen by its name, and made from its settings?

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use raddle_policy::CuShape;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::error::SettingError;
use crate::read::{FaultKind, ReadError, kebab, listed, read};

/// The device that a policy is made for.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceTarget {
    pub(super) shape: CuShape,
    pub(super) cus: u16,
}

/// Settings of any type, with how a policy is made from them.
trait AnySettings<P: ?Sized>: erased_serde::Serialize + Any + Send + Sync {
    fn make(&self, target: DeviceTarget) -> Result<Box<P>, SettingError>;
}

type Make<C, P> = fn(&C, DeviceTarget) -> Result<Box<P>, SettingError>;

/// Settings of one type.
#[derive(Serialize)]
#[serde(transparent)]
struct Typed<C, P: ?Sized> {
    config: C,
    #[serde(skip)]
    make: Make<C, P>,
}

impl<C: Serialize + Send + Sync + 'static, P: ?Sized + 'static> AnySettings<P> for Typed<C, P> {
    fn make(&self, target: DeviceTarget) -> Result<Box<P>, SettingError> {
        (self.make)(&self.config, target)
    }
}

type SharedSettings<P> = Arc<dyn AnySettings<P>>;

/// Reads the settings of a policy.
type ReadSettings<P> = Box<dyn Fn(&Value) -> Result<SharedSettings<P>, ReadError> + Send + Sync>;

/// One policy of a registry.
pub(super) struct PolicyRow<P: ?Sized> {
    name: &'static str,
    samples: &'static [&'static str],
    read: ReadSettings<P>,
}

/// A policy: its name, TOML texts with its settings from which messages take examples, and how it
/// is made.
pub(super) fn row<C, P>(
    name: &'static str,
    samples: &'static [&'static str],
    make: Make<C, P>,
) -> PolicyRow<P>
where
    C: Serialize + DeserializeOwned + Send + Sync + 'static,
    P: ?Sized + 'static,
{
    let read = move |value: &Value| Ok(Arc::new(Typed { config: read::<C>(value)?, make }) as _);
    PolicyRow { name, samples, read: Box::new(read) }
}

/// The settings of a policy that has none.
#[derive(Serialize, Deserialize)]
pub(super) struct NoSettings {}

/// The policies of one slot. The first is the default, and needs no settings.
pub(super) struct Registry<P: ?Sized> {
    slot: &'static str,
    rows: Vec<PolicyRow<P>>,
    names: Vec<&'static str>,
}

impl<P: ?Sized + 'static> Registry<P> {
    pub(super) fn new<const N: usize>(slot: &'static str, rows: [PolicyRow<P>; N]) -> Self {
        let names = rows.iter().map(|row| row.name).collect();
        Self { slot, rows: rows.into(), names }
    }

    /// Reads a slot: a table of the policy's name and its settings, or the default.
    pub(super) fn read(&'static self, value: Option<Value>) -> Result<PolicySlot<P>, ReadError> {
        self.choose(value).map_err(|error| error.within(self.slot))
    }

    fn choose(&'static self, value: Option<Value>) -> Result<PolicySlot<P>, ReadError> {
        let Some(value) = value else {
            let row = &self.rows[0];
            return Ok(PolicySlot { row, settings: (row.read)(&Map::new().into())? });
        };
        let Value::Object(mut settings) = value else {
            let message = "expected a table of `policy` and its settings";
            return Err(ReadError::new(FaultKind::WrongType, message));
        };
        let missing = || ReadError { known: &self.names, ..ReadError::missing_field("policy") };
        let policy = settings.remove("policy").ok_or_else(missing)?;
        let text = |error: ReadError| {
            let wanted = listed(&self.names, "or");
            ReadError { wanted, known: &self.names, ..error }.within("policy")
        };
        let name: String = read(&policy).map_err(text)?;
        let unknown = || ReadError::unknown_variant(&name, &self.names).within("policy");
        let row = self.row(&name).ok_or_else(unknown)?;
        Ok(PolicySlot { row, settings: (row.read)(&settings.into())? })
    }

    fn row(&self, name: &str) -> Option<&PolicyRow<P>> {
        let name = kebab(name);
        self.rows.iter().find(|row| row.name == name)
    }

    /// Settings of a policy for examples.
    pub(super) fn samples(&self, name: &str) -> &'static [&'static str] {
        self.row(name).map_or(&[], |row| row.samples)
    }

    #[cfg(test)]
    pub(super) fn samples_of_all(
        &self,
    ) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        self.rows.iter().map(|row| (row.name, row.samples))
    }
}

/// A policy of a recipe with its settings; `P` is the trait of the slot, such as `dyn Turn`.
pub struct PolicySlot<P: ?Sized + 'static> {
    row: &'static PolicyRow<P>,
    settings: SharedSettings<P>,
}

impl<P: ?Sized> PolicySlot<P> {
    /// The name of the policy.
    #[must_use]
    pub const fn policy(&self) -> &'static str {
        self.row.name
    }

    /// Its settings, if they are of this type.
    #[must_use]
    pub fn settings<C: 'static>(&self) -> Option<&C> {
        self.typed().map(|typed| &typed.config)
    }

    fn typed<C: 'static>(&self) -> Option<&Typed<C, P>> {
        let settings: &dyn Any = &*self.settings;
        settings.downcast_ref()
    }

    /// The same policy with other settings of the same type.
    pub(super) fn with<C: Serialize + Send + Sync + 'static>(&self, config: C) -> Option<Self> {
        let Typed { make, .. } = *self.typed::<C>()?;
        Some(Self { row: self.row, settings: Arc::new(Typed { config, make }) })
    }

    pub(super) fn make(&self, target: DeviceTarget) -> Result<Box<P>, SettingError> {
        self.settings.make(target)
    }

    pub(super) const fn samples(&self) -> &'static [&'static str] {
        self.row.samples
    }
}

impl<P: ?Sized> Clone for PolicySlot<P> {
    fn clone(&self) -> Self {
        Self { row: self.row, settings: Arc::clone(&self.settings) }
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
