//! What came out of a sweep, and how is it shown?
//!
//! [`SweepRow`] is one case, a line of JSON. [`Swept`] takes rows in any order and sums them up over
//! seeds to a [`SweepSummary`]; [`document`] is that for people.

mod curves;
mod fill;
mod row;
mod summary;
mod swept;

pub use fill::document;
pub use row::{ReadRow, SweepRow};
pub use summary::{GroupSummary, JudgedFigure, Reach, SweepSummary, Within};
pub use swept::{Swept, SweptAxis};
