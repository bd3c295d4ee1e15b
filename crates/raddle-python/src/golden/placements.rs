//! How does Python check that a dispatcher hands out resources by the rules, as its events tell?

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raddle_golden::allocation::{
    AllocationCheck, AllocationDevice, AllocationEvent, AllocationEventKind, AllocationFinding,
    AllocationOptions, AllocationReport, check,
};

use super::number::{Named, numbers};
use super::{Number, refused};

/// Map from the name of a resource to a value for it.
type ByResource<T> = BTreeMap<String, T>;

/// Makes the options of a check of placements. `fit` is the rule that predicts at which block each
/// allocation starts; with `None` nothing is predicted. `lag` is the number of clocks for which
/// freed blocks may still count as taken.
fn options(fit: Option<Rules>, lag: u64) -> PyResult<AllocationOptions> {
    let mut options = AllocationOptions { lag, ..AllocationOptions::default() };
    let rule = |text: String| {
        let rule = text.parse();
        rule.map_err(|error| PyValueError::new_err(format!("`fit` is `{text}`: {error}")))
    };
    match fit {
        None => {}
        Some(Rules::All(text)) => options.starts = Some(rule(text)?),
        Some(Rules::Each(rules)) => {
            for (name, text) in rules {
                options.starts_of.insert(name, rule(text)?);
            }
        }
    }
    Ok(options)
}

/// Rules that predict at which block each allocation starts: one rule for all resources, or one for
/// each resource, by the name of the resource.
#[derive(FromPyObject)]
pub(crate) enum Rules {
    All(String),
    Each(BTreeMap<String, String>),
}

/// An event of a check of placements that breaks a rule.
#[pyclass(frozen, name = "PlacementFinding", module = "raddle._raddle")]
pub(crate) struct FindingView(AllocationFinding);

#[pymethods]
impl FindingView {
    #[getter]
    fn rule(&self) -> String {
        self.0.rule.to_string()
    }
    #[getter]
    fn line(&self) -> u64 {
        self.0.line
    }
    #[getter]
    fn clock(&self) -> u64 {
        self.0.clock
    }
    #[getter]
    fn what(&self) -> &str {
        &self.0.what
    }
    #[getter]
    fn map(&self) -> &str {
        &self.0.map
    }
    fn __repr__(&self) -> String {
        format!("PlacementFinding({})", self.0)
    }
}

/// Result of a check of placement events, with the events that break a rule.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct PlacementReport(AllocationReport);

#[pymethods]
impl PlacementReport {
    #[getter]
    fn events(&self) -> u64 {
        self.0.events
    }
    #[getter]
    fn placed(&self) -> u64 {
        self.0.placed
    }
    #[getter]
    fn open(&self) -> u64 {
        self.0.open
    }
    #[getter]
    fn predicted(&self) -> u64 {
        self.0.predicted
    }
    #[getter]
    fn agreeing(&self) -> u64 {
        self.0.agreeing
    }
    #[getter]
    fn total(&self) -> u64 {
        self.0.total()
    }
    #[getter]
    fn counts(&self) -> BTreeMap<String, u64> {
        self.0.counts.iter().map(|(rule, &count)| (rule.to_string(), count)).collect()
    }
    #[getter]
    fn findings(&self) -> Vec<FindingView> {
        self.0.findings.iter().cloned().map(FindingView).collect()
    }
    fn __str__(&self) -> String {
        self.0.to_string()
    }
}

/// Checks a table of placement events, given as the bytes of its file. The rules `fit` predict at
/// which block each allocation starts; `lag` is the number of clocks for which freed blocks may
/// still count as taken.
#[pyfunction]
#[pyo3(signature = (table, fit, lag))]
pub(crate) fn check_table(
    py: Python<'_>,
    table: Vec<u8>,
    fit: Option<Rules>,
    lag: Number<u64>,
) -> PyResult<PlacementReport> {
    numbers!(lag);
    let options = options(fit, lag)?;
    py.detach(|| check(&table, &options)).map(PlacementReport).map_err(refused)
}

/// Check of placements whose events are reported one after the other, as they happen.
#[pyclass(module = "raddle._raddle")]
pub(crate) struct PlacementCheck {
    check: Option<AllocationCheck>,
    names: Vec<String>,
}

