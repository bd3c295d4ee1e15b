//! How is a line of steps drawn, and a value on it marked?

use super::style::Style;
use super::svg::{Path, Svg, UNIT};

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

/// A small shape around a place: each series has another one.
pub(crate) fn marker(svg: &mut Svg, style: Style, at: (i64, i64), hint: &str) {
    let r = 4 * UNIT;
    let half = r / 2;
    // From where it begins, straight from corner to corner.
    let (begin, corners): ((i64, i64), &[(i64, i64)]) = match style.0 % 8 {
        0 => ((-r, -r), &[(2 * r, 0), (0, 2 * r), (-2 * r, 0)]),
        1 => {
            ((0, -r - half), &[(r + half, r + half), (-r - half, r + half), (-r - half, -r - half)])
        }
        2 => ((0, -r), &[(r, 2 * r), (-2 * r, 0)]),
        3 => ((0, r), &[(r, -2 * r), (-2 * r, 0)]),
        4 => ((-r, 0), &[(2 * r, -r), (0, 2 * r)]),
        5 => ((r, 0), &[(-2 * r, -r), (0, 2 * r)]),
        6 => ((-half, -r), &[(r, 0), (0, 2 * r), (-r, 0)]),
        _ => ((-r, -half), &[(2 * r, 0), (0, r), (-2 * r, 0)]),
    };
    let mut path = Path::at(at.0 + begin.0, at.1 + begin.1);
    for &(x, y) in corners {
        path.by(x, y);
    }
    path.close();
    svg.path(&format!("mark {}", style.area()), "", &path, hint);
}
