//! How is a figure of a sweep written in a table?

use raddle_study::answer::FigureBounds;
use raddle_study::sweep::Within;
use raddle_study::units::duration;

use crate::document::Cell;

/// Largest number of characters that a terminal shows of the value of a varied option.
pub(super) const VALUE: usize = 24;

/// Makes the cell of a figure, with its interval if one is known; `-` for an unknown figure.
pub(super) fn figure(figure: Option<Within>, bounds: Option<FigureBounds>) -> Cell {
    let Some(Within { mean, within }) = figure else { return "-".into() };
    let cell = Cell::ranked(duration(mean as u64), Some(mean));
    match (within, bounds) {
        (Some(within), _) => cell.note(format!("± {}", duration(within as u64))),
        (None, Some(bounds)) => cell.note(format!("({})", bounds.in_unit_of(mean as u64))),
        (None, None) => cell,
    }
}
