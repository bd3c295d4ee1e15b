//! How does a program in Python drive a dispatcher that is made from a recipe?
//!
//! The program gives events and gets actions, both as JSON in the words of the decision log.
//! `python/raddle/_dispatcher.py` has the interface for people.

use std::io::Write;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use raddle::{App, Stopped};
use raddle_device::Device;
use raddle_dispatch::log::{ended, event_of, spelled_actions};
use raddle_dispatch::{Action, Actions, DispatchError, Dispatcher};
use raddle_policy::{CuId, Footprint, Piece, Tick};
use raddle_study::RecipeGiven;
use raddle_testkit::Sink;

use crate::policy::{Fault, FreeView, registry};
use crate::replay::{RaddleError, refused};

/// Dispatcher that asks the four policies of a recipe, one for each slot, and the decision log that
/// it writes, if one is kept.
#[pyclass(module = "raddle._raddle")]
pub(crate) struct Composed {
    // Python asks for a type that several threads may share. No thread waits: each call has the
    // object for itself.
    composed: Mutex<raddle_dispatch::Composed>,
    device: Device,
    log: Option<Sink>,
    fault: Arc<Fault>,
    actions: Actions,
    pieces: Vec<Piece>,
}

#[pymethods]
impl Composed {
    /// Makes the dispatcher of a recipe for a device, both by name or file. `text` is true if
    /// `recipe` is the text of a recipe, and not its name. `policies` are classes in Python that
    /// the recipe may name. `log` is true if a decision log is kept.
    #[new]
    fn new(
        py: Python<'_>,
        recipe: &str,
        text: bool,
        device: &str,
        policies: Vec<Bound<'_, PyAny>>,
        log: bool,
    ) -> PyResult<Self> {
        let fault = Arc::new(Fault::default());
        let app = App::new(registry(&policies, &fault)?);
        let log = log.then(Sink::default);
        let recipe = if text { RecipeGiven::Text(recipe) } else { RecipeGiven::Named(recipe) };
        let to = log.clone().map(|sink| Box::new(sink) as Box<dyn Write + Send>);
        let made = app.dispatcher(recipe, device, to);
        let (composed, device) = made.map_err(|stopped: Stopped| refused(py, &stopped))?;
        let (actions, pieces) = (Actions::default(), Vec::new());
        Ok(Self { composed: Mutex::new(composed), device, log, fault, actions, pieces })
    }

    #[getter]
    fn device(&self) -> &str {
        &self.device.id
    }

    #[getter]
    fn cus(&self) -> u16 {
        self.device.cus
    }

    #[getter]
    fn looks_ahead(&mut self) -> bool {
        self.parts().0.looks_ahead()
    }

    /// Gives the dispatcher an event, written as JSON, that happens at the tick `now`.
    fn event(&mut self, now: u64, event: &str) -> PyResult<()> {
        let cus = self.device.cus;
        let (composed, _, pieces) = self.parts();
        let told = event_of(event, cus, pieces).and_then(|it| composed.event(&it, Tick(now)));
        self.checked(told)
    }

    /// Makes the dispatcher decide at the tick `now`. Returns the actions as JSON, and the tick at
    /// which it wants to be woken next, or `None`.
    fn decide(&mut self, now: u64) -> PyResult<(String, Option<u64>)> {
        let (composed, actions, _) = self.parts();
        actions.clear();
        let decided = composed.decide(Tick(now), actions);
        // The next wake is returned beside the actions, so the action that says it is left out.
        actions.list.retain(|action| !matches!(action, Action::WakeAt(_)));
        let answer = (spelled_actions(actions), composed.next_wake().map(|at| at.0));
        self.checked(decided).map(|()| answer)
    }

    /// Returns the resources that are free on the compute unit `cu`, counted from 0, by the
    /// dispatcher's account.
    fn free(&mut self, cu: u16) -> PyResult<FreeView> {
        let cus = self.device.cus;
        if cu >= cus {
            let text = format!("`cu` is {cu} of {cus} compute units: count from 0");
            return Err(PyIndexError::new_err(text));
        }
        Ok(self.parts().0.cus().free(CuId(cu)).into())
    }

    /// Returns the demand of a workgroup, in granules of the device, whose needs (`footprint`) are
    /// given in threads, registers and bytes; both are JSON.
    fn demand(&self, footprint: &str) -> PyResult<String> {
        let footprint: Footprint = serde_json::from_str(footprint)
            .map_err(|error| PyValueError::new_err(format!("the workgroup: {error}")))?;
        let demand = self.device.demand(&footprint);
        let demand = demand.map_err(|unfit| RaddleError::new_err(unfit.to_string()))?;
        serde_json::to_string(&demand).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Returns the decision log until now, with its last line; `None` where no log is kept.
    fn log(&self) -> Option<String> {
        self.log.as_ref().map(|log| ended(&log.text()))
    }
}

impl Composed {
    fn parts(&mut self) -> (&mut raddle_dispatch::Composed, &mut Actions, &mut Vec<Piece>) {
        let composed = self.composed.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        (composed, &mut self.actions, &mut self.pieces)
    }

    /// Turns the result of a call of the dispatcher into that of Python: an error becomes an
    /// exception. If a policy in Python raised an exception, that one is returned, since the error
    /// follows from it.
    fn checked(&self, done: Result<(), DispatchError>) -> PyResult<()> {
        match (self.fault.take(), done) {
            (Some(raised), _) => Err(raised),
            (None, done) => done.map_err(|error| RaddleError::new_err(error.to_string())),
        }
    }
}
