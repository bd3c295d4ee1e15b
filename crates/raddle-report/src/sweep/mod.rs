//! How is the summary of a sweep shown?
//!
//! [`document`] shows any sweep, [`search_document`] a sweep over searches for free blocks.

mod cell;
mod curves;
mod fill;
mod grid;
mod search_fill;

pub use fill::document;
pub use search_fill::search_document;
