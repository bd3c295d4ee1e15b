//! Does a policy written in Python keep the laws (rules for every policy of its slot), and what
//! does it decide in an example?

use std::cell::RefCell;
use std::sync::Arc;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use pyo3::create_exception;
use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;
use raddle_policy::Ranked;
use raddle_testkit::{
    Breach, Revocation, Scenario, TurnScenario, examine_allocate, examine_bulk,
    examine_launch_path, examine_preempt, examine_turn, render, render_launch_path, render_preempt,
    render_turn, scenario, submissions, turn_scenario, victims,
};

use crate::policy::{Fault, PolicySlotName, PyPolicy};

create_exception!(
    raddle,
    LawBroken,
    PyAssertionError,
    "A law of a policy that was broken: its number, what happened, and the smallest scenario that shows it."
);

/// Maker of policy objects, one for each test scenario, from a Python class. `fault` holds the
/// first exception that one of these objects raised.
struct Maker<'m, 'py> {
    class: &'m Bound<'py, PyAny>,
    fault: Arc<Fault>,
}

impl Maker<'_, '_> {
    fn made(&self) -> PyResult<PyPolicy> {
        PyPolicy::new(&self.class.call0()?, &self.fault)
    }
}

/// Checks a policy in `cases` scenarios drawn at random, equal in each call, and raises `LawBroken`
/// where the policy breaks a law of its slot.
#[pyfunction]
pub(crate) fn check(policy: &Bound<'_, PyAny>, cases: u32) -> PyResult<()> {
    match PolicySlotName::of(policy)? {
        PolicySlotName::Allocate => drawn(policy, cases, &scenario(), |one, drawn| {
            examine_allocate(&[], || one.clone(), drawn)?;
            examine_bulk(|| one.clone(), drawn)
        }),
        PolicySlotName::Rank => drawn(policy, cases, &scenario(), |one, drawn| {
            examine_allocate(&[], || Ranked::new(one.clone()), drawn)?;
            examine_bulk(|| Ranked::new(one.clone()), drawn)
        }),
        PolicySlotName::Turn => {
            drawn(policy, cases, &turn_scenario(), |one, drawn| examine_turn(|| one.clone(), drawn))
        }
        PolicySlotName::Preempt => {
            drawn(policy, cases, &victims(), |one, drawn| examine_preempt(|| one.clone(), drawn))
        }
        PolicySlotName::LaunchPath => drawn(policy, cases, &submissions(), |one, drawn| {
            examine_launch_path(|| one.clone(), drawn)
        }),
    }
}

/// Draws `cases` random scenarios and checks the policy in each of them with `examine`. Raises
/// `LawBroken` where the policy breaks a law; but if the policy itself raises an exception, that
/// exception is passed on.
fn drawn<S: Strategy>(
    class: &Bound<'_, PyAny>,
    cases: u32,
    strategy: &S,
    examine: impl Fn(&PyPolicy, &S::Value) -> Result<(), Breach>,
) -> PyResult<()> {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let raised = RefCell::new(None);
    let run = TestRunner::new_with_rng(config, rng).run(strategy, |value| {
        let maker = Maker { class, fault: Arc::default() };
        let examined = maker.made().map(|one| examine(&one, &value));
        let fault = match &examined {
            Ok(_) => maker.fault.take(),
            Err(error) => Some(error.clone_ref(class.py())),
        };
        if let Some(fault) = fault {
            raised.replace(Some(fault));
            return Err(TestCaseError::fail("it raised an exception"));
        }
        match examined {
            Ok(Err(breach)) => Err(TestCaseError::fail(breach.to_string())),
            _ => Ok(()),
        }
    });
    let Err(failed) = run else { return Ok(()) };
    if let Some(error) = raised.take() {
        return Err(error);
    }
    Err(LawBroken::new_err(match failed {
        TestError::Fail(why, value) => format!("{why}\nwith {value:#?}"),
        TestError::Abort(why) => why.to_string(),
    }))
}

/// Returns, as text, a table of the decisions that a policy makes in a small scenario, for tests of
/// the policy.
#[pyfunction]
pub(crate) fn snapshot(policy: &Bound<'_, PyAny>) -> PyResult<String> {
    let maker = Maker { class: policy, fault: Arc::default() };
    let mut one = maker.made()?;
    let table = match PolicySlotName::of(policy)? {
        PolicySlotName::Allocate => render(&mut one, &Scenario::example()),
        PolicySlotName::Rank => render(&mut Ranked::new(one), &Scenario::example()),
        PolicySlotName::Turn => render_turn(&mut one, &TurnScenario::example()),
        PolicySlotName::Preempt => render_preempt(&mut one, &Revocation::examples()),
        PolicySlotName::LaunchPath => render_launch_path(&mut one, &Scenario::example().launches),
    };
    if let Some(error) = maker.fault.take() {
        return Err(error);
    }
    table.map_err(|breach| LawBroken::new_err(breach.to_string()))
}
