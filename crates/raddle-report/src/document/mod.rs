//! What does the answer of a command consist of, and how is it written?
//!
//! A command fills one [`Document`] with [`Block`]s, each once. [`Document::text`] writes it for a
//! terminal, [`Document::html`] as one page that needs no other file. A block that only one of the
//! two shows is marked with its [`Medium`].

mod chart;
mod html;
mod model;
mod plot;
mod table;
mod text;

pub(crate) use chart::{BarPart, SeriesLook};
pub use chart::{Chart, ChartAxis, ChartBar, ChartKind, ChartSeries, Scale, ValueUnit};
pub use html::{PAGE_MARK, SCRIPT_HASH};
pub use model::{Block, Document, List, Medium};
pub(crate) use table::CellBar;
pub use table::{Cell, Column, Table};
pub use text::{alarm, heading};
