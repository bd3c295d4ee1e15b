//! What stands around the figures: a frame with lines to read them by, and what these mean?

use super::scale::Scale;
use super::svg::{Anchor, Svg, UNIT, text_width};

/// From a line of an axis to its text.
const GAP: i64 = 5 * UNIT;
/// How high a line of text is, from its foot.
const TEXT: i64 = 8 * UNIT;
/// From one line of text to the next.
const LINE: i64 = 11 * UNIT;

/// A value of an axis and what is written beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) at: i64,
    pub(crate) label: String,
}

impl Mark {
    /// The marks of a scale, about `count` of them.
    pub(crate) fn of(scale: &Scale, count: u128, label: impl Fn(u128) -> String) -> Vec<Self> {
        let mark = |value| Self { at: scale.at(value), label: label(value) };
        scale.ticks(count).into_iter().map(mark).collect()
    }
}

/// Where in a picture the figures stand, in hundredths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) left: i64,
    pub(crate) top: i64,
    pub(crate) right: i64,
    pub(crate) bottom: i64,
}

impl Frame {
    /// The room of a picture but for margins, in units: left, top, right, bottom.
    pub(crate) fn within(svg: &Svg, margins: [u8; 4]) -> Self {
        let [left, top, right, bottom] = margins.map(|margin| i64::from(margin) * UNIT);
        Self { left, top, right: svg.width() - right, bottom: svg.height() - bottom }
    }

    /// Lines across at these heights, from the lowest, which is the axis; each with its text at the
    /// left, where there is room for it.
    pub(crate) fn rows(&self, svg: &mut Svg, marks: &[Mark]) {
        let mut before = i64::MAX;
        for mark in marks {
            let class = if mark.at == self.bottom { "axis" } else { "grid" };
            svg.line(class, (self.left, mark.at), (self.right, mark.at));
            if before - mark.at >= LINE {
                let foot = mark.at + TEXT / 2;
                svg.text("t", (self.left - GAP, foot), Anchor::End, &mark.label);
                before = mark.at;
            }
        }
    }

    /// Short lines below, each with its text; where there is no room for a text it is left out.
    pub(crate) fn columns(&self, svg: &mut Svg, marks: &[Mark]) {
        let foot = self.bottom + GAP + TEXT + UNIT;
        // The last one says where the axis ends: it goes before those next to it.
        let mut before = i64::MIN;
        for (position, mark) in marks.iter().enumerate() {
            svg.line("axis", (mark.at, self.bottom), (mark.at, self.bottom + 3 * UNIT));
            let half = text_width(&mark.label) / 2;
            // Never over the edge of the picture.
            let at = mark.at.min(svg.width() - half).max(half);
            let last = marks.last().filter(|_| position + 1 < marks.len());
            let after = last.map_or(i64::MAX, |last| {
                let half = text_width(&last.label) / 2;
                last.at.min(svg.width() - half) - half
            });
            if at - half < before || at + half > after {
                continue;
            }
            svg.text("t", (at, foot), Anchor::Middle, &mark.label);
            before = at + half + GAP / 2;
        }
    }

    /// What the values across mean, above the frame at its left edge of the picture; what those
    /// below mean, under their texts at the right.
    pub(crate) fn titles(&self, svg: &mut Svg, up: &str, along: &str) {
        svg.text("t m", (0, TEXT + 3 * UNIT), Anchor::Start, up);
        let foot = self.bottom + 2 * (GAP + TEXT) + 5 * UNIT;
        svg.text("t m", (self.right, foot), Anchor::End, along);
    }

    /// A dashed line across.
    pub(crate) fn rule(&self, svg: &mut Svg, at: i64) {
        svg.line("rule", (self.left, at), (self.right, at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(marks: &[(i64, &str)]) -> Vec<String> {
        let mut svg = Svg::new(200, 100, "t", "d");
        let frame = Frame::within(&svg, [30, 10, 5, 30]);
        let marks: Vec<Mark> = marks
            .iter()
            .map(|&(at, label)| Mark { at: at * UNIT, label: label.to_owned() })
            .collect();
        frame.columns(&mut svg, &marks);
        let text = svg.finish();
        let texts = text.lines().filter(|line| line.starts_with("<text"));
        texts.map(|line| line.split(['>', '<']).nth(2).unwrap_or("").to_owned()).collect()
    }

    #[test]
    fn texts_stay_in_the_picture_and_off_each_other() {
        assert_eq!(drawn(&[(30, "0"), (100, "50 ms"), (195, "100 ms")]), ["0", "50 ms", "100 ms"]);
        assert_eq!(drawn(&[(30, "0"), (50, "50 ms"), (70, "100 ms")]), ["0", "100 ms"]);
        assert_eq!(drawn(&[(100, "wide enough"), (110, "wide enough")]), ["wide enough"]);
    }
}
