//! How is a table of figures passed from Python to a library that reads Arrow?

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Returns columns, given as (name, type, values), as a stream of the Arrow C data interface.
#[pyfunction]
pub(crate) fn arrow_stream<'py>(
    py: Python<'py>,
    columns: Vec<(String, String, Bound<'py, PyAny>)>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let refused = |error: arrow_schema::ArrowError| PyValueError::new_err(error.to_string());
    let mut arrays = Vec::new();
    for (name, kind, values) in columns {
        arrays.push((name, array(&kind, &values)?, true));
    }
    let batch = RecordBatch::try_from_iter_with_nullable(arrays).map_err(refused)?;
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Makes a column of the type `kind` (`int`, `float`, `bool` or `text`) from a list of Python
/// values; `None` in the list becomes null.
fn array(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    Ok(match kind {
        "int" => Arc::new(Int64Array::from(values.extract::<Vec<Option<i64>>>()?)),
        "float" => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
        "bool" => Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?)),
        "text" => Arc::new(StringArray::from(values.extract::<Vec<Option<String>>>()?)),
        _ => {
            let text = format!("a column of {kind}: int, float, bool and text are possible");
            return Err(PyValueError::new_err(text));
        }
    })
}
