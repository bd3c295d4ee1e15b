//! What do the tools of ROCm (rocprof, rocprofv3) say about the work of a GPU?

pub(super) mod csv;
pub(super) mod json;
