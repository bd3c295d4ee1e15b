//! What does Nsight Systems say about the work of a GPU?

pub(super) mod csv;
pub(super) mod sqlite;
