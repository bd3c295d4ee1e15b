//! What does Nsight Systems say about the work of a GPU?
//!
//! Two of its exports are read: the SQLite database, which holds everything, and the report
//! `cuda_gpu_trace` as CSV, which leaves out arrivals, priorities and the device's limits.

pub(super) mod csv;
pub(super) mod sqlite;
mod work;

/// What to say of a file that is one of its own reports; those cannot be read, and nothing in
/// their content is documented, so for once the name decides.
pub(super) fn unexported(file: &str) -> Option<String> {
    let stem = file.strip_suffix(".gz").unwrap_or(file);
    let ending = [".nsys-rep", ".qdrep", ".qdstrm"].into_iter().find(|e| stem.ends_with(e))?;
    Some(format!(
        "a {ending} report of Nsight Systems, which only its own tools can read (export it with \
         `nsys export --type sqlite`)"
    ))
}
