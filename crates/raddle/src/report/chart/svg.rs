//! How does one picture become text?
//!
//! Positions and sizes are hundredths of a unit.

use crate::report::html::escape;
use crate::units::without_middle;

/// Hundredths of a unit in a unit.
pub(super) const UNIT: i64 = 100;

/// Which side of a text its position is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture under construction.
#[derive(Debug)]
pub(crate) struct Svg {
    body: String,
    width: i64,
    height: i64,
}

impl Svg {
    /// An empty picture of this size, in units. `title` names it, `description` says in words what
    /// is to be seen, for those who do not see it.
    pub(crate) fn new(width: u16, height: u16, title: &str, description: &str) -> Self {
        let body = format!(
            "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<desc>{}</desc>\n",
            escape(title),
            escape(description),
        );
        Self { body, width: i64::from(width) * UNIT, height: i64::from(height) * UNIT }
    }

    /// An empty picture beside a text that says everything.
    pub(crate) fn key(width: u16, height: u16) -> Self {
        let body = format!(
            "<svg class=\"key\" aria-hidden=\"true\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
        );
        Self { body, width: i64::from(width) * UNIT, height: i64::from(height) * UNIT }
    }

    /// Its width, in hundredths.
    pub(crate) const fn width(&self) -> i64 {
        self.width
    }

    /// Its height, in hundredths.
    pub(crate) const fn height(&self) -> i64 {
        self.height
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, from: (i64, i64), to: (i64, i64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
        self.add(&format!(
            "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>\n"
        ));
    }

    /// A rectangle, with a text that shows where one points at it.
    pub(crate) fn rect(&mut self, class: &str, at: (i64, i64), size: (i64, i64), hint: &str) {
        let ((x, y), (width, height)) = (at, size);
        let [x, y, width, height] = [x, y, width, height].map(number);
        self.add(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">{}</rect>\n",
            told(hint)
        ));
    }

    /// A path, with more attributes (`name="value"`, or none) and a text that shows where one
    /// points at it.
    pub(crate) fn path(&mut self, class: &str, more: &str, d: &Path, hint: &str) {
        let blank = if more.is_empty() { "" } else { " " };
        self.add(&format!(
            "<path class=\"{class}\"{blank}{more} d=\"{}\">{}</path>\n",
            d.0,
            told(hint)
        ));
    }

    /// A line of text; `y` is that of its foot.
    pub(crate) fn text(&mut self, class: &str, at: (i64, i64), anchor: Anchor, text: &str) {
        if text.is_empty() {
            return;
        }
        let (x, y) = (number(at.0), number(at.1));
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        self.add(&format!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{}</text>\n",
            escape(text)
        ));
    }

    /// The whole picture.
    pub(crate) fn finish(self) -> String {
        self.body + "</svg>"
    }

    fn add(&mut self, text: &str) {
        self.body.push_str(text);
    }
}

fn told(hint: &str) -> String {
    if hint.is_empty() { String::new() } else { format!("<title>{}</title>", escape(hint)) }
}

/// The width that a text needs at most, in hundredths: as in the widest of the usual fonts.
pub(crate) fn text_width(text: &str) -> i64 {
    text.chars().map(|c| width(c) * UNIT).fold(0, i64::saturating_add)
}

/// In units.
fn width(c: char) -> i64 {
    match c {
        ' ' | '.' | ',' => 4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '&' => 11,
        'A'..='Z' | '_' | '\u{250}'..'\u{1000}' => 9,
        '\u{1000}'.. => 13,
        _ => 7,
    }
}

/// The same of a text in bold letters.
pub(crate) fn bold_width(text: &str) -> i64 {
    text_width(text).saturating_mul(6) / 5
}

/// As much of a text in bold letters as fits into so many hundredths, with a sign that something
/// is missing.
pub(crate) fn fitted(text: &str, most: i64) -> String {
    if bold_width(text) <= most {
        return text.to_owned();
    }
    let mut left = most - bold_width("…");
    let (begin, end) = without_middle(text, |c| {
        left -= bold_width(c.encode_utf8(&mut [0; 4]));
        left >= 0
    });
    format!("{begin}…{end}")
}

