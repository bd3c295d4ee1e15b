//! How is a result of `raddle-study` shown: as text, as a page, as a timeline?
#![warn(clippy::too_many_lines)]
#![forbid(unsafe_code)]

pub mod check;
pub mod compare;
pub mod contention;
mod document;
pub mod inspect;
pub mod pair;
pub mod replay;
pub mod sweep;
pub mod timeline;
pub mod tune;
mod verdict;

pub use document::{
    Block, Cell, Chart, ChartAxis, ChartBar, ChartKind, ChartSeries, Column, Document, List,
    Medium, PAGE_MARK, SCRIPT_HASH, Scale, Table, ValueUnit, alarm, heading,
};

use serde::Serialize;

/// Writes a result as an indented JSON document that ends with a line end.
pub fn json(value: &impl Serialize) -> String {
    // Maps with string keys, strings and finite numbers only: this cannot fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    raddle_study::units::escaped_json(text)
}
