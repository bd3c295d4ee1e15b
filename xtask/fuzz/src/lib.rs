//! What do all targets do with their bytes?
//!
//! The same as the test that replays the committed corpus: the file is shared with it.

#[path = "../../../crates/raddle-trace/tests/common/promises.rs"]
mod promises;

pub use promises::{Target, import};
