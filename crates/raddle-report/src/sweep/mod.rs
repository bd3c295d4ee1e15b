//! What came out of a sweep, and how is it shown?
//!
//! [`SweepRow`] is one case, a line of JSON. [`Swept`] takes rows in any order and sums them up
//! over seeds to a [`SweepSummary`]; [`document`] shows that summary to people. [`SearchRows`],
//! [`SearchSummary`] and [`search_document`] do the same for a study of searches.

mod curves;
mod fill;
mod row;
mod search_fill;
mod searches;
mod summary;
mod swept;

pub use fill::document;
pub use row::{ReadRow, SweepRow};
pub use search_fill::search_document;
pub use searches::{SearchGroup, SearchRows, SearchSummary, SearchWait};
pub use summary::{FailedCase, GroupSummary, JudgedFigure, Reach, SweepSummary, Within, failed};
pub use swept::{Swept, SweptAxis};
