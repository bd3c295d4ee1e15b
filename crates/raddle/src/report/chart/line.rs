//! How is a line of steps drawn, and a value on it marked?

use super::style::Style;
use super::svg::{Path, Svg};

/// A line that goes along to each place and then up or down to it; `begin` is where it starts.
pub(crate) fn steps(
    svg: &mut Svg,
    style: Style,
    begin: (i64, i64),
    places: impl IntoIterator<Item = (i64, i64)>,
    hint: &str,
) {
    let mut path = Path::at(begin.0, begin.1);
    for (x, y) in places {
        path.x(x);
        path.y(y);
    }
    svg.path(&style.line(), &style.dashes(), &path, hint);
}

/// Where a shape begins, and its further corners, each from the one before.
type Shape = ((i64, i64), &'static [(i64, i64)]);

/// Shapes of markers: where each begins, and from there straight from corner to corner. Their
/// number has no divisor in common with that of the colours, so that both together repeat late.
const SHAPES: [Shape; 7] = [
    ((-400, -400), &[(800, 0), (0, 800), (-800, 0)]),
    ((0, -600), &[(600, 600), (-600, 600), (-600, -600)]),
    ((0, -450), &[(450, 900), (-900, 0)]),
    ((0, 450), &[(450, -900), (-900, 0)]),
    ((-450, 0), &[(900, -450), (0, 900)]),
    ((450, 0), &[(-900, -450), (0, 900)]),
    ((-200, -500), &[(400, 0), (0, 1000), (-400, 0)]),
];

/// A small shape around a place: each series has another one.
pub(crate) fn marker(svg: &mut Svg, style: Style, at: (i64, i64), hint: &str) {
    let (begin, corners) = SHAPES[style.0 % SHAPES.len()];
    let mut path = Path::at(at.0 + begin.0, at.1 + begin.1);
    for &(x, y) in corners {
        path.by(x, y);
    }
    path.close();
    svg.path(&format!("mark {}", style.area()), "", &path, hint);
}
