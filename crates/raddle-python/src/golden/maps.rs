//! How does Python ask which blocks of a free map, or of a ring of blocks, are free?

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raddle_bitmap::{ErrorKind, FreeMap, Polarity, Ring, RunPlan};

use super::number::numbers;
use super::{Number, refused};

/// Free map: a list of equal blocks of a resource, each of which is free or taken.
#[pyclass(name = "FreeMap", module = "raddle._raddle")]
pub(crate) struct FreeMapObject(FreeMap);

#[pymethods]
impl FreeMapObject {
    #[new]
    fn new(blocks: Number<u32>) -> PyResult<Self> {
        numbers!(blocks);
        FreeMap::new(blocks).map(Self).map_err(refused)
    }
    #[staticmethod]
    fn from_digits(digits: &str) -> PyResult<Self> {
        FreeMap::from_digits(digits, Polarity::FreeIsOne).map(Self).map_err(refused)
    }
    #[getter]
    fn blocks(&self) -> u32 {
        self.0.blocks()
    }
    #[getter]
    fn free(&self) -> u32 {
        self.0.free_blocks()
    }
    #[getter]
    fn longest(&self) -> u32 {
        self.0.longest()
    }
    #[getter]
    fn runs(&self) -> Vec<(u32, u32)> {
        self.0.runs().collect()
    }
    #[pyo3(signature = (want, fit = "first", after = Number::Fits(0)), text_signature = r#"($self, want, fit="first", after=0)"#)]
    fn find(&self, want: Number<u32>, fit: &str, after: Number<u32>) -> PyResult<Option<u32>> {
        numbers!(want, after);
        Ok(self.plan(want, fit, after)?.map(|plan| plan.start()))
    }
    #[pyo3(signature = (want, fit = "first", after = Number::Fits(0)), text_signature = r#"($self, want, fit="first", after=0)"#)]
    fn allocate(
        &mut self,
        want: Number<u32>,
        fit: &str,
        after: Number<u32>,
    ) -> PyResult<Option<u32>> {
        numbers!(want, after);
        let plan = self.plan(want, fit, after)?;
        plan.map(|plan| self.0.commit(plan).map_err(refused)).transpose()
    }
    fn take(&mut self, start: Number<u32>, length: Number<u32>) -> PyResult<bool> {
        numbers!(start, length);
        match self.0.take(start, length) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::State => Ok(false),
            Err(error) => Err(refused(error)),
        }
    }
    fn release(&mut self, start: Number<u32>, length: Number<u32>) -> PyResult<()> {
        numbers!(start, length);
        self.0.release(start, length).map_err(refused)
    }
    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

impl FreeMapObject {
    fn plan(&self, want: u32, fit: &str, after: u32) -> PyResult<Option<RunPlan>> {
        Ok(match fit {
            "first" => self.0.first_fit(want),
            "best" => self.0.best_fit(want),
            "worst" => self.0.worst_fit(want),
            "next" => self.0.next_fit(after, want),
            _ => {
                let text = format!("`fit` is `{fit}`: give first, best, worst or next");
                return Err(PyValueError::new_err(text));
            }
        })
    }
}

/// Ring of equal blocks of a resource, which are taken in order and wrap around.
#[pyclass(name = "Ring", module = "raddle._raddle")]
pub(crate) struct RingObject(Ring);

#[pymethods]
impl RingObject {
    #[new]
    fn new(blocks: Number<u32>) -> PyResult<Self> {
        numbers!(blocks);
        Ring::new(blocks).map(Self).map_err(refused)
    }
    #[getter]
    fn blocks(&self) -> u32 {
        self.0.blocks()
    }
    fn find(&self, want: Number<u32>) -> PyResult<Option<u32>> {
        numbers!(want);
        Ok(self.0.find(want))
    }
    fn allocate(&mut self, want: Number<u32>) -> PyResult<Option<u32>> {
        numbers!(want);
        Ok(self.0.allocate(want))
    }
    fn release(&mut self, start: Number<u32>) -> PyResult<()> {
        numbers!(start);
        self.0.release(start).map_err(refused)
    }
}