#[pymethods]
impl PlacementCheck {
    #[new]
    #[pyo3(signature = (units, resources, *, wave_slots = Number::Fits(0), fit = None, lag = Number::Fits(0)), text_signature = r#"(units, resources, *, wave_slots=0, fit=None, lag=0)"#)]
    fn new(
        units: Number<u64>,
        resources: &Bound<'_, PyAny>,
        wave_slots: Number<u64>,
        fit: Option<Rules>,
        lag: Number<u64>,
    ) -> PyResult<Self> {
        numbers!(units, wave_slots, lag);
        let mut device = AllocationDevice::new(units, wave_slots).map_err(refused)?;
        for pair in resources.call_method0("items")?.try_iter()? {
            let (name, (blocks, kind)): (String, (Number<u64>, String)) = pair?.extract()?;
            let blocks = blocks.named(&name)?;
            let per_wave = match kind.as_str() {
                "per-wave" => true,
                "shared" => false,
                _ => {
                    let text =
                        format!("resource `{name}` is `{kind}`: give `per-wave` or `shared`");
                    return Err(PyValueError::new_err(text));
                }
            };
            device.add(&name, blocks, per_wave).map_err(refused)?;
        }
        let names = device.names().map(str::to_owned).collect();
        let check = AllocationCheck::new(device, &options(fit, lag)?);
        Ok(Self { check: Some(check.map_err(|fault| refused(fault.message))?), names })
    }
    #[pyo3(signature = (clock, workgroup, waves = None, **sizes))]
    fn request(
        &mut self,
        clock: Number<u64>,
        workgroup: Number<u64>,
        waves: Option<Number<u64>>,
        sizes: Option<ByResource<Number<u64>>>,
    ) -> PyResult<u64> {
        numbers!(clock, workgroup, waves);
        let mut event = self.event(clock, AllocationEventKind::Request, workgroup);
        event.waves = waves;
        self.put(&mut event, sizes, |part, size| part.1 = Some(size))?;
        self.tell(event)
    }
    #[pyo3(signature = (clock, unit, workgroup, waves = None, **parts))]
    fn place(
        &mut self,
        clock: Number<u64>,
        unit: Number<u64>,
        workgroup: Number<u64>,
        waves: Option<Number<u64>>,
        parts: Option<ByResource<(Number<u64>, Number<u64>)>>,
    ) -> PyResult<u64> {
        numbers!(clock, unit, workgroup, waves);
        let mut event = self.event(clock, AllocationEventKind::Place, workgroup);
        (event.unit, event.waves) = (Some(unit), waves);
        self.put(&mut event, parts, |part, (start, size)| *part = (Some(start), Some(size)))?;
        self.tell(event)
    }
    #[pyo3(signature = (clock, unit, workgroup, wave = None, tag = None, **bases))]
    fn wave(
        &mut self,
        clock: Number<u64>,
        unit: Number<u64>,
        workgroup: Number<u64>,
        wave: Option<Number<u64>>,
        tag: Option<Number<u64>>,
        bases: Option<ByResource<Number<u64>>>,
    ) -> PyResult<u64> {
        numbers!(clock, unit, workgroup, wave, tag);
        let mut event = self.event(clock, AllocationEventKind::Wave, workgroup);
        (event.unit, event.wave, event.tag) = (Some(unit), wave, tag);
        self.put(&mut event, bases, |part, base| part.0 = Some(base))?;
        self.tell(event)
    }
    #[pyo3(signature = (clock, unit, workgroup, wave = None, tag = None))]
    fn end(
        &mut self,
        clock: Number<u64>,
        unit: Number<u64>,
        workgroup: Number<u64>,
        wave: Option<Number<u64>>,
        tag: Option<Number<u64>>,
    ) -> PyResult<u64> {
        numbers!(clock, unit, workgroup, wave, tag);
        let mut event = self.event(clock, AllocationEventKind::End, workgroup);
        (event.unit, event.wave, event.tag) = (Some(unit), wave, tag);
        self.tell(event)
    }
    fn free(
        &mut self,
        clock: Number<u64>,
        unit: Number<u64>,
        workgroup: Number<u64>,
    ) -> PyResult<u64> {
        numbers!(clock, unit, workgroup);
        let mut event = self.event(clock, AllocationEventKind::Free, workgroup);
        event.unit = Some(unit);
        self.tell(event)
    }
    #[getter]
    fn report(&self) -> PyResult<PlacementReport> {
        let check = self.check.as_ref().ok_or_else(finished)?;
        Ok(PlacementReport(check.report().clone()))
    }
    fn finish(&mut self) -> PyResult<PlacementReport> {
        let check = self.check.take().ok_or_else(finished)?;
        Ok(PlacementReport(check.finish()))
    }
}

fn finished() -> PyErr {
    refused("the check is finished: make another one")
}

impl PlacementCheck {
    fn event(&self, clock: u64, kind: AllocationEventKind, workgroup: u64) -> AllocationEvent {
        AllocationEvent::new(clock, kind, workgroup, self.names.len())
    }

    /// Stores numbers in an event, by the name of the resource: an event has a (start, size) for
    /// each resource, and `to` writes the number into this pair. An unknown name is an error;
    /// `None` stores nothing.
    fn put<T: Named>(
        &self,
        event: &mut AllocationEvent,
        numbers: Option<ByResource<T>>,
        to: impl Fn(&mut (Option<u64>, Option<u64>), T::Out),
    ) -> PyResult<()> {
        for (name, number) in numbers.unwrap_or_default() {
            let at = self.names.iter().position(|known| *known == name).ok_or_else(|| {
                let known = self.names.join(", ");
                PyValueError::new_err(format!("`{name}` is no resource of this check: {known}"))
            })?;
            to(&mut event.parts[at], number.named(&name)?);
        }
        Ok(())
    }

    fn tell(&mut self, event: AllocationEvent) -> PyResult<u64> {
        let check = self.check.as_mut().ok_or_else(finished)?;
        check.take(event).map_err(|fault| refused(fault.message))
    }
}
