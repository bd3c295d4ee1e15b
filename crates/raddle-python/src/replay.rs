//! How does a replay run for Python, and what does Python get from it?

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use raddle::{App, Console, Registry, Stopped};
use raddle_report::json;
use raddle_report::replay::{Closing, document};
use raddle_study::{Studied, Watcher};

use crate::policy::{Fault, registry};

create_exception!(
    raddle,
    RaddleError,
    PyRuntimeError,
    "What raddle refused: the message says what, where and what to do; `exit_code` is that of the same command."
);

/// Interval at which Python gets to handle signals, such as an interrupt, while a replay runs.
const SIGNALS: Duration = Duration::from_millis(50);

/// Watcher that ends a replay after a signal, such as an interrupt, or an exception of a policy.
struct Ender {
    ended: AtomicBool,
    fault: Arc<Fault>,
}

impl Watcher for Ender {
    fn is_cancelled(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.fault.is_there()
    }
}

/// Result of a replay: summary and report, as a Python object.
#[pyclass(frozen, module = "raddle._raddle")]
pub(crate) struct Replayed(Studied);

#[pymethods]
impl Replayed {
    /// Returns the result of the replay as the text of `summary.json`.
    fn summary(&self) -> String {
        json(&self.0.result)
    }

    /// Returns the report of the replay as an HTML page.
    fn html(&self) -> String {
        document(&self.0, closing(None, false)).html()
    }

    /// Returns the report of the replay as text, in lines of `columns` characters; `verbose` shows
    /// all of it.
    fn text(&self, columns: usize, verbose: bool) -> String {
        document(&self.0, closing(Some(columns), verbose)).text(false)
    }
}

fn closing(columns: Option<usize>, verbose: bool) -> Closing<'static> {
    Closing { folder: None, next: Vec::new(), columns, verbose }
}

/// Runs a raddle command line with the verb `replay` or `share`, with these policies beside the
/// bundled ones, and returns its result.
#[pyfunction]
pub(crate) fn replay(
    py: Python<'_>,
    args: Vec<OsString>,
    policies: Vec<Bound<'_, PyAny>>,
) -> PyResult<Replayed> {
    let fault = Arc::new(Fault::default());
    let app = App::new(registry(&policies, &fault)?);
    let ender = Ender { ended: AtomicBool::new(false), fault };
    let (studied, signal) = py.detach(|| waited(&app, args, &ender));
    match (signal.or_else(|| ender.fault.take()), studied) {
        (Some(error), _) => Err(error),
        (None, Ok(studied)) => Ok(Replayed(studied)),
        (None, Err(stopped)) => Err(refused(py, &stopped)),
    }
}

/// Runs a study on a new thread while the calling thread handles signals. Returns (result,
/// exception that a signal raised, if any).
fn waited(
    app: &App,
    args: Vec<OsString>,
    ender: &Ender,
) -> (Result<Studied, Stopped>, Option<PyErr>) {
    let mut signal = None;
    let studied = thread::scope(|scope| {
        let (done, news) = channel::<()>();
        let run = scope.spawn(move || {
            let _done = done;
            app.study(args, ender)
        });
        while news.recv_timeout(SIGNALS) == Err(RecvTimeoutError::Timeout) {
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                ender.ended.store(true, Ordering::Relaxed);
                signal = Some(error);
            }
        }
        run.join()
    });
    (studied.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), signal)
}

pub(crate) fn refused(py: Python<'_>, stopped: &Stopped) -> PyErr {
    let error = RaddleError::new_err(stopped.text.clone());
    // An exception of raddle takes any attribute.
    let _ = error.value(py).setattr("exit_code", stopped.exit_code);
    error
}

/// Runs a raddle command line and returns its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| App::new(Registry::bundled()).run(args, &mut Console::of_process()))
}

/// Converts a recipe from a JSON object to the TOML text of a recipe file.
#[pyfunction]
pub(crate) fn recipe_text(recipe: &str) -> PyResult<String> {
    let read: serde_json::Value =
        serde_json::from_str(recipe).map_err(|error| PyValueError::new_err(error.to_string()))?;
    toml::to_string(&read).map_err(|error| PyValueError::new_err(error.to_string()))
}
