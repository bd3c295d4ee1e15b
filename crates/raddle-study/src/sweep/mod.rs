//! What are the results of a study when some of its options take several values?
//!
//! A [`Sweep`] is the question as plain data: a study, and what is varied. [`Cases`] is the list of
//! its cases, in an order that follows from the question alone; each has an id. A [`Bench`] runs
//! the cases, each to one row: profiles are read and fitted once, and what only depends on them is
//! kept. [`SweepRow`] is that row, a line of JSON. [`Swept`] takes rows in any order and sums them
//! up over seeds to a [`SweepSummary`]; [`SearchRows`] and [`SearchSummary`] do the same for a
//! study of searches.
//!
//! ```
//! use raddle_study::{Bench, MemoryFiles, Registry, Sweep, Surroundings};
//!
//! let table = "name,grid_x,grid_y,grid_z,block_x,block_y,block_z,start_ns,duration_ns\n\
//!              k,80,1,1,256,1,1,0,1000\nk,80,1,1,256,1,1,1500,1000\n";
//! let files = MemoryFiles([("a.csv".to_owned(), table.into())].into());
//! let sweep: Sweep = serde_json::from_str(
//!     r#"{"study": {"profiles": ["a.csv"], "recipes": ["leftover"]}, "vary": ["device=v100,h100"]}"#,
//! )?;
//! let around = Surroundings {
//!     registry: &Registry::bundled(),
//!     files: &files,
//!     watcher: &(),
//!     jobs: None,
//! };
//! let bench = Bench::new(&sweep, around)?;
//! assert_eq!(bench.cases().len(), 2);
//! let row = bench.row(1)?;
//! assert_eq!((row.case.as_str(), row.result.is_ok()), ("device=h100", true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod bench;
mod cases;
mod checked;
mod figures;
mod judged;
mod memo;
mod print;
mod reach;
mod recipe;
mod remembered;
mod row;
mod search;
mod searches;
mod summary;
mod swept;
mod vary;

pub use bench::Bench;
pub use cases::{Case, Cases, Shard, Sweep};
pub(crate) use figures::CaseBounds;
pub(crate) use judged::JudgedRun;
pub use row::{ReadRow, SweepRow};
pub use searches::{SearchGroup, SearchRows, SearchSummary, SearchWait};
pub use summary::SweptAxis;
pub use summary::{
    FailedCase, GroupSummary, JudgedFigure, NeverRan, Reach, SweepSummary, Within, failed,
};
pub use swept::Swept;
