//! How does a Python object become a policy?
//!
//! The object is asked through Python's interpreter, one question at a time, which is slow: runs in
//! parallel wait for each other. The first exception that the object raises ends the replay, and is
//! raised to the caller.

mod answers;
mod views;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use raddle::Registry;
use raddle_policy::{Ranked, SettingError};
use serde_json::Value;

pub(crate) use views::{
    CuView, FreeView, HintsView, LaunchView, ProcessView, ReadyLaunchView, ReadyView,
    VictimLaunchView,
};

/// First exception that a policy written in Python raised; empty where none did.
#[derive(Debug, Default)]
pub(crate) struct Fault(Mutex<Option<PyErr>>);

impl Fault {
    pub(crate) fn is_there(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// Question of the dispatcher that a Python policy answers (its slot in a recipe, which names a
/// policy for each question). `Rank` is a simple allocate policy, which only ranks launches and
/// compute units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PolicySlotName {
    LaunchPath,
    Turn,
    Allocate,
    Rank,
    Preempt,
}

impl PolicySlotName {
    /// Finds the question of the dispatcher (the slot of a recipe, a text that composes policies)
    /// that a Python policy answers, from the one method that the policy has. An error where it has
    /// none of the known methods, or several.
    pub(crate) fn of(policy: &Bound<'_, PyAny>) -> PyResult<Self> {
        let methods = [
            ("submit", Self::LaunchPath),
            ("turn", Self::Turn),
            ("allocate", Self::Allocate),
            ("unit", Self::Rank),
            ("preempt", Self::Preempt),
        ];
        let mut found = Vec::new();
        for (method, slot) in methods {
            if policy.hasattr(method)? {
                found.push(slot);
            }
        }
        match found[..] {
            [slot] => Ok(slot),
            _ => Err(PyTypeError::new_err(format!(
                "a policy has one of the methods submit, turn, allocate, unit and preempt, by which its slot is known; {} has {} of them",
                policy.repr()?,
                found.len()
            ))),
        }
    }
}

/// Policy that passes the dispatcher's questions to a Python object.
#[derive(Debug)]
pub(crate) struct PyPolicy {
    object: Py<PyAny>,
    fault: Arc<Fault>,
    /// True if the Python object has a method `observe`, which is called with every event.
    listens: bool,
    /// True if the Python object has a method `allocate_round`, which answers for many workgroups
    /// at once.
    bulk: bool,
}

impl PyPolicy {
    pub(crate) fn new(object: &Bound<'_, PyAny>, fault: &Arc<Fault>) -> PyResult<Self> {
        Ok(Self {
            listens: object.hasattr("observe")?,
            bulk: object.hasattr("allocate_round")?,
            object: object.clone().unbind(),
            fault: Arc::clone(fault),
        })
    }

    /// Calls the Python object by the function `question`, and returns its answer. Returns
    /// `otherwise` if the object raises an exception, or a policy raised one before.
    fn ask<T>(&self, otherwise: T, question: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
        if self.fault.is_there() {
            return otherwise;
        }
        Python::attach(|py| {
            question(self.object.bind(py)).unwrap_or_else(|error| {
                self.fault.put(error);
                otherwise
            })
        })
    }
}

/// Clones a policy with its state, by a deep copy of its Python object.
impl Clone for PyPolicy {
    fn clone(&self) -> Self {
        let object = Python::attach(|py| {
            let copied = py.import("copy").and_then(|copy| {
                copy.call_method1("deepcopy", (self.object.bind(py),)).map(Bound::unbind)
            });
            copied.unwrap_or_else(|error| {
                self.fault.put(error);
                self.object.clone_ref(py)
            })
        });
        Self { object, fault: Arc::clone(&self.fault), ..*self }
    }
}

/// Returns a registry (policies by name) with the bundled policies and the given Python classes. To
/// make a policy of a Python class, the registry calls the class with the settings in the recipe
/// (the text that composes policies into a dispatcher).
pub(crate) fn registry(policies: &[Bound<'_, PyAny>], fault: &Arc<Fault>) -> PyResult<Registry> {
    let mut registry = Registry::bundled();
    let mut names = BTreeSet::new();
    for policy in policies {
        let name = name(policy)?;
        if !names.insert(name) {
            let text = format!("two policies are called {name}: give one an attribute `name`");
            return Err(PyValueError::new_err(text));
        }
        registry = with(registry, name, policy, fault)?;
    }
    Ok(registry)
}

fn with(
    registry: Registry,
    name: &'static str,
    policy: &Bound<'_, PyAny>,
    fault: &Arc<Fault>,
) -> PyResult<Registry> {
    let (class, fault) = (policy.clone().unbind(), Arc::clone(fault));
    let make = move |settings: &Value| {
        Python::attach(|py| made(class.bind(py), settings, &fault))
            .map_err(|error| SettingError::new("", error))
    };
    Ok(match PolicySlotName::of(policy)? {
        PolicySlotName::LaunchPath => {
            registry.launch_path_named(name, move |it, _| Ok(Box::new(make(it)?)))
        }
        PolicySlotName::Turn => registry.turn_named(name, move |it, _| Ok(Box::new(make(it)?))),
        PolicySlotName::Allocate => {
            registry.allocate_named(name, move |it, _| Ok(Box::new(make(it)?)))
        }
        PolicySlotName::Rank => {
            registry.allocate_named(name, move |it, _| Ok(Box::new(Ranked::new(make(it)?))))
        }
        PolicySlotName::Preempt => {
            registry.preempt_named(name, move |it, _| Ok(Box::new(make(it)?)))
        }
    })
}

/// Makes a policy: calls its Python class with its settings in the recipe (the text that composes
/// policies into a dispatcher) as keyword arguments.
fn made(class: &Bound<'_, PyAny>, settings: &Value, fault: &Arc<Fault>) -> PyResult<PyPolicy> {
    let text = PyString::new(class.py(), &settings.to_string());
    let read = class.py().import("json")?.call_method1("loads", (text,))?.cast_into::<PyDict>()?;
    let named = PyDict::new(class.py());
    for (key, value) in read {
        named.set_item(key.extract::<String>()?.replace('-', "_"), value)?;
    }
    PyPolicy::new(&class.call((), Some(&named))?, fault)
}

/// Returns the name under which recipes (texts that compose policies) refer to a Python policy: the
/// attribute `name` of its class, else the name of the class in kebab-case.
fn name(policy: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    static NAMES: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let name = match policy.getattr_opt("name")? {
        Some(name) => name.extract::<String>()?,
        None => kebab(&policy.getattr("__name__")?.extract::<String>()?),
    };
    // Names of policies live as long as the program, so each different name is kept once.
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(&*name) {
        return Ok(known);
    }
    let kept: &'static str = name.leak();
    names.insert(kept);
    Ok(kept)
}

fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.extend(letter.to_lowercase().map(|letter| if letter == '_' { '-' } else { letter }));
    }
    kebab
}
