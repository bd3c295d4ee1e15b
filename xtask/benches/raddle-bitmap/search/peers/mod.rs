//! Against which published crates is it measured?
//!
//! Each by its best idiom: what a careful user would write with its public functions. Those that
//! store ranges hold the free ones.

pub(crate) mod bitmap_allocator;
pub(crate) mod bitvec;
pub(crate) mod fixedbitset;
pub(crate) mod offset_allocator;
pub(crate) mod range_alloc;
pub(crate) mod rangemap;
pub(crate) mod roaring;
