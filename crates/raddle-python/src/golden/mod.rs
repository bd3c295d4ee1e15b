//! Which golden models (reference models of the patents) can a test bench in Python ask?
//!
//! Each Python object wraps an object of a Rust crate. A model that refuses a request answers so;
//! input that no model can take raises `RaddleError`.

mod allocator;
mod block_warp;
mod maps;
mod number;
mod packets;
mod placements;
mod slices;

use std::fmt::Display;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

pub(crate) use allocator::{AllocatorObject, PlaceView};
pub(crate) use block_warp::{BlockWarp, Distribution, Started, WarpEnd};
pub(crate) use maps::{FreeMapObject, RingObject};
pub(crate) use number::Number;
pub(crate) use packets::PacketAgent;
pub(crate) use placements::{FindingView, PlacementCheck, PlacementReport, check_table};
pub(crate) use slices::Slices;

use crate::replay::RaddleError;

/// Returns the answer of a golden model to a question, both as JSON; `topic` is the name of the
/// model.
#[pyfunction]
pub(crate) fn answer(topic: &str, question: &str) -> PyResult<String> {
    let known = raddle_golden::topic(topic).ok_or_else(|| {
        let names: Vec<&str> = raddle_golden::TOPICS.iter().map(|it| it.name).collect();
        let text = format!("`{topic}` is no topic: give one of {}", names.join(", "));
        PyValueError::new_err(text)
    })?;
    raddle_golden::answer(known, question).map_err(|fault| match fault.at.as_str() {
        "" => refused(fault),
        at => RaddleError::new_err(format!("{at}: {fault}")),
    })
}

/// Makes the Python exception for input that a golden model refuses.
fn refused(error: impl Display) -> PyErr {
    RaddleError::new_err(error.to_string())
}

/// Reads an argument from Python that is one of several words, such as `first`; `name` is the name
/// of the argument, for the error message.
fn word<T: DeserializeOwned>(name: &str, text: &str) -> PyResult<T> {
    let read = serde_json::from_value(serde_json::Value::String(text.to_owned()));
    read.map_err(|error| PyValueError::new_err(format!("`{name}`: {error}")))
}
