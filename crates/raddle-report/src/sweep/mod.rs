//! How is the summary of a sweep shown?
//!
//! [`document`] shows that of a sweep, [`search_document`] that of a study of searches.

mod cell;
mod curves;
mod fill;
mod grid;
mod search_fill;

pub use fill::document;
pub use search_fill::search_document;
