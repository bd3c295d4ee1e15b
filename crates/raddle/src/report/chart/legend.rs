//! Which series is which?

use super::line::{marker, steps};
use super::style::Style;
use super::svg::Svg;
use crate::report::html::name;

/// How a legend shows a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A piece of its line with its marker.
    Marked,
    /// A piece of its line.
    Line,
    /// A piece of its area.
    Area,
}

/// A list of keys and names, as HTML; the names come from outside.
pub(crate) fn legend<'n>(key: Key, series: impl IntoIterator<Item = (Style, &'n str)>) -> String {
    let mut out = "<ul class=\"legend\">\n".to_owned();
    for (style, text) in series {
        out += &format!("<li>{}{}</li>\n", picture(key, style), name(text));
    }
    out + "</ul>\n"
}

fn picture(key: Key, style: Style) -> String {
    let width = if key == Key::Area { 18 } else { 36 };
    let mut svg = Svg::key(width, 12);
    let (width, height) = (svg.width(), svg.height());
    let middle = height / 2;
    match key {
        Key::Area => svg.rect(&style.area(), (0, 0), (width, height), ""),
        Key::Marked | Key::Line => {
            steps(&mut svg, style, (0, middle), [(width, middle)], "");
            if key == Key::Marked {
                marker(&mut svg, style, (width / 2, middle), "");
            }
        }
    }
    svg.finish()
}
