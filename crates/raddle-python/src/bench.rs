//! How does a worker process on another machine run cases (combinations of values) of a sweep?

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raddle::Registry;
use raddle_study::{MemoryFiles, Surroundings, Sweep};

use crate::replay::RaddleError;

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::bundled);

/// Runner of the cases of a sweep, where a case is one combination of values. It keeps the sweep's
/// files in memory, and reads and fits each profile once.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Bench(raddle_study::Bench<'static>);

#[pymethods]
impl Bench {
    /// Makes the runner of a sweep's cases: `sweep` is the sweep as JSON, `files` are the contents
    /// of the files that it names.
    ///
    /// The files stay in memory until the process ends: a worker serves one sweep.
    #[new]
    fn new(py: Python<'_>, sweep: &str, files: BTreeMap<String, Vec<u8>>) -> PyResult<Self> {
        let sweep: Sweep = serde_json::from_str(sweep)
            .map_err(|error| PyValueError::new_err(format!("that is no sweep: {error}")))?;
        let files: &'static MemoryFiles = Box::leak(Box::new(MemoryFiles(files)));
        let around = Surroundings { registry: &REGISTRY, files, watcher: &(), jobs: Some(1) };
        let bench = py.detach(|| raddle_study::Bench::new(&sweep, around));
        bench.map(Self).map_err(|error| RaddleError::new_err(error.to_string()))
    }

    fn __len__(&self) -> usize {
        self.0.cases().len()
    }

    /// Runs the case of the sweep with the number `position`, from 0, and returns its result, one
    /// line of JSON with its line end.
    fn row(&self, py: Python<'_>, position: usize) -> PyResult<String> {
        let row = py.detach(|| self.0.row(position));
        row.map(|row| row.line()).map_err(|error| RaddleError::new_err(error.to_string()))
    }
}