/// Hundredths as a decimal number without needless digits.
pub(crate) fn number(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let size = hundredths.unsigned_abs();
    let (whole, rest) = (size / 100, size % 100);
    match rest {
        0 => format!("{sign}{whole}"),
        _ if rest % 10 == 0 => format!("{sign}{whole}.{}", rest / 10),
        _ => format!("{sign}{whole}.{rest:02}"),
    }
}

/// The way of a pen, in tenths of a unit: finer than can be seen, and short.
#[derive(Debug, Default)]
pub(crate) struct Path(String, (i64, i64));

impl Path {
    /// Begins at a place.
    pub(crate) fn at(x: i64, y: i64) -> Self {
        let (x, y) = (tenth(x), tenth(y));
        Self(format!("M{} {}", number(x), number(y)), (x, y))
    }

    /// Goes to the right or to the left.
    pub(crate) fn x(&mut self, x: i64) {
        let x = tenth(x);
        if x != self.1.0 {
            self.0 += &format!("h{}", number(x - self.1.0));
            self.1.0 = x;
        }
    }

    /// Goes up or down.
    pub(crate) fn y(&mut self, y: i64) {
        let y = tenth(y);
        if y != self.1.1 {
            self.0 += &format!("v{}", number(y - self.1.1));
            self.1.1 = y;
        }
    }

    /// Goes straight by so much.
    pub(crate) fn by(&mut self, x: i64, y: i64) {
        self.0 += &format!("l{} {}", number(x), number(y));
        self.1 = (self.1.0 + x, self.1.1 + y);
    }

    /// Back to the beginning.
    pub(crate) fn close(&mut self) {
        self.0.push('z');
    }
}

/// To whole tenths of a unit.
const fn tenth(hundredths: i64) -> i64 {
    (hundredths + 5).div_euclid(10) * 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_are_written_short_and_exactly() {
        for (hundredths, text) in
            [(0, "0"), (5, "0.05"), (-5, "-0.05"), (120, "1.2"), (-12_345, "-123.45"), (300, "3")]
        {
            assert_eq!(number(hundredths), text);
        }
    }

    #[test]
    fn a_path_has_no_step_that_leads_nowhere_and_gathers_no_error() {
        let mut path = Path::at(3, 1004);
        path.x(104);
        path.x(103);
        path.y(1000);
        path.x(296);
        path.close();
        assert_eq!(path.0, "M0 10h1h2z");
    }

    #[test]
    fn what_comes_from_outside_is_text_and_nothing_else() {
        let mut svg = Svg::new(10, 20, "<a>", "\"b\" & 'c'");
        svg.text("t", (0, 100), Anchor::End, "</text><script>");
        svg.rect("r", (0, 0), (100, 50), "</title>");
        insta::assert_snapshot!(svg.finish(), @r#"
        <svg class="chart" role="img" viewBox="0 0 10 20">
        <title>&lt;a&gt;</title>
        <desc>&quot;b&quot; &amp; &#39;c&#39;</desc>
        <text class="t" x="0" y="1" text-anchor="end">&lt;/text&gt;&lt;script&gt;</text>
        <rect class="r" x="0" y="0" width="1" height="0.5"><title>&lt;/title&gt;</title></rect>
        </svg>
        "#);
    }

    #[test]
    fn long_texts_are_cut_to_their_room() {
        assert_eq!(fitted("abc", 26 * UNIT), "abc");
        assert_eq!(fitted("abcd", 33 * UNIT), "ab…");
        assert_eq!(fitted("abcdefgh", 50 * UNIT), "abc…h");
        assert_eq!(fitted("WWWW", 45 * UNIT), "WW…");
        assert_eq!(fitted("漢字漢", 46 * UNIT), "漢…");
        assert_eq!(fitted("漢字漢", 0), "…");
    }
}
